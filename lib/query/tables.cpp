#include "opcat/query/tables.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace opcat::query {
namespace {

constexpr Column catalog_column = {"catalog", "TEXT", "the catalog's name: v4.16 of v4.16=REF, or REF"};
constexpr Column package_column = {"package", "TEXT", "the package"};
constexpr Column bundle_column = {"bundle", "TEXT", "the bundle's name"};

constexpr Column catalog_columns[] = {
    {"name", "TEXT", "the catalog: v4.16 of v4.16=REF, or REF"},
};
constexpr Column package_columns[] = {
    catalog_column,
    {"name", "TEXT", "the package"},
    {"default_channel", "TEXT", ""},
    {"display_name", "TEXT", "of the default channel's head"},
    {"provider", "TEXT", "of the default channel's head"},
    {"description", "TEXT", "of the package"},
    {"channels", "INTEGER", "how many"},
    {"bundles", "INTEGER", "how many"},
    {"deprecated", "TEXT", "the message, if the package is deprecated"},
    {"file", "TEXT", "where the package is written"},
    {"line", "INTEGER", ""},
};
constexpr Column channel_columns[] = {
    catalog_column,
    package_column,
    {"name", "TEXT", "the channel"},
    {"is_default", "INTEGER", "1 for the default channel"},
    {"head", "TEXT", "the entry that nothing replaces or skips; NULL if there are none or several"},
    {"head_version", "TEXT", ""},
    {"entries", "INTEGER", "how many"},
    {"deprecated", "TEXT", "the message, if the channel is deprecated"},
    {"file", "TEXT", "where the channel is written"},
    {"line", "INTEGER", ""},
};
constexpr Column entry_columns[] = {
    catalog_column,
    package_column,
    {"channel", "TEXT", ""},
    {"name", "TEXT", "the bundle's name"},
    {"version", "TEXT", "of the bundle"},
    {"replaces", "TEXT", ""},
    {"skips", "TEXT", "a JSON list"},
    {"skip_range", "TEXT", ""},
    {"is_head", "INTEGER", "1 for a head of the channel"},
    {"in_chain", "INTEGER", "1 if OLM classic installs it: it is on the way from the head along replaces"},
    {"is_skipped", "INTEGER", "1 if an entry of the channel skips it"},
    {"file", "TEXT", "where the entry is written"},
    {"line", "INTEGER", ""},
};
constexpr Column edge_columns[] = {
    catalog_column,
    package_column,
    {"channel", "TEXT", ""},
    {"kind", "TEXT", "replaces, skips or skipRange"},
    {"from_name", "TEXT", "the bundle that is upgraded"},
    {"from_version", "TEXT", ""},
    {"to_name", "TEXT", "what it is upgraded to"},
    {"to_version", "TEXT", ""},
    {"olm_classic", "INTEGER", "1 if OLM classic may take it"},
    {"olm_v1", "INTEGER", "1 if OLM v1 may take it: the bundle declares no dependency"},
};
constexpr Column bundle_columns[] = {
    catalog_column,
    package_column,
    {"name", "TEXT", "the bundle"},
    {"version", "TEXT", "as it is written"},
    {"major", "INTEGER", ""},
    {"minor", "INTEGER", ""},
    {"patch", "INTEGER", ""},
    {"prerelease", "TEXT", ""},
    {"version_rank", "INTEGER", "order of the versions of its package, the lowest first"},
    {"image", "TEXT", "the pull spec"},
    {"digest", "TEXT", "of the pull spec; NULL for a tag"},
    {"display_name", "TEXT", "of the ClusterServiceVersion, or of olm.csv.metadata"},
    {"provider", "TEXT", ""},
    {"maturity", "TEXT", ""},
    {"capabilities", "TEXT", "Basic Install … Auto Pilot"},
    {"categories", "TEXT", "separated by commas"},
    {"keywords", "TEXT", "separated by commas"},
    {"summary", "TEXT", "one sentence"},
    {"min_kube_version", "TEXT", ""},
    {"max_openshift", "TEXT", "olm.maxOpenShiftVersion"},
    {"deprecated", "TEXT", "the message, if the bundle is deprecated"},
    {"file", "TEXT", "where the bundle is written"},
    {"line", "INTEGER", ""},
};
constexpr Column property_columns[] = {
    catalog_column,
    package_column,
    bundle_column,
    {"type", "TEXT", ""},
    {"value", "TEXT", "JSON: json_extract(value, '$.name') reads it"},
};
constexpr Column api_columns[] = {
    catalog_column,
    package_column,
    bundle_column,
    {"role", "TEXT", "provided or required"},
    {"api_group", "TEXT", ""},
    {"version", "TEXT", ""},
    {"kind", "TEXT", ""},
};
constexpr Column dependency_columns[] = {
    catalog_column,
    package_column,
    bundle_column,
    {"type", "TEXT", "olm.package.required, olm.gvk.required or olm.constraint"},
    {"requires", "TEXT", "the package, or kind.group; NULL for a constraint"},
    {"range", "TEXT", "of versions"},
    {"value", "TEXT", "JSON"},
};
constexpr Column image_columns[] = {
    catalog_column,
    package_column,
    bundle_column,
    {"role", "TEXT", "bundle or related"},
    {"name", "TEXT", "of a related image"},
    {"pull_spec", "TEXT", "as it is written"},
    {"registry", "TEXT", ""},
    {"repository", "TEXT", ""},
    {"tag", "TEXT", ""},
    {"digest", "TEXT", ""},
};
constexpr Column mode_columns[] = {
    catalog_column,
    package_column,
    bundle_column,
    {"mode", "TEXT", "one that it supports: AllNamespaces, OwnNamespace, …"},
};
constexpr Column deprecation_columns[] = {
    catalog_column,
    package_column,
    {"schema", "TEXT", "of the deprecated blob"},
    {"name", "TEXT", "NULL for the package"},
    {"message", "TEXT", ""},
};
constexpr Column lifecycle_columns[] = {
    catalog_column,
    package_column,
    {"version", "TEXT", "the major and the minor version of bundles, such as 1.12"},
    {"phase", "TEXT", "its name; NULL if the version has no phases"},
    {"begins", "TEXT", "its first day, as in 2026-01-31; NULL if it is missing or not a date"},
    {"ends", "TEXT", "its last day"},
    {"openshift", "TEXT",
     "a JSON list of the versions of OpenShift that it is for; NULL if none are declared"},
};
constexpr Column blob_columns[] = {
    catalog_column,
    package_column,
    {"schema", "TEXT", "one that has no table of its own, or lifecycle data as it is written"},
    {"name", "TEXT", ""},
    {"value", "TEXT", "JSON"},
};
constexpr Column finding_columns[] = {
    catalog_column,
    package_column,
    {"rule", "TEXT", "`opcat explain RULE`"},
    {"level", "TEXT", "error, warning or note"},
    {"message", "TEXT", ""},
    {"file", "TEXT", ""},
    {"line", "INTEGER", ""},
};

constexpr Table all_tables[] = {
    {"catalogs", "a row for each catalog, also for one without packages", catalog_columns},
    {"packages", "a row for each package", package_columns},
    {"channels", "a row for each channel", channel_columns},
    {"entries", "a row for each entry of a channel", entry_columns},
    {"edges", "a row for each upgrade that a channel allows", edge_columns},
    {"bundles", "a row for each bundle", bundle_columns},
    {"properties", "a row for each property of a bundle", property_columns},
    {"apis", "a row for each API that a bundle provides or requires", api_columns},
    {"dependencies", "a row for each dependency of a bundle", dependency_columns},
    {"images", "a row for each image of a bundle", image_columns},
    {"install_modes", "a row for each install mode that a bundle supports", mode_columns},
    {"deprecations", "a row for each deprecation", deprecation_columns},
    {"lifecycles", "a row for each phase of a version's lifecycle", lifecycle_columns},
    {"blobs", "a row for each blob of another schema", blob_columns},
    {"findings", "a row for each finding of `opcat validate`", finding_columns},
};

} // namespace

