// Why a request has its answer: for every bundle that was not chosen, the reasons against it. And what would
// work instead of a request that fails.
#pragma once

#include "opcat/resolve/v1/resolver.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace opcat::olmv1 {

struct Reason {
    enum class Kind : uint8_t {
        // what rules a bundle out
        not_in_channel,
        unreadable_version, // by a range, or because it cannot be installed
        outside_range,
        no_edge,
        crash,
        // why a candidate is not its catalog's best one
        deprecated,
        lower_version,
        version_not_comparable,
        later_in_catalog,
        // what happened to a catalog's best candidate
        deprecated_elsewhere_not,
        lower_priority,
        ambiguous,
        unsupported_dependency,
        aborted, // an error ended the resolution before the choice
    };
    Kind kind;
    std::string text; // a phrase: "outside the range: 1.2.0 does not satisfy >=2.0.0"
};

struct BundleVerdict {
    const PackageBundle* bundle;
    bool is_candidate;
    std::vector<Reason> reasons; // all that are true; none for the bundle chosen
};

struct CatalogExplanation {
    const CatalogAnswer* answer;
    std::string note; // why no bundle was considered; empty if some were
    // Candidates first, best first; then the others, highest version first.
    std::vector<BundleVerdict> bundles;
};

// One for each catalog of the resolution; none if the request itself is invalid. Refers to the resolution and
// its inputs.
std::vector<CatalogExplanation> explain(const Request& request, const Resolution& resolution);

// Describes the edge from the installed bundle to the chosen one: "replaces a.v1 (channel stable)"; empty if
// there is no edge or nothing is installed.
std::string describe_edge(const Query& query, const Choice& choice);

// The version, or "?" if it is not valid.
std::string version_or_mark(const PackageBundle& bundle, bool release_support);

// A change after which a failing request succeeds. Every suggestion has been tried.
struct Suggestion {
    std::string change;  // what to do: "add channel fast"
    Request request;     // the request changed so
    Choice choice;       // what it resolves to
    std::string remarks; // its consequences, or its risk; may be empty
};

// For a failed resolution, or a choice that OLM v1 does not install; none if nothing helps. Refers to the
// catalogs.
std::vector<Suggestion> suggest(const Request& request, std::span<const NamedCatalog> catalogs,
                                const Resolution& resolution);

} // namespace opcat::olmv1
