#include "opcat/bundle_checks/v1_metadata.hpp"

#include "opcat/document/json_reader.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/encode.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/go/words.hpp"

#include <fmt/core.h>

namespace opcat::bundle_checks {
namespace {

// Reads a file as sigs.k8s.io/yaml does: as JSON, with strings where the type has strings. Nothing, and a
// refusal that begins with `start`, if the file does not fit the type.
std::optional<Value> read_as(const DocumentFile& file, std::string_view type_name, std::string_view start,
                             V1Metadata& metadata, Arena& arena) {
    const auto refuse = [&](Location where, std::string_view reason) {
        metadata.refusal = fmt::format("{}{}", start, reason);
        metadata.where = where;
        return std::nullopt;
    };
    if (file.file->bytes().empty()) return Value();
    if (!file.value) return refuse(file.problem.where, file.problem.message);
    const go::Type& type = go::type_named(type_name);
    const Value value = normalised(go::with_strings(*file.value, type, arena), arena);
    if (value.is_null()) return value;
    if (const auto misfit = go::find_misfit(value, type, go::Route::text))
        return refuse({file.file.get(), misfit->value.offset(), 1}, misfit->message());
    return value;
}

} // namespace

V1Metadata v1_metadata(const DocumentFile* annotations, const DocumentFile* properties, Arena& arena) {
    V1Metadata metadata;
    if (!annotations) {
        metadata.refusal = "open metadata/annotations.yaml: no such file or directory";
        return metadata;
    }
    const auto read = read_as(*annotations, "BundleAnnotations", {}, metadata, arena);
    if (!read) return metadata;
    if (const Value* const fields = find_field(*read, "annotations", go::Route::text))
        metadata.package = field_text(*fields, "operators.operatorframework.io.bundle.package.v1");
    if (properties)
        read_as(*properties, "BundleProperties", "failed to unmarshal metadata/properties.yaml: ", metadata,
                arena);
    return metadata;
}

std::string v1_annotation_refusal(std::string_view text) {
    constexpr std::string_view start = "failed to unmarshal csv.metadata.annotations['olm.properties']: ";
    if (const std::string error = go::json_syntax_error(text); !error.empty())
        return fmt::format("{}{}", start, error);
    const SourceFile file("olm.properties", text);
    Arena arena;
    Diagnostic problem;
    uint32_t end = 0;
    const auto list = read_json(file, 0, arena, end, problem);
    if (!list) return fmt::format("{}{}", start, problem.message);
    const auto misfit =
        go::find_misfit(*list, go::type_named("BundleProperties").only_field(), go::Route::text);
    return misfit ? fmt::format("{}{}", start, misfit->message("the annotation")) : std::string();
}

} // namespace opcat::bundle_checks
