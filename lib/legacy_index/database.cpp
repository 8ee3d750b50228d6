#include "legacy_index/database.hpp"

#include "base/error.hpp"
#include "base/shared_library.hpp"

#include <fmt/core.h>
#include <sqlite3.h>

#include <filesystem>
#include <map>
#include <system_error>
#include <vector>

namespace opcat::legacy {
namespace {

// The functions of SQLite that we use, by their names without "sqlite3_".
struct Sqlite {
    SharedLibrary library{library::sqlite};
    decltype(&::sqlite3_close) close = OPCAT_FUNCTION(library, sqlite3_close);
    decltype(&::sqlite3_column_bytes) column_bytes = OPCAT_FUNCTION(library, sqlite3_column_bytes);
    decltype(&::sqlite3_column_count) column_count = OPCAT_FUNCTION(library, sqlite3_column_count);
    decltype(&::sqlite3_column_text) column_text = OPCAT_FUNCTION(library, sqlite3_column_text);
    decltype(&::sqlite3_column_type) column_type = OPCAT_FUNCTION(library, sqlite3_column_type);
    decltype(&::sqlite3_db_config) db_config = OPCAT_FUNCTION(library, sqlite3_db_config);
    decltype(&::sqlite3_errcode) errcode = OPCAT_FUNCTION(library, sqlite3_errcode);
    decltype(&::sqlite3_errmsg) errmsg = OPCAT_FUNCTION(library, sqlite3_errmsg);
    decltype(&::sqlite3_exec) exec = OPCAT_FUNCTION(library, sqlite3_exec);
    decltype(&::sqlite3_finalize) finalize = OPCAT_FUNCTION(library, sqlite3_finalize);
    decltype(&::sqlite3_limit) limit = OPCAT_FUNCTION(library, sqlite3_limit);
    decltype(&::sqlite3_open_v2) open_v2 = OPCAT_FUNCTION(library, sqlite3_open_v2);
    decltype(&::sqlite3_prepare_v2) prepare_v2 = OPCAT_FUNCTION(library, sqlite3_prepare_v2);
    decltype(&::sqlite3_progress_handler) progress_handler =
        OPCAT_FUNCTION(library, sqlite3_progress_handler);
    decltype(&::sqlite3_step) step = OPCAT_FUNCTION(library, sqlite3_step);
};

// Loads it on the first call.
const Sqlite& sqlite() {
    static const Sqlite functions;
    return functions;
}

constexpr int max_value_size = 128 * 1024 * 1024;
constexpr int max_statement_size = 64 * 1024;
// Reading a table takes SQLite's virtual machine about one instruction for each byte of it.
constexpr uint64_t max_instructions_per_byte = 4;
constexpr uint64_t max_instructions_besides = 1'000'000; // to read the schema, above all
constexpr uint64_t instructions_between_looks = 10'000;
constexpr uint64_t least_bytes_of_a_row = 4;

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

int count_look(void* looks_left) {
    auto& left = *static_cast<uint64_t*>(looks_left);
    if (left == 0) return 1;
    --left;
    return 0;
}

struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite().finalize(statement); }
};

} // namespace

Database::Database(const std::string& path, const std::string& shown) : shown_(shown) {
    // An absolute path, so that it cannot begin with "//", which is a host in a URI.
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    if (sqlite().open_v2(as_uri(path).c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
        const std::string message = sqlite().errmsg(handle_);
        sqlite().close(handle_);
        throw Error(fmt::format("cannot open {}: {}", shown_, message));
    }
    std::error_code ignored;
    size_ = std::filesystem::file_size(path, ignored);
    sqlite().progress_handler(handle_, instructions_between_looks, count_look, &looks_left_);
    allow_work();
    sqlite().limit(handle_, SQLITE_LIMIT_LENGTH, max_value_size);
    sqlite().limit(handle_, SQLITE_LIMIT_SQL_LENGTH, max_statement_size);
    sqlite().limit(handle_, SQLITE_LIMIT_ATTACHED, 0);
    for (const auto& [option, on] :
         {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1), std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
          std::pair(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), std::pair(SQLITE_DBCONFIG_ENABLE_VIEW, 0),
          std::pair(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)})
        sqlite().db_config(handle_, option, on, nullptr);
    sqlite().exec(handle_, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", nullptr, nullptr, nullptr);
}

Database::~Database() {
    sqlite().close(handle_);
}

void Database::allow_work() const {
    looks_left_ = (max_instructions_besides + size_ * max_instructions_per_byte) / instructions_between_looks;
}

void Database::fail(std::string_view doing) const {
    if (sqlite().errcode(handle_) == SQLITE_INTERRUPT) fail_as_endless();
    throw Error(fmt::format("cannot {} {}: {}", doing, shown_, sqlite().errmsg(handle_)));
}

void Database::fail_as_endless() const {
    throw Error(
        fmt::format("cannot read {}: it is damaged: reading one of its tables gives more than the file "
                    "can hold",
                    shown_));
}

void Database::query(std::string_view sql, const std::function<void(Row)>& each) const {
    allow_work();
    sqlite3_stmt* raw = nullptr;
    if (sqlite().prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &raw, nullptr) != SQLITE_OK)
        fail("query");
    const std::unique_ptr<sqlite3_stmt, Finalizer> statement(raw);
    std::vector<std::optional<std::string_view>> row(static_cast<size_t>(sqlite().column_count(raw)));
    uint64_t bytes = 0;
    int result = SQLITE_ROW;
    while ((result = sqlite().step(raw)) == SQLITE_ROW) {
        bytes += least_bytes_of_a_row;
        for (size_t i = 0; i < row.size(); ++i) {
            const int column = static_cast<int>(i);
            row[i].reset();
            const int type = sqlite().column_type(raw, column);
            if (type == SQLITE_NULL) continue;
            const void* const text = sqlite().column_text(raw, column);
            const auto size = static_cast<size_t>(sqlite().column_bytes(raw, column));
            if (type == SQLITE_TEXT || type == SQLITE_BLOB) bytes += size; // numbers grow when they are text
            row[i] = std::string_view(static_cast<const char*>(text), size);
        }
        // Pages that are met again and again, in a circle or not, would give rows without end.
        if (bytes > size_) fail_as_endless();
        each(row);
    }
    if (result != SQLITE_DONE) fail("read");
}

void Database::check_table(std::string_view table, std::span<const std::string_view> columns) const {
    const auto refuse = [&](std::string_view why) {
        throw Error(
            fmt::format("cannot render {}: it is no index database of a known form, for {}", shown_, why),
            "opm before 1.15 wrote older forms; let a newer opm rebuild the index");
    };
    // What is a view, a virtual table or computed when it is read is code of the file's author.
    bool is_table = false;
    query(fmt::format("SELECT type FROM pragma_table_list('{}')", table),
          [&](Row row) { is_table = row[0] == "table"; });
    if (!is_table) refuse(fmt::format("it has no table {}", table));
    std::map<std::string, bool, std::less<>> stored;
    query(fmt::format("SELECT name, hidden FROM pragma_table_xinfo('{}')", table),
          [&](Row row) { stored.emplace(row[0].value_or(""), row[1] == "0"); });
    for (const std::string_view column : columns) {
        const auto found = stored.find(column);
        if (found == stored.end()) refuse(fmt::format("it has no column {}.{}", table, column));
        if (!found->second) refuse(fmt::format("its column {}.{} is computed", table, column));
    }
}

} // namespace opcat::legacy
