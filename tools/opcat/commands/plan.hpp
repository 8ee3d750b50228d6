// The parts of `opcat plan`.
#pragma once

#include "cluster_flags.hpp"
#include "commands/resolve.hpp"
#include "form.hpp"
#include "opcat/planning/operator_names.hpp"
#include "opcat/planning/report.hpp"
#include "sharding.hpp"

#include <deque>
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

// The catalogs of --catalog, each loaded once.
class PlanCatalogs {
public:
    PlanCatalogs(const PlanFlags& flags, Session& session);

    // Loads what these minor versions need and is not loaded yet, side by side. False if there are errors,
    // which have been printed.
    bool load(const std::vector<olmv1::MinorVersion>& versions);
    const std::deque<planning::PlatformCatalog>& all() const { return catalogs_; }

private:
    struct Option {
        std::optional<olmv1::MinorVersion> version; // nothing: a pattern for all others
        std::string reference;
    };
    CatalogCache cache_;
    std::vector<Option> options_;
    std::deque<planning::PlatformCatalog> catalogs_; // plans refer to them
    std::vector<olmv1::MinorVersion> loaded_;
};

// What --installed, --cluster and --from-cluster say. Reads the version of a live cluster into `version` if
// that is empty. Nothing if manifests have errors, which have been printed.
struct ReadOperators {
    std::vector<std::string> names;                     // still to be looked up
    std::vector<planning::InstalledOperator> operators; // known
    std::optional<olmv1::OlmRelease> release;           // of a live cluster's OLM v1
};
std::optional<ReadOperators> read_operators(const PlanFlags& flags, std::string& version, Session& session);

planning::PlanOptions plan_options(const PlanFlags& flags);

// `opcat plan --fleet`.
void plan_fleet(const PlanFlags& flags, Session& session);

} // namespace opcat
