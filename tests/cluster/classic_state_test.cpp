#include "json_objects.hpp"
#include "opcat/cluster/classic_state.hpp"
#include "opcat/cluster/prediction.hpp"

#include <doctest/doctest.h>

using namespace opcat::cluster;

namespace {

Json subscription(const char* name, Json status = Json::object()) {
    return {{"kind", "Subscription"},
            {"metadata", {{"name", name}, {"namespace", "shop"}}},
            {"spec", {{"name", name}, {"source", "community"}, {"sourceNamespace", "olm"}}},
            {"status", std::move(status)}};
}

Json csv(const char* name, const char* phase, const char* reason = "", const char* message = "") {
    return {{"kind", "ClusterServiceVersion"},
            {"metadata", {{"name", name}, {"namespace", "shop"}}},
            {"spec", {{"version", "1.0.0"}}},
            {"status", {{"phase", phase}, {"reason", reason}, {"message", message}}}};
}

Json plan(const char* name, int generation, std::vector<std::string> csvs, const char* phase, bool approved) {
    return {
        {"kind", "InstallPlan"},
        {"metadata", {{"name", name}, {"namespace", "shop"}}},
        {"spec", {{"clusterServiceVersionNames", csvs}, {"generation", generation}, {"approved", approved}}},
        {"status", {{"phase", phase}}}};
}

Json group(const char* name, Json spec = Json::object()) {
    return {{"kind", "OperatorGroup"},
            {"metadata", {{"name", name}, {"namespace", "shop"}}},
            {"spec", std::move(spec)}};
}

OperatorState state_with(const std::vector<Json>& objects) {
    ClassicObjects classic;
    classic.add(objects_of(objects));
    return state_of_subscription(classic, classic.subscriptions.at(0));
}

Json status_at(const char* csv, const char* state = "AtLatestKnown") {
    return {{"installedCSV", csv}, {"currentCSV", csv}, {"state", state}};
}

} // namespace

TEST_CASE("an operator is ready only when Subscription, InstallPlan and CSV agree") {
    const OperatorState good =
        state_with({subscription("a", status_at("a.v1")), group("g"),
                    plan("p", 1, {"a.v1"}, "Complete", true), csv("a.v1", "Succeeded")});
    CHECK(good.health == Health::ready);
    CHECK(good.running);
    CHECK(good.version == "1.0.0");

    // The Subscription alone says so while the CSV is not there yet, or fails.
    CHECK(state_with({subscription("a", status_at("a.v1")), group("g"), csv("a.v1", "Pending")}).health ==
          Health::working);
    CHECK(state_with({subscription("a", status_at("a.v1")), group("g"),
                      csv("a.v1", "Failed", "UnsupportedOperatorGroup", "no way")})
              .reason == "csv-failed");
    CHECK(state_with({subscription("a"), group("g")}).stage == "resolving");
}

TEST_CASE("no OperatorGroup, or two, is reported although the cluster is silent") {
    CHECK(state_with({subscription("a")}).reason == "no-operator-group");
    const OperatorState two = state_with({subscription("a"), group("g"), group("h")});
    CHECK(two.reason == "several-operator-groups");
    CHECK(two.cause.find("g and h") != std::string::npos);
}

TEST_CASE("the plan that waits is the latest that moves the operator, not the one the Subscription names") {
    Json stale = subscription("b", {{"currentCSV", "b.v1.0.0"}, {"installPlanRef", {{"name", "old"}}}});
    const OperatorState state =
        state_with({stale, group("g"), plan("old", 1, {"b.v1.0.0"}, "RequiresApproval", false),
                    plan("new", 2, {"a.v1.1.0", "b.v1.0.0"}, "RequiresApproval", false)});
    CHECK(state.health == Health::waits);
    CHECK(state.plan == "new");
    CHECK(state.next == "b.v1.0.0");
}

TEST_CASE("a plan of another operator is not this one's") {
    const OperatorState state =
        state_with({subscription("a", status_at("a.v1")), group("g"), csv("a.v1", "Succeeded"),
                    plan("p", 5, {"other.v1"}, "RequiresApproval", false)});
    CHECK(state.health == Health::ready);
    CHECK(state.plan.empty());
}

