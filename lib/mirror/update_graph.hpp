// Update graphs of OpenShift, as the update service (Cincinnati) answers: releases, and which updates lead
// from one to another.
#pragma once

#include "opcat/image/options.hpp"
#include "opcat/semver/version.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat {

struct UpdateGraph {
    struct Release {
        semver::Version version;
        std::string image;
    };
    std::vector<Release> releases;
    std::vector<std::vector<size_t>> updates; // of each release, to the newest first
    bool names_channel = false;               // a release says that it belongs to the channel
    bool is_assumed = false; // nothing says that it is of the channel, neither a release nor its place

    // The releases of a channel; those that do not name their channels belong to each. Throws Error, with the
    // reason.
    static UpdateGraph parse(std::string_view json, const std::string& channel);

    std::optional<size_t> find(const semver::Version& version) const;
    // The oldest and the newest release. Not for an empty graph.
    const semver::Version& least() const;
    const semver::Version& most() const;
    // The fewest updates from one to another, both included; nothing if none lead there.
    std::vector<size_t> shortest_path(size_t from, size_t to) const;
};

// Where graphs are: the URL of an update service; a directory with ARCHITECTURE-CHANNEL.json, as oc-mirror
// keeps them; or a file with one graph for all.
class UpdateGraphs {
public:
    UpdateGraphs(std::string place, image::Options options);

    // Throws Error.
    const UpdateGraph& get(const std::string& architecture, const std::string& channel);

private:
    std::string read(const std::string& architecture, const std::string& channel) const;

    std::string place_;
    image::Options options_;
    std::map<std::pair<std::string, std::string>, std::unique_ptr<const UpdateGraph>> known_;
};

} // namespace opcat
