#include "opcat/base/error.hpp"
#include "opcat/cluster/kubectl.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <thread>

using namespace opcat;
using namespace opcat::cluster;

namespace {

// Answers calls with what it is given, in turn, and remembers them.
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
    const Kubectl kubectl({.program = "k", .kubeconfig = "c", .context = "-x", .as = "alice"},
                          script.runner());
    CHECK(kubectl.list(resource::subscriptions, Scope::in("shop"), "a=b").size() == 1);
    const std::vector<std::string> expected{"k",
                                            "--kubeconfig=c",
                                            "--context=-x",
                                            "--as=alice",
                                            "get",
                                            "subscriptions.operators.coreos.com",
                                            "--output=json",
                                            "--namespace=shop",
                                            "--selector=a=b"};
    CHECK(script.calls.at(0) == expected);
}

TEST_CASE("what is not there is no failure of get") {
    Script script;
    script.answers = {{1, "", "Error from server (NotFound): namespaces \"shop\" not found\n"},
                      {1, "", "error: the server doesn't have a resource type \"subscriptions\"\n"}};
    const Kubectl kubectl({}, script.runner());
    CHECK_FALSE(kubectl.get(resource::namespaces, "shop"));
    CHECK_FALSE(kubectl.get(resource::subscriptions, "a", Scope::in("shop")));
}

TEST_CASE("an empty list on standard output is no answer when the call failed") {
    Script script;
    script.answers = {
        {1, R"({"kind":"List","items":[]})",
         "Error from server (Forbidden): pods is forbidden: User \"alice\" cannot list resource "
         "\"pods\" in API group \"\" in the namespace \"shop\"\n"}};
    const Kubectl kubectl({}, script.runner());
    try {
        (void)kubectl.list(resource::pods, Scope::in("shop"));
        FAIL("no error");
    } catch (const KubectlError& error) {
        CHECK(error.kind() == FailureKind::forbidden);
        CHECK(error.what() == std::string("cannot list pods of namespace shop: user alice may not list pods "
                                          "in namespace shop"));
    }
}

TEST_CASE("a server that cannot answer just now is asked again") {
    Script script;
    script.answers = {{1, "", "Error from server (InternalError): try later\n"},
                      {0, R"({"gitVersion":"v1.31.2"})", ""}};
    const Kubectl kubectl({}, script.runner());
    CHECK(kubectl.server_version() == "v1.31.2");
    CHECK(script.calls.size() == 2);
}

TEST_CASE("names that are none never reach kubectl") {
    Script script;
    const Kubectl kubectl({}, script.runner());
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

TEST_CASE("objects are applied as one List of JSON") {
    Script script;
    script.answers = {{0, "", "Warning: something\n"}};
    const Kubectl kubectl({}, script.runner());
    kubectl.apply({object_of({{"kind", "A"}, {"source", "y"}}), object_of({{"kind", "B"}})});
    CHECK(script.inputs.at(0) ==
          R"({"apiVersion":"v1","kind":"List","items":[{"kind":"A","source":"y"},{"kind":"B"}]})");
}

TEST_CASE("a kubectl that is missing, or does not end, is told apart") {
    try {
        (void)Kubectl({.program = "no-such-kubectl"}).api_groups();
        FAIL("no error");
    } catch (const KubectlError& error) {
        CHECK(error.kind() == FailureKind::program);
        CHECK(std::string(error.what()).find("no such program") != std::string::npos);
    }
    const Kubectl slow({.call_timeout = std::chrono::milliseconds(50)}, [](const ProcessRequest& request) {
        std::this_thread::sleep_for(*request.timeout);
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
