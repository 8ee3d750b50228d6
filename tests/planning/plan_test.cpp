// Covers lib/planning. tests/cli/test_plan.py has the command and the manifests.
#include "clusters.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace opcat;
using namespace opcat::planning;

namespace {

std::string minor_versions(const std::vector<Stop>& stops) {
    std::string text;
    for (const Stop& stop : stops) text += stop.version.to_string() + (stop.passing ? "(passed) " : " ");
    return text;
}

std::string way_of(const ClusterPlan& plan) {
    std::string text;
    for (size_t at = 0; at < plan.order.size(); ++at) {
        text += fmt::format("[{}]", plan.order[at].version.to_string());
        for (const auto* groups : {&plan.order[at].after, &plan.order[at].before}) {
            for (const auto& group : *groups)
                for (const StepRef& ref : group)
                    text += " " + plan.operators[ref.operator_index]->stops[at].steps[ref.step].to;
            if (groups == &plan.order[at].after) text += " |";
        }
        text += "\n";
    }
    return text;
}

std::string verdicts(const ClusterPlan& plan) {
    std::string text(to_string(plan.verdict));
    for (const auto& one : plan.operators)
        text += fmt::format("; {}: {}", to_string(one->verdict),
                            one->verdict == Verdict::unknown   ? one->unknown
                            : one->verdict == Verdict::blocked ? one->blocked.text
                                                               : std::string());
    return text;
}

} // namespace

TEST_CASE(
    "5.1 follows 4.23 and 5.0, and odd versions of OpenShift 4 are passed from one EUS release to the next") {
    const std::deque<PlatformCatalog> none;
    CHECK(minor_versions(stops_between({4, 16}, {4, 18}, false, none)) == "4.16 4.17 4.18 ");
    CHECK(minor_versions(stops_between({4, 16}, {4, 20}, true, none)) ==
          "4.16 4.17(passed) 4.18 4.19(passed) 4.20 ");
    CHECK(minor_versions(stops_between({4, 22}, {5, 0}, false, none)) == "4.22 5.0 ");
    CHECK(minor_versions(stops_between({4, 22}, {4, 23}, false, none)) == "4.22 4.23 ");
    CHECK(minor_versions(stops_between({4, 22}, {5, 1}, false, none)) == "4.22 4.23 5.1 ");
    CHECK(minor_versions(stops_between({5, 0}, {5, 1}, false, none)) == "5.0 5.1 ");
    CHECK_THROWS_AS((void)stops_between({4, 23}, {5, 0}, false, none), RequestError);
    CHECK_THROWS_AS((void)stops_between({4, 22}, {4, 24}, false, none), RequestError);
    CHECK_THROWS_AS((void)stops_between({4, 18}, {4, 17}, false, none), RequestError);
    CHECK_THROWS_AS((void)stops_between({4, 18}, {4, 999999}, false, none), RequestError);
    const std::deque<PlatformCatalog> catalogs{{{5, 0}, "five", nullptr}};
    CHECK(stops_between({4, 22}, {4, 23}, false, catalogs).back().catalogs.size() == 1);
}

TEST_CASE("a requirement keeps the order of steps: the operator that fulfils it goes first") {
    const ClusterPlan plan = stores().plan(
        {installed("ledger", "ledger.v1.0.0", {"stable"}), installed("depot", "depot.v1.0.0", {"stable-1"})},
        {4, 16}, {4, 18});
    CHECK(way_of(plan) == "[4.16] | depot.v1.1.0\n[4.17] | stable-2 depot.v2.0.0 ledger.v2.0.0\n[4.18] |\n");
    CHECK(verdicts(plan) == "ok; ok: ; ok: ");
}

