#include "opcat/lsp/shown_findings.hpp"

#include "opcat/base/text.hpp"
#include "opcat/compose/plan.hpp"
#include "opcat/filter/selection.hpp"
#include "opcat/lint/configuration.hpp"
#include "opcat/lsp/field_schemas.hpp"
#include "opcat/policy/json_schema.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace opcat::lsp {

std::optional<Diagnostics> find_in_document(const SourceFile& file) {
    Diagnostics found;
    switch (document_kind(file.path(), file.bytes()).value_or(DocumentKind::blob)) {
    case DocumentKind::configuration:
        read_configuration(file, std::filesystem::path(file.path()).parent_path(), found);
        break;
    case DocumentKind::filter:
        Selection().add_file(file, found);
        break;
    case DocumentKind::composite: {
        Arena arena;
        read_compose_config(file, arena, found);
        break;
    }
    case DocumentKind::operator_configuration:
        found = policy::check_by_schema(file, policy::ci_schema());
        break;
    case DocumentKind::release_configuration:
        found = policy::check_by_schema(file, policy::release_config_schema());
        break;
    default:
        return std::nullopt;
    }
    return found;
}

Json shown_findings(const std::vector<const Diagnostic*>& findings, size_t most, const PlaceOf& place_of,
                    const DiagnosticForm& form) {
    Json shown = Json::array();
    Diagnostic rest;
    rest.rule = "limit";
    rest.severity = Severity::note;
    rest.count = 0;
    for (const Diagnostic* finding : findings) {
        if (shown.size() < most) {
            if (auto json = to_json(*finding, place_of, form)) shown.push_back(*std::move(json));
            continue;
        }
        if (rest.count == 0) rest.where = finding->where;
        rest.severity = std::min(rest.severity, finding->severity);
        rest.count += finding->count;
    }
    if (rest.count > 0) {
        rest.message = fmt::format("and {} more in this file: `opcat validate` reports them",
                                   counted(rest.count, "finding"));
        if (auto json = to_json(rest, place_of, form)) shown.push_back(*std::move(json));
    }
    return shown;
}

} // namespace opcat::lsp
