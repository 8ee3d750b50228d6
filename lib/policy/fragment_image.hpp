// Reads what validate-fbc asks about the image of a fragment, from the image itself or from the Dockerfile
// that makes it.
#pragma once

#include "opcat/base/error.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace opcat::policy {

constexpr std::string_view configs_label = "operators.operatorframework.io.index.configs.v1";
constexpr std::string_view versions_label = "com.redhat.fbc.openshift.version";

struct FragmentImage {
    std::string base; // a pull spec, maybe with tag and digest; empty: none is named
    std::map<std::string, std::string> labels = {};
    // Nothing: not known, as from a Dockerfile.
    std::optional<size_t> opm_files = {}; // regular files of this name
    std::optional<bool> has_health_probe = {};
    std::optional<bool> has_catalog = {}; // the directory of the label configs holds something

    // The value of a label; nullptr: there is none.
    const std::string* label(std::string_view name) const;
};

// The last stage of a Dockerfile: its base image, that of the stages that it continues, and its labels.
// Arguments have their defaults. Throws Error for a file without a stage, and for a base image or label that
// only the build knows.
FragmentImage read_dockerfile(std::string_view text, const std::string& name);

// The base image without a tag: "registry.redhat.io/a/b@sha256:…".
std::string base_with_digest(const FragmentImage& image);
// Its registry and repository, which must be an operator registry of OpenShift.
bool has_allowed_base(const FragmentImage& image);
// The versions of OpenShift that the label com.redhat.fbc.openshift.version has, as one text, or the tag of
// the base image; nothing if the label is not a list of versions, or there is no tag.
std::optional<std::string> openshift_of(const FragmentImage& image);

} // namespace opcat::policy
