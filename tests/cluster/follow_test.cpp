#include "object_server.hpp"
#include "opcat/base/error.hpp"
#include "opcat/cluster/changes.hpp"
#include "opcat/cluster/follow.hpp"
#include "opcat/cluster/objects.hpp"
#include "opcat/cluster/prediction.hpp"
#include "simulated_time.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace opcat;
using namespace opcat::cluster;
using namespace std::chrono_literals;

namespace {

// A cluster whose kubectl lists all objects of a kind, wherever they are, and records changes.
struct FakeCluster {
    std::vector<Json> objects;
    std::vector<std::string> changes; // the verbs
    std::string refusal;              // of `apply`

    Kubectl kubectl() {
        return Kubectl({.clock = simulated_clock(), .calls_at_once = 1},
                       [this](const ProcessRequest& request) -> ProcessResult {
                           const std::string& verb = request.arguments.at(1);
                           const bool dry = std::find(request.arguments.begin(), request.arguments.end(),
                                                      "--dry-run=server") != request.arguments.end();
                           if (verb != "get" && !dry) changes.push_back(verb);
                           if (verb == "patch") approve();
                           if (verb == "apply" && !dry && !refusal.empty()) return {1, "", refusal};
                           std::vector<Object> found = objects_of(objects);
                           const std::string& resource = request.arguments.at(2);
                           if (verb == "get" && !resource.starts_with("-"))
                               std::erase_if(found, [&](const Object& object) {
                                   return plural_of_kind(object.kind()) !=
                                          resource.substr(0, resource.find('.'));
                               });
                           if (resource == resource::install_plans && request.arguments.at(3) == "p")
                               return {0, kube::to_text(found.at(0).value()), ""};
                           return {0, kube::to_text(found), ""};
                       });
    }
    // The effect of an approval in OLM.
    void approve() {
        for (Json& object : objects) {
            if (object["kind"] == "InstallPlan") {
                object["spec"]["approved"] = true;
                object["status"]["phase"] = "Complete";
            }
            if (object["kind"] == "Subscription")
                object["status"] = {{"state", "UpgradePending"},
                                    {"currentCSV", "shop.v1"},
                                    {"installPlanRef", {{"name", "p"}}}};
        }
    }
};

FakeCluster with_a_plan_that_waits() {
    return {
        {{{"kind", "Subscription"},
          {"metadata", {{"name", "shop"}, {"namespace", "n"}}},
          {"spec",
           {{"name", "shop"}, {"source", "c"}, {"sourceNamespace", "n"}, {"installPlanApproval", "Manual"}}},
          {"status",
           {{"state", "UpgradePending"}, {"currentCSV", "shop.v1"}, {"installPlanRef", {{"name", "p"}}}}}},
         {{"kind", "OperatorGroup"}, {"metadata", {{"name", "g"}, {"namespace", "n"}}}},
         {{"kind", "InstallPlan"},
          {"metadata", {{"name", "p"}, {"namespace", "n"}}},
          {"spec", {{"clusterServiceVersionNames", {"shop.v1"}}, {"generation", 1}, {"approved", false}}},
          {"status", {{"phase", "RequiresApproval"}}}}},
        {},
        {}};
}

WaitOptions a_minute() {
    return {.timeout = 60s, .clock = simulated_clock()};
}
const ClassicGoal goal{.package = "shop", .ns = "n", .csv = "shop.v1"};

} // namespace

TEST_CASE("without a user to ask, following ends at an InstallPlan that waits") {
    FakeCluster cluster = with_a_plan_that_waits();
    int looks = 0;
    int ends = 0;
    FollowCallbacks callbacks;
    callbacks.on_state = [&](const OperatorState&) { ++looks; };
    callbacks.on_wait_end = [&](bool good) { ends += good ? 1 : 0; };
    const FollowResult result = follow_classic(cluster.kubectl(), goal, a_minute(), callbacks);
    CHECK(result.end == FollowResult::End::waits);
    CHECK(result.waited.state.plan == "p");
    CHECK(looks > 0);
    CHECK(ends == 1);
    CHECK(cluster.changes.empty());
}

