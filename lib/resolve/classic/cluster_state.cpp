#include "resolve/classic/cluster_state.hpp"

#include "document/stream.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace opcat::classic {
namespace {

const Value* find_path(const Value& value, std::initializer_list<std::string_view> path) {
    const Value* found = &value;
    for (const std::string_view key : path) {
        found = found->find(key);
        if (!found || found->is_null()) return nullptr;
    }
    return found;
}

bool is_copied(const Object& csv) {
    if (csv.text_at({"status", "reason"}) == "Copied") return true;
    const Value* const home = csv.at({"metadata", "annotations", "olm.operatorNamespace"});
    if (home && home->string_or_empty() != csv.ns) return true;
    return csv.at({"metadata", "labels", "olm.copiedFrom"}) != nullptr;
}

class Reader {
public:
    // Without a file, what is found has no place.
    Reader(const SourceFile* file, ClusterState& cluster, Diagnostics& findings)
        : file_(file), cluster_(cluster), findings_(findings) {}

    void add(const Value& value, int depth = 0) {
        if (value.is_null()) return;
        const Value* const kind = value.find("kind");
        if (!kind || !kind->is_string()) {
            findings_.push_back({.rule = "manifest",
                                 .message = "this is no object of a cluster: it has no kind",
                                 .where = {file_, value.offset(), file_ ? 1U : 0U},
                                 .notes = {},
                                 .help = "write manifests as `kubectl get -o yaml` prints them"});
            return;
        }
        const std::string_view name = kind->string();
        const Value* const items = value.find("items");
        if (name.ends_with("List") && items && items->is_array() && depth < 2) {
            for (const Value& item : items->items()) add(item, depth + 1);
            return;
        }
        const Value* const version = value.find("apiVersion");
        add_object(value, name, version ? version->string_or_empty() : std::string_view());
    }

private:
    void add_object(const Value& value, std::string_view kind, std::string_view version) {
        Object object;
        object.file = file_;
        object.value = value;
        object.name = object.text_at({"metadata", "name"});
        object.ns = object.text_at({"metadata", "namespace"});
        const bool olm = version.starts_with("operators.coreos.com/");
        if (olm && kind == "CatalogSource")
            add_catalog_source(std::move(object));
        else if (olm && kind == "Subscription")
            add_subscription(std::move(object));
        else if (olm && kind == "ClusterServiceVersion")
            add_csv(std::move(object));
        else if (olm && kind == "OperatorGroup")
            cluster_.operator_groups.push_back({std::move(object)});
        else if (olm && kind == "OperatorCondition")
            cluster_.operator_conditions.push_back(std::move(object));
        else if (olm && kind == "InstallPlan")
            cluster_.install_plans.push_back(std::move(object));
        else if (olm && kind == "OLMConfig")
            cluster_.olm_configs.push_back(std::move(object));
        else if (kind == "CustomResourceDefinition")
            cluster_.crds.push_back(std::move(object));
        else if (kind == "Namespace" && version == "v1")
            cluster_.namespaces.push_back(std::move(object));
        else
            cluster_.others.push_back(std::move(object));
    }

    void add_catalog_source(Object object) {
        CatalogSource source;
        static_cast<Object&>(source) = std::move(object);
        const Value* const priority = source.at({"spec", "priority"});
        constexpr double most = 1e15; // of either sign, and exact
        if (priority && priority->is_number())
            source.priority = static_cast<int64_t>(std::clamp(priority->number(), -most, most));
        cluster_.catalog_sources.push_back(std::move(source));
    }

    void add_subscription(Object object) {
        Subscription s;
        static_cast<Object&>(s) = std::move(object);
        s.package = s.text_at({"spec", "name"});
        s.channel = s.text_at({"spec", "channel"});
        s.source = s.text_at({"spec", "source"});
        s.source_namespace = s.text_at({"spec", "sourceNamespace"});
        s.starting_csv = s.text_at({"spec", "startingCSV"});
        s.manual = s.text_at({"spec", "installPlanApproval"}) == "Manual";
        s.installed_csv = s.text_at({"status", "installedCSV"});
        s.current_csv = s.text_at({"status", "currentCSV"});
        cluster_.subscriptions.push_back(std::move(s));
    }

    void add_csv(Object object) {
        ClusterServiceVersion csv;
        static_cast<Object&>(csv) = std::move(object);
        csv.version = csv.text_at({"spec", "version"});
        csv.replaces = csv.text_at({"spec", "replaces"});
        csv.phase = csv.text_at({"status", "phase"});
        csv.copied = is_copied(csv);
        cluster_.csvs.push_back(std::move(csv));
    }

    const SourceFile* file_;
    ClusterState& cluster_;
    Diagnostics& findings_;
};

} // namespace

const Value* Object::at(std::initializer_list<std::string_view> path) const {
    return find_path(value, path);
}

std::string_view Object::text_at(std::initializer_list<std::string_view> path) const {
    const Value* const found = find_path(value, path);
    return found ? found->string_or_empty() : std::string_view();
}

void read_manifests(std::shared_ptr<const SourceFile> file, ClusterState& cluster, Diagnostics& findings) {
    auto arena = std::make_shared<Arena>();
    Reader reader(file.get(), cluster, findings);
    for (const DocumentRange& range : split_into_documents(*file, findings)) {
        Diagnostic problem;
        if (const auto value = read_document(*file, range, *arena, problem))
            reader.add(*value);
        else
            findings.push_back(std::move(problem));
    }
    cluster.files.push_back(std::move(file));
    cluster.arenas.push_back(std::move(arena));
}

void add_object(const Value& value, std::shared_ptr<const Arena> arena, ClusterState& cluster,
                Diagnostics& findings) {
    Reader(nullptr, cluster, findings).add(value);
    if (cluster.arenas.empty() || cluster.arenas.back() != arena) cluster.arenas.push_back(std::move(arena));
}

} // namespace opcat::classic
