// What filtering promises: the result is valid and deterministic, and between the versions that it keeps
// there are the same upgrade paths as before.
#pragma once

#include "../catalog/catalog_text.hpp"
#include "../choices.hpp"
#include "opcat/base/error.hpp"
#include "opcat/filter/filter.hpp"
#include "opcat/lint/checks.hpp"
#include "reachability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace opcat::test {

inline bool is_valid(const LoadedCatalog& loaded, ThreadPool& pool) {
    if (!loaded.diagnostics.empty()) return false;
    const Diagnostics found = check_catalog(loaded.catalog, index_packages(loaded.catalog), pool);
    return std::none_of(found.begin(), found.end(),
                        [](const Diagnostic& finding) { return finding.severity == Severity::error; });
}

inline Ways minus(const Ways& some, const Ways& others) {
    Ways rest;
    for (const auto& [from, all] : some)
        for (const std::string& to : all)
            if (!others.contains(from) || !others.at(from).contains(to)) rest[from].insert(to);
    return rest;
}

inline size_t count(const Ways& ways) {
    size_t pairs = 0;
    for (const auto& [from, to] : ways) pairs += to.size();
    return pairs;
}

class FilterPromises {
public:
    size_t cases = 0;
    size_t versions = 0;
    size_t pairs = 0;
    size_t given_up = 0;
    size_t lost_over_channels = 0;   // upgrade paths of OLM v1 that only existed with several channels
    std::vector<std::string> broken; // in a sentence each

    // Of a valid catalog; nothing is asked of a selection without any version.
    void ask_about(const LoadedCatalog& loaded, const Selection& selection, ThreadPool& pool) {
        try {
            check(loaded, selection, pool);
        } catch (const RequestError&) {
            // There is no such version in these channels, or none can be kept.
        }
    }

    std::string summary() const {
        return fmt::format("{} selections kept {} versions with {} ways of OLM classic; given up: {}; ways "
                           "over channels lost: {}",
                           cases, versions, pairs, given_up, lost_over_channels);
    }

private:
    void check(const LoadedCatalog& loaded, const Selection& selection, ThreadPool& pool) {
        const FilteredCatalog filtered = filter_catalog(loaded.catalog, selection, false, pool);
        require(filtered.diagnostics.empty(), "a valid catalog can be filtered");
        const std::string text = written(filtered.catalog, Format::json, pool);
        require(text == written(filter_catalog(loaded.catalog, selection, false, pool).catalog, Format::json,
                                pool),
                "filtering is deterministic");
        const LoadedCatalog again = load_text(text);
        require(is_valid(again, pool), "the result is valid");
        if (!broken.empty()) return;
        const std::vector<PackageIndex> before = index_packages(loaded.catalog);
        for (const PackageIndex& package : index_packages(again.catalog)) {
            const auto same = std::find_if(before.begin(), before.end(),
                                           [&](const PackageIndex& one) { return one.name == package.name; });
            require(same != before.end(), "filtering adds no packages");
            if (same != before.end()) compare(*same, package);
        }
        ++cases;
        for (const FilteredPackage& package : filtered.report.kept) given_up += package.given_up.size();
    }

    void compare(const PackageIndex& old_package, const PackageIndex& package) {
        const Oracle before(old_package);
        const Oracle after(package);
        for (const Channel* channel : after.channels()) {
            const Channel& old_channel = *old_package.channel_by_name.at(channel->name);
            const Names names = after.entries(*channel);
            const Ways classic = among(before.classic(old_channel), names);
            require_same(classic, among(after.classic(*channel), names));
            require_same(among(before.v1({&old_channel}), names), among(after.v1({channel}), names));
            pairs += count(classic);
        }
        const Names names = after.bundles();
        const Ways old_ways = among(before.v1(before.channels()), names);
        const Ways new_ways = among(after.v1(after.channels()), names);
        require_none(minus(new_ways, old_ways), "is new");
        lost_over_channels += count(minus(old_ways, new_ways));
        versions += names.size();
    }

    void require(bool holds, const char* promise) {
        if (!holds) broken.emplace_back(promise);
    }
    void require_same(const Ways& before, const Ways& after) {
        require_none(minus(before, after), "is lost");
        require_none(minus(after, before), "is new");
    }
    void require_none(const Ways& ways, std::string_view what) {
        for (const auto& [from, all] : ways)
            for (const std::string& to : all)
                broken.push_back(fmt::format("the way from {} to {} {}", from, to, what));
    }
};

// Ranges that exclude the highest or the lowest versions, both, or single ones; sometimes only a few
// channels.
inline Selection some_selection(const PackageIndex& package, Choices& choices) {
    const auto version = [&] {
        return std::string(package_property(*choices.any_of(package.bundles))->version);
    };
    std::string range;
    switch (choices.below(5)) {
    case 0:
        range = "<=" + version();
        break;
    case 1:
        range = ">=" + version();
        break;
    case 2:
        range = ">=" + version();
        range += " || <=" + version();
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
    if (choices.one_in(3))
        for (const Channel* channel : package.channels)
            if (choices.one_in(2))
                selection.add_channel(fmt::format("{}/{}", package.name, channel->name.text));
    return selection;
}

inline std::string describe(const Selection& selection) {
    const PackageSelection& about = selection.packages.begin()->second;
    return fmt::format("{} {}", about.versions.front().text, fmt::join(about.channels, ","));
}

// A package of a few versions and channels with all kinds of edges, mostly odd ones; often not a valid one.
inline std::string package_with_odd_edges(Choices& choices) {
    const auto below = [&](size_t n) { return choices.below(n); };
    const size_t versions = 2 + below(9);
    const auto name = [](size_t i) { return fmt::format("foo.v1.{}.0", i); };
    std::string text = "schema: olm.package\nname: foo\ndefaultChannel: c0\n";
    for (size_t i = 0; i < versions; ++i)
        text += fmt::format(
            "---\nschema: olm.bundle\npackage: foo\nname: {}\nimage: r.example/foo:v{}\n"
            "properties:\n- type: olm.package\n  value:\n    packageName: foo\n    version: 1.{}.0\n",
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
            if (below(3) == 0) {
                const size_t begin = below(versions);
                text += fmt::format("  skipRange: '>=1.{}.0 <1.{}.0'\n", begin, below(versions + 1));
            }
        }
    }
    return text;
}

} // namespace opcat::test
