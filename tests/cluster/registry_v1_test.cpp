#include "cluster/registry_v1.hpp"
#include "support/error.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

using namespace opcat;
using namespace opcat::cluster;

namespace {

Json sample_csv(const char* mode) {
    return {
        {"apiVersion", "operators.coreos.com/v1alpha1"},
        {"kind", "ClusterServiceVersion"},
        {"metadata", {{"name", "shop.v1.0.0"}, {"annotations", {{"capabilities", "Basic Install"}}}}},
        {"spec",
         {{"version", "1.0.0"},
          {"installModes", Json::array({{{"type", mode}, {"supported", true}}})},
          {"install",
           {{"spec",
             {{"permissions", Json::array({{{"serviceAccountName", "shop-manager"},
                                            {"rules", Json::array({{{"apiGroups", {""}},
                                                                    {"resources", {"configmaps"}},
                                                                    {"verbs", {"get"}}}})}}})},
              {"deployments",
               Json::array({{{"name", "shop"},
                             {"spec",
                              {{"selector", {{"matchLabels", {{"app", "shop"}}}}},
                               {"template",
                                {{"metadata", {{"labels", {{"app", "shop"}}}}},
                                 {"spec", {{"containers", Json::array({{{"name", "c"}}})}}}}}}}}})}}}}}}}};
}

std::vector<std::string> kinds(const std::vector<Json>& objects) {
    std::vector<std::string> found;
    for (const Json& object : objects) found.push_back(kind_of(object));
    return found;
}

} // namespace

TEST_CASE("names of RBAC objects are those of the recorded control plane") {
    const std::filesystem::path flow =
        std::filesystem::path(OPCAT_SHARED) / "conformance/cluster/v1-install-latest/events.jsonl";
    if (!std::filesystem::exists(flow)) {
        MESSAGE("skipped: there are no recorded flows beside the project");
        return;
    }
    std::ifstream file(flow);
    size_t compared = 0;
    for (std::string line; std::getline(file, line);) {
        const Json event = Json::parse(line);
        const Json& object = event.at("object");
        if (kind_of(object) != "ClusterRole" || text(event, {"type"}) != "ADDED") continue;
        // The server keeps the rules in Go's order, which is that of the hash.
        const Json permission{{"serviceAccountName", "x-install-latest-manager"},
                              {"rules", object.at("rules")}};
        CHECK(rbac_name("x-install-latest.v2.0.0-x-install-latest-manager", permission) == name_of(object));
        ++compared;
    }
    CHECK(compared == 2);
}

TEST_CASE("a bundle for all namespaces gets its permissions in the whole cluster") {
    BundleContent content;
    content.csv.push_back(sample_csv("AllNamespaces"));
    const auto objects = render_bundle(content, {.ns = "operators"});
    const std::vector<std::string> expected{"ServiceAccount", "ClusterRole", "ClusterRoleBinding",
                                            "Deployment"};
    CHECK(kinds(objects) == expected);
    CHECK(objects[1].at("rules").size() == 2); // with the one for namespaces
    const Json& deployment = objects[3];
    CHECK(namespace_of(deployment) == "operators");
    CHECK(number(deployment, {"spec", "revisionHistoryLimit"}) == 1);
    CHECK(text(deployment, {"spec", "template", "metadata", "annotations", "capabilities"}) ==
          "Basic Install");
    CHECK(find(deployment, {"spec", "template", "metadata", "annotations", "olm.targetNamespaces"}));
}

TEST_CASE("a bundle for its own namespace gets a Role there") {
    BundleContent content;
    content.csv.push_back(sample_csv("OwnNamespace"));
    const auto objects = render_bundle(content, {.ns = "shop", .watch = {"shop"}});
    const std::vector<std::string> expected{"ServiceAccount", "Role", "RoleBinding", "Deployment"};
    CHECK(kinds(objects) == expected);
    CHECK(objects[1].at("rules").size() == 1);
    CHECK_THROWS_AS(render_bundle(content, {.ns = "shop"}), Error);
}

TEST_CASE("webhooks need cert-manager, and get a service and a certificate") {
    BundleContent content;
    content.csv.push_back(sample_csv("AllNamespaces"));
    content.csv[0]["spec"]["webhookdefinitions"] = Json::array({{{"type", "ValidatingAdmissionWebhook"},
                                                                 {"generateName", "vshop.example.com"},
                                                                 {"deploymentName", "shop"},
                                                                 {"webhookPath", "/validate"},
                                                                 {"targetPort", 9443}}});
    CHECK_THROWS_AS(render_bundle(content, {.ns = "shop"}), Error);
    const auto objects = render_bundle(content, {.ns = "shop", .cert_manager = true});
    const auto has = [&](const char* kind, const char* name) {
        return std::any_of(objects.begin(), objects.end(),
                           [&](const Json& o) { return kind_of(o) == kind && name_of(o) == name; });
    };
    CHECK(has("Service", "shop-service"));
    CHECK(has("Certificate", "shop-service-cert"));
    CHECK(has("ValidatingWebhookConfiguration", "vshop.example.com"));
}
