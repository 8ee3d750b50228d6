// Mirrors and blocked registries: containers-registries.conf(5), version 2.
#pragma once

#include "opcat/base/pull_spec.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace opcat::image {

// A location to pull an image from.
struct Endpoint {
    PullSpec spec;         // its name there
    bool insecure = false; // plain HTTP and unknown certificates are accepted
    bool is_mirror = false;
};

struct RegistriesConf {
    enum class PullFromMirror { all, digest_only, tag_only };
    struct Mirror {
        std::string location;
        bool insecure = false;
        PullFromMirror use = PullFromMirror::all;
    };
    struct Registry {
        std::string prefix;   // "quay.io", "quay.io/org", "quay.io/org/repo:tag", "*.example.com"
        std::string location; // in place of the prefix
        bool insecure = false;
        bool blocked = false;
        std::vector<Mirror> mirrors;
    };
    std::vector<Registry> registries;

    // From files and directories, as Options::registries_conf describes. Throws Error with the file and the
    // line.
    static RegistriesConf load(const std::vector<std::filesystem::path>& paths);

    // Returns the places from which to try to pull an image, in this order; never empty. Throws Error if its
    // registry is blocked.
    std::vector<Endpoint> endpoints(const PullSpec& spec) const;
    // Returns the place to which to push it: its own name. Throws Error if its registry is blocked.
    Endpoint push_endpoint(const PullSpec& spec) const;

private:
    const Registry* find(const std::string& name, size_t& covered) const;
};

} // namespace opcat::image
