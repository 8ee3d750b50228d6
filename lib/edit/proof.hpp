// Finds what a change of a catalog means for users of installed versions, before it is written.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/graph/catalog_diff.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace opcat::edit {

class CatalogText;
struct NewText;
struct OtherFiles;

// One consequence that keeps a change from being written.
struct Objection {
    std::string what;   // one sentence in lower case without a full stop
    std::string remedy; // the flag that would make it good; may be empty
};

struct Proof {
    // Users whose way changes: "stable: users of foo.v1.0.0 and foo.v1.1.0 get foo.v1.2.0 (OLM classic in 1
    // or 2 steps, OLM v1 directly)"; with the same steps in both OLMs they are said once.
    std::vector<std::string> effects;
    std::vector<Objection> objections;
    // Effects on users that the verb is meant to have, in words: "channel fast is gone: …".
    std::vector<std::string> accepted;
    // True if all users who had an upgrade path to a head still have one.
    bool leaves_nobody_behind = false;
    // The bundles were not read: their versions are taken from their names, and what else they hold does not
    // count.
    bool trusts_names = false;
    // Why not all is known about users: the channels of a semver template follow from bundles that were not
    // read, or the catalog has errors already. Empty: all is known.
    std::string unknown;
    // True if that is because of errors, and the change is one of channels or packages: what it does to users
    // may be bad.
    bool hides_ways = false;

    // Returns true if the change is not to be written, unless the user insists.
    bool refuses() const { return !objections.empty() || hides_ways; }
};

// The regressions that verbs are meant to make.
inline constexpr RegressionKind meant_by_retract[] = {RegressionKind::deprecated, RegressionKind::skipped};
inline constexpr RegressionKind meant_by_remove[] = {RegressionKind::removed,
                                                     RegressionKind::default_channel}; // --default-channel
inline constexpr RegressionKind meant_by_deprecate[] = {RegressionKind::deprecated};
inline constexpr RegressionKind meant_by_rename[] = {RegressionKind::removed, RegressionKind::default_channel,
                                                     RegressionKind::deprecated}; // as it was
inline constexpr RegressionKind meant_by_default_channel[] = {RegressionKind::default_channel};
inline constexpr RegressionKind meant_by_image[] = {RegressionKind::rewritten};

// Compares both OLMs' steps for every installed version of every channel, and the new errors of opm, in the
// packages whose documents change; errors that the whole catalog has already make the proof unknown. Each
// document is parsed once. `after` has the new text of each of the catalog's texts; `others` are of the
// catalog, too, and stay as they are. `open_template` makes a catalog of a template. `intended` are the
// regressions that the change is meant to be. Near-linear.
Proof prove(const CatalogText& catalog, std::span<const NewText> after, const OtherFiles& others,
            const std::function<void(LoadedCatalog&)>& open_template,
            std::span<const RegressionKind> intended, ThreadPool& pool);

} // namespace opcat::edit
