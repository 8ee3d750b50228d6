#include "opcat/pages/presentation.hpp"

#include "opcat/catalog/properties.hpp"
#include "opcat/go/fields.hpp"

#include <string_view>

namespace opcat::pages {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs_of(const Value& spec, std::string_view list, std::string_view first, std::string_view second) {
    Pairs pairs;
    for (const Value& item : items_of(find_field(spec, list)))
        pairs.emplace_back(field_text(item, first), field_text(item, second));
    return pairs;
}

// A ClusterServiceVersion's spec and the property olm.csv.metadata have the same fields, but for
// `annotations`.
Presentation read(const Value& spec, const Value* annotations) {
    Presentation said;
    const auto text = [&](std::string_view field) { return std::string(field_text(spec, field)); };
    said.display_name = text("displayName");
    said.description = text("description");
    said.maturity = text("maturity");
    said.min_kube_version = text("minKubeVersion");
    if (const Value* const provider = find_field(spec, "provider")) {
        said.provider = field_text(*provider, "name");
        said.provider_url = field_text(*provider, "url");
    }
    for (const Value& mode : items_of(find_field(spec, "installModes")))
        if (const Value* const supported = find_field(mode, "supported");
            supported && supported->is_boolean() && supported->boolean())
            said.install_modes.emplace_back(field_text(mode, "type"));
    for (const Value& keyword : items_of(find_field(spec, "keywords")))
        said.keywords.emplace_back(keyword.string_or_empty());
    said.links = pairs_of(spec, "links", "name", "url");
    said.maintainers = pairs_of(spec, "maintainers", "name", "email");
    if (!annotations) return said;
    const auto annotation = [&](std::string_view key) {
        const Value* const value = annotations->find(key);
        return std::string(value ? value->string_or_empty() : std::string_view());
    };
    said.summary = annotation("description");
    said.capabilities = annotation("capabilities");
    said.categories = annotation("categories");
    said.repository = annotation("repository");
    return said;
}

} // namespace

Presentation presentation_of(const Bundle& bundle) {
    if (const auto csv = csv_among_objects(bundle)) {
        const Value* const spec = find_field(csv->value, "spec", csv->route());
        const Value* const metadata = find_field(csv->value, "metadata", csv->route());
        return read(spec ? *spec : Value::of_null(),
                    metadata ? find_field(*metadata, "annotations", csv->route()) : nullptr);
    }
    for (const Property& property : bundle.properties)
        if (property.type == property_type::csv_metadata && property.value)
            return read(*property.value, find_field(*property.value, "annotations"));
    return {};
}

} // namespace opcat::pages
