#include "opcat/cluster/snapshot.hpp"

#include "opcat/cluster/catalogs.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/plain_set.hpp"
#include "opcat/cluster/served_release.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <initializer_list>
#include <map>
#include <utility>

namespace opcat::cluster {

namespace {

// An answer that may be a refusal.
struct Answer {
    std::vector<Object> objects;
    std::exception_ptr failure; // a KubectlError
};

// Asks in two moments: what there is; and the pods of what is not well.
class SnapshotReader {
public:
    SnapshotReader(const Kubectl& kubectl, const Served& served, const Scope& scope)
        : kubectl_(kubectl), scope_(scope), has_packages_(served.packages) {
        ask(served);
        if (served.classic) read_permitted([&] { read_classic(); });
        if (served.v1) read_permitted([&] { read_v1(); });
        // Missing rights for one OLM do not prevent showing the other.
        if (forbidden_ && !permitted_) std::rethrow_exception(forbidden_);
        read_pods();
        if (served.classic) finish_classic();
        finish_v1();
        for (OperatorState& state : states_of_sets(taken(sets_)))
            snapshot.operators.push_back(std::move(state));
        read_webhooks();
        for (OperatorState& state : snapshot.operators)
            disregard_young_failure(state, std::chrono::system_clock::now());
    }

    ClusterSnapshot snapshot;

private:
    void read_permitted(const std::function<void()>& read) {
        try {
            read();
            permitted_ = true;
        } catch (const KubectlError& error) {
            if (error.kind() != FailureKind::forbidden) throw;
            if (!forbidden_) forbidden_ = std::current_exception();
            snapshot.all_operators = false;
            snapshot.unread.emplace_back(error.what());
        }
    }

    std::function<void()> question(Answer& answer, const std::string& resources, const Scope& scope,
                                   const std::string& selector = {}) const {
        return [this, &answer, resources, scope, selector] {
            try {
                answer.objects = kubectl_.list(resources, scope, selector);
            } catch (const KubectlError&) {
                answer.failure = std::current_exception();
            }
        };
    }

    // Useful but not required objects, once it is known that they matter.
    std::vector<Object> taken(Answer& answer) {
        if (!answer.failure) return std::move(answer.objects);
        try {
            std::rethrow_exception(answer.failure);
        } catch (const KubectlError& error) {
            snapshot.unread.emplace_back(error.what());
        }
        return {};
    }

    void ask(const Served& served) {
        std::vector<std::function<void()>> questions{
            question(sets_, resource::deployments, scope_, set_label),
            question(webhooks_,
                     fmt::format("{},{}", resource::validating_webhooks, resource::mutating_webhooks),
                     Scope::cluster())};
        if (served.classic) {
            questions.emplace_back([&] {
                try {
                    std::vector<const char*> optional = optional_classic_kinds();
                    snapshot.classic = list_classic(kubectl_, scope_, optional);
                } catch (const KubectlError&) {
                    classic_failure_ = std::current_exception();
                }
            });
            if (!scope_.ns.empty())
                questions.push_back(question(elsewhere_, resource::catalog_sources, Scope::everywhere()));
        }
        if (served.v1) {
            questions.push_back(question(extensions_, resource::cluster_extensions, Scope::cluster()));
            questions.push_back(question(cluster_catalogs_, resource::cluster_catalogs, Scope::cluster()));
            questions.push_back(question(deployments_, resource::deployments, scope_, owner_name_label));
        }
        kubectl_.together(questions);
    }

    void read_classic() {
        ClassicObjects& classic = snapshot.classic;
        if (classic_failure_) {
            classic.all_operators = classic.all_catalogs = false;
            std::rethrow_exception(classic_failure_);
        }
        snapshot.unread = classic.unread;
        // The catalogs of other namespaces that matter here.
        classic.catalogs_elsewhere = scope_.ns.empty() && classic.all_catalogs;
        if (!scope_.ns.empty()) {
            classic.catalogs_elsewhere = !elsewhere_.failure;
            std::vector<Object> elsewhere = taken(elsewhere_);
            classic.global_ns = global_namespace(kubectl_, elsewhere);
            const auto matters = [&](const Object& catalog) {
                const std::string ns = catalog.ns;
                if (ns == scope_.ns) return false; // known
                return ns == classic.global_ns ||
                       std::any_of(classic.subscriptions.begin(), classic.subscriptions.end(),
                                   [&](const Object& s) {
                                       return s.text("spec", "sourceNamespace") == ns &&
                                              s.text("spec", "source") == catalog.name;
                                   });
            };
            std::erase_if(elsewhere, [&](const Object& catalog) { return !matters(catalog); });
            classic.add(std::move(elsewhere));
        } else {
            classic.global_ns = global_namespace(kubectl_, classic.catalogs);
        }
        snapshot.operators = classic_states(classic);
        for (const OperatorState& state : snapshot.operators)
            if (state.health == Health::working) slow_namespaces_.insert(state.ns);
        for (const Object& catalog : classic.catalogs)
            if (state_of_catalog_source(catalog, {}).health != Health::ready)
                catalog_namespaces_.insert(catalog.ns);
    }

