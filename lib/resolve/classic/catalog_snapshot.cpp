#include "document/normalise.hpp"
#include "resolve/classic/entry.hpp"
#include "resolve/classic/go_json.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace opcat::classic {
namespace {

Member member(std::string_view key, std::string_view text) {
    return {Value::of(key), Value::of(text)};
}

class Builder {
public:
    Builder(const Catalog& catalog, Snapshot& snapshot) : catalog_(catalog), snapshot_(snapshot) {}

    void run() {
        for (const Package& package : catalog_.packages)
            default_channels_[package.name.text] = package.default_channel.text;
        for (const Bundle& bundle : catalog_.bundles) bundles_[key(bundle.package, bundle.name)] = &bundle;
        for (const Channel& channel : catalog_.channels)
            for (const ChannelEntry& entry : channel.entries) add(channel, entry);
        std::stable_sort(
            snapshot_.entries.begin(), snapshot_.entries.end(), [](const Entry& a, const Entry& b) {
                return std::tie(a.channel, a.package, a.name) < std::tie(b.channel, b.package, b.name);
            });
    }

private:
    static std::string key(std::string_view package, std::string_view name) {
        std::string key(package);
        key += '\0';
        key += name;
        return key;
    }

    void add(const Channel& channel, const ChannelEntry& channel_entry) {
        const auto found = bundles_.find(key(channel.package, channel_entry.name));
        if (found == bundles_.end()) return; // the catalog is not valid, and is not served
        const Bundle& bundle = *found->second;
        Entry entry;
        entry.name = channel_entry.name;
        entry.replaces = channel_entry.replaces;
        entry.skips = channel_entry.skips;
        if (!channel_entry.skip_range.empty())
            if (auto range = semver::BlangRange::parse(channel_entry.skip_range))
                entry.skip_range = *std::move(range);
        entry.package = channel.package;
        entry.channel = channel.name;
        entry.default_channel = default_channels_[channel.package.text] == channel.name.text;
        entry.bundle = &bundle;
        entry.where = channel.at(channel_entry.name);
        auto& shared = described_[&bundle];
        if (!shared.facts) shared = describe(bundle);
        entry.facts = shared.facts;
        entry.version = shared.version;
        snapshot_.entries.push_back(std::move(entry));
    }

    struct Described {
        std::shared_ptr<const Facts> facts;
        std::optional<semver::Version> version;
    };

    Described describe(const Bundle& bundle) {
        auto facts = std::make_shared<Facts>();
        for (const Property& property : bundle.properties) {
            if (property.type == property_type::bundle_object || property.type == property_type::csv_metadata)
                continue;
            facts->properties.push_back({property.type,
                                         property.value ? normalised(*property.value, arena()) : Value(),
                                         {bundle.file, property.offset, 1}});
        }
        const size_t native = facts->properties.size();
        for (size_t i = 0; i < native; ++i) translate(EntryProperty(facts->properties[i]), *facts);
        find_facts(*facts);
        Described described;
        for (const EntryProperty& property : facts->properties) {
            if (property.type != property_type::package) continue;
            const Value* const version = property.value.find("version");
            if (version)
                if (auto parsed = semver::Version::parse_tolerant(version->string_or_empty()))
                    described.version = *std::move(parsed);
            break;
        }
        described.facts = std::move(facts);
        return described;
    }

    // The registry tells two kinds of requirements twice: as properties, and as the dependencies of old.
    void translate(const EntryProperty& property, Facts& facts) {
        if (property.type == property_type::gvk_required) {
            Gvk gvk;
            const std::array<StringField, 3> fields = {
                {{"group", &gvk.group}, {"kind", &gvk.kind}, {"version", &gvk.version}}};
            read_strings(property.value, fields, {}, {});
            add_translated(
                property,
                {member("group", gvk.group), member("version", gvk.version), member("kind", gvk.kind)},
                facts);
        } else if (property.type == property_type::package_required) {
            std::string_view package;
            std::string_view range;
            const std::array<StringField, 2> fields = {{{"packageName", &package}, {"versionRange", &range}}};
            read_strings(property.value, fields, {}, {});
            add_translated(property, {member("packageName", package), member("versionRange", range)}, facts);
        }
    }

    void add_translated(const EntryProperty& property, std::initializer_list<Member> members, Facts& facts) {
        const auto copied = arena().copy(std::span<const Member>(members.begin(), members.size()));
        facts.properties.push_back(
            {property.type, Value::of(std::span<const Member>(copied)), property.where});
    }

    Arena& arena() { return *snapshot_.arena; }

    const Catalog& catalog_;
    Snapshot& snapshot_;
    std::unordered_map<std::string_view, std::string_view> default_channels_;
    std::unordered_map<std::string, const Bundle*> bundles_;
    std::unordered_map<const Bundle*, Described> described_;
};

} // namespace

std::shared_ptr<const Snapshot> catalog_snapshot(const CatalogKey& key, const Catalog& catalog) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->key = key;
    Builder(catalog, *snapshot).run();
    snapshot->build_index();
    return snapshot;
}

} // namespace opcat::classic
