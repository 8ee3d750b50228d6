#include "../emulated.hpp"
#include "opcat/base/error.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "simulated_time.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>

using namespace opcat;
using namespace opcat::cluster;

namespace {

// Answers calls with prepared results, in turn, and records them.
struct Script {
    std::vector<ProcessResult> answers;
    std::vector<std::vector<std::string>> calls;
    std::vector<std::string> inputs;

    RunProcess runner() {
        return [this](const ProcessRequest& request) {
            calls.push_back(request.arguments);
            inputs.emplace_back(request.input);
            REQUIRE(calls.size() <= answers.size());
            return answers[calls.size() - 1];
        };
    }
};

} // namespace

TEST_CASE("kubectl gets the user's context and full names, each value with its flag") {
    Script script;
    script.answers = {{0, R"({"kind":"List","items":[{"kind":"Subscription"}]})", ""}};
    const Kubectl kubectl(
        {.program = "k", .kubeconfig = "c", .context = "-x", .as = "alice", .calls_at_once = 1},
        script.runner());
    CHECK(kubectl.list(resource::subscriptions, Scope::in("shop"), "a=b").size() == 1);
    const std::vector<std::string> expected{"k",
                                            "--kubeconfig=c",
                                            "--context=-x",
                                            "--as=alice",
                                            "get",
                                            "subscriptions.v1alpha1.operators.coreos.com",
                                            "--output=json",
                                            "--chunk-size=0",
                                            "--namespace=shop",
                                            "--selector=a=b"};
    CHECK(script.calls.at(0) == expected);
}

TEST_CASE("a missing object is not a failure of get") {
    Script script;
    const ProcessResult missing{1, "", "error: the server doesn't have a resource type \"subscriptions\"\n"};
    // Only answers of a ready server count.
    script.answers = {{1, "", "Error from server (NotFound): namespaces \"shop\" not found\n"},
                      missing,
                      {0, "ok", ""},
                      missing};
    const Kubectl kubectl({.clock = simulated_clock(), .calls_at_once = 1}, script.runner());
    CHECK_FALSE(kubectl.get(resource::namespaces, "shop"));
    CHECK_FALSE(kubectl.get(resource::subscriptions, "a", Scope::in("shop")));
}

TEST_CASE("an empty list on standard output does not count when the call failed") {
    Script script;
    script.answers = {
        {1, R"({"kind":"List","items":[]})",
         "Error from server (Forbidden): pods is forbidden: User \"alice\" cannot list resource "
         "\"pods\" in API group \"\" in the namespace \"shop\"\n"}};
    const Kubectl kubectl({.clock = simulated_clock(), .calls_at_once = 1}, script.runner());
    try {
        (void)kubectl.list(resource::pods, Scope::in("shop"));
        FAIL("no error");
    } catch (const KubectlError& error) {
        CHECK(error.kind() == FailureKind::forbidden);
        CHECK(error.what() == std::string("cannot list pods of namespace shop: user alice may not list pods "
                                          "in namespace shop"));
    }
}

TEST_CASE("a server that is briefly unavailable is asked again") {
    Script script;
    script.answers = {{1, "", "Error from server (InternalError): try later\n"},
                      {0, R"({"gitVersion":"v1.31.2"})", ""}};
    const Kubectl kubectl({.clock = simulated_clock(), .calls_at_once = 1}, script.runner());
    CHECK(kubectl.server_version() == "v1.31.2");
    CHECK(script.calls.size() == 2);
}

TEST_CASE("a resource counts as missing only if the API server is ready") {
    Script script;
    const ProcessResult missing{1, "", "error: the server doesn't have a resource type \"subscriptions\"\n"};
    const ProcessResult starting{1, "",
                                 "Error from server (InternalError): an error on the server (\"[-]crd\")\n"};
    script.answers = {
        missing, starting, missing, starting, {0, R"({"kind":"List","items":[{"kind":"A"}]})", ""}};
    const Kubectl kubectl({.clock = simulated_clock(), .calls_at_once = 1}, script.runner());
    CHECK(kubectl.list(resource::subscriptions, Scope::in("shop")).size() == 1);
    CHECK(script.calls.at(1).back() == "/readyz");
}

