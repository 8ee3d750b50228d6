// What OLM classic would do in a namespace of a cluster, foretold from the cluster's own state.
#pragma once

#include "cluster/kubectl.hpp"
#include "cluster/survey.hpp"
#include "commands/resolve_classic.hpp"
#include "commands/resolve_classic_report.hpp"

#include <string>
#include <vector>

namespace opcat {

class Session;

// The state of a namespace, and the catalogs that it sees, as `resolve classic` wants them.
struct ClassicSituation {
    std::string ns;
    std::string global_ns;
    classic::ClusterState cluster;
    // Of each CatalogSource that could be read from here, its image.
    std::vector<std::pair<classic::CatalogKey, std::string>> images;
};

// `added`: objects that are about to be made; one that is there already takes its place.
ClassicSituation classic_situation(const cluster::ClassicObjects& objects, const std::string& ns,
                                   const std::vector<cluster::Json>& added, Session& session);

struct ClassicPrediction {
    bool possible = false;
    std::string impossible;           // why there is none
    std::vector<std::string> remarks; // where it comes from, what it leaves out
    std::vector<std::string> plan;    // sentences: what is installed, what is upgraded
    std::string error;                // why it will fail; empty: it will not
    std::vector<std::string> because;
    std::vector<std::string> try_this;
    std::string target; // the CSV that the Subscription ends at; empty: unknown
};

// For the Subscription of `package` in the situation. Goes on to the end of automatic upgrades.
// `images`: how to pull catalogs.
ClassicPrediction predict_classic(const ClassicSituation& situation, const std::string& package,
                                  const ImageFlags& images, Session& session);

void print(const ClassicPrediction& prediction, const Session& session);

} // namespace opcat
