// Finds changes in blobs that the model of upgrades does not know: in every field, also unknown ones, each as
// a sentence.
#pragma once

#include "opcat/catalog/catalog.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// All but the default channel, the icon and the description.
void add_package_changes(const Package& before, const Package& after, std::vector<std::string>& details);
// All but the edges of entries, and which entries there are.
void add_channel_changes(const Channel& before, const Channel& after, std::vector<std::string>& details);
// All but the image. Properties are compared by type, those with manifests by the objects in them, related
// images by name.
void add_bundle_changes(const Bundle& before, const Bundle& after, std::vector<std::string>& details);
// Either may be nullptr. `is_elsewhere`: whether the message of an object is compared with the object.
void add_deprecations_changes(
    const Deprecations* before, const Deprecations* after,
    const std::function<bool(std::string_view schema, std::string_view name)>& is_elsewhere,
    std::vector<std::string>& details);

} // namespace opcat
