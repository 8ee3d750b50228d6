#include "opcat/edit/channel_model.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/edit/parts.hpp"
#include "opcat/semver/blang_range.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace opcat::edit {

SkipList::SkipList(const std::vector<std::string>& names)
    : names_(names.begin(), names.end()), index_(names.begin(), names.end()) {}

void SkipList::add(std::string_view name) {
    if (contains(name)) return;
    index_.emplace(name);
    names_.emplace_back(name);
}

void SkipList::erase(std::string_view name) {
    if (!contains(name)) return;
    std::erase(names_, name);
    index_.erase(index_.find(name));
}

void SkipList::add_all(const SkipList& other, std::string_view but_not) {
    for (const std::string& name : other)
        if (!name.empty() && name != but_not) add(name);
}

void SkipList::add_all(SkipList&& other, std::string_view but_not) {
    const bool each_once = other.names_.size() == other.index_.size();
    if (size() >= other.size() || !each_once || other.contains("") || other.contains(but_not))
        return add_all(std::as_const(other), but_not);
    if (std::ranges::any_of(names_, [&](const std::string& name) { return other.contains(name); }))
        std::erase_if(other.names_, [&](const std::string& name) { return contains(name); });
    for (auto name = names_.rbegin(); name != names_.rend(); ++name)
        other.names_.push_front(std::move(*name));
    other.index_.merge(index_);
    *this = std::move(other);
}

void EntryModel::add_skip(std::string_view other) {
    if (!other.empty() && other != name) skips.add(other);
}

Value to_value(const EntryModel& entry, Arena& arena) {
    return object_of(
        {{"name", text_of(entry.name, arena)},
         {"replaces", text_of(entry.replaces, arena)},
         {"skips", texts_of(std::vector<std::string>(entry.skips.begin(), entry.skips.end()), arena)},
         {"skipRange", text_of(entry.skip_range, arena)}},
        arena);
}

ChannelModel::ChannelModel(const BlobText& channel, const BundleVersions& versions)
    : channel_(channel), versions_(&versions) {
    for (const EntryText& entry : entries_of(channel)) {
        EntryModel model;
        model.name = entry.name();
        model.replaces = entry.replaces();
        const std::vector<std::string_view> skips = entry.skips();
        model.skips = SkipList({skips.begin(), skips.end()});
        model.skip_range = entry.text("skipRange");
        model.index = entry.index;
        add(std::move(model));
    }
}

EntryModel& ChannelModel::add(EntryModel entry) {
    entry.version = versions_->of(entry.name);
    by_name_[entry.name].push_back(entries_.size());
    return entries_.emplace_back(std::move(entry));
}

void ChannelModel::take_work(uint64_t steps) {
    work_.take_or_throw(steps, fmt::format("the change of channel {}", name()),
                        "change fewer bundles at once");
}

const EntryModel* ChannelModel::find(std::string_view name) const {
    const auto named = by_name_.find(name);
    if (named == by_name_.end()) return nullptr;
    for (const size_t i : named->second)
        if (!entries_[i].removed) return &entries_[i];
    return nullptr;
}

EntryModel* ChannelModel::find(std::string_view name) {
    return const_cast<EntryModel*>(std::as_const(*this).find(name)); // its own, and not const
}

const EntryModel* ChannelModel::head() const {
    std::set<std::string_view> gone;
    for (const EntryModel& entry : entries_) {
        if (entry.removed) continue;
        gone.insert(entry.replaces);
        gone.insert(entry.skips.begin(), entry.skips.end());
    }
    const EntryModel* head = nullptr;
    for (const EntryModel& entry : entries_) {
        if (entry.removed || gone.contains(entry.name)) continue;
        if (head) return nullptr;
        head = &entry;
    }
    return head;
}

void EntryModel::take_over(const EntryModel& other, const BundleVersions& versions) {
    skips.add_all(other.skips, name);
    take_over_range(other.skip_range, versions);
}

void EntryModel::take_over(EntryModel&& other, const BundleVersions& versions) {
    skips.add_all(std::move(other.skips), name);
    take_over_range(other.skip_range, versions);
}

void EntryModel::take_over_range(const std::string& other, const BundleVersions& versions) {
    if (other.empty()) return;
    const auto own = versions.of(name);
    skip_range = semver::joined_ranges(skip_range, own ? semver::range_below(other, *own) : other);
}

