#include "opcat/bundle_checks/v1_reliance.hpp"

#include "opcat/bundle_checks/outcome_parts.hpp"
#include "opcat/bundle_checks/source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace opcat {

using kube::Fields;

namespace {

constexpr std::string_view in_no_release = "no release from 1.0 to 1.11 gives it";
constexpr std::string_view condition_variable = "OPERATOR_CONDITION_NAME";
constexpr std::string_view token_auth = "features.operators.openshift.io/token-auth-";

// The APIs of OLM classic, with what an operator does with them.
constexpr std::string_view classic_groups[] = {"operators.coreos.com", "packages.operators.coreos.com"};
constexpr std::string_view conditions = "operatorconditions";

struct Access {
    std::set<std::string, std::less<>> resources;
    Fields first; // the rule that names the first of them
};

// Rules for all groups or all resources say nothing of what the operator uses.
void add_access(const Fields& permission, Access& access) {
    for (const Fields rule : permission.items("rules")) {
        const std::vector<std::string> groups = rule.strings("apiGroups");
        if (std::none_of(groups.begin(), groups.end(), [](const std::string& group) {
                return std::find(std::begin(classic_groups), std::end(classic_groups), group) !=
                       std::end(classic_groups);
            }))
            continue;
        for (const std::string& resource : rule.strings("resources")) {
            const std::string name = resource.substr(0, resource.find('/'));
            if (name == "*") continue;
            if (access.resources.insert(name).second && !access.first) access.first = rule;
        }
    }
}

bool reads_condition_variable(const Fields& deployment) {
    for (const Fields container : deployment.items("spec", "template", "spec", "containers"))
        for (const Fields variable : container.items("env"))
            if (variable.text("name") == condition_variable) return true;
    return false;
}

} // namespace

std::vector<Reliance> reliance_of_annotations(const Fields& annotations) {
    for (const Member& annotation :
         annotations.value().is_object() ? annotations.value().members() : std::span<const Member>())
        if (annotation.key.string().starts_with(token_auth) && annotation.value.string_or_empty() == "true")
            return {{.rule = "v1-subscription-config",
                     .message = fmt::format("the operator needs values that users write into their "
                                            "Subscription's spec.config (annotation {})",
                                            annotation.key.string()),
                     .since = "spec.config.inline.deploymentConfig of a ClusterExtension takes them since "
                              "1.8, with the experimental feature set"}};
    return {};
}

std::vector<Reliance> reliance_on_classic(const kube::Object& csv) {
    std::vector<Reliance> all;
    const bundle_checks::CsvParts parts(csv);
    Access access;
    for (const auto permissions : {parts.permissions, parts.cluster_permissions})
        for (const Fields permission : permissions) add_access(permission, access);
    const bool may_report = access.resources.erase(std::string(conditions)) > 0;
    const auto reads = std::find_if(parts.deployments.begin(), parts.deployments.end(),
                                    [](const Value& one) { return reads_condition_variable(Fields(one)); });
    if (may_report || reads != parts.deployments.end())
        all.push_back({.rule = "v1-operator-conditions",
                       .message = "the operator reports its state in an OperatorCondition, whose name OLM "
                                  "classic gives it in OPERATOR_CONDITION_NAME",
                       .since = in_no_release,
                       .where = bundle_checks::place_of(csv, may_report ? access.first : Fields(*reads))});
    if (!access.resources.empty())
        all.push_back(
            {.rule = "v1-classic-api",
             .message = fmt::format("the operator has rights on {} of OLM classic, which OLM v1 does "
                                    "not create",
                                    fmt::join(access.resources, ", ")),
             .since = in_no_release,
             .where = bundle_checks::place_of(csv, access.first)});
    for (Reliance& one : reliance_of_annotations(csv.at("metadata", "annotations"))) {
        one.where = bundle_checks::place_of(csv, csv.at("metadata", "annotations"));
        all.push_back(std::move(one));
    }
    return all;
}

} // namespace opcat
