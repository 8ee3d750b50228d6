#include "legacy_index/database.hpp"

#include "support/error.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <vector>

namespace opcat::legacy {
namespace {

constexpr int max_value_size = 128 * 1024 * 1024;
constexpr int max_statement_size = 64 * 1024;
// Of SQLite's virtual machine, for one query; the largest public indexes need some tens of millions.
constexpr int instructions_between_looks = 1'000'000;
constexpr int max_looks = 20'000;

std::string as_uri(const std::string& path) {
    std::string uri = "file:";
    for (const char c : path) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("/._-").find(c) != std::string_view::npos;
        if (plain)
            uri += c;
        else
            uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
    return uri + "?mode=ro&immutable=1";
}

int count_look(void* looks) {
    return ++*static_cast<int*>(looks) > max_looks ? 1 : 0;
}

struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

} // namespace

Database::Database(const std::string& path) : path_(path) {
    // An absolute path, so that it cannot begin with "//", which is a host in a URI.
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(as_uri(path).c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
        const std::string message = sqlite3_errmsg(handle_);
        sqlite3_close(handle_);
        throw Error(fmt::format("cannot open {}: {}", path, message));
    }
    sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, max_value_size);
    sqlite3_limit(handle_, SQLITE_LIMIT_SQL_LENGTH, max_statement_size);
    sqlite3_limit(handle_, SQLITE_LIMIT_ATTACHED, 0);
    for (const auto& [option, on] :
         {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1), std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
          std::pair(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), std::pair(SQLITE_DBCONFIG_ENABLE_VIEW, 0),
          std::pair(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)})
        sqlite3_db_config(handle_, option, on, nullptr);
    sqlite3_exec(handle_, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", nullptr, nullptr, nullptr);
}

Database::~Database() {
    sqlite3_close(handle_);
}

void Database::fail(std::string_view doing) const {
    throw Error(fmt::format("cannot {} {}: {}", doing, path_, sqlite3_errmsg(handle_)));
}

void Database::query(std::string_view sql, const std::function<void(Row)>& each) const {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &raw, nullptr) != SQLITE_OK)
        fail("query");
    const std::unique_ptr<sqlite3_stmt, Finalizer> statement(raw);
    int looks = 0;
    sqlite3_progress_handler(handle_, instructions_between_looks, count_look, &looks);
    std::vector<std::optional<std::string_view>> row(static_cast<size_t>(sqlite3_column_count(raw)));
    int result = SQLITE_ROW;
    while ((result = sqlite3_step(raw)) == SQLITE_ROW) {
        for (size_t i = 0; i < row.size(); ++i) {
            const int column = static_cast<int>(i);
            row[i].reset();
            if (sqlite3_column_type(raw, column) == SQLITE_NULL) continue;
            const void* const text = sqlite3_column_text(raw, column);
            const int size = sqlite3_column_bytes(raw, column);
            row[i] = std::string_view(static_cast<const char*>(text), static_cast<size_t>(size));
        }
        each(row);
    }
    sqlite3_progress_handler(handle_, 0, nullptr, nullptr);
    if (result != SQLITE_DONE) fail("read");
}

bool Database::has_column(std::string_view table, std::string_view column) const {
    bool found = false;
    query(fmt::format("SELECT name FROM pragma_table_info('{}')", table),
          [&](Row row) { found = found || row[0] == column; });
    return found;
}

} // namespace opcat::legacy