TEST_CASE("the caller decides whether an InstallPlan is approved") {
    FakeCluster cluster = with_a_plan_that_waits();
    std::vector<std::string> asked;
    FollowCallbacks callbacks;
    callbacks.may_approve = [&](const PlanContent& plan) {
        asked.push_back(plan.name + ": " + plan.operators.at(0).csv);
        return false;
    };
    callbacks.on_approved = [&](const PlanContent&) { asked.emplace_back("approved"); };
    CHECK(follow_classic(cluster.kubectl(), goal, a_minute(), callbacks).end == FollowResult::End::waits);
    CHECK(asked == std::vector<std::string>{"p: shop.v1"});
    CHECK(cluster.changes.empty());

    callbacks.may_approve = [](const PlanContent&) { return true; };
    // Nothing else happens on this cluster: the wait ends with the time limit.
    CHECK(follow_classic(cluster.kubectl(), goal, a_minute(), callbacks).end == FollowResult::End::failed);
    CHECK(asked.back() == "approved");
    CHECK(cluster.changes == std::vector<std::string>{"patch"});
}

TEST_CASE("following ends when the Subscription is gone") {
    FakeCluster cluster;
    CHECK_THROWS_WITH_AS(follow_classic(cluster.kubectl(), goal, a_minute(), {}),
                         "the Subscription of shop in namespace n is gone", Error);
}

TEST_CASE("an operator is followed without its pods by users who may not see them") {
    ObjectServer cluster;
    cluster.objects = with_a_plan_that_waits().objects;
    cluster.objects[2]["status"]["phase"] = "Installing";
    cluster.objects[2]["spec"]["approved"] = true;
    for (Json& object : cluster.objects) object["apiVersion"] = "operators.coreos.com/v1";
    cluster.forbidden = {"pods"};
    int looks = 0;
    FollowCallbacks callbacks;
    // It takes longer than the looks without pods, and then succeeds.
    callbacks.on_state = [&](const OperatorState&) {
        if (++looks < 20) return;
        cluster.objects = {cluster.objects[0], cluster.objects[1]};
        cluster.objects[0]["status"] = {
            {"state", "AtLatestKnown"}, {"currentCSV", "shop.v1"}, {"installedCSV", "shop.v1"}};
        cluster.objects.push_back({{"apiVersion", "operators.coreos.com/v1"},
                                   {"kind", "ClusterServiceVersion"},
                                   {"metadata", {{"name", "shop.v1"}, {"namespace", "n"}}},
                                   {"status", {{"phase", "Succeeded"}}}});
    };
    const FollowResult result = follow_classic(cluster.kubectl(), goal, a_minute(), callbacks);
    CHECK(result.end == FollowResult::End::ready);
    const auto asked_for_pods = std::count_if(cluster.calls.begin(), cluster.calls.end(),
                                              [](const auto& call) { return call.at(1) == "pods"; });
    CHECK(asked_for_pods == 1);
}

TEST_CASE("an extension is followed by users who may not see its Deployments") {
    ObjectServer cluster;
    Json extension = named_object("olm.operatorframework.io/v1", "ClusterExtension", "shop", "");
    extension["spec"] = {{"namespace", "n"}, {"source", {{"catalog", {{"packageName", "shop"}}}}}};
    extension["status"] = {
        {"install", {{"bundle", {{"name", "shop.v1"}, {"version", "1.0.0"}}}}},
        {"conditions",
         Json::array({{{"type", "Installed"}, {"status", "True"}},
                      {{"type", "Progressing"}, {"status", "True"}, {"reason", "Succeeded"}}})}};
    cluster.objects = {extension};
    cluster.forbidden = {"deployments"};
    const FollowResult result = follow_v1(cluster.kubectl(), "shop", "shop.v1", a_minute(), {});
    CHECK(result.end == FollowResult::End::ready);
    const auto asked = std::count_if(cluster.calls.begin(), cluster.calls.end(),
                                     [](const auto& call) { return call.at(1) == "deployments.apps"; });
    CHECK(asked == 1);
}

