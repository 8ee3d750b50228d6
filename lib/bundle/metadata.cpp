#include "opcat/bundle/metadata.hpp"

#include "opcat/base/text.hpp"
#include "opcat/bundle/manifests.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/document/json_reader.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/encode.hpp"
#include "opcat/go/fields.hpp"

#include <fmt/core.h>

#include <array>

namespace opcat {
namespace {

constexpr std::string_view package_annotation = "operators.operatorframework.io.bundle.package.v1";
constexpr std::string_view channels_annotation = "operators.operatorframework.io.bundle.channels.v1";
constexpr std::string_view default_channel_annotation =
    "operators.operatorframework.io.bundle.channel.default.v1";

std::string field_as_string(const Value& object, std::string_view field) {
    const Value* const found = find_field(object, field);
    return found ? go::text_of_scalar(*found) : std::string();
}

// The text of a JSON value in its file.
std::string_view json_text(const SourceFile& file, const Value& value) {
    Arena scratch;
    Diagnostic ignored;
    uint32_t end = value.offset();
    read_json(file, value.offset(), scratch, end, ignored);
    return file.bytes().substr(value.offset(), end - value.offset());
}

bool is_document_name(std::string_view name) {
    return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

// The field that opm looks for in a file, and the type that the whole file must have.
class Lookup {
public:
    Lookup(std::string_view field, std::string_view type, Diagnostics& diagnostics)
        : field_(field), type_(go::type_named(type)), diagnostics_(diagnostics) {}

    // The field's value if the file has it and has the right type.
    std::optional<Value> in(const DocumentFile& file, Arena& arena) const {
        if (!file.value) return std::nullopt;
        const Value value =
            file.notation == Notation::yaml ? go::with_strings(*file.value, type_, arena) : *file.value;
        const auto route = file.notation == Notation::yaml ? go::Route::map : go::Route::text;
        const Value* const found = find_field(value, field_, route);
        if (!found || found->is_null()) return std::nullopt;
        const auto misfit = go::find_misfit(value, type_, route);
        if (!misfit) return *found;
        diagnostics_.push_back(
            warning("bundle-file", {file.file.get(), misfit->value.offset(), 1},
                    fmt::format("the {} in {} are ignored: {}", field_, file.name, misfit->message())));
        return std::nullopt;
    }

private:
    std::string_view field_;
    const go::Type& type_;
    Diagnostics& diagnostics_;
};

void warn_of_unreadable(const DocumentFile& file, Diagnostics& diagnostics) {
    const Location start{file.file.get(), 0, file.file ? 1U : 0U};
    if (!file.value && is_document_name(file.name))
        diagnostics.push_back(warning("bundle-file", file.problem.where ? file.problem.where : start,
                                      fmt::format("{} is ignored: {}", file.name, file.problem.message),
                                      file.problem.help));
    constexpr std::array<std::string_view, 3> known{"annotations", "dependencies", "properties"};
    if (file.value && is_document_name(file.name) && file.value->is_object() &&
        !file.value->members().empty() && std::ranges::none_of(known, [&](std::string_view key) {
            return find_field(*file.value, key) != nullptr;
        })) {
        const Member& first = file.value->members().front();
        const std::string_view meant = misspelt(first.key.string(), known);
        diagnostics.push_back(warning(
            "bundle-file", {file.file.get(), first.value.offset(), 1},
            fmt::format("{} has neither annotations nor dependencies nor properties: nothing of it counts",
                        file.name),
            meant.empty() ? std::string() : did_you_mean({{meant}})));
    }
    if (!file.value || file.further.empty()) return;
    diagnostics.push_back(warning("bundle-file", start,
                                  fmt::format("of {} only the first document counts{}", file.name,
                                              file.value->is_null() ? ", and it is empty" : ""),
                                  "leave only one document in the file"));
}

} // namespace

std::vector<TypedValue> typed_values(const SourceFile& file, Notation notation, const Value& list,
                                     Arena& arena) {
    std::vector<TypedValue> result;
    const auto route = notation == Notation::yaml ? go::Route::map : go::Route::text;
    for (const Value& item : list.items()) {
        const Value* const type = find_field(item, "type", route);
        TypedValue typed{.type = !type                        ? std::string()
                                 : notation == Notation::yaml ? go::text_of_scalar(*type)
                                                              : std::string(type->string_or_empty()),
                         .json = {},
                         .value = {},
                         .file = &file,
                         .offset = item.offset()};
        if (const Value* const value = find_field(item, "value", route)) {
            typed.value = notation == Notation::yaml ? normalised(*value, arena) : *value;
            typed.json =
                notation == Notation::yaml ? go_json(typed.value) : std::string(json_text(file, *value));
        }
        result.push_back(std::move(typed));
    }
    return result;
}

BundleMetadata read_metadata(const std::vector<DocumentFile>& files, Arena& arena, Diagnostics& diagnostics) {
    BundleMetadata metadata;
    const Lookup annotations("annotations", "BundleAnnotations", diagnostics);
    const Lookup dependencies("dependencies", "BundleDependencies", diagnostics);
    const Lookup properties("properties", "BundleProperties", diagnostics);
    for (const DocumentFile& file : files) {
        warn_of_unreadable(file, diagnostics);
        if (!metadata.annotations) {
            const auto found = annotations.in(file, arena);
            if (found &&
                !(field_as_string(*found, package_annotation) + field_as_string(*found, channels_annotation) +
                  field_as_string(*found, default_channel_annotation))
                     .empty()) {
                metadata.annotations = file.file.get();
                metadata.package = field_as_string(*found, package_annotation);
                for (const Member& member : found->members())
                    if (member.value.is_string())
                        metadata.labels.emplace(member.key.string(), member.value.string());
            }
        }
        if (metadata.dependencies.empty())
            if (const auto found = dependencies.in(file, arena))
                metadata.dependencies = typed_values(*file.file, file.notation, *found, arena);
        if (metadata.properties.empty())
            if (const auto found = properties.in(file, arena))
                metadata.properties = typed_values(*file.file, file.notation, *found, arena);
    }
    return metadata;
}

} // namespace opcat
