#include "opcat/cluster/state.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <string>

using namespace opcat;
using namespace opcat::cluster;

TEST_CASE("the API groups show which OLM is installed") {
    const Served both = Served::of({"apps", "operators.coreos.com", "olm.operatorframework.io"});
    CHECK(both.classic);
    CHECK(both.v1);
    CHECK_FALSE(both.packages);
    const Served neither = Served::of({"apps"});
    CHECK_FALSE(neither.classic);
    CHECK_FALSE(neither.v1);
}

TEST_CASE("times are those that a cluster can have") {
    CHECK(time_of("2026-01-31T12:00:00Z") == std::chrono::system_clock::from_time_t(1769860800));
    for (const char* no_time : {"", "soon", "2026-01-31", "0001-01-01T00:00:00Z", "1700-01-01T00:00:00Z",
                                "2263-01-01T00:00:00Z", "9999-12-31T23:59:59Z"})
        CHECK_FALSE(time_of(no_time));
}

TEST_CASE("a crashing container is failing between its crashes, too, and a new one is not") {
    const Json crashed{{"terminated", {{"exitCode", 1}, {"reason", "Error"}}}};
    const Json ended_well{{"terminated", {{"exitCode", 0}, {"reason", "Completed"}}}};
    const auto waiting = [](const char* reason) { return Json{{"waiting", {{"reason", reason}}}}; };
    const Json running{{"running", Json::object()}};
    struct Case {
        Json state;
        Json last_state;
        int restarts;
        bool ready;
        const char* trouble; // without the names of pod and container; empty: not failing
    };
    const Case cases[] = {
        {waiting("ContainerCreating"), Json::object(), 0, false, ""},
        {waiting("PodInitializing"), Json::object(), 0, false, ""},
        {running, Json::object(), 0, false, ""},
        {running, crashed, 1, false, ""},
        {running, crashed, 9, true, ""},
        {running, ended_well, 9, false, ""},
        {waiting("CrashLoopBackOff"), crashed, 3, false,
         "CrashLoopBackOff (it ended with Error, exit code 1)"},
        {running, crashed, 2, false, "restarted 2 times (it ended with Error, exit code 1)"},
        {running, crashed, 3, false, "restarted 3 times (it ended with Error, exit code 1)"},
        {crashed, crashed, 4, false, "restarted 4 times (it ended with Error, exit code 1)"},
        {waiting("ImagePullBackOff"), Json::object(), 0, false, "ImagePullBackOff"},
    };
    for (const Case& c : cases) {
        Json pod = named_object("v1", "Pod", "p", "shop");
        pod["status"]["containerStatuses"] = Json::array({{{"name", "manager"},
                                                           {"state", c.state},
                                                           {"lastState", c.last_state},
                                                           {"restartCount", c.restarts},
                                                           {"ready", c.ready}}});
        CAPTURE(pod.dump());
        const std::string expected = *c.trouble ? std::string("pod p: container manager: ") + c.trouble : "";
        CHECK(trouble_of_pod(object_of(pod)) == expected);
    }
}

TEST_CASE("a pod that no node can take is in trouble, and one that is not scheduled yet is not") {
    Json pod = named_object("v1", "Pod", "p", "shop");
    const auto trouble_for = [&](const char* reason) {
        pod["status"]["conditions"] = Json::array({{{"type", "PodScheduled"},
                                                    {"status", "False"},
                                                    {"reason", reason},
                                                    {"message", "0/3 nodes are available"}}});
        return trouble_of_pod(object_of(pod));
    };
    CHECK(trouble_for("Unschedulable") == "pod p has no node: 0/3 nodes are available");
    CHECK(trouble_for("SchedulingGated").empty());
}

TEST_CASE("a failure counts as progress until it has lasted as long as its hold") {
    using std::chrono::seconds;
    const auto since = std::chrono::system_clock::from_time_t(1'000'000);
    OperatorState young;
    young.health = Health::failing;
    young.cause = "crashes";
    young.hold = seconds(30);
    young.since = since;
    const auto after = [&](OperatorState state, int passed) {
        disregard_young_failure(state, since + seconds(passed));
        return state;
    };
    CHECK(after(young, 29).health == Health::working);
    CHECK(after(young, 29).stage == "crashes");
    CHECK(after(young, 30).health == Health::failing);
    CHECK(after(young, -1).health == Health::failing); // the clocks differ
    OperatorState with_stage = young;
    with_stage.stage = "installing";
    CHECK(after(with_stage, 0).stage == "installing");
}
