// What an API server judges of a bundle, and its prediction without a cluster leaves out.
#include "opcat/base/listed.hpp"
#include "opcat/bundle_checks/outcome.hpp"
#include "opcat/bundle_checks/outcome_parts.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

using kube::Fields;

bool has_cel_rules(const Value& schema) {
    if (schema.is_object())
        return std::ranges::any_of(schema.members(), [](const Member& member) {
            return (member.key.string() == "x-kubernetes-validations" && !member.value.is_null()) ||
                   has_cel_rules(member.value);
        });
    return schema.is_array() && std::ranges::any_of(schema.items(), has_cel_rules);
}

void add_fields(const Fields& part, std::string_view of, std::initializer_list<std::string_view> fields,
                std::set<std::string>& found) {
    for (const std::string_view field : fields)
        if (part.at(field)) found.insert(fmt::format("{}{}", of, field));
}

// Fields of a pod with rules of their own that admission/pods.cpp does not have.
std::set<std::string> unjudged_fields(const Fields& pod) {
    std::set<std::string> found;
    add_fields(pod, "",
               {"ephemeralContainers", "hostAliases", "os", "overhead", "readinessGates", "resourceClaims",
                "resources", "schedulingGates"},
               found);
    const auto add_security = [&](const Fields& context) {
        add_fields(context, "securityContext.",
                   {"appArmorProfile", "fsGroupChangePolicy", "procMount", "supplementalGroupsPolicy",
                    "sysctls", "windowsOptions"},
                   found);
    };
    add_security(pod.at("securityContext"));
    for (const Fields volume : pod.items("volumes"))
        for (const Member& source : volume.members())
            if (const std::string_view kind = source.key.string();
                kind != "name" && kind != "secret" && kind != "configMap" && kind != "emptyDir" &&
                kind != "hostPath" && kind != "persistentVolumeClaim")
                found.insert(fmt::format("volumes.{}", kind));
    for (const std::string_view list : {"initContainers", "containers"})
        for (const Fields container : pod.items(list)) {
            add_security(container.at("securityContext"));
            add_fields(container, fmt::format("{}.", list),
                       {"resizePolicy", "restartPolicyRules", "volumeDevices"}, found);
        }
    return found;
}

} // namespace

std::vector<std::string> unjudged_parts(const BundleManifests& bundle) {
    std::vector<std::string> parts;
    for (const kube::Object& crd : bundle.crds)
        if (has_cel_rules(crd.value())) parts.push_back(fmt::format("the CEL rules of {}", crd.describe()));
    for (const kube::Object& object : bundle.others)
        if (!admission::type_of(object)) parts.push_back(fmt::format("the fields of {}", object.describe()));
    const bundle_checks::CsvParts csv(bundle.csv);
    const std::set<std::string_view> accounts = csv.accounts(bundle.others);
    for (const Fields deployment : csv.deployments) {
        const Fields pod = deployment.at("spec", "template", "spec");
        if (const auto fields = unjudged_fields(pod); !fields.empty())
            parts.push_back(fmt::format("{} of Deployment {}", listed(fields), deployment.text("name")));
        if (const std::string_view account = pod.text("serviceAccountName");
            !account.empty() && !accounts.contains(account))
            parts.push_back(fmt::format(
                "the service account {} of Deployment {}, which the bundle does not bring: without "
                "it no pods start",
                account, deployment.text("name")));
    }
    return parts;
}

} // namespace opcat
