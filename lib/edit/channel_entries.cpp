#include "opcat/base/error.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/catalog/installed_name.hpp"
#include "opcat/edit/channel_model.hpp"
#include "opcat/edit/parts.hpp"
#include "opcat/semver/blang_range.hpp"
#include "opcat/semver/release.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace opcat::edit {
namespace {

bool is_of_minor(const semver::Version& a, const semver::Version& b) {
    return a.major == b.major && a.minor == b.minor;
}

// Names with commas between them; those of a channel that is there are entries of it.
std::vector<std::string> names_in_list(const ChannelModel* channel, const std::string& text) {
    std::vector<std::string> names;
    for (std::string_view rest = text; !rest.empty();) {
        const size_t comma = std::min(rest.find(','), rest.size());
        names.emplace_back(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        if (!channel || channel->find(names.back())) continue;
        std::vector<std::string_view> known;
        for (const EntryModel& entry : channel->entries()) known.push_back(entry.name);
        throw RequestError(fmt::format("channel {} has no entry {}", channel->name(), names.back()),
                           did_you_mean(names.back(), known));
    }
    return names;
}

} // namespace

std::string_view EntryText::text(std::string_view field) const {
    const Value* const found = value->find(field);
    return found ? found->string_or_empty() : std::string_view();
}

std::vector<std::string_view> EntryText::skips() const {
    std::vector<std::string_view> names;
    const Value* const list = value->find("skips");
    if (list && list->is_array())
        for (const Value& item : list->items()) names.push_back(item.string_or_empty());
    return names;
}

std::vector<EntryText> entries_of(const BlobText& channel) {
    std::vector<EntryText> entries;
    const auto items = channel.entries();
    for (size_t i = 0; i < items.size(); ++i)
        if (items[i].is_object()) entries.push_back({&items[i], i});
    return entries;
}

BlobText required_channel(const CatalogText& catalog, std::string_view package, std::string_view channel) {
    std::vector<std::string_view> names;
    for (const BlobText& one : catalog.channels(package)) {
        if (one.name() == channel) return one;
        names.push_back(one.name());
    }
    throw RequestError(fmt::format("package {} has no channel {} in {}", package, channel, catalog.path()),
                       did_you_mean(channel, names));
}

std::vector<std::string> each_once(const std::vector<std::string>& names) {
    std::vector<std::string> once;
    for (const std::string& name : names)
        if (std::ranges::find(once, name) == once.end()) once.push_back(name);
    return once;
}

namespace {

// What entries of a channel lead on from, kept while entries are added.
class Lower {
public:
    explicit Lower(const ChannelModel& channel) {
        for (const EntryModel& entry : channel.entries()) add(entry);
    }

    void add(const EntryModel& entry) {
        if (entry.removed) return;
        replaced_.insert(entry.replaces);
        skipped_.insert(entry.skips.begin(), entry.skips.end());
    }
    // Patch releases that have all skips of the entries below them, down to the end of the chain.
    void add_whole(const std::string& name) { whole_.insert(name); }
    bool is_whole(std::string_view name) const { return whole_.contains(name); }