std::span<const Table> tables() {
    return all_tables;
}

const Table* find_table(std::string_view name) {
    const auto* const found = std::find_if(std::begin(all_tables), std::end(all_tables),
                                           [&](const Table& table) { return table.name == name; });
    return found == std::end(all_tables) ? nullptr : found;
}

std::string definitions() {
    std::string sql;
    for (const Table& table : all_tables) {
        sql += fmt::format("CREATE TABLE {} (", table.name);
        for (const Column& column : table.columns)
            sql +=
                fmt::format("{}{} {}", &column == table.columns.data() ? "" : ", ", column.name, column.type);
        sql += ");\n";
    }
    return sql;
}

std::set<ColumnUse> all_columns() {
    std::set<ColumnUse> all;
    for (const Table& table : all_tables)
        for (const Column& column : table.columns)
            all.emplace(std::string(table.name), std::string(column.name));
    return all;
}

std::set<ColumnUse> uses_in(const Database& database, std::string_view sql) {
    try {
        return database.uses_of(sql);
    } catch (const RequestError& error) {
        const std::string_view message = error.what();
        const auto named = [&](std::string_view start) -> std::string_view {
            const size_t at = message.find(start);
            if (at == message.npos) return {};
            const std::string_view name = message.substr(at + start.size());
            return name.substr(name.find('.') == name.npos ? 0 : name.find('.') + 1);
        };
        std::set<std::string_view> known;
        std::string_view wrong = named("no such column: ");
        if (!wrong.empty()) {
            for (const Table& table : all_tables)
                for (const Column& column : table.columns) known.insert(column.name);
        } else if (wrong = named("no such table: "); !wrong.empty()) {
            for (const Table& table : all_tables) known.insert(table.name);
        } else {
            throw;
        }
        const std::vector<std::string_view> names(known.begin(), known.end());
        std::string help = known.contains(wrong) ? std::string() : did_you_mean(wrong, names);
        if (help.empty()) {
            std::vector<std::string_view> tables;
            for (const Table& table : all_tables)
                for (const Column& column : table.columns)
                    if (column.name == wrong) tables.push_back(table.name);
            help = tables.empty() ? "`opcat query --tables` lists the tables and columns"
                                  : fmt::format("it is a column of {}: `opcat query` asks about any table",
                                                listed(tables));
        }
        throw RequestError(error.what(), help);
    }
}

} // namespace opcat::query
