#include "template/package_metadata.hpp"

#include "catalog/bundle_object.hpp"
#include "document/go_keys.hpp"
#include "support/base64.hpp"

namespace opcat {
namespace {

// Strings of a value that goes away.
std::string_view keep(const Value* value, Arena& arena) {
    return value ? arena.copy(value->string_or_empty()) : std::string_view();
}

const Value* find_path(const Value& root, std::string_view first, std::string_view second) {
    const Value* const value = find_field(root, first);
    return value ? find_field(*value, second) : nullptr;
}

void describe_from(Package& package, const Value& csv, Arena& arena) {
    package.description.text = keep(find_path(csv, "spec", "description"), arena);
    const Value* const icons = find_path(csv, "spec", "icon");
    if (!icons || !icons->is_array() || icons->items().empty()) return;
    const Value& icon = icons->items().front();
    const Value* const data = find_field(icon, "base64data");
    const auto bytes = data ? decode_base64(data->string_or_empty()) : std::nullopt;
    if (!bytes || bytes->empty()) return;
    package.icon = Icon{arena.copy(encode_base64(*bytes)), keep(find_field(icon, "mediatype"), arena)};
}

} // namespace

void describe_package(Package& package, const Bundle& bundle, Arena& arena) {
    if (const auto csv = csv_among_objects(bundle)) describe_from(package, csv->value, arena);
}

} // namespace opcat
