// A cluster with its catalogs, made in a test.
#pragma once

#include "../load_text.hpp"
#include "opcat/resolve/classic/explain.hpp"
#include "opcat/resolve/classic/plan.hpp"
#include "opcat/resolve/classic/preflight.hpp"
#include "opcat/resolve/classic/resolve.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

namespace opcat::classic {

// The namespace is "ns", with an OperatorGroup; catalogs are in "olm", which every namespace sees.
class World {
public:
    World() { manifests(group("ns", "group")); }

    // A catalog of this name in namespace olm, with its CatalogSource; the blobs are given as YAML.
    void catalog(const std::string& name, std::string_view yaml, int64_t priority = 0) {
        LoadedCatalog loaded = load_text(yaml, name + ".yaml");
        for (const Diagnostic& d : loaded.diagnostics) FAIL_CHECK(d.message);
        const CatalogKey key{"olm", name};
        available_.push_back(served_catalog(key, Source(name, std::move(loaded))));
        CatalogSource source;
        source.ns = key.ns;
        source.name = key.name;
        source.priority = priority;
        cluster.catalog_sources.push_back(std::move(source));
    }

    void manifests(std::string_view yaml) {
        Diagnostics findings;
        read_manifests(std::make_shared<SourceFile>("cluster.yaml", yaml), cluster, findings);
        for (const Diagnostic& d : findings) FAIL_CHECK(d.message);
    }

    static std::string group(std::string_view ns, std::string_view name, std::string_view more = {}) {
        return fmt::format("---\napiVersion: operators.coreos.com/v1\nkind: OperatorGroup\n"
                           "metadata: {{namespace: {}, name: {}}}\n{}\n",
                           ns, name, more);
    }

    // Of the same name as its package. `installed`: the CSV that it owns.
    void subscription(std::string_view package, std::string_view channel, std::string_view installed = {},
                      std::string_view catalog_name = "main", std::string_view starting_csv = {}) {
        manifests(fmt::format("---\napiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\n"
                              "metadata: {{namespace: ns, name: {0}}}\n"
                              "spec: {{name: {0}, channel: {1}, source: {2}, sourceNamespace: olm, "
                              "startingCSV: \"{3}\"}}\n"
                              "status: {{installedCSV: \"{4}\", currentCSV: \"{4}\"}}\n",
                              package, channel, catalog_name, starting_csv, installed));
    }

    // `properties` as a JSON list.
    void installed(std::string_view name, std::string_view version, std::string_view properties = "[]",
                   std::string_view more = {}) {
        manifests(fmt::format("---\napiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n"
                              "metadata:\n  namespace: ns\n  name: {}\n  annotations:\n"
                              "    operatorframework.io/properties: '{{\"properties\":{}}}'\n"
                              "spec: {{version: {}}}\nstatus: {{phase: Succeeded}}\n{}",
                              name, properties, version, more));
    }

    Request request() const { return {"ns", "olm", &cluster, available_}; }

    // The new bundles, by name, or the error.
    std::string answer() const {
        const Resolution resolution = resolve(request());
        if (!resolution.error.empty()) return resolution.error;
        std::string names;
        for (const ResolvedOperator& resolved : resolution.operators)
            names += (names.empty() ? "" : " ") + std::string(resolved.entry->name);
        return names;
    }

    // Why nothing can be installed, and the changes after which it can: a line each.
    std::string reasons() const {
        std::string text;
        for (const Sentence& sentence : explain_failure(resolve(request()))) text += sentence.text + "\n";
        return text;
    }
    std::string changes() const {
        const Request asked = request();
        std::string text;
        for (const std::string& change : suggest_changes(asked, resolve(asked))) text += change + "\n";
        return text;
    }

    // With the label of catalogs that a command takes from a flag.
    Diagnostics findings() const { return predict(request(), {.catalog = "--catalog"}).findings; }

    ClusterState cluster;

private:
    std::vector<AvailableCatalog> available_;
};

inline std::string package_yaml(std::string_view package, std::string_view default_channel) {
    return fmt::format("---\nschema: olm.package\nname: {}\ndefaultChannel: {}\n", package, default_channel);
}

// Entries as a list in flow style: "{name: foo.v1}, {name: foo.v2, replaces: foo.v1}".
inline std::string channel_yaml(std::string_view package, std::string_view channel,
                                std::string_view entries) {
    return fmt::format("---\nschema: olm.channel\npackage: {}\nname: {}\nentries: [{}]\n", package, channel,
                       entries);
}

// `properties` as more items of a list in flow style: ", {type: …, value: …}".
inline std::string bundle_yaml(std::string_view package, std::string_view name, std::string_view version,
                               std::string_view properties = {}) {
    return fmt::format(
        "---\nschema: olm.bundle\npackage: {0}\nname: {1}\nimage: quay.io/{1}\n"
        "properties: [{{type: olm.package, value: {{packageName: {0}, version: \"{2}\"}}}}{3}]\n",
        package, name, version, properties);
}

// A package of one channel "stable" that has one bundle: "foo.v1", version 1.0.0.
inline std::string operator_yaml(std::string_view package, std::string_view properties = {}) {
    const std::string name = fmt::format("{}.v1", package);
    return package_yaml(package, "stable") + channel_yaml(package, "stable", "{name: " + name + "}") +
           bundle_yaml(package, name, "1.0.0", properties);
}

// Properties about an API of group "example.com", version v1.
inline std::string provides(std::string_view kind) {
    return fmt::format(", {{type: olm.gvk, value: {{group: example.com, version: v1, kind: {}}}}}", kind);
}
inline std::string requires_api(std::string_view kind) {
    return fmt::format(", {{type: olm.gvk.required, value: {{group: example.com, version: v1, kind: {}}}}}",
                       kind);
}
inline std::string requires_package(std::string_view package, std::string_view range) {
    return fmt::format(", {{type: olm.package.required, value: {{packageName: {}, versionRange: \"{}\"}}}}",
                       package, range);
}
// A constraint in flow style: "gvk: {…}".
inline std::string requires_that(std::string_view constraint) {
    return fmt::format(", {{type: olm.constraint, value: {{{}}}}}", constraint);
}

} // namespace opcat::classic
