// Manifests that could prevent a cluster from working as its administrators want.
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/go/decode.hpp"

#include <fmt/core.h>

namespace opcat::bundle_checks {
namespace {

using kube::Fields;

void check_disruption_budget(const kube::Object& budget, Diagnostics& out) {
    const Fields unavailable = budget.at("spec", "maxUnavailable");
    // operator-sdk reads a text as the number 0, both "0%" and "50%".
    if (unavailable && (unavailable.value().is_string() || budget.number("spec", "maxUnavailable") == 0))
        out.push_back(
            error("disruption-budget", place_of(budget, unavailable),
                  "a PodDisruptionBudget with this maxUnavailable can keep nodes from being drained",
                  "write a number of 1 or more"));
    if (const Fields available = budget.at("spec", "minAvailable");
        available.value().string_or_empty() == "100%")
        out.push_back(error("disruption-budget", place_of(budget, available),
                            "a PodDisruptionBudget with this minAvailable keeps nodes from being drained",
                            "write less than 100%"));
}

void check_priority_class(const kube::Object& priority, Diagnostics& out) {
    if (priority.flag("globalDefault"))
        out.push_back(error("priority-class-default", place_of(priority, priority, "globalDefault"),
                            "a PriorityClass of a bundle must not be the default of the whole cluster",
                            "write \"globalDefault: false\""));
}

void check_role(const kube::Object& role, Diagnostics& out) {
    for (const Fields rule : role.items("rules")) {
        if (has_any(rule, "apiGroups", {"policy"}) && has_any(rule, "resources", {"poddisruptionbudgets"}) &&
            has_any(rule, "verbs", {"*", "create", "update", "patch"}))
            out.push_back(
                warning("disruption-budget-permission", place_of(role, rule),
                        fmt::format("{} lets the operator write PodDisruptionBudgets", role.describe()),
                        "remove it unless the operator needs it"));
        if (has_any(rule, "apiGroups", {"security.openshift.io"}) &&
            has_any(rule, "resources", {"securitycontextconstraints"}) &&
            has_any(rule, "verbs", {"*", "delete", "update", "patch"}) &&
            has_any(rule, "resourceNames", // those that OpenShift has from the start
                    {"privileged", "restricted", "anyuid", "hostaccess", "hostmount-anyuid", "hostnetwork",
                     "node-exporter", "nonroot"}))
            out.push_back(error(
                "scc-permission", place_of(role, rule),
                fmt::format("{} lets the operator change a SecurityContextConstraints of OpenShift's own",
                            role.describe()),
                "create one for the operator, and name that"));
    }
}

struct CheckOfKind {
    std::string_view kind;
    std::string_view type;
    void (*check)(const kube::Object&, Diagnostics&);
};

constexpr CheckOfKind checks[] = {
    {"PodDisruptionBudget", "PodDisruptionBudget", check_disruption_budget},
    {"PriorityClass", "PriorityClass", check_priority_class},
    {"Role", "Role", check_role},
    {"ClusterRole", "ClusterRole", check_role},
};

} // namespace

void check_objects(const Source& bundle, Diagnostics& out) {
    for (const kube::Object& object : bundle.objects)
        for (const CheckOfKind& check : checks) {
            if (object.kind() != check.kind) continue;
            const auto misfit =
                go::find_misfit(object.value(), go::type_named(check.type), go::Route::converter);
            if (misfit)
                out.push_back(error("field-type", {object.file, misfit->value.offset(), 1},
                                    fmt::format("{}: {}", object.describe(), misfit->message())));
            else
                check.check(object, out);
        }
}

} // namespace opcat::bundle_checks
