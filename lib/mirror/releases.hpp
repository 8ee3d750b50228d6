// Releases of OpenShift: which ones mirror.platform of an ImageSetConfiguration selects of the update graphs,
// by the rules of oc-mirror v2 (internal/pkg/release), and what a release consists of.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/mirror/plan.hpp"
#include "opcat/mirror/update_graph.hpp"
#include "opcat/semver/version.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct ReleaseChannel {
    std::string name; // "stable-4.16"
    bool is_okd = false;
    std::optional<semver::Version> least;
    std::optional<semver::Version> most;
    bool shortest_path = false;
    bool full = false;
};

// mirror.platform.
struct ReleaseRequest {
    std::vector<ReleaseChannel> channels;
    std::vector<std::string> architectures; // "amd64"; never empty
    Platforms platforms;                    // with "multi": of the images of releases
    std::optional<PullSpec> release;        // in place of the channels
    bool graph = false;                     // and the image of an update service

    bool selects_releases() const { return !channels.empty() || release; }
    bool empty() const { return !selects_releases() && !graph; }
};

struct SelectedRelease {
    std::string image;
    std::string version; // empty: that of `release`, which its image knows
    std::string architecture;
};

struct SelectedReleases {
    std::vector<SelectedRelease> releases; // sorted by image, each once
    std::vector<std::string> warnings;
};

// The graph of a channel for an architecture. Throws Error.
using GetUpdateGraph =
    std::function<const UpdateGraph&(const std::string& architecture, const std::string& channel)>;

// Throws Error if a graph is missing, or lacks a version where a path begins or ends, and if nothing is
// selected.
SelectedReleases select_releases(const ReleaseRequest& request, const GetUpdateGraph& graph);

// What the file release-manifests/image-references of a release image says.
struct ReleaseContent {
    std::string version;                           // may be empty
    std::map<std::string, std::string> components; // images by the component's name
    // Throws Error.
    static ReleaseContent parse(std::string_view image_references);
};

// The names that oc-mirror v2 gives to images of releases in a mirror. `version` is "4.16.1".
MirrorName release_name_of_oc_mirror(const std::string& version, const std::string& architecture);
MirrorName component_name_of_oc_mirror(const MirrorName& release, const std::string& component);

} // namespace opcat
