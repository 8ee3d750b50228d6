// The parts of `opcat upgrade`.
#pragma once

#include "catalog_options.hpp"
#include "cluster_flow.hpp"

#include <string>
#include <vector>

namespace opcat {

class Session;

struct UpgradeOptions {
    ClusterFlags cluster;
    FlowFlags flow;
    ImageFlags images; // for the cluster's catalogs
    std::string package;
    std::vector<std::string> channels;
    std::string to;
    bool self_certified = false;
};

void upgrade_classic(const UpgradeOptions& options, const Connection& connection, Session& session);
void upgrade_v1(const UpgradeOptions& options, const Connection& connection, Session& session);

} // namespace opcat