bool ChannelModel::is_skipped(std::string_view name) const {
    return std::ranges::any_of(
        entries_, [&](const EntryModel& entry) { return !entry.removed && entry.skips.contains(name); });
}

std::vector<const EntryModel*> ChannelModel::chain() const {
    std::unordered_set<std::string_view> skipped;
    std::unordered_map<std::string_view, const EntryModel*> by_name;
    for (const EntryModel& entry : entries_) {
        if (entry.removed) continue;
        by_name[entry.name] = &entry;
        skipped.insert(entry.skips.begin(), entry.skips.end());
    }
    std::vector<const EntryModel*> all;
    const EntryModel* at = head();
    for (size_t steps = 0; at && steps < entries_.size(); ++steps) {
        if (!skipped.contains(at->name)) all.push_back(at);
        const auto below = by_name.find(at->replaces);
        at = below == by_name.end() ? nullptr : below->second;
    }
    return all;
}

EntryModel* ChannelModel::next_of(std::string_view name) {
    const auto version = versions_->of(name);
    for (const EntryModel* entry : chain()) {
        if (entry->name == name) return nullptr; // what is below does not lead up
        const auto range = semver::BlangRange::parse(entry->skip_range);
        if (entry->replaces == name || entry->skips.contains(name) ||
            (version && range && range->contains(*version)))
            return find(entry->name);
    }
    return nullptr;
}

void ChannelModel::remove(std::string_view name) {
    EntryModel* const gone = find(name);
    if (!gone) return;
    gone->removed = true;
    std::vector<EntryModel*> replacing;
    for (EntryModel& entry : entries_)
        if (!entry.removed && entry.replaces == gone->name) replacing.push_back(&entry);
    take_work(entries_.size() + gone->skip_range.size() + gone->skips.size() * replacing.size());
    for (EntryModel* const entry : replacing) {
        if (!gone->replaces.empty()) {
            entry->replaces = gone->replaces;
            entry->add_skip(gone->name);
        }
        if (entry == replacing.back())
            entry->take_over(std::move(*gone), *versions_);
        else
            entry->take_over(*gone, *versions_);
    }
    if (!replacing.empty()) return;
    const auto first = std::ranges::find_if(entries_, [&](const EntryModel& entry) {
        return !entry.removed && entry.skips.contains(gone->name);
    });
    if (first == entries_.end()) return;
    EntryModel* const skipping = &*first;
    take_work(gone->skips.size());
    // An entry that is there has its own way on, and is not to be skipped.
    const auto take_along = [&](std::string_view other) {
        if (!find(other) && skipping->replaces != other) skipping->add_skip(other);
    };
    take_along(gone->replaces);
    for (const std::string& skip : gone->skips) take_along(skip);
    skipping->take_over({.skip_range = gone->skip_range}, *versions_);
}

void ChannelModel::retract(std::string_view name, EntryModel& to) {
    EntryModel& bad = *find(name);
    const auto is_below = [&](const EntryModel& entry, std::string_view other) {
        std::string_view below = entry.replaces;
        for (size_t steps = 0; !below.empty() && steps <= entries_.size(); ++steps) {
            if (below == other) return true;
            const EntryModel* const next = find(below);
            below = next ? std::string_view(next->replaces) : std::string_view();
        }
        return false;
    };
    const bool goes_back = is_below(bad, to.name);
    std::vector<const EntryModel*> above; // on the chain: what is beside it is nobody's next step
    for (const EntryModel* entry : chain())
        if (entry->replaces == bad.name) above.push_back(entry);
    for (EntryModel& entry : entries_) {
        if (entry.removed || entry.replaces != bad.name) continue;
        if (&entry != &to && std::ranges::find(above, &entry) == above.end()) continue;
        // To an earlier release: what came after the bad one comes after that.
        entry.replaces = goes_back ? to.name : bad.replaces;
    }
    if (goes_back) bad.replaces.clear(); // a chain that leads back to what users get would be a circle
    to.add_skip(bad.name);
    to.take_over(bad, *versions_);
    to.skips.erase(to.name);
    if (!goes_back) return;
    // What led up from it to the bad one, and nobody gets, would keep it from being the head.
    for (EntryModel& entry : entries_)
        if (!entry.removed && entry.replaces == to.name && is_skipped(entry.name)) entry.replaces.clear();
    // Versions above that one that the bad one covered.
    const EntryModel* const top = head();
    if (top && top != &to) find(top->name)->take_over({.skip_range = bad.skip_range}, *versions_);
}