    void read_v1() {
        if (extensions_.failure) std::rethrow_exception(extensions_.failure);
        if (!scope_.ns.empty())
            std::erase_if(extensions_.objects,
                          [&](const Object& e) { return e.text("spec", "namespace") != scope_.ns; });
        if (extensions_.objects.empty()) return;
        deployments_.objects = taken(deployments_);
        if (std::any_of(extensions_.objects.begin(), extensions_.objects.end(), has_revisions))
            if (const std::string resource = revision_resource(kubectl_); !resource.empty()) {
                Answer answer;
                question(answer, resource, Scope::cluster())();
                revision_sets_ = taken(answer);
            }
        for (const Object& deployment : deployments_.objects)
            if (!availability_of(deployment).available) unavailable_namespaces_.insert(deployment.ns);
    }

    // Pods are only read if they can show something.
    void read_pods() {
        std::set<std::string> namespaces = slow_namespaces_;
        namespaces.insert(unavailable_namespaces_.begin(), unavailable_namespaces_.end());
        for (const std::string& ns : namespaces) catalog_namespaces_.erase(ns);
        std::vector<Answer> answers(namespaces.size() + catalog_namespaces_.size());
        std::vector<std::function<void()>> questions;
        add_questions(namespaces, {}, answers, questions);
        add_questions(catalog_namespaces_, "olm.catalogSource", answers, questions);
        kubectl_.together(questions);
        for (Answer& answer : answers)
            for (Object& pod : taken(answer))
                if (namespaces.contains(pod.ns) || catalog_namespaces_.contains(pod.ns))
                    pods_.push_back(std::move(pod));
    }

    // About the pods of each namespace, or of many in one list.
    void add_questions(const std::set<std::string>& namespaces, const std::string& selector,
                       std::vector<Answer>& answers, std::vector<std::function<void()>>& questions) const {
        constexpr size_t many = 6;
        const auto add = [&](const Scope& scope) {
            questions.push_back(question(answers[questions.size()], resource::pods, scope, selector));
        };
        if (namespaces.size() > many) return add(Scope::everywhere());
        for (const std::string& ns : namespaces) add(Scope::in(ns));
    }

    void finish_classic() {
        if (classic_failure_) return;
        if (!slow_namespaces_.empty()) {
            std::vector<Object> pods = pods_;
            std::erase_if(pods, [&](const Object& pod) { return !slow_namespaces_.contains(pod.ns); });
            snapshot.classic.add(std::move(pods));
            snapshot.operators = classic_states(snapshot.classic);
        }
        for (const Object& catalog : snapshot.classic.catalogs)
            snapshot.catalogs.push_back(state_of_catalog_source(catalog, pods_));
        if (has_packages_) note_versions_not_in_catalogs();
    }

    // OLM calls a version that is not in its catalog the latest known one; this adds a remark.
    void note_versions_not_in_catalogs() {
        const auto is_ready = [](const OperatorState& state) {
            return state.health == Health::ready && !state.name.empty();
        };
        if (std::none_of(snapshot.operators.begin(), snapshot.operators.end(), is_ready)) return;
        std::vector<PackageManifest> packages;
        try {
            packages = list_packages(kubectl_, scope_);
        } catch (const KubectlError&) {
            return; // the package server is often away for a while, and the rest does not need it
        }
        for (OperatorState& state : snapshot.operators)
            for (const PackageManifest& manifest : packages) {
                if (!is_ready(state) || manifest.package != state.package || !manifest.tells_entries() ||
                    manifest.catalog_ns + "/" + manifest.catalog != state.catalog ||
                    manifest.entry(state.installed))
                    continue;
                state.notes.push_back(fmt::format("{} is not in catalog {} and has no upgrade there",
                                                  state.installed, state.catalog));
                state.without_upgrades = true;
                break;
            }
    }

