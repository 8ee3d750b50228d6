#include "opcat/cluster/bundle_comparison.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/account_rights.hpp"
#include "opcat/cluster/dry_run.hpp"
#include "opcat/kube/crd.hpp"
#include "opcat/resolve/classic/preflight.hpp"

#include <fmt/core.h>

#include <functional>
#include <set>

namespace opcat::cluster {
namespace {

constexpr size_t most_checked_bundles = 10;

} // namespace

void BundleComparison::forget() {
    definitions_.clear();
    checked_bundles_ = 0;
}

// Compares the bundles with the cluster: their contents, and how their definitions differ from its. Each
// step changes the definitions for the next.
void BundleComparison::check(const classic::Plan& plan, const classic::ClusterState& cluster) {
    Contents contents;
    bool all_read = true;
    const bool is_first_step = checked_bundles_ == 0;
    for (const classic::ResolvedOperator* resolved : plan.bundles) {
        const classic::Entry& entry = *resolved->entry;
        if (!entry.bundle || checked_bundles_ >= most_checked_bundles) {
            all_read = false;
            continue;
        }
        ++checked_bundles_;
        try {
            contents.emplace_back(resolved, content_of(*entry.bundle, access_));
        } catch (const Error& error) {
            all_read = false;
            note_unread(*resolved, error);
        }
    }
    add_definitions(contents);
    std::vector<BundleOutcome> outcomes(contents.size());
    std::vector<std::function<void()>> questions{[&] { read_definitions(contents); }};
    for (size_t i = 0; i < contents.size(); ++i)
        questions.emplace_back([&, i] {
            outcomes[i] = outcome_of(contents[i].second, *contents[i].first->entry, is_first_step);
        });
    kubectl_.together(questions);
    for (size_t i = 0; i < contents.size(); ++i) {
        const auto& [resolved, content] = contents[i];
        if (!prediction_.error.empty()) return;
        check_contents(content, outcomes[i], all_read);
        try {
            check_account(content);
            for (const Object& wanted : content.crds) check_definition(wanted, *resolved, cluster);
        } catch (const Error& error) {
            if (!resolved->replaces.empty())
                prediction_.add_remark(
                    fmt::format("what {} changes of CustomResourceDefinitions is not known: {}",
                                resolved->entry->name, error.what()));
        }
    }
}

void BundleComparison::note_unread(const classic::ResolvedOperator& resolved, const Error& error) {
    const std::string_view name = resolved.entry->name;
    if (error.absent() && prediction_.error.empty()) {
        prediction_.error = fmt::format("{} stays at BundleUnpacking: {}", name, error.what());
        prediction_.because.emplace_back("OLM pulls the image of a bundle before it makes an "
                                         "InstallPlan; after ten minutes the Subscription "
                                         "reports BundleUnpackFailed");
    } else if (dynamic_cast<const BrokenBundle*>(&error) && prediction_.error.empty()) {
        prediction_.error = error.what();
    } else {
        prediction_.add_remark(fmt::format("the contents of {} are not checked: {}", name, error.what()));
    }
}

// Definitions that one bundle of a plan brings are there for the others.
void BundleComparison::add_definitions(const Contents& contents) {
    if (!served_) served_.emplace(kubectl_.api_versions());
    for (const auto& [resolved, content] : contents)
        for (const Object& crd : content.crds)
            for (const Fields version : crd.items("spec", "versions"))
                served_->add(crd.text("spec", "group"), version.text("name"),
                             crd.text("spec", "names", "kind"));
}

// The cluster's definitions and their objects, of all bundles of a plan together.
void BundleComparison::read_definitions(const Contents& contents) {
    std::map<std::string, Object> missing;
    for (const auto& [resolved, content] : contents)
        for (const Object& crd : content.crds)
            if (!definitions_.contains(crd.name)) missing.emplace(crd.name, crd_reference(crd.name));
    std::vector<Object> references;
    references.reserve(missing.size());
    for (const auto& [name, reference] : missing) references.push_back(reference);
    try {
        const std::vector<Object> existing = kubectl_.existing(references);
        std::vector<std::vector<Object>> instances(existing.size());
        std::vector<std::function<void()>> questions;
        for (size_t i = 0; i < existing.size(); ++i)
            questions.emplace_back(
                [&, i] { instances[i] = kubectl_.list(existing[i].name, Scope::everywhere()); });
        kubectl_.together(questions);
        for (const auto& [name, reference] : missing) definitions_[name] = Object();
        for (size_t i = 0; i < existing.size(); ++i) {
            definitions_[existing[i].name] = existing[i];
            instances_[existing[i].name] = std::move(instances[i]);
        }
    } catch (const Error&) {
        definitions_failure_ = std::current_exception();
    }
}

// Predicts the outcome of a bundle by the rules and, at the first step, by the API server, which may answer
// otherwise about later ones.
BundleOutcome BundleComparison::outcome_of(const BundleContent& content, const classic::Entry& entry,
                                           bool is_first_step) const {
    if (content.csv.empty()) return {};
    const BundleManifests bundle = manifests_of(content, entry.package);
    BundleOutcome outcome =
        classic_outcome(bundle, {.served = *served_, .kubernetes_version = {}, .ns = ns_});
    if (!is_first_step) return outcome;
    try {
        decide_by_dry_run(kubectl_, {.bundle = bundle, .olm = Olm::classic, .ns = ns_}, outcome);
    } catch (const KubectlError& error) {
        outcome.not_checked.push_back("whether the API server accepts the objects: " +
                                      words_for(error.failure()));
    }
    return outcome;
}

// `all_read`: without some of the plan's bundles nobody knows which definitions they bring.
void BundleComparison::check_contents(const BundleContent& content, const BundleOutcome& outcome,
                                      bool all_read) {
    if (content.csv.empty()) return;
    for (const OutcomeProblem& problem : outcome.problems) {
        if (problem.of_cluster && !all_read) {
            prediction_.add_remark(
                fmt::format("not checked: {}", problem.because.empty() ? problem.message : problem.because));
            continue;
        }
        if (prediction_.error.empty())
            prediction_.error = fmt::format("{}: {}: {}", content.name(), problem.stage, problem.message);
        if (!problem.because.empty()) prediction_.because.push_back(problem.because);
    }
    for (const std::string& what : outcome.not_checked) prediction_.add_remark("not checked: " + what);
}

// Without the account that the OperatorGroup names OLM classic installs nothing in the namespace.
bool BundleComparison::lacks_account() {
    if (account_.name.empty()) return false;
    try {
        if (kubectl_.get(resource::service_accounts, account_.name, Scope::in(ns_))) return false;
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden) throw;
        return false; // then nobody knows
    }
    prediction_.error = fmt::format("namespace {} has no ServiceAccount {}", ns_, account_.name);
    prediction_.because.push_back(
        fmt::format("OperatorGroup {} lets OLM install with this account", account_.group));
    prediction_.try_this.push_back(fmt::format("create ServiceAccount {}/{} with the rights to install, or "
                                               "remove spec.serviceAccountName of OperatorGroup {}",
                                               ns_, account_.name, account_.group));
    return true;
}