TEST_CASE("a kind that the cluster does not serve does not hide the others") {
    Script script;
    const ProcessResult missing{1, "", "error: the server doesn't have a resource type \"b\"\n"};
    const ProcessResult one{0, R"({"kind":"List","items":[{"kind":"A"}]})", ""};
    const ProcessResult ready{0, "ok", ""};
    script.answers = {one, missing, ready, missing, one};
    CHECK(Kubectl({.clock = simulated_clock(), .calls_at_once = 1}, script.runner())
              .list("a,b,c", Scope::in("shop"))
              .size() == 2);
    CHECK(script.calls.back().at(2) == "c");
}

TEST_CASE("what does not change while a command runs is asked for once") {
    Script script;
    script.answers = {
        {0, R"({"gitVersion":"v1.31.2"})", ""},
        {0, R"({"groups":[{"name":"olm.operatorframework.io"},{"name":"operators.coreos.com"}]})", ""},
        {0, "ok", ""}};
    const Kubectl kubectl({.clock = simulated_clock(), .calls_at_once = 1}, script.runner());
    for (int i = 0; i < 2; ++i) {
        CHECK(kubectl.server_version() == "v1.31.2");
        CHECK(kubectl.acting_as("alice").api_groups().size() == 2);
    }
    CHECK(script.calls.size() == 3);
}

TEST_CASE("of the failures of questions that are asked together the first counts, after all have ended") {
    for (const unsigned at_once : {1U, 2U, 16U}) {
        const Kubectl kubectl({.clock = simulated_clock(), .calls_at_once = at_once}, Script().runner());
        std::atomic<int> ended = 0;
        const auto fail = [&](const char* why) {
            return [&ended, why] {
                ++ended;
                throw Error(why);
            };
        };
        CHECK_THROWS_WITH(
            kubectl.together({[&] { ++ended; }, fail("first"), fail("second"), [&] { ++ended; }}), "first");
        CHECK(ended == 4);
    }
}

TEST_CASE("objects are asked for in parts, and answered in their order") {
    std::mutex mutex;
    std::vector<size_t> parts;
    const Kubectl kubectl(
        {.clock = simulated_clock(), .calls_at_once = 4}, [&](const ProcessRequest& request) {
            const std::vector<Object> part = kube::objects_in(kube::parse_object(request.input, "objects"));
            const std::lock_guard lock(mutex);
            parts.push_back(part.size());
            return ProcessResult{0, kube::to_text(part), ""};
        });
    std::vector<Object> objects;
    for (int i = 0; i < 10; ++i)
        objects.push_back(object_of(named_object("v1", "ConfigMap", "c-" + std::to_string(i), "shop")));
    std::string names;
    for (const Object& object : kubectl.existing(objects)) names += object.name.substr(2);
    CHECK(names == "0123456789");
    CHECK(parts.size() == 4);
    CHECK(*std::max_element(parts.begin(), parts.end()) == 3);
}

TEST_CASE("many definitions are read in one list, unless the user may only read single ones") {
    std::vector<Object> definitions;
    for (const char* name : {"a.x", "b.x", "c.x"}) definitions.push_back(crd_reference(name));
    const ProcessResult forbidden{1, "",
                                  "Error from server (Forbidden): d is forbidden: User \"alice\" cannot list "
                                  "resource \"d\" in API group \"\" at the cluster scope\n"};
    const ProcessResult all{0, kube::to_text(definitions), ""};
    const std::vector<Object> two(definitions.begin(), definitions.begin() + 2);
    for (const std::vector<ProcessResult>& answers : {std::vector{all}, std::vector{forbidden, all}}) {
        Script script;
        script.answers = answers;
        const Kubectl kubectl({.clock = simulated_clock(), .calls_at_once = 1}, script.runner());
        CHECK(kubectl.existing(two).size() == 2);
        CHECK(script.calls.size() == answers.size());
    }
}