TEST_CASE("an operator goes further than it must if another one requires that") {
    // Alone, its upgrades by hand are not needed.
    const std::string depot =
        "---\n{schema: olm.package, name: d, defaultChannel: a}\n---\n{schema: olm.channel, package: d, "
        "name: a, entries: [{name: d.v1}, {name: d.v2, replaces: d.v1}]}\n";
    const auto bundle = [](std::string_view package, std::string_view name, std::string_view version,
                           std::string_view more) {
        return fmt::format(
            "---\n{{schema: olm.bundle, package: {}, name: {}, image: i, properties: [{{type: olm.package, "
            "value: {{packageName: {}, version: {}}}}}{}]}}\n",
            package, name, package, version, more);
    };
    const std::string needs =
        ", {type: olm.package.required, value: {packageName: d, versionRange: '>=2.0.0'}}";
    const std::string ledger = "---\n{schema: olm.package, name: l, defaultChannel: a}\n---\n{schema: "
                               "olm.channel, package: l, name: a, entries: "
                               "[{name: l.v1}, {name: l.v2, replaces: l.v1}]}\n" +
                               bundle("l", "l.v1", "1.0.0", "") + bundle("l", "l.v2", "2.0.0", needs);
    const std::string catalog =
        depot + bundle("d", "d.v1", "1.0.0", "") + bundle("d", "d.v2", "2.0.0", "") + ledger;
    TestPlatforms platforms;
    platforms.add({4, 16}, catalog);
    platforms.add({4, 17}, catalog);
    const auto d = installed("d", "d.v1", {"a"}, OlmGeneration::classic, true);
    const auto l = installed("l", "l.v1", {"a"});
    CHECK(way_of(platforms.plan({d}, {4, 16}, {4, 17})) == "[4.16] |\n[4.17] |\n");
    const ClusterPlan both = platforms.plan({l, d}, {4, 16}, {4, 17});
    CHECK(way_of(both) == "[4.16] | d.v2 l.v2\n[4.17] |\n");
    CHECK(verdicts(both) == "ok; ok: ; ok: ");
    // In another namespace it fulfils nothing.
    auto elsewhere = d;
    elsewhere.ns = "x";
    auto here = l;
    here.ns = "y";
    CHECK(platforms.plan({here, elsewhere}, {4, 16}, {4, 17}).verdict == Verdict::unknown);
}

TEST_CASE("an automatic upgrade past the only exit to the next channel is stopped, with a warning") {
    const ClusterPlan plan =
        stores().plan({installed("till", "till.v3.15.1", {"stable-3.15"})}, {4, 16}, {4, 18});
    CHECK(way_of(plan) ==
          "[4.16] | till.v3.15.1 till.v3.15.2 stable-3.16 till.v3.16.0\n[4.17] | till.v3.16.1\n[4.18] |\n");
    const auto& first = plan.operators[0]->stops[0];
    CHECK(first.steps[0].kind == PlanStep::Kind::stop_automatic);
    REQUIRE(first.warnings.size() == 1);
    CHECK(first.warnings[0] ==
          "the automatic upgrade in channel stable-3.15 goes on to till.v3.15.3, which has no "
          "upgrade to channel stable-3.16: only till.v3.15.2 has one, to till.v3.16.0");
    // By hand nothing passes it.
    const ClusterPlan by_hand = stores().plan(
        {installed("till", "till.v3.15.1", {"stable-3.15"}, OlmGeneration::classic, true)}, {4, 16}, {4, 18});
    CHECK(by_hand.operators[0]->stops[0].warnings.empty());
    CHECK(by_hand.operators[0]->stops[0].steps[0].kind == PlanStep::Kind::upgrade);
}

