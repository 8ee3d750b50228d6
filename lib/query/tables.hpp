// Catalogs as tables of SQL (docs/query.md): what they are called, what their columns mean, and how they are
// filled.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/source.hpp"
#include "opcat/query/database.hpp"

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::query {

struct Column {
    std::string_view name;
    std::string_view type; // TEXT or INTEGER
    std::string_view meaning;
};

struct Table {
    std::string_view name;
    std::string_view meaning;
    std::span<const Column> columns; // the first is `catalog`
};

// In the order of the documentation.
std::span<const Table> tables();
// nullptr: there is none of this name.
const Table* find_table(std::string_view name);

// The statements that make all tables, empty.
std::string definitions();

struct NamedCatalog {
    std::string name; // the column `catalog`
    Source source;
};

// Fills the tables of which columns are used; columns that cost much only if they are used themselves. Throws
// Error for a table beyond its limits.
void fill(Database& database, const std::vector<NamedCatalog>& catalogs, const std::set<ColumnUse>& uses,
          ThreadPool& pool);

// Returns the rows of a table with a column `name` that `expression`, as after WHERE, selects: pairs of
// package and name; for the table packages, twice the name. Throws as Database::run.
std::set<std::pair<std::string, std::string>> selected(const Source& catalog, std::string_view table,
                                                       std::string_view expression, ThreadPool& pool);

// Every column of every table.
std::set<ColumnUse> all_columns();

// Throws RequestError with the nearest name for a table or column of the statement that does not exist.
std::set<ColumnUse> uses_in(const Database& database, std::string_view sql);

} // namespace opcat::query
