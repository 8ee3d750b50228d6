#include "opcat/query/database.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/shared_library.hpp"
#include "opcat/base/text.hpp"
#include "opcat/query/text_functions.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cassert>
#include <new>

namespace opcat::query {
namespace {

struct Sqlite {
    SharedLibrary library{library::sqlite};
    OPCAT_MEMBER(sqlite3_bind_int64);
    OPCAT_MEMBER(sqlite3_bind_null);
    OPCAT_MEMBER(sqlite3_bind_parameter_count);
    OPCAT_MEMBER(sqlite3_bind_text64);
    OPCAT_MEMBER(sqlite3_clear_bindings);
    OPCAT_MEMBER(sqlite3_close);
    OPCAT_MEMBER(sqlite3_column_bytes);
    OPCAT_MEMBER(sqlite3_column_count);
    OPCAT_MEMBER(sqlite3_column_double);
    OPCAT_MEMBER(sqlite3_column_int64);
    OPCAT_MEMBER(sqlite3_column_name);
    OPCAT_MEMBER(sqlite3_column_text);
    OPCAT_MEMBER(sqlite3_column_type);
    OPCAT_MEMBER(sqlite3_db_config);
    OPCAT_MEMBER(sqlite3_errcode);
    OPCAT_MEMBER(sqlite3_errmsg);
    OPCAT_MEMBER(sqlite3_exec);
    OPCAT_MEMBER(sqlite3_finalize);
    OPCAT_MEMBER(sqlite3_free);
    OPCAT_MEMBER(sqlite3_limit);
    OPCAT_MEMBER(sqlite3_open_v2);
    OPCAT_MEMBER(sqlite3_prepare_v2);
    OPCAT_MEMBER(sqlite3_progress_handler);
    OPCAT_MEMBER(sqlite3_reset);
    OPCAT_MEMBER(sqlite3_serialize);
    OPCAT_MEMBER(sqlite3_set_authorizer);
    OPCAT_MEMBER(sqlite3_step);
    OPCAT_MEMBER(sqlite3_stmt_readonly);
};

const Sqlite& sqlite() {
    static const Sqlite functions;
    return functions;
}

// Of the file format, https://www.sqlite.org/fileformat2.html: SQLite counts changes, and keeps two numbers
// for whoever makes a file. The second one has the count at which opcat saved it.
constexpr std::string_view application = "opct";
constexpr size_t place_of_application = 68;
constexpr size_t place_of_user_version = 60;
constexpr size_t place_of_changes = 24;
constexpr size_t length_of_number = 4;

constexpr int most_bytes_of_a_statement = 64 * 1024;
constexpr int instructions_between_looks = 10'000;
constexpr uint64_t most_rows_of_a_table = 50'000'000;

struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite().sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalizer>;

// Allows a statement of a user to read tables, and notes what it reads.
int authorize(void* uses, int action, const char* first, const char* second, const char*, const char*) {
    switch (action) {
    case SQLITE_READ:
        static_cast<std::set<ColumnUse>*>(uses)->emplace(first ? first : "", second ? second : "");
        return SQLITE_OK;
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        // load_extension reads files of any name.
        return (second && std::string_view(second) == "load_extension") || is_unbounded_function(second)
                   ? SQLITE_DENY
                   : SQLITE_OK;
    default:
        return SQLITE_DENY;
    }
}

int count_look(void* looks_left) {
    auto& left = *static_cast<uint64_t*>(looks_left);
    if (left == 0) return 1;
    --left;
    return 0;
}

// SQLite counts while it lives; afterwards nothing refers to it, also if the reader of a row throws.
class WorkLimit {
public:
    WorkLimit(sqlite3* handle, uint64_t instructions)
        : handle_(handle), looks_left_(instructions / instructions_between_looks) {
        sqlite().sqlite3_progress_handler(handle_, instructions_between_looks, count_look, &looks_left_);
    }
    ~WorkLimit() { sqlite().sqlite3_progress_handler(handle_, 0, nullptr, nullptr); }
    WorkLimit(const WorkLimit&) = delete;
    WorkLimit& operator=(const WorkLimit&) = delete;

private:
    sqlite3* handle_;
    uint64_t looks_left_;
};

bool is_blank_or_comment(std::string_view text) {
    while (!text.empty()) {
        if (text.starts_with("--")) {
            const size_t end = text.find('\n');
            text.remove_prefix(end == text.npos ? text.size() : end);
        } else if (text.starts_with("/*")) {
            const size_t end = text.find("*/", 2);
            text.remove_prefix(end == text.npos ? text.size() : end + 2);
        } else if (std::string_view(" \t\r\n;").find(text.front()) != text.npos) {
            text.remove_prefix(1);
        } else {
            return false;
        }
    }
    return true;
}

Cell cell_of(sqlite3_stmt* statement, int column) {
    switch (sqlite().sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
        return {};
    case SQLITE_INTEGER:
        return static_cast<int64_t>(sqlite().sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
        return sqlite().sqlite3_column_double(statement, column);
    default: {
        const auto* const text =
            reinterpret_cast<const char*>(sqlite().sqlite3_column_text(statement, column));
        return std::string_view(text ? text : "",
                                static_cast<size_t>(sqlite().sqlite3_column_bytes(statement, column)));
    }
    }
}

} // namespace

void Database::Closer::operator()(sqlite3* handle) const {
    sqlite().sqlite3_close(handle);
}

Database::Database(std::optional<uint64_t> most_bytes) {
    sqlite3* handle = nullptr;
    const int result = sqlite().sqlite3_open_v2(
        ":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    handle_.reset(handle);
    if (result != SQLITE_OK) throw std::bad_alloc();
    sqlite().sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, most_bytes_of_a_value);
    sqlite().sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, most_bytes_of_a_statement);
    sqlite().sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
    bound_text_functions(handle, *text_steps_left_);
    sqlite().sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
    sqlite().sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    // "name" in double quotes is a column, so that a misspelled one is an error.
    sqlite().sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
    if (most_bytes) execute(fmt::format("PRAGMA hard_heap_limit = {}", *most_bytes));
    // Sorting in files would write to the disk.
    execute("PRAGMA temp_store = MEMORY; PRAGMA journal_mode = OFF");
}

Database::~Database() = default;

void Database::execute(const std::string& sql) {
    if (sqlite().sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        throw Error(fmt::format("cannot make the tables: {}", sqlite().sqlite3_errmsg(handle_.get())));
}

namespace {

// The prepared statement. Throws RequestError if it is not one that only reads.
Statement prepare(sqlite3* handle, std::string_view sql, std::set<ColumnUse>& uses) {
    sqlite3_stmt* raw = nullptr;
    const char* rest = nullptr;
    sqlite().sqlite3_set_authorizer(handle, authorize, &uses);
    const int result =
        sqlite().sqlite3_prepare_v2(handle, sql.data(), static_cast<int>(sql.size()), &raw, &rest);
    sqlite().sqlite3_set_authorizer(handle, nullptr, nullptr);
    Statement statement(raw);
    if (result == SQLITE_AUTH)
        throw RequestError("the statement does not only read the tables", "write one SELECT");
    if (result == SQLITE_NOMEM) throw std::bad_alloc();
    if (result != SQLITE_OK)
        throw RequestError(fmt::format("the statement is not valid: {}", sqlite().sqlite3_errmsg(handle)));
    if (!raw) throw RequestError("there is no statement", "write one SELECT");
    if (!is_blank_or_comment(sql.substr(static_cast<size_t>(rest - sql.data()))))
        throw RequestError("there are several statements", "write one SELECT");
    if (sqlite().sqlite3_stmt_readonly(raw) == 0)
        throw RequestError("the statement does not only read the tables", "write one SELECT");
    if (sqlite().sqlite3_bind_parameter_count(raw) > 0)
        throw RequestError("the statement has a parameter (?, :name, @name or $name), which has no value",
                           "write the value, a text in quotes: 'x'");
    return statement;
}

} // namespace

std::set<ColumnUse> Database::uses_of(std::string_view sql) const {
    std::set<ColumnUse> uses;
    prepare(handle_.get(), sql, uses);
    return uses;
}

void Database::run(std::string_view sql, const Limits& limits,
                   const std::function<void(std::span<const std::string>)>& begin,
                   const std::function<void(Row)>& each) const {
    std::set<ColumnUse> ignored;
    const Statement statement = prepare(handle_.get(), sql, ignored);
    sqlite3_stmt* const raw = statement.get();
    std::vector<std::string> columns(static_cast<size_t>(sqlite().sqlite3_column_count(raw)));
    for (size_t i = 0; i < columns.size(); ++i)
        if (const char* const name = sqlite().sqlite3_column_name(raw, static_cast<int>(i)))
            columns[i] = name;
    begin(columns);
    *text_steps_left_ = 2 * limits.instructions; // a comparison is less than an instruction
    const WorkLimit limit(handle_.get(), limits.instructions);
    std::vector<Cell> row(columns.size());
    uint64_t rows = 0;
    uint64_t bytes = 0;
    int result = SQLITE_ROW;
    while ((result = sqlite().sqlite3_step(raw)) == SQLITE_ROW) {
        for (size_t i = 0; i < row.size(); ++i) {
            row[i] = cell_of(raw, static_cast<int>(i));
            if (const auto* const text = std::get_if<std::string_view>(&row[i])) bytes += text->size();
        }
        if (++rows > limits.rows || bytes > limits.bytes)
            throw Error(fmt::format("the result has more than {} rows or {} bytes [limit]", limits.rows,
                                    limits.bytes),
                        "ask for less: add WHERE or LIMIT");
        each(row);
    }
    if (result == SQLITE_INTERRUPT)
        throw Error("the statement takes too much work [limit]",
                    "compare fewer rows: add conditions to JOIN");
    if (result == SQLITE_NOMEM) throw std::bad_alloc();
    if (result != SQLITE_DONE)
        throw RequestError(fmt::format("the statement fails: {}", sqlite().sqlite3_errmsg(handle_.get())));
}

std::string Database::bytes() const {
    sqlite3_int64 size = 0;
    const std::unique_ptr<unsigned char, void (*)(void*)> bytes(
        sqlite().sqlite3_serialize(handle_.get(), "main", &size, 0), sqlite().sqlite3_free);
    if (!bytes) throw std::bad_alloc();
    std::string file(reinterpret_cast<const char*>(bytes.get()), static_cast<size_t>(size));
    file.replace(place_of_application, application.size(), application);
    file.replace(place_of_user_version, length_of_number, file, place_of_changes, length_of_number);
    return file;
}

bool Database::is_as_saved(std::string_view file) {
    return file.size() > place_of_application + application.size() &&
           file.substr(place_of_application, application.size()) == application &&
           file.substr(place_of_user_version, length_of_number) ==
               file.substr(place_of_changes, length_of_number);
}

Inserter::Inserter(Database& database, const std::string& table, size_t columns)
    : columns_(static_cast<int>(columns)) {
    std::string sql = "INSERT INTO " + table + " VALUES (?";
    for (size_t i = 1; i < columns; ++i) sql += ",?";
    sql += ")";
    if (sqlite().sqlite3_prepare_v2(database.handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                    &statement_, nullptr) != SQLITE_OK)
        throw Error(
            fmt::format("cannot fill table {}: {}", table, sqlite().sqlite3_errmsg(database.handle_.get())));
}

Inserter::~Inserter() {
    sqlite().sqlite3_finalize(statement_);
}

Inserter& Inserter::text(std::string_view value) {
    if (value.empty()) return null();
    if (sqlite().sqlite3_bind_text64(statement_, next_++, value.data(), value.size(), SQLITE_TRANSIENT,
                                     SQLITE_UTF8) != SQLITE_OK)
        throw std::bad_alloc();
    return *this;
}

Inserter& Inserter::number(int64_t value) {
    sqlite().sqlite3_bind_int64(statement_, next_++, value);
    return *this;
}

Inserter& Inserter::null() {
    sqlite().sqlite3_bind_null(statement_, next_++);
    return *this;
}

void Inserter::end() {
    assert(next_ == columns_ + 1);
    if (++rows_ > most_rows_of_a_table)
        throw Error(fmt::format("a table would have more than {} rows [limit]", most_rows_of_a_table));
    if (sqlite().sqlite3_step(statement_) != SQLITE_DONE) throw std::bad_alloc();
    sqlite().sqlite3_reset(statement_);
    next_ = 1;
}

} // namespace opcat::query