TEST_CASE("API groups without an OLM are believed only of an API server that is ready") {
    Script script;
    const ProcessResult starting{1, "",
                                 "Error from server (InternalError): an error on the server (\"[-]crd\")\n"};
    script.answers = {{0, R"({"groups":[{"name":"apiregistration.k8s.io"}]})", ""},
                      starting,
                      {0, R"({"groups":[{"name":"apps"}]})", ""},
                      {0, "ok", ""},
                      {0, R"({"groups":[{"name":"apps"},{"name":"operators.coreos.com"}]})", ""}};
    CHECK(Kubectl({.clock = simulated_clock(), .calls_at_once = 1}, script.runner())
              .api_groups()
              .contains("operators.coreos.com"));
    CHECK(script.calls.size() == 5);
}

TEST_CASE("an outage is waited for if the server has answered before, and only then") {
    const ProcessResult away{
        1, "", "The connection to the server h:1 was refused - did you specify the right host?\n"};
    Script first;
    first.answers = {away};
    CHECK_THROWS_AS(
        (void)Kubectl({.clock = simulated_clock(), .calls_at_once = 1}, first.runner()).server_version(),
        KubectlError);

    Script later;
    const ProcessResult version{0, R"({"gitVersion":"v1.31.2"})", ""};
    later.answers = {version, away, away, version, away};
    const Kubectl kubectl({.clock = simulated_clock(), .calls_at_once = 1}, later.runner());
    (void)kubectl.raw("/version");
    CHECK(kubectl.raw("/version") == version.out);
    CHECK_THROWS_AS((void)kubectl.without_patience().raw("/version"), KubectlError);
}

TEST_CASE("an outage that is waited for is reported once") {
    const ProcessResult away{
        1, "", "The connection to the server h:1 was refused - did you specify the right host?\n"};
    const ProcessResult version{0, R"({"gitVersion":"v1.31.2"})", ""};
    Script script;
    script.answers = {version, away, away, away, away, away, version};
    std::vector<std::string> reports;
    const Kubectl kubectl({.longest_outage = std::chrono::seconds(90),
                           .on_outage = [&](const std::string& report) { reports.push_back(report); },
                           .clock = simulated_clock(),
                           .calls_at_once = 1},
                          script.runner());
    (void)kubectl.raw("/version");
    (void)kubectl.raw("/version");
    CHECK(reports == std::vector<std::string>{
                         "the cluster cannot be reached: The connection to the server h:1 was refused - did "
                         "you specify the right host?; waiting for it, for up to 90 s"});
}

TEST_CASE("an API server that has started and does not become ready is an error") {
    const ProcessResult groups{0, R"({"groups":[{"name":"apps"}]})", ""};
    Script script;
    script.answers = {groups, {1, "", "Error from server (InternalError): an error on the server\n"}};
    const Kubectl kubectl(
        {.longest_outage = std::chrono::milliseconds(0), .clock = simulated_clock(), .calls_at_once = 1},
        script.runner());
    CHECK_THROWS_WITH_AS(
        (void)kubectl.api_groups(),
        "cannot ask the cluster what it serves: the API server has started and does not become ready",
        KubectlError);
}

TEST_CASE("an API server whose readiness cannot be asked is not ready") {
    int calls = 0;
    const Kubectl kubectl(
        {.longest_outage = std::chrono::milliseconds(0), .clock = simulated_clock(), .calls_at_once = 1},
        [&](const ProcessRequest&) -> ProcessResult {
            if (++calls == 1) return {0, R"({"groups":[{"name":"apps"}]})", ""};
            throw Error("cannot run kubectl");
        });
    CHECK_THROWS_WITH_AS((void)kubectl.api_groups(), doctest::Contains("does not become ready"),
                         KubectlError);
    CHECK(calls == 2);
}

