// Common parts of JSON reports about graphs.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/text.hpp"

#include <nlohmann/json.hpp>

namespace opcat {

using Json = nlohmann::ordered_json;

inline Json place_as_json(const Location& where) {
    if (!where) return nullptr;
    const Position at = where.file->position(where.offset);
    return {{"file", where.file->path()}, {"line", at.line}, {"column", at.column}};
}

inline Json finding_as_json(const Diagnostic& finding) {
    Json json = {{"rule", std::string(finding.rule)},
                 {"severity", std::string(to_string(finding.severity))},
                 {"message", finding.message}};
    if (finding.where) json["at"] = place_as_json(finding.where);
    if (!finding.help.empty()) json["help"] = finding.help;
    return json;
}

} // namespace opcat
