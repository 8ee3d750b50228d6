// Makes items of the images of a plan.
#pragma once

#include "opcat/image/image_stores.hpp"
#include "opcat/mirror/item.hpp"
#include "opcat/mirror/plan.hpp"
#include "opcat/mirror/release_signatures.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace opcat {

// `stores` must outlive the items; `before`: what the target, a directory, has; `signatures`: of releases, by
// their names at home. Throws Error.
std::vector<MirrorItem> planned_items(const MirrorPlan& plan, image::ImageStores& stores,
                                      std::span<const image::IndexEntry> before,
                                      const std::map<std::string, SignatureData>& signatures);

} // namespace opcat