TEST_CASE("a right that the user lacks is an error, and so is an unknown answer") {
    const Object object = object_of({{"apiVersion", "apps/v1"},
                                     {"kind", "Deployment"},
                                     {"metadata", {{"name", "a"}, {"namespace", "shop"}}}});
    Script script;
    script.answers = {{0, "yes\n", ""},
                      {1, "no\n", ""},
                      {1, "", "error: You must be logged in to the server (Unauthorized)\n"}};
    const Kubectl kubectl({.clock = simulated_clock(), .calls_at_once = 1}, script.runner());
    CHECK_NOTHROW(kubectl.require_right("create", object));
    const std::vector<std::string> asked{"kubectl",         "auth", "can-i", "create", "deployments.apps",
                                         "--namespace=shop"};
    CHECK(script.calls.at(0) == asked);
    CHECK_THROWS_WITH_AS(
        kubectl.require_right("create", object),
        "cannot create Deployment shop/a: the user may not create deployments.apps in namespace shop",
        KubectlError);
    try {
        kubectl.require_right("create", object);
        FAIL("no error");
    } catch (const KubectlError& error) {
        CHECK(error.kind() == FailureKind::unauthorized);
    }
}

TEST_CASE("fewer answers about rights than questions are an error") {
    Script script;
    script.answers = {{0, "true\nfalse\n", ""}, {0, "true\n", ""}};
    const Kubectl kubectl({.clock = simulated_clock(), .calls_at_once = 1}, script.runner());
    const std::vector<Object> two(2, object_of({{"kind", "SubjectAccessReview"}}));
    CHECK(kubectl.allowed(two) == std::vector<bool>{true, false});
    CHECK_THROWS_WITH_AS((void)kubectl.allowed(two),
                         "cannot ask who has which rights: the answer is not complete", KubectlError);
}

TEST_CASE("the namespace is that of the context") {
    Script script;
    script.answers = {{0, R"({"contexts":[{"name":"a","context":{"namespace":"shop"}}]})", ""},
                      {0, R"({"contexts":[{"name":"a","context":{}}]})", ""}};
    const Kubectl kubectl({.clock = simulated_clock(), .calls_at_once = 1}, script.runner());
    CHECK(kubectl.current_namespace() == "shop");
    CHECK(kubectl.current_namespace() == "default");
}

TEST_CASE("optional kinds that the user may not list are left out") {
    const ProcessResult forbidden{
        1, "",
        "Error from server (Forbidden): b is forbidden: User \"alice\" cannot list resource "
        "\"b\" in API group \"\" in the namespace \"shop\"\n"};
    const ProcessResult one{0, R"({"kind":"List","items":[{"kind":"A"}]})", ""};
    Script script;
    script.answers = {one, forbidden, one};
    const Kubectl kubectl({.clock = simulated_clock(), .calls_at_once = 1}, script.runner());
    std::vector<const char*> optional{"b"};
    std::vector<std::string> unread;
    CHECK(kubectl.list_permitted("a", optional, Scope::in("shop"), unread).size() == 1);
    CHECK(optional.empty());
    CHECK(unread == std::vector<std::string>{
                        "cannot list b of namespace shop: user alice may not list b in namespace shop"});
    // The next call does not ask for it.
    CHECK(kubectl.list_permitted("a", optional, Scope::in("shop"), unread).size() == 1);
    CHECK(script.calls.back().at(2) == "a");

    Script none;
    none.answers = {forbidden, forbidden};
    std::vector<const char*> other{"a"};
    CHECK_THROWS_AS((void)Kubectl({.clock = simulated_clock(), .calls_at_once = 1}, none.runner())
                        .list_permitted("b", other, Scope::in("shop"), unread),
                    KubectlError);
}