TEST_CASE("a failed upgrade is reported although the old version still works") {
    Json failed = plan("p", 2, {"a.v2"}, "Failed", true);
    failed["status"]["conditions"] = Json::array({{{"type", "Installed"},
                                                   {"status", "False"},
                                                   {"reason", "InstallComponentFailed"},
                                                   {"message", "m"}}});
    Json status = status_at("a.v1");
    status["currentCSV"] = "a.v2";
    const OperatorState state = state_with({subscription("a", status), group("g"), csv("a.v1", "Succeeded"),
                                            plan("q", 1, {"a.v1"}, "Complete", true), failed});
    CHECK(state.reason == "install-plan-failed");
    CHECK(state.cause == "InstallPlan p failed (InstallComponentFailed): m");
    CHECK(state.running);
    CHECK(state.installed == "a.v1");
    CHECK(state.next == "a.v2");
}

TEST_CASE("the version is shown at every moment of an upgrade") {
    const auto upgrading = [](const char* installed, const std::vector<Json>& csvs) {
        Json status = status_at("a.v2.0.0", "UpgradePending");
        status["installedCSV"] = installed;
        std::vector<Json> objects{subscription("a", status), group("g"),
                                  plan("p", 2, {"a.v2.0.0"}, "Installing", true)};
        objects.insert(objects.end(), csvs.begin(), csvs.end());
        return state_with(objects);
    };
    const Json old_runs = csv("a.v1.0.0", "Succeeded");
    const Json old_ends = csv("a.v1.0.0", "Replacing");
    Json coming = csv("a.v2.0.0", "Installing");
    coming["spec"] = {{"version", "2.0.0"}, {"replaces", "a.v1.0.0"}};
    Json done = coming;
    done["status"]["phase"] = "Succeeded";

    struct Moment {
        const char* installed; // as the Subscription says
        std::vector<Json> csvs;
        const char* version;
    };
    const std::vector<Moment> moments{
        {"a.v1.0.0", {old_runs}, "1.0.0"},
        {"a.v1.0.0", {old_ends, coming}, "1.0.0"},
        {"a.v2.0.0", {old_ends, coming}, "1.0.0"}, // the Subscription is early
        {"a.v2.0.0", {old_ends, done}, "2.0.0"},
        {"a.v1.0.0", {done}, "1.0.0"}, // the Subscription is late, and the old CSV is gone
        {"a.v2.0.0", {done}, "2.0.0"},
    };
    for (const Moment& moment : moments) {
        CAPTURE(moment.installed);
        CAPTURE(moment.csvs.size());
        CHECK(upgrading(moment.installed, moment.csvs).version == moment.version);
    }
}

TEST_CASE("an unpack that failed names the cause") {
    Json failed = subscription("a");
    failed["status"]["conditions"] =
        Json::array({{{"type", "BundleUnpackFailed"},
                      {"status", "True"},
                      {"reason", "BundleUnpackFailed"},
                      {"message", "Job was active longer than specified deadline"}}});
    const OperatorState state = state_with({failed, group("g")});
    CHECK(state.reason == "unpack-failed");
    CHECK(state.cause == "BundleUnpackFailed: Job was active longer than specified deadline");
}

TEST_CASE("an install that timed out is found in the CSV's history") {
    Json object = csv("a.v1", "Installing", "InstallWaiting", "waiting for deployment c");
    object["status"]["conditions"] = Json::array(
        {{{"phase", "Failed"}, {"reason", "InstallCheckFailed"}, {"message", "install timeout"}}});
    const OperatorState state = state_with({subscription("a", status_at("a.v1")), group("g"), object});
    CHECK(state.reason == "install-timeout");
    CHECK(state.cause.find("waiting for deployment c") != std::string::npos);
}

