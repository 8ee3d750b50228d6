#include "opcat/base/base64.hpp"
#include "opcat/lint/rules.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"
#include "opcat/resolve/classic/operator_groups.hpp"
#include "opcat/resolve/classic/preflight.hpp"
#include "world.hpp"

using namespace opcat;
using namespace opcat::classic;

namespace {

// A cluster in which an operator that provides API K would be installed, without an OperatorGroup.
World with_operator(std::string_view properties = {}) {
    World world;
    world.cluster.operator_groups.clear();
    world.catalog("main", operator_yaml("k", provides("K") + std::string(properties)));
    world.subscription("k", "stable");
    return world;
}

std::string modes(std::string_view supported) {
    std::string list;
    for (const std::string_view type : {"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"})
        list += fmt::format("{{type: {}, supported: {}}}, ", type, supported.find(type) != supported.npos);
    return fmt::format(", {{type: olm.csv.metadata, value: {{installModes: [{}]}}}}", list);
}

std::string group(std::string_view ns, std::string_view spec, std::string_view provided_apis = {}) {
    return fmt::format(
        "---\napiVersion: operators.coreos.com/v1\nkind: OperatorGroup\n"
        "metadata: {{namespace: {0}, name: {0}-group, annotations: {{olm.providedAPIs: \"{1}\"}}}}\n"
        "spec: {{{2}}}\n",
        ns, provided_apis, spec);
}

std::string name_space(std::string_view name, std::string_view labels) {
    return fmt::format("---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: {}, labels: {{{}}}}}\n", name,
                       labels);
}

std::string rules_of(const Diagnostics& findings) {
    std::string text;
    for (const Diagnostic& d : findings) CHECK(find_rule(d.rule) != nullptr);
    for (const Diagnostic& d : findings)
        text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", to_string(d.severity), d.message);
    return text;
}

// The findings with these OperatorGroups.
std::string found_with(const std::string& groups, std::string_view properties = {}) {
    World world = with_operator(properties);
    world.manifests(groups);
    return rules_of(world.findings());
}

bool mentions(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

constexpr const char* api = "K.v1.example.com";

// The operator has a CustomResourceDefinition of K, with the version v2 only.
World with_operator_and_crd() {
    const std::string manifest =
        R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
        R"("metadata":{"name":"ks.example.com"},"spec":{"group":"example.com",)"
        R"("names":{"kind":"K"},"versions":[{"name":"v2","served":true}]}})";
    return with_operator(", {type: olm.bundle.object, value: {data: " + encode_base64(manifest) + "}}");
}

} // namespace

TEST_CASE("a namespace without Subscriptions has no findings") {
    World world;
    world.installed("a.v1", "1.0.0");
    CHECK(rules_of(world.findings()).starts_with("warning: namespace ns has no Subscription"));
}

TEST_CASE("a namespace needs exactly one OperatorGroup") {
    World world = with_operator();
    CHECK(mentions(rules_of(world.findings()), "NoOperatorGroup"));
    world.manifests(World::group("ns", "one") + World::group("ns", "two"));
    CHECK(mentions(rules_of(world.findings()), "namespace ns has 2 OperatorGroups"));
    CHECK(mentions(rules_of(world.findings()), "TooManyOperatorGroups"));
}

TEST_CASE("the install modes of an operator must fit the namespaces that its group selects") {
    struct Case {
        std::string_view spec;
        std::string_view supported;
        std::string_view message; // empty: it fits
    };
    const std::vector<Case> cases = {
        {"", "AllNamespaces", ""},
        {"", "OwnNamespace SingleNamespace MultiNamespace",
         "AllNamespaces InstallModeType not supported, cannot configure to watch all namespaces"},
        {"targetNamespaces: [ns]", "OwnNamespace", ""},
        {"targetNamespaces: [ns]", "AllNamespaces SingleNamespace",
         "OwnNamespace InstallModeType not supported, cannot configure to watch own namespace"},
        {"targetNamespaces: [other]", "SingleNamespace", ""},
        {"targetNamespaces: [other]", "OwnNamespace",
         "SingleNamespace InstallModeType not supported, cannot configure to watch one namespace"},
        {"targetNamespaces: [a, b]", "MultiNamespace", ""},
        {"targetNamespaces: [a, b]", "OwnNamespace SingleNamespace AllNamespaces",
         "MultiNamespace InstallModeType not supported, cannot configure to watch 2 namespaces"},
        {"targetNamespaces: [a, ns]", "MultiNamespace",
         "OwnNamespace InstallModeType not supported, cannot configure to watch own namespace"},
        {"selector: {matchLabels: {team: a}}", "SingleNamespace", ""},
        {"selector: {matchLabels: {team: a}}", "OwnNamespace", "cannot configure to watch one namespace"},
        {"selector: {matchExpressions: [{key: team, operator: In, values: [a, b]}]}", "MultiNamespace", ""},
        {"selector: {matchExpressions: [{key: team, operator: Exists}]}", "SingleNamespace",
         "cannot configure to watch 2 namespaces"},
        {"selector: {matchExpressions: [{key: team, operator: NotIn, values: [b]}]}", "MultiNamespace",
         "cannot configure to watch own namespace"},
        {"selector: {matchLabels: {team: nobody}}", "SingleNamespace", "NoTargetNamespaces"},
        // Names come before the selector; an empty selector selects all.
        {"targetNamespaces: [other], selector: {matchLabels: {team: nobody}}", "SingleNamespace", ""},
        {"selector: {cool.io/prod: 'true'}", "AllNamespaces", ""},
    };
    for (const Case& c : cases) {
        CAPTURE(c.spec);
        const std::string found = found_with(group("ns", c.spec) + name_space("a", "team: a") +
                                                 name_space("b", "team: b") + name_space("ns", ""),
                                             modes(c.supported));
        CHECK(found.empty() == c.message.empty());
        CHECK(mentions(found, c.message));
    }
}

TEST_CASE("2.4.5.9: groups that watch the same namespaces must not provide the same APIs") {
    struct Case {
        std::string_view what;
        std::string own;   // of the group of the new operator
        std::string other; // of another group
        std::string_view message;
    };
    const std::string fixed = "staticProvidedAPIs: true, targetNamespaces: [shared]";
    const std::string open = "targetNamespaces: [shared]";
    const std::vector<Case> cases = {
        {"no intersection, new APIs", group("ns", open), group("other", open, "Z.v1.example.com"), ""},
        {"no intersection, known APIs", group("ns", open, api), group("other", open), ""},
        {"no intersection, a static group that has them", group("ns", fixed, api), group("other", open), ""},
        {"no intersection, a static group that lacks them", group("ns", fixed), group("other", open),
         "error: k.v1 would fail with reason CannotModifyStaticOperatorGroupProvidedAPIs: the group is "
         "static, and "
         "its annotation olm.providedAPIs lacks K.v1.example.com"},
        {"intersection, new APIs", group("ns", open), group("other", open, api),
         "error: k.v1 would fail with reason InterOperatorGroupOwnerConflict: OperatorGroup "
         "other/other-group "
         "provides K.v1.example.com"},
        {"intersection, new APIs, static", group("ns", fixed), group("other", open, api),
         "InterOperatorGroupOwnerConflict"},
        {"intersection, known APIs", group("ns", open, api), group("other", open, api),
         "warning: OLM would take K.v1.example.com out of the group's annotation"},
        {"intersection, known APIs, static", group("ns", fixed, api), group("other", open, api),
         "CannotModifyStaticOperatorGroupProvidedAPIs"},
        {"other namespaces", group("ns", open), group("other", "targetNamespaces: [elsewhere]", api), ""},
        {"all namespaces", group("ns", open), group("other", "", api), "InterOperatorGroupOwnerConflict"},
        {"the group's own namespace counts", group("ns", open), group("other", "targetNamespaces: [ns]", api),
         "InterOperatorGroupOwnerConflict"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.what);
        const std::string found = found_with(c.own + c.other);
        CHECK(found.empty() == c.message.empty());
        CHECK(mentions(found, c.message));
    }
}

TEST_CASE("an operator that is not upgradeable blocks its successor") {
    struct Case {
        std::string_view spec;
        std::string_view status;
        std::string_view message;
    };
    const std::string_view no = "conditions: [{type: Upgradeable, status: 'False', message: migrating, "
                                "observedGeneration: 3}]";
    const std::vector<Case> cases = {
        {"", no, "operator is not upgradeable: the operator is not upgradeable: migrating"},
        {"", "conditions: [{type: Upgradeable, status: 'True', observedGeneration: 3}]", ""},
        {"", "conditions: [{type: Upgradeable, status: 'True', observedGeneration: 2}]",
         "the operatorcondition status \"Upgradeable\"=\"True\" is outdated"},
        {"", "conditions: [{type: Other, status: 'False', observedGeneration: 3}]", ""},
        {"overrides: [{type: Upgradeable, status: 'True'}]", no, ""},
        {"overrides: [{type: Upgradeable, status: 'False', message: by hand}]", "",
         "the operator is not upgradeable: by hand"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.spec);
        CAPTURE(c.status);
        World world;
        world.catalog("main", package_yaml("k", "stable") +
                                  channel_yaml("k", "stable", "{name: k.v2, replaces: k.v1}, {name: k.v1}") +
                                  bundle_yaml("k", "k.v1", "1.0.0") + bundle_yaml("k", "k.v2", "2.0.0"));
        world.subscription("k", "stable", "k.v1");
        world.installed("k.v1", "1.0.0");
        // Conditions of other operators, and of another namespace, do not matter.
        for (const std::string_view other : {"namespace: ns, name: j.v1", "namespace: other, name: k.v1"})
            world.manifests(fmt::format(
                "---\napiVersion: operators.coreos.com/v2\nkind: OperatorCondition\n"
                "metadata: {{{}}}\nspec: {{overrides: [{{type: Upgradeable, status: 'False'}}]}}\n",
                other));
        world.manifests(fmt::format("---\napiVersion: operators.coreos.com/v2\nkind: OperatorCondition\n"
                                    "metadata: {{namespace: ns, name: k.v1, generation: 3}}\nspec: {{{}}}\n"
                                    "status: {{{}}}\n",
                                    c.spec, c.status));
        CHECK(world.answer() == "k.v2");
        const std::string found = rules_of(world.findings());
        CHECK(found.empty() == c.message.empty());
        CHECK(mentions(found, c.message));
    }
}

TEST_CASE("catalogs that are not healthy, or not given, are reported") {
    World world;
    world.catalog("main", operator_yaml("k"));
    world.subscription("k", "stable");
    world.cluster.catalog_sources.clear();
    const auto source = [](std::string_view name, std::string_view more) {
        return fmt::format("---\napiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\n"
                           "metadata: {{namespace: olm, name: {}}}\n{}\n",
                           name, more);
    };
    world.manifests(source("main", "status: {connectionState: {lastObservedState: TRANSIENT_FAILURE}}"));
    CHECK(mentions(rules_of(world.findings()),
                   "warning: CatalogSource olm/main was last seen in state TRANSIENT_FAILURE"));
    world.manifests(source("other", "spec: {image: quay.io/other:v1}"));
    CHECK(world.answer() == "error using catalogsource olm/other: no registry client established for "
                            "catalogsource olm/other");
    const Diagnostics findings = world.findings();
    REQUIRE(findings.size() == 2);
    CHECK(findings[1].rule == "classic-catalog-missing");
    CHECK(mentions(findings[1].help, "--catalog olm/other=quay.io/other:v1"));
}

TEST_CASE("fail-forward: leftovers of a failed upgrade do not count") {
    const auto world_with = [](std::string_view strategy) {
        World world;
        world.cluster.operator_groups.clear();
        world.manifests(World::group("ns", "group", fmt::format("spec: {{upgradeStrategy: {}}}", strategy)));
        world.catalog("main",
                      package_yaml("k", "stable") +
                          channel_yaml("k", "stable",
                                       "{name: k.v3, replaces: k.v2, skipRange: <3.0.0}, {name: k.v2, "
                                       "replaces: k.v1}, {name: k.v1}") +
                          bundle_yaml("k", "k.v1", "1.0.0", provides("K")) +
                          bundle_yaml("k", "k.v2", "2.0.0", provides("K")) +
                          bundle_yaml("k", "k.v3", "3.0.0", provides("K")));
        world.subscription("k", "stable", "k.v2");
        const auto csv = [](std::string_view name, std::string_view version, std::string_view more,
                            std::string_view phase) {
            return fmt::format(
                "---\napiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n"
                "metadata: {{namespace: ns, name: {}}}\nspec: {{version: {}, {}"
                "customresourcedefinitions: {{owned: [{{name: ks.example.com, version: v1, kind: K}}"
                "]}}}}\nstatus: {{phase: {}}}\n",
                name, version, more, phase);
        };
        world.manifests(csv("k.v1", "1.0.0", "", "Replacing") +
                        csv("k.v2", "2.0.0", "replaces: k.v1, ", "Failed"));
        return world;
    };
    const World forward = world_with("TechPreviewUnsafeFailForward");
    CHECK(forward.answer() == "k.v3");
    const Diagnostics findings = forward.findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].rule == "classic-fail-forward");
    REQUIRE(findings[0].notes.size() == 1);
    CHECK(mentions(findings[0].notes[0].message, "k.v1 no longer counts"));
    CHECK(mentions(world_with("Default").answer(), "constraints not satisfiable"));
}

