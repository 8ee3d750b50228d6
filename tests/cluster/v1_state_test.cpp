#include "opcat/cluster/state.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace opcat::cluster;

namespace {

Object extension(const char* installed, const char* progressing, const char* reason, int observed = 2) {
    return object_of({{"kind", "ClusterExtension"},
                      {"metadata", {{"name", "shop"}, {"generation", 2}}},
                      {"spec", {{"namespace", "shop"}, {"source", {{"catalog", {{"packageName", "shop"}}}}}}},
                      {"status",
                       {{"install", {{"bundle", {{"name", "shop.v1"}, {"version", "1.0.0"}}}}},
                        {"conditions", Json::array({{{"type", "Installed"}, {"status", installed}},
                                                    {{"type", "Progressing"},
                                                     {"status", progressing},
                                                     {"reason", reason},
                                                     {"message", "m"},
                                                     {"observedGeneration", observed}}})}}}});
}

Object deployment(int available, int updated = 1) {
    return object_of(
        {{"kind", "Deployment"},
         {"metadata", {{"name", "c"}, {"namespace", "shop"}, {"labels", {{owner_name_label, "shop"}}}}},
         {"spec", {{"replicas", 1}, {"selector", {{"matchLabels", {{"app", "shop"}}}}}}},
         {"status", {{"availableReplicas", available}, {"updatedReplicas", updated}}}});
}

} // namespace

TEST_CASE("an extension is done when OLM reports it for the latest request, and its pods run") {
    const std::vector<Object> up{deployment(1)};
    const std::vector<Object> down{deployment(0)};
    CHECK(state_of_extension(extension("True", "True", "Succeeded"), up, {}).health == Health::ready);
    // The pod of the old version is available, and that of the new one does not become available.
    const std::vector<Object> renewing{deployment(1, 0)};
    CHECK(state_of_extension(extension("True", "True", "Succeeded"), renewing, {}).health == Health::working);
    // OLM's status is about an older request.
    CHECK(state_of_extension(extension("True", "True", "Succeeded", 1), up, {}).health == Health::working);
    // The old version is installed, the new one fails.
    const OperatorState failing = state_of_extension(extension("True", "True", "Retrying"), up, {});
    CHECK(failing.health == Health::failing);
    CHECK(failing.running);
    CHECK(failing.cause == "Retrying: m");
    CHECK(state_of_extension(extension("False", "False", "Blocked"), up, {}).reason == "blocked");
    // Nothing is installed yet.
    CHECK(state_of_extension(extension("False", "True", "Succeeded"), up, {}).stage == "installing");
    CHECK(state_of_extension(extension("False", "True", "Succeeded"), up, {}).health == Health::working);
    // OLM does not check the Deployments.
    CHECK(state_of_extension(extension("True", "True", "Succeeded"), down, {}).health == Health::working);
    const Json pod{{"metadata", {{"name", "c-1"}, {"namespace", "shop"}, {"labels", {{"app", "shop"}}}}},
                   {"status",
                    {{"containerStatuses",
                      Json::array({{{"name", "manager"},
                                    {"state", {{"waiting", {{"reason", "CrashLoopBackOff"}}}}}}})}}}};
    CHECK(state_of_extension(extension("True", "True", "Succeeded"), down, std::vector{object_of(pod)})
              .reason == "pods-failing");
}