// With an OperatorGroup that names an account OLM classic has this one's rights.
void BundleComparison::check_account(const BundleContent& content) {
    if (account_.name.empty() || !prediction_.error.empty()) return;
    const AccountRights rights = rights_of_account(kubectl_, ns_, account_.name, scoped_rights(content, ns_));
    const std::string account = fmt::format("ServiceAccount {}/{}", ns_, account_.name);
    if (!rights.unknown.empty())
        prediction_.add_warning(
            fmt::format("whether {} has all rights to install is not known: {}", account, rights.unknown));
    if (rights.missing.empty()) return;
    prediction_.error = fmt::format("{} lacks rights: {}", account, rights.list());
    prediction_.because.emplace_back("the OperatorGroup of the namespace lets OLM install with this account");
    prediction_.try_this.emplace_back("grant them to the account");
}

void BundleComparison::check_definition(const Object& wanted, const classic::ResolvedOperator& resolved,
                                        const classic::ClusterState& cluster) {
    const std::string& name = wanted.name;
    if (!definitions_.contains(name)) std::rethrow_exception(definitions_failure_);
    Object& current = definitions_[name];
    if (current) {
        std::set<std::string_view> owners{resolved.entry->name};
        if (!resolved.replaces.empty()) owners.insert(resolved.replaces);
        for (const classic::ClusterServiceVersion& csv : cluster.csvs)
            for (const Fields owned : csv.items("spec", "customresourcedefinitions", "owned"))
                if (owned.text("name") == name && !csv.copied) owners.insert(csv.name);
        Diagnostics findings;
        classic::check_crd_upgrade(current, wanted, instances_[name], owners.size(), findings);
        for (const Diagnostic& finding : findings) {
            std::string message = fmt::format("upgrade to {}: {}", resolved.entry->name, finding.message);
            if (finding.severity != Severity::error) {
                prediction_.add_warning(std::move(message));
            } else if (prediction_.error.empty()) {
                prediction_.error = std::move(message);
                if (!finding.help.empty()) prediction_.because.push_back(finding.help);
            }
        }
        warn_of_pruning(wanted, resolved.entry->name);
    }
    current = upgraded_definition(current, wanted);
}

// Nothing else reports it: OLM classic does not compare fields, and the API server drops unknown ones.
void BundleComparison::warn_of_pruning(const Object& wanted, std::string_view csv) {
    const kube::CrdVersions versions = kube::versions_of(wanted);
    size_t count = 0;
    std::string example;
    Work work;
    for (const Object& instance : instances_[wanted.name]) {
        const std::string_view api = instance.text("apiVersion");
        const auto version = versions.find(api.substr(api.find('/') + 1));
        if (version == versions.end() || !version->second.schema) continue;
        const auto lost = kube::pruned_fields(instance.value(), version->second.schema.value(), work, 1);
        if (!lost) {
            prediction_.add_warning(
                fmt::format("upgrade to {}: whether the new {} has all fields of {}, and perhaps "
                            "of others, is not checked: it would take too many steps [limit]",
                            csv, wanted.describe(), instance.describe()));
            break;
        }
        if (lost->empty()) continue;
        ++count;
        if (example.empty()) example = fmt::format("{} of {}", lost->front(), instance.describe());
    }
    if (count > 0)
        prediction_.add_warning(
            fmt::format("upgrade to {}: the new {} does not have all fields that {} have: {} is "
                        "lost, for example",
                        csv, wanted.describe(), counted(count, "custom resource"), example));
}

} // namespace opcat::cluster
