// Covers lib/resolve/v1.
#include "catalogs.hpp"
#include "opcat/resolve/v1/resolver.hpp"

using namespace opcat;
using namespace opcat::olmv1;

namespace {

std::string two_versions(std::string_view older, std::string_view newer) {
    return channel_yaml("p", "stable",
                        fmt::format("{{name: p.v{0}}}, {{name: p.v{1}, replaces: p.v{0}}}", older, newer)) +
           bundle_yaml("p", older) + bundle_yaml("p", newer);
}

InstalledBundle installed(std::string_view version) {
    return {fmt::format("p.v{}", version), std::string(version), std::nullopt};
}

} // namespace

TEST_CASE("the selector is checked before the range, and the range before any catalog") {
    Cluster cluster;
    cluster.add_broken("broken", "it burns");
    Request request{.package = "p", .version = "foo"};
    request.selector = LabelSelectorSpec{{}, {{"env", "Bogus", {}}}};
    CHECK(answer(request, cluster) ==
          "desired catalog selector is invalid: \"Bogus\" is not a valid label selector operator");
    request.selector.reset();
    CHECK(answer(request, cluster) ==
          "desired version range \"foo\" is invalid: improper constraint: \"foo\"");
    request.version.clear();
    CHECK(answer(request, cluster) ==
          "error walking catalogs: error getting package \"p\" from catalog \"broken\": it burns");
}

TEST_CASE("a broken catalog that is unavailable or not selected has no effect") {
    Cluster cluster;
    cluster.add("good", two_versions("1.0.0", "2.0.0"));
    cluster.add_broken("broken", "it burns").unavailable = true;
    CHECK(answer({.package = "p"}, cluster) == "p.v2.0.0");
    cluster.catalogs[1].unavailable = false;
    Request request{.package = "p"};
    request.selector = LabelSelectorSpec{{{"olm.operatorframework.io/metadata.name", "good"}}, {}};
    CHECK(answer(request, cluster) == "p.v2.0.0");
}

TEST_CASE("an unreadable installed version is only an error if the package exists") {
    Cluster cluster;
    cluster.add("c", two_versions("1.0.0", "2.0.0"));
    Request request{.package = "p", .installed = InstalledBundle{"p.bad", "1.2", {}}};
    CHECK(answer(request, cluster) ==
          "error walking catalogs: error finding upgrade edges: failed to get version and "
          "release of installed bundle: No Major.Minor.Patch elements found");
    request.policy = Policy::self_certified;
    CHECK(answer(request, cluster) == "p.v2.0.0");
    request.policy = Policy::catalog_provided;
    request.package = "other";
    CHECK(answer(request, cluster) ==
          "error upgrading from currently installed version \"1.2\": no bundles found for package \"other\"");
}

TEST_CASE("a deprecated bundle loses to an older one that is not, and its catalog to one of lower priority") {
    Cluster cluster;
    cluster.add("high", two_versions("3.0.0", "4.0.0") + deprecations_yaml("p", "p.v4.0.0"), 10);
    CHECK(answer({.package = "p"}, cluster) == "p.v3.0.0");
    cluster.catalogs.clear();
    cluster.add("high", bundle_yaml("p", "4.0.0") + deprecations_yaml("p", "p.v4.0.0"), 10);
    cluster.add("low", two_versions("1.0.0", "2.0.0"));
    CHECK(answer({.package = "p"}, cluster) == "p.v2.0.0");
    cluster.catalogs.clear();
    cluster.add("low", two_versions("1.0.0", "2.0.0"));
    cluster.add("high", bundle_yaml("p", "4.0.0") + deprecations_yaml("p", "p.v4.0.0"), 10);
    CHECK(answer({.package = "p"}, cluster) == "p.v2.0.0");
    cluster.catalogs.erase(cluster.catalogs.begin());
    cluster.add("higher", bundle_yaml("p", "3.0.0") + deprecations_yaml("p", "p.v3.0.0"), 11);
    CHECK(answer({.package = "p"}, cluster) == "p.v3.0.0");
}

