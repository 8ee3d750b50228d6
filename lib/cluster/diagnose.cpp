#include "cluster/diagnose.hpp"

#include "cluster/plain_set.hpp"
#include "cluster/resources.hpp"
#include "cluster/v1_state.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace opcat::cluster {
namespace {

class Search {
public:
    Search(const Kubectl& kubectl, const OperatorState& state) : kubectl_(kubectl), state_(state) {}

    std::vector<std::string> run() {
        deployments_and_pods();
        if (state_.reason == "unpack-failed" || state_.stage.starts_with("unpacking")) unpack_jobs();
        if (!state_.ns.empty()) events();
        return std::move(causes_);
    }

private:
    std::vector<Json> try_list(std::string_view resources, const Scope& scope,
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

    void deployments_and_pods() {
        if (state_.ns.empty()) return;
        std::string selector;
        if (state_.olm == Olm::v1) selector = fmt::format("{}={}", owner_name_label, state_.name);
        if (state_.olm == Olm::none) selector = fmt::format("{}={}", set_label, state_.name);
        for (const Json& deployment : try_list(resource::deployments, Scope::in(state_.ns), selector)) {
            const Availability availability = availability_of(deployment);
            if (!availability.available) add(availability.words);
        }
        for (const Json& pod : try_list(resource::pods, Scope::in(state_.ns)))
            if (std::string trouble = trouble_of_pod(pod); !trouble.empty()) add(std::move(trouble));
    }

    // They run where the catalog is.
    void unpack_jobs() {
        const std::string ns = state_.catalog.substr(0, state_.catalog.find('/'));
        if (ns.empty()) return;
        for (const Json& job :
             try_list(resource::jobs, Scope::in(ns), "operatorframework.io/bundle-unpack-ref")) {
            const Condition failed = condition(job, "Failed");
            if (failed.is_true())
                add(fmt::format("unpack Job {}/{} failed: {}: {}", ns, name_of(job), failed.reason,
                                failed.message));
            for (const Json& pod : try_list(resource::pods, Scope::in(ns), "job-name=" + name_of(job)))
                if (std::string trouble = trouble_of_pod(pod); !trouble.empty())
                    add("unpack Job " + name_of(job) + ": " + trouble);
        }
    }

    // The last few warnings, each once.
    void events() {
        constexpr size_t most = 4;
        std::vector<Json> all = try_list(resource::events, Scope::in(state_.ns));
        std::erase_if(all, [](const Json& event) { return text(event, {"type"}) != "Warning"; });
        std::stable_sort(all.begin(), all.end(), [](const Json& a, const Json& b) {
            return text(a, {"lastTimestamp"}) > text(b, {"lastTimestamp"});
        });
        size_t told = 0;
        for (const Json& event : all) {
            const std::string message = text(event, {"message"});
            if (message.empty() || state_.cause.find(message) != std::string::npos) continue;
            add(fmt::format("event {} on {} {}: {}", text(event, {"reason"}),
                            text(event, {"involvedObject", "kind"}), text(event, {"involvedObject", "name"}),
                            message));
            if (++told == most) return;
        }
    }

    const Kubectl& kubectl_;
    const OperatorState& state_;
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
        for (const Json& pod : kubectl.list(resource::pods, Scope::in(ns), "olm.catalogSource=" + name))
            if (std::string trouble = trouble_of_pod(pod); !trouble.empty())
                causes.push_back(std::move(trouble));
    } catch (const KubectlError&) { // NOLINT(bugprone-empty-catch): then there is no more to tell
    }
    return causes;
}

} // namespace opcat::cluster
