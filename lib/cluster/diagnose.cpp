// Why an operator or a catalog makes no progress.
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/plain_set.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace opcat::cluster {
namespace {

class Search {
public:
    Search(const Kubectl& kubectl, const OperatorState& state)
        : kubectl_(kubectl), state_(state), names_{state.name, state.installed, state.next, state.plan} {}

    std::vector<std::string> run() {
        deployments_and_pods();
        if (state_.reason == "unpack-failed" || state_.stage.starts_with("unpacking")) unpack_jobs();
        if (!state_.ns.empty()) events();
        return std::move(causes_);
    }

private:
    std::vector<Object> try_list(std::string_view resources, const Scope& scope,
                                 const std::string& selector = {}) {
        try {
            return kubectl_.list(resources, scope, selector);
        } catch (const KubectlError&) {
            return {};
        }
    }

    void add(std::string cause) {
        if (std::find(causes_.begin(), causes_.end(), cause) == causes_.end())
            causes_.push_back(std::move(cause));
    }

    // Deployments of this operator, and their pods: others of the namespace have other problems.
    void deployments_and_pods() {
        if (state_.ns.empty()) return;
        std::string selector;
        if (state_.olm == Olm::v1) selector = fmt::format("{}={}", owner_name_label, state_.name);
        if (state_.olm == Olm::none) selector = fmt::format("{}={}", set_label, state_.name);
        std::vector<Object> deployments = try_list(resource::deployments, Scope::in(state_.ns), selector);
        if (state_.olm == Olm::classic)
            std::erase_if(deployments, [&](const Object& deployment) {
                const std::string_view owner = deployment.label("olm.owner");
                return owner.empty() || (owner != state_.installed && owner != state_.next);
            });
        for (const Object& deployment : deployments) {
            names_.push_back(deployment.name);
            const Availability availability = availability_of(deployment);
            if (!availability.available) add(availability.words);
        }
        if (deployments.empty()) return;
        for (const Object& pod : try_list(resource::pods, Scope::in(state_.ns)))
            for (const Object& deployment : deployments)
                if (const Fields pods = deployment.at("spec", "selector"); pods && kube::selects(pods, pod))
                    if (std::string trouble = trouble_of_pod(pod); !trouble.empty()) add(std::move(trouble));
    }

    // Returns true if an event concerns the operator: its own objects, those of its Deployments, or the
    // namespace, on which OLM classic reports resolution failures.
    bool is_related(const Object& event) const {
        if (event.text("involvedObject", "kind") == "Namespace") return true;
        const std::string_view name = event.text("involvedObject", "name");
        return std::any_of(names_.begin(), names_.end(), [&](const std::string& mine) {
            return !mine.empty() && name.starts_with(mine) &&
                   (name.size() == mine.size() || name[mine.size()] == '-');
        });
    }

    // The images of the bundles in the InstallPlan; empty if there is none yet.
    std::set<std::string, std::less<>> bundle_images() {
        std::set<std::string, std::less<>> images;
        if (state_.plan.empty()) return images;
        for (const Object& plan : try_list(resource::install_plans, Scope::in(state_.ns)))
            if (plan.name == state_.plan)
                for (const Fields lookup : plan.items("status", "bundleLookups"))
                    images.emplace(lookup.text("path"));
        return images;
    }

    // They run in the namespace of the catalog, next to those for other operators.
    void unpack_jobs() {
        const std::string ns = state_.catalog.substr(0, state_.catalog.find('/'));
        if (ns.empty()) return;
        std::vector<Object> jobs =
            try_list(resource::jobs, Scope::in(ns), "operatorframework.io/bundle-unpack-ref");
        const std::set<std::string, std::less<>> images = bundle_images();
        std::erase_if(jobs, [&](const Object& job) {
            if (job.condition("Complete").is_true()) return true;
            const auto containers = job.items("spec", "template", "spec", "initContainers");
            return !images.empty() && !containers.empty() &&
                   std::none_of(containers.begin(), containers.end(), [&](const Fields& container) {
                       return images.contains(container.text("image"));
                   });
        });
        if (jobs.empty()) return;
        const std::vector<Object> pods = try_list(resource::pods, Scope::in(ns), "job-name");
        for (const Object& job : jobs) {
            const Condition failed = job.condition("Failed");
            if (failed.is_true())
                add(fmt::format("unpack Job {}/{} failed: {}: {}", ns, job.name, failed.reason,
                                failed.message));
            for (const Object& pod : pods)
                if (pod.label("job-name") == job.name)
                    if (std::string trouble = trouble_of_pod(pod); !trouble.empty())
                        add("unpack Job " + job.name + ": " + trouble);
        }
    }

    // The last few warnings without duplicates.
    void events() {
        constexpr size_t most = 4;
        std::vector<Object> all = try_list(resource::events, Scope::in(state_.ns));
        std::erase_if(
            all, [&](const Object& event) { return event.text("type") != "Warning" || !is_related(event); });
        std::stable_sort(all.begin(), all.end(), [](const Object& a, const Object& b) {
            return a.text("lastTimestamp") > b.text("lastTimestamp");
        });
        size_t reported = 0;
        for (const Object& event : all) {
            const std::string_view message = event.text("message");
            if (message.empty() || state_.cause.find(message) != std::string::npos) continue;
            add(fmt::format("event {} on {} {}: {}", event.text("reason"),
                            event.text("involvedObject", "kind"), event.text("involvedObject", "name"),
                            message));
            if (++reported == most) return;
        }
    }

    const Kubectl& kubectl_;
    const OperatorState& state_;
    std::vector<std::string> names_; // of the operator's objects
    std::vector<std::string> causes_;
};

} // namespace

std::vector<std::string> diagnose(const Kubectl& kubectl, const OperatorState& state) {
    return Search(kubectl, state).run();
}

std::vector<std::string> diagnose_catalog(const Kubectl& kubectl, const std::string& ns,
                                          const std::string& name) {
    std::vector<std::string> causes;
    try {
        for (const Object& pod : kubectl.list(resource::pods, Scope::in(ns), "olm.catalogSource=" + name))
            if (std::string trouble = trouble_of_pod(pod); !trouble.empty())
                causes.push_back(std::move(trouble));
    } catch (const KubectlError&) { // NOLINT(bugprone-empty-catch): then there is nothing more to report
    }
    return causes;
}

} // namespace opcat::cluster