TEST_CASE("the ambiguity error names all offers, those of lower priority as well") {
    Cluster cluster;
    cluster.add("m", bundle_yaml("p", "1.0.0"), 3);
    cluster.add("z", bundle_yaml("p", "2.0.0"), 1);
    cluster.add("a", bundle_yaml("p", "3.0.0"), 3);
    CHECK(answer({.package = "p"}, cluster) ==
          "found bundles for package \"p\" in multiple catalogs with the same priority [a m z]");
    cluster.catalogs[0].priority = 4;
    CHECK(answer({.package = "p"}, cluster) == "p.v1.0.0");
}

TEST_CASE("pinned channels restrict the edges, too") {
    Cluster cluster;
    cluster.add("c", channel_yaml("p", "a", "{name: p.v1.0.0}, {name: p.v2.0.0}") +
                         channel_yaml("p", "b", "{name: p.v2.0.0, replaces: p.v1.0.0}") +
                         bundle_yaml("p", "1.0.0") + bundle_yaml("p", "2.0.0"));
    Request request{.package = "p", .installed = installed("1.0.0")};
    CHECK(answer(request, cluster) == "p.v2.0.0");
    request.channels = {"a"};
    CHECK(answer(request, cluster) == "p.v1.0.0");
}

TEST_CASE("a bundle with a dependency is refused after the choice, and nothing else is tried") {
    Cluster cluster;
    cluster.add("c",
                two_versions("1.0.0", "2.0.0") +
                    bundle_yaml("p", "3.0.0",
                                "- type: olm.gvk.required\n  value: {group: g, kind: K, version: v1}\n"));
    const Resolution resolution = resolve({.package = "p"}, cluster.catalogs);
    CHECK(resolution.error ==
          "validating bundle \"p.v3.0.0\": bundle \"p.v3.0.0\" has a dependency declared via "
          "property \"olm.gvk.required\" which is currently not supported");
    CHECK(resolution.unvalidated->bundle->name() == "p.v3.0.0");
}

TEST_CASE(
    "a bundle in no channel can be installed, and a bundle of the installed version counts as installed") {
    Cluster cluster;
    cluster.add("c", bundle_yaml("p", "1.0.0"));
    CHECK(answer({.package = "p"}, cluster) == "p.v1.0.0");
    CHECK(answer({.package = "p", .installed = InstalledBundle{"another.name", "1.0.0", {}}}, cluster) ==
          "p.v1.0.0");
}

TEST_CASE("releases count as build metadata, or as a field with the feature gate") {
    Cluster cluster;
    const auto with_release = [](std::string_view release) {
        return fmt::format(
            "---\nschema: olm.bundle\npackage: p\nname: p.r{0}\nimage: i\nproperties:\n- type: "
            "olm.package\n  value: {{packageName: p, version: 1.0.0, release: \"{0}\"}}\n",
            release);
    };
    cluster.add("c", with_release("1") + with_release("10") + with_release("2"));
    CHECK(answer({.package = "p"}, cluster) == "p.r1");
    const Resolution resolution = resolve({.package = "p", .release_support = true}, cluster.catalogs);
    REQUIRE(resolution.choice);
    CHECK(resolution.choice->bundle->name() == "p.r10");
    CHECK(resolution.choice->release == "10");
}

TEST_CASE("a skipRange that OLM crashes on is an error") {
    Cluster cluster;
    cluster.add("c", channel_yaml("p", "stable", "{name: p.v2.0.0, skipRange: \"1.1.0 || || 2.0.0\"}") +
                         bundle_yaml("p", "2.0.0"));
    const Resolution resolution =
        resolve({.package = "p", .installed = installed("1.0.0")}, cluster.catalogs);
    CHECK(resolution.failure == Resolution::Failure::crash);
}

