#include "opcat/resolve/classic/snapshot.hpp"

#include "opcat/document/json_reader.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/go/words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace opcat::classic {

using go::Route;

Gvk gvk_of(const Value& value) {
    return {field_text(value, "group", Route::text), field_text(value, "version", Route::text),
            field_text(value, "kind", Route::text)};
}

void find_facts(Facts& facts) {
    for (const EntryProperty& property : facts.properties) {
        const auto fits = [&](std::string_view type) {
            return !go::find_misfit(property.value, go::type_named(type), Route::text);
        };
        if (property.type == property_type::gvk) {
            if (fits("property.GVK")) facts.gvks.push_back(gvk_of(property.value));
        } else if (property.type == property_type::package) {
            if (!fits("package")) continue;
            PackageProperty package{field_text(property.value, "packageName", Route::text), std::nullopt};
            if (auto version = semver::Version::parse(field_text(property.value, "version", Route::text)))
                package.version = *std::move(version);
            facts.packages.push_back(std::move(package));
        } else if (property.type == property_type::label) {
            if (fits("label")) facts.labels.push_back(field_text(property.value, "label", Route::text));
        } else if (property.type == property_type::deprecated) {
            facts.deprecated = true;
        }
    }
}

std::string Entry::identifier() const {
    std::string text = snapshot->key.name;
    for (const std::string_view part : {std::string_view(snapshot->key.ns), channel, name}) {
        text += '/';
        text += part;
    }
    return text;
}

std::string Snapshot::key_of(const Gvk& gvk) {
    std::string key(gvk.group);
    key += '\0';
    key += gvk.version;
    key += '\0';
    key += gvk.kind;
    return key;
}

void Snapshot::build_index() {
    const auto add = [](std::vector<uint32_t>& positions, uint32_t position) {
        if (positions.empty() || positions.back() != position) positions.push_back(position);
    };
    for (uint32_t i = 0; i < entries.size(); ++i) {
        Entry& entry = entries[i];
        entry.snapshot = this;
        add(by_name[entry.name], i);
        add(by_package[entry.package], i);
        for (const PackageProperty& package : entry.facts->packages) add(by_package[package.name], i);
        for (const Gvk& gvk : entry.facts->gvks) add(by_gvk[key_of(gvk)], i);
    }
}

namespace {

Member member(std::string_view key, std::string_view text) {
    return {Value::of(key), Value::of(text)};
}

void add_translated(const EntryProperty& property, std::initializer_list<Member> members, Facts& facts,
                    Arena& memory) {
    const auto copied = memory.copy(std::span<const Member>(members.begin(), members.size()));
    facts.properties.push_back({property.type, Value::of(std::span<const Member>(copied)), property.where});
}

// The registry reports two kinds of requirements twice: as properties, and as the dependencies of old.
void translate(const EntryProperty& property, Facts& facts, Arena& memory) {
    if (property.type == property_type::gvk_required) {
        const Gvk gvk = gvk_of(property.value);
        add_translated(property,
                       {member("group", gvk.group), member("version", gvk.version), member("kind", gvk.kind)},
                       facts, memory);
    } else if (property.type == property_type::package_required) {
        const std::string_view package = field_text(property.value, "packageName", Route::text);
        const std::string_view range = field_text(property.value, "versionRange", Route::text);
        add_translated(property, {member("packageName", package), member("versionRange", range)}, facts,
                       memory);
    }
}

} // namespace

std::shared_ptr<const Facts> facts_of(const Bundle& bundle, Arena& memory) {
    auto facts = std::make_shared<Facts>();
    for (const Property& property : bundle.properties) {
        if (property.type == property_type::bundle_object || property.type == property_type::csv_metadata)
            continue;
        facts->properties.push_back({property.type,
                                     property.value ? normalised(*property.value, memory) : Value(),
                                     {bundle.file, property.offset, 1}});
    }
    const size_t native = facts->properties.size();
    for (size_t i = 0; i < native; ++i) translate(EntryProperty(facts->properties[i]), *facts, memory);
    find_facts(*facts);
    return facts;
}

namespace {

class CatalogSnapshotBuilder {
public:
    CatalogSnapshotBuilder(const Catalog& catalog, Snapshot& snapshot)
        : catalog_(catalog), snapshot_(snapshot) {}

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
        Described described{facts_of(bundle, *snapshot_.arena), std::nullopt};
        for (const EntryProperty& property : described.facts->properties) {
            if (property.type != property_type::package) continue;
            const Value* const version = property.value.find("version");
            if (version)
                if (auto parsed = semver::Version::parse_tolerant(version->string_or_empty()))
                    described.version = *std::move(parsed);
            break;
        }
        return described;
    }