TEST_CASE("what is not known is unknown, and never ok") {
    struct Case {
        const char* what;
        std::function<void(TestPlatforms&, InstalledOperator&)> spoil;
        std::string verdict;
    };
    const Case cases[] = {
        {"nothing is missing", [](TestPlatforms&, InstalledOperator&) {}, "ok; ok: "},
        {"no catalog of the first version",
         [](TestPlatforms& platforms, InstalledOperator&) { platforms.catalogs.pop_front(); },
         "unknown; unknown: no catalog is given for OpenShift 4.16"},
        {"no catalog in the middle",
         [](TestPlatforms& platforms, InstalledOperator&) {
             platforms.catalogs.erase(platforms.catalogs.begin() + 1);
         },
         "unknown; unknown: no catalog is given for OpenShift 4.17"},
        {"no catalog of the last version",
         [](TestPlatforms& platforms, InstalledOperator&) { platforms.catalogs.pop_back(); },
         "unknown; unknown: no catalog is given for OpenShift 4.18"},
        {"two catalogs of one version have the package",
         [](TestPlatforms& platforms, InstalledOperator&) {
             platforms.catalogs.push_back(platforms.catalogs[1]);
         },
         "unknown; unknown: several catalogs of OpenShift 4.17 have package depot"},
        {"an unknown package", [](TestPlatforms&, InstalledOperator& one) { one.package = "depott"; },
         "unknown; unknown: no catalog of OpenShift 4.16 has package depott"},
        {"no package", [](TestPlatforms&, InstalledOperator& one) { one.package.clear(); },
         "unknown; unknown: its package is not known"},
        {"neither bundle nor version", [](TestPlatforms&, InstalledOperator& one) { one.bundle.clear(); },
         "unknown; unknown: its version is not known"},
        {"a version that the catalog does not have",
         [](TestPlatforms&, InstalledOperator& one) {
             one.bundle = "depot.v1.1.5";
             one.version = *semver::VersionRelease::parse_legacy("1.1.5");
         },
         "unknown; unknown: the catalogs of OpenShift 4.16 do not have depot.v1.1.5, so its "
         "olm.maxOpenShiftVersion is not known"},
        {"what was found out before",
         [](TestPlatforms&, InstalledOperator& one) { one.unknown = "it is hidden"; },
         "unknown; unknown: it is hidden"},
        {"a requirement that no named operator fulfils",
         [](TestPlatforms&, InstalledOperator& one) {
             one = installed("ledger", "ledger.v1.0.0", {"stable"});
         },
         "unknown; unknown: ledger.v1.0.0 requires an operator with package: depot and with version in "
         "range: "
         ">=1.0.0 <3.0.0, and none of the named ones is that on its way"},
        {"a block that is certain is one, whatever is unknown after it",
         [](TestPlatforms& platforms, InstalledOperator& one) {
             one = installed("clock", "clock.v1.0.0", {"stable"});
             platforms.catalogs.pop_back();
         },
         "blocked; blocked: olm.maxOpenShiftVersion of clock.v1.1.0 is 4.17"},
        {"the maximum on the cluster counts, not that of the catalog",
         [](TestPlatforms&, InstalledOperator& one) {
             one = installed("till", "till.v3.15.3", {"stable-3.15"});
             one.own_max = MaxOpenShift(std::string("it cannot be read"));
         },
         "blocked; blocked: it cannot be read"},
        {"a channel that is not known is named first",
         [](TestPlatforms&, InstalledOperator& one) { one.channels.clear(); }, "ok; ok: "},
    };
    for (const Case& one : cases) {
        CAPTURE(one.what);
        TestPlatforms platforms = stores();
        InstalledOperator depot = installed("depot", "depot.v1.0.0", {"stable-1"});
        one.spoil(platforms, depot);
        CHECK(verdicts(platforms.plan({depot}, {4, 16}, {4, 18})) == one.verdict);
    }
    CHECK(stores().plan({}, {4, 16}, {4, 18}).verdict == Verdict::unknown);
}

TEST_CASE("a range of OLM v1 is planned only if it is the installed version") {
    const auto after = [](std::string_view range) {
        InstalledOperator one = installed("depot", "depot.v1.0.0", {}, OlmGeneration::v1);
        one.version = *semver::VersionRelease::parse_legacy("1.0.0");
        apply_range(one, range);
        return std::pair(one.by_hand, one.unknown.empty());
    };
    CHECK(after("") == std::pair(false, true));
    CHECK(after("1.0.0") == std::pair(true, true));
    CHECK(after(">=1.0.0") == std::pair(false, false));
    CHECK(after("2.0.0") == std::pair(false, false));
}

