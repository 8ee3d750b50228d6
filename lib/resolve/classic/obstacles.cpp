#include "opcat/resolve/classic/obstacles.hpp"

#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <string_view>

namespace opcat::classic {

using kube::Fields;

namespace {

std::string_view state_of_connection(const Object& catalog_source) {
    return catalog_source.text("status", "connectionState", "lastObservedState");
}

std::string with_reason(std::string sentence, std::string_view reason) {
    return reason.empty() ? sentence : fmt::format("{}: {}", sentence, on_one_line(reason));
}

// What a Subscription reports of itself.
std::string reported(const Object& subscription, std::string_view type) {
    const kube::Condition condition = subscription.condition(type);
    if (!condition.is_true()) return {};
    return with_reason(fmt::format("its Subscription reports {}", type),
                       condition.message.empty() ? condition.reason : condition.message);
}

} // namespace

std::string why_not_upgradeable(const Object& condition) {
    if (const Fields override_ = Fields::of_type(condition.items("spec", "overrides"), "Upgradeable")) {
        if (override_.text("status") == "True") return {};
        return fmt::format("the operator is not upgradeable: {}", override_.text("message"));
    }
    const Fields stated = Fields::of_type(condition.items("status", "conditions"), "Upgradeable");
    const Fields reported = Fields::of_type(condition.items("spec", "conditions"), "Upgradeable");
    // OLM copies what the operator reports into the status.
    if (!stated && reported.text("status") == "False")
        return fmt::format("the operator is not upgradeable: {}", reported.text("message"));
    if (!stated) return {};
    if (stated.number("observedGeneration") != condition.number("metadata", "generation"))
        return fmt::format("the operatorcondition status \"Upgradeable\"=\"{}\" is outdated",
                           stated.text("status"));
    if (stated.text("status") == "False")
        return fmt::format("the operator is not upgradeable: {}", stated.text("message"));
    return {};
}

std::string why_not_replaced(const Object& csv, bool fails_forward) {
    if (csv.text("status", "phase") != "Failed" || fails_forward) return {};
    const std::string_view reason = csv.text("status", "reason");
    return fmt::format("{} has failed{}, and OLM does not replace a failed operator", csv.name,
                       reason.empty() ? "" : fmt::format(" ({})", reason));
}

std::string why_stopped(const Object& subscription, const Object* csv, const Object* plan) {
    if (subscription.is_terminating()) return "its Subscription is being deleted";
    if (csv && csv->is_terminating()) return fmt::format("{} is being deleted", csv->name);
    if (plan && plan->text("status", "phase") == "Failed")
        return with_reason(
            fmt::format("InstallPlan {} has failed, and OLM makes no other as long as it is there",
                        plan->name),
            plan->condition("Installed").message);
    for (const std::string_view type : {"BundleUnpackFailed", "InstallPlanFailed"})
        if (std::string why = reported(subscription, type); !why.empty()) return why;
    if (subscription.text("status", "state") == "UpgradeFailed")
        return "its Subscription is in state UpgradeFailed";
    return {};
}

std::string why_unresolved(const Object& subscription, const Surroundings& around) {
    for (const std::string_view type : {"ResolutionFailed", "CatalogSourcesUnhealthy"})
        if (std::string why = reported(subscription, type); !why.empty()) return why;
    if (around.groups > 1)
        return fmt::format("namespace {} has {} OperatorGroups, and OLM resolves nothing there",
                           subscription.ns, around.groups);
    if (around.groups == 0 && around.are_groups_known)
        return fmt::format("namespace {} has no OperatorGroup", subscription.ns);
    if (!around.catalog && around.are_catalogs_known)
        return fmt::format("its CatalogSource {}/{} is not there",
                           subscription.text("spec", "sourceNamespace"), subscription.text("spec", "source"));
    if (around.unhealthy)
        return fmt::format(
            "CatalogSource {}/{} was last seen in state {}, and OLM resolves nothing until it answers",
            around.unhealthy->ns, around.unhealthy->name, state_of_connection(*around.unhealthy));
    return {};
}

bool is_unhealthy(const Object& catalog_source) {
    const std::string_view state = state_of_connection(catalog_source);
    return !state.empty() && state != "READY";
}

} // namespace opcat::classic
