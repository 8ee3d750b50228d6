// Answers of OLM v1 for programs.
#pragma once

#include "opcat/resolve/v1/explanation.hpp"
#include "opcat/resolve/v1/upgrade_path.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::olmv1 {

// One request to OLM v1 with its answer and everything that is reported about it.
struct ResolveReport {
    std::string extension; // name of the manifest; empty if the request came from flags
    const Request& request;
    const Resolution& resolution;
    std::vector<CatalogExplanation> explanations;
    std::vector<Suggestion> suggestions;
    std::optional<UpgradePath> path;
    std::optional<InstallVerdict> install = {}; // of a choice

    bool fails() const { return !resolution.choice || (install && !install->refusal.empty()); }
};

// Documents (docs/resolve-json.md): of resolutions, and of what happens to all installed versions; with
// `changes`, of what differs.
std::string reports_as_json(const std::vector<ResolveReport>& reports);
std::string outcomes_as_json(const Request& request, const std::vector<UpgradeOutcome>& outcomes,
                             const std::vector<OutcomeChange>* changes);
std::string_view to_string(UpgradeOutcome::Kind kind);
std::string_view to_string(const OutcomeChange& change);

// Parts of these.
nlohmann::ordered_json choice_json(const Choice& choice);
nlohmann::ordered_json notice_json(const DeprecationNotice& notice, bool with_entries);
// Whether the choice of the request can be installed: the release and feature set, the error or what is not
// known.
nlohmann::ordered_json to_json(const Request& request, const Choice& choice, const InstallVerdict& verdict);

} // namespace opcat::olmv1
