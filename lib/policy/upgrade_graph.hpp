// The upgrade graph that operatorcert makes of the bundles of a channel (operator_repo/core.py). An operator
// keeps those of its channels: each check asks for all of them.
#pragma once

#include "opcat/policy/once.hpp"
#include "opcat/policy/operator_repo.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace opcat::policy {

using Bundles = std::vector<const OperatorBundle*>;

// An error that Python raises and a check reports as its own finding.
struct GraphError {
    std::string message;
};

// From each bundle that is replaced to those that replace it.
class Edges {
public:
    void connect(const OperatorBundle* from, const OperatorBundle* to);
    // In the order in which they were connected; nullptr if nothing replaces it.
    const Bundles* from(const OperatorBundle* replaced) const;

private:
    struct Targets {
        Bundles in_order;
        std::set<const OperatorBundle*> known;
    };
    std::map<const OperatorBundle*, Targets> targets_;
};

class ChannelGraph {
public:
    ChannelGraph(const Operator& owner, std::string channel) : owner_(owner), channel_(std::move(channel)) {}

    // In the order of their versions. Throws PythonError.
    const Bundles& bundles() const;
    // Throws GraphError and PythonError.
    const Edges& edges() const;
    // Those that nothing replaces, but the last one. Throws GraphError and PythonError.
    const Bundles& dangling() const;

private:
    const Operator& owner_;
    std::string channel_;
    mutable Once<Bundles> bundles_;
    mutable Once<Edges> edges_;
    mutable Once<Bundles> dangling_;
};

// olm.skipRange; throws PythonError.
PythonValue skip_range_of(const OperatorBundle& bundle);

} // namespace opcat::policy
