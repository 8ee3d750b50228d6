#include "opcat/base/go_quote.hpp"
#include "opcat/base/pull_spec.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/lint/project_checks.hpp"
#include "opcat/policy/konflux.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace opcat::policy {
namespace {

using Images = std::set<std::string_view>;

bool is_deprecated(const Bundle& bundle) {
    return std::any_of(bundle.properties.begin(), bundle.properties.end(),
                       [](const Property& property) { return property.type == property_type::deprecated; });
}

template <class Wants>
Images related_images_of(const Catalog& catalog, const Wants& wants) {
    Images images;
    for (const Bundle& bundle : catalog.bundles)
        if (wants(bundle) && !is_deprecated(bundle))
            for (const RelatedImage& related : bundle.related_images) images.insert(related.image.text);
    return images;
}

} // namespace

std::vector<std::string> unreleased_related_images(const Catalog& fragment, const Catalog& index) {
    std::set<std::string_view> packages;
    for (const Package& package : fragment.packages) packages.insert(package.name);
    const auto is_in_package = [&](const Bundle& bundle) { return packages.contains(bundle.package); };
    const Images released = related_images_of(index, is_in_package);
    std::vector<std::string> unreleased;
    for (const std::string_view image : related_images_of(fragment, is_in_package))
        if (!released.contains(image)) unreleased.emplace_back(image);
    return unreleased;
}

std::vector<TaskMessage> check_related_images(const Source& fragment,
                                              const std::vector<std::string>& unreleased,
                                              const std::vector<std::string>& registries) {
    std::map<std::string_view, Location> places;
    for (const Bundle& bundle : fragment.catalog().bundles)
        for (const RelatedImage& related : bundle.related_images)
            places.try_emplace(related.image.text, bundle.at(related.image));
    std::vector<std::string> unpinned;
    std::vector<Location> of_unpinned;
    std::vector<TaskMessage> messages;
    const AllowedRegistries allowed(registries);
    for (const std::string& image : unreleased) {
        const auto spec = PullSpec::parse(image);
        const Location place = places[image];
        if (!spec || spec->digest().empty()) {
            unpinned.push_back(image);
            of_unpinned.push_back(place);
        }
        if (!registries.empty() && !allowed.have(image))
            messages.push_back({fmt::format("The {} related image reference is not from an allowed registry.",
                                            go_quote(image)),
                                {place},
                                fmt::format("allowed are {}", fmt::join(registries, ", "))});
    }
    if (!unpinned.empty())
        messages.push_back({fmt::format("{} related images are not pinned with a digest: {}.",
                                        unpinned.size(), fmt::join(unpinned, ", ")),
                            std::move(of_unpinned), "name each image by its digest: NAME@sha256:...", true});
    return messages;
}

} // namespace opcat::policy
