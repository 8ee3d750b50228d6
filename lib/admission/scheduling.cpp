// Where the pods of a Deployment may run.
#include "opcat/admission/checks.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

namespace opcat::admission {
namespace {

using kube::Fields;

void check_tolerations(const Fields& spec, const std::string& spec_path, Refusals& out) {
    size_t index = 0;
    for (const Fields toleration : spec.items("tolerations")) {
        const std::string path = item(spec_path + ".tolerations", index++);
        const std::string_view key = toleration.text("key");
        const std::string_view op = toleration.text("operator");
        if (!key.empty())
            for (const std::string& error : kube::label_key_errors(key))
                out.invalid(path + ".key", toleration.at("key"), error);
        else if (op != "Exists")
            out.add(path + ".operator", toleration,
                    fmt::format("Invalid value: {}: operator must be Exists when `key` is empty, which means "
                                "\"match all values and all keys\"",
                                go_quote(op)));
        if (op == "Exists" && !toleration.text("value").empty())
            out.invalid(path + ".operator", toleration.at("value"),
                        "value must be empty when `operator` is 'Exists'");
        out.check_choice(path + ".effect", toleration.at("effect"),
                         {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    }
}

void check_node_term(const Fields& term, const std::string& path, Refusals& out) {
    size_t index = 0;
    for (const Fields expression : term.items("matchExpressions"))
        check_requirement(item(path + ".matchExpressions", index++), expression, true, out);
}

void check_pod_term(const Fields& term, const std::string& path, Refusals& out) {
    check_selector(path + ".labelSelector", term.at("labelSelector"), out);
    check_selector(path + ".namespaceSelector", term.at("namespaceSelector"), out);
    const std::string_view key = term.text("topologyKey");
    if (key.empty())
        out.required(path + ".topologyKey", term, "can not be empty");
    else
        for (const std::string& error : kube::label_key_errors(key))
            out.invalid(path + ".topologyKey", term.at("topologyKey"), error);
}

// The preferences of an affinity, each with its term.
void check_preferences(const Fields& affinity, const std::string& affinity_path, std::string_view term,
                       void (*check_term)(const Fields&, const std::string&, Refusals&), Refusals& out) {
    constexpr std::string_view list = "preferredDuringSchedulingIgnoredDuringExecution";
    size_t index = 0;
    for (const Fields preference : affinity.items(list)) {
        const std::string path = item(fmt::format("{}.{}", affinity_path, list), index++);
        if (const int64_t weight = preference.number("weight"); weight < 1 || weight > 100)
            out.add(path + ".weight", preference.at("weight") ? preference.at("weight") : preference,
                    fmt::format("Invalid value: {}: must be in the range 1-100", weight));
        check_term(preference.at(term), fmt::format("{}.{}", path, term), out);
    }
}

void check_affinity(const Fields& affinity, const std::string& path, Refusals& out) {
    constexpr std::string_view required = "requiredDuringSchedulingIgnoredDuringExecution";
    if (const Fields node = affinity.at("nodeAffinity")) {
        const std::string node_path = path + ".nodeAffinity";
        if (const Fields needed = node.at(required)) {
            const std::string terms = fmt::format("{}.{}.nodeSelectorTerms", node_path, required);
            if (needed.items("nodeSelectorTerms").empty())
                out.required(terms, needed, "must have at least one node selector term");
            size_t index = 0;
            for (const Fields term : needed.items("nodeSelectorTerms"))
                check_node_term(term, item(terms, index++), out);
        }
        check_preferences(node, node_path, "preference", check_node_term, out);
    }
    for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
        const Fields pods = affinity.at(kind);
        const std::string pods_path = fmt::format("{}.{}", path, kind);
        size_t index = 0;
        for (const Fields term : pods.items(required))
            check_pod_term(term, item(fmt::format("{}.{}", pods_path, required), index++), out);
        check_preferences(pods, pods_path, "podAffinityTerm", check_pod_term, out);
    }
}

void check_spread(const Fields& spec, const std::string& spec_path, Refusals& out) {
    size_t index = 0;
    for (const Fields constraint : spec.items("topologySpreadConstraints")) {
        const std::string path = item(spec_path + ".topologySpreadConstraints", index++);
        if (constraint.number("maxSkew") < 1)
            out.add(
                path + ".maxSkew", constraint,
                fmt::format("Invalid value: {}: must be greater than zero", constraint.number("maxSkew")));
        if (constraint.text("topologyKey").empty())
            out.required(path + ".topologyKey", constraint, "can not be empty");
        const Fields what = constraint.at("whenUnsatisfiable");
        if (const std::string_view text = what.value().string_or_empty();
            text != "DoNotSchedule" && text != "ScheduleAnyway")
            out.not_supported(path + ".whenUnsatisfiable", what ? what : constraint,
                              {"DoNotSchedule", "ScheduleAnyway"});
        check_selector(path + ".labelSelector", constraint.at("labelSelector"), out);
    }
}

} // namespace

void check_scheduling(const Fields& spec, const std::string& path, Refusals& out) {
    check_labels(path + ".nodeSelector", spec.at("nodeSelector"), out);
    check_affinity(spec.at("affinity"), path + ".affinity", out);
    check_tolerations(spec, path, out);
    check_spread(spec, path, out);
}

} // namespace opcat::admission
