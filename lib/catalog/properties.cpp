#include "opcat/catalog/properties.hpp"

#include "opcat/catalog/field_reader.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/members.hpp"
#include "opcat/document/json_reader.hpp"
#include "opcat/document/source_lines.hpp"
#include "opcat/document/yaml_reader.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/go/types/property.hpp"

#include <fmt/core.h>

#include <utility>

namespace opcat {

template <>
struct Members<PackageProperty> {
    static constexpr const auto& type = go::types::property_package;
    static constexpr auto list =
        std::tuple{&PackageProperty::package, &PackageProperty::version, &PackageProperty::release};
};

namespace {

// olm.bundle.object is checked while the bundle is decoded (decode.hpp).
constexpr std::pair<std::string_view, const go::Type*> types_of_values[] = {
    {property_type::package, &go::types::property_package},
    {property_type::package_required, &go::types::package_required},
    {property_type::gvk, &go::types::gvk},
    {property_type::gvk_required, &go::types::gvk},
    {property_type::channel, &go::types::channel_property},
    {property_type::csv_metadata, &go::types::csv_metadata},
};

void check_value(const Bundle& bundle, const Property& property, const go::Type& type, Diagnostics& out) {
    for (const go::Misfit& misfit : go::decode(*property.value, type, {}).misfits) {
        const bool needs_quotes = misfit.wanted->kind == go::Type::Kind::string &&
                                  (misfit.value.is_number() || misfit.value.is_boolean());
        out.push_back(
            error("property-value", bundle.at(misfit.value.offset()), misfit.message(property.type)));
        out.back().explains.blob = property.type == property_type::package && misfit.go_path.empty();
        if (!needs_quotes) continue;
        if (!bundle.file) {
            out.back().help = "put it in quotes";
            continue;
        }
        const TextForm form = misfit.go_path == "version" && property.type == property_type::package
                                  ? TextForm::version
                              : misfit.go_path == "versionRange" ? TextForm::range
                                                                 : TextForm::any;
        const Location word = word_at(*bundle.file, misfit.value.offset());
        out.back().where = word;
        out.back().help = help_to_write(form, word);
        out.back().fix = write_as_text(form, word);
    }
}

} // namespace

const go::Type* type_of_value(std::string_view property_type) {
    for (const auto& [known, type] : types_of_values)
        if (known == property_type) return type;
    return nullptr;
}

void check_properties(const Bundle& bundle, Diagnostics& out) {
    for (const Property& property : bundle.properties) {
        const Location where = property.type.empty() ? bundle.at(property.offset) : bundle.at(property.type);
        if (!property.value) {
            out.push_back(error("property-value", where,
                                fmt::format("a property of type \"{}\" needs a value", property.type.text),
                                "add \"value:\""));
            continue;
        }
        if (property.type.empty())
            out.push_back(warning("property-type", where,
                                  "a property needs a type; without one it has no effect", "add \"type:\""));
        if (const go::Type* const type = type_of_value(property.type))
            check_value(bundle, property, *type, out);
    }
}

std::optional<PackageProperty> package_property(const Bundle& bundle) {
    for (const Property& property : bundle.properties) {
        if (property.type != property_type::package || !property.value || !property.value->is_object())
            continue;
        Diagnostics ignored; // check_properties reports them
        const FieldReader fields(bundle.file, *property.value, property_type::package, ignored);
        PackageProperty found;
        found.property = &property;
        for_each_member<PackageProperty>(
            [&](const go::Field& field, auto member) { found.*member = fields.string(field.name); });
        return found;
    }
    return std::nullopt;
}

std::optional<std::string> manifest_in(const Property& property) {
    if (property.type != property_type::bundle_object || !property.value) return std::nullopt;
    const Value* const data = find_field(*property.value, "data");
    return data && !data->is_null() ? go_bytes(*data) : std::nullopt;
}

std::optional<BundleObject> bundle_object_in(const Property& property) {
    const auto manifest = manifest_in(property);
    if (!manifest) return std::nullopt;
    BundleObject object;
    const auto file = std::make_shared<SourceFile>("olm.bundle.object", *manifest);
    object.file = file;
    object.arena = std::make_shared<Arena>();
    const uint32_t begin = skip_json_space(*file, 0);
    Diagnostic problem;
    std::optional<Value> value;
    if (file->bytes().substr(begin).starts_with('{')) {
        uint32_t end = 0;
        value = read_json(*file, begin, *object.arena, end, problem);
        object.is_json = value && skip_json_space(*file, end) == file->bytes().size();
    }
    if (!object.is_json)
        value = read_yaml(*file, 0, static_cast<uint32_t>(file->bytes().size()), *object.arena, problem);
    if (!value) {
        object.problem = std::move(problem.message);
        return object;
    }
    object.value = *value;
    if (const Value* const kind = object.value.find("kind")) object.kind = kind->string_or_empty();
    return object;
}

std::optional<BundleObject> csv_among_objects(const Bundle& bundle) {
    for (const Property& property : bundle.properties)
        if (auto object = bundle_object_in(property); object && object->is_csv()) return object;
    return std::nullopt;
}

std::optional<std::string> manifest_problem(std::string_view manifest) {
    if (begins_with_brace(manifest)) return std::nullopt;
    const SourceFile file("", manifest);
    Arena arena;
    Diagnostic problem;
    if (read_yaml(file, 0, static_cast<uint32_t>(manifest.size()), arena, problem)) return std::nullopt;
    return problem.message;
}

bool begins_with_brace(std::string_view manifest) {
    const size_t first = manifest.find_first_not_of(" \t\n\v\f\r");
    return first != manifest.npos && manifest[first] == '{';
}

} // namespace opcat
