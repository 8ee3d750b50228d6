// Releases that go further, or go: promote, retract, remove.
#include "opcat/base/error.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/catalog/installed_name.hpp"
#include "opcat/edit/channel_model.hpp"
#include "opcat/edit/edit.hpp"
#include "opcat/edit/parts.hpp"
#include "opcat/semver/blang_range.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace opcat::edit {
namespace {

void refuse_semver(const CatalogText& catalog, std::string_view verb) {
    if (catalog.is_semver())
        throw RequestError(
            fmt::format("{} is a semver template: its channels follow from its bundles", catalog.path()),
            fmt::format("{} needs a catalog, or a basic template (opcat template convert)", verb));
}

// The version that the tag of an image is: the bundle blob in a template has no name. Empty: there is no tag.
std::string_view version_in_tag(std::string_view image) {
    const size_t tag = image.rfind(':');
    if (tag == image.npos || image.find('@') != image.npos) return {};
    std::string_view text = image.substr(tag + 1);
    if (text.starts_with('v')) text.remove_prefix(1);
    return text;
}

// The versions of entries that other packages of a template have: of these, a tag does not tell whose it is.
std::set<std::string> versions_of_others(const CatalogText& catalog, std::string_view package) {
    std::set<std::string> versions;
    for (const std::string_view other : catalog.packages())
        if (other != package)
            for (const std::string& name : entry_names(catalog, other))
                versions.emplace(version_in_name(name));
    return versions;
}

// The bundles' own blobs. Throws RequestError where a template does not say which one it is.
void remove_blobs(CatalogText& catalog, std::string_view package, const std::vector<std::string>& names) {
    const std::vector<BlobText> bundles = catalog.blobs(schema::bundle);
    size_t entries = 0;
    if (catalog.has_only_images()) // few packages
        for (const std::string_view one : catalog.packages()) entries += entry_names(catalog, one).size();
    std::map<std::string_view, std::vector<const BlobText*>> by_name;
    std::map<std::string_view, std::vector<const BlobText*>> by_tag; // of those without a name
    for (const BlobText& blob : bundles) {
        if (blob.name().empty())
            by_tag[version_in_tag(blob.text("image"))].push_back(&blob);
        else if (catalog.has_only_images() || blob.package() == package)
            by_name[blob.name()].push_back(&blob);
    }
    const std::set<std::string> others =
        catalog.has_only_images() ? versions_of_others(catalog, package) : std::set<std::string>();
    std::vector<std::string_view> unknown; // in a template
    for (const std::string& name : names) {
        const std::string version(version_in_name(name));
        std::vector<const BlobText*> found;
        if (const auto named = by_name.find(name); named != by_name.end()) found = named->second;
        if (const auto tagged = by_tag.find(version); tagged != by_tag.end() && !version.empty())
            found.insert(found.end(), tagged->second.begin(), tagged->second.end());
        const bool is_of_others = others.contains(version);
        if (found.size() == 1 && !is_of_others)
            catalog.remove(*found.front());
        else if (!found.empty() || catalog.has_only_images())
            unknown.push_back(name);
    }
    // Somebody may have removed their images already.
    if (!unknown.empty() && bundles.size() + unknown.size() > entries)
        throw RequestError(
            fmt::format("{} does not say which of its images is {}", catalog.path(), unknown.front()),
            "a template names its bundles by images only: remove the image by hand, and then repeat this");
}

// Of the bundles of a semver template.
void collect_images(const Value& value, std::vector<std::string_view>& images) {
    if (value.is_array())
        for (const Value& item : value.items()) collect_images(item, images);
    if (!value.is_object()) return;
    for (const Member& member : value.members()) {
        if (ascii_lower(member.key.string()) == "image" && member.value.is_string())
            images.push_back(member.value.string());
        collect_images(member.value, images);
    }
}

std::vector<std::string> names_of(const CatalogText& catalog, const std::string& package,
                                  const std::vector<std::string>& wanted) {
    const std::vector<std::string> all = entry_names(catalog, package);
    const BundleVersions versions(catalog, package);
    std::set<std::string> chosen;
    for (const std::string& text : wanted) {
        if (!is_range(text)) {
            chosen.insert(required_entry(catalog, package, text));
            continue;
        }
        const auto range = required(semver::BlangRange::parse(text));
        size_t covered = 0;
        for (const std::string& name : all) {
            const auto version = versions.of(name);
            if (!version || range.ask(*version) != semver::BlangRange::Answer::yes) continue;
            chosen.insert(name);
            ++covered;
        }
        if (covered == 0)
            throw RequestError(fmt::format("{} covers no bundle of {} in {}", text, package, catalog.path()));
    }
    std::vector<std::string> names;
    for (const std::string& name : all)
        if (chosen.contains(name)) names.push_back(name);
    return names;
}

} // namespace

void promote(Edit& edit, const std::string& package, const std::vector<std::string>& bundles,
             const std::vector<std::string>& channels) {
    for (CatalogText& catalog : edit.catalogs) {
        if (catalog.is_semver()) {
            std::vector<std::string_view> images;
            for (const Value& document : catalog.texts().front().documents())
                collect_images(document, images);
            for (const std::string& bundle : bundles) {
                if (std::ranges::find(images, bundle) == images.end())
                    throw RequestError(fmt::format("{} has no bundle {}", catalog.path(), bundle),
                                       did_you_mean(bundle, images));
                AddRequest request{.release = {.image = bundle}, .channels = channels};
                Edit one;
                one.catalogs.push_back(std::move(catalog));
                add(one, request);
                catalog = std::move(one.catalogs.front());
                edit.done.insert(edit.done.end(), one.done.begin(), one.done.end());
            }
            continue;
        }
        const std::string of = required_package(catalog, package);
        const std::vector<std::string> names = names_of(catalog, of, bundles);
        std::vector<Release> releases;
        releases.reserve(names.size());
        for (const std::string& name : names) releases.push_back({.name = name, .package = of});
        for (const std::string& channel : each_once(channels))
            add_entries(catalog, channel, releases, {}, edit.done);
    }
}

