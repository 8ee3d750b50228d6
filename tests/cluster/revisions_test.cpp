#include "object_server.hpp"
#include "opcat/cluster/revisions.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/cluster/v1_install.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace opcat::cluster;

namespace {

Json condition(const char* type, const char* status, const char* reason, const char* message) {
    return {{"type", type},
            {"status", status},
            {"reason", reason},
            {"message", message},
            {"observedGeneration", 1}};
}

constexpr const char* probe = R"(Object Deployment.apps/v1 shop/c: .status.condition["Available"] is False)";

// A ClusterObjectSet of shop.
Json set(int number, const Json& conditions, const char* state = "Active") {
    Json json =
        named_object("olm.operatorframework.io/v1", "ClusterObjectSet", "shop-" + std::to_string(number), "");
    json["metadata"]["labels"] = {{owner_name_label, "shop"}};
    json["metadata"]["annotations"] = {
        {"olm.operatorframework.io/bundle-name", "shop.v1." + std::to_string(number) + ".0"},
        {"olm.operatorframework.io/bundle-version", "1." + std::to_string(number) + ".0"}};
    json["spec"] = {{"revision", number},
                    {"lifecycleState", state},
                    {"phases", Json::array({{{"name", "crds"}, {"objects", Json::array({Json::object()})}},
                                            {{"name", "deploy"},
                                             {"objects", Json::array({Json::object(), Json::object()})}}})}};
    json["status"]["conditions"] = conditions;
    return json;
}

Json done() {
    return Json::array({condition("Progressing", "True", "Succeeded", "Revision has rolled out."),
                        condition("Available", "True", "ProbesSucceeded", "Objects are available."),
                        condition("Succeeded", "True", "Succeeded", "Revision succeeded rolling out.")});
}

Json unfinished(const char* status, const char* reason, const char* message) {
    return Json::array({condition("Progressing", status, reason, message),
                        condition("Available", "False", "ProbeFailure", probe)});
}

// With revision 1 installed, and 2 as `conditions` say.
Json extension(const Json& conditions) {
    Json json = named_object("olm.operatorframework.io/v1", "ClusterExtension", "shop", "");
    json["metadata"]["generation"] = 1;
    json["spec"] = {{"namespace", "shop"}, {"source", {{"catalog", {{"packageName", "shop"}}}}}};
    json["status"] = {
        {"install", {{"bundle", {{"name", "shop.v1.1.0"}, {"version", "1.1.0"}}}}},
        {"activeRevisions",
         Json::array({{{"name", "shop-1"}}, {{"name", "shop-2"}, {"conditions", conditions}}})},
        {"conditions", Json::array({condition("Installed", "True", "Succeeded", "m"), conditions.at(0)})}};
    return json;
}

std::vector<std::string> described(const std::vector<Revision>& revisions) {
    std::vector<std::string> words;
    for (const Revision& revision : revisions) words.push_back(revision.describe());
    return words;
}

} // namespace

TEST_CASE("a revision names the phase that it waits in and what it waits for") {
    struct {
        Json conditions;
        const char* words;
    } const cases[] = {
        {done(), "revision shop-2 (1.2.0) has rolled out"},
        {unfinished("True", "RollingOut", "Revision 1.2.0 is rolling out."),
         R"(revision shop-2 (1.2.0) is rolling out, in phase deploy: Object Deployment.apps/v1 shop/c: .status.condition["Available"] is False)"},
        {unfinished("False", "ProgressDeadlineExceeded", "Revision has not rolled out for 10 minute(s)."),
         R"(revision shop-2 (1.2.0) does not roll out, in phase deploy: ProgressDeadlineExceeded: Revision has not rolled out for 10 minute(s): Object Deployment.apps/v1 shop/c: .status.condition["Available"] is False)"},
        {Json::array({condition("Progressing", "True", "Retrying",
                                "revision object collisions in phase 0\nObject X")}),
         "revision shop-2 (1.2.0) does not roll out, in phase crds: Retrying: revision object collisions in "
         "phase 0\nObject X"},
        {Json::array({condition("Progressing", "True", "Retrying", "establish watch: forbidden")}),
         "revision shop-2 (1.2.0) does not roll out: Retrying: establish watch: forbidden"},
        {Json::array(), "revision shop-2 (1.2.0) is rolling out"},
    };
    for (const auto& [conditions, words] : cases) {
        const std::vector<Object> sets = objects_of({set(2, conditions), set(1, done(), "Archived")});
        const std::vector<Revision> revisions = revisions_of(object_of(extension(done())), sets);
        CHECK(described(revisions) == std::vector<std::string>{"revision shop-1 (1.1.0) is archived", words});
        REQUIRE(revisions.size() == 2);
        CHECK(revisions[1].phases.size() == 2);
        CHECK(revisions[1].phases[1].objects == 2);
        CHECK(revisions[1].bundle == "shop.v1.2.0");
    }
}

TEST_CASE("without the objects the status of the extension tells its revisions") {
    const Object shop =
        object_of(extension(unfinished("True", "RollingOut", "Revision 1.2.0 is rolling out.")));
    CHECK(described(revisions_of(shop, {})) ==
          std::vector<std::string>{"revision shop-1 has rolled out",
                                   std::string("revision shop-2 is rolling out, in phase deploy: ") + probe});
    Json other = set(1, done());
    other["metadata"]["labels"][owner_name_label] = "other";
    CHECK(revisions_of(shop, objects_of({other})).size() == 2);
    CHECK(has_revisions(shop));
    CHECK_FALSE(has_revisions(object_of(named_object("a/v1", "ClusterExtension", "shop", ""))));
}

TEST_CASE("the state of an extension names why its newest revision does not progress") {
    const OperatorState rolling = state_of_extension(
        object_of(extension(unfinished("True", "RollingOut", "Revision 1.2.0 is rolling out."))), {}, {});
    CHECK(rolling.health == Health::working);
    CHECK(rolling.stage == std::string("Revision 1.2.0 is rolling out. ") + probe);
    const OperatorState late = state_of_extension(
        object_of(extension(unfinished("False", "ProgressDeadlineExceeded", "not for 10 minute(s)"))), {},
        {});
    CHECK(late.health == Health::failing);
    CHECK(late.reason == "progress-deadline-exceeded");
    CHECK(late.cause == std::string("ProgressDeadlineExceeded: not for 10 minute(s)\n") + probe);
    CHECK(late.running); // the old version
}

TEST_CASE("a rollout that has begun is in the way of every other") {
    ObjectServer cluster{
        .raw = {{"/apis/olm.operatorframework.io/v1",
                 R"({"resources":[{"name":"clusterextensions"},{"name":"clusterobjectsets"}]})"}}};
    const Json conditions = unfinished("False", "ProgressDeadlineExceeded", "m");
    cluster.objects = {set(1, done()), set(2, conditions)};
    const Object shop = object_of(extension(conditions));
    const auto found = revision_in_the_way(cluster.kubectl(), shop);
    REQUIRE(found);
    CHECK(found->bundle == "shop.v1.2.0");
    CHECK(found->is_failing());
    // Who may not read the revisions still knows from the extension that there is one.
    cluster.forbidden = {"clusterobjectsets"};
    REQUIRE(revision_in_the_way(cluster.kubectl(), shop));
    CHECK(revision_in_the_way(cluster.kubectl(), shop)->name == "shop-2");
    cluster.calls.clear();
    CHECK_FALSE(
        revision_in_the_way(cluster.kubectl(), object_of(named_object("a/v1", "ClusterExtension", "s", ""))));
    CHECK(cluster.calls.empty());
}
