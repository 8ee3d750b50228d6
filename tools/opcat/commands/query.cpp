// `opcat query`: catalogs as tables of SQL.
#include "command.hpp"
#include "configuration.hpp"
#include "named_catalogs.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/query/named_queries.hpp"
#include "opcat/query/tables.hpp"
#include "outputs.hpp"
#include "terminal/output.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {
namespace {

using Json = nlohmann::ordered_json;

struct QueryOptions {
    std::vector<std::string> words; // catalogs, and the statement if no query is named
    std::string named;
    bool lists_tables = false;
    bool lists_named = false;
    std::string save;
    Form output = Form::table;
    ImageFlags images;
};

// ---- the forms of a result

std::string text_of(const query::Cell& cell) {
    if (const auto* const number = std::get_if<int64_t>(&cell)) return std::to_string(*number);
    if (const auto* const fraction = std::get_if<double>(&cell)) return fmt::format("{}", *fraction);
    if (const auto* const text = std::get_if<std::string_view>(&cell)) return std::string(*text);
    return {};
}

Json json_of(const query::Cell& cell) {
    if (const auto* const number = std::get_if<int64_t>(&cell)) return *number;
    if (const auto* const fraction = std::get_if<double>(&cell)) return *fraction;
    if (const auto* const text = std::get_if<std::string_view>(&cell)) return *text;
    return {};
}

// A column that is named twice would be lost.
void require_unique(std::span<const std::string> columns) {
    for (size_t i = 0; i < columns.size(); ++i)
        for (size_t j = 0; j < i; ++j)
            if (columns[i] == columns[j])
                throw RequestError(fmt::format("two columns of the result are called {}", columns[i]),
                                   "name one of them: AS");
}

void print_json(const query::Database& database, const std::string& sql, bool in_lines, Session& session) {
    std::vector<std::string> names;
    Json rows = Json::array();
    database.run(
        sql, {},
        [&](std::span<const std::string> columns) {
            require_unique(columns);
            names.assign(columns.begin(), columns.end());
        },
        [&](query::Row row) {
            Json object = Json::object();
            for (size_t i = 0; i < row.size(); ++i) object[names[i]] = json_of(row[i]);
            if (in_lines)
                session.out.write(as_line(object) + "\n");
            else
                rows.push_back(std::move(object));
        });
    if (!in_lines)
        session.out.write(as_document(
            Json{{"schema", "opcat.query.v1"}, {"columns", std::move(names)}, {"rows", std::move(rows)}}));
}

// RFC 4180.
std::string csv_cell(std::string_view text) {
    if (text.find_first_of("\",\r\n") == text.npos) return std::string(text);
    return '"' + replace_all(std::string(text), "\"", "\"\"") + '"';
}

// As code, so that nothing of a catalog is live.
std::string markdown_cell(std::string_view text) {
    if (text.empty()) return {};
    return '`' + replace_all(replace_all(escape_controls(on_one_line(text)), "`", "'"), "|", "\\|") + '`';
}

// A form in which a row is a line of texts.
struct LineForm {
    std::string_view begin, between, end;
    std::string (*cell)(std::string_view text);

    std::string line(std::span<const std::string> texts) const {
        std::string line(begin);
        for (const std::string& text : texts) {
            if (&text != texts.data()) line += between;
            line += cell(text);
        }
        return line.append(end);
    }
};

void print_lines(const query::Database& database, const std::string& sql, Form output, Session& session) {
    const LineForm form = output == Form::csv        ? LineForm{"", ",", "\r\n", csv_cell}
                          : output == Form::markdown ? LineForm{"| ", " | ", " |\n", markdown_cell}
                                                     : LineForm{"", "\t", "\n", escape_controls};
    std::string table; // is aligned when it is whole
    const auto write = [&](const std::string& line) {
        if (output == Form::table)
            table += line;
        else
            session.out.write(line);
    };
    database.run(
        sql, {},
        [&](std::span<const std::string> columns) {
            write(form.line(columns));
            if (output != Form::markdown) return;
            std::string rule = "|";
            for (size_t i = 0; i < columns.size(); ++i) rule += "---|";
            write(rule + "\n");
        },
        [&](query::Row row) {
            std::vector<std::string> texts;
            for (const query::Cell& cell : row) texts.push_back(text_of(cell));
            write(form.line(texts));
        });
    if (output == Form::table) session.out.write(align_table(table, 0, EmptyColumns::kept));
}

// ---- the command

std::string description_of_tables() {
    std::string text;
    for (const query::Table& table : query::tables()) {
        text += fmt::format("-- {}\nCREATE TABLE {} (\n", table.meaning, table.name);
        for (const query::Column& column : table.columns) {
            const bool is_last = &column == &table.columns.back();
            const std::string field =
                fmt::format("    {} {}{}", column.name, column.type, is_last ? "" : ",");
            text +=
                column.meaning.empty() ? field + "\n" : fmt::format("{:<32} -- {}\n", field, column.meaning);
        }
        text += ");\n\n";
    }
    text.pop_back();
    return text;
}

// A project's own, and those of opcat whose names they do not take.
struct KnownQueries {
    explicit KnownQueries(const Configuration& configuration) {
        for (const OwnQuery& own : configuration.queries) all.push_back({own.name, own.question, own.sql});
        const size_t of_project = all.size();
        for (const query::NamedQuery& one : query::named_queries())
            if (!find(one.name)) all.push_back(one);
        std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(of_project), all.end());
    }

