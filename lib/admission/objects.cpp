// The fields of the kinds that bundles hold in addition to CustomResourceDefinitions and Deployments.
#include "opcat/admission/checks.hpp"
#include "opcat/base/text.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace opcat::admission {
namespace {

using kube::Fields;

constexpr std::string_view rbac_group = "rbac.authorization.k8s.io";
constexpr size_t largest_data = size_t{1} << 20; // bytes of a ConfigMap or Secret

// A key of a ConfigMap or Secret.
std::vector<std::string> data_key_errors(std::string_view key) {
    std::vector<std::string> errors;
    if (key.size() > kube::longest_subdomain)
        errors.push_back(fmt::format("must be no more than {} characters", kube::longest_subdomain));
    const auto is_allowed = [](char c) {
        return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
               c == '.';
    };
    if (key.empty() || !std::all_of(key.begin(), key.end(), is_allowed))
        errors.emplace_back("a valid config key must consist of alphanumeric characters, '-', '_' or '.' "
                            "(e.g. 'key.name',  or "
                            "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
    if (key == ".")
        errors.emplace_back("must not be '.'");
    else if (key == "..")
        errors.emplace_back("must not be '..'");
    else if (key.starts_with(".."))
        errors.emplace_back("must not start with '..'");
    return errors;
}

void check_keys(const std::string& path, const Fields& data, Refusals& out) {
    for (const Member& member : data.members())
        for (const std::string& error : data_key_errors(member.key.string()))
            out.invalid(entry(path, member.key.string()), Fields(member.key), error);
}

size_t text_size(const Fields& data) {
    size_t size = 0;
    for (const Member& member : data.members()) size += member.value.string_or_empty().size();
    return size;
}

void too_long(std::string field, const Fields& part, Refusals& out) {
    out.add(std::move(field), part, fmt::format("Too long: may not be more than {} bytes", largest_data));
}

// The fields that a type of Secret needs.
struct SecretType {
    std::string_view type;
    std::vector<std::string_view> keys;
};

const std::vector<SecretType>& secret_types() {
    static const std::vector<SecretType> types{
        {"kubernetes.io/dockercfg", {".dockercfg"}},
        {"kubernetes.io/dockerconfigjson", {".dockerconfigjson"}},
        {"kubernetes.io/ssh-auth", {"ssh-privatekey"}},
        {"kubernetes.io/tls", {"tls.crt", "tls.key"}},
    };
    return types;
}

void check_subject(const Fields& subject, bool in_namespace, const std::string& path, Refusals& out) {
    const std::string_view name = subject.text("name");
    const std::string_view group = subject.text("apiGroup");
    const std::string_view kind = subject.kind();
    if (name.empty()) out.required(path + ".name", subject);
    if (kind == "ServiceAccount") {
        if (!name.empty())
            for (const std::string& error : kube::subdomain_errors(name))
                out.invalid(path + ".name", subject.at("name"), error);
        if (!group.empty()) out.not_supported(path + ".apiGroup", subject.at("apiGroup"), {""});
        if (!in_namespace && subject.text("namespace").empty()) out.required(path + ".namespace", subject);
    } else if (kind == "User" || kind == "Group") {
        // The API server fills in a missing group.
        if (!group.empty() && group != rbac_group)
            out.not_supported(path + ".apiGroup", subject.at("apiGroup"), {rbac_group});
    } else {
        out.not_supported(path + ".kind", subject.at("kind") ? subject.at("kind") : subject,
                          {"ServiceAccount", "User", "Group"});
    }
}

void check_peers(std::span<const Value> peers, const std::string& path, Refusals& out) {
    size_t index = 0;
    for (const Fields peer : peers) {
        const std::string where = item(path, index++);
        check_selector(where + ".podSelector", peer.at("podSelector"), out);
        check_selector(where + ".namespaceSelector", peer.at("namespaceSelector"), out);
        const bool selects = peer.at("podSelector") || peer.at("namespaceSelector");
        if (const Fields block = peer.at("ipBlock")) {
            if (block.text("cidr").empty()) out.required(where + ".ipBlock.cidr", block);
            if (selects) out.forbidden(where, peer, "may not specify both ipBlock and another peer");
        } else if (!selects) {
            out.required(where, peer, "must specify a peer");
        }
    }
}

void check_rules_of_policy(const Fields& spec, std::string_view list, std::string_view peers, Refusals& out) {
    size_t index = 0;
    for (const Fields rule : spec.items(list)) {
        const std::string where = item("spec." + std::string(list), index++);
        size_t port_index = 0;
        for (const Fields port : rule.items("ports")) {
            const std::string port_path = item(where + ".ports", port_index++);
            out.check_choice(port_path + ".protocol", port.at("protocol"), {"TCP", "UDP", "SCTP"});
            const Fields number = port.at("port");
            if (number) check_port(port_path + ".port", number, out);
            const Fields end = port.at("endPort");
            if (!end) continue;
            if (!number)
                out.invalid(port_path + ".endPort", end, "may not be specified when `port` is not specified");
            else if (number.value().is_string())
                out.invalid(port_path + ".endPort", end, "may not be specified when `port` is non-numeric");
            else if (end.number() < number.number())
                out.invalid(port_path + ".endPort", end, "must be greater than or equal to `port`");
        }
        check_peers(rule.items(peers), where + "." + std::string(peers), out);
    }
}

} // namespace

void check_rules(std::span<const Value> rules, bool in_namespace, Refusals& out) {
    size_t index = 0;
    for (const Fields rule : rules) {
        const std::string path = item("rules", index++);
        const auto lacks = [&](std::string_view list) { return rule.items(list).empty(); };
        const auto need = [&](std::string_view list, std::string_view why) {
            if (lacks(list)) out.required(path + "." + std::string(list), rule, why);
        };
        need("verbs", "verbs must contain at least one value");
        if (!lacks("nonResourceURLs")) {
            const Fields urls = rule.at("nonResourceURLs");
            if (in_namespace)
                out.invalid(path + ".nonResourceURLs", urls,
                            "namespaced rules cannot apply to non-resource URLs");
            if (!lacks("apiGroups") || !lacks("resources") || !lacks("resourceNames"))
                out.invalid(path + ".nonResourceURLs", urls,
                            "rules cannot apply to both regular resources and non-resource URLs");
            continue;
        }
        need("apiGroups", "resource rules must supply at least one api group");
        need("resources", "resource rules must supply at least one resource");
    }
}

void check_binding(const Fields& object, bool in_namespace, Refusals& out) {
    const Fields role = object.at("roleRef");
    const Fields near = role ? role : object;
    // The API server fills in a missing group.
    if (const std::string_view group = role.text("apiGroup"); !group.empty() && group != rbac_group)
        out.not_supported("roleRef.apiGroup", role.at("apiGroup"), {rbac_group});
    const std::string_view kind = role.kind();
    if (kind != "ClusterRole" && !(in_namespace && kind == "Role")) {
        const Fields part = role.at("kind") ? role.at("kind") : near;
        if (in_namespace)
            out.not_supported("roleRef.kind", part, {"Role", "ClusterRole"});
        else
            out.not_supported("roleRef.kind", part, {"ClusterRole"});
    }
    if (role.text("name").empty()) out.required("roleRef.name", near);
    size_t index = 0;
    for (const Fields subject : object.items("subjects"))
        check_subject(subject, in_namespace, item("subjects", index++), out);
}

void check_config_map(const Fields& object, Refusals& out) {
    const Fields data = object.at("data");
    const Fields binary = object.at("binaryData");
    for (const Member& member : data.members()) {
        const std::string_view key = member.key.string();
        const std::string path = entry("data", key);
        for (const std::string& error : data_key_errors(key)) out.invalid(path, Fields(member.key), error);
        if (binary.at(key)) out.invalid(path, Fields(member.key), "duplicate of key present in binaryData");
    }
    check_keys("binaryData", binary, out);
    if (text_size(data) + text_size(binary) * 3 / 4 > largest_data) too_long("", data, out);
}

void check_secret(const Fields& object, Refusals& out) {
    const Fields data = object.at("data");
    const Fields texts = object.at("stringData");
    check_keys("data", data, out);
    check_keys("data", texts, out); // the API server moves them there
    if (text_size(data) * 3 / 4 + text_size(texts) > largest_data) too_long("data", data, out);
    const std::string_view type = object.text("type");
    const auto has = [&](std::string_view key) { return data.at(key) || texts.at(key); };
    for (const SecretType& known : secret_types())
        if (known.type == type)
            for (const std::string_view key : known.keys)
                if (!has(key)) out.required(entry("data", key), object);
    if (type == "kubernetes.io/basic-auth" && !has("username") && !has("password")) {
        out.required("data[username]", object);
        out.required("data[password]", object);
    }
    if (type == "kubernetes.io/service-account-token" &&
        object.annotation("kubernetes.io/service-account.name").empty())
        out.required("metadata.annotations[kubernetes.io/service-account.name]", object);
}

void check_service(const Fields& object, Refusals& out) {
    const Fields spec = object.at("spec");
    const std::string_view type = spec.text("type");
    const bool is_headless = spec.text("clusterIP") == "None";
    const auto ports = spec.items("ports");
    if (ports.empty() && !is_headless && type != "ExternalName")
        out.required("spec.ports", spec ? spec : object);
    out.check_choice("spec.type", spec.at("type"), {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
    if (type == "ExternalName" && spec.text("externalName").empty()) out.required("spec.externalName", spec);
    check_labels("spec.selector", spec.at("selector"), out);
    out.check_choice("spec.sessionAffinity", spec.at("sessionAffinity"), {"ClientIP", "None"});
    std::set<std::string_view> names;
    std::set<std::string> numbers;
    size_t index = 0;
    for (const Fields port : ports) {
        const std::string path = item("spec.ports", index++);
        const std::string_view name = port.text("name");
        if (name.empty()) {
            if (ports.size() > 1) out.required(path + ".name", port);
        } else {
            for (const std::string& error : dns1123_label_errors(name))
                out.invalid(path + ".name", port.at("name"), error);
            if (!names.insert(name).second) out.duplicate(path + ".name", port.at("name"));
        }
        if (port.number("port") < 1 || port.number("port") > 65535)
            out.add(path + ".port", port,
                    fmt::format("Invalid value: {}: must be between 1 and 65535, inclusive",
                                port.number("port")));
        out.check_choice(path + ".protocol", port.at("protocol"), {"SCTP", "TCP", "UDP"});
        // Without a target it is the port itself.
        if (const Fields target = port.at("targetPort");
            target && (target.value().is_string() || target.number() != 0))
            check_port(path + ".targetPort", target, out);
        const std::string_view protocol = port.text("protocol");
        if (!numbers.insert(fmt::format("{} {}", protocol.empty() ? "TCP" : protocol, port.number("port")))
                 .second)
            out.duplicate(path, port);
    }
}

void check_disruption_budget(const Fields& object, Refusals& out) {
    const Fields spec = object.at("spec");
    const Fields least = spec.at("minAvailable");
    const Fields most = spec.at("maxUnavailable");
    if (least && most) out.invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set");
    check_amount("spec.minAvailable", least, true, out);
    check_amount("spec.maxUnavailable", most, true, out);
    check_selector("spec.selector", spec.at("selector"), out);
    out.check_choice("spec.unhealthyPodEvictionPolicy", spec.at("unhealthyPodEvictionPolicy"),
                     {"AlwaysAllow", "IfHealthyBudget"});
}

void check_priority_class(const Fields& object, Refusals& out) {
    constexpr int64_t highest = 1'000'000'000; // that users may define
    const std::string_view name = object.text("metadata", "name");
    const bool is_known = (name == "system-node-critical" && object.number("value") == 2 * highest + 1000) ||
                          (name == "system-cluster-critical" && object.number("value") == 2 * highest);
    if (name.starts_with("system-")) {
        if (!is_known || object.flag("globalDefault"))
            out.forbidden("metadata.name", object.at("metadata", "name"),
                          "priority class names with 'system-' prefix are reserved for system use only");
    } else if (object.number("value") > highest) {
        out.forbidden("value", object.at("value"),
                      fmt::format("maximum allowed value of a user defined priority is {}", highest));
    }
    out.check_choice("preemptionPolicy", object.at("preemptionPolicy"), {"Never", "PreemptLowerPriority"});
}

void check_network_policy(const Fields& object, Refusals& out) {
    const Fields spec = object.at("spec");
    check_selector("spec.podSelector", spec.at("podSelector"), out);
    check_rules_of_policy(spec, "ingress", "from", out);
    check_rules_of_policy(spec, "egress", "to", out);
    const auto types = spec.items("policyTypes");
    if (types.size() > 2)
        return out.invalid("spec.policyTypes", spec.at("policyTypes"),
                           "may not specify more than two policyTypes");
    size_t index = 0;
    for (const Fields type : types) {
        const std::string path = item("spec.policyTypes", index++);
        if (const std::string_view text = type.value().string_or_empty();
            text != "Ingress" && text != "Egress")
            out.not_supported(path, type, {"Ingress", "Egress"});
    }
}

} // namespace opcat::admission
