#include "opcat/cluster/objects.hpp"

#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/document/value.hpp"
#include "opcat/resolve/v1/request.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

namespace opcat::cluster {
namespace {

// A copy; bytes that are not UTF-8 are replaced as in JSON text.
std::string_view utf8_in(Arena& arena, const std::string& text) {
    if (is_valid_utf8(text)) return arena.copy(text);
    return arena.copy(parse_json<Json>(as_line(Json(text))).get<std::string>());
}

Value to_value(const Json& json, Arena& arena) {
    switch (json.type()) {
    case Json::value_t::boolean:
        return Value::of(json.get<bool>());
    case Json::value_t::number_integer:
        return Value::of(json.get<int64_t>());
    case Json::value_t::number_unsigned: {
        const auto number = json.get<uint64_t>();
        return number <= uint64_t{INT64_MAX} ? Value::of(static_cast<int64_t>(number))
                                             : Value::of_large(number);
    }
    case Json::value_t::number_float:
        return Value::of(json.get<double>());
    case Json::value_t::string:
        return Value::of(utf8_in(arena, json.get_ref<const std::string&>()));
    case Json::value_t::array: {
        std::vector<Value> items;
        items.reserve(json.size());
        for (const Json& item : json) items.push_back(to_value(item, arena));
        return Value::of(std::span<const Value>(arena.copy(std::span<const Value>(items))));
    }
    case Json::value_t::object: {
        std::vector<Member> members;
        members.reserve(json.size());
        for (const auto& member : json.items())
            members.push_back({Value::of(utf8_in(arena, member.key())), to_value(member.value(), arena)});
        return Value::of(std::span<const Member>(arena.copy(std::span<const Member>(members))));
    }
    case Json::value_t::null:
    case Json::value_t::binary:
    case Json::value_t::discarded:
        break;
    }
    return Value::of_null();
}

} // namespace

// ---- JSON

Object object_of(const Json& json) {
    const auto arena = std::make_shared<Arena>();
    return {to_value(json, *arena), arena};
}

Json json_of(const Value& value) {
    switch (value.kind()) {
    case Value::Kind::boolean:
        return value.boolean();
    case Value::Kind::integer:
        return value.integer();
    case Value::Kind::large_integer:
        return value.large_integer();
    case Value::Kind::real:
        return value.real();
    case Value::Kind::string:
        return value.string();
    case Value::Kind::array: {
        Json items = Json::array();
        for (const Value& item : value.items()) items.push_back(json_of(item));
        return items;
    }
    case Value::Kind::object: {
        Json members = Json::object();
        for (const Member& member : value.members())
            members[std::string(member.key.string())] = json_of(member.value);
        return members;
    }
    case Value::Kind::null:
        break;
    }
    return {};
}

// ---- objects

Json named_object(const char* version, const char* kind, const std::string& name, const std::string& ns) {
    Json json{{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", name}}}};
    if (!ns.empty()) json["metadata"]["namespace"] = ns;
    return json;
}

Object namespace_object(const std::string& name) {
    return object_of(named_object("v1", "Namespace", name));
}

Object operator_group(const std::string& ns, const std::string& name,
                      const std::vector<std::string>& targets) {
    Json json = named_object("operators.coreos.com/v1", "OperatorGroup", name, ns);
    json["spec"] = Json::object();
    if (!targets.empty()) json["spec"]["targetNamespaces"] = targets;
    return object_of(json);
}

Object subscription_object(const SubscriptionSpec& wanted, const std::string& name) {
    Json json = named_object("operators.coreos.com/v1alpha1", "Subscription",
                             name.empty() ? wanted.package : name, wanted.ns);
    Json& spec = json["spec"] = {{"name", wanted.package}};
    if (!wanted.channel.empty()) spec["channel"] = wanted.channel;
    spec["source"] = wanted.catalog;
    spec["sourceNamespace"] = wanted.catalog_ns;
    spec["installPlanApproval"] = wanted.manual ? "Manual" : "Automatic";
    if (!wanted.starting_csv.empty()) spec["startingCSV"] = wanted.starting_csv;
    return object_of(json);
}

namespace {

void apply_move(Json& spec, const SubscriptionMove& move) {
    if (!move.channel.empty()) spec["channel"] = move.channel;
    if (move.catalog.empty()) return;
    spec["source"] = move.catalog;
    spec["sourceNamespace"] = move.catalog_ns;
}

} // namespace

Object move_patch(const SubscriptionMove& move) {
    Json patch;
    apply_move(patch["spec"], move);
    return object_of(patch);
}

Object moved(const Object& subscription, const SubscriptionMove& move) {
    Json json = json_of(subscription.value());
    apply_move(json["spec"], move);
    return object_of(json);
}

Object with_spec_only(const Object& subscription) {
    Json json =
        named_object("operators.coreos.com/v1alpha1", "Subscription", subscription.name, subscription.ns);
    json["spec"] = json_of(subscription.at("spec").value());
    return object_of(json);
}

Object with_status(const Object& object, const Fields& status) {
    if (!status) return object;
    Json json = json_of(object.value());
    json["status"] = json_of(status.value());
    return object_of(json);
}

Object crd_reference(const std::string& name) {
    return object_of(named_object("apiextensions.k8s.io/v1", "CustomResourceDefinition", name));
}

Object upgraded_definition(const Fields& before, const Object& wanted) {
    Json after = json_of(wanted.value());
    std::vector<std::string> stored = before.strings("status", "storedVersions");
    for (const Fields version : wanted.items("spec", "versions"))
        if (const std::string_view name = version.text("name");
            version.flag("storage") && std::find(stored.begin(), stored.end(), name) == stored.end())
            stored.emplace_back(name);
    after["status"]["storedVersions"] = std::move(stored);
    return object_of(after);
}

bool is_crd(const Object& object) {
    return object.kind() == "CustomResourceDefinition";
}

Object catalog_source(const CatalogSourceSpec& wanted) {
    Json json = named_object("operators.coreos.com/v1alpha1", "CatalogSource", wanted.name, wanted.ns);
    if (!wanted.image_template.empty())
        json["metadata"]["annotations"] = {{"olm.catalogImageTemplate", wanted.image_template}};
    Json& spec = json["spec"] = {{"sourceType", "grpc"}};
    if (wanted.address.empty()) {
        spec["image"] = wanted.image;
        spec["grpcPodConfig"] = {{"securityContextConfig", "restricted"}};
        if (!wanted.extract.empty())
            spec["grpcPodConfig"]["extractContent"] = {{"catalogDir", wanted.extract}};
    } else {
        spec["address"] = wanted.address;
    }
    if (!wanted.display_name.empty()) spec["displayName"] = wanted.display_name;
    if (!wanted.publisher.empty()) spec["publisher"] = wanted.publisher;
    if (wanted.priority) spec["priority"] = *wanted.priority;
    if (!wanted.poll.empty()) spec["updateStrategy"] = {{"registryPoll", {{"interval", wanted.poll}}}};
    return object_of(json);
}

Object cluster_catalog(const ClusterCatalogSpec& wanted) {
    Json json = named_object("olm.operatorframework.io/v1", "ClusterCatalog", wanted.name);
    json["spec"] = {{"source", {{"type", "Image"}, {"image", {{"ref", wanted.image}}}}}};
    if (wanted.poll_minutes) json["spec"]["source"]["image"]["pollIntervalMinutes"] = *wanted.poll_minutes;
    if (wanted.priority) json["spec"]["priority"] = *wanted.priority;
    return object_of(json);
}

kube::Labels named_catalog(const std::string& name) {
    return {{std::string(olmv1::catalog_name_label), name}};
}

namespace {

// Returns spec.source.catalog as both a new extension and a patch have it.
Json source_of(const ExtensionSpec& wanted) {
    Json catalog = Json::object();
    if (!wanted.version.empty()) catalog["version"] = wanted.version;
    if (!wanted.channels.empty()) catalog["channels"] = wanted.channels;
    for (const auto& [key, value] : wanted.catalogs) catalog["selector"]["matchLabels"][key] = value;
    if (wanted.policy) catalog["upgradeConstraintPolicy"] = to_string(*wanted.policy);
    return catalog;
}

// The fields that are the same in a new extension and in a patch.
void add_settings(const ExtensionSpec& wanted, Json& extension) {
    for (const auto& [key, value] : wanted.labels) extension["metadata"]["labels"][key] = value;
    Json& spec = extension["spec"];
    if (wanted.config)
        spec["config"] = {{"configType", "Inline"}, {"inline", json_of(wanted.config.value())}};
    if (wanted.progress_deadline) spec["progressDeadlineMinutes"] = *wanted.progress_deadline;
    if (!wanted.crd_upgrade_safety.empty())
        spec["install"]["preflight"]["crdUpgradeSafety"]["enforcement"] = wanted.crd_upgrade_safety;
}

void merge_into(Json& config, const Json& more) {
    if (!config.is_object() || !more.is_object()) {
        config = more;
        return;
    }
    for (const auto& member : more.items()) merge_into(config[member.key()], member.value());
}

} // namespace

Object cluster_extension(const ExtensionSpec& wanted) {
    Json json = named_object("olm.operatorframework.io/v1", "ClusterExtension", wanted.name);
    Json catalog{{"packageName", wanted.package}};
    catalog.update(source_of(wanted));
    json["spec"] = {{"namespace", wanted.ns}};
    if (!wanted.service_account.empty()) json["spec"]["serviceAccount"] = {{"name", wanted.service_account}};
    add_settings(wanted, json);
    json["spec"]["source"] = {{"sourceType", "Catalog"}, {"catalog", std::move(catalog)}};
    return object_of(json);
}

Object extension_patch(const Fields& before, const ExtensionSpec& wanted) {
    Json catalog = source_of(wanted);
    if (wanted.version.empty()) catalog["version"] = Json();
    if (!wanted.catalogs.empty()) {
        const Fields selector = before.at("spec", "source", "catalog", "selector");
        for (const Member& label : selector.members("matchLabels"))
            if (const std::string key(label.key.string()); !wanted.catalogs.contains(key))
                catalog["selector"]["matchLabels"][key] = Json();
        if (selector.at("matchExpressions")) catalog["selector"]["matchExpressions"] = Json();
    }
    Json patch{{"spec", {{"source", {{"catalog", std::move(catalog)}}}}}};
    add_settings(wanted, patch);
    return object_of(patch);
}

Object in_namespace(const Object& object, const std::string& ns) {
    Json json = json_of(object.value());
    json["metadata"]["namespace"] = ns;
    return object_of(json);
}

Object with_labels(const Object& object, const kube::Labels& labels) {
    if (labels.empty()) return object;
    Json json = json_of(object.value());
    for (const auto& [key, value] : labels) json["metadata"]["labels"][key] = value;
    return object_of(json);
}

Object merged(const Fields& config, const Fields& more) {
    if (!config && !more) return {};
    Json json = config ? json_of(config.value()) : Json::object();
    if (more) merge_into(json, json_of(more.value()));
    return object_of(json);
}

Object nudge() {
    const auto now =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
    return object_of({{"metadata", {{"annotations", {{"opcat/nudged", std::to_string(now.count())}}}}}});
}

std::optional<std::string> fill_image_template(const std::string& text, const std::string& server_version) {
    std::string_view rest = server_version;
    if (rest.starts_with('v')) rest.remove_prefix(1);
    std::string numbers[3];
    for (std::string& part : numbers) {
        while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
            part += rest[0];
            rest.remove_prefix(1);
        }
        if (part.empty()) return std::nullopt;
        if (rest.starts_with('.')) rest.remove_prefix(1);
    }
    std::string filled = text;
    const std::pair<std::string_view, const std::string*> values[] = {
        {"{kube_major_version}", &numbers[0]},
        {"{kube_minor_version}", &numbers[1]},
        {"{kube_patch_version}", &numbers[2]},
    };
    for (const auto& [placeholder, value] : values)
        for (size_t at = 0; (at = filled.find(placeholder, at)) != filled.npos; at += value->size())
            filled.replace(at, placeholder.size(), *value);
    return filled;
}

std::string plural_of_kind(std::string_view kind) {
    const std::string text = ascii_lower(kind);
    if (text.ends_with("ies") || text.ends_with("endpoints")) return text;
    if (text.ends_with("s") || text.ends_with("x") || text.ends_with("ch")) return text + "es";
    constexpr std::string_view vowels = "aeiou";
    if (text.ends_with("y") && text.size() > 1 && vowels.find(text[text.size() - 2]) == vowels.npos)
        return text.substr(0, text.size() - 1) + "ies";
    return text + "s";
}

} // namespace opcat::cluster
