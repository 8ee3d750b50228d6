#include "opcat/lint/edge_names.hpp"

#include "opcat/base/text.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/semver/version.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace opcat {
namespace {

// Letters and digits before the version, in lower case, without the 'v'.
std::string stem_of(std::string_view name) {
    std::string stem;
    for (const char c : name.substr(0, name.size() - version_part(name).size()))
        if (is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z')) stem += ascii_lower(c);
    if (stem.ends_with('v')) stem.pop_back();
    return stem;
}

bool is_similar(std::string_view given, std::string_view known) {
    const std::string stem = stem_of(given);
    const std::string wanted = stem_of(known);
    const std::string_view names[] = {wanted};
    return stem.empty() || stem == wanted || !misspelt(stem, names).empty();
}

} // namespace

std::string_view version_part(std::string_view name) {
    for (size_t at = 0; at < name.size();) {
        if (!is_digit(name[at])) {
            ++at;
            continue;
        }
        size_t end = at;
        while (end < name.size() && is_digit(name[end])) ++end;
        if (end + 1 < name.size() && name[end] == '.' && is_digit(name[end + 1])) return name.substr(at);
        at = end;
    }
    return {};
}

namespace {

std::string_view prefix_of(std::string_view name) {
    return name.substr(0, name.size() - version_part(name).size());
}

bool is_bundle_wrong(const PackageIndex& package, const Bundle& bundle, std::string_view entry) {
    if (version_part(bundle.name) != version_part(entry)) {
        const auto property = package_property(bundle);
        return property && version_part(entry) == property->version.text;
    }
    return std::any_of(package.bundles.begin(), package.bundles.end(), [&](const Bundle* other) {
        return other != &bundle && prefix_of(other->name) == prefix_of(entry);
    });
}

} // namespace

Misnamed find_misnamed(const PackageIndex& package) {
    Misnamed found;
    if (package.packages.empty()) return found;
    std::unordered_set<std::string_view> entries;
    std::map<std::string_view, const ChannelEntry*> lonely; // entries, the first of each name
    for (const Channel* channel : package.channels)
        for (const ChannelEntry& entry : channel->entries) {
            if (!entry.name.empty() && !package.bundle_by_name.contains(entry.name))
                lonely.try_emplace(entry.name, &entry);
        }
    constexpr size_t most = 20; // of either kind: all pairs are compared
    if (lonely.empty() || lonely.size() > most) return found;
    for (const Channel* channel : package.channels)
        for (const ChannelEntry& entry : channel->entries) entries.insert(entry.name);
    std::vector<const Bundle*> bundles;
    for (const Bundle* bundle : package.bundles)
        if (!bundle->name.empty() && !entries.contains(bundle->name)) bundles.push_back(bundle);
    if (bundles.size() > most) return found;
    for (const Bundle* bundle : bundles) {
        const auto property = package_property(*bundle);
        std::vector<std::string_view> names;
        names.reserve(lonely.size());
        for (const auto& [name, entry] : lonely) names.push_back(name);
        std::string_view meant = misspelt(bundle->name, names);
        for (const std::string_view name : names) {
            if (!meant.empty()) break;
            const std::string_view version = version_part(name);
            if (version.empty() || !is_similar(name, bundle->name)) continue;
            if (version == version_part(bundle->name) || (property && version == property->version.text))
                meant = name;
        }
        if (meant.empty()) continue;
        found.by_entry.try_emplace(
            meant, MisnamedPair{bundle, lonely.at(meant), is_bundle_wrong(package, *bundle, meant)});
        found.bundles.insert(bundle);
        lonely.erase(meant);
    }
    return found;
}

std::string_view EdgeNames::meant_by(std::string_view name) {
    if (name.empty()) return {};
    if (names_.empty())
        for (const Bundle* bundle : package_.bundles) {
            names_.push_back(bundle->name);
            by_version_.emplace(version_part(bundle->name), bundle->name);
        }
    std::string version(version_part(name));
    // "1.2" is meant to be 1.2.0.
    if (const std::string whole = version + ".0"; by_version_.contains(whole)) version = whole;
    if (semver::Version::parse(version)) {
        constexpr int most = 8; // bundles of one version
        const auto [begin, end] = by_version_.equal_range(version);
        int looked_at = 0;
        for (auto known = begin; known != end && looked_at < most; ++known, ++looked_at)
            if (is_similar(name, known->second)) return known->second;
        return {};
    }
    constexpr size_t shortest = 4;
    if (comparisons_left_ == 0 || name.size() < shortest) return {};
    --comparisons_left_;
    return misspelt(name, names_);
}

} // namespace opcat