TEST_CASE("2.4.6: one approval upgrades everything in the InstallPlan") {
    World world;
    world.catalog("main", operator_yaml("a") + operator_yaml("b") + operator_yaml("c"));
    world.subscription("a", "stable");
    CHECK(world.findings().empty());
    world.subscription("b", "stable");
    CHECK(world.findings().empty());
    world.cluster.subscriptions[1].manual = true;
    const Diagnostics findings = world.findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].message == "one approval of the InstallPlan moves all of it: a.v1 and b.v1");
    REQUIRE(findings[0].notes.size() == 1);
    CHECK(findings[0].notes[0].message == "Subscription b is Manual");
}

TEST_CASE("an InstallPlan that waits for approval is reported") {
    World world;
    world.catalog("main", operator_yaml("a"));
    const std::string subscription = "---\napiVersion: operators.coreos.com/v1alpha1\nkind: "
                                     "Subscription\nmetadata: {namespace: ns, name: a}\n"
                                     "spec: {name: a, channel: stable, source: main, sourceNamespace: "
                                     "olm}\nstatus: {state: UpgradePending, "
                                     "installPlanRef: {name: install-1}}\n";
    world.manifests("---\napiVersion: operators.coreos.com/v1alpha1\nkind: InstallPlan\n"
                    "metadata: {namespace: ns, name: install-1}\nspec: {approved: false, "
                    "clusterServiceVersionNames: [a.v1]}\nstatus: {phase: RequiresApproval}\n" +
                    subscription);
    CHECK(mentions(rules_of(world.findings()),
                   "warning: InstallPlan install-1 waits for approval of a.v1: all "
                   "Subscriptions wait for it"));
    world.subscription("b", "stable");
    CHECK(mentions(rules_of(world.findings()), "note: InstallPlan install-1 waits for approval of a.v1"));
}

