#include "opcat/admission/admission.hpp"

#include "opcat/admission/checks.hpp"
#include "opcat/base/text.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/type.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::admission {
namespace {

using kube::Fields;

// Rules of names.
enum class Naming : uint8_t { subdomain, service, label, path_segment };

struct Kind {
    std::string_view name;
    std::string_view group; // without one: the core group
    Naming naming;
    bool is_typed; // the table of Go's types has it
    void (*check)(const Fields& object, Refusals& out);
};

void nothing_more(const Fields&, Refusals&) {}

constexpr Kind kinds[] = {
    {"ConfigMap", "", Naming::subdomain, true, check_config_map},
    {"Secret", "", Naming::subdomain, true, check_secret},
    {"Service", "", Naming::service, true, check_service},
    {"ServiceAccount", "", Naming::subdomain, true, nothing_more},
    {"Namespace", "", Naming::label, false, nothing_more},
    {"Role", "rbac.authorization.k8s.io", Naming::path_segment, true,
     [](const Fields& object, Refusals& out) { check_rules(object.items("rules"), true, out); }},
    {"ClusterRole", "rbac.authorization.k8s.io", Naming::path_segment, true,
     [](const Fields& object, Refusals& out) { check_rules(object.items("rules"), false, out); }},
    {"RoleBinding", "rbac.authorization.k8s.io", Naming::path_segment, true,
     [](const Fields& object, Refusals& out) { check_binding(object, true, out); }},
    {"ClusterRoleBinding", "rbac.authorization.k8s.io", Naming::path_segment, true,
     [](const Fields& object, Refusals& out) { check_binding(object, false, out); }},
    {"PodDisruptionBudget", "policy", Naming::subdomain, true, check_disruption_budget},
    {"PriorityClass", "scheduling.k8s.io", Naming::subdomain, true, check_priority_class},
    {"NetworkPolicy", "networking.k8s.io", Naming::subdomain, true, check_network_policy},
};

const Kind* find_kind(std::string_view name) {
    const auto* const found =
        std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& kind) { return kind.name == name; });
    return found == std::end(kinds) ? nullptr : found;
}

std::vector<std::string> errors_of(Naming naming, std::string_view name) {
    switch (naming) {
    case Naming::subdomain:
        return kube::subdomain_errors(name);
    // From 1.34 on names may begin with a digit, if a feature gate says so.
    case Naming::service:
        return name.size() <= kube::longest_label && kube::is_dns1123_label(name)
                   ? std::vector<std::string>()
                   : dns1035_label_errors(name);
    case Naming::label:
        return dns1123_label_errors(name);
    case Naming::path_segment:
        break;
    }
    if (name == "." || name == "..") return {fmt::format("may not be '{}'", name)};
    std::vector<std::string> errors;
    for (const std::string_view bad : {"/", "%"})
        if (name.find(bad) != name.npos) errors.push_back(fmt::format("may not contain '{}'", bad));
    return errors;
}

Naming naming_of(const Kind* kind) {
    return kind ? kind->naming : Naming::subdomain;
}

void check_name(Naming naming, const Fields& name, const Fields& near, Refusals& out) {
    const std::string_view text = name.value().string_or_empty();
    if (text.empty())
        out.required("metadata.name", near, "name or generateName is required");
    else
        for (const std::string& error : errors_of(naming, text)) out.invalid("metadata.name", name, error);
}

void check_metadata(const Fields& object, Naming naming, Refusals& out) {
    const Fields metadata = object.at("metadata");
    if (metadata.text("generateName").empty() || metadata.at("name"))
        check_name(naming, metadata.at("name"), metadata ? metadata : object, out);
    check_labels("metadata.labels", metadata.at("labels"), out);
    constexpr size_t most = size_t{256} << 10;
    size_t size = 0;
    for (const Member& annotation : metadata.members("annotations")) {
        const std::string_view key = annotation.key.string();
        size += key.size() + annotation.value.string_or_empty().size();
        for (const std::string& error : kube::label_key_errors(ascii_lower(key)))
            out.invalid("metadata.annotations", Fields(annotation.key), error);
    }
    if (size > most)
        out.add("metadata.annotations", metadata.at("annotations"),
                fmt::format("Too long: may not be more than {} bytes", most));
    size_t index = 0;
    for (const Fields finalizer : metadata.items("finalizers")) {
        const std::string path = item("metadata.finalizers", index++);
        for (const std::string& error : kube::label_key_errors(finalizer.value().string_or_empty()))
            out.invalid(path, finalizer, error);
    }
}

} // namespace

std::string qualified_kind(std::string_view kind, std::string_view group) {
    return group.empty() ? std::string(kind) : fmt::format("{}.{}", kind, group);
}

std::vector<std::string> name_errors(std::string_view kind, std::string_view name) {
    return errors_of(naming_of(find_kind(kind)), name);
}

std::vector<Refusal> refusals(const kube::Object& object, bool of_any_group) {
    Refusals out;
    const Kind* kind = find_kind(object.kind());
    if (kind && kind->group != object.group() && !of_any_group) kind = nullptr;
    if (kind && kind->is_typed)
        if (const auto misfit = go::find_misfit(object.value(), go::type_named(kind->name), go::Route::map)) {
            out.add("", Fields(misfit->value), misfit->message());
            return std::move(out).take();
        }
    check_metadata(object, naming_of(kind), out);
    if (kind) kind->check(object, out);
    return std::move(out).take();
}

const go::Type* type_of(const kube::Object& object) {
    const Kind* const kind = find_kind(object.kind());
    return kind && kind->is_typed && kind->group == object.group() ? &go::type_named(kind->name) : nullptr;
}

std::string refusal_message(const kube::Object& object, const std::vector<Refusal>& refusals) {
    if (refusals.empty()) return {};
    const Kind* const kind = find_kind(object.kind());
    if (refusals.front().field.empty())
        return fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", object.kind(),
                           object.text("apiVersion").substr(object.text("apiVersion").find('/') + 1),
                           object.kind(), refusals.front().what);
    return invalid_message(qualified_kind(object.kind(), kind ? kind->group : object.group()), object.name,
                           refusals);
}

std::vector<Refusal> deployment_refusals(const Fields& name, const Fields& labels, const Fields& spec) {
    Refusals out;
    check_name(Naming::subdomain, name, spec, out);
    check_labels("metadata.labels", labels, out);
    check_deployment(spec, out);
    return std::move(out).take();
}

std::vector<Refusal> rule_refusals(std::span<const Value> rules, bool in_namespace) {
    Refusals out;
    check_rules(rules, in_namespace, out);
    return std::move(out).take();
}

} // namespace opcat::admission