TEST_CASE("support and declared platforms are warnings of a day") {
    const auto warnings = [](std::string_view at) {
        const ClusterPlan plan =
            stores().plan({installed("depot", "depot.v1.0.0", {"stable-1"})}, {4, 16}, {4, 18}, false, at);
        std::string text;
        for (const PlanWarning& warning : warnings_of(plan)) text += warning.text + "\n";
        return text;
    };
    CHECK(warnings("2026-11-28").empty());
    CHECK(warnings("2028-07-01") == "depot 1.1 is out of support since 2026-12-31\n"
                                    "depot 2.0 is out of support since 2028-06-30\n");
    CHECK(warnings("2025-12-31") == "support of depot 2.0 begins on 2026-01-01\n");
}

TEST_CASE("an image set has the versions of both catalogs of an upgrade, and nothing else") {
    const TestPlatforms platforms = stores();
    const ClusterPlan plan =
        platforms.plan({installed("till", "till.v3.15.1", {"stable-3.15"})}, {4, 16}, {4, 18});
    std::string text;
    for (const NeededBundle& one : bundles_on_the_way(plan))
        text += fmt::format("{} {} {}\n", one.catalog->reference, one.channel, one.bundle->name.text);
    CHECK(text ==
          "4.16 stable-3.15 till.v3.15.1\n4.16 stable-3.15 till.v3.15.2\n4.16 stable-3.16 till.v3.16.0\n"
          "4.17 stable-3.16 till.v3.16.0\n4.17 stable-3.16 till.v3.16.1\n4.18 stable-3.16 till.v3.16.1\n");
}

TEST_CASE("names from catalogs cannot leave their place in any format") {
    TestPlatforms platforms;
    const std::string name = "x'; rm -rf ~ #\\n<script>";
    const std::string catalog =
        "---\n{schema: olm.package, name: p, defaultChannel: \"" + name +
        "\"}\n---\n{schema: olm.channel, package: p, name: a, entries: [{name: p.v1}]}\n"
        "---\n{schema: olm.channel, package: p, name: \"" +
        name +
        "\", entries: [{name: p.v2, replaces: p.v1}]}\n"
        "---\n{schema: olm.bundle, package: p, name: p.v1, image: i, properties: [{type: "
        "olm.package, value: {packageName: p, version: 1.0.0}}, {type: "
        "olm.maxOpenShiftVersion, value: \"4.16\"}]}\n"
        "---\n{schema: olm.bundle, package: p, name: p.v2, image: i, properties: [{type: "
        "olm.package, value: {packageName: p, version: 2.0.0}}]}\n";
    platforms.add({4, 16}, catalog);
    platforms.add({4, 17}, catalog);
    InstalledOperator one = installed("p", "p.v1", {"a"});
    one.ns = "n; reboot";
    const ClusterPlan plan = platforms.plan({one}, {4, 16}, {4, 17});
    CHECK(verdicts(plan) == "ok; ok: ");
    const ReportHeader header{"4.16.1", "4.17", *read_date("2026-11-28")};
    const std::string commands = plan_as_commands(plan, header);
    CHECK(
        commands.find(
            "-n 'n; reboot' --type merge -p '{\"spec\":{\"channel\":\"x'\\''; rm -rf ~ #\\n<script>\"}}'") !=
        std::string::npos);
    for (const std::string_view line : lines_of(commands))
        CHECK((line.empty() || line == "set -e" || line.starts_with("#") || line.starts_with("oc ") ||
               line.starts_with("opcat ")));
    CHECK(plan_as_html(plan, header).find("<script>") == std::string::npos);
    CHECK(plan_as_markdown(plan, header).find("\n<script>") == std::string::npos);
    CHECK(plan_as_image_set(plan, {}).find("\\n<script>\"") != std::string::npos);
    CHECK(plan_as_text(plan, header).find("#\n<script>") == std::string::npos);
}