namespace {

// k.v1 is installed, and k.v2 replaces it; `current` is what the Subscription is at.
World with_upgrade(std::string_view current, std::string_view more_status = {}) {
    World world;
    world.catalog("main", package_yaml("k", "stable") +
                              channel_yaml("k", "stable", "{name: k.v2, replaces: k.v1}, {name: k.v1}") +
                              bundle_yaml("k", "k.v1", "1.0.0") + bundle_yaml("k", "k.v2", "2.0.0"));
    world.manifests(fmt::format("---\napiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\n"
                                "metadata: {{namespace: ns, name: k}}\nspec: {{name: k, channel: stable, "
                                "source: main, sourceNamespace: olm}}\n"
                                "status: {{installedCSV: k.v1, currentCSV: {}{}}}\n",
                                current, more_status));
    world.installed("k.v1", "1.0.0");
    return world;
}

} // namespace

TEST_CASE("for what a Subscription is at already OLM makes no other InstallPlan") {
    CHECK(rules_of(with_upgrade("k.v1").findings()).empty());
    World begun = with_upgrade("k.v2", ", installPlanRef: {name: install-1}");
    CHECK(
        mentions(rules_of(begun.findings()),
                 "error: Subscription k has k.v2 as its currentCSV already: OLM makes no other InstallPlan"));
    // What it waits for is said of the InstallPlan.
    begun.manifests("---\napiVersion: operators.coreos.com/v1alpha1\nkind: InstallPlan\n"
                    "metadata: {namespace: ns, name: install-1}\nspec: {approved: false, "
                    "clusterServiceVersionNames: [k.v2]}\nstatus: {phase: RequiresApproval}\n");
    CHECK_FALSE(mentions(rules_of(begun.findings()), "currentCSV already"));
    CHECK(mentions(rules_of(begun.findings()), "InstallPlan install-1 waits for approval"));
}

