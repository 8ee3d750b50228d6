// The changes from one catalog to its next version, and the regressions: installed versions that are worse
// off.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/work.hpp"
#include "opcat/graph/graph_view.hpp"
#include "opcat/olm/package_graph.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

enum class ChangeKind : uint8_t { added, removed, changed };
std::string_view to_string(ChangeKind kind);

// One difference: "bundle foo.v1.0.0", "channel stable", … with its details.
struct Change {
    ChangeKind kind = ChangeKind::changed;
    std::string subject;
    std::vector<std::string> details; // its changes, a sentence each
};

struct PackageChanges {
    std::string_view package; // empty: blobs without one
    ChangeKind kind = ChangeKind::changed;
    // Changes of the package, then of channels, bundles, deprecations and other blobs.
    std::vector<Change> changes;
};

// Violated guarantees of a new catalog (docs/spec/catalog-format.md), and other surprises for users.
enum class RegressionKind : uint8_t {
    unservable,      // opm refuses the new catalog as a whole, and took the old one
    stranded,        // an installed version has lost its upgrade path to the head of its channel, or was the
                     // head now
    ambiguous,       // an installed version has several next steps and no rule decides between them
    package_removed, // a package was removed
    removed,         // a channel or a bundle was removed, or a bundle from one of its channels
    unmet,           // a bundle requires a version of a package that the catalog does not have, or no longer
    rewritten,       // a released bundle has another image: users who have it installed never get that one
    image_changed,   // a released bundle needs other images
    api_removed,     // a release lacks an API that the one it replaces provides
    crd_narrowed,    // a release has a definition that OLM v1 does not let replace the one before
    default_channel, // a package has another default channel, or none
    skipped,         // new installations can, again or still, get a bundle that is skipped as bad
    z_stream,        // a release does not lead to the newest one of its stream
    deprecated,      // something is newly deprecated
};
// A short name: "stranded", "default-channel", …
std::string_view to_string(RegressionKind kind);
std::span<const RegressionKind> all_regression_kinds();

struct Regression {
    RegressionKind kind;
    std::string_view package;
    std::string_view channel;                // empty: the package as a whole
    std::string message;                     // one sentence in lower case without a full stop
    std::vector<std::string_view> installed; // the affected versions, as names of bundles
    Location where;                          // in the new catalog, or in the old one for removed objects
    bool is_allowed = false;                 // it only concerns channels that DiffOptions allows
};

// Users of old versions who arrive at another version than before.
struct UpgradeChange {
    std::string_view package;
    std::string_view channel;
    std::vector<std::string_view> from; // names of bundles, in the order of the old channel
    std::string_view to;
};

struct CatalogDiff {
    std::vector<PackageChanges> packages; // by name; only those with changes
    std::vector<Regression> regressions;  // by package, channel, kind
    std::vector<UpgradeChange> upgrades;  // by package and channel
    // False for templates whose bundles were not read: then bundles are not compared, or only by their
    // images.
    bool bundles_compared = true;
};

// A version that somebody has installed.
struct InstalledVersion {
    std::string_view package;                      // empty: not known
    std::string_view name;                         // of the bundle; empty: only the version is known
    std::optional<semver::VersionRelease> version; // nothing: unknown
    std::string_view text;                         // as the user wrote it
};

struct DiffOptions {
    // The OLM whose upgrades count for regressions. Nothing: those of both count, and the list of upgrades is
    // that of OLM classic.
    std::optional<OlmGeneration> olm = std::nullopt;
    std::set<std::string, std::less<>> packages = {}; // only these; empty: all
    // Only regressions for these. Nothing: all versions of the old catalog may be installed.
    std::optional<std::vector<InstalledVersion>> installed = std::nullopt;
    std::vector<std::string> allowed_channels = {}; // globs, such as "candidate*"
};

// A catalog, and the graph of it.
struct DiffedCatalog {
    const Catalog& catalog;
    const UpgradeGraph& graph;
};

// All that differs: each field of each blob, also those that are unknown to opcat, and blobs of other
// schemas. Only the order of blobs, entries and properties does not count. Refers to both. Near-linear,
// except that each version of `before` that `after` does not name is compared with all skipRanges.
CatalogDiff diff_catalogs(const DiffedCatalog& before, const DiffedCatalog& after,
                          const DiffOptions& options = {});

// Returns true if a glob matches all of a name: * stands for any text, ? for a character. O(length of both).
bool matches_glob(std::string_view glob, std::string_view name);

// The regressions and upgrades of one package, for diff_catalogs. Either graph may be nullptr: the package
// was added or removed.
void find_regressions(const PackageGraph* before, const PackageGraph* after, const DiffOptions& options,
                      Work& work, CatalogDiff& out);

// APIs and definitions that the successor on an edge lacks or narrows, if the edge is new.
struct EdgeRegression {
    RegressionKind kind;
    std::string_view channel; // empty: of two bundles without channels
    std::string message;
    NodeId from; // in `before` if `from_before`, else in `after`
    bool from_before;
    NodeId to; // in `after`
};
// Definitions take time: each is decoded and parsed.
enum class Definitions : uint8_t { compared, ignored };
std::vector<EdgeRegression> find_api_regressions(const PackageGraph& before, const PackageGraph& after,
                                                 Definitions definitions = Definitions::compared);

} // namespace opcat
