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
#include <memory>

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

class ResultForm {
public:
    explicit ResultForm(Session& session) : session_(session) {}
    ResultForm(const ResultForm&) = delete;
    ResultForm& operator=(const ResultForm&) = delete;
    virtual ~ResultForm() = default;
    virtual void begin(std::span<const std::string> columns) = 0;
    virtual void add(query::Row row) = 0;
    virtual void end() {}

protected:
    Session& session_;
};

class TableForm : public ResultForm {
public:
    using ResultForm::ResultForm;
    void begin(std::span<const std::string> columns) override {
        for (size_t i = 0; i < columns.size(); ++i)
            text_ += (i > 0 ? "\t" : "") + escape_controls(columns[i]);
        text_ += '\n';
    }
    void add(query::Row row) override {
        for (size_t i = 0; i < row.size(); ++i)
            text_ += (i > 0 ? "\t" : "") + escape_controls(text_of(row[i]));
        text_ += '\n';
    }
    void end() override { session_.out.write(align_table(text_, 0, EmptyColumns::kept)); }

private:
    std::string text_;
};

class JsonForm : public ResultForm {
public:
    JsonForm(Session& session, bool in_lines) : ResultForm(session), in_lines_(in_lines) {}
    void begin(std::span<const std::string> columns) override {
        require_unique(columns);
        columns_.assign(columns.begin(), columns.end());
    }
    void add(query::Row row) override {
        Json object = Json::object();
        for (size_t i = 0; i < row.size(); ++i) object[columns_[i]] = json_of(row[i]);
        if (in_lines_)
            session_.out.write(as_line(object) + "\n");
        else
            rows_.push_back(std::move(object));
    }
    void end() override {
        if (in_lines_) return;
        session_.out.write(as_document(
            Json{{"schema", "opcat.query.v1"}, {"columns", columns_}, {"rows", std::move(rows_)}}));
    }

private:
    bool in_lines_;
    std::vector<std::string> columns_;
    Json rows_ = Json::array();
};

// RFC 4180.
class CsvForm : public ResultForm {
public:
    using ResultForm::ResultForm;
    void begin(std::span<const std::string> columns) override {
        std::string line;
        for (size_t i = 0; i < columns.size(); ++i) line += (i > 0 ? "," : "") + quoted(columns[i]);
        session_.out.write(line + "\r\n");
    }
    void add(query::Row row) override {
        std::string line;
        for (size_t i = 0; i < row.size(); ++i) line += (i > 0 ? "," : "") + quoted(text_of(row[i]));
        session_.out.write(line + "\r\n");
    }

private:
    static std::string quoted(const std::string& text) {
        if (text.find_first_of("\",\r\n") == std::string::npos) return text;
        std::string all = "\"";
        for (const char c : text) all += c == '"' ? "\"\"" : std::string(1, c);
        return all + '"';
    }
};

class MarkdownForm : public ResultForm {
public:
    using ResultForm::ResultForm;
    void begin(std::span<const std::string> columns) override {
        std::string titles = "|";
        std::string line = "|";
        for (const std::string& column : columns) {
            titles += " " + cell(column) + " |";
            line += "---|";
        }
        session_.out.write(titles + "\n" + line + "\n");
    }
    void add(query::Row row) override {
        std::string line = "|";
        for (const query::Cell& one : row) line += " " + cell(text_of(one)) + " |";
        session_.out.write(line + "\n");
    }

private:
    // As code, so that nothing of a catalog is live.
    static std::string cell(const std::string& text) {
        if (text.empty()) return {};
        std::string all = "`";
        for (const char c : escape_controls(on_one_line(text)))
            all += c == '`' ? "'" : c == '|' ? "\\|" : std::string(1, c);
        return all + "`";
    }
};

std::unique_ptr<ResultForm> form_of(Form output, Session& session) {
    if (output == Form::json || output == Form::jsonl)
        return std::make_unique<JsonForm>(session, output == Form::jsonl);
    if (output == Form::csv) return std::make_unique<CsvForm>(session);
    if (output == Form::markdown) return std::make_unique<MarkdownForm>(session);
    return std::make_unique<TableForm>(session);
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
    const std::unique_ptr<ResultForm> form = form_of(options.output, session);
    database.run(
        sql, {}, [&](std::span<const std::string> columns) { form->begin(columns); },
        [&](query::Row row) { form->add(row); });
    form->end();
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
