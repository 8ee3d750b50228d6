// The revisions of a ClusterExtension under the experimental feature set of OLM v1: ClusterObjectSets, before
// 1.9 ClusterExtensionRevisions (docs/spec/cluster.md, "Revisions").
#pragma once

#include "opcat/cluster/objects.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opcat::cluster {

class Kubectl;

struct Revision {
    struct Phase {
        std::string name;
        size_t objects = 0;
    };
    std::string name;
    int64_t number = 0;        // 0: unknown
    std::string bundle;        // its name; may be empty
    std::string version;       // of the bundle; may be empty
    bool archived = false;     // a later one has replaced it
    bool rolled_out = false;   // once; it may be unavailable since
    std::vector<Phase> phases; // in the order of the rollout; empty: unknown
    std::string phase;         // that it waits in; empty: none, or unknown
    std::string reason;        // of its condition Progressing
    std::string message;       // of the same
    std::string waits_for;     // the objects that are not as they must be, in OLM's words; may be empty

    bool is_rolling_out() const { return !archived && !rolled_out; }
    // It has reached its deadline, is tried again and again, or is blocked.
    bool is_failing() const;
    // "revision shop-2 (1.1.0) waits in phase deploy: Object Deployment…", for people.
    std::string describe() const;
};

// Those of the extension, by their numbers: from `sets`, the objects of all extensions, or if there are none
// of this one, from what its status says of them.
std::vector<Revision> revisions_of(const Object& extension, std::span<const Object> sets);

// Returns true if the status of the extension names revisions, which only the experimental feature set does.
bool has_revisions(const Object& extension);

// The first revision that has not rolled out: until it has, OLM v1 resolves nothing else. Asks the cluster
// only if the extension's status names such a revision. Throws KubectlError.
std::optional<Revision> revision_in_the_way(const Kubectl& kubectl, const Object& extension);

} // namespace opcat::cluster
