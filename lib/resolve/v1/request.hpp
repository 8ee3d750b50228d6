// What is asked of the resolver: the fields of a ClusterExtension that it looks at, and what is installed.
#pragma once

#include "kube/labels.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opcat::olmv1 {

using kube::Labels;
using kube::LabelSelector;
using kube::LabelSelectorSpec;

enum class Policy : uint8_t { catalog_provided, self_certified };

struct InstalledBundle {
    std::string name;
    std::string version;
    std::optional<std::string> release; // there only with the gate BundleReleaseSupport
};

// Every member has a default, so that a request names only what it asks for.
struct Request {
    std::string package = {};
    std::string version = {}; // a range in Masterminds' dialect; empty: any
    std::vector<std::string> channels = {};
    std::optional<LabelSelectorSpec> selector = {};
    Policy policy = Policy::catalog_provided;
    std::optional<InstalledBundle> installed = {};
    bool release_support = false; // the feature gate BundleReleaseSupport
};

} // namespace opcat::olmv1