TEST_CASE("nothing is installed in a namespace that is being deleted") {
    World world = with_upgrade("k.v1");
    world.manifests("---\napiVersion: v1\nkind: Namespace\nmetadata: {name: other}\n"
                    "status: {phase: Terminating}\n");
    CHECK(rules_of(world.findings()).empty());
    world.manifests("---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ns, "
                    "deletionTimestamp: '2026-01-01T00:00:00Z'}\n");
    CHECK(rules_of(world.findings()) == "error: namespace ns is being deleted: nothing can be created in it");
}

TEST_CASE("the rights of the account that an OperatorGroup names are not known") {
    World world = with_upgrade("k.v1");
    world.cluster.operator_groups.clear();
    world.manifests(World::group("ns", "g", "spec: {serviceAccountName: installer}"));
    CHECK(mentions(rules_of(world.findings()), "warning: OLM installs as ServiceAccount installer"));
}

TEST_CASE("copies of operators of other namespaces do not count, and that is reported") {
    World world;
    world.catalog("main", operator_yaml("red", requires_api("K")));
    world.subscription("red", "stable");
    const std::string copy =
        "---\napiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {namespace: "
        "ns, "
        "name: k.v1, labels: {olm.copiedFrom: home}, annotations: {olm.operatorNamespace: home}}\nspec: "
        "{version: "
        "1.0.0, customresourcedefinitions: {owned: [{name: ks.example.com, version: v1, kind: K}]}}\n";
    world.manifests(copy);
    CHECK(mentions(world.answer(), "constraints not satisfiable"));
    CHECK(mentions(
        rules_of(world.findings()),
        "warning: k.v1 provides what is missing, but it is a copy of the operator in namespace home"));
    // Another group, version or kind is another API.
    for (const auto& [part, other] :
         {std::pair("ks.example.com", "ks.sample.com"), std::pair("version: v1,", "version: v2,"),
          std::pair("kind: K}", "kind: L}")}) {
        World another;
        another.catalog("main", operator_yaml("red", requires_api("K")));
        another.subscription("red", "stable");
        std::string unlike = copy;
        unlike.replace(unlike.find(part), std::string_view(part).size(), other);
        another.manifests(unlike);
        CHECK_FALSE(mentions(rules_of(another.findings()), "provides what is missing"));
    }
    World again;
    again.catalog("main", operator_yaml("k", provides("K")));
    again.subscription("k", "stable");
    again.manifests(copy);
    CHECK(again.answer() == "k.v1");
    CHECK(mentions(rules_of(again.findings()), "warning: k.v1 is in this namespace already, as a copy"));
}

