#include "opcat/lsp/document_findings.hpp"

#include "opcat/compose/plan.hpp"
#include "opcat/filter/selection.hpp"
#include "opcat/lint/configuration.hpp"
#include "opcat/lsp/field_schemas.hpp"
#include "opcat/policy/json_schema.hpp"

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

} // namespace opcat::lsp
