// What filtering promises, for real catalogs and many selections.
#include "catalog/check.hpp"
#include "catalog/load.hpp"
#include "catalog/write.hpp"
#include "filter/filter.hpp"
#include "reachability.hpp"
#include "support/error.hpp"

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
    size_t lost_over_channels = 0; // ways of OLM v1 over all channels, by a channel that was dropped
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
        const std::string over_channels =
            difference(among(before.v1(before.channels()), names), among(after.v1(after.channels()), names));
        if (over_channels != "none" && after.channels().size() != before.channels().size())
            ++counts.lost_over_channels;
        else
            CHECK(over_channels == "none");
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
            } catch (const UsageError&) {
                // There is no such version in these channels.
            }
        }
    }
}

} // namespace

TEST_CASE("whatever is cut out of a real catalog validates, and leads where it led") {
    const fs::path catalogs = fs::path(OPCAT_SHARED) / "conformance/catalogs";
    if (!fs::exists(catalogs)) {
        MESSAGE("skipped: there are no real catalogs at ", catalogs.string());
        return;
    }
    ThreadPool pool(2);
    Counts counts;
    for (const char* kind : {"certified", "community"})
        for (const auto& version : fs::directory_iterator(catalogs / kind))
            for (const auto& package : fs::directory_iterator(version.path()))
                check_directory(package.path(), 12, pool, counts);
    MESSAGE(counts.cases, " selections kept ", counts.versions, " versions with ", counts.pairs,
            " ways of OLM classic; given up: ", counts.given_up,
            "; ways by dropped channels: ", counts.lost_over_channels);
    CHECK(counts.cases > 100);
}
