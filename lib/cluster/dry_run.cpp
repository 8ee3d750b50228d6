#include "opcat/cluster/dry_run.hpp"

#include "opcat/cluster/objects.hpp"
#include "opcat/cluster/registry_v1.hpp"
#include "opcat/cluster/state.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat::cluster {
namespace {

constexpr size_t most_single_questions = 50;

// Whether no other question will be answered, either.
bool is_final(FailureKind kind) {
    return kind == FailureKind::unreachable || kind == FailureKind::unauthorized ||
           kind == FailureKind::configuration || kind == FailureKind::program;
}

class DryRun {
public:
    DryRun(const Kubectl& kubectl, Olm olm, const std::string& ns, BundleOutcome& outcome)
        : kubectl_(kubectl), olm_(olm), ns_(ns), outcome_(outcome) {}

    void run(const BundleManifests& bundle) {
        choose_namespace();
        for (const Object& crd : bundle.crds) ask_about(crd);
        for (const Object& other : bundle.others) add_other(other);
        for (const Fields deployment : bundle.csv.items("spec", "install", "spec", "deployments"))
            add_deployment(deployment);
        find_existing();
        ask();
    }

private:
    // In a namespace that does not exist the server checks nothing.
    void choose_namespace() {
        asked_ns_ = ns_;
        try {
            if (kubectl_.get(resource::namespaces, ns_)) return;
            outcome_.not_checked.push_back(
                fmt::format("policies for namespace {}, which does not exist", ns_));
        } catch (const KubectlError& error) {
            if (error.kind() != FailureKind::forbidden) throw;
            return;
        }
        asked_ns_ = "default";
    }

    // What the rules refuse for another reason is not sent.
    bool is_refused_otherwise(const Object& object) const {
        return std::any_of(
            outcome_.problems.begin(), outcome_.problems.end(), [&](const OutcomeProblem& problem) {
                return problem.object.empty() && problem.where && problem.where.file == object.file &&
                       problem.where.offset == object.value().offset();
            });
    }

    void ask_about(Object object) { questions_.push_back(std::move(object)); }

    void add_other(const Object& other) {
        if (is_refused_otherwise(other) || other.name.empty()) return;
        Json json = json_of(other.value());
        if (!json["metadata"].is_object()) return;
        if (!is_cluster_scoped(other.kind())) json["metadata"]["namespace"] = asked_ns_;
        ask_about(object_of(json));
    }

    void add_deployment(const Fields& deployment) {
        Json json = named_object("apps/v1", "Deployment", std::string(deployment.text("name")), asked_ns_);
        if (const Fields labels = deployment.at("label"))
            json["metadata"]["labels"] = json_of(labels.value());
        json["spec"] = deployment.at("spec") ? json_of(deployment.at("spec").value()) : Json::object();
        ask_about(object_of(json));
    }

    // OLM v1 does not take over what others have made. Definitions have rules of their own.
    void find_existing() {
        if (olm_ != Olm::v1 || asked_ns_ != ns_) return;
        std::vector<Object> others;
        for (const Object& object : questions_)
            if (!is_crd(object)) others.push_back(object);
        if (others.empty()) return;
        try {
            for (const Object& object : kubectl_.existing(others))
                if (object.label(owner_name_label).empty()) {
                    const std::string message =
                        fmt::format("{} '{}' already exists in namespace '{}' and cannot be managed by "
                                    "operator-controller",
                                    object.kind(), object.name, object.ns);
                    outcome_.problems.push_back({.stage = "ClusterExtension not installed",
                                                 .message = message,
                                                 .because = {},
                                                 .of_cluster = true});
                }
        } catch (const KubectlError& error) {
            if (is_final(error.kind())) throw;
            outcome_.not_checked.push_back(
                fmt::format("whether objects exist already: {}", words_for(error.failure())));
        }
    }

    void ask() {
        if (questions_.empty()) return;
        try {
            kubectl_.try_apply(questions_, true);
            for (const Object& object : questions_) accept(object);
            return;
        } catch (const KubectlError& error) {
            if (is_final(error.kind())) throw;
        }
        for (size_t i = 0; i < questions_.size(); ++i) {
            if (i == most_single_questions) {
                outcome_.not_checked.push_back(
                    fmt::format("whether the API server accepts {} more objects", questions_.size() - i));
                return;
            }
            ask_one(questions_[i]);
        }
    }

    void ask_one(const Object& object) {
        try {
            kubectl_.try_apply({object}, true);
            accept(object);
        } catch (const KubectlError& error) {
            if (is_final(error.kind())) throw;
            if (error.kind() == FailureKind::invalid)
                refuse(object, error.failure().message);
            else
                outcome_.not_checked.push_back(fmt::format("whether the API server accepts {}: {}",
                                                           object.describe(), words_for(error.failure())));
        }
    }

    void accept(const Object& object) {
        const std::string key = object_key(object.kind(), object.name);
        std::erase_if(outcome_.problems,
                      [&](const OutcomeProblem& problem) { return problem.object == key; });
    }

    void refuse(const Object& object, const std::string& message) {
        const std::string key = object_key(object.kind(), object.name);
        if (std::any_of(outcome_.problems.begin(), outcome_.problems.end(),
                        [&](const OutcomeProblem& problem) { return problem.object == key; }))
            return;
        const bool is_deployment = object.kind() == "Deployment";
        outcome_.problems.push_back({.stage = olm_ == Olm::v1 ? "ClusterExtension not installed"
                                              : is_deployment ? "ClusterServiceVersion Failed"
                                                              : "InstallPlan Failed",
                                     .message = message,
                                     .because = fmt::format("the API server refuses {}", object.describe()),
                                     .of_cluster = true,
                                     .object = key});
    }

    const Kubectl& kubectl_;
    Olm olm_;
    const std::string& ns_;
    BundleOutcome& outcome_;
    std::string asked_ns_;
    std::vector<Object> questions_;
};

} // namespace

void decide_by_dry_run(const Kubectl& kubectl, const BundleManifests& bundle, Olm olm, const std::string& ns,
                       BundleOutcome& outcome) {
    DryRun(kubectl, olm, ns, outcome).run(bundle);
}

} // namespace opcat::cluster