    const query::NamedQuery* find(std::string_view name) const {
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const query::NamedQuery& one) { return one.name == name; });
        return found == all.end() ? nullptr : &*found;
    }

    std::vector<query::NamedQuery> all; // those of the project last
};

std::string list_of(const KnownQueries& queries) {
    std::string text = "NAME\tQUESTION\n";
    for (const query::NamedQuery& one : queries.all)
        text += fmt::format("{}\t{}\n", one.name, escape_controls(one.question));
    return align_table(text);
}

const query::NamedQuery& query_named(const std::string& name, const KnownQueries& queries) {
    if (const query::NamedQuery* const found = queries.find(name)) return *found;
    std::vector<std::string_view> names;
    for (const query::NamedQuery& one : queries.all) names.push_back(one.name);
    const std::string meant = did_you_mean(name, names);
    throw RequestError(fmt::format("there is no query \"{}\"", escape_controls(name)),
                       meant.empty() ? "`opcat query --list` lists them" : meant);
}

void run(const QueryOptions& options, Session& session) {
    if (options.lists_tables) return session.out.write(description_of_tables());
    std::vector<std::string> words = options.words;
    std::string sql;
    size_t needed = 1;
    if (options.lists_named || !options.named.empty()) {
        const auto configuration = configuration_for(".", {}, session);
        if (!configuration) return;
        const KnownQueries queries(*configuration);
        if (options.lists_named) return session.out.write(list_of(queries));
        const query::NamedQuery& known = query_named(options.named, queries);
        sql = known.sql;
        needed = known.catalogs;
    } else if (options.save.empty()) {
        if (words.size() < 2)
            throw RequestError(words.empty()
                                   ? "neither a catalog nor a statement is given"
                                   : "a catalog and a statement are needed, and there is one of them",
                               "opcat query catalog/ 'SELECT name FROM packages'");
        sql = words.back();
        words.pop_back();
    }
    if (words.empty())
        throw RequestError("no catalog is named", "opcat query catalog/ --named " + options.named);
    if (words.size() < needed)
        throw RequestError(fmt::format("{} compares catalogs, and one is named", options.named),
                           "opcat query old/ new/ --named " + options.named);
    require_apart({{"--save", options.save}}, words);
    require_kind(options.save, "what opcat query saved", query::Database::is_as_saved);
    for (const char* const end : {"-wal", "-journal"}) // which SQLite would add to the new file
        if (std::error_code failed;
            !options.save.empty() && std::filesystem::exists(options.save + end, failed))
            throw RequestError(fmt::format("{} is in use: {}{} is there", options.save, options.save, end),
                               "close the programs that use it, or name another file");
    query::Database database;
    database.execute(query::definitions());
    // Before the catalogs are read: a mistake in the statement is found at once.
    const std::set<query::ColumnUse> uses =
        options.save.empty() ? query::uses_in(database, sql) : query::all_columns();
    const auto catalogs = open_named(words, options.images, session);
    if (!catalogs) return;
    fill(database, *catalogs, uses, session.pool());
    if (!options.save.empty()) return write_output(options.save, database.bytes());
    if (options.output == Form::json || options.output == Form::jsonl)
        print_json(database, sql, options.output == Form::jsonl, session);
    else
        print_lines(database, sql, options.output, session);
}

} // namespace

void add_query(Command tree, Session& session) {
    const Command command = tree.add_command("query", "Ask catalogs questions in SQL");
    auto& options = command.action<QueryOptions>(run, session);
    command.add_option(
        "CATALOG… SQL", options.words,
        "Catalogs, as REF or NAME=REF, and one SELECT (with --named or --save: catalogs only)");
    const Option named = command.add_option("--named QUERY", options.named,
                                            "Ask a question that opcat or .opcat.yaml knows by name");
    command.add_flag("--list", options.lists_named, "List the questions that opcat and .opcat.yaml know");
    command.add_flag("--tables", options.lists_tables, "Show the tables, their columns and what they mean");
    command
        .add_option("--save FILE.db", options.save,
                    "Write all tables to a file of SQLite, for other programs, and ask nothing")
        .excludes(named);
    command
        .add_choice("-o,--output", options.output,
                    {Form::table, Form::json, Form::jsonl, Form::csv, Form::markdown},
                    "table, json, jsonl, csv or markdown")
        .show_default();
    add_image_flags(command, options.images);
    command.footer(
        "Examples:\n"
        "  opcat query catalog/ --named images-without-digest\n"
        "  opcat query catalog/ \"SELECT package, name FROM bundles WHERE min_kube_version >= '1.28'\"\n"
        "  opcat query v4.16=old/ v4.20=new/ --named missing-packages\n"
        "  opcat query catalog/ 'SELECT package, count(*) AS versions FROM bundles GROUP BY 1' -o csv\n"
        "  opcat query catalog/ --save catalog.db\n\n"
        "SQL is SQLite's, and only reads: `opcat query --tables`.");
}

} // namespace opcat
