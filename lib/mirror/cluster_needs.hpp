// The operators of a cluster, their catalogs, and where the cluster pulls images from, by its objects.
#pragma once

#include "opcat/image/registries_conf.hpp"
#include "opcat/kube/object.hpp"

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace opcat {

// A Subscription, a ClusterServiceVersion without one, or a ClusterExtension.
struct ClusterOperator {
    std::string name;                  // "apps/gateway"; of an extension "gateway"
    std::string package;               // empty: unknown
    std::vector<std::string> channels; // none: all
    std::string range;                 // of versions that OLM v1 may install; empty: all
    bool needs_edges = true;           // false: OLM v1 takes any version (SelfCertified)
    bool is_classic = true;
    std::string installed;          // name of its bundle; empty: none is installed yet
    std::string wanted;             // startingCSV, of one that is not installed
    std::string version;            // of the installed one; empty: unknown
    std::set<std::string> catalogs; // images of the catalogs that it may come from
    std::string no_catalog;         // why there are none
    std::set<std::string> images;   // that its ClusterServiceVersion names
};

struct ClusterNeeds {
    std::vector<ClusterOperator> operators;
    image::RegistriesConf mirrors; // of the mirror sets
    bool has_mirror_sets = false;
    bool is_partial = false; // there may be objects that could not be read
};

// Objects as `kubectl get` prints them, in any order.
ClusterNeeds needs_of(std::span<const kube::Object> objects);

} // namespace opcat