    void finish_v1() {
        if (extensions_.failure) return;
        const bool catalogs_known = !cluster_catalogs_.failure;
        snapshot.extensions = std::move(extensions_.objects);
        snapshot.cluster_catalogs = taken(cluster_catalogs_);
        const std::vector<Object>& catalogs = snapshot.cluster_catalogs;
        for (const Object& extension : snapshot.extensions) {
            OperatorState& state = snapshot.operators.emplace_back(
                state_of_extension(extension, deployments_.objects, pods_, revision_sets_));
            if (!state.catalog.empty() && catalogs_known && !kube::find_named(catalogs, state.catalog, {})) {
                state.notes.push_back(
                    fmt::format("catalog {} does not exist: there are no upgrades", state.catalog));
                state.without_upgrades = true;
            }
        }
        for (const Object& catalog : catalogs) snapshot.catalogs.push_back(state_of_cluster_catalog(catalog));
    }

    void read_webhooks() {
        if (snapshot.operators.empty()) return;
        for (const Object& webhook : taken(webhooks_)) {
            const std::string_view csv = webhook.label("olm.owner");
            const std::string_view extension = webhook.label(owner_name_label);
            const std::string_view set = webhook.label(set_label);
            for (OperatorState& state : snapshot.operators) {
                const bool classic = state.olm == Olm::classic && !csv.empty() && csv == state.installed &&
                                     webhook.label("olm.owner.namespace") == state.ns;
                const bool v1 = state.olm == Olm::v1 && !extension.empty() && extension == state.name;
                const bool plain = state.olm == Olm::none && !set.empty() && set == state.name;
                if (classic || v1 || plain) state.webhooks.push_back(webhook.describe());
            }
        }
    }

    const Kubectl& kubectl_;
    Scope scope_;
    bool has_packages_;                  // the package server is there
    std::exception_ptr classic_failure_; // why its objects could not be read
    Answer elsewhere_, extensions_, cluster_catalogs_, deployments_, sets_, webhooks_;
    std::vector<Object> revision_sets_;
    std::set<std::string> slow_namespaces_;        // where operators of OLM classic make progress
    std::set<std::string> unavailable_namespaces_; // where extensions have Deployments that are not available
    std::set<std::string> catalog_namespaces_;     // where catalogs are not ready
    std::vector<Object> pods_;
    bool permitted_ = false;       // the operators of an OLM could be read
    std::exception_ptr forbidden_; // why those of another could not
};

// The value of a flag in the command line of a Deployment's containers, as --flag value or --flag=value;
// empty if there is none.
std::string flag_of(const Object& deployment, std::string_view flag) {
    std::vector<std::string> words;
    for (const Fields container : deployment.items("spec", "template", "spec", "containers"))
        for (const char* list : {"command", "args"})
            for (std::string& word : container.strings(list)) words.push_back(std::move(word));
    for (size_t i = 0; i < words.size(); ++i) {
        std::string_view word = words[i];
        while (word.starts_with('-')) word.remove_prefix(1);
        if (!word.starts_with(flag)) continue;
        word.remove_prefix(flag.size());
        if (word.starts_with('=')) return std::string(word.substr(1));
        if (word.empty() && i + 1 < words.size()) return words[i + 1];
    }
    return {};
}

} // namespace

std::vector<olmv1::OperatorQuestion> upgrade_questions(const ClusterSnapshot& found,
                                                       const olmv1::OlmRelease& release) {
    std::vector<olmv1::OperatorQuestion> questions;
    const auto ask = [&](const std::string& name, const std::string& of, bool is_classic) {
        return &questions.emplace_back(
            olmv1::OperatorQuestion{of.empty() ? name : name + "@" + of, {is_classic, !is_classic, release}});
    };
    for (const Object& csv : found.classic.csvs) {
        if (classic::is_of_olm(csv)) continue;
        ask(csv.name, std::string(csv.text("spec", "version")), true)->max = olmv1::max_openshift_version(
            csv.text("metadata", "annotations", "operatorframework.io/properties"), csv.name);
    }
    for (const OperatorState& state : found.operators)
        if (!state.installed.empty() &&
            (state.olm == Olm::v1 ||
             (state.olm == Olm::classic && !found.classic.csv(state.installed, state.ns))))
            ask(state.installed, state.version, state.olm == Olm::classic);
    return questions;
}

std::string global_namespace(const Kubectl& kubectl, const std::vector<Object>& catalog_sources) {
    std::set<std::string> namespaces;
    for (const Object& catalog : catalog_sources) namespaces.insert(catalog.ns);
    if (std::string usual = classic::usual_global_namespace(namespaces); !usual.empty()) return usual;
    try {
        for (const Object& deployment : kubectl.list(resource::deployments, Scope::everywhere(),
                                                     "app in (catalog-operator,packageserver)")) {
            const bool packages = deployment.label("app") == "packageserver";
            if (std::string ns = flag_of(deployment, packages ? "global-namespace" : "namespace");
                !ns.empty())
                return ns;
        }
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden) throw;
    }
    return {};
}

