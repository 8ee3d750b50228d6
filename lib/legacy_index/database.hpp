// A SQLite file that nobody trusts, read only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;

namespace opcat::legacy {

// Columns of one row as text; NULL is nothing. The text lives until the row has been dealt with.
using Row = std::span<const std::optional<std::string_view>>;

// Nothing is written, neither to the file nor beside it; no extension is loaded, the file's own views and
// functions are not trusted. Values are bounded; the work for a query, and what it gives, is bounded by the
// size of the file. Throws Error when the file cannot be opened or is no database, and when it is damaged.
class Database {
public:
    // Messages call the file `shown`.
    Database(const std::string& path, const std::string& shown);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    // `sql` is a constant of the program, and reads tables that have been checked, one at a time.
    void query(std::string_view sql, const std::function<void(Row)>& each) const;
    // Throws Error if there is no such table, or it has not all of the columns, or they are computed.
    void check_table(std::string_view table, std::span<const std::string_view> columns) const;

private:
    void allow_work() const;
    [[noreturn]] void fail(std::string_view doing) const;
    [[noreturn]] void fail_as_endless() const;

    std::string shown_;
    sqlite3* handle_ = nullptr;
    uint64_t size_ = 0;
    mutable uint64_t looks_left_ = 0; // until a query is ended
};

} // namespace opcat::legacy
