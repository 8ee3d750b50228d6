#include "object_server.hpp"
#include "opcat/cluster/snapshot.hpp"

#include <doctest/doctest.h>

using namespace opcat;
using namespace opcat::cluster;

namespace {

Json warning_of(const char* about, const char* time, const char* message) {
    return {{"apiVersion", "v1"},
            {"kind", "Event"},
            {"metadata", {{"name", message}, {"namespace", "shop"}}},
            {"type", "Warning"},
            {"reason", "BackOff"},
            {"message", message},
            {"involvedObject", {{"kind", "Pod"}, {"name", about}}},
            {"lastTimestamp", time}};
}

OperatorState failing_operator() {
    OperatorState state;
    state.olm = Olm::classic;
    state.health = Health::failing;
    state.ns = "shop";
    state.name = state.package = "a";
    state.installed = "a.v1";
    return state;
}

} // namespace

TEST_CASE("the latest warnings come first, and old ones are left out") {
    ObjectServer cluster;
    for (const auto& [time, message] :
         {std::pair("2026-01-01T00:00:02Z", "two"), std::pair("2026-01-01T00:00:05Z", "five"),
          std::pair("2026-01-01T00:00:01Z", "one"), std::pair("2026-01-01T00:00:04Z", "four"),
          std::pair("2026-01-01T00:00:03Z", "three")})
        cluster.objects.push_back(warning_of("a", time, message));
    CHECK(diagnose(cluster.kubectl(), failing_operator()) ==
          std::vector<std::string>{"event BackOff on Pod a: five", "event BackOff on Pod a: four",
                                   "event BackOff on Pod a: three", "event BackOff on Pod a: two"});
}

TEST_CASE("only the unpack Jobs of the operator's bundles explain a failure") {
    ObjectServer cluster;
    const auto add_job = [&](const char* name, const char* image, const char* condition) {
        Json job = named_object("batch/v1", "Job", name, "olm");
        job["metadata"]["labels"]["operatorframework.io/bundle-unpack-ref"] = name;
        job["spec"]["template"]["spec"]["initContainers"] =
            Json::array({{{"name", "util"}, {"image", "olm"}}, {{"name", "pull"}, {"image", image}}});
        job["status"]["conditions"] =
            Json::array({{{"type", condition}, {"status", "True"}, {"reason", "R"}, {"message", "M"}}});
        Json pod = named_object("v1", "Pod", std::string(name) + "-1", "olm");
        pod["metadata"]["labels"]["job-name"] = name;
        pod["status"]["containerStatuses"] =
            Json::array({{{"name", "pull"}, {"state", {{"waiting", {{"reason", "ImagePullBackOff"}}}}}}});
        cluster.objects.push_back(job);
        cluster.objects.push_back(pod);
    };
    add_job("done", "r/a:v2", "Complete");
    add_job("mine", "r/a:v2", "Failed");
    add_job("other", "r/b:v1", "Failed");
    Json plan = named_object("operators.coreos.com/v1alpha1", "InstallPlan", "install-1", "shop");
    plan["status"]["bundleLookups"] = Json::array({{{"path", "r/a:v2"}}});
    cluster.objects.push_back(plan);
    OperatorState state = failing_operator();
    state.reason = "unpack-failed";
    state.catalog = "olm/people";
    state.plan = "install-1";
    const std::vector<std::string> mine{"unpack Job olm/mine failed: R: M",
                                        "unpack Job mine: pod mine-1: container pull: ImagePullBackOff"};
    CHECK(diagnose(cluster.kubectl(), state) == mine);
    // Before there is an InstallPlan, it is not known whose they are.
    state.plan.clear();
    CHECK(diagnose(cluster.kubectl(), state).size() == 4);
}

TEST_CASE("what the user may not read is left out of the causes") {
    ObjectServer cluster;
    cluster.objects = {warning_of("a", "2026-01-01T00:00:00Z", "it crashed")};
    cluster.forbidden = {"deployments", "pods"};
    CHECK(diagnose(cluster.kubectl(), failing_operator()) ==
          std::vector<std::string>{"event BackOff on Pod a: it crashed"});
    cluster.forbidden.insert("events");
    CHECK(diagnose(cluster.kubectl(), failing_operator()).empty());

    Json pod = named_object("v1", "Pod", "c-1", "olm");
    pod["metadata"]["labels"] = {{"olm.catalogSource", "c"}};
    pod["status"]["containerStatuses"] = Json::array(
        {{{"name", "registry-server"}, {"state", {{"waiting", {{"reason", "ImagePullBackOff"}}}}}}});
    ObjectServer other;
    other.objects = {pod};
    CHECK(diagnose_catalog(other.kubectl(), "olm", "c") ==
          std::vector<std::string>{"pod c-1: container registry-server: ImagePullBackOff"});
    other.forbidden = {"pods"};
    CHECK(diagnose_catalog(other.kubectl(), "olm", "c").empty());
}
