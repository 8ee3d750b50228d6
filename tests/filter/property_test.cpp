// The promises of filtering, for real catalogs and many selections.
#include "opcat/base/error.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/filter/filter.hpp"
#include "opcat/lint/checks.hpp"
#include "reachability.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <random>

using namespace opcat;
using namespace opcat::test;
namespace fs = std::filesystem;

namespace {

std::string text_of(const Catalog& catalog, ThreadPool& pool) {
    std::string text;
    write_catalog(catalog, Format::json, pool,
                  [&](std::string_view, std::string_view piece) { text += piece; });
    return text;
}

LoadedCatalog load_again(const std::string& text, ThreadPool& pool) {
    std::vector<std::unique_ptr<SourceFile>> files;
    files.push_back(std::make_unique<SourceFile>("filtered", text));
    return load_catalog(std::move(files), pool);
}

struct Counts {
    size_t cases = 0;
    size_t versions = 0;
    size_t pairs = 0;
    size_t given_up = 0;
    size_t lost_over_channels = 0; // upgrade paths of OLM v1 that only existed with several channels
};

std::string difference(const Ways& before, const Ways& after) {
    for (const auto& [from, to] : before)
        for (const std::string& name : to)
            if (!after.contains(from) || !after.at(from).contains(name))
                return fmt::format("{} no longer leads to {}", from, name);
    for (const auto& [from, to] : after)
        for (const std::string& name : to)
            if (!before.contains(from) || !before.at(from).contains(name))
                return fmt::format("{} leads to {} anew", from, name);
    return "none";
}

Ways minus(const Ways& some, const Ways& others) {
    Ways rest;
    for (const auto& [from, all] : some)
        for (const std::string& to : all)
            if (!others.contains(from) || !others.at(from).contains(to)) rest[from].insert(to);
    return rest;
}

size_t count(const Ways& ways) {
    size_t pairs = 0;
    for (const auto& [from, to] : ways) pairs += to.size();
    return pairs;
}

void check_promises(const LoadedCatalog& loaded, const Selection& selection, ThreadPool& pool,
                    Counts& counts) {
    const FilteredCatalog filtered = filter_catalog(loaded.catalog, selection, false, pool);
    REQUIRE(filtered.diagnostics.empty());
    const std::string text = text_of(filtered.catalog, pool);
    CHECK(text == text_of(filter_catalog(loaded.catalog, selection, false, pool).catalog, pool));
    const LoadedCatalog again = load_again(text, pool);
    REQUIRE(again.diagnostics.empty());
    for (const Diagnostic& d : check_catalog(again.catalog, pool))
        if (d.severity == Severity::error) FAIL(to_text(d, {}));

    const std::vector<PackageIndex> old_packages = index_packages(loaded.catalog);
    for (const PackageIndex& package : index_packages(again.catalog)) {
        const Oracle after(package);
        const PackageIndex* old_package = nullptr;
        for (const PackageIndex& one : old_packages)
            if (one.name == package.name) old_package = &one;
        REQUIRE(old_package);
        const Oracle before(*old_package);
        for (const Channel* channel : after.channels()) {
            const Channel& old_channel = *old_package->channel_by_name.at(channel->name);
            const Names names = after.entries(*channel);
            const Ways classic = among(before.classic(old_channel), names);
            CHECK(difference(classic, among(after.classic(*channel), names)) == "none");
            CHECK(difference(among(before.v1({&old_channel}), names), among(after.v1({channel}), names)) ==
                  "none");
            counts.pairs += count(classic);
        }
        const Names names = after.bundles();
        const Ways old_ways = among(before.v1(before.channels()), names);
        const Ways new_ways = among(after.v1(after.channels()), names);
        CHECK(difference({}, minus(new_ways, old_ways)) == "none");
        counts.lost_over_channels += count(minus(old_ways, new_ways));
        counts.versions += names.size();
    }
    ++counts.cases;
    for (const FilteredPackage& package : filtered.report.kept) counts.given_up += package.given_up.size();
}

// Ranges that cut off the top, the bottom, both, or pick here and there; sometimes a few channels only.
Selection random_selection(const PackageIndex& package, std::mt19937& random) {
    const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
    const auto version = [&] {
        return std::string(package_property(*package.bundles[below(package.bundles.size())])->version);
    };
    std::string range;
    switch (below(5)) {
    case 0:
        range = "<=" + version();
        break;
    case 1:
        range = ">=" + version();
        break;
    case 2:
        range = fmt::format(">={0} || <={1}", version(), version());
        break;
    case 3:
        range = "!=" + version();
        for (int i = 0; i < 3; ++i) range += ", !=" + version();
        break;
    default:
        range = version();
        for (int i = 0; i < 8; ++i) range += " || " + version();
    }
    Selection selection;
    selection.add_version(fmt::format("{} {}", package.name, range));
    if (below(3) == 0)
        for (const Channel* channel : package.channels)
            if (below(2) == 0) selection.add_channel(fmt::format("{}/{}", package.name, channel->name.text));
    return selection;
}

void check_directory(const fs::path& directory, unsigned rounds, ThreadPool& pool, Counts& counts) {
    const LoadedCatalog loaded = load_catalog(directory, pool);
    if (!loaded.diagnostics.empty()) return;
    for (const Diagnostic& d : check_catalog(loaded.catalog, pool))
        if (d.severity == Severity::error) return;
    std::mt19937 random(7);
    for (const PackageIndex& package : index_packages(loaded.catalog)) {
        if (package.packages.empty()) continue;
        for (unsigned round = 0; round < rounds; ++round) {
            const Selection selection = random_selection(package, random);
            const PackageSelection& about = selection.packages.begin()->second;
            INFO(directory.string(), ": ", package.name, " ", about.versions.front().text, " ",
                 fmt::format("{}", fmt::join(about.channels, ",")));
            try {
                check_promises(loaded, selection, pool, counts);
            } catch (const RequestError&) {
                // There is no such version in these channels.
            }
        }
    }
}

// A package of a few versions and channels with all kinds of edges, mostly odd ones.
std::string random_package(std::mt19937& random) {
    const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
    const size_t versions = 2 + below(9);
    const auto name = [](size_t i) { return fmt::format("foo.v1.{}.0", i); };
    std::string text = "schema: olm.package\nname: foo\ndefaultChannel: c0\n";
    for (size_t i = 0; i < versions; ++i)
        text +=
            fmt::format("---\nschema: olm.bundle\npackage: foo\nname: {}\nimage: r.example/foo:v{}\n"
                        "properties:\n- type: olm.package\n  value: {{packageName: foo, version: 1.{}.0}}\n",
                        name(i), i, i);
    const size_t channels = 1 + below(3);
    for (size_t c = 0; c < channels; ++c) {
        text += fmt::format("---\nschema: olm.channel\npackage: foo\nname: c{}\nentries:\n", c);
        for (size_t i = 0; i < versions; ++i) {
            if (c > 0 && below(3) == 0) continue;
            text += fmt::format("- name: {}\n", name(i));
            // Sometimes something higher or missing.
            if (below(4) != 0)
                text += fmt::format("  replaces: {}\n", name(below(8) ? below(i + 1) : below(versions + 1)));
            if (below(2)) {
                text += "  skips:\n";
                for (size_t n = 1 + below(3); n > 0; --n)
                    text += fmt::format("  - {}\n", name(below(8) ? below(i + 1) : below(versions + 1)));
            }
            if (below(3) == 0)
                text +=
                    fmt::format("  skipRange: '>=1.{}.0 <1.{}.0'\n", below(versions), below(versions + 1));
        }
    }
    return text;
}

} // namespace

