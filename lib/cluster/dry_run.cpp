#include "opcat/cluster/dry_run.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/cluster/objects.hpp"
#include "opcat/cluster/registry_v1.hpp"
#include "opcat/cluster/state.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <optional>

namespace opcat::cluster {
namespace {

constexpr size_t most_questions = 30;
constexpr size_t most_named = 3; // objects in a sentence

// Returns true if no other question will be answered, either.
bool is_final(FailureKind kind) {
    return kind == FailureKind::unreachable || kind == FailureKind::unauthorized ||
           kind == FailureKind::configuration || kind == FailureKind::program;
}

class DryRun {
public:
    DryRun(const Kubectl& kubectl, const DryRunQuestion& question, BundleOutcome& outcome)
        : kubectl_(kubectl), question_(question), olm_(question.olm), outcome_(outcome) {}

    void run() {
        const BundleManifests& bundle = question_.bundle;
        for (const Object& crd : bundle.crds) ask_about(crd);
        for (const Object& other : bundle.others) add_other(other);
        for (const Fields deployment : bundle.csv.items("spec", "install", "spec", "deployments"))
            add_deployment(deployment);
        if (questions_.size() > most_questions) {
            outcome_.not_checked.push_back(fmt::format("whether the API server accepts {} more objects",
                                                       questions_.size() - most_questions));
            questions_.resize(most_questions);
        }
        find_existing();
        ask();
        refuse_existing();
    }

private:
    // Returns true for an object that the rules refuse for another reason: it is not sent.
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
        if (!is_cluster_scoped(other.kind())) json["metadata"]["namespace"] = question_.ns;
        ask_about(object_of(json));
    }

    void add_deployment(const Fields& deployment) {
        Json json = named_object("apps/v1", "Deployment", std::string(deployment.text("name")), question_.ns);
        if (const Fields labels = deployment.at("label"))
            json["metadata"]["labels"] = json_of(labels.value());
        json["spec"] = deployment.at("spec") ? json_of(deployment.at("spec").value()) : Json::object();
        ask_about(object_of(json));
    }

    // The namespace and the objects that are on the cluster.
    void find_existing() {
        std::vector<Object> all = questions_;
        all.insert(all.end(), question_.made.begin(), question_.made.end());
        all.push_back(object_of(named_object("v1", "Namespace", question_.ns)));
        bool has_namespace = true;
        try {
            existing_ = kubectl_.existing(all);
            has_namespace = kube::find_same(existing_, all.back()) != nullptr;
        } catch (const KubectlError& error) {
            if (is_final(error.kind())) throw;
            if (olm_ == Olm::v1)
                outcome_.not_checked.push_back(
                    fmt::format("whether objects exist already: {}", words_for(error.failure())));
        }
        std::vector<std::string> changed;
        std::erase_if(questions_, [&](const Object& object) {
            if (!kube::find_same(existing_, object)) return false;
            if (!is_crd(object)) changed.push_back(object.describe()); // definitions have rules of their own
            return true;
        });
        if (!changed.empty())
            outcome_.not_checked.push_back(
                fmt::format("whether the API server accepts the changes of {}", listed(changed, most_named)));
        // In a namespace that does not exist the server checks nothing.
        if (has_namespace) return;
        for (Object& object : questions_)
            if (!object.ns.empty()) object = in_namespace(object, "default");
        if (!questions_.empty())
            outcome_.not_checked.push_back(
                fmt::format("policies for namespace {}, which does not exist", question_.ns));
    }

    // OLM v1 does not take over what others have made. Definitions have rules of their own.
    void refuse_existing() {
        if (olm_ != Olm::v1) return;
        for (const Object& object : existing_) {
            const std::string_view owner = object.label(owner_name_label);
            const bool is_foreign =
                owner.empty() || (!question_.extension.empty() && owner != question_.extension);
            if (!is_foreign || is_crd(object) || object.kind() == "Namespace") continue;
            const std::string message =
                fmt::format("{} '{}' already exists in namespace '{}' and cannot be managed by "
                            "operator-controller",
                            object.kind(), object.name, object.ns);
            outcome_.problems.push_back({.stage = "ClusterExtension not installed",
                                         .message = message,
                                         .because = {},
                                         .of_cluster = true,
                                         .object = object_key(object.kind(), object.name)});
        }
    }

    // The answer about one object.
    struct Answer {
        std::optional<Failure> failure; // nothing: it was accepted
    };

    // Several together, as long as the server accepts them all: kubectl asks one after the other.
    void ask() {
        std::vector<Answer> answers(questions_.size());
        const size_t parts = std::min<size_t>(questions_.size(), kubectl_.options().calls_at_once);
        std::vector<std::function<void()>> calls;
        for (size_t part = 0; part < parts; ++part)
            calls.emplace_back([&, part] {
                ask_part(questions_.size() * part / parts, questions_.size() * (part + 1) / parts, answers);
            });
        kubectl_.together(calls);
        std::vector<std::string> unasked;
        std::string why;
        for (size_t i = 0; i < questions_.size(); ++i) {
            const std::optional<Failure>& failure = answers[i].failure;
            if (!failure) {
                accept(questions_[i]);
            } else if (failure->kind == FailureKind::invalid) {
                refuse(questions_[i], failure->message);
            } else {
                unasked.push_back(questions_[i].describe());
                if (why.empty()) why = words_for(*failure);
            }
        }
        if (!unasked.empty())
            outcome_.not_checked.push_back(
                fmt::format("whether the API server accepts {}: {}", listed(unasked, most_named), why));
    }

    void ask_part(size_t begin, size_t end, std::vector<Answer>& answers) const {
        const std::vector<Object> part(questions_.begin() + static_cast<ptrdiff_t>(begin),
                                       questions_.begin() + static_cast<ptrdiff_t>(end));
        try {
            kubectl_.try_apply(part, true);
        } catch (const KubectlError& error) {
            if (is_final(error.kind())) throw;
            if (part.size() == 1) {
                answers[begin].failure = error.failure();
                return;
            }
            for (size_t i = begin; i < end; ++i) ask_part(i, i + 1, answers);
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
    const DryRunQuestion& question_;
    Olm olm_;
    BundleOutcome& outcome_;
    std::vector<Object> questions_;
    std::vector<Object> existing_;
};

} // namespace

void decide_by_dry_run(const Kubectl& kubectl, const DryRunQuestion& question, BundleOutcome& outcome) {
    DryRun(kubectl, question, outcome).run();
}

} // namespace opcat::cluster
