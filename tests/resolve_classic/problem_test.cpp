// How OLM composes its problem: rules that the recorded scenarios do not cover, or only in combination.
// Covers lib/resolve/classic.
#include "opcat/resolve/classic/reasoning.hpp"
#include "world.hpp"

#include <algorithm>

using namespace opcat;
using namespace opcat::classic;

namespace {

std::string a_with(const std::string& property) {
    World world;
    world.catalog("main", operator_yaml("a", property));
    world.subscription("a", "stable");
    return world.answer();
}

std::string a_requires(const std::string& constraint) {
    return a_with(requires_that(constraint));
}

const std::string chain =
    package_yaml("a", "stable") +
    channel_yaml("a", "stable", "{name: a.v3, replaces: a.v2}, {name: a.v2, replaces: a.v1}, {name: a.v1}") +
    bundle_yaml("a", "a.v1", "1.0.0") + bundle_yaml("a", "a.v2", "2.0.0") + bundle_yaml("a", "a.v3", "3.0.0");

} // namespace

TEST_CASE("invalid values of properties are refused in the words of Go's decoder") {
    CHECK(a_with(", {type: olm.gvk.required, value: text}") ==
          "json: cannot unmarshal string into Go value of type struct { Group string \"json:\\\"group\\\"\"; "
          "Version "
          "string \"json:\\\"version\\\"\"; Kind string \"json:\\\"kind\\\"\" }");
    CHECK(a_with(", {type: olm.label.required, value: {label: 1}}")
              .starts_with("json: cannot unmarshal number into Go struct field .label of type string"));
    CHECK(a_requires("gvk: 1") == "parse olm.constraint: json: cannot unmarshal number into Go struct field "
                                  "Constraint.gvk of type constraints.GVKConstraint");
    CHECK(a_requires("all: {constraints: [{package: {packageName: [x]}}]}") ==
          "parse olm.constraint: json: cannot unmarshal array into Go struct field "
          "PackageConstraint.all.constraints.package.packageName of type string");
    CHECK(a_requires("failureMessage: only that") ==
          "convert olm.constraint to resolver predicate: constraint is empty");
    CHECK(a_requires("any: {constraints: [{}]}") ==
          "convert olm.constraint to resolver predicate: constraint is empty");
    CHECK(a_requires("cel: {rule: '1'}") ==
          "convert olm.constraint to resolver predicate: cel expressions must have type Bool");
    // Keys are case-insensitive.
    CHECK(
        a_requires("GVK: {Group: example.com, VERSION: v1, kind: K}")
            .starts_with(
                "constraints not satisfiable: bundle a.v1 requires an operator providing an API with group: "
                "example.com, version: v1, kind: K"));
}

TEST_CASE("the first of several kinds in one constraint counts: gvk, package, all, any, not, cel") {
    CHECK(a_requires("not: {constraints: []}, cel: {rule: 'false'}") == "a.v1");
    CHECK(a_requires("any: {constraints: []}, not: {constraints: []}")
              .starts_with("constraints not satisfiable: bundle a.v1 requires an operator ,"));
    CHECK(a_requires("all: {constraints: []}, any: {constraints: []}") == "a.v1");
    CHECK(a_requires("package: {packageName: a, versionRange: '>=1.0.0'}, all: {constraints: [{cel: {rule: "
                     "'false'}}]}") == "a.v1");
}

TEST_CASE("an operator may meet its own requirement") {
    CHECK(a_with(provides("K") + requires_api("K")) == "a.v1");
}

TEST_CASE("requirements of requirements count, also if they form a circle") {
    // a needs k and l; l needs a again, and k needs what nobody provides.
    World world;
    world.catalog("main", operator_yaml("a", provides("A") + requires_api("K") + requires_api("L")) +
                              operator_yaml("l", provides("L") + requires_api("A")) +
                              operator_yaml("k", provides("K") + requires_api("Z")));
    world.subscription("a", "stable");
    CHECK(world.answer().find(
              "bundle k.v1 requires an operator providing an API with group: example.com, version: v1, "
              "kind: Z") != std::string::npos);
    world.catalog("more", operator_yaml("z", provides("Z")));
    CHECK(world.answer() == "a.v1 k.v1 l.v1 z.v1");
}