TEST_CASE("deprecations are reported from the last catalog that was read") {
    Cluster cluster;
    cluster.add("chosen", two_versions("1.0.0", "2.0.0"), 10);
    cluster.add("last", bundle_yaml("p", "1.0.0") + "---\nschema: olm.deprecations\npackage: p\nentries:\n- "
                                                    "reference: {schema: olm.package}\n  message: gone\n");
    const Request request{.package = "p"};
    const Resolution resolution = resolve(request, cluster.catalogs);
    REQUIRE(resolution.choice);
    const auto notice = deprecation_notice(request, *resolution.choice);
    REQUIRE(notice);
    CHECK(notice->catalog == "last");
    CHECK(notice->package == "gone");
}

TEST_CASE("the notice has the deprecations that concern the request") {
    Cluster cluster;
    cluster.add("c", two_versions("1.0.0", "2.0.0") +
                         channel_yaml("p", "fast", "{name: p.v2.0.0, replaces: p.v1.0.0}") +
                         "---\nschema: olm.deprecations\npackage: p\nentries:\n"
                         "- {reference: {schema: olm.package}, message: all}\n"
                         "- {reference: {schema: olm.channel, name: stable}, message: of stable}\n"
                         "- {reference: {schema: olm.channel, name: fast}, message: of fast}\n"
                         "- {reference: {schema: olm.bundle, name: p.v1.0.0}, message: one}\n"
                         "- {reference: {schema: olm.bundle, name: p.v2.0.0}, message: two}\n");
    const struct {
        std::vector<std::string> channels;
        std::optional<InstalledBundle> installed;
        std::string_view notice;
    } cases[] = {
        {{}, {}, "package all; fast of fast; stable of stable; bundle two"},
        {{"fast", "other"}, {}, "package all; fast of fast; bundle two"},
        {{"stable"}, installed("1.0.0"), "package all; stable of stable; bundle two; installed one"},
        {{"stable"}, installed("2.0.0"), "package all; stable of stable; bundle two; installed two"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.notice);
        const Request request{.package = "p", .channels = c.channels, .installed = c.installed};
        const Resolution resolution = resolve(request, cluster.catalogs);
        REQUIRE(resolution.choice);
        const auto notice = deprecation_notice(request, *resolution.choice);
        REQUIRE(notice);
        CHECK(notice->entries == 5);
        std::string text = fmt::format("package {}", notice->package.value_or("-"));
        for (const auto& [name, message] : notice->channels) text += fmt::format("; {} {}", name, message);
        if (notice->bundle) text += fmt::format("; bundle {}", *notice->bundle);
        if (notice->installed) text += fmt::format("; installed {}", *notice->installed);
        CHECK(text == c.notice);
    }
}

TEST_CASE("a package of which the catalog only has blobs of other schemas has no bundles") {
    Cluster cluster;
    cluster.add("c", "schema: x.example\npackage: p\n---\nschema: x.example\nname: of no package\n");
    CHECK(cluster.catalogs[0].index->package_names() == std::vector<std::string_view>{"p"});
    CHECK(answer({.package = "p"}, cluster) == "no bundles found for package \"p\"");
}

TEST_CASE("which of several bundles with equal versions is taken is not determined") {
    const auto release = [](int number) {
        return fmt::format(
            "---\nschema: olm.bundle\npackage: p\nname: p.v1-{0}\nimage: i\nproperties:\n- type: "
            "olm.package\n  value: {{packageName: p, version: 1.0.0, release: \"{0}\"}}\n",
            number);
    };
    Cluster cluster;
    cluster.add("c", release(1) + release(2) + bundle_yaml("p", "0.9.0"));
    Request request{.package = "p"};
    const Resolution standard = resolve(request, cluster.catalogs);
    CHECK(describe_equals(request, standard) ==
          "OLM may take p.v1-2 instead of p.v1-1: their versions are equal, and the order in which a cluster "
          "serves the catalog is not determined");
    request.release_support = true;
    const Resolution experimental = resolve(request, cluster.catalogs);
    CHECK(experimental.choice->bundle->name() == "p.v1-2");
    CHECK(describe_equals(request, experimental).empty());
    request.package = "other";
    CHECK(describe_equals(request, resolve(request, cluster.catalogs)).empty());
}