TEST_CASE("every selection of a package with odd edges is valid, and keeps its upgrade paths") {
    ThreadPool pool(1);
    Counts counts;
    std::mt19937 random(11);
    for (int round = 0; round < 60000 && counts.cases < 4000; ++round) {
        const std::string text = random_package(random);
        const LoadedCatalog loaded = load_again(text, pool);
        const Diagnostics found = check_catalog(loaded.catalog, pool);
        if (std::any_of(found.begin(), found.end(),
                        [](const Diagnostic& d) { return d.severity == Severity::error; }))
            continue;
        const std::vector<PackageIndex> packages = index_packages(loaded.catalog);
        for (int i = 0; i < 3; ++i) {
            const Selection selection = random_selection(packages.front(), random);
            const PackageSelection& about = selection.packages.begin()->second;
            INFO(text, about.versions.front().text, " ", fmt::format("{}", fmt::join(about.channels, ",")));
            try {
                check_promises(loaded, selection, pool, counts);
            } catch (const RequestError&) {
                // There is no such version in these channels.
            }
        }
    }
    MESSAGE(counts.cases, " selections kept ", counts.versions, " versions with ", counts.pairs,
            " ways of OLM classic; given up: ", counts.given_up,
            "; ways over channels lost: ", counts.lost_over_channels);
    CHECK(counts.cases > 1000);
}

TEST_CASE("every selection of a real catalog is valid, and keeps its upgrade paths" *
          doctest::test_suite("recorded")) {
    const fs::path catalogs = fs::path(OPCAT_SHARED) / "conformance/catalogs";
    ThreadPool pool(2);
    Counts counts;
    for (const char* kind : {"certified", "community"})
        for (const auto& version : fs::directory_iterator(catalogs / kind))
            for (const auto& package : fs::directory_iterator(version.path()))
                check_directory(package.path(), 12, pool, counts);
    MESSAGE(counts.cases, " selections kept ", counts.versions, " versions with ", counts.pairs,
            " ways of OLM classic; given up: ", counts.given_up,
            "; ways over channels lost: ", counts.lost_over_channels);
    CHECK(counts.cases > 100);
    CHECK(counts.given_up == 0);
    CHECK(counts.lost_over_channels == 0);
}
