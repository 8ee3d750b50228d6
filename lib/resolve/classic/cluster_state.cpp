#include "opcat/resolve/classic/cluster_state.hpp"

#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/document/source_details.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/value.hpp"
#include "opcat/resolve/classic/manifest_types.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace opcat::classic {
namespace {

class Reader {
public:
    Reader(ClusterState& cluster, Diagnostics& findings) : cluster_(cluster), findings_(findings) {}

    void add(const Object& object) {
        if (!object) return;
        if (const std::string why = why_incomplete(object); !why.empty())
            findings_.push_back({.rule = "manifest",
                                 .message = why,
                                 .where = object.where(),
                                 .notes = {},
                                 .help = "write manifests as `kubectl get -o yaml` prints them"});
        else if (is_list(object))
            for (const Value& item : object.items("items")) add(Object(item, object.memory, object.file));
        else
            add_one(object);
    }

private:
    // Other kinds may end with "List", too.
    static bool is_list(const Object& object) {
        return object.kind() == "List" || (object.kind().ends_with("List") && object.at("items"));
    }

    // What an object says only a part of would count as not there. Returns an empty text if it says all.
    static std::string why_incomplete(const Object& object) {
        const std::string_view kind = object.kind();
        if (kind.empty()) return "this is not an object of a cluster: it has no kind";
        if (kind == "Status" && object.text("status") == "Failure")
            return fmt::format(
                "this is a failure of the API server, not an object: {}",
                on_one_line(object.text("message").empty() ? object.text("reason") : object.text("message")));
        if (kind == "PartialObjectMetadata" || kind == "Table")
            return fmt::format("a {} has not all of an object", kind);
        if (is_list(object)) {
            if (const Value items = object.at("items").value(); !items.is_array() && !items.is_null())
                return fmt::format("the items of {} are no list", kind);
            if (!object.text("metadata", "continue").empty() ||
                object.number("metadata", "remainingItemCount") > 0)
                return fmt::format("{} is only a part of the list: it continues", kind);
        }
        constexpr std::array<std::string_view, 9> of_olm{
            "CatalogSource", "Subscription", "ClusterServiceVersion", "OperatorGroup", "OperatorCondition",
            "InstallPlan",   "OLMConfig",    "ClusterExtension",      "ClusterCatalog"};
        if (object.group().empty() && std::ranges::find(of_olm, kind) != of_olm.end())
            return fmt::format("{} has no apiVersion of OLM", object.describe());
        return {};
    }

    void add_one(const Object& object) {
        check_types(object, findings_);
        const std::string_view kind = object.kind();
        const bool olm = object.group() == "operators.coreos.com";
        if (olm && kind == "CatalogSource")
            cluster_.catalog_sources.push_back({object, object.number("spec", "priority")});
        else if (olm && kind == "Subscription")
            add_subscription(object);
        else if (olm && kind == "ClusterServiceVersion")
            add_csv(object);
        else if (olm && kind == "OperatorGroup")
            cluster_.operator_groups.push_back({object});
        else if (olm && kind == "OperatorCondition")
            cluster_.operator_conditions.push_back(object);
        else if (olm && kind == "InstallPlan")
            cluster_.install_plans.push_back(object);
        else if (olm && kind == "OLMConfig")
            cluster_.olm_configs.push_back(object);
        else if (kind == "CustomResourceDefinition")
            cluster_.crds.push_back(object);
        else if (kind == "Namespace" && object.text("apiVersion") == "v1")
            cluster_.namespaces.push_back(object);
        else
            cluster_.others.push_back(object);
    }

    void add_subscription(const Object& object) {
        Subscription s;
        static_cast<Object&>(s) = object;
        s.package = s.text("spec", "name");
        s.channel = s.text("spec", "channel");
        s.source = s.text("spec", "source");
        s.source_namespace = s.text("spec", "sourceNamespace");
        s.starting_csv = s.text("spec", "startingCSV");
        s.manual = s.text("spec", "installPlanApproval") == "Manual";
        s.installed_csv = s.text("status", "installedCSV");
        s.current_csv = s.text("status", "currentCSV");
        cluster_.subscriptions.push_back(std::move(s));
    }

