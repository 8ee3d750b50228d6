#include "terminal/cluster_text.hpp"

#include <fmt/format.h>

namespace opcat {

std::string advice_for(const cluster::OperatorState& state) {
    struct Advice {
        std::string_view reason;
        std::string_view text; // {0} package, {1} namespace, {2} the catalog's, {3} what is installed
    };
    static constexpr Advice advices[] = {
        {"needs-approval", "opcat approve {0} -n {1}"},
        {"resolution-failed", "opcat resolve classic -n {1} --from-cluster explains it"},
        {"unpack-failed",
         "once the cluster can pull the bundle's image, this lets OLM try again: kubectl delete "
         "jobs -n {2} -l operatorframework.io/bundle-unpack-ref"},
        {"install-plan-failed", "OLM does not try again: mend the cause, then opcat uninstall {0} -n {1} and "
                                "opcat install {0} -n {1}; custom resources stay"},
        {"csv-missing", "opcat uninstall {0} -n {1}, then opcat install {0} -n {1}"},
        {"no-operator-group", "opcat install {0} -n {1} --create-operator-group"},
        {"several-operator-groups",
         "kubectl delete operatorgroups.operators.coreos.com -n {1} of all but one"},
        {"upgrade-blocked",
         "when the operator allows it, it goes on by itself; kubectl edit "
         "operatorconditions.operators.coreos.com {3} -n {1} overrides it (spec.overrides)"},
    };
    if (state.olm != cluster::Olm::classic) return {};
    for (const Advice& advice : advices)
        if (advice.reason == state.reason)
            return fmt::format(fmt::runtime(advice.text), state.package, state.ns,
                               state.catalog.substr(0, state.catalog.find('/')), state.installed);
    return {};
}

} // namespace opcat