TEST_CASE("definitions of a plan are compared with the existing ones") {
    World world = with_operator_and_crd();
    world.manifests(World::group("ns", "group"));
    CHECK(world.findings().empty());
    const Resolution resolution = resolve(world.request());
    REQUIRE(resolution.operators.size() == 1);
    CHECK(other_manifests_of(*resolution.operators[0].entry->bundle) ==
          std::vector<std::string>{"CustomResourceDefinition ks.example.com"});
    world.manifests(
        "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: ks.example.com}\nspec: {group: example.com, names: {kind: K}, versions: "
        "[{name: v1, served: true}]}\nstatus: {storedVersions: [v1]}\n");
    const std::string found = rules_of(world.findings());
    CHECK(mentions(found,
                   "error: new CRD removes version v1 that is listed as a stored version on the existing "
                   "CRD: ks.example.com"));
    CHECK(mentions(found,
                   "warning: the new CRD ks.example.com does not have version v1, which the existing one "
                   "serves"));
}

TEST_CASE("each version that a definition no longer has is reported if it is served") {
    World world = with_operator_and_crd();
    world.manifests(World::group("ns", "group"));
    world.manifests(
        "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: ks.example.com}\nspec: {group: example.com, names: {kind: K}, versions: "
        "[{name: v0, served: false}, {name: v1, served: true}, {name: v2, served: true}, {name: v3, served: "
        "true}]}\n");
    const std::string found = rules_of(world.findings());
    for (const char* const version : {"v0", "v1", "v2", "v3"}) {
        CAPTURE(version);
        CHECK(mentions(found, fmt::format("does not have version {},", version)) ==
              (std::string_view(version) == "v1" || std::string_view(version) == "v3"));
    }
}

