// The table of `opcat resolve v1 --all-installed`.
#include "base/text.hpp"
#include "resolve.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat {
namespace {

using namespace olmv1;
using Json = nlohmann::ordered_json;

std::string_view name_of(Fate::Kind kind) {
    return kind == Fate::Kind::stays ? "stays" : kind == Fate::Kind::moves ? "moves" : "stuck";
}

std::string_view name_of(const FateChange& change) {
    switch (change.kind) {
    case FateChange::Kind::same:
        return "same";
    case FateChange::Kind::changed:
        return change.is_worse() ? "worse" : "changed";
    case FateChange::Kind::added:
        return "added";
    case FateChange::Kind::removed:
        return "removed";
    }
    return "";
}

std::string version_of(const InstalledBundle& installed) {
    return installed.release && !installed.release->empty()
               ? fmt::format("{} release {}", installed.version, *installed.release)
               : installed.version;
}

// "stays", "moves to a.v2", "stuck".
std::string fate_text(const Fate* fate) {
    if (!fate) return "-";
    if (fate->kind != Fate::Kind::moves) return std::string(name_of(fate->kind));
    return fmt::format("moves to {}", fate->choice->bundle->name());
}

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const std::vector<Fate>& fates) {
    Rows rows = {{"INSTALLED", "VERSION", "WHAT HAPPENS", "WHY"}};
    for (const Fate& fate : fates)
        rows.push_back({fate.installed.name, version_of(fate.installed), fate_text(&fate), fate.why});
    return rows;
}

Rows rows_of(const std::vector<FateChange>& changes) {
    Rows rows = {{"INSTALLED", "VERSION", "BEFORE", "NOW", ""}};
    for (const FateChange& change : changes) {
        const InstalledBundle& installed = (change.after ? change.after : change.before)->installed;
        rows.push_back({installed.name, version_of(installed), fate_text(change.before),
                        fate_text(change.after),
                        change.kind == FateChange::Kind::same ? "" : std::string(name_of(change))});
    }
    return rows;
}

std::string markdown(const Rows& rows) {
    std::string text;
    for (const auto& row : rows) {
        text += "|";
        for (const std::string& cell : row) {
            std::string escaped;
            for (const char c : escape_controls(cell)) {
                if (c == '|' || c == '\\') escaped += '\\';
                escaped += c;
            }
            text += fmt::format(" {} |", escaped);
        }
        text += "\n";
        if (&row != &rows[0]) continue;
        for (size_t i = 0; i < row.size(); ++i) text += "|---";
        text += "|\n";
    }
    return text;
}

Json fate_json(const Fate& fate) {
    Json json = {{"what", name_of(fate.kind)}};
    if (fate.choice)
        json["to"] = {{"bundle", fate.choice->bundle->name()},
                      {"version", fate.choice->version},
                      {"catalog", fate.choice->catalog->name}};
    if (!fate.why.empty()) json["why"] = fate.why;
    return json;
}

Json installed_json(const InstalledBundle& installed) {
    Json json = {{"bundle", installed.name}, {"version", installed.version}};
    if (installed.release) json["release"] = *installed.release;
    return json;
}

std::string as_json(const Request& request, const std::vector<Fate>& fates,
                    const std::vector<FateChange>* changes) {
    Json json = {{"schema", "opcat.resolve-v1-all-installed.v1"},
                 {"package", request.package},
                 {"installed", Json::array()}};
    if (changes) {
        for (const FateChange& change : *changes) {
            Json row = installed_json((change.after ? change.after : change.before)->installed);
            row["change"] = name_of(change);
            if (change.before) row["before"] = fate_json(*change.before);
            if (change.after) row["now"] = fate_json(*change.after);
            json["installed"].push_back(std::move(row));
        }
    } else {
        for (const Fate& fate : fates) {
            Json row = installed_json(fate.installed);
            row.update(fate_json(fate));
            json["installed"].push_back(std::move(row));
        }
    }
    return as_document(json);
}

} // namespace

std::string fates_as(TableFormat format, const Request& request, const std::vector<Fate>& fates,
                     const std::vector<Fate>* before) {
    std::vector<FateChange> changes;
    if (before) changes = compare(*before, fates);
    if (format == TableFormat::json) return as_json(request, fates, before ? &changes : nullptr);
    const Rows rows = before ? rows_of(changes) : rows_of(fates);
    return format == TableFormat::markdown ? markdown(rows) : aligned(rows);
}

} // namespace opcat
