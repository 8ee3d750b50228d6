#include "opcat/mirror/incomplete.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/pull_spec.hpp"

#include <algorithm>
#include <string_view>

namespace opcat {

std::unordered_set<const Bundle*> bundles_that_need(const std::set<std::string>& images,
                                                    const Catalog& catalog) {
    const auto is_one = [&](std::string_view image) {
        if (images.contains(std::string(image))) return true;
        const auto spec = PullSpec::parse(image);
        return spec && images.contains(spec->to_string());
    };
    std::unordered_set<const Bundle*> found;
    for (const Bundle& bundle : catalog.bundles)
        if (is_one(bundle.image) ||
            std::any_of(bundle.related_images.begin(), bundle.related_images.end(),
                        [&](const RelatedImage& related) { return is_one(related.image); }))
            found.insert(&bundle);
    return found;
}

RestOfCatalog rest_of(const Catalog& catalog, const std::unordered_set<const Bundle*>& without,
                      ThreadPool& pool) {
    RestOfCatalog result;
    try {
        result.rest = without_bundles(catalog, without, pool);
        if (!result.rest.diagnostics.empty())
            result.why_not = "is not valid (" + result.rest.diagnostics.front().message + ")";
        else if (result.rest.report.kept.empty())
            result.why_not = "has no bundle left";
    } catch (const RequestError&) {
        result.why_not = "has no bundle left"; // of a package, or a channel, that must keep one
    }
    return result;
}

} // namespace opcat