TEST_CASE("failing pods are named while the CSV still waits") {
    Json object = csv("a.v1", "Installing", "InstallWaiting", "waiting");
    object["spec"]["install"]["spec"]["deployments"] =
        Json::array({{{"name", "c"}, {"spec", {{"selector", {{"matchLabels", {{"app", "a"}}}}}}}}});
    Json pod{{"kind", "Pod"},
             {"metadata", {{"name", "c-1"}, {"namespace", "shop"}, {"labels", {{"app", "a"}, {"x", "y"}}}}},
             {"status",
              {{"containerStatuses",
                Json::array(
                    {{{"name", "manager"}, {"state", {{"waiting", {{"reason", "CrashLoopBackOff"}}}}}}})}}}};
    const OperatorState state = state_with({subscription("a", status_at("a.v1")), group("g"), object, pod});
    CHECK(state.reason == "pods-failing");
    CHECK(state.cause == "pod c-1: container manager: CrashLoopBackOff");
}

TEST_CASE("copies of CSVs are not operators") {
    Json copy = csv("a.v1", "Succeeded");
    copy["metadata"]["labels"] = {{"olm.copiedFrom", "other"}};
    Json by_reason = csv("b.v1", "Succeeded", "Copied");
    ClassicObjects classic;
    classic.add(objects_of({copy, by_reason, csv("c.v1", "Succeeded")}));
    const auto states = classic_states(classic);
    REQUIRE(states.size() == 1);
    CHECK(states[0].installed == "c.v1");
    CHECK_FALSE(states[0].notes.empty());
}

TEST_CASE("a CSV without a Subscription that failed says why") {
    ClassicObjects classic;
    classic.add(objects_of({csv("a.v1", "Failed", "ComponentUnhealthy", "deployment c is gone")}));
    const auto states = classic_states(classic);
    REQUIRE(states.size() == 1);
    CHECK(states[0].health == Health::failing);
    CHECK(states[0].reason == "csv-failed");
    CHECK(states[0].cause == "ComponentUnhealthy: deployment c is gone");
}

TEST_CASE("of requirements that are not met, the Kubernetes version comes first") {
    Json object = csv("a.v1", "Pending", "RequirementsNotMet", "one or more requirements couldn't be found");
    object["status"]["requirementStatus"] = Json::array(
        {{{"kind", "CustomResourceDefinition"}, {"name", "a.example.com"}, {"status", "NotPresent"}},
         {{"kind", "ServiceAccount"}, {"name", "a"}, {"status", "Present"}},
         {{"kind", "ClusterServiceVersion"},
          {"name", "a.v1"},
          {"status", "NotPresent"},
          {"message",
           "CSV version requirement not met: minKubeVersion (1.99.0) > server version (1.33.0)"}}});
    const OperatorState state = state_with({subscription("a", status_at("a.v1")), group("g"), object});
    CHECK(state.cause.ends_with("ClusterServiceVersion a.v1 is NotPresent (CSV version requirement not met: "
                                "minKubeVersion (1.99.0) > server version (1.33.0)), "
                                "CustomResourceDefinition a.example.com is NotPresent"));
}

TEST_CASE("what an OperatorGroup watches is an install mode") {
    CHECK(mode_of_group(object_of(group("g"))) == "AllNamespaces");
    CHECK(mode_of_group(object_of(group("g", {{"targetNamespaces", {"shop"}}}))) == "OwnNamespace");
    CHECK(mode_of_group(object_of(group("g", {{"targetNamespaces", {"x"}}}))) == "SingleNamespace");
    CHECK(mode_of_group(object_of(group("g", {{"targetNamespaces", {"shop", "x"}}}))) == "MultiNamespace");
    // What a selector selects is in the status.
    const auto selecting = [](Json namespaces) {
        Json json = group("g", {{"selector", {{"matchLabels", {{"team", "x"}}}}}});
        if (!namespaces.is_null()) json["status"]["namespaces"] = std::move(namespaces);
        return object_of(json);
    };
    CHECK(mode_of_group(selecting({"shop"})) == "OwnNamespace");
    CHECK(mode_of_group(selecting({"x"})) == "SingleNamespace");
    CHECK(mode_of_group(selecting({"y", "x"})) == "MultiNamespace");
    CHECK(targets_of_group(selecting({"y", "x"})) == std::vector<std::string>{"x", "y"});
    CHECK(mode_of_group(selecting({""})) == "AllNamespaces");
    // It selects none, or OLM has not looked yet.
    CHECK(mode_of_group(selecting(Json::array())).empty());
    CHECK(mode_of_group(selecting({})).empty());
}

