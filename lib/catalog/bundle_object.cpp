#include "catalog/bundle_object.hpp"

#include "document/go_bytes.hpp"
#include "document/go_keys.hpp"

namespace opcat {

std::optional<std::string> manifest_in(const Property& property) {
    if (property.type != property_type::bundle_object || !property.value) return std::nullopt;
    const Value* const data = find_field(*property.value, "data");
    return data && !data->is_null() ? go_bytes(*data) : std::nullopt;
}

} // namespace opcat
