#include "opcat/cluster/snapshot.hpp"

#include "opcat/cluster/catalogs.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/plain_set.hpp"
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

class SnapshotReader {
public:
    SnapshotReader(const Kubectl& kubectl, const Served& served, const Scope& scope)
        : kubectl_(kubectl), scope_(scope), has_packages_(served.packages) {
        if (served.classic) read_permitted([&] { read_classic(); });
        if (served.v1) read_permitted([&] { read_v1(); });
        // Missing rights for one OLM do not prevent showing the other.
        if (forbidden_ && !permitted_) std::rethrow_exception(forbidden_);
        read_sets();
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
            snapshot.unread.emplace_back(error.what());
        }
    }

    // Useful but not required kinds.
    std::vector<Object> try_list(std::string_view resources, const Scope& scope,
                                 const std::string& selector = {}) {
        try {
            return kubectl_.list(resources, scope, selector);
        } catch (const KubectlError& error) {
            snapshot.unread.emplace_back(error.what());
            return {};
        }
    }

    void read_classic() {
        ClassicObjects& classic = snapshot.classic;
        std::vector<const char*> optional = optional_classic_kinds();
        classic = list_classic(kubectl_, scope_, optional);
        snapshot.unread = classic.unread;
        // The catalogs of other namespaces that matter here.
        classic.catalogs_elsewhere = scope_.ns.empty() && classic.all_catalogs;
        if (!scope_.ns.empty()) {
            const size_t unread = snapshot.unread.size();
            std::vector<Object> elsewhere = try_list(resource::catalog_sources, Scope::everywhere());
            classic.catalogs_elsewhere = snapshot.unread.size() == unread;
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
        add_pods_of_slow_installs();
        if (has_packages_) note_versions_not_in_catalogs();
        std::vector<Object> pods;
        for (const Object& catalog : classic.catalogs)
            if (state_of_catalog_source(catalog, {}).health != Health::ready)
                for (Object& pod :
                     try_list(resource::pods, Scope::in(catalog.ns), "olm.catalogSource=" + catalog.name))
                    pods.push_back(std::move(pod));
        for (const Object& catalog : classic.catalogs)
            snapshot.catalogs.push_back(state_of_catalog_source(catalog, pods));
    }

    // Of a version that is not in its catalog OLM says that it is the latest known.
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

    // Pods are only read if they can show something.
    void add_pods_of_slow_installs() {
        std::set<std::string> namespaces;
        for (const OperatorState& state : snapshot.operators)
            if (state.health == Health::working) namespaces.insert(state.ns);
        for (const std::string& ns : namespaces)
            snapshot.classic.add(try_list(resource::pods, Scope::in(ns)));
        if (!namespaces.empty()) snapshot.operators = classic_states(snapshot.classic);
    }

    void read_v1() {
        std::vector<Object> extensions = kubectl_.list(resource::cluster_extensions);
        if (!scope_.ns.empty())
            std::erase_if(extensions,
                          [&](const Object& e) { return e.text("spec", "namespace") != scope_.ns; });
        const std::vector<Object> deployments =
            extensions.empty() ? std::vector<Object>()
                               : try_list(resource::deployments, scope_, owner_name_label);
        std::vector<Object> pods;
        for (const Object& deployment : deployments)
            if (!availability_of(deployment).available)
                for (Object& pod : try_list(resource::pods, Scope::in(deployment.ns)))
                    pods.push_back(std::move(pod));
        const size_t unread = snapshot.unread.size();
        const std::vector<Object> catalogs = try_list(resource::cluster_catalogs, Scope::cluster());
        for (const Object& extension : extensions) {
            OperatorState& state =
                snapshot.operators.emplace_back(state_of_extension(extension, deployments, pods));
            if (!state.catalog.empty() && unread == snapshot.unread.size() &&
                !kube::find_named(catalogs, state.catalog, {})) {
                state.notes.push_back(
                    fmt::format("catalog {} does not exist: there are no upgrades", state.catalog));
                state.without_upgrades = true;
            }
        }
        for (const Object& catalog : catalogs) snapshot.catalogs.push_back(state_of_cluster_catalog(catalog));
    }

    void read_sets() {
        for (OperatorState& state : states_of_sets(try_list(resource::deployments, scope_, set_label)))
            snapshot.operators.push_back(std::move(state));
    }

    void read_webhooks() {
        if (snapshot.operators.empty()) return;
        const std::string kinds =
            fmt::format("{},{}", resource::validating_webhooks, resource::mutating_webhooks);
        for (const Object& webhook : try_list(kinds, Scope::cluster())) {
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
    bool has_packages_;            // the package server is there
    bool permitted_ = false;       // the operators of an OLM could be read
    std::exception_ptr forbidden_; // why those of another could not
};

} // namespace

std::string usual_global_namespace(const std::set<std::string>& namespaces) {
    for (const char* usual : usual_global_namespaces)
        if (namespaces.contains(usual)) return usual;
    return {};
}

namespace {

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

std::string global_namespace(const Kubectl& kubectl, const std::vector<Object>& catalog_sources) {
    std::set<std::string> namespaces;
    for (const Object& catalog : catalog_sources) namespaces.insert(catalog.ns);
    if (std::string usual = usual_global_namespace(namespaces); !usual.empty()) return usual;
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
        // resolve an extension that names no catalog.
        outage.everyone =
            catalog.olm == Olm::v1 || (!classic.global_ns.empty() && catalog.ns == classic.global_ns);
        for (const OperatorState& state : operators)
            if (state.olm == catalog.olm && (state.catalog == catalog.full_name() ||
                                             (catalog.olm == Olm::classic && state.ns == catalog.ns) ||
                                             (catalog.olm == Olm::v1 && state.catalog.empty())))
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
void add_objects_elsewhere(const Kubectl& kubectl, const std::string& ns, ClassicObjects& objects) {
    std::vector<Object> elsewhere;
    const auto read = [&](const std::string& kinds) {
        for (Object& object : kubectl.list(kinds, Scope::everywhere()))
            elsewhere.push_back(std::move(object));
    };
    const auto note_unread = [&](const KubectlError& error, std::string_view unknown) {
        if (error.kind() != FailureKind::forbidden) throw;
        objects.unread.push_back(fmt::format("{}, so it is not known whether {}", error.what(), unknown));
    };
    try {
        read(fmt::format("{},{}", resource::catalog_sources, resource::operator_groups));
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden) throw;
        try {
            read(resource::catalog_sources);
        } catch (const KubectlError& one) {
            objects.all_catalogs = false;
            note_unread(one, "they are ready");
        }
        try {
            read(resource::operator_groups);
        } catch (const KubectlError& one) {
            note_unread(one, "operators of other namespaces provide the same APIs");
        }
    }
    std::erase_if(elsewhere, [&](const Object& object) { return object.ns == ns; });
    objects.catalogs_elsewhere = objects.all_catalogs;
    objects.add(std::move(elsewhere));
    objects.global_ns = global_namespace(kubectl, objects.catalogs);
}

} // namespace

ClassicObjects read_classic(const Kubectl& kubectl, const std::string& ns) {
    std::vector<const char*> optional = optional_classic_kinds();
    ClassicObjects objects = list_classic(kubectl, Scope::in(ns), optional);
    add_objects_elsewhere(kubectl, ns, objects);
    return objects;
}

void add_catalog_pods(const Kubectl& kubectl, const std::string& ns, ClassicObjects& objects) {
    for (const Scope& scope : {Scope::everywhere(), Scope::in(ns)}) {
        try {
            return objects.add(kubectl.list(resource::pods, scope, "olm.catalogSource"));
        } catch (const KubectlError& error) {
            if (error.kind() != FailureKind::forbidden) throw;
        }
    }
}

std::optional<Object> find_extension(const Kubectl& kubectl, const std::string& package) {
    auto named = kubectl.get(resource::cluster_extensions, package);
    if (named && package_of(*named) == package) return named;
    for (Object& extension : kubectl.list(resource::cluster_extensions))
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

std::string prometheus_text(const ClassicObjects& objects) {
    std::string text = head("catalog_source_count", "Number of CatalogSources");
    text += sample("catalog_source_count", {}, objects.catalogs.size());
    text += head("catalogsource_ready", "Whether a CatalogSource is READY");
    for (const Object& catalog : objects.catalogs)
        text += sample("catalogsource_ready", {{"name", catalog.name}, {"namespace", catalog.ns}},
                       catalog.text("status", "connectionState", "lastObservedState") == "READY");
    text += head("csv_count", "Number of ClusterServiceVersions, copies apart");
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

} // namespace opcat::cluster