    const Catalog& catalog_;
    Snapshot& snapshot_;
    std::unordered_map<std::string_view, std::string_view> default_channels_;
    std::unordered_map<std::string, const Bundle*> bundles_;
    std::unordered_map<const Bundle*, Described> described_;
};

} // namespace

std::shared_ptr<const Snapshot> catalog_snapshot(const CatalogKey& key, const Catalog& catalog,
                                                 std::shared_ptr<const void> owner) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->key = key;
    snapshot->catalog = &catalog;
    snapshot->owner = std::move(owner);
    CatalogSnapshotBuilder(catalog, *snapshot).run();
    snapshot->build_index();
    return snapshot;
}

namespace {

// What cannot be read makes the whole snapshot fail.
struct Unreadable {
    std::string error;
};

class InstalledSnapshotBuilder {
public:
    InstalledSnapshotBuilder(const std::string& ns, const ClusterState& cluster, Snapshot& snapshot)
        : ns_(ns), cluster_(cluster), snapshot_(snapshot) {}

    void run() {
        const OperatorGroup& group = only_group();
        for (const ClusterServiceVersion& csv : cluster_.csvs)
            if (csv.ns == ns_) csvs_.push_back(&csv);
        // The listing has no order of its own; this one is as good as any, and the same every time.
        std::stable_sort(csvs_.begin(), csvs_.end(),
                         [](const auto* a, const auto* b) { return a->name < b->name; });
        const bool fail_forward = fails_forward(group);
        for (const ClusterServiceVersion* csv : csvs_) {
            if (csv->copied) continue;
            if (fail_forward && is_on_the_way_to_a_failure(*csv)) continue;
            add(*csv);
        }
    }

private:
    const OperatorGroup& only_group() const {
        const OperatorGroup* found = nullptr;
        size_t count = 0;
        for (const OperatorGroup& group : cluster_.operator_groups) {
            if (group.ns != ns_) continue;
            found = &group;
            ++count;
        }
        if (count != 1) throw Unreadable{fmt::format("found {} operatorGroups, expected 1", count)};
        return *found;
    }

    // Follows `replaces` of CSVs.
    bool is_on_the_way_to_a_failure(const ClusterServiceVersion& csv) const {
        std::map<std::string_view, const ClusterServiceVersion*> replacements;
        for (const ClusterServiceVersion* other : csvs_)
            if (!other->replaces.empty()) replacements[other->replaces] = other;
        std::set<const ClusterServiceVersion*> seen;
        const ClusterServiceVersion* last = &csv;
        for (;;) {
            seen.insert(last);
            const auto next = replacements.find(last->name);
            if (next == replacements.end()) break;
            if (last->phase != "Replacing")
                throw Unreadable{fmt::format("csv {}/{} in phase {} instead of Replacing", last->ns,
                                             last->name, last->phase)};
            if (seen.contains(next->second))
                throw Unreadable{
                    fmt::format("csv {}/{} has already been seen", next->second->ns, next->second->name)};
            last = next->second;
        }
        return csv.phase == "Replacing" && last->phase == "Failed";
    }

    void add(const ClusterServiceVersion& csv) {
        Entry entry;
        entry.name = csv.name;
        entry.csv = &csv;
        entry.where = csv.where();
        entry.version = semver::Version();
        if (auto version = semver::Version::parse_tolerant(csv.version)) entry.version = *std::move(version);
        for (const Subscription& subscription : cluster_.subscriptions)
            if (subscription.ns == ns_ && subscription.installed_csv == csv.name)
                entry.subscription = &subscription;
        auto facts = std::make_shared<Facts>();
        const bool no_version = *entry.version == semver::Version();
        const std::vector<EntryProperty> inferred = from_apis(csv, no_version ? "" : entry.version_text());
        const Fields annotation = csv.at("metadata", "annotations", "operatorframework.io/properties");
        facts->properties = annotation ? from_annotation(csv, annotation.text()) : inferred;
        find_facts(*facts);
        if (!facts->packages.empty()) entry.package = facts->packages.back().name;
        entry.facts = std::move(facts);
        snapshot_.entries.push_back(std::move(entry));
    }