    bool is_skipped(std::string_view name) const { return skipped_.contains(name); }
    // As ChannelModel::head().
    const EntryModel* head(const ChannelModel& channel) const {
        const EntryModel* head = nullptr;
        for (const EntryModel& entry : channel.entries()) {
            if (entry.removed || replaced_.contains(entry.name) || skipped_.contains(entry.name)) continue;
            if (head) return nullptr;
            head = &entry;
        }
        return head;
    }

private:
    NameSet replaced_;
    NameSet skipped_;
    NameSet whole_;
};

// Returns what a bundle replaces that goes above older entries and below newer ones, of which the oldest then
// replaces the bundle. `why` says it in words.
std::string make_room(ChannelModel& channel, Lower& lower, const Release& release, std::string& why) {
    const EntryModel* const head = lower.head(channel);
    if (!head)
        throw RequestError(
            fmt::format("channel {} has no single head that {} could replace", channel.name(), release.name),
            "say what it replaces: --replaces NAME, or --edges none");
    const auto version = channel.versions().of(release.name);
    const auto is_newer = [&](std::string_view name) {
        const auto other = channel.versions().of(name);
        return version && other && *version < *other;
    };
    EntryModel* above = nullptr; // the oldest entry that is newer, and that somebody gets
    std::string below = head->name;
    for (size_t steps = 0; is_newer(below) && steps <= channel.entries().size(); ++steps) {
        EntryModel* const entry = channel.find(below);
        if (!entry) break; // a release that is gone
        if (!lower.is_skipped(below)) above = entry;
        below = entry->replaces;
    }
    if (above && is_newer(below)) { // its users still come to the next one
        above->add_skip(below);
        below.clear();
    }
    if (below == release.name) below.clear(); // the release comes back
    why = above ? fmt::format("older than {}, which replaces it", above->name) : "it was the channel's head";
    if (above) {
        above->replaces = release.name;
        lower = Lower(channel);
    }
    return below;
}

EntryModel& place(ChannelModel& channel, Lower& lower, const Release& release, std::string& why) {
    const auto version = channel.versions().of(release.name);
    const std::string below = make_room(channel, lower, release, why);
    EntryModel entry{.name = release.name, .replaces = below};
    // A patch release: users of all earlier ones of its minor version get it directly, and so do those of
    // what the first of them replaced.
    std::set<std::string> of_minor;
    for (const EntryModel& other : channel.entries())
        if (version && version->patch > 0 && other.version && is_of_minor(*other.version, *version) &&
            *other.version < *version)
            of_minor.insert(other.name);
    if (of_minor.size() < 2 || !of_minor.contains(below)) return channel.add(std::move(entry));
    std::string first = below;
    const EntryModel* whole = nullptr; // it has the skips of all below it, but for itself
    for (size_t steps = 0; of_minor.contains(first) && steps <= of_minor.size(); ++steps) {
        const EntryModel* const one = channel.find(first);
        if (one && whole) {
            if (one->skips.contains(whole->name)) entry.add_skip(whole->name);
            entry.take_over_range(one->skip_range, channel.versions());
        } else if (one) {
            entry.take_over(*one, channel.versions()); // it leaves the chain, and still leads these on
            if (lower.is_whole(first)) whole = one;
        }
        first = one ? one->replaces : std::string();
    }
    if (first.empty()) lower.add_whole(release.name);
    if (first.empty() || of_minor.contains(first))
        of_minor.erase(below); // the channel begins with the minor version
    else
        entry.replaces = first;
    for (const std::string& name : of_minor) entry.add_skip(name);
    constexpr uint64_t steps_of_skip = 25; // each is written and read, too
    channel.take_work(steps_of_skip * entry.skips.size());
    why = fmt::format("a patch release takes all users of {}.{} to it directly", version->major,
                      version->minor);
    return channel.add(std::move(entry));
}

// Returns the edges that the user gives, or else those that the bundle gives; nothing if neither gives any.
std::optional<EntryModel> edges_given(ChannelModel* channel, const Release& release, const EdgeChoice& choice,
                                      std::string& why) {
    EntryModel entry{.name = release.name};
    if (!choice.is_given()) {
        if (release.replaces.empty() && release.skips.empty() && release.skip_range.empty())
            return std::nullopt;
        entry.replaces = release.replaces;
        entry.skips = SkipList(release.skips);
        entry.skip_range = release.skip_range;
        why = "so says the bundle";
        return entry;
    }
    if (choice.none) return entry;
    entry.replaces = choice.replaces;
    entry.skips = SkipList(choice.skips);
    entry.skip_range = choice.skip_range;
    if (choice.take_along.empty()) return entry;
    if (is_range(choice.take_along))
        entry.skip_range = choice.take_along;
    else
        for (const std::string& name : names_in_list(channel, choice.take_along)) entry.add_skip(name);
    if (entry.replaces.empty() && channel && channel->head()) {
        Lower lower(*channel);
        entry.replaces = make_room(*channel, lower, release, why);
    }
    why = fmt::format("users of {} get it directly", choice.take_along);
    return entry;
}

std::string describe(const CatalogText& catalog, std::string_view channel, const EntryModel& entry,
                     const std::string& why) {
    std::string what;
    const auto say = [&](const std::string& part) { what += (what.empty() ? " that " : ", ") + part; };
    if (!entry.replaces.empty()) say("replaces " + entry.replaces);
    if (!entry.skips.empty()) say("skips " + listed(entry.skips, 5));
    if (!entry.skip_range.empty()) say("covers " + entry.skip_range);
    return fmt::format("{}: channel {} has the entry {}{}{}", catalog.path(), channel, entry.name, what,
                       why.empty() ? "" : " (" + why + ")");
}

} // namespace

void add_entries(CatalogText& catalog, std::string_view channel, const std::vector<Release>& releases,
                 const EdgeChoice& choice, std::vector<std::string>& done) {
    const std::string& package = releases.front().package;
    const auto there = catalog.find(schema::channel, package, channel);
    std::string why;
    if (!there) {
        std::vector<Value> entries;
        Arena& arena = catalog.arena();
        std::string before;
        for (const Release& release : releases) {
            EntryModel entry = edges_given(nullptr, release, choice, why)
                                   .value_or(EntryModel{.name = release.name, .replaces = before});
            entries.push_back(to_value(entry, arena));
            done.push_back(describe(catalog, channel, entry, why));
            before = release.name;
        }
        catalog.add(object_of(
            {{"schema", Value::of(schema::channel)},
             {"package", text_of(package, arena)},
             {"name", text_of(channel, arena)},
             {"entries", Value::of(std::span<const Value>(arena.copy(std::span<const Value>(entries))))}},
            arena));
        done.push_back(fmt::format("{}: channel {} is new", catalog.path(), channel));
        return;
    }
    BundleVersions versions(catalog, package);
    for (const Release& release : releases)
        if (!release.version.empty()) versions.add(release.name, release.version);
    ChannelModel model(*there, versions);
    std::optional<Lower> lower; // of what is not given its edges
    for (const Release& release : releases) {
        model.take_work(model.entries().size());
        if (model.find(release.name)) {
            if (choice.is_given() && !choice.none)
                throw RequestError(fmt::format("channel {} in {} has the entry {} already", channel,
                                               catalog.path(), release.name),
                                   "leave out its edges, or correct them in the file");
            done.push_back(fmt::format("{}: channel {} has the entry {} already", catalog.path(), channel,
                                       release.name));
            continue;
        }
        why.clear();
        std::optional<EntryModel> given = edges_given(&model, release, choice, why);
        if (!given && model.entries().empty()) given.emplace(EntryModel{.name = release.name});
        if (!given && !lower) lower.emplace(model);
        const EntryModel& added = given ? model.add(*std::move(given)) : place(model, *lower, release, why);
        if (lower) lower->add(added);
        done.push_back(describe(catalog, channel, added, why));
    }
    model.write(catalog);
}

} // namespace opcat::edit
