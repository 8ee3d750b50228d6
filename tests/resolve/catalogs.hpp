// Catalogs made in tests.
#pragma once

#include "../load_text.hpp"
#include "opcat/resolve/v1/resolver.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::olmv1 {

// Catalogs of a cluster; the blobs are given as YAML.
class Cluster {
public:
    NamedCatalog& add(std::string name, std::string_view yaml, int32_t priority = 0) {
        LoadedCatalog loaded = load_text(yaml);
        REQUIRE(loaded.diagnostics.empty());
        const CatalogIndex& index = indices_.emplace_back(std::move(loaded.catalog));
        return catalogs.emplace_back(NamedCatalog{std::move(name), &index, priority, {}, false});
    }
    NamedCatalog& add_broken(std::string name, std::string failure) {
        const CatalogIndex& index = indices_.emplace_back(std::move(failure));
        return catalogs.emplace_back(NamedCatalog{std::move(name), &index, 0, {}, false});
    }

    std::vector<NamedCatalog> catalogs;

private:
    std::deque<CatalogIndex> indices_;
};

// "foo.v1.0.0" of package foo, with version 1.0.0 unless another is given.
inline std::string bundle_yaml(std::string_view package, std::string_view version,
                               std::string_view more = {}) {
    return fmt::format(
        "---\nschema: olm.bundle\npackage: {0}\nname: {0}.v{1}\nimage: quay.io/{0}:v{1}\n"
        "properties:\n- type: olm.package\n  value: {{packageName: {0}, version: \"{1}\"}}\n{2}",
        package, version, more);
}

// Entries as a list in flow style: "{name: foo.v1}, {name: foo.v2, replaces: foo.v1}".
inline std::string channel_yaml(std::string_view package, std::string_view channel,
                                std::string_view entries) {
    return fmt::format("---\nschema: olm.channel\npackage: {}\nname: {}\nentries: [{}]\n", package, channel,
                       entries);
}

inline std::string deprecations_yaml(std::string_view package, std::string_view bundle) {
    return fmt::format(
        "---\nschema: olm.deprecations\npackage: {}\nentries:\n- reference: {{schema: olm.bundle, "
        "name: {}}}\n  message: do not use it\n",
        package, bundle);
}

// The name of the bundle chosen, or the error.
inline std::string answer(const Request& request, const Cluster& cluster) {
    const Resolution resolution = resolve(request, cluster.catalogs);
    return resolution.choice ? std::string(resolution.choice->bundle->name()) : resolution.error;
}

} // namespace opcat::olmv1
