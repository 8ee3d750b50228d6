// Compares the bundles of OLM classic's plans with a cluster: their contents, the definitions that they
// change and the objects of these, and the account that installs them.
#pragma once

#include "opcat/cluster/prediction.hpp"

#include <cstddef>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::cluster {

// The account that the OperatorGroup of a namespace names for OLM classic; without a name OLM uses its own.
struct InstallingAccount {
    std::string group; // the OperatorGroup
    std::string name = {};
};

// Adds what it finds to a prediction; all that the constructor takes must outlive it. Of a long path only the
// first bundles are compared: each is an image to pull.
class BundleComparison {
public:
    BundleComparison(const Kubectl& kubectl, const CatalogAccess& access, std::string ns,
                     InstallingAccount account, ClassicPrediction& prediction)
        : kubectl_(kubectl), access_(access), ns_(std::move(ns)), account_(std::move(account)),
          prediction_(prediction) {}

    // Returns true if the account does not exist: OLM classic then installs nothing in the namespace.
    bool lacks_account();
    // The bundles of the next plan; `cluster` is the state before it. Each plan changes the definitions for
    // the next.
    void check(const classic::Plan& plan, const classic::ClusterState& cluster);
    // Begins again with the first plan.
    void forget();

private:
    using Contents = std::vector<std::pair<const classic::ResolvedOperator*, BundleContent>>;

    void note_unread(const classic::ResolvedOperator& resolved, const Error& error);
    void add_definitions(const Contents& contents);
    void read_definitions(const Contents& contents);
    BundleOutcome outcome_of(const BundleContent& content, const classic::Entry& entry,
                             bool is_first_step) const;
    void check_contents(const BundleContent& content, const BundleOutcome& outcome, bool all_read);
    void check_account(const BundleContent& content);
    void check_definition(const Object& wanted, const classic::ResolvedOperator& resolved,
                          const classic::ClusterState& cluster);
    void warn_of_pruning(const Object& wanted, std::string_view csv);

    const Kubectl& kubectl_;
    const CatalogAccess& access_;
    std::string ns_;
    InstallingAccount account_;
    ClassicPrediction& prediction_;
    std::optional<admission::ServedApis> served_;          // and what the bundles so far bring
    std::map<std::string, Object> definitions_;            // as they are at this step
    std::exception_ptr definitions_failure_;               // why others are not known
    std::map<std::string, std::vector<Object>> instances_; // by the name of their definition
    size_t checked_bundles_ = 0;
};

} // namespace opcat::cluster
