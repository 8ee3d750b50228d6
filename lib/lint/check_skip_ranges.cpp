#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/semver/blang_range.hpp"
#include "opcat/semver/range_problem.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

namespace opcat {
namespace {

bool has_single_bar(std::string_view range) {
    for (size_t at = range.find('|'); at != range.npos; at = range.find('|', at)) {
        const size_t end = std::min(range.find_first_not_of('|', at), range.size());
        if (end - at == 1) return true;
        at = end;
    }
    return false;
}

// Returns the part of a range that OLM's parser drops without a message; empty if there is none.
std::string ignored_part(std::string_view range) {
    if (has_single_bar(range))
        return fmt::format(
            "the single | in the skipRange \"{}\" is read as a blank: a version has to fit both "
            "sides",
            range);
    const size_t end = range.find_last_not_of(' ') + 1;
    const size_t begin = range.find_last_not_of("<>=!", end - 1) + 1;
    return begin == end ? std::string()
                        : fmt::format("the \"{}\" at the end of the skipRange \"{}\" is ignored",
                                      range.substr(begin, end - begin), range);
}

} // namespace

std::optional<Diagnostic> check_skip_range(std::string_view text, std::string_view name,
                                           const Location& where) {
    const auto range = semver::BlangRange::parse(text);
    if (!range)
        return error("skip-range-syntax", where,
                     fmt::format("skipRange \"{}\" is not a range: {}", text,
                                 semver::explain_range_problem(text, range.error())),
                     "write comparisons joined by blanks, as in \">=1.0.0 <1.2.3\"; `opcat "
                     "semver match` tries one");
    if (std::string ignored = ignored_part(text); !ignored.empty())
        return warning("skip-range-ignored", where, std::move(ignored),
                       text.find('|') == text.npos ? "write a version after it, or remove it"
                                                   : "write || if one side is enough, or remove the |");
    if (!range->is_impossible()) return std::nullopt;
    Diagnostic impossible =
        warning("skip-range-impossible", where,
                fmt::format("no version is in the skipRange \"{}\" of {}", text, name),
                text.find(" - ") == text.npos
                    ? "write the lower end first, as in \">=1.0.0 <1.2.3\""
                    : "\" - \" is of another dialect: write both ends, as in \">=1.0.0 <=1.2.3\"");
    impossible.explains.upgrades = true;
    return impossible;
}

void check_skip_ranges(const PackageIndex& package, Diagnostics& out) {
    std::vector<semver::Version> versions;
    std::unordered_multimap<std::string_view, size_t> version_of_bundle; // places in `versions`
    for (const Bundle* bundle : package.bundles)
        if (const auto property = package_property(*bundle))
            if (auto version = semver::Version::parse(property->version)) {
                version_of_bundle.emplace(bundle->name, versions.size());
                versions.push_back(*std::move(version));
            }
    std::vector<semver::Version> sorted = versions;
    std::sort(sorted.begin(), sorted.end());
    const bool knows_all = std::none_of(package.bundles.begin(), package.bundles.end(),
                                        [](const Bundle* bundle) { return bundle->is_unknown; });

    // Many entries have the same few ranges.
    struct Covered {
        bool is_good = false;
        std::vector<semver::RankInterval> ranks; // in `sorted`
    };
    std::map<std::string_view, Covered> ranges;
    const auto covered_by = [&](std::string_view text) -> const Covered& {
        const auto [found, is_new] = ranges.try_emplace(text);
        if (!is_new) return found->second;
        found->second.is_good = !check_skip_range(text, {}, {});
        if (found->second.is_good)
            found->second.ranks = semver::BlangRange::parse(text)->ranks_in(
                sorted.size(), [&](size_t rank) -> const semver::Version& { return sorted[rank]; });
        return found->second;
    };
    const auto covers = [&](const Covered& covered, const semver::Version& version) {
        const auto rank =
            static_cast<uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), version) - sorted.begin());
        const auto after = std::ranges::upper_bound(covered.ranks, rank, {}, &semver::RankInterval::begin);
        return after != covered.ranks.begin() && rank < std::prev(after)->end;
    };

    for (const Channel* channel : package.channels) {
        for (const ChannelEntry& entry : channel->entries) {
            if (entry.skip_range.empty()) continue;
            const Covered& covered = covered_by(entry.skip_range);
            const Location where = channel->at(entry.skip_range);
            if (!covered.is_good) {
                out.push_back(*check_skip_range(entry.skip_range, entry.name, where));
                continue;
            }
            const auto [begin, end] = version_of_bundle.equal_range(entry.name);
            const bool itself = std::any_of(
                begin, end, [&](const auto& own) { return covers(covered, versions[own.second]); });
            if (itself)
                out.push_back(finding(Severity::note, "skip-range-self", where,
                                      fmt::format("the skipRange \"{}\" of {} covers {} itself",
                                                  entry.skip_range.text, entry.name.text, entry.name.text),
                                      "end the range below its own version"));
            else if (covered.ranks.empty() && knows_all)
                out.push_back(
                    finding(Severity::note, "skip-range-empty", where,
                            fmt::format("the skipRange \"{}\" of {} covers no version of the package",
                                        entry.skip_range.text, entry.name.text),
                            "if it is for versions of another catalog, all is well; else correct the range"));
        }
    }
}

} // namespace opcat