    void add_csv(const Object& object) {
        ClusterServiceVersion csv;
        static_cast<Object&>(csv) = object;
        csv.version = csv.text("spec", "version");
        csv.replaces = csv.text("spec", "replaces");
        csv.phase = csv.text("status", "phase");
        csv.copied = is_copied(csv);
        cluster_.csvs.push_back(std::move(csv));
    }

    ClusterState& cluster_;
    Diagnostics& findings_;
};

std::set<std::string> supported(std::span<const Value> modes) {
    std::set<std::string> found;
    for (const Fields mode : modes)
        if (mode.at("type").value().is_string() && mode.flag("supported")) found.emplace(mode.text("type"));
    return found;
}

} // namespace

bool is_of_olm(const Object& csv) {
    return csv.name == "packageserver";
}

namespace {

// By namespace and name.
using OwnCsvs = std::map<std::pair<std::string_view, std::string_view>, const ClusterServiceVersion*>;

// What leads down from each that nothing replaces. Those that replace each other have no such end.
std::set<const ClusterServiceVersion*> replaced_csvs(const OwnCsvs& csvs) {
    const auto next = [&](const ClusterServiceVersion& csv) {
        const auto found = csvs.find({csv.ns, csv.replaces});
        return found == csvs.end() || found->second == &csv ? nullptr : found->second;
    };
    std::set<const ClusterServiceVersion*> below;
    for (const auto& [place, csv] : csvs) below.insert(next(*csv));
    std::set<const ClusterServiceVersion*> replaced;
    for (const auto& [place, csv] : csvs) {
        if (below.contains(csv)) continue;
        for (const auto* at = next(*csv); at && replaced.insert(at).second;) at = next(*at);
    }
    return replaced;
}

} // namespace

std::vector<const ClusterServiceVersion*> unsubscribed_csvs(const ClusterState& cluster) {
    OwnCsvs csvs;
    for (const ClusterServiceVersion& csv : cluster.csvs)
        if (!csv.copied) csvs.try_emplace({csv.ns, csv.name}, &csv);
    const std::set<const ClusterServiceVersion*> replaced = replaced_csvs(csvs);
    std::set<std::pair<std::string_view, std::string_view>> subscribed;
    for (const Subscription& subscription : cluster.subscriptions) {
        subscribed.emplace(subscription.ns, subscription.installed_csv);
        subscribed.emplace(subscription.ns, subscription.current_csv);
    }
    std::vector<const ClusterServiceVersion*> all;
    for (const ClusterServiceVersion& csv : cluster.csvs)
        if (!csv.copied && !is_of_olm(csv) && !subscribed.contains({csv.ns, csv.name}) &&
            !replaced.contains(&csv))
            all.push_back(&csv);
    return all;
}

bool is_copied(const Object& csv) {
    if (csv.text("status", "reason") == "Copied") return true;
    const Fields home = csv.at("metadata", "annotations", "olm.operatorNamespace");
    if (home && home.text() != csv.ns) return true;
    return bool(csv.at("metadata", "labels", "olm.copiedFrom"));
}

bool fails_forward(const Object& group) {
    return group.text("spec", "upgradeStrategy") == "TechPreviewUnsafeFailForward";
}

void read_manifests(std::shared_ptr<const SourceFile> file, ClusterState& cluster, Diagnostics& findings) {
    struct Memory {
        std::shared_ptr<const SourceFile> file;
        Arena arena;
    };
    const auto memory = std::make_shared<Memory>();
    memory->file = file;
    Reader reader(cluster, findings);
    for (const DocumentRange& range : split_into_documents(*file, findings)) {
        Diagnostic problem;
        if (const auto value = read_document(*file, range, memory->arena, problem)) {
            if (auto ambiguous = find_ambiguous_key(*file, *value, "manifest"))
                findings.push_back(*std::move(ambiguous));
            else
                reader.add(Object(*value, memory, file.get()));
        }
        if (!problem.message.empty())
            findings.push_back(std::move(problem)); // also of what is only partly read
    }
    cluster.files.push_back(std::move(file));
}

void add_object(const Object& object, ClusterState& cluster, Diagnostics& findings) {
    Reader(cluster, findings).add(object);
}

