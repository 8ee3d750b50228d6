// Predicts how OLM handles the contents of a bundle: if it would install them, or where it stops and with
// which words (docs/bundles.md). The rules are those of both OLMs of 2026-07, without a catalog and without a
// cluster: what a cluster decides is assumed.
#pragma once

#include "opcat/admission/served_apis.hpp"
#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/kube/object.hpp"
#include "opcat/resolve/v1/olm_release.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// The manifests of a bundle, each the first document of its file, in the order of the files.
struct BundleManifests {
    kube::Object csv; // of a directory: with texts where its type has texts, which opm makes of numbers
    std::vector<kube::Object> crds;
    std::vector<kube::Object> others;
    std::string package;         // of metadata/annotations.yaml
    std::string unreadable = {}; // why OLM v1 cannot read the metadata; empty: it can
    Location unreadable_at = {};
    std::string folder = {};                // "manifests/crds", which neither OLM reads
    kube::Object written_csv = {};          // as it is written, which is what both OLMs decode
    std::vector<kube::Object> further = {}; // in the other documents of the files, which only OLM v1 reads
};

// From the olm.bundle.object properties of a bundle, which bundle directories, bundle images and some
// catalogs have; the ClusterServiceVersion with its fields in Go's spelling. Without one, that is "nothing".
// Places are not known. Throws Error for a manifest that cannot be read.
BundleManifests manifests_in(const Bundle& bundle);

// The same with all documents of the files and the items of lists, as OLM v1 reads them.
BundleManifests as_olm_v1_reads(const BundleManifests& bundle);

// The cluster that it is installed into.
struct OutcomeConditions {
    // Kubernetes' own APIs of a release; those of OLM are added.
    admission::ServedApis served{admission::newest_known_minor};
    std::string kubernetes_version; // "1.36.0"; empty: unknown, minKubeVersion is not compared
    std::string ns = "default";
    olmv1::OlmRelease olm_v1 = {};
    // OLM v1's install rules, which depend on its release and on the ClusterExtension, have been checked.
    bool install_rules_hold = false;
};

struct OutcomeProblem {
    std::string stage;   // where OLM stops: "InstallPlan Failed"
    std::string message; // OLM's words
    std::string because; // what is wrong, if these words do not say it
    Location where = {};
    bool of_cluster = false;              // another cluster may have what is missing
    std::string_view rule = "v1-objects"; // of OLM v1's problems, in lint/rules.hpp
    size_t prefix = 0;                    // bytes of the message that only name the bundle
    std::string object = {}; // that the API server refuses: "ConfigMap extra"; empty: something else is wrong
};

// Names an object about which the server's dry run may decide otherwise.
std::string object_key(std::string_view kind, std::string_view name);

struct BundleOutcome {
    std::string stage;                    // that it reaches if it succeeds
    std::vector<OutcomeProblem> problems; // in the order in which OLM meets them: it stops at the first
    std::vector<std::string> not_checked;

    bool succeeds() const { return problems.empty(); }
};

// OLM classic, with an OperatorGroup for a mode that the bundle supports.
BundleOutcome classic_outcome(const BundleManifests& bundle, OutcomeConditions conditions);
// OLM v1 with an account that may do everything.
BundleOutcome v1_outcome(const BundleManifests& bundle, OutcomeConditions conditions);

// Parts of the manifests about which an API server has rules that these predictions do not know, for people:
// "the CEL rules of CustomResourceDefinition gizmos.example.com".
std::vector<std::string> unjudged_parts(const BundleManifests& bundle);

// A bundle directory. What prevents its files from being read at all is in `problems`.
struct ReadBundle {
    BundleManifests manifests;
    Diagnostics problems;               // errors; then there are no manifests
    std::shared_ptr<const void> memory; // memory that the others refer to
};
ReadBundle read_manifests(const std::filesystem::path& directory, const std::filesystem::path& shown);

// The message for a minKubeVersion of a ClusterServiceVersion that the server's version does not meet, or
// that is not a full version, as OLM requires; empty if it is met, or if one of the two is unknown (empty).
std::string unmet_min_kube_version(const std::string& csv, const std::string& min_kube_version,
                                   const std::string& server_version,
                                   const char* consequence = "it would stay Pending");

} // namespace opcat
