// The parts of `opcat install`.
#pragma once

#include "catalog_options.hpp"
#include "cluster_flow.hpp"

#include <string>
#include <vector>

namespace opcat {

class Session;

struct InstallOptions {
    ClusterFlags cluster;
    FlowFlags flow;
    ImageFlags images; // for the cluster's catalogs
    std::string package;
    std::vector<std::string> channels;
    std::string version;
    std::string catalog;
    std::vector<std::string> watch;
    bool all_namespaces = false;
    std::string approval; // automatic, manual
    bool create_group = false;
    std::string rbac = "derived";
    std::string service_account;
    bool self_certified = false;
};

void install_classic(const InstallOptions& options, const Connection& connection, Session& session);
void install_v1(const InstallOptions& options, const Connection& connection, Session& session);
void install_plain(const InstallOptions& options, const Connection& connection, Session& session);

} // namespace opcat
