// A SQLite file that nobody trusts, read only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;

namespace opcat::legacy {

// Columns of one row as text; NULL is nothing. The text lives until the row has been dealt with.
using Row = std::span<const std::optional<std::string_view>>;

// Nothing is written, neither to the file nor beside it; no extension is loaded, the file's own views and
// functions are not trusted, and values, statements and the work for a query are bounded. Throws Error when
// the file cannot be opened or is no database, and when SQLite says that it is damaged.
class Database {
public:
    explicit Database(const std::string& path);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    // `sql` is a constant of the program.
    void query(std::string_view sql, const std::function<void(Row)>& each) const;
    bool has_column(std::string_view table, std::string_view column) const;

private:
    [[noreturn]] void fail(std::string_view doing) const;

    std::string path_;
    sqlite3* handle_ = nullptr;
};

} // namespace opcat::legacy
