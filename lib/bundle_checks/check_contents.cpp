#include "opcat/base/pull_spec.hpp"
#include "opcat/base/text.hpp"
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace opcat::bundle_checks {
namespace {

using kube::Fields;

struct DefinedCrd {
    Location where; // its version
    std::string_view name;
    std::string_view plural;
};

// The versions of all definitions. One that is there twice is an error.
std::map<Api, DefinedCrd> defined_crds(const Source& bundle, Diagnostics& out) {
    std::map<Api, DefinedCrd> defined;
    for (const kube::Object& crd : bundle.crds) {
        const auto add = [&](std::string_view version, Location where) {
            const Api key{crd.text("spec", "group"), version, crd.text("spec", "names", "kind")};
            const auto [known, is_new] = defined.emplace(
                key, DefinedCrd{where, crd.text("metadata", "name"), crd.text("spec", "names", "plural")});
            if (!is_new)
                out.push_back(with_note(error("bundle-crd-duplicate", where,
                                              fmt::format("{} is defined twice", key.describe()),
                                              "remove one of the two"),
                                        "the first one is here", known->second.where));
        };
        const auto versions = crd.items("spec", "versions");
        for (const Fields version : versions) add(version.text("name"), place_of(crd, version, "name"));
        if (const Fields only = crd.at("spec", "version"); versions.empty() && only)
            add(crd.text("spec", "version"), place_of(crd, only));
    }
    return defined;
}

void check_owned_crds(const Source& bundle, Diagnostics& out) {
    std::map<Api, DefinedCrd> defined = defined_crds(bundle, out);
    std::set<std::pair<std::string_view, std::string_view>> owned_kinds; // of what is defined, too
    for (const Fields owned : bundle.csv.items("spec", "customresourcedefinitions", "owned")) {
        const std::string_view name = owned.text("name");
        const Api key{name.substr(name.find('.') + 1), owned.text("version"), owned.text("kind")};
        if (const auto found = defined.find(key); found != defined.end()) {
            // OLM and opm look for it by its name. That may be what is wrong, and is reported then.
            const DefinedCrd& crd = found->second;
            if (crd.name != name && name != fmt::format("{}.{}", crd.plural, key.group))
                out.push_back(error(
                    "bundle-crd", place_of(bundle.csv, owned, "name"),
                    fmt::format(
                        "the bundle owns \"{}\", and the CustomResourceDefinition of {} is named \"{}\"",
                        name, key.describe(), crd.name),
                    fmt::format("write {}", crd.name)));
            owned_kinds.emplace(key.group, key.kind);
            defined.erase(found);
        } else {
            out.push_back(error(
                "bundle-crd", place_of(bundle.csv, owned, "name"),
                fmt::format("the bundle owns {}, but has no CustomResourceDefinition of it", key.describe()),
                "add the manifest, or correct group, version and kind"));
        }
    }
    for (const auto& [key, crd] : defined)
        if (!owned_kinds.contains({key.group, key.kind}))
            out.push_back(error("bundle-crd-unowned", crd.where,
                                fmt::format("the ClusterServiceVersion does not own {}", key.describe()),
                                "add it to spec.customresourcedefinitions.owned, or remove the manifest"));
}

// OLM makes these accounts itself, and fails if they are there.
void check_service_accounts(const Source& bundle, Diagnostics& out) {
    std::set<std::string_view> used;
    for (const Fields deployment : bundle.csv.items("spec", "install", "spec", "deployments"))
        used.insert(deployment.text("spec", "template", "spec", "serviceAccountName"));
    for (const kube::Object& object : bundle.objects)
        if (object.text("apiVersion") == "v1" && object.kind() == "ServiceAccount" &&
            used.contains(object.name))
            out.push_back(
                error("bundle-service-account", place_of(object, object, "metadata", "name"),
                      fmt::format("OLM creates the service account {} of the operator itself", object.name),
                      "remove the manifest"));
}

void check_size(const Source& bundle, Diagnostics& out) {
    const uint64_t size = bundle.compressed_size;
    const bool is_too_large = size > largest_bundle;
    if (!is_too_large && size * 100 <= largest_bundle * 85) return;
    out.push_back(
        finding(is_too_large ? Severity::error : Severity::warning, "bundle-size", bundle.csv.where(),
                fmt::format("the bundle has {} when it is compressed, {} the limit of {}", human_size(size),
                            is_too_large ? "more than" : "and is near", human_size(largest_bundle)),
                "shorten descriptions in the CustomResourceDefinitions, or move files elsewhere"));
}

void check_release(const Source& bundle, Diagnostics& out) {
    const Fields& csv = bundle.csv;
    const std::string_view release = csv.text("spec", "release");
    if (release.empty()) return;
    const std::string_view version = csv.text("spec", "version");
    const std::string wanted = fmt::format("{}-v{}-{}", bundle.package, version, release);
    if (bundle.csv.name == wanted) return;
    const Location where = place_of(bundle.csv, csv, "metadata", "name");
    if (kube::subdomain_errors(wanted).empty() && kube::label_value_errors(wanted).empty()) {
        out.push_back(error("bundle-release", where,
                            fmt::format("a bundle with a release is named after it: {}", wanted)));
        return;
    }
    // Then no name is right, and something else must change.
    const size_t build = version.find('+');
    out.push_back(
        error("bundle-release", build == version.npos ? where : place_of(bundle.csv, csv, "spec", "version"),
              fmt::format("a bundle with a release is named after it, but {} cannot be a name", wanted),
              build == version.npos ? "shorten or correct the package, the version or the release"
                                    : fmt::format("remove \"{}\" from the version", version.substr(build))));
}

void check_images(const Source& bundle, Diagnostics& out) {
    for (const Fields related : bundle.csv.items("spec", "relatedImages")) {
        const std::string_view image = related.text("image");
        if (!image.empty() && PullSpec::parse(image)) continue;
        out.push_back(error("image-reference", place_of(bundle.csv, related, "image"),
                            image.empty()
                                ? "a related image is empty"
                                : fmt::format("the related image \"{}\" is not a pull spec", image)));
    }
}

} // namespace

void check_contents(const Source& bundle, Diagnostics& out) {
    check_owned_crds(bundle, out);
    check_service_accounts(bundle, out);
    check_size(bundle, out);
    check_release(bundle, out);
    check_images(bundle, out);
}

} // namespace opcat::bundle_checks
