// Bundles of format registry+v1 as the objects that OLM v1 creates from them (docs/spec/cluster.md, section
// 3.6).
#pragma once

#include "opcat/bundle_checks/outcome.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/cluster/objects.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat::cluster {

// The manifests of a bundle.
struct BundleContent {
    std::vector<Object> csv; // one, or none
    std::vector<Object> crds;
    std::vector<Object> others;
    std::vector<Object> further = {}; // in documents that only OLM v1 reads
    Object written_csv = {};          // the CSV with its keys in the letter case of its file

    std::string name() const;
    std::string version() const;
};

// The same for the rules of what OLM makes of them (bundle_checks/outcome.hpp). `package`: of the bundle.
BundleManifests manifests_of(const BundleContent& content, std::string_view package);

// From the olm.bundle.object properties of a bundle directory or image, and of some catalogs. Without a CSV
// there are none.
BundleContent bundle_content(const Bundle& bundle);

// With all that OLM v1 reads.
BundleContent as_olm_v1_reads(const BundleContent& content);

struct InstallPlace {
    std::string ns;                      // where the operator is installed
    std::vector<std::string> watch = {}; // the namespaces that it watches; empty: all
    bool cert_manager = false;           // whether the cluster has it: webhooks need certificates
};

// The install mode that an operator in `ns` needs to watch these namespaces; none: all.
std::string install_mode(const std::vector<std::string>& watched, const std::string& ns);

// The objects in the order in which they can be applied. Throws Error for a bundle that cannot be installed
// this way: an install mode that it does not support, API services, webhooks without cert-manager, manifests
// of an unexpected shape.
std::vector<Object> render_bundle(const BundleContent& content, const InstallPlace& place);

// The kinds that a bundle may contain in addition to definitions.
bool is_cluster_scoped(std::string_view kind);

// The name of the role for a permission of a CSV, from what it allows: "{base, cut}-{hash}", at most 63
// characters.
std::string rbac_name(const std::string& base, const Json& permission);

} // namespace opcat::cluster
