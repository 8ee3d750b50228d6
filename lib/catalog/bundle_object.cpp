#include "catalog/bundle_object.hpp"

#include "document/json_reader.hpp"
#include "document/yaml_reader.hpp"
#include "go/fields.hpp"

namespace opcat {

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
