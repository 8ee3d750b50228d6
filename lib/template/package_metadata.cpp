#include "template/package_metadata.hpp"

#include "document/json_reader.hpp"
#include "support/base64.hpp"

namespace opcat {
namespace {

// Strings of a value that goes away.
std::string_view keep(const Value* value, Arena& arena) {
    return value ? arena.copy(value->string_or_empty()) : std::string_view();
}

const Value* find_path(const Value& root, std::string_view first, std::string_view second) {
    const Value* const value = root.find(first);
    return value ? value->find(second) : nullptr;
}

void describe_from(Package& package, const Value& csv, Arena& arena) {
    package.description.text = keep(find_path(csv, "spec", "description"), arena);
    const Value* const icons = find_path(csv, "spec", "icon");
    if (!icons || !icons->is_array() || icons->items().empty()) return;
    const Value& icon = icons->items().front();
    const Value* const data = icon.find("base64data");
    const auto bytes = data ? decode_base64(data->string_or_empty()) : std::nullopt;
    if (!bytes || bytes->empty()) return;
    package.icon = Icon{arena.copy(encode_base64(*bytes)), keep(icon.find("mediatype"), arena)};
}

} // namespace

void describe_package(Package& package, const Bundle& bundle, Arena& arena) {
    for (const Property& property : bundle.properties) {
        if (property.type != property_type::bundle_object || !property.value) continue;
        const Value* const data = property.value->find("data");
        const auto manifest = data ? decode_base64(data->string_or_empty()) : std::nullopt;
        if (!manifest || manifest->find("ClusterServiceVersion") == manifest->npos) continue;
        const SourceFile file("manifest", *manifest);
        Arena scratch;
        Diagnostic problem;
        uint32_t end = 0;
        const auto object = read_json(file, 0, scratch, end, problem);
        if (!object) continue;
        const Value* const kind = object->find("kind");
        if (!kind || kind->string_or_empty() != "ClusterServiceVersion") continue;
        describe_from(package, *object, arena);
        return;
    }
}

} // namespace opcat