std::vector<CatalogOutage> ClusterSnapshot::outages() const {
    std::vector<CatalogOutage> all;
    for (const CatalogState& catalog : catalogs) {
        if (catalog.health == Health::ready) continue;
        CatalogOutage outage{&catalog, false, {}};
        // OLM classic does not resolve while any catalog that a namespace sees is broken; OLM v1 does not
        // resolve an extension that names no catalog, but it passes over a disabled one.
        outage.everyone = (catalog.olm == Olm::v1 && !catalog.is_disabled()) ||
                          (!classic.global_ns.empty() && catalog.ns == classic.global_ns);
        for (const OperatorState& state : operators)
            if (state.olm == catalog.olm &&
                (state.catalog == catalog.full_name() ||
                 (catalog.olm == Olm::classic && state.ns == catalog.ns) ||
                 (catalog.olm == Olm::v1 && state.catalog.empty() && outage.everyone)))
                outage.operators.push_back(state.ns + "/" + state.package);
        all.push_back(std::move(outage));
    }
    return all;
}

std::vector<const char*> optional_classic_kinds() {
    return {resource::catalog_sources, resource::operator_conditions};
}

ClassicObjects list_classic(const Kubectl& kubectl, const Scope& scope,
                            std::vector<const char*>& optional_kinds) {
    const std::string required = fmt::format("{},{},{},{}", resource::subscriptions, resource::install_plans,
                                             resource::csvs, resource::operator_groups);
    ClassicObjects objects;
    objects.add(kubectl.list_permitted(required, optional_kinds, scope, objects.unread, "!olm.copiedFrom"));
    objects.all_catalogs = std::find(optional_kinds.begin(), optional_kinds.end(),
                                     resource::catalog_sources) != optional_kinds.end();
    return objects;
}

namespace {

// Catalogs that the namespace may see, and OperatorGroups that may watch the same namespaces.
struct Elsewhere {
    std::vector<Object> objects;
    bool all_catalogs = true;
    std::vector<std::string> unread;
};

Elsewhere read_elsewhere(const Kubectl& kubectl) {
    Elsewhere elsewhere;
    const auto read = [&](const std::string& kinds) {
        for (Object& object : kubectl.list(kinds, Scope::everywhere()))
            elsewhere.objects.push_back(std::move(object));
    };
    const auto note_unread = [&](const KubectlError& error, std::string_view unknown) {
        if (error.kind() != FailureKind::forbidden) throw;
        elsewhere.unread.push_back(fmt::format("{}, so it is not known whether {}", error.what(), unknown));
    };
    try {
        read(fmt::format("{},{}", resource::catalog_sources, resource::operator_groups));
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden) throw;
        elsewhere.objects.clear();
        try {
            read(resource::catalog_sources);
        } catch (const KubectlError& one) {
            elsewhere.all_catalogs = false;
            note_unread(one, "they are ready");
        }
        try {
            read(resource::operator_groups);
        } catch (const KubectlError& one) {
            note_unread(one, "operators of other namespaces provide the same APIs");
        }
    }
    return elsewhere;
}

} // namespace

ClassicObjects read_classic(const Kubectl& kubectl, const std::string& ns) {
    ClassicObjects objects;
    Elsewhere elsewhere;
    kubectl.together({[&] {
                          std::vector<const char*> optional = optional_classic_kinds();
                          objects = list_classic(kubectl, Scope::in(ns), optional);
                      },
                      [&] { elsewhere = read_elsewhere(kubectl); }});
    objects.all_catalogs = objects.all_catalogs && elsewhere.all_catalogs;
    objects.unread.insert(objects.unread.end(), elsewhere.unread.begin(), elsewhere.unread.end());
    std::erase_if(elsewhere.objects, [&](const Object& object) { return object.ns == ns; });
    objects.catalogs_elsewhere = objects.all_catalogs;
    objects.add(std::move(elsewhere.objects));
    objects.global_ns = global_namespace(kubectl, objects.catalogs);
    return objects;
}