void retract(Edit& edit, const std::string& package, const std::string& bundle, const std::string& to,
             const std::string& message) {
    for (CatalogText& catalog : edit.catalogs) {
        refuse_semver(catalog, "retract");
        const std::string of = required_package(catalog, package);
        const std::string bad = required_entry(catalog, of, bundle);
        const std::string good = to.empty() ? std::string() : required_entry(catalog, of, to);
        if (good == bad)
            throw RequestError(fmt::format("{} cannot take its own place", bad),
                               "name another release with --to, or leave it out");
        std::string replacement;
        const BundleVersions versions(catalog, of);
        for (const BlobText& channel : catalog.channels(of)) {
            ChannelModel model(channel, versions);
            if (!model.find(bad)) continue;
            EntryModel* const heir = good.empty() ? model.next_of(bad) : model.find(good);
            if (!good.empty() && model.is_skipped(good))
                throw RequestError(fmt::format("{} is skipped in channel {} in {}: nobody would get it", good,
                                               channel.name(), catalog.path()),
                                   "name another release with --to, or leave it out");
            if (!heir && !good.empty())
                throw RequestError(
                    fmt::format("channel {} in {} does not have {}", channel.name(), catalog.path(), good),
                    "promote it there first");
            if (!heir)
                throw RequestError(
                    fmt::format("no release takes the place of {} in channel {}", bad, channel.name()),
                    "add the corrected release first (opcat edit add), or name an earlier one: "
                    "--to NAME");
            replacement = heir->name;
            model.retract(bad, *heir);
            model.write(catalog);
            edit.done.push_back(fmt::format(
                "{}: channel {}: users of {} get {}; it is installed only where it is asked for by name "
                "or version",
                catalog.path(), channel.name(), bad, heir->name));
        }
        set_deprecation(catalog, of, schema::bundle, bad,
                        message.empty()
                            ? fmt::format("{} is retracted: {} takes its place.", bad, replacement)
                            : message);
    }
}

void remove_bundles(Edit& edit, const std::string& package, const std::vector<std::string>& bundles) {
    for (CatalogText& catalog : edit.catalogs) {
        refuse_semver(catalog, "remove");
        const std::string of = required_package(catalog, package);
        const std::vector<std::string> names = names_of(catalog, of, bundles);
        const std::set<std::string_view> going(names.begin(), names.end());
        const BundleVersions versions(catalog, of);
        for (const BlobText& channel : catalog.channels(of)) {
            ChannelModel model(channel, versions);
            size_t left = 0;
            for (const EntryModel& entry : model.entries()) left += going.contains(entry.name) ? 0 : 1;
            if (left == 0)
                throw RequestError(
                    fmt::format("channel {} in {} would be empty", channel.name(), catalog.path()),
                    fmt::format("opcat edit remove channel {} removes it", channel.name()));
            for (const std::string& name : names) model.remove(name);
            model.write(catalog);
        }
        remove_blobs(catalog, of, names);
        remove_deprecations(catalog, of, schema::bundle, names);
        edit.done.push_back(fmt::format("{}: {} removed: {}", catalog.path(), counted(names.size(), "bundle"),
                                        listed(names, 8)));
    }
}

void remove_channel(Edit& edit, const std::string& package, const std::string& channel,
                    const std::string& default_channel) {
    bool is_default = false;
    for (CatalogText& catalog : edit.catalogs) {
        refuse_semver(catalog, "remove");
        const std::string of = required_package(catalog, package);
        const BlobText gone = required_channel(catalog, of, channel);
        const auto blob = catalog.find(schema::package, of, of);
        if (blob && blob->text("defaultChannel") == channel) {
            is_default = true;
            if (default_channel.empty())
                throw RequestError(fmt::format("{} is the default channel of {}", channel, of),
                                   "name another one: --default-channel NAME");
            catalog.text(*blob).set(
                blob->value, "defaultChannel",
                text_of(required_channel(catalog, of, default_channel).name(), catalog.arena()));
        }
        std::set<std::string_view> elsewhere;
        for (const BlobText& other : catalog.channels(of))
            if (other.name() != channel)
                for (const EntryText& entry : entries_of(other)) elsewhere.insert(entry.name());
        std::vector<std::string> names;
        for (const EntryText& entry : entries_of(gone))
            if (!elsewhere.contains(entry.name())) names.emplace_back(entry.name());
        catalog.remove(gone);
        remove_blobs(catalog, of, names);
        remove_deprecations(catalog, of, schema::channel, {channel});
        if (!names.empty()) remove_deprecations(catalog, of, schema::bundle, names);
        edit.done.push_back(fmt::format(
            "{}: channel {} is removed{}", catalog.path(), channel,
            names.empty() ? "" : fmt::format(", with {} that only it had", counted(names.size(), "bundle"))));
    }
    if (!default_channel.empty() && !is_default)
        throw RequestError(fmt::format("{} is not the default channel, which stays as it is", channel),
                           "leave out --default-channel, or see opcat edit default-channel");
}

} // namespace opcat::edit