TEST_CASE("what an InstallPlan says of a bundle is in the first lookup that has its package") {
    Json one = plan("p", 1, {"a.v2"}, "RequiresApproval", false);
    const auto lookup = [](const char* csv, const char* properties) {
        return Json{{"identifier", csv}, {"properties", properties}, {"replaces", "a.v1"}};
    };
    one["status"]["bundleLookups"] = Json::array(
        {lookup("a.v2", "not JSON"), lookup("b.v1", R"({"properties":[{"type":"olm.gvk"}]})"),
         lookup("a.v2",
                R"({"properties":[{"type":"olm.package","value":{"packageName":"a","version":"2.0.0"}}]})"),
         lookup("a.v2",
                R"({"properties":[{"type":"olm.package","value":{"packageName":"x","version":"9.0.0"}}]})")});
    auto bundles = bundles_in_plan(object_of(one));
    CHECK(bundles.size() == 2);
    CHECK(bundles["a.v2"].package == "a");
    CHECK(bundles["a.v2"].version == "2.0.0");
    CHECK(bundles["a.v2"].replaces == "a.v1");
    CHECK(bundles["b.v1"].package.empty());
}

TEST_CASE("a minKubeVersion that the server does not meet is found") {
    CHECK(unmet_min_kube_version("shop.v1", "1.99.0", "v1.36.2") ==
          "shop.v1 needs Kubernetes 1.99.0 (minKubeVersion), and the cluster has v1.36.2: it would stay "
          "Pending");
    for (const char* wrong : {"soon", "1.25", "1.99", "v1"})
        for (const char* server : {"v1.36.2", ""})
            CHECK(unmet_min_kube_version("shop.v1", wrong, server) ==
                  fmt::format("shop.v1 has minKubeVersion {}, which is not a version (write 1.25.0, for "
                              "example): it would stay Pending",
                              wrong));
    for (const char* fine : {"1.36.2", "v1.36.2", "1.36.2-rc.1", "1.20.0", ""})
        CHECK(unmet_min_kube_version("shop.v1", fine, "v1.36.2+k3s").empty());
    CHECK(unmet_min_kube_version("shop.v1", "1.99.0", "").empty());
}

TEST_CASE("custom resources that a schema refuses are named in the same order at each attempt") {
    // Recorded: two attempts of one InstallPlan.
    const std::string start = "retrying execution due to error: updated validation is too restrictive: ";
    const std::string colour = R"(.spec.color: Unsupported value: "green": supported values: "red", "blue")";
    const std::string size = ".spec.size: Invalid value: 1: should be greater than or equal to 3";
    const auto cause = [&](const std::string& list) {
        Json retrying = plan("p", 2, {"a.v2"}, "Installing", true);
        retrying["status"]["message"] = start + list;
        Json status = status_at("a.v1");
        status["currentCSV"] = "a.v2";
        return state_with({subscription("a", status), group("g"), csv("a.v1", "Succeeded"), retrying}).cause;
    };
    const std::string expected = "InstallPlan p: " + start + "[[]" + colour + ", []" + size + "]";
    CHECK(cause("[[]" + colour + ", []" + size + "]") == expected);
    CHECK(cause("[[]" + size + ", []" + colour + "]") == expected);
    CHECK(cause("[[]" + size + "]") == "InstallPlan p: " + start + "[[]" + size + "]");
}

TEST_CASE("a minKubeVersion that is too high is a failure at once, other requirements may still come") {
    const auto hold = [](const std::string& message) {
        Json pending = csv("a.v1", "Pending", "RequirementsNotMet", "not met");
        pending["status"]["requirementStatus"] = Json::array({{{"kind", "ClusterServiceVersion"},
                                                               {"name", "a.v1"},
                                                               {"status", "PresentNotSatisfied"},
                                                               {"message", message}}});
        return state_with({subscription("a", status_at("a.v1")), group("g"), pending}).hold;
    };
    CHECK(hold("CSV version requirement not met: minKubeVersion (1.99.0) > server version (1.36.2)") <
          std::chrono::seconds(10));
    CHECK(hold("something else") >= std::chrono::seconds(60));
}