TEST_CASE("definitions are compared after an operator without manifests, too, and owners are counted") {
    World world = with_operator_and_crd();
    world.catalog("more", operator_yaml("a"));
    world.subscription("a", "stable", {}, "more");
    world.manifests(
        World::group("ns", "group") +
        "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: ks.example.com}\nspec: {group: example.com, names: {kind: K}, versions: "
        "[{name: v1, served: true}]}\n");
    REQUIRE(world.answer() == "a.v1 k.v1");
    CHECK(rules_of(world.findings()) == "warning: the new CRD ks.example.com does not have version v1, which "
                                        "the existing one serves: clients and "
                                        "objects of this version stop working");
    // A copy of an owner is not an owner; its original is.
    const std::string owner =
        "---\napiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: "
        "{namespace: elsewhere, name: k.v0}\nspec: {version: 0.1.0, customresourcedefinitions: "
        "{owned: [{name: ks.example.com, version: v1, kind: K}]}}\n";
    world.manifests(owner + "status: {reason: Copied}\n");
    CHECK(
        mentions(rules_of(world.findings()), "warning: the new CRD ks.example.com does not have version v1"));
    world.manifests(owner + "status: {phase: Succeeded}\n");
    CHECK(mentions(rules_of(world.findings()), "error: the new CRD ks.example.com does not have version v1"));
}

