// The parts of `opcat plan`.
#pragma once

#include "cluster_flags.hpp"
#include "commands/resolve.hpp"
#include "form.hpp"
#include "opcat/planning/operator_names.hpp"
#include "sharding.hpp"

#include <optional>
#include <string>
#include <vector>

namespace opcat {

struct PlanFlags {
    std::string cluster_version;
    std::string to;
    std::vector<std::string> catalogs;
    std::vector<std::string> installed;
    std::vector<std::string> cluster;
    bool from_cluster = false;
    ClusterFlags connection;
    OlmGeneration olm = OlmGeneration::classic; // of those that --installed names
    OlmReleaseFlags release;
    bool eus = false;
    std::string at;
    std::optional<Form> format; // nothing: text, or the lines of a fleet
    BatchFlags fleet;
    ImageFlags images;
};

// What --installed, --cluster and --from-cluster say. Reads the version of a live cluster into `version` if
// that is empty. Nothing if manifests have errors, which have been printed.
struct ReadOperators {
    std::vector<std::string> names;                     // still to be looked up
    std::vector<planning::InstalledOperator> operators; // known
    std::optional<olmv1::OlmRelease> release;           // of a live cluster's OLM v1
};
std::optional<ReadOperators> read_operators(const PlanFlags& flags, std::string& version, Session& session);

} // namespace opcat
