// Covers lib/resolve/v1/report.cpp and lib/resolve/v1/report_text.cpp; tests/cli/test_resolve_v1.py has the
// rest.
#include "catalogs.hpp"
#include "opcat/resolve/v1/report.hpp"

using namespace opcat;
using namespace opcat::olmv1;

namespace {

// Twelve versions in a chain.
std::string long_chain() {
    std::string entries;
    std::string bundles;
    for (int i = 12; i > 0; --i) {
        entries += fmt::format("{{name: p.v{0}.0.0, replaces: p.v{1}.0.0}}{2}", i, i - 1, i > 1 ? ", " : "");
        bundles += bundle_yaml("p", fmt::format("{}.0.0", i));
    }
    return channel_yaml("p", "stable", entries) + bundles;
}

} // namespace

TEST_CASE("a report says what its reader can do in the words of the program, or nothing") {
    Cluster cluster;
    cluster.add("c", long_chain());
    const Request request{.package = "p"};
    const Resolution resolution = resolve(request, cluster.catalogs);
    const ResolveReport report = report_on("", request, resolution, cluster.catalogs, false);
    CHECK(!report.fails());
    CHECK(report.suggestions.empty());
    CHECK(!report.path);
    const std::string text = report_as_text(report);
    CHECK(text.starts_with("p.v12.0.0 (version 12.0.0) from catalog c\n"));
    CHECK(text.ends_with("\n  and 2 more\n"));
    CHECK(report_as_text(report, {.for_all_bundles = "-a shows all"})
              .ends_with("  and 2 more: -a shows all\n"));
    CHECK(report_as_text(report, {.whole = true}).find("p.v1.0.0 ") != std::string::npos);
}

TEST_CASE("a report has suggestions if it fails, and the path to the end if it is wanted") {
    Cluster cluster;
    cluster.add("c", long_chain());
    const Request wrong{.package = "p", .version = ">99"};
    const Resolution none = resolve(wrong, cluster.catalogs);
    const ResolveReport failed = report_on("e", wrong, none, cluster.catalogs, false);
    CHECK(failed.fails());
    CHECK(!failed.suggestions.empty());
    CHECK(report_as_text(failed).starts_with("ClusterExtension e\n" + none.error + "\n"));

    const Request old{.package = "p", .installed = InstalledBundle{"p.v11.0.0", "11.0.0", {}}};
    const Resolution next = resolve(old, cluster.catalogs);
    const ResolveReport followed = report_on("", old, next, cluster.catalogs, true);
    REQUIRE(followed.path);
    CHECK(report_as_text(followed).ends_with("  and there it stays\n"));
}

TEST_CASE("channels that no catalog has are known only next to others") {
    Cluster cluster;
    cluster.add("c", long_chain());
    cluster.add("away", channel_yaml("p", "fast", "{name: p.v1.0.0}")).unavailable = true;
    CHECK(unknown_channels({.package = "p", .channels = {"fast", "stable", "x"}}, cluster.catalogs) ==
          std::vector<std::string>{"fast", "x"});
    CHECK(unknown_channels({.package = "p", .channels = {"x"}}, cluster.catalogs).empty());
}

TEST_CASE("what happens to installed versions is a table for people or for Markdown") {
    UpgradeOutcome stuck;
    stuck.installed = {"p.v1", "1.0.0", "2"};
    stuck.kind = UpgradeOutcome::Kind::stuck;
    stuck.why = "a | b";
    CHECK(outcomes_as_text({stuck}) == "INSTALLED  VERSION          WHAT HAPPENS  WHY\n"
                                       "p.v1       1.0.0 release 2  stuck         a | b\n");
    CHECK(outcomes_as_markdown({stuck}) == "| INSTALLED | VERSION | WHAT HAPPENS | WHY |\n|---|---|---|---|\n"
                                           "| p.v1 | 1.0.0 release 2 | stuck | a \\| b |\n");
    const OutcomeChange same{.kind = OutcomeChange::Kind::same, .before = &stuck, .after = &stuck};
    CHECK(changes_as_text({same}) == "INSTALLED  VERSION          BEFORE  NOW\n"
                                     "p.v1       1.0.0 release 2  stuck   stuck\n");
}