TEST_CASE("on request: the objects that OLM creates for the members of a group") {
    const auto objects_with = [](const std::string& manifests) {
        World world = with_operator();
        world.manifests(manifests);
        const Resolution resolution = resolve(world.request());
        const auto objects = group_objects(world.request(), plan_of(world.request(), resolution));
        REQUIRE(objects);
        return *objects;
    };
    const GroupObjects everywhere =
        objects_with(group("ns", "", "Z.v1.example.com") + name_space("b", "") + name_space("a", ""));
    CHECK(everywhere.provided_apis == "K.v1.example.com,Z.v1.example.com");
    REQUIRE(everywhere.cluster_roles.size() == 3);
    CHECK(everywhere.cluster_roles[1].name == "ns-group-edit");
    CHECK(everywhere.cluster_roles[1].aggregated_by == "olm.opgroup.permissions/aggregate-to-edit: ns-group");
    REQUIRE(everywhere.members.size() == 1);
    const MemberObjects& member = everywhere.members[0];
    CHECK(member.annotations == StringPairs{{"olm.operatorGroup", "ns-group"},
                                            {"olm.operatorNamespace", "ns"},
                                            {"olm.targetNamespaces", ""}});
    CHECK(member.copies == std::vector<std::string>{"a", "b"});
    std::string roles;
    for (const GroupClusterRole& role : member.cluster_roles) roles += role.name + ": " + role.verbs + "\n";
    CHECK(roles == "K.example.com-v1-admin: *\n"
                   "K.example.com-v1-edit: create, update, patch, delete\n"
                   "K.example.com-v1-view: get, list, watch\n"
                   "K.example.com-v1-view-crdview: get\n");

    const std::string disabled =
        "---\napiVersion: operators.coreos.com/v1\nkind: OLMConfig\nmetadata: {name: "
        "cluster}\nspec: {features: {disableCopiedCSVs: true}}\n";
    CHECK(objects_with(group("ns", "") + disabled).members[0].copies.empty());

    const GroupObjects some =
        objects_with(group("ns", "targetNamespaces: [ns, a], staticProvidedAPIs: true", api));
    CHECK(some.provided_apis.empty());
    CHECK(some.members[0].copies == std::vector<std::string>{"a"});
    CHECK(some.members[0].cluster_roles.empty());
    CHECK(some.members[0].annotations[2].second == "a,ns");
}

TEST_CASE("an installed version that nothing on the way to the head replaces, skips or covers is stranded") {
    const struct {
        const char* entries;
        const char* installed;
        bool stranded;
    } cases[] = {
        {"{name: k.v2.0.0}", "1.0.0", true},
        {"{name: k.v1.0.0}", "1.0.0", false},
        {"{name: k.v2.0.0, replaces: k.v1.0.0}", "1.0.0", false},
        {"{name: k.v2.0.0, skips: [k.v1.0.0]}", "1.0.0", false},
        {"{name: k.v2.0.0, skipRange: <2.0.0}", "1.0.0", false},
        {"{name: k.v2.0.0, skipRange: '>=1.5.0 <2.0.0'}", "1.0.0", true},
        {"{name: k.v3.0.0, replaces: k.v2.0.0}, {name: k.v2.0.0, replaces: k.v1.0.0}", "1.0.0", false},
        // k.v2.0.0 is skipped, and so no longer on the way.
        {"{name: k.v3.0.0, skips: [k.v2.0.0]}, {name: k.v2.0.0, replaces: k.v1.0.0}", "1.0.0", true},
    };
    for (const auto& [entries, installed, stranded] : cases) {
        CAPTURE(entries);
        World world;
        std::string yaml = fmt::format("schema: olm.package\nname: k\ndefaultChannel: stable\n---\nschema: "
                                       "olm.channel\npackage: k\nname: stable\nentries: [{}]\n",
                                       entries);
        for (const char* version : {"1.0.0", "2.0.0", "3.0.0"})
            yaml += fmt::format("---\nschema: olm.bundle\npackage: k\nname: k.v{0}\nimage: i\nproperties:\n- "
                                "type: olm.package\n  value: {{packageName: k, version: {0}}}\n",
                                version);
        world.catalog("main", yaml);
        const std::string name = fmt::format("k.v{}", installed);
        world.subscription("k", "", name);
        world.installed(name, installed);
        const Diagnostics findings = world.findings();
        const bool found = std::any_of(findings.begin(), findings.end(), [](const Diagnostic& finding) {
            return finding.rule == "classic-stranded";
        });
        CHECK(found == stranded);
    }
}
