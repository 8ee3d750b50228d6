#include "opcat/serve/query_page.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/catalog/source.hpp"
#include "opcat/pages/html.hpp"
#include "opcat/query/database.hpp"
#include "opcat/query/named_queries.hpp"
#include "opcat/query/tables.hpp"
#include "opcat/serve/slow_answers.hpp"

#include <fmt/format.h>

#include <set>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace opcat::serve {
namespace {

// Less than on the command line: others wait for the next query.
constexpr query::Limits limits{.instructions = 100'000'000, .rows = 1000, .bytes = uint64_t{1} << 18};
constexpr size_t longest_table = size_t{1} << 20;
constexpr uint64_t most_memory = uint64_t{256} << 20; // of the tables

std::string html_of(const query::Cell& cell) {
    if (const auto* const number = std::get_if<int64_t>(&cell)) return std::to_string(*number);
    if (const auto* const fraction = std::get_if<double>(&cell)) return fmt::format("{}", *fraction);
    if (const auto* const text = std::get_if<std::string_view>(&cell)) return escape_html(*text);
    return "<small>NULL</small>";
}

std::string answer_to(const std::string& catalog, const CatalogDocument& document, const std::string& sql) {
    query::Database database(most_memory);
    database.execute(query::definitions());
    const std::set<query::ColumnUse> uses = query::uses_in(database, sql);
    ThreadPool here(1);
    query::fill(database, {{catalog, Source(catalog, load_all(document, here))}}, uses, here);
    std::string table = "<div class=\"wide\"><table>\n<thead><tr>";
    size_t rows = 0;
    const auto require_short = [&] {
        if (table.size() > longest_table)
            throw Error("the result is too large for a page [limit]", "ask for less: add WHERE or LIMIT");
    };
    database.run(
        sql, limits,
        [&](std::span<const std::string> columns) {
            for (const std::string& column : columns) {
                table += "<th scope=\"col\">" + escape_html(column) + "</th>";
                require_short();
            }
            table += "</tr></thead>\n<tbody>\n";
        },
        [&](query::Row row) {
            ++rows;
            table += "<tr>";
            for (const query::Cell& cell : row) table += "<td>" + html_of(cell) + "</td>";
            table += "</tr>\n";
            require_short();
        });
    return fmt::format("<p class=\"sub\" role=\"status\">{}</p>\n{}</tbody>\n</table></div>\n",
                       counted(rows, "row"), table);
}

std::string answer_or_problem(const std::string& catalog, const CatalogDocument& document,
                              const std::string& sql) {
    std::string answer;
    const auto problem =
        problem_of([&] { answer = answer_to(catalog, document, sql); }, "use fewer tables, or opcat query");
    return problem ? *problem : answer;
}

std::string examples() {
    std::string out = "<details><summary><h2>Examples</h2></summary>\n<ul>\n";
    for (const query::NamedQuery& one : query::named_queries())
        out += fmt::format("<li><a href=\"?sql={}\">{}</a></li>\n", escape_for_url(one.sql),
                           escape_html(one.question));
    return out + "</ul>\n</details>\n";
}

std::string tables() {
    std::string out = "<details><summary><h2>Tables</h2></summary>\n<dl>\n";
    for (const query::Table& table : query::tables()) {
        out += fmt::format("<dt><code>{}</code></dt><dd>{}:", table.name, escape_html(table.meaning));
        for (const query::Column& column : table.columns) out += fmt::format(" <code>{}</code>", column.name);
        out += "</dd>\n";
    }
    return out + "</dl>\n</details>\n";
}

} // namespace

std::string query_page(const std::string& catalog, const std::shared_ptr<const CatalogDocument>& document,
                       const std::string& sql) {
    const std::string main = fmt::format(
        "<h1>Query</h1>\n<form class=\"ask\" method=\"get\">\n<label class=\"statement\">One SELECT of "
        "SQLite "
        "<textarea name=\"sql\" rows=\"5\" required spellcheck=\"false\">\n{}</textarea></label>\n"
        "<button>Ask</button>\n</form>\n{}{}{}",
        escape_html(sql), sql.empty() ? std::string() : answer_or_problem(catalog, *document, sql),
        examples(), tables());
    return pages::whole_page({.title = "Query",
                              .root = "../../",
                              .above = {{"Home", "../../index.html"}, {catalog, "index.html"}},
                              .search = {}},
                             main);
}

} // namespace opcat::serve
