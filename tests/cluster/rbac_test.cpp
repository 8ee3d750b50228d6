// Covers lib/cluster/installer_rights.cpp.
#include "object_server.hpp"
#include "opcat/base/error.hpp"
#include "opcat/cluster/installer_rights.hpp"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

using namespace opcat;
using namespace opcat::cluster;
namespace fs = std::filesystem;

namespace {

Json object(const char* version, const char* kind, const char* name, const char* ns = "") {
    Json json{{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", name}}}};
    if (*ns) json["metadata"]["namespace"] = ns;
    return json;
}

// One right as "verb group/resource name @namespace"; without a name or a namespace it covers all.
using Rights = std::set<std::string>;

void add_right(Rights& rights, const std::string& ns, const std::string& group, const std::string& resource,
               const std::string& name, const std::string& verb) {
    rights.insert(fmt::format("{} {}/{}{}{}", verb, group, resource, name.empty() ? "" : " " + name,
                              ns.empty() ? "" : " @" + ns));
}

void add_rules(Rights& rights, const Object& role) {
    for (const Fields rule : role.items("rules")) {
        std::vector<std::string> names = rule.strings("resourceNames");
        if (names.empty()) names.emplace_back();
        for (const std::string& group : rule.strings("apiGroups"))
            for (const std::string& resource : rule.strings("resources"))
                for (const std::string& name : names)
                    for (const std::string& verb : rule.strings("verbs"))
                        add_right(rights, role.ns, group, resource, name, verb);
    }
}

Rights rights_in(const std::vector<Object>& objects) {
    Rights rights;
    for (const Object& one : objects) add_rules(rights, one);
    return rights;
}

Rights without(const Rights& from, const Rights& taken) {
    Rights rest;
    std::set_difference(from.begin(), from.end(), taken.begin(), taken.end(),
                        std::inserter(rest, rest.end()));
    return rest;
}

// A bundle with one cluster-scoped and one namespaced object. Versions differ in the role's name.
std::vector<Object> shop(const char* role_name) {
    Json role = object("rbac.authorization.k8s.io/v1", "ClusterRole", role_name);
    role["rules"] = Json::array({{{"apiGroups", {""}}, {"resources", {"nodes"}}, {"verbs", {"get"}}}});
    return objects_of({role, object("apps/v1", "Deployment", "controller", "shop")});
}

Rights derived(const RightsScope& scope, bool upgrade = false) {
    std::vector<std::vector<Object>> bundles{shop("old")};
    if (upgrade) bundles.push_back(shop("new"));
    return rights_in(derived_rights({"shop", "shop", "installer", scope}, bundles));
}

const std::string roles = "rbac.authorization.k8s.io/clusterroles";
const Rights minimum{"create " + roles,
                     "get " + roles + " old",
                     "patch " + roles + " old",
                     "watch " + roles,
                     "create apps/deployments @shop",
                     "get apps/deployments controller @shop",
                     "patch apps/deployments controller @shop",
                     "watch apps/deployments",
                     "get /nodes"};
const Rights checked{"update " + roles + " old", "delete " + roles + " old",
                     "update apps/deployments controller @shop", "delete apps/deployments controller @shop"};
const Rights watches{"watch " + roles, "watch apps/deployments"};
const Rights lists{"list " + roles, "list apps/deployments"};
const Rights of_extension{"update olm.operatorframework.io/clusterextensions/finalizers shop"};
const Rights of_sets{"update olm.operatorframework.io/clusterobjectsets/finalizers"};
const Rights of_revisions{"update olm.operatorframework.io/clusterextensionrevisions/finalizers"};

Rights sum(std::initializer_list<Rights> parts) {
    Rights all;
    for (const Rights& part : parts) all.insert(part.begin(), part.end());
    return all;
}

} // namespace

TEST_CASE("the installer gets the rights that its release and feature set need, by name, and no more") {
    struct Case {
        const char* what;
        RightsScope scope;
        Rights expected;
    };
    const Rights experimental = without(sum({minimum, checked, of_sets}), watches);
    const std::vector<Case> cases{
        {"a current release", {}, minimum},
        {"an API server that does not begin a watch with the list", {.lists = true}, sum({minimum, lists})},
        {"OpenShift", {.checks_owners = true}, sum({minimum, of_extension})},
        {"current releases are all the same", {.oldest = 8}, minimum},
        {"a release that lists before it watches", {.oldest = 7}, sum({minimum, lists})},
        {"releases whose sets cannot be distinguished",
         {.oldest = 5},
         sum({minimum, lists, checked, of_extension})},
        {"the experimental set", {.experimental = true}, experimental},
        {"the experimental set with another name of the revisions",
         {.experimental = true, .oldest = 8},
         sum({experimental, lists, watches, of_revisions})},
        {"the experimental set before it had revisions",
         {.experimental = true, .oldest = 5},
         sum({experimental, lists, watches, of_revisions, of_extension})},
    };
    for (const Case& one : cases) {
        CAPTURE(one.what);
        const Rights found = derived(one.scope);
        CHECK_MESSAGE(without(found, one.expected).empty(), fmt::format("{}", without(found, one.expected)));
        CHECK_MESSAGE(without(one.expected, found).empty(), fmt::format("{}", without(one.expected, found)));
    }
}

TEST_CASE("an upgrade may only delete objects that the new version does not have") {
    CHECK(without(derived({}, true), minimum) ==
          Rights{"delete " + roles + " old", "get " + roles + " new", "patch " + roles + " new"});
}

TEST_CASE("objects made for an extension name it and the release") {
    for (const bool older : {false, true}) {
        const RightsScope scope{.oldest = older ? std::optional(5U) : std::nullopt};
        for (const Object& made : derived_rights({"shop", "shop", "installer", scope}, {shop("old")})) {
            CHECK(made.label(installer_label) == "shop");
            CHECK(is_created_for(made, "shop"));
            CHECK_FALSE(is_created_for(made, "other"));
            const bool is_role = made.kind() == "Role" || made.kind() == "ClusterRole";
            CHECK(made.text("metadata", "annotations", rights_for_annotation) ==
                  (older && is_role ? "1.5" : ""));
        }
    }
}

namespace {

// What OLM v1 reported about an account: the rights that it lacks for the whole bundle (experimental
// features), or the one right that the API server refused.
struct Refusals {
    Rights missing;
    Rights before; // what the account had
    std::vector<Object> bundle;
    std::string extension;
    std::string ns;
    bool experimental = false;
};

std::string between(std::string_view text, std::string_view before, std::string_view after) {
    const size_t start = text.find(before);
    if (start == text.npos) return {};
    const std::string_view rest = text.substr(start + before.size());
    return std::string(rest.substr(0, rest.find(after)));
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(std::move(part));
    return parts;
}

// "  Namespace:"x" APIGroups:[a] Resources:[b] ResourceNames:[c] Verbs:[d,e]"
void read_missing_rule(std::string_view line, const std::string& extension, Rights& missing) {
    std::string name = between(line, "ResourceNames:[", "]");
    if (name == extension + "-1") name.clear(); // the number in its name grows
    for (const std::string& verb : parts_of(between(line, "Verbs:[", "]"), ','))
        add_right(missing, between(line, "Namespace:\"", "\""), between(line, "APIGroups:[", "]"),
                  between(line, " Resources:[", "]"), name, verb);
}

void read_message(std::string_view message, Refusals& found) {
    if (message.find("requires the following permissions") != message.npos && found.missing.empty()) {
        found.experimental = true;
        for (const std::string& line : parts_of(std::string(message), '\n'))
            if (line.starts_with("  Namespace:")) read_missing_rule(line, found.extension, found.missing);
    } else if (message.find(" cannot get resource ") != message.npos) {
        add_right(
            found.missing, between(message, "in the namespace \"", "\""),
            between(message, "in API group \"", "\""), between(message, "cannot get resource \"", "\""),
            between(message, "information about the resource ", " in namespace").empty()
                ? std::string()
                : between(between(message, "information about the resource ", " in namespace"), "\"", "\""),
            "get");
    }
}

Refusals refusals_in(const fs::path& scenario) {
    Refusals found;
    std::ifstream file(scenario / "events.jsonl");
    std::map<std::string, Object> made;
    for (std::string line; std::getline(file, line);) {
        const Object event = kube::parse_object(line, "an event");
        const Object thing(event.at("object").value(), event.memory);
        const std::string_view kind = thing.kind();
        if (kind == "ClusterExtension") {
            found.extension = thing.name;
            found.ns = thing.text("spec", "namespace");
            for (const Fields condition : thing.items("status", "conditions"))
                read_message(condition.text("message"), found);
        } else if (thing.label("olm.operatorframework.io/owner-name") == found.extension &&
                   !found.extension.empty() && kind != "Secret" && kind != "ClusterObjectSet") {
            made.insert_or_assign(thing.describe(), thing);
        } else if (kind == "ClusterRole" && found.before.empty() && found.missing.empty()) {
            add_rules(found.before, thing);
        }
    }
    for (auto& [name, thing] : made) found.bundle.push_back(std::move(thing));
    return found;
}

// Without the resource names of the right.
std::string for_all(const std::string& right) {
    std::vector<std::string> words = parts_of(right, ' ');
    if (words.size() > 2 && !words[2].starts_with('@')) words.erase(words.begin() + 2);
    return fmt::format("{}", fmt::join(words, " "));
}

bool held(const Rights& rights, const std::string& right) {
    std::string everywhere = for_all(right);
    everywhere = everywhere.substr(0, everywhere.find(" @"));
    return rights.contains(right) || rights.contains(for_all(right)) || rights.contains(everywhere);
}

} // namespace

TEST_CASE("derived rights are what the recorded OLM v1 asked for" * doctest::test_suite("recorded")) {
    size_t complete = 0;
    size_t single = 0;
    for (const char* folder : {"cluster", "cluster-situations"})
        for (const fs::directory_entry& entry :
             fs::directory_iterator(fs::path(OPCAT_SHARED) / "conformance" / folder)) {
            if (!fs::exists(entry.path() / "events.jsonl")) continue;
            const Refusals found = refusals_in(entry.path());
            if (found.missing.empty() || found.bundle.empty()) continue;
            CAPTURE(entry.path().filename().string());
            const Rights ours = rights_in(
                derived_rights({found.extension, found.ns, "installer", {.experimental = found.experimental}},
                               {found.bundle}));
            for (const std::string& right : found.missing)
                CHECK_MESSAGE(held(ours, right), "the recorded OLM wants to ", right);
            if (!found.experimental) {
                ++single;
                continue;
            }
            ++complete;
            for (const std::string& right : ours)
                CHECK_MESSAGE((held(found.missing, right) || held(found.before, right)),
                              "nothing asked for the right to ", right);
        }
    CHECK(complete >= 2);
    CHECK(single >= 2);
}

TEST_CASE("whether OLM uses the account of an extension is in its API's description") {
    const auto account_used = [](const char* document) {
        ObjectServer cluster;
        cluster.raw["/apis/olm.operatorframework.io/v1"] = R"({"resources":[]})";
        if (*document) cluster.raw["/openapi/v3/apis/olm.operatorframework.io/v1"] = document;
        return rights_scope(cluster.kubectl(), {.v1 = true}, {}).account_used;
    };
    CHECK(account_used(R"({"components":{"schemas":{"io.ClusterExtension":{"properties":{"spec":)"
                       R"({"required":["namespace","serviceAccount"]}}}}}})"));
    CHECK_FALSE(account_used(R"({"components":{"schemas":{"io.ClusterExtension":{"properties":{"spec":)"
                             R"({"required":["namespace"]}}}}}})"));
    // A description without the kind, and a server without descriptions, say nothing.
    CHECK(account_used(R"({"components":{"schemas":{"io.ClusterCatalog":{}}}})"));
    CHECK(account_used(""));
}
