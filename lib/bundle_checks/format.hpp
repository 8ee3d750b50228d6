// The checks of opm and operator-sdk before the content of a bundle: its folders, its annotations and its
// dependencies (operator-registry, ValidateBundleFormat).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/bundle/metadata.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::bundle_checks {

constexpr std::string_view registry_media_type = "registry+v1";
constexpr std::string_view helm_media_type = "helm";

namespace annotation_key {
constexpr std::string_view media_type = "operators.operatorframework.io.bundle.mediatype.v1";
constexpr std::string_view manifests = "operators.operatorframework.io.bundle.manifests.v1";
constexpr std::string_view metadata = "operators.operatorframework.io.bundle.metadata.v1";
constexpr std::string_view package = "operators.operatorframework.io.bundle.package.v1";
constexpr std::string_view channels = "operators.operatorframework.io.bundle.channels.v1";
constexpr std::string_view default_channel = "operators.operatorframework.io.bundle.channel.default.v1";
constexpr std::string_view openshift = "com.redhat.openshift.versions";
} // namespace annotation_key

// Returns true if opm needs this annotation.
bool is_required(std::string_view key);
// The annotation that another key is meant to be; empty if it is not certain, or the key has a meaning.
std::string_view meant_annotation(std::string_view key);
// Returns true if a key is in the domain of the annotations above, and not one of them.
bool is_unknown_of_bundles(std::string_view key);

struct BundleAnnotation {
    std::string_view key, value;
    Location key_at, value_at; // points if they are not written plainly
};

struct Format {
    std::shared_ptr<const void> memory; // memory that the others refer to
    std::string_view media_type;        // by the files in manifests/; empty if there are none
    std::map<std::string_view, BundleAnnotation> annotations; // by key
    std::vector<TypedValue> properties;                       // of metadata/properties.yaml
    std::vector<TypedValue> dependencies;                     // of metadata/dependencies.yaml
    Diagnostics findings;
    // The errors of `opm alpha bundle validate`, word for word. If there are any, it does not look at the
    // content. Without a message: it crashes.
    std::vector<std::string> opm_errors;

    const BundleAnnotation* annotation(std::string_view key) const;
};

// Names in messages begin with `shown`. Throws Error if a folder cannot be read or exceeds the limits
// (docs/limits.md).
Format check_format(const std::filesystem::path& root, const std::filesystem::path& shown);

// A dependency of metadata/dependencies.yaml that opm refuses: its errors, and the finding.
struct DependencyProblem {
    std::vector<std::string> opm_errors;
    Diagnostic finding;
};
std::vector<DependencyProblem> check_dependencies(const std::vector<TypedValue>& dependencies);

} // namespace opcat::bundle_checks
