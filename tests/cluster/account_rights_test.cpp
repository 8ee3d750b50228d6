#include "object_server.hpp"
#include "opcat/cluster/account_rights.hpp"

#include <doctest/doctest.h>

using namespace opcat;
using namespace opcat::cluster;

namespace {

Object role_with(Json rules, const char* ns = "") {
    Json json = named_object("rbac.authorization.k8s.io/v1", *ns ? "Role" : "ClusterRole", "needed", ns);
    json["rules"] = std::move(rules);
    return object_of(json);
}

// Whether the account has none of the rights that make all other questions unnecessary.
bool is_broad(const Object& review) {
    const Fields asked = review.at("spec", "resourceAttributes");
    return asked.text("resource") == "*" || asked.text("verb") == "escalate" || asked.text("verb") == "bind";
}

} // namespace

TEST_CASE("rights on subresources and on paths are asked for as Kubernetes names them") {
    ObjectServer cluster;
    std::vector<std::string> asked;
    cluster.allows = [&](const Object& review) {
        if (!is_broad(review)) asked.push_back(kube::to_text(review.at("spec").value()));
        return false;
    };
    const NeededRights needed{.used = {role_with(Json::array(
                                  {{{"apiGroups", {""}}, {"resources", {"pods/log"}}, {"verbs", {"get"}}},
                                   {{"nonResourceURLs", {"/metrics"}}, {"verbs", {"get", "head"}}}}))}};
    const AccountRights rights = rights_of_account(cluster.kubectl(), "shop", "mine", needed);
    CHECK(rights.missing ==
          std::vector<std::string>{"get pods/log in the whole cluster", "get, head /metrics"});
    CHECK(rights.unknown.empty());
    REQUIRE(asked.size() == 3);
    CHECK(asked[0].find(R"("verb":"get","group":"","resource":"pods","subresource":"log")") !=
          std::string::npos);
    CHECK(asked[1].find(R"("nonResourceAttributes":{"path":"/metrics","verb":"get"})") != std::string::npos);
    CHECK(asked[1].find(R"("user":"system:serviceaccount:shop:mine")") != std::string::npos);
}

TEST_CASE("a bundle with thousands of rights does not make thousands of requests") {
    ObjectServer cluster;
    size_t asked = 0;
    cluster.allows = [&](const Object& review) {
        if (is_broad(review)) return false;
        ++asked;
        return true;
    };
    // The product of these lists does not fit into any memory.
    Json names = Json::array();
    for (int i = 0; i < 5000; ++i) names.push_back("n" + std::to_string(i));
    const Json same = Json(std::vector<std::string>(5000, "same"));
    const NeededRights needed{
        .used = {role_with(
            Json::array(
                {{{"apiGroups", names}, {"resources", same}, {"resourceNames", names}, {"verbs", names}}}),
            "shop")}};
    const AccountRights rights = rights_of_account(cluster.kubectl(), "shop", "mine", needed);
    CHECK(asked == 48);
    CHECK(rights.missing.empty());
    CHECK(rights.unknown == "4952 of 5000 rights were not asked about [limit]");
}

TEST_CASE("the account's own rules answer any number of questions") {
    Json resources = Json::array();
    for (int i = 0; i < 60; ++i) resources.push_back("kind" + std::to_string(i));
    const auto rule = [](Json groups, Json of, Json verbs) {
        return Json{
            {"apiGroups", std::move(groups)}, {"resources", std::move(of)}, {"verbs", std::move(verbs)}};
    };
    const NeededRights needed{
        .used = {role_with(Json::array({rule({"a"}, resources, {"get"}),
                                        rule({"b"}, {"pods/log", "named"}, {"get"})}),
                           "shop"),
                 role_with(Json::array({rule({"a"}, {"kind0"}, {"get"}),
                                        {{"nonResourceURLs", {"/metrics/a"}}, {"verbs", {"get"}}}}))}};
    ObjectServer cluster;
    size_t asked = 0;
    cluster.allows = [&](const Object& review) {
        if (!is_broad(review)) ++asked;
        return false;
    };
    Json named = rule({"*"}, {"named"}, {"get"});
    named["resourceNames"] = {"other"};
    cluster.rules = {{"resourceRules", {rule({"a"}, {"*"}, {"get"}), rule({"b"}, {"*/log"}, {"*"}), named}},
                     {"nonResourceRules", {{{"nonResourceURLs", {"/metrics/*"}}, {"verbs", {"get"}}}}},
                     {"incomplete", false}};
    const AccountRights rights = rights_of_account(cluster.kubectl(), "shop", "mine", needed);
    // What holds in the namespace does not hold in the whole cluster.
    CHECK(rights.missing == std::vector<std::string>{"get kind0.a in the whole cluster", "get /metrics/a",
                                                     "get named.b in namespace shop"});
    CHECK(rights.unknown.empty());
    CHECK(asked == 0);
    // An authorizer that cannot list its rules may allow more.
    cluster.rules["incomplete"] = true;
    CHECK(rights_of_account(cluster.kubectl(), "shop", "mine", needed).missing == rights.missing);
    CHECK(asked == 3);
}
