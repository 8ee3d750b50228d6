// Answers of OLM v1 for programs and for people.
#pragma once

#include "opcat/resolve/v1/explanation.hpp"
#include "opcat/resolve/v1/upgrade_path.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <span>
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

// All that is known about a resolution of the request, to which the report refers; its suggestions and its
// path refer to the catalogs. `to_end`: with the path. It has suggestions if it fails.
ResolveReport report_on(std::string extension, const Request& request, const Resolution& resolution,
                        std::span<const NamedCatalog> catalogs, bool to_end);

// The channels of the request that no available catalog has, in its order. OLM looks for what any of them
// has, so a misspelt one next to others is silent. None if the request has less than two: its answer says so.
std::vector<std::string> unknown_channels(const Request& request, std::span<const NamedCatalog> catalogs);

// How a report is written for people; what its reader can do, in the words of the program, may be empty.
struct ReportForm {
    bool whole = false;                   // every bundle, not only the first few
    std::string for_all_bundles = {};     // "--explain shows all"
    std::string for_another_release = {}; // "--olm-release names another"
};
std::string report_as_text(const ResolveReport& report, const ReportForm& form = {});

// What happens to all installed versions, as a table: a row for each outcome or change.
std::string outcomes_as_text(const std::vector<UpgradeOutcome>& outcomes);
std::string outcomes_as_markdown(const std::vector<UpgradeOutcome>& outcomes);
std::string changes_as_text(const std::vector<OutcomeChange>& changes);
std::string changes_as_markdown(const std::vector<OutcomeChange>& changes);

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
