#include "catalog/checks.hpp"
#include "catalog/finding.hpp"
#include "catalog/package_property.hpp"
#include "semver/blang_range.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

namespace opcat {

void check_skip_ranges(const PackageIndex& package, Diagnostics& out) {
    std::vector<std::pair<const Bundle*, semver::Version>> versions;
    for (const Bundle* bundle : package.bundles)
        if (const auto property = package_property(*bundle))
            if (auto version = semver::Version::parse(property->version))
                versions.emplace_back(bundle, *std::move(version));

    // The same few ranges stand in many entries.
    struct Covered {
        std::optional<semver::ParseError> problem;
        std::vector<const Bundle*> bundles;
    };
    std::map<std::string_view, Covered> ranges;
    const auto covered_by = [&](std::string_view text) -> const Covered& {
        const auto [found, is_new] = ranges.try_emplace(text);
        if (!is_new) return found->second;
        const auto range = semver::BlangRange::parse(text);
        if (!range)
            found->second.problem = range.error();
        else
            for (const auto& [bundle, version] : versions)
                if (range->contains(version)) found->second.bundles.push_back(bundle);
        return found->second;
    };

    for (const Channel* channel : package.channels) {
        for (const ChannelEntry& entry : channel->entries) {
            if (entry.skip_range.empty()) continue;
            const Covered& covered = covered_by(entry.skip_range);
            const Location where = channel->at(entry.skip_range);
            if (covered.problem) {
                out.push_back(error("skip-range-syntax", where,
                                    fmt::format("skipRange \"{}\" is no range: {}", entry.skip_range.text,
                                                covered.problem->message),
                                    "write comparisons joined by blanks, as in \">=1.0.0 <1.2.3\"; `opcat "
                                    "semver match` tries one"));
                continue;
            }
            const bool itself = std::any_of(covered.bundles.begin(), covered.bundles.end(),
                                            [&](const Bundle* b) { return b->name == entry.name.text; });
            if (itself)
                out.push_back(warning("skip-range-self", where,
                                      fmt::format("the skipRange \"{}\" of {} covers {} itself",
                                                  entry.skip_range.text, entry.name.text, entry.name.text),
                                      "end the range below its own version"));
            else if (covered.bundles.empty())
                out.push_back(
                    warning("skip-range-empty", where,
                            fmt::format("the skipRange \"{}\" of {} covers no version of the package",
                                        entry.skip_range.text, entry.name.text),
                            "if it is for versions of another catalog, all is well; else correct the range"));
        }
    }
}

} // namespace opcat
