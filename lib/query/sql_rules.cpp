#include "opcat/query/sql_rules.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/query/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace opcat::query {
namespace {

constexpr uint64_t most_findings = 10'000; // of a rule

std::vector<const OwnRule*> rules_in_sql(std::span<const OwnRule> rules) {
    std::vector<const OwnRule*> found;
    for (const OwnRule& rule : rules)
        if (!rule.program) found.push_back(&rule);
    return found;
}

// Returns the columns that a statement of a configuration reads. Throws RequestError if it is not valid.
std::set<ColumnUse> uses_of_configured(const Database& database, std::string_view sql,
                                       std::string_view origin, std::string_view what) {
    try {
        return uses_in(database, sql);
    } catch (const RequestError& error) {
        throw RequestError(fmt::format("{}: {}: {}", origin, what, error.what()), error.hint());
    }
}

std::set<ColumnUse> uses_of_rule(const Database& database, const OwnRule& rule) {
    return uses_of_configured(database, rule.condition, rule.origin, fmt::format("the rule {}", rule.id));
}

std::string shown(const Cell& cell) {
    if (const auto* const number = std::get_if<int64_t>(&cell)) return std::to_string(*number);
    if (const auto* const fraction = std::get_if<double>(&cell)) return fmt::format("{}", *fraction);
    if (const auto* const text = std::get_if<std::string_view>(&cell)) return on_one_line(*text);
    return "NULL";
}

// Finds the places of packages, channels, bundles and others that rows name.
class RowPlaces {
public:
    explicit RowPlaces(const Catalog& catalog) {
        for (const auto& storage : catalog.storage)
            for (const auto& file : storage->files) files_.emplace(file->path(), file.get());
        const auto add = [&](const auto& blobs, auto& to) {
            for (const Blob& blob : blobs) to.emplace(Key(blob.package, blob.name), &blob);
        };
        for (const Package& package : catalog.packages) packages_.emplace(package.name, &package);
        add(catalog.channels, channels_);
        add(catalog.bundles, bundles_);
    }

    // `row`: its cells by the names of their columns.
    Location of(const std::map<std::string_view, Cell>& row) const {
        const auto text = [&](std::string_view column) {
            const auto cell = row.find(column);
            const auto* const found =
                cell == row.end() ? nullptr : std::get_if<std::string_view>(&cell->second);
            return found ? *found : std::string_view();
        };
        const auto line = row.find("line");
        const auto file = files_.find(text("file"));
        if (file != files_.end() && line != row.end())
            if (const auto* const number = std::get_if<int64_t>(&line->second))
                return begin_of_line(*file->second, *number);
        const std::string_view package = text("package");
        if (const auto bundle = bundles_.find({package, text("bundle")}); bundle != bundles_.end())
            return name_of(*bundle->second);
        if (const auto channel = channels_.find({package, text("channel")}); channel != channels_.end())
            return name_of(*channel->second);
        if (const auto found = packages_.find(package); found != packages_.end())
            return name_of(*found->second);
        return {};
    }

private:
    using Key = std::pair<std::string_view, std::string_view>; // package and name

    static Location name_of(const Blob& blob) { return blob.at(blob.name); }

    static Location begin_of_line(const SourceFile& file, int64_t number) {
        const std::string_view line =
            file.line(static_cast<uint32_t>(std::clamp<int64_t>(number, 1, UINT32_MAX)));
        const size_t indent = std::min(line.find_first_not_of(" -"), line.size());
        return {&file, static_cast<uint32_t>(line.data() + indent - file.bytes().data()), 1};
    }

    std::map<std::string_view, const SourceFile*> files_; // by path
    std::map<std::string_view, const Blob*> packages_;
    std::map<Key, const Blob*> channels_;
    std::map<Key, const Blob*> bundles_;
};

void find_rows(const Database& database, const OwnRule& rule, const Limits& limits, const RowPlaces& places,
               Diagnostics& out) {
    std::vector<std::string> columns;
    database.run(
        rule.condition, limits,
        [&](std::span<const std::string> names) { columns.assign(names.begin(), names.end()); },
        [&](Row row) {
            std::map<std::string_view, Cell> cells;
            std::string text;
            for (size_t i = 0; i < row.size(); ++i) {
                cells.emplace(columns[i], row[i]);
                text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", columns[i], shown(row[i]));
            }
            constexpr size_t longest = 300;
            Diagnostic finding = with_note(warning(rule.id, places.of(cells), rule.message,
                                                   fmt::format("the rule is defined in {}", rule.origin)),
                                           shorten(text, longest));
            finding.distinction = std::move(text);
            out.push_back(std::move(finding));
        });
}

} // namespace

void require_valid(std::span<const OwnRule> rules, std::span<const OwnQuery> queries) {
    const std::vector<const OwnRule*> in_sql = rules_in_sql(rules);
    if (in_sql.empty() && queries.empty()) return;
    Database database;
    database.execute(definitions());
    for (const OwnRule* rule : in_sql) uses_of_rule(database, *rule);
    for (const OwnQuery& query : queries)
        uses_of_configured(database, query.sql, query.origin, fmt::format("the query {}", query.name));
}

Diagnostics find_by_rules(const Source& catalog, std::span<const OwnRule> rules, ThreadPool& pool) {
    const std::vector<const OwnRule*> in_sql = rules_in_sql(rules);
    if (in_sql.empty() || has_errors(catalog.loaded().diagnostics)) return {};
    Database database;
    database.execute(definitions());
    std::set<ColumnUse> uses;
    for (const OwnRule* rule : in_sql) uses.merge(uses_of_rule(database, *rule));
    Diagnostics found;
    const auto stopped = [&](const std::string& what, const Error& error) {
        // The name of the rule says it.
        std::string_view why = error.what();
        if (constexpr std::string_view mark = " [limit]"; why.ends_with(mark)) why.remove_suffix(mark.size());
        found.push_back(opcat::error("limit", {}, fmt::format("{}: {}", what, why), error.hint()));
    };
    try {
        fill(database, {{catalog.name(), catalog}}, uses, pool);
    } catch (const Error& error) {
        stopped("the rules in SQL are not checked", error);
        return found;
    }
    const Limits limits{.instructions = Limits{}.instructions / in_sql.size(), .rows = most_findings};
    const RowPlaces places(catalog.catalog());
    for (const OwnRule* rule : in_sql) {
        try {
            find_rows(database, *rule, limits, places, found);
        } catch (const RequestError& error) {
            found.push_back(
                warning(rule->id, {}, error.what(), fmt::format("the rule is defined in {}", rule->origin)));
        } catch (const Error& error) {
            stopped(fmt::format("the rule {} is not checked to its end", rule->id), error);
        }
    }
    return found;
}

} // namespace opcat::query
