// The parts of `opcat resolve`.
#pragma once

#include "catalog_options.hpp"
#include "form.hpp"
#include "olm_release_flags.hpp"
#include "opcat/base/diagnostic.hpp"
#include "opcat/resolve/classic/explain.hpp"
#include "opcat/resolve/classic/operator_groups.hpp"
#include "opcat/resolve/classic/preflight.hpp"
#include "opcat/resolve/v1/explanation.hpp"
#include "opcat/resolve/v1/resolver.hpp"
#include "opcat/resolve/v1/upgrade_path.hpp"
#include "sharding.hpp"

#include <nlohmann/json_fwd.hpp>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace opcat {

class Command;
class Session;
struct Connection;

void add_resolve_v1(Command resolve, Session& session);
void add_resolve_classic(Command resolve, Session& session);
void add_resolve_ocp_upgrade(Command resolve, Session& session);

// Answers the requests in a file of JSON Lines, or on standard input for "-" (docs/resolve-batch.md,
// docs/resolve-classic.md).
void answer_resolve_v1_batch(const BatchFlags& flags, const ImageFlags& images, Session& session);
void answer_resolve_classic_batch(const BatchFlags& flags, const ImageFlags& images, Session& session);

// Catalogs by their REF, each loaded once.
class CatalogCache {
public:
    CatalogCache(Session& session, ImageFlags images) : session_(session), images_(std::move(images)) {}

    // An unreadable catalog is an index with that error, in OLM's words.
    const olmv1::CatalogIndex& index_or_failure(const std::string& reference);

    // The catalogs of `--catalog [NAME=]REF[,priority=N][,labels=KEY=VALUE]…[,unavailable]`, loaded. Nothing
    // if there are errors, which have been printed. Throws RequestError for malformed values and duplicate
    // names; Error, RequestError as open() does.
    std::optional<std::vector<olmv1::NamedCatalog>> load(const std::vector<std::string>& options);

    // References without a name, side by side. Whether they have no errors, which have been printed; if so,
    // index_or_failure() returns them.
    bool load_all(const std::vector<std::string>& references);

private:
    Session& session_;
    ImageFlags images_;
    std::map<std::string, std::unique_ptr<olmv1::CatalogIndex>> indices_;
};

// One request to OLM v1 with its answer and everything that is reported about it.
struct ResolveReport {
    std::string extension; // name of the manifest; empty if the request came from flags
    const olmv1::Request& request;
    const olmv1::Resolution& resolution;
    std::vector<olmv1::CatalogExplanation> explanations;
    std::vector<olmv1::Suggestion> suggestions;
    std::optional<olmv1::UpgradePath> path;
    std::optional<olmv1::InstallVerdict> install = {}; // of a choice

    bool fails() const { return !resolution.choice || (install && !install->refusal.empty()); }
};

// Whether the choice of the request can be installed, for JSON: the release and feature set, the error or
// what is not known.
nlohmann::ordered_json to_json(const olmv1::Request& request, const olmv1::Choice& choice,
                               const olmv1::InstallVerdict& verdict);

// `whole`: every bundle, not only the first few.
std::string report_as_text(const ResolveReport& report, bool whole);
std::string reports_as_json(const std::vector<ResolveReport>& reports);

// The table of --all-installed; with `before`, only the differences.
std::string outcomes_as(Form format, const olmv1::Request& request,
                        const std::vector<olmv1::UpgradeOutcome>& outcomes,
                        const std::vector<olmv1::UpgradeOutcome>* before);

// The result of one classic resolution.
struct ClassicRound {
    const classic::ClusterState* cluster = nullptr;
    classic::Prediction prediction;
    // Only where asked for.
    std::vector<classic::Explanation> choices;
    std::optional<classic::GroupObjects> group;
    // Only of failures.
    std::vector<classic::Sentence> failure;
    std::vector<std::string> suggestions;
};

std::string to_text(const ClassicRound& round);
nlohmann::ordered_json to_json(const ClassicRound& round);
nlohmann::ordered_json to_json(const Diagnostics& findings);

// Lines of cells in columns of equal width, two blanks apart; control characters are escaped.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

} // namespace opcat