namespace {

// The first object of each group, kind, namespace and name. The keys refer to it.
using SeenObjects =
    std::map<std::tuple<std::string_view, std::string_view, std::string, std::string>, Object>;

template <typename OneObject>
void remove_repeated_from(std::vector<OneObject>& objects, SeenObjects& seen, Diagnostics& findings) {
    std::erase_if(objects, [&](const OneObject& object) {
        const auto [first, is_new] =
            seen.try_emplace({object.group(), object.kind(), object.ns, object.name}, object);
        if (is_new || object.name.empty()) return false;
        const bool is_equal = kube::is_equal(first->second.value(), object.value());
        // A must-gather holds much else, of which some changes while it is gathered.
        const bool is_read = object.group().starts_with("olm.") ||
                             object.group().starts_with("operators.coreos.") ||
                             object.kind() == "ClusterVersion";
        if (!is_equal && !is_read) return false;
        if (!is_equal)
            findings.push_back(
                with_note({.rule = "manifest",
                           .message = fmt::format("{} is given twice, with different content: which one the "
                                                  "cluster has is not known",
                                                  object.describe()),
                           .where = object.where(),
                           .notes = {},
                           .help = "leave out the older one"},
                          "the other one", first->second.where()));
        return true;
    });
}

} // namespace

void remove_repeated(ClusterState& cluster, Diagnostics& findings) {
    SeenObjects seen;
    remove_repeated_from(cluster.catalog_sources, seen, findings);
    remove_repeated_from(cluster.subscriptions, seen, findings);
    remove_repeated_from(cluster.csvs, seen, findings);
    remove_repeated_from(cluster.operator_groups, seen, findings);
    for (std::vector<Object>* const objects :
         {&cluster.operator_conditions, &cluster.install_plans, &cluster.crds, &cluster.namespaces,
          &cluster.olm_configs, &cluster.others})
        remove_repeated_from(*objects, seen, findings);
}

std::string usual_global_namespace(const std::set<std::string>& namespaces) {
    for (const char* usual : usual_global_namespaces)
        if (namespaces.contains(usual)) return usual;
    return {};
}

std::string likely_global_namespace(const ClusterState& cluster, const std::string& ns) {
    std::set<std::string> others;
    for (const CatalogSource& source : cluster.catalog_sources)
        if (source.ns != ns) others.insert(source.ns);
    if (std::string usual = usual_global_namespace(others); !usual.empty()) return usual;
    return others.empty() ? ns : *others.begin();
}

std::optional<ClusterState> objects_of(const Bundle& bundle) {
    std::optional<ClusterState> objects;
    for (const Property& property : bundle.properties) {
        const auto manifest = manifest_in(property);
        if (!manifest) continue;
        if (!objects) objects.emplace();
        Diagnostics unreadable;
        read_manifests(
            std::make_shared<SourceFile>(fmt::format("a manifest of {}", bundle.name.text), *manifest),
            *objects, unreadable);
    }
    return objects;
}

std::vector<std::string> other_manifests_of(const Bundle& bundle) {
    std::vector<std::string> names;
    const auto objects = objects_of(bundle);
    if (!objects) return names;
    for (const Object& crd : objects->crds)
        names.push_back(fmt::format("CustomResourceDefinition {}", crd.name));
    for (const Object& object : objects->others)
        names.push_back(fmt::format("{} {}", object.kind(), object.name));
    return names;
}

std::optional<std::set<std::string>> install_modes_of(const Bundle& bundle) {
    for (const Property& property : bundle.properties) {
        if (property.type != property_type::csv_metadata || !property.value) continue;
        if (const Value* const modes = property.value->find("installModes"))
            return supported(Fields(*modes).items());
    }
    if (const auto objects = objects_of(bundle))
        for (const ClusterServiceVersion& csv : objects->csvs)
            if (auto modes = install_modes_of(csv)) return modes;
    return std::nullopt;
}

std::optional<std::set<std::string>> install_modes_of(const ClusterServiceVersion& csv) {
    if (!csv.at("spec", "installModes")) return std::nullopt;
    return supported(csv.items("spec", "installModes"));
}

std::string min_kube_version_of(const Bundle& bundle) {
    for (const Property& property : bundle.properties)
        if (property.type == property_type::csv_metadata && property.value)
            if (const std::string_view version = Fields(*property.value).text("minKubeVersion");
                !version.empty())
                return std::string(version);
    if (const auto objects = objects_of(bundle))
        for (const ClusterServiceVersion& csv : objects->csvs)
            if (const std::string_view version = csv.text("spec", "minKubeVersion"); !version.empty())
                return std::string(version);
    return {};
}

} // namespace opcat::classic
