#include "opcat/cluster/state.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

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
    CHECK(both.has(Olm::v1));
    CHECK_FALSE(neither.has(Olm::classic));
    CHECK(neither.has(Olm::none));
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