TEST_CASE("a server that cannot say what would change leaves it to the change itself, if it answers") {
    const Object there = operator_group("n", "g", {});
    const Object wanted = operator_group("n", "g", {"other"});
    std::string refusal;
    const Kubectl kubectl({.clock = simulated_clock()}, [&](const ProcessRequest& request) -> ProcessResult {
        if (request.arguments.at(1) == "get") return {0, kube::to_text(std::vector{there}), ""};
        return {1, "", refusal};
    });
    refusal = "The OperatorGroup \"g\" is invalid: spec: no\n";
    const ObjectChanges changes(kubectl, {wanted});
    CHECK(changes.action(0) == ObjectChanges::Action::change);
    CHECK_FALSE(changes.creates("OperatorGroup"));
    refusal = "error: You must be logged in to the server (Unauthorized)\n";
    CHECK_THROWS_AS(ObjectChanges(kubectl, {wanted}), KubectlError);
}

TEST_CASE("only differing objects are changed, and only created ones are deleted again") {
    FakeCluster cluster;
    const Object there = operator_group("n", "g", {});
    cluster.objects = {json_of(there.value())};
    const Object wanted =
        subscription_object({.package = "shop", .ns = "n", .catalog = "c", .catalog_ns = "n"});
    const Kubectl kubectl = cluster.kubectl();
    ObjectChanges changes(kubectl, {there, wanted});
    CHECK(changes.any());
    CHECK(changes.action(0) == ObjectChanges::Action::none);
    CHECK(changes.action(1) == ObjectChanges::Action::create);
    CHECK(changes.touches("Subscription"));
    CHECK_FALSE(changes.touches("OperatorGroup"));
    CHECK(changes.creates("Subscription"));
    CHECK_FALSE(changes.creates("OperatorGroup"));
    CHECK(changes.undo().deleted.empty());
    CHECK(cluster.changes.empty());

    cluster.refusal = "Error from server (Forbidden): no\n";
    CHECK_THROWS_AS(changes.apply(false), KubectlError);
    CHECK(changes.undo().deleted.empty());
    // A call that fails may have created some of the objects.
    cluster.objects.push_back(json_of(wanted.value()));
    const std::vector<Object> undone = changes.undo().deleted;
    REQUIRE(undone.size() == 1);
    CHECK(undone[0].is_same_as(wanted));
    CHECK(cluster.changes == std::vector<std::string>{"apply", "delete"});
}

TEST_CASE("a prediction without the catalog's content says so") {
    FakeCluster cluster = with_a_plan_that_waits();
    cluster.objects.push_back({{"apiVersion", "operators.coreos.com/v1alpha1"},
                               {"kind", "CatalogSource"},
                               {"metadata", {{"name", "c"}, {"namespace", "n"}}},
                               {"spec", {{"image", "registry.example/c:v1"}}}});
    for (Json& object : cluster.objects)
        if (object["kind"] == "Subscription") object["apiVersion"] = "operators.coreos.com/v1alpha1";
    ClassicObjects objects;
    objects.add(objects_of(cluster.objects));
    ThreadPool pool(1);
    std::vector<std::string> asked;
    const CatalogAccess access{[&](const std::string& reference) -> LoadedCatalog {
                                   asked.push_back(reference);
                                   throw Error("no network");
                               },
                               pool};
    const ClassicPrediction prediction = predict_classic({objects, "n", "shop", {}}, access);
    CHECK_FALSE(prediction.possible);
    CHECK(prediction.impossible == "no network");
    CHECK(asked == std::vector<std::string>{"registry.example/c:v1"});
}