void ChannelModel::write(CatalogText& catalog) const {
    EditedText& text = catalog.text(channel_);
    Arena& arena = catalog.arena();
    const Value* const list = channel_.value.find("entries");
    for (const EntryModel& entry : entries_) {
        if (!entry.index) {
            if (!entry.removed) text.append(channel_.value, "entries", to_value(entry, arena));
            continue;
        }
        if (entry.removed) {
            text.remove_item(*list, *entry.index);
            continue;
        }
        const Value& before = list->items()[*entry.index];
        const EntryText was{&before, *entry.index};
        const auto set_text = [&](std::string_view key, const std::string& now) {
            if (was.text(key) == now) return;
            if (now.empty())
                text.remove(before, key);
            else
                text.set(before, key, text_of(now, arena));
        };
        set_text("replaces", entry.replaces);
        set_text("skipRange", entry.skip_range);
        const std::vector<std::string_view> skipped = was.skips();
        const std::unordered_set<std::string_view> before_all(skipped.begin(), skipped.end());
        const std::unordered_set<std::string_view> after_all(entry.skips.begin(), entry.skips.end());
        for (size_t i = 0; i < skipped.size(); ++i)
            if (!entry.skips.empty() && !after_all.contains(skipped[i]))
                text.remove_item(*before.find("skips"), i);
        if (entry.skips.empty() && !skipped.empty()) text.remove(before, "skips");
        for (const std::string& skip : entry.skips)
            if (!before_all.contains(skip)) text.append(before, "skips", text_of(skip, arena));
    }
}

namespace {

std::vector<std::string> ascending_names(const CatalogText& catalog, std::string_view package,
                                         const BundleVersions& versions) {
    std::set<std::string_view> seen;
    std::vector<std::pair<std::optional<semver::Version>, std::string_view>> entries;
    for (const BlobText& channel : catalog.channels(package))
        for (const EntryText& entry : entries_of(channel))
            if (seen.insert(entry.name()).second)
                entries.emplace_back(versions.of(entry.name()), entry.name());
    std::ranges::stable_sort(entries, [](const auto& a, const auto& b) {
        return a.first && b.first ? *a.first < *b.first : !a.first && b.first;
    });
    std::vector<std::string> names;
    names.reserve(entries.size());
    for (const auto& [version, name] : entries) names.emplace_back(name);
    return names;
}

} // namespace

std::vector<std::string> entry_names(const CatalogText& catalog, std::string_view package) {
    return ascending_names(catalog, package, BundleVersions(catalog, package));
}

std::string required_entry(const CatalogText& catalog, std::string_view package, const std::string& text) {
    const BundleVersions versions(catalog, package);
    const std::vector<std::string> names = ascending_names(catalog, package, versions);
    if (names.empty())
        throw RequestError(fmt::format("{} has no channel of package {}", catalog.path(), package),
                           "name the directory that has all of the package: --in DIRECTORY");
    if (std::ranges::find(names, text) != names.end()) return text;
    const std::string_view version = std::string_view(text).substr(text.starts_with('v') ? 1 : 0);
    std::vector<std::string_view> found;
    for (const std::string& name : names)
        if (versions.text_of(name) == version) found.push_back(name);
    if (found.size() > 1)
        throw RequestError(fmt::format("package {} has several bundles of version {} in {}: {}", package,
                                       version, catalog.path(), listed(found, 5)),
                           "write the name of one");
    if (!found.empty()) return std::string(found.front());
    const std::vector<std::string_view> known(names.begin(), names.end());
    throw RequestError(fmt::format("package {} has no bundle {} in {}", package, text, catalog.path()),
                       did_you_mean(text, known));
}

std::string required_package(const CatalogText& catalog, const std::string& wanted) {
    const std::vector<std::string_view> packages = catalog.packages();
    if (wanted.empty() && packages.size() == 1) return std::string(packages.front());
    if (wanted.empty())
        throw RequestError(packages.empty()
                               ? fmt::format("{} has no package", catalog.path())
                               : fmt::format("{} has {}: {}", catalog.path(),
                                             counted(packages.size(), "package"), listed(packages, 5)),
                           "name the package with --package");
    if (std::ranges::find(packages, wanted) == packages.end())
        throw RequestError(fmt::format("{} has no package {}", catalog.path(), wanted),
                           did_you_mean(wanted, packages));
    return wanted;
}

} // namespace opcat::edit