TEST_CASE("installed operators meet requirements: of several packages, and one operator of two packages") {
    const std::string label = R"({"type":"olm.label","value":{"label":"good"}})";
    const auto package = [](std::string_view name, std::string_view version) {
        return fmt::format(R"({{"type":"olm.package","value":{{"packageName":"{}","version":"{}"}}}})", name,
                           version);
    };
    World world;
    world.catalog("main", operator_yaml("red", ", {type: olm.label.required, value: {label: good}}"));
    world.subscription("red", "stable");
    world.installed("a.v1", "1.0.0", fmt::format("[{},{}]", package("a", "1.0.0"), label));
    world.installed("b.v1", "1.0.0", fmt::format("[{},{}]", package("b", "1.0.0"), label));
    const Resolution resolution = resolve(world.request());
    const std::vector<Variable>& variables = resolution.reasoning->problem.variables;
    const auto found = std::find_if(variables.begin(), variables.end(),
                                    [](const Variable& one) { return one.id == "main/olm/stable/red.v1"; });
    REQUIRE(found != variables.end());
    const Variable& red = *found;
    REQUIRE(red.constraints.size() == 1);
    std::string candidates;
    for (const VariableId id : red.constraints[0].ids)
        candidates += resolution.reasoning->problem.variables[id].id + " ";
    CHECK(candidates == "@existing/ns//a.v1 @existing/ns//b.v1 ");

    for (const auto& [name, range, answer] :
         {std::tuple("x1", ">=1.0.0", "blue.v1"), std::tuple("y1", ">=2.0.0", "blue.v1"),
          std::tuple("z1", ">=1.0.0", ""), std::tuple("x1", ">=3.0.0", "")}) {
        CAPTURE(name);
        World two;
        two.catalog("main", operator_yaml("blue", requires_package(name, range)));
        two.subscription("blue", "stable");
        two.installed("both.v1", "1.0.0",
                      fmt::format("[{},{}]", package("x1", "1.0.0"), package("y1", "2.0.0")));
        if (*answer)
            CHECK(two.answer() == answer);
        else
            CHECK(two.answer().starts_with("constraints not satisfiable"));
    }
}

TEST_CASE("a label is a property like any other") {
    World world;
    world.catalog("main", operator_yaml("a", ", {type: olm.label.required, value: {label: good}}") +
                              operator_yaml("b", ", {type: olm.label, value: {label: good}}"));
    world.subscription("a", "stable");
    CHECK(world.answer() == "a.v1 b.v1");
}

TEST_CASE(
    "what is installed is never left behind for something in another channel that does not replace it") {
    World world;
    world.catalog("main",
                  chain + channel_yaml("a", "next", "{name: a.v9}") + bundle_yaml("a", "a.v9", "9.0.0"));
    world.subscription("a", "next", "a.v1");
    world.installed("a.v1", "1.0.0");
    CHECK(world.answer().empty());
}

TEST_CASE("upgrades go one step at a time, and skipRange reaches further") {
    World world;
    world.catalog("main", chain);
    world.subscription("a", "stable", "a.v1");
    world.installed("a.v1", "1.0.0");
    CHECK(world.answer() == "a.v2");
    World far;
    std::string ranged = chain;
    ranged.replace(ranged.find("replaces: a.v2"), 14, "replaces: a.v2, skipRange: \"<3.0.0\"");
    far.catalog("main", ranged);
    far.subscription("a", "stable", "a.v1");
    far.installed("a.v1", "1.0.0");
    CHECK(far.answer() == "a.v3");
}

TEST_CASE("without a channel, every upgrade in any channel excludes what it replaces") {
    const std::string upgrade = "{name: a.v2, replaces: a.v1}";
    World world;
    world.catalog("main", package_yaml("a", "stable") + channel_yaml("a", "stable", upgrade) +
                              channel_yaml("a", "beta", upgrade) +
                              channel_yaml("a", "candidate", "{name: a.v3, skips: [a.v1]}") +
                              bundle_yaml("a", "a.v2", "2.0.0") + bundle_yaml("a", "a.v3", "3.0.0"));
    world.subscription("a", "\"\"", "a.v1");
    world.installed("a.v1", "1.0.0");
    const Resolution resolution = resolve(world.request());
    std::string replacing;
    for (const Variable& variable : resolution.reasoning->problem.variables) {
        if (!variable.replaces) continue;
        CHECK(variable.replaces->name == "a.v1");
        CHECK(std::count_if(variable.constraints.begin(), variable.constraints.end(),
                            [](const Constraint& c) { return c.kind == Constraint::Kind::conflict; }) == 1);
        replacing += variable.id + " ";
    }
    CHECK(replacing == "main/olm/stable/a.v2 main/olm/beta/a.v2 main/olm/candidate/a.v3 ");
}

TEST_CASE("the mistakes of all candidates are reported, not only the first") {
    World world;
    world.catalog("main", operator_yaml("a", requires_api("K")) +
                              operator_yaml("b", provides("K") + requires_that("failureMessage: only that")) +
                              operator_yaml("c", provides("K") + requires_that("cel: {rule: '1'}")));
    world.subscription("a", "stable");
    CHECK(world.answer() ==
          "[convert olm.constraint to resolver predicate: cel expressions must have type Bool, convert "
          "olm.constraint to resolver predicate: constraint is empty]");
}

