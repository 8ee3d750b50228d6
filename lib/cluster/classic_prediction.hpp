// What OLM classic would do in a namespace of a cluster, predicted from the cluster's own state.
#pragma once

#include "cluster/catalog_content.hpp"
#include "cluster/classic_state.hpp"

#include <string>
#include <vector>

namespace opcat::cluster {

struct ClassicPredictionRequest {
    const ClassicObjects& objects; // of the cluster (read_classic)
    std::string ns;
    std::string package; // whose Subscription matters
    // Objects that are about to be created or changed; they replace those of the same kind and name.
    std::vector<Json> added;
};

struct ClassicPrediction {
    bool possible = false;
    std::string impossible;            // why there is none
    std::vector<std::string> warnings; // about objects of the cluster that could not be read
    std::vector<std::string> remarks;  // where it comes from, what it leaves out
    std::vector<std::string> plan;     // sentences: what is installed, what is upgraded
    std::string error;                 // why it will fail; empty: it will not
    std::vector<std::string> because;
    std::vector<std::string> try_this;
    std::string target; // the CSV that the Subscription ends at; empty: unknown
};

// Goes on to the end of automatic upgrades. A catalog that cannot be read is a remark, or makes the
// prediction impossible.
ClassicPrediction predict_classic(const ClassicPredictionRequest& request, const CatalogAccess& access);

// The namespace whose catalogs all namespaces see. It is a setting of OLM that no object shows: one of the
// usual ones that has some, or else the first that is not `ns`, or else `ns`.
std::string likely_global_namespace(const classic::ClusterState& cluster, const std::string& ns);

} // namespace opcat::cluster
