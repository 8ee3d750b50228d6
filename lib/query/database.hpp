// SQLite in memory, for statements of people: only SELECT, no files, no extensions, and limits on everything
// (docs/limits.md).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace opcat::query {

// NULL, a whole number, a fraction, text. Text is valid until the next row.
using Cell = std::variant<std::monostate, int64_t, double, std::string_view>;
using Row = std::span<const Cell>;

struct Limits {
    uint64_t instructions = 500'000'000; // of SQLite's machine: some seconds
    uint64_t rows = 2'000'000;
    uint64_t bytes = uint64_t{1} << 28; // of all rows
};

// A column that a statement reads, of a table.
using ColumnUse = std::pair<std::string, std::string>;

class Database {
public:
    // `most_bytes`: of memory that SQLite may have in this process; std::bad_alloc is thrown beyond it.
    explicit Database(std::optional<uint64_t> most_bytes = std::nullopt);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    // `sql` is a constant of the program.
    void execute(const std::string& sql);

    // Which columns of which tables one statement reads. A table without a column: its rows are counted.
    // Throws RequestError if it is not one statement that only reads: with the nearest name for a table, a
    // column or a function that does not exist.
    std::set<ColumnUse> uses_of(std::string_view sql) const;

    // Throws RequestError, and Error for a statement that exceeds a limit.
    void run(std::string_view sql, const Limits& limits,
             const std::function<void(std::span<const std::string> columns)>& begin,
             const std::function<void(Row)>& each) const;

    // The content as a file of SQLite, and whether a file is such a one that nobody has changed since.
    std::string bytes() const;
    static bool is_as_saved(std::string_view file);

private:
    friend class Inserter;
    struct Closer {
        void operator()(sqlite3* handle) const;
    };
    std::unique_ptr<uint64_t> text_steps_left_ = std::make_unique<uint64_t>(0); // outlives the connection
    std::unique_ptr<sqlite3, Closer> handle_;
};

// Adds rows to a table: the cells of a row one after the other.
class Inserter {
public:
    Inserter(Database& database, const std::string& table, size_t columns);
    ~Inserter();
    Inserter(const Inserter&) = delete;
    Inserter& operator=(const Inserter&) = delete;

    Inserter& text(std::string_view value); // empty: NULL
    Inserter& number(int64_t value);
    Inserter& null();
    // Ends the row. Throws Error if memory is missing, or after 50 million rows.
    void end();

private:
    sqlite3_stmt* statement_ = nullptr;
    int next_ = 1;
    int columns_;
    uint64_t rows_ = 0;
};

} // namespace opcat::query
