// The way of installed operators along the minor versions of OpenShift: which steps are made where, what
// blocks, and in which order.
#pragma once

#include "opcat/planning/bundle_facts.hpp"
#include "opcat/planning/request.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::planning {

struct PlanStep {
    enum class Kind : uint8_t {
        upgrade,
        switch_channel, // `to` is the channel
        stop_automatic, // upgrades by themselves end: OLM classic waits for approvals, OLM v1 has a version
    };
    Kind kind = Kind::upgrade;
    std::string from; // a bundle, or a channel; empty: not known
    std::string to;
    std::string version;              // of the bundle
    std::string channel;              // that is subscribed to; empty: none is named
    std::vector<std::string> reasons; // the edges, or why a channel is left
    bool by_itself = false;           // OLM makes it without anybody
    const Bundle* bundle = nullptr;   // of an upgrade
    const PackageGraph* package = nullptr;
};
std::string_view to_string(PlanStep::Kind kind);

// A reason why an operator, as it arrived, cannot go on to the next minor version.
struct Obstacle {
    enum class Kind : uint8_t {
        max,          // olm.maxOpenShiftVersion is lower
        bad_max,      // it cannot be read, which blocks, too
        package_gone, // the next catalog does not have the package
        version_gone, // it has neither the version nor an edge from it
        channel_gone, // the channel does not exist: nothing resolves in its namespace
        no_order,     // OLM classic cannot order the channel
        requirement,  // of an operator on another one
    };
    Kind kind = Kind::max;
    std::string text;
};
std::string_view to_string(Obstacle::Kind kind);

// One operator at one minor version.
struct OperatorStop {
    std::string arrives; // the bundle on arrival, or at the start
    std::string leaves;  // the bundle after all steps here
    std::string leaves_version;
    std::string channel;             // on leaving
    std::vector<PlanStep> steps;     // in their order
    size_t after = 0;                // so many of them OLM makes by itself after arrival
    std::vector<Obstacle> obstacles; // to the next minor version, on arrival; the steps end them
    std::vector<std::string> warnings;
    std::string support; // of what leaves; empty: no lifecycle says so
    // OLM classic: the channel that is subscribed to is not in the catalog, or has no order. Until its first
    // step is made, nothing is resolved in its namespace.
    bool stops_namespace = false;
    std::string waits; // the bundle of an upgrade that would wait for approval and is not needed; empty: none
    const Bundle* arrived = nullptr; // in this version's catalog; nullptr: it is not there
    const PlatformCatalog* catalog = nullptr;
};

enum class Verdict : uint8_t { ok, blocked, unknown };
std::string_view to_string(Verdict verdict);

struct OperatorPlan {
    InstalledOperator installed;
    Verdict verdict = Verdict::unknown;
    std::vector<OperatorStop> stops; // as far as it gets; all of them if the verdict is ok
    Obstacle blocked = {};           // with Verdict::blocked: what nothing ends
    std::string way_out;             // what else can be done, or that there is nothing
    std::string unknown;             // with Verdict::unknown: what is not known
    std::string unknown_hint;
};

// Plans one operator, with no more of the others than these demands. Of all ways that the resolver of its OLM
// takes, the one with the fewest steps by hand, and of these the one with the fewest steps. Upgrades by
// themselves come before upgrades by hand, and ways along supported versions before others. `complete` has
// been called for it.
OperatorPlan plan_operator(const InstalledOperator& installed, std::span<const Stop> stops,
                           const PlanOptions& options, const Demands& demands = {});

struct StepRef {
    size_t operator_index;
    size_t step;
};

// All operators at one minor version. Steps that are not in one of the groups have no place: their operator
// is blocked by a requirement.
struct ClusterStop {
    MinorVersion version;
    std::vector<std::vector<StepRef>> after;  // in order; the steps of a group are one resolution
    std::vector<std::vector<StepRef>> before; // the next minor version, likewise
};

struct ClusterPlan {
    std::vector<Stop> stops;
    std::vector<std::shared_ptr<const OperatorPlan>> operators; // in the order of the question
    std::vector<ClusterStop> order;                             // one for each stop
    Verdict verdict = Verdict::unknown;                         // unknown if there are no operators

    size_t count(Verdict verdict) const;
};

// Puts the steps in an order in which, after each group, everything that an operator requires of another one
// still holds; an operator that does not go far enough for another one is planned again. Where there is none,
// or where nobody knows what fulfils a requirement, the plan of the operator says so. OLM v1 installs nothing
// that requires something.
ClusterPlan put_in_order(std::vector<Stop> stops, std::vector<std::shared_ptr<const OperatorPlan>> operators,
                         const PlanOptions& options, BundleFacts& facts);

// The bundles whose images a mirror needs: for each stop and package what the operators arrive as, if that
// version's catalog has it, and all that they are upgraded to there.
struct NeededBundle {
    const PlatformCatalog* catalog;
    const PackageGraph* package;
    const Bundle* bundle;
    std::string channel; // in which it is
};
std::vector<NeededBundle> bundles_on_the_way(const ClusterPlan& plan);

} // namespace opcat::planning
