#include "opcat/base/error.hpp"
#include "opcat/catalog/installed_name.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace opcat;

namespace {

KnownBundle bundle_called(std::string_view package, std::string_view name, std::string_view version) {
    return {package, name, *semver::VersionRelease::parse_legacy(version), true};
}

// "NAME VERSION" of the bundle, with "?" for an unknown part; or the error and its hint.
std::string meant_by(std::string_view text, const std::vector<KnownBundle>& bundles, GoneBundle gone) {
    try {
        const InstalledName name = read_installed_name(text, bundles, gone);
        return std::string(name.name.empty() ? "?" : name.name) + ' ' +
               (name.version ? name.version->to_legacy_string() : "?") + (name.bundle ? "" : " gone");
    } catch (const RequestError& error) {
        return std::string(error.what()) + "; " + error.hint();
    }
}

const std::vector<KnownBundle>& foos() {
    static const std::vector<KnownBundle> bundles{bundle_called("foo", "foo.v1.0.0", "1.0.0"),
                                                  bundle_called("foo", "foo.v1.1.0", "1.1.0"),
                                                  {"foo", "foo.v0.9.0", std::nullopt, false}};
    return bundles;
}

} // namespace

TEST_CASE("an installed operator is named by bundle, by bundle or package with a version, or by version") {
    const auto gone_with = [](std::string_view version, std::string_view name) {
        return "if the bundle is no longer in the catalog, give its " + std::string(version) +
               ", too: " + std::string(name);
    };
    const struct {
        std::string_view text;
        std::string meant;
    } cases[] = {
        {"foo.v1.0.0", "foo.v1.0.0 1.0.0"},
        {"foo.v1.0.0@1.0.0", "foo.v1.0.0 1.0.0"},
        {"foo@1.1.0", "foo.v1.1.0 1.1.0"},
        {"1.1.0", "foo.v1.1.0 1.1.0"},
        {"v1.1", "foo.v1.1.0 1.1.0"},
        // No longer in the catalog.
        {"foo.v0.9.0@0.9.0", "foo.v0.9.0 0.9.0"},
        {"foo.v0.1.0@0.1.0", "foo.v0.1.0 0.1.0 gone"},
        {"old-name.v0.1.0@0.1.0", "old-name.v0.1.0 0.1.0 gone"},
        {"foo.v0.9.0", "foo.v0.9.0 is no longer in the catalog, so that its version is not known; give its "
                       "version, too: foo.v0.9.0@0.9.0"},
        {"foo.v0.1.0", "package foo has no bundle foo.v0.1.0; " + gone_with("version", "foo.v0.1.0@0.1.0")},
        {"foo@0.1.0", "package foo has no bundle of version 0.1.0; " + gone_with("name", "BUNDLE@0.1.0")},
        {"0.1.0", "package foo has no bundle of version 0.1.0; " + gone_with("name", "BUNDLE@0.1.0")},
        // Mistakes.
        {"fo@1.1.0", "fo is neither a bundle of package foo nor that package; did you mean foo?"},
        {"banana@1.1.0", "banana is neither a bundle of package foo nor that package; write PACKAGE@1.1.0 or "
                         "the whole name of a bundle"},
        {"fooo.v1.1.0", "package foo has no bundle fooo.v1.1.0; did you mean foo.v1.1.0, foo.v1.0.0 or "
                        "foo.v0.9.0?"},
        {"fooo.v1.1.0@1.1.0", "fooo.v1.1.0 is neither a bundle of package foo nor that package; did you mean "
                              "foo.v1.1.0, foo.v1.0.0 or foo.v0.9.0?"},
        {"banana", "package foo has no bundle banana; " + gone_with("version", "BUNDLE@VERSION")},
        {"foo", "foo is a package, not the version of it that is installed; write foo@VERSION, or name a "
                "bundle"},
        {"foo.v1.0.0@1.1.0",
         "bundle foo.v1.0.0 has version 1.0.0 in the catalog, not 1.1.0; leave out @1.1.0, "
         "or name the bundle of that version"},
        {"foo@", "\"foo@\" lacks a version after the @; write BUNDLE, BUNDLE@VERSION, PACKAGE@VERSION or "
                 "VERSION"},
        {"@1.0.0", "\"@1.0.0\" lacks a name before the @; write BUNDLE, BUNDLE@VERSION, PACKAGE@VERSION "
                   "or VERSION"},
        {"foo@one", "\"one\" in foo@one is not a version: No Major.Minor.Patch elements found; write "
                    "NAME@VERSION, with a version such as 1.2.3"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(meant_by(c.text, foos(), GoneBundle::with_name) == c.meant);
    }
}

TEST_CASE("a misspelt name of a known bundle is not one that is gone") {
    for (const GoneBundle gone : {GoneBundle::refused, GoneBundle::with_name, GoneBundle::with_version})
        CHECK(meant_by("foo.v1.0.O@1.0.0", foos(), gone).find("foo.v1.0.0") != std::string::npos);
    CHECK(meant_by("foo.v1.0.O@1.0.0", foos(), GoneBundle::with_version)
              .starts_with("foo.v1.0.O is neither a bundle of package foo nor that package; did you mean "));
}

TEST_CASE("a version alone is enough to match a skipRange if the bundle is gone") {
    CHECK(meant_by("0.1.0", foos(), GoneBundle::with_version) == "? 0.1.0 gone");
    CHECK(meant_by("foo@0.1.0", foos(), GoneBundle::with_version) == "? 0.1.0 gone");
    CHECK(meant_by("foo.v0.1.0@0.1.0", foos(), GoneBundle::refused).find("package foo has no bundle") == 0);
}

TEST_CASE("several bundles of one version are distinguished by package or name") {
    const std::vector<KnownBundle> bundles{
        bundle_called("foo", "foo.v1.0.0", "1.0.0"),   bundle_called("bar", "bar.v1.0.0", "1.0.0"),
        bundle_called("bar", "bar.v2.0.0", "2.0.0+a"), bundle_called("bar", "bar.v2.0.0-b", "2.0.0+b"),
        bundle_called("baz", "baz", "1.0.0"),          bundle_called("baz", "baz-next", "2.0.0")};
    CHECK(meant_by("1.0.0", bundles, GoneBundle::refused) ==
          "several bundles have version 1.0.0, such as foo.v1.0.0 and baz; name the bundle, or the package: "
          "foo@1.0.0");
    CHECK(meant_by("bar@1.0.0", bundles, GoneBundle::refused) == "bar.v1.0.0 1.0.0");
    CHECK(meant_by("bar@2.0.0+b", bundles, GoneBundle::refused) == "bar.v2.0.0-b 2.0.0+b");
    CHECK(meant_by("baz@1.0.0", bundles, GoneBundle::refused) == "baz 1.0.0");
    CHECK(meant_by("baz@2.0.0", bundles, GoneBundle::refused) == "baz-next 2.0.0");
    CHECK(meant_by("ba@2.0.0", bundles, GoneBundle::with_name) ==
          "ba is neither a bundle nor a package of the catalog; did you mean bar or baz?");
}