TEST_CASE("a kubeconfig without a current context is refused before any request, except in a pod") {
    const ProcessResult no_context{1, "", "error: current-context must exist in order to minify\n"};
    Script script;
    script.answers = {no_context, no_context};
    CHECK(Kubectl({.in_pod = true, .clock = simulated_clock(), .calls_at_once = 1}, script.runner())
              .current_namespace() == "default");
    try {
        (void)Kubectl({.clock = simulated_clock(), .calls_at_once = 1}, script.runner()).current_namespace();
        FAIL("no error");
    } catch (const KubectlError& error) {
        CHECK(error.kind() == FailureKind::configuration);
    }
}

TEST_CASE("invalid names never reach kubectl") {
    Script script;
    const Kubectl kubectl({.clock = simulated_clock(), .calls_at_once = 1}, script.runner());
    for (const char* name : {"", "-o", "a b", "a/b", "--all", "a;b"}) {
        CAPTURE(name);
        CHECK_THROWS_AS((void)kubectl.get(resource::namespaces, name), RequestError);
    }
    for (const char* ns : {"a.b", "-n", "A"}) {
        CAPTURE(ns);
        CHECK_THROWS_AS((void)kubectl.list(resource::pods, Scope::in(ns)), RequestError);
    }
    CHECK(script.calls.empty());
}

TEST_CASE("an answer that is not the whole list is not an empty one") {
    for (const auto& [answer, why] : {
             std::pair("{}", "the answer of kubectl is not a list"),
             std::pair("null", "the answer of kubectl is not a list"),
             std::pair(R"({"kind":"Status","items":[]})", "the answer of kubectl is not a list"),
             std::pair(R"({"kind":"List","items":{}})", "the answer of kubectl is not a list"),
             std::pair(R"({"kind":"List","metadata":{"continue":"x"},"items":[{"kind":"A"}]})",
                       "the answer of kubectl is only a part of the list"),
         }) {
        CAPTURE(answer);
        Script script;
        script.answers = {{0, answer, ""}};
        std::string said;
        try {
            (void)Kubectl({}, script.runner()).list("subscriptions.x");
        } catch (const Error& error) {
            said = error.what();
        }
        CHECK(said == fmt::format("cannot list subscriptions: {}", why));
    }
    Script script;
    script.answers = {{0, R"({"kind":"SubscriptionList","items":null})", ""}};
    CHECK(Kubectl({}, script.runner()).list("subscriptions.x").empty());
}

TEST_CASE("objects are applied as one List of JSON") {
    Script script;
    script.answers = {{0, "", "Warning: something\n"}};
    const Kubectl kubectl({.clock = simulated_clock(), .calls_at_once = 1}, script.runner());
    kubectl.apply({object_of({{"kind", "A"}, {"source", "y"}}), object_of({{"kind", "B"}})});
    CHECK(script.inputs.at(0) ==
          R"({"apiVersion":"v1","kind":"List","items":[{"kind":"A","source":"y"},{"kind":"B"}]})");
}

TEST_CASE("a kubectl that is missing is distinguished" * doctest::skip(emulated)) {
    try {
        (void)Kubectl({.program = "no-such-kubectl"}).api_groups();
        FAIL("no error");
    } catch (const KubectlError& error) {
        CHECK(error.kind() == FailureKind::program);
        CHECK(std::string(error.what()).find("no such program") != std::string::npos);
    }
}

TEST_CASE("a kubectl that does not end is distinguished") {
    const Clock clock = simulated_clock();
    const Kubectl slow({.call_timeout = std::chrono::milliseconds(50), .clock = clock},
                       [&](const ProcessRequest& request) {
                           clock.sleep(*request.timeout);
                           throw Error("kubectl did not end within 50 ms, and was stopped");
                           return ProcessResult{};
                       });
    try {
        (void)slow.api_groups();
        FAIL("no error");
    } catch (const KubectlError& error) {
        CHECK(error.kind() == FailureKind::unreachable);
        CHECK(std::string(error.what()).find("no answer within 0.05 s") != std::string::npos);
    }
}