TEST_CASE("a startingCSV may be an entry that others skip; without one it is never chosen") {
    const std::string skipping = package_yaml("a", "stable") +
                                 channel_yaml("a", "stable", "{name: a.v2, skips: [a.v1]}, {name: a.v1}") +
                                 bundle_yaml("a", "a.v1", "1.0.0") +
                                 bundle_yaml("a", "a.v2", "2.0.0", requires_api("K"));
    World world;
    world.catalog("main", skipping);
    world.subscription("a", "stable");
    CHECK(world.answer().starts_with("constraints not satisfiable"));
    World starting;
    starting.catalog("main", skipping);
    starting.subscription("a", "stable", "", "main", "a.v1");
    CHECK(starting.answer() == "a.v1");
}

TEST_CASE("an operator without a Subscription stays, and excludes others of its package and its APIs") {
    World world;
    world.catalog("main", chain);
    world.installed("a.v1", "1.0.0",
                    R"([{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}])");
    world.subscription("a", "stable");
    CHECK(
        world.answer() ==
        "constraints not satisfiable: @existing/ns//a.v1, main/olm/stable/a.v1, main/olm/stable/a.v2 and "
        "main/olm/stable/a.v3 originate from package a, clusterserviceversion a.v1 exists and is not "
        "referenced by a "
        "subscription, subscription a exists, subscription a requires at least one of main/olm/stable/a.v3, "
        "main/olm/stable/a.v2 or main/olm/stable/a.v1");
}

TEST_CASE("a group can exclude the global catalogs") {
    World world;
    world.cluster.operator_groups.clear();
    world.manifests(
        "---\napiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata: {namespace: ns, name: g, "
        "annotations: {olm.operatorframework.io/exclude-global-namespace-resolution: 'true'}}\n");
    world.catalog("main", chain);
    world.subscription("a", "stable");
    CHECK(world.answer() ==
          "constraints not satisfiable: no operators found from catalog main in namespace olm "
          "referenced by subscription a, subscription a exists");
}

TEST_CASE("failures have an order: what is installed, catalogs, Subscriptions") {
    World world;
    world.catalog("main", operator_yaml("a", requires_package("x1", "bad")) +
                              operator_yaml("b", requires_package("x1", "worse")));
    world.subscription("a", "stable");
    world.subscription("b", "stable");
    CHECK(world.answer() == "[Could not get version from string: \"bad\", Could not get version from string: "
                            "\"worse\"]");
    CatalogSource silent;
    silent.ns = "olm";
    silent.name = "silent";
    world.cluster.catalog_sources.push_back(silent);
    CHECK(world.answer() ==
          "error using catalogsource olm/silent: no registry client established for catalogsource "
          "olm/silent");
    world.installed("c.v1", "1.0.0", R"([{"type":"olm.constraint","value":{}}])");
    CHECK(world.answer() == "convert olm.constraint to resolver predicate: constraint is empty");
}

TEST_CASE("the namespace's own catalogs come before global ones of the same priority") {
    World world;
    world.catalog("main", operator_yaml("red", requires_api("K")));
    world.catalog("a-global", operator_yaml("from-global", provides("K")));
    world.subscription("red", "stable");
    CHECK(world.answer() == "from-global.v1 red.v1");
    // The same again, but the other catalog is in the namespace itself.
    const LoadedCatalog own = load_text(operator_yaml("from-own", provides("K")));
    const CatalogKey key{"ns", "z-own"};
    CatalogSource source;
    source.ns = key.ns;
    source.name = key.name;
    world.cluster.catalog_sources.push_back(source);
    Request request = world.request();
    std::vector<AvailableCatalog> available(request.catalogs.begin(), request.catalogs.end());
    available.push_back({key, catalog_snapshot(key, own.catalog), {}});
    request.catalogs = available;
    const Resolution resolution = resolve(request);
    REQUIRE(resolution.operators.size() == 2);
    CHECK(resolution.operators[0].entry->name == "from-own.v1");
}

TEST_CASE("the cost of expressions is limited: an expensive one counts as not satisfied, and is reported") {
    World world;
    std::string rule = "true";
    for (int i = 0; i < 9; ++i) rule = fmt::format("[0,1,2,3,4,5,6,7,8,9].all(x{}, {})", i, rule);
    world.catalog("main", operator_yaml("a", requires_that("cel: {rule: \"" + rule + "\"}")));
    world.subscription("a", "stable");
    CHECK(world.answer().starts_with("constraints not satisfiable"));
    const Diagnostics findings = world.findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].rule == "classic-expression-cost");

    // Also if a cheap one is evaluated after it.
    World both;
    both.catalog("main", operator_yaml("a", requires_that("cel: {rule: \"" + rule + "\"}") +
                                                requires_that("cel: {rule: \"true\"}")));
    both.subscription("a", "stable");
    CHECK(both.findings().size() == 1);
}
