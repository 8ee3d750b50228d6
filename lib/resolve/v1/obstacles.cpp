#include "opcat/resolve/v1/obstacles.hpp"

#include "opcat/base/text.hpp"
#include "opcat/resolve/v1/request.hpp"

#include <fmt/core.h>

namespace opcat::olmv1 {
namespace {

using kube::Condition;
using kube::Object;

std::string why_stopped(const Object& extension) {
    if (extension.is_terminating()) return "its ClusterExtension is being deleted";
    const Condition progress = extension.condition("Progressing");
    if (progress.reason == "Succeeded") return {};
    if (progress.status == "False" || progress.reason == "Retrying")
        return fmt::format("its ClusterExtension does not go on ({}): {}", progress.reason,
                           on_one_line(progress.message));
    return {};
}

bool is_disabled(const Object& catalog) {
    return catalog.text("spec", "availabilityMode") == "Unavailable";
}

std::string why_not_served(const Object& catalog) {
    const Condition serving = catalog.condition("Serving");
    if (serving.status.empty() || serving.is_true()) return {};
    return fmt::format("ClusterCatalog {} does not serve its content ({}), and OLM v1 resolves "
                       "nothing until it does",
                       catalog.name, serving.reason);
}

// OLM v1 passes over catalogs that somebody has disabled, and resolves nothing as long as one of the others
// does not answer.
std::string why_unresolved(const Object& extension, std::span<const Object> catalogs) {
    const auto selector =
        LabelSelector::compile(kube::selector_in(extension.at("spec", "source", "catalog", "selector")));
    if (!selector) return fmt::format("its selector is not valid: {}", selector.error());
    bool has_catalog = false;
    for (const Object& catalog : catalogs) {
        Labels labels = kube::labels_of(catalog);
        labels[std::string(catalog_name_label)] = catalog.name;
        if (!selector->matches(labels)) continue;
        if (is_disabled(catalog)) continue;
        has_catalog = true;
        if (std::string why = why_not_served(catalog); !why.empty()) return why;
    }
    if (!catalogs.empty() && !has_catalog) return "it selects no ClusterCatalog that is there and available";
    return {};
}

} // namespace

std::string why_unavailable(const Object& catalog) {
    return is_disabled(catalog)
               ? fmt::format("ClusterCatalog {} is disabled (availabilityMode: Unavailable)", catalog.name)
               : why_not_served(catalog);
}

std::string why_held(const Object& extension, std::span<const Object> catalogs) {
    std::string why = why_stopped(extension);
    return why.empty() ? why_unresolved(extension, catalogs) : why;
}

} // namespace opcat::olmv1