std::vector<Object> catalog_pods(const Kubectl& kubectl, const std::string& ns) {
    for (const Scope& scope : {Scope::everywhere(), Scope::in(ns)}) {
        try {
            return kubectl.list(resource::pods, scope, "olm.catalogSource");
        } catch (const KubectlError& error) {
            if (error.kind() != FailureKind::forbidden) throw;
        }
    }
    return {};
}

std::optional<Object> find_extension(const Kubectl& kubectl, const std::string& package) {
    std::optional<Object> named;
    Answer all;
    kubectl.together({[&] { named = kubectl.get(resource::cluster_extensions, package); },
                      [&] {
                          try {
                              all.objects = kubectl.list(resource::cluster_extensions);
                          } catch (const KubectlError&) {
                              all.failure = std::current_exception();
                          }
                      }});
    if (named && package_of(*named) == package) return named;
    if (all.failure) std::rethrow_exception(all.failure);
    for (Object& extension : all.objects)
        if (package_of(extension) == package) return std::move(extension);
    return named;
}

ClusterSnapshot read_cluster(const Kubectl& kubectl, const Served& served, const Scope& scope) {
    return SnapshotReader(kubectl, served, scope).snapshot;
}

namespace {

std::string escaped(std::string_view value) {
    std::string text;
    for (const char c : value) {
        if (c == '\\' || c == '"') text += '\\';
        if (c == '\n')
            text += "\\n";
        else
            text += c;
    }
    return text;
}

using Labels = std::initializer_list<std::pair<std::string_view, std::string>>;

std::string sample(std::string_view name, Labels labels, size_t value) {
    std::string inside;
    for (const auto& [key, text] : labels)
        inside += fmt::format("{}{}=\"{}\"", inside.empty() ? "" : ",", key, escaped(text));
    if (!inside.empty()) inside = "{" + inside + "}";
    return fmt::format("{}{} {}\n", name, inside, value);
}

std::string head(std::string_view name, std::string_view help) {
    return fmt::format("# HELP {} {}\n# TYPE {} gauge\n", name, help, name);
}

} // namespace

bool has_all_figures(const ClassicObjects& objects) {
    return objects.all_operators && objects.knows_all_catalogs();
}

namespace {

std::string figures_of_catalogs(const ClassicObjects& objects) {
    std::string text = head("catalog_source_count", "Number of CatalogSources");
    text += sample("catalog_source_count", {}, objects.catalogs.size());
    text += head("catalogsource_ready", "Whether a CatalogSource is READY");
    for (const Object& catalog : objects.catalogs)
        text += sample("catalogsource_ready", {{"name", catalog.name}, {"namespace", catalog.ns}},
                       catalog.text("status", "connectionState", "lastObservedState") == "READY");
    return text;
}

std::string figures_of_operators(const ClassicObjects& objects) {
    std::string text = head("csv_count", "Number of ClusterServiceVersions, copies apart");
    text += sample("csv_count", {}, objects.csvs.size());
    std::string abnormal;
    text += head("csv_succeeded", "Whether a ClusterServiceVersion is Succeeded");
    for (const Object& csv : objects.csvs) {
        const std::string_view phase = csv.text("status", "phase");
        text += sample("csv_succeeded",
                       {{"name", csv.name}, {"namespace", csv.ns}, {"version", version_of_csv(csv)}},
                       phase == "Succeeded");
        if (phase == "Succeeded") continue;
        abnormal += sample("csv_abnormal",
                           {{"name", csv.name},
                            {"namespace", csv.ns},
                            {"phase", std::string(phase)},
                            {"reason", std::string(csv.text("status", "reason"))},
                            {"version", version_of_csv(csv)}},
                           1);
    }
    text += head("csv_abnormal", "There for each ClusterServiceVersion that is not Succeeded") + abnormal;
    text += head("install_plan_count", "Number of InstallPlans");
    text += sample("install_plan_count", {}, objects.plans.size());
    text += head("subscription_count", "Number of Subscriptions");
    text += sample("subscription_count", {}, objects.subscriptions.size());
    return text;
}

} // namespace

std::string prometheus_text(const ClassicObjects& objects) {
    std::string text;
    if (objects.knows_all_catalogs()) text += figures_of_catalogs(objects);
    if (objects.all_operators) text += figures_of_operators(objects);
    return text;
}

} // namespace opcat::cluster