    std::vector<EntryProperty> from_annotation(const ClusterServiceVersion& csv,
                                               std::string_view annotation) {
        const auto fail = [&](const std::string& why) {
            throw Unreadable{
                fmt::format("failed to retrieve properties of csv \"{}\": failed to unmarshal properties "
                            "annotation: {}",
                            csv.name, why)};
        };
        if (const std::string error = go::json_syntax_error(annotation); !error.empty()) fail(error);
        const auto file = std::make_shared<SourceFile>(
            fmt::format("annotation operatorframework.io/properties of {}/{}", csv.ns, csv.name), annotation);
        uint32_t end = 0;
        Diagnostic problem;
        const auto value = read_json(*file, 0, *snapshot_.arena, end, problem);
        if (!value) fail(problem.message);
        snapshot_.files.push_back(file);
        const std::string error =
            go::decode_error(*value, go::type_named("projection.propertiesAnnotation"), Route::text);
        if (!error.empty()) fail(error);
        std::vector<EntryProperty> properties;
        for (const Value& item : items_of(find_pointer_field(*value, "properties", Route::text))) {
            const Value* const held = find_pointer_field(item, "value", Route::text);
            properties.push_back({field_text(item, "type", Route::text),
                                  held ? *held : Value(),
                                  {file.get(), item.offset(), 1}});
        }
        return properties;
    }

    struct Api {
        std::string_view group, version, kind, plural;
        friend auto operator<=>(const Api&, const Api&) = default;
    };

    void add_crds(const ClusterServiceVersion& csv, std::string_view which, std::set<Api>& apis) const {
        for (const Fields crd : csv.items("spec", "customresourcedefinitions", which)) {
            const std::string_view name = crd.text("name");
            const size_t dot = name.find('.');
            if (dot == std::string_view::npos)
                throw Unreadable{fmt::format("error parsing crd name: {}", name)};
            apis.insert({name.substr(dot + 1), crd.text("version"), crd.text("kind"), name.substr(0, dot)});
        }
    }

    void add_api_services(const ClusterServiceVersion& csv, std::string_view which,
                          std::set<Api>& apis) const {
        for (const Fields api : csv.items("spec", "apiservicedefinitions", which))
            apis.insert({api.text("group"), api.text("version"), api.text("kind"), api.text("name")});
    }

    // Sorted by their JSON text.
    void add_apis(std::string_view type, const std::set<Api>& apis, bool required,
                  const ClusterServiceVersion& csv, std::vector<EntryProperty>& properties) {
        std::multimap<std::string, Value> sorted;
        for (const Api& api : apis) {
            const Member group{Value::of(std::string_view("group")), Value::of(api.group)};
            const Member kind{Value::of(std::string_view("kind")), Value::of(api.kind)};
            const Member version{Value::of(std::string_view("version")), Value::of(api.version)};
            const std::vector<Member> members = required ? std::vector<Member>{group, version, kind}
                                                         : std::vector<Member>{group, kind, version};
            const auto copied = snapshot_.arena->copy(std::span<const Member>(members));
            const Value value = Value::of(std::span<const Member>(copied));
            std::string text;
            append_compact_json(text, value);
            sorted.emplace(std::move(text), value);
        }
        for (const auto& [text, value] : sorted) properties.push_back({type, value, csv.where()});
    }

    std::vector<EntryProperty> from_apis(const ClusterServiceVersion& csv, const std::string& version) {
        std::set<Api> owned;
        std::set<Api> required;
        add_crds(csv, "owned", owned);
        add_api_services(csv, "owned", owned);
        add_crds(csv, "required", required);
        add_api_services(csv, "required", required);
        std::vector<EntryProperty> properties;
        add_apis(property_type::gvk, owned, false, csv, properties);
        add_apis(property_type::gvk_required, required, true, csv, properties);
        std::set<std::string_view> packages;
        for (const Subscription& subscription : cluster_.subscriptions)
            if (subscription.ns == ns_ && subscription.installed_csv == csv.name)
                if (!subscription.package.empty()) packages.insert(subscription.package);
        if (packages.size() == 1) {
            const std::vector<Member> members = {
                {Value::of(std::string_view("packageName")), Value::of(*packages.begin())},
                {Value::of(std::string_view("version")),
                 Value::of(snapshot_.arena->copy(std::string_view(version)))}};
            const auto copied = snapshot_.arena->copy(std::span<const Member>(members));
            properties.push_back(
                {property_type::package, Value::of(std::span<const Member>(copied)), csv.where()});
        }
        return properties;
    }

    const std::string& ns_;
    const ClusterState& cluster_;
    Snapshot& snapshot_;
    std::vector<const ClusterServiceVersion*> csvs_;
};

} // namespace

std::shared_ptr<const Snapshot> existing_snapshot(const std::string& ns, const ClusterState& cluster) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->key = CatalogKey::existing(ns);
    try {
        InstalledSnapshotBuilder(ns, cluster, *snapshot).run();
    } catch (const Unreadable& unreadable) {
        snapshot->entries.clear();
        snapshot->error = unreadable.error;
    }
    snapshot->build_index();
    return snapshot;
}

} // namespace opcat::classic
