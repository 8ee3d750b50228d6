#include "opcat/base/base64.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/document/value.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/template/semver_channels.hpp"
#include "opcat/template/template.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace opcat {
namespace {

// Strings of a value that goes away.
std::string_view keep(const Value* value, Arena& arena) {
    return value ? arena.copy(value->string_or_empty()) : std::string_view();
}

const Value* find_path(const Value& root, std::string_view first, std::string_view second) {
    const Value* const value = find_field(root, first);
    return value ? find_field(*value, second) : nullptr;
}

void describe_from(Package& package, const Value& csv, Arena& arena) {
    package.description.text = keep(find_path(csv, "spec", "description"), arena);
    const Value* const icons = find_path(csv, "spec", "icon");
    if (!icons || !icons->is_array() || icons->items().empty()) return;
    const Value& icon = icons->items().front();
    const Value* const data = find_field(icon, "base64data");
    const auto bytes = data ? decode_base64(data->string_or_empty()) : std::nullopt;
    if (!bytes || bytes->empty()) return;
    package.icon = Icon{arena.copy(encode_base64(*bytes)), keep(find_field(icon, "mediatype"), arena)};
}

// Sets description and icon from the ClusterServiceVersion among the bundle's olm.bundle.object properties;
// leaves out what is not there.
void describe_package(Package& package, const Bundle& bundle, Arena& arena) {
    if (const auto csv = csv_among_objects(bundle)) describe_from(package, csv->value, arena);
}

using References = std::array<std::vector<BundleReference>, archetype_names.size()>;

class Reader {
public:
    Reader(const TemplateFile& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

    SemverPlan read_plan() {
        static constexpr std::string_view known[] = {"schema",
                                                     "generateMajorChannels",
                                                     "generateMinorChannels",
                                                     "defaultChannelTypePreference",
                                                     "candidate",
                                                     "fast",
                                                     "stable"};
        check_keys(file_.fields(diagnostics_), file_.root, known);
        SemverPlan plan;
        plan.major_channels = read_flag("generateMajorChannels");
        plan.minor_channels = read_flag("generateMinorChannels") || !plan.major_channels;
        plan.preference = plan.minor_channels ? ChannelWidth::minor : ChannelWidth::major;
        const Text preference = file_.fields(diagnostics_).string("defaultChannelTypePreference");
        if (preference.empty()) return plan;
        const bool major = preference == "major";
        if (!major && preference != "minor")
            add_error(preference.offset,
                      fmt::format("defaultChannelTypePreference must be major or minor, not {}",
                                  go_quote(preference)));
        else if (major ? !plan.major_channels : !plan.minor_channels)
            add_error(preference.offset,
                      fmt::format("the default channel cannot be one for a {} version: there are none",
                                  preference.text),
                      major ? "add \"generateMajorChannels: true\"" : "add \"generateMinorChannels: true\"");
        plan.preference = major ? ChannelWidth::major : ChannelWidth::minor;
        return plan;
    }

    References read_references() {
        References references;
        for (size_t i = 0; i < archetype_names.size(); ++i) {
            const Value* const archetype = file_.fields(diagnostics_).object(archetype_names[i]);
            if (!archetype) continue;
            static constexpr std::string_view of_archetype[] = {"bundles"};
            static constexpr std::string_view of_bundle[] = {"image"};
            const FieldReader fields(&file_.file(), *archetype, archetype_names[i], diagnostics_);
            check_keys(fields, *archetype, of_archetype);
            (void)fields.objects<char>(
                "bundles", "a bundle", file_.arena(), [&](const FieldReader& bundle, const Value& item) {
                    const size_t before = diagnostics_.added();
                    check_keys(bundle, item, of_bundle);
                    // Else the image is what the wrong key was meant to be.
                    const bool has_keys = diagnostics_.added() == before;
                    add_reference(references[i], bundle.string("image"), has_keys, archetype_names[i]);
                    return '\0';
                });
        }
        return references;
    }

private:
    void add_error(uint32_t offset, std::string message, std::string help = {}) {
        diagnostics_.push_back(
            error("template", {&file_.file(), offset, 1}, std::move(message), std::move(help)));
    }

    void add_reference(std::vector<BundleReference>& references, const Text& image, bool must_be_there,
                       std::string_view archetype) {
        if (image.empty() && must_be_there) add_error(image.offset, "a bundle needs an image");
        if (!image.empty() && !seen_.emplace(archetype, image.text).second)
            diagnostics_.push_back(error("template", {&file_.file(), image.offset, 1},
                                         fmt::format("{} names the bundle {} twice", archetype, image.text),
                                         "remove one of the two"));
        references.push_back({image, {&file_.file(), image.offset, 1}});
    }

    bool read_flag(std::string_view field) {
        const Value* const value = file_.fields(diagnostics_).find(field);
        if (!value || value->is_null()) return false;
        if (value->is_boolean()) return value->boolean();
        diagnostics_.push_back(error(
            "field-type", {&file_.file(), value->offset(), 1},
            fmt::format("{} of the template must be true or false, not {}", field, describe(value->kind()))));
        return false;
    }

    // Unlike a catalog, this kind of template has no other fields, and none twice.
    void check_keys(const FieldReader& fields, const Value& object, std::span<const std::string_view> known) {
        if (!object.is_object()) return;
        fields.refuse_all_but(known, "template");
        std::set<std::string_view> seen;
        for (const Member& member : object.members())
            if (!seen.insert(member.key.string()).second)
                add_error(member.key.offset(), fmt::format("{} is given twice", member.key.string()));
    }

    const TemplateFile& file_;
    Diagnostics& diagnostics_;
    std::set<std::pair<std::string_view, std::string_view>> seen_; // archetypes and images
};

class Builder {
public:
    Builder(const TemplateFile& file, LoadedCatalog& result) : file_(file), result_(result) {}

    // Puts the loaded bundles into the archetypes that name them.
    Archetypes arrange(const References& references, std::span<const Bundle> bundles) {
        Archetypes archetypes;
        size_t next = 0;
        for (size_t i = 0; i < references.size(); ++i) {
            for (const BundleReference& reference : references[i]) {
                const Bundle& bundle = bundles[next++];
                const auto version = check(bundle, reference.where);
                if (!version) continue;
                if (!places_[i].emplace(bundle.name, reference.where).second)
                    add_error(reference.where,
                              fmt::format("{} names bundle {} twice", archetype_names[i], bundle.name.text));
                else
                    archetypes[i].push_back({bundle.name, *version});
                bundles_.emplace(bundle.name, bundle);
            }
            check_order(archetypes[i], places_[i]);
        }
        return archetypes;
    }

    void build(const PlannedChannels& plan) {
        Catalog& catalog = result_.catalog;
        Package package;
        package.name.text = package_;
        package.default_channel.text = arena().copy(plan.default_name);
        package.origin = {&file_.file(), file_.root.offset(), 0};
        package.composed_from = &root_;
        if (const PlannedChannel* const channel = plan.default_channel()) {
            describe_package(package, bundles_.at(channel->head), arena());
            // All but the default channel comes from this bundle.
            package.origin.offset = places_[archetype_of(channel->name)].at(channel->head).offset;
            package.default_channel.offset = place_of(channel->name);
        }
        package.value = to_value(package, arena());
        catalog.packages.push_back(package);
        for (const PlannedChannel& channel : plan.channels) catalog.channels.push_back(build(channel));
        for (const auto& [name, bundle] : bundles_) catalog.bundles.push_back(bundle);
    }

private:
    Arena& arena() { return file_.arena(); }

    void add_error(const Location& where, std::string message, std::string help = {}) {
        result_.diagnostics.push_back(error("template", where, std::move(message), std::move(help)));
    }

    // The version of a bundle of our package.
    std::optional<semver::Version> check(const Bundle& bundle, const Location& where) {
        const auto is_package = [](const Property& p) { return p.type == property_type::package; };
        const auto property = package_property(bundle);
        if (!property || std::count_if(bundle.properties.begin(), bundle.properties.end(), is_package) != 1) {
            add_error(where, fmt::format("bundle {} does not have exactly one olm.package property",
                                         bundle.name.text));
            return std::nullopt;
        }
        const auto version = semver::Version::parse(property->version);
        if (!version) {
            add_error(where, fmt::format("bundle {} has version {}: {}", bundle.name.text,
                                         go_quote(property->version), version.error().message));
            return std::nullopt;
        }
        if (package_.empty()) package_ = property->package;
        if (property->package != package_) {
            add_error(where,
                      fmt::format("bundle {} belongs to package {}, and others to package {}",
                                  bundle.name.text, property->package.text, package_),
                      "a semver template is for one package");
            return std::nullopt;
        }
        return *version;
    }

    using Places = std::unordered_map<std::string_view, Location>; // by the names of bundles

    void check_order(std::vector<VersionedBundle> bundles, const Places& places) {
        std::sort(bundles.begin(), bundles.end(),
                  [](const VersionedBundle& a, const VersionedBundle& b) { return a.version < b.version; });
        for (size_t i = 1; i < bundles.size(); ++i)
            if (bundles[i - 1].version == bundles[i].version)
                add_error(std::max(places.at(bundles[i - 1].name), places.at(bundles[i].name),
                                   [](const Location& a, const Location& b) { return a.offset < b.offset; }),
                          fmt::format("bundles {} and {} have versions without an order: {} and {}",
                                      bundles[i - 1].name, bundles[i].name,
                                      bundles[i - 1].version.to_string(), bundles[i].version.to_string()),
                          "versions must differ in more than build metadata");
    }

    // Returns the archetype from which the channel is made: "stable-v1" comes from "stable".
    static size_t archetype_of(std::string_view channel) {
        const std::string_view name = channel.substr(0, channel.find("-v"));
        return static_cast<size_t>(std::ranges::find(archetype_names, name) - archetype_names.begin());
    }

    uint32_t place_of(std::string_view channel) const {
        const std::string_view archetype = archetype_names[archetype_of(channel)];
        for (const Member& member : root_.members())
            if (means_field(member.key.string(), archetype)) return member.key.offset();
        return root_.offset();
    }

    Channel build(const PlannedChannel& planned) {
        Channel channel;
        channel.name.text = arena().copy(planned.name);
        channel.package.text = package_;
        channel.has_entries = true;
        channel.origin = {&file_.file(), place_of(planned.name), 0};
        channel.composed_from = &root_;
        const Places& places = places_[archetype_of(planned.name)];
        std::vector<ChannelEntry> entries;
        for (const PlannedEntry& planned_entry : planned.entries) {
            // Its edges come from its version.
            const uint32_t at = places.at(planned_entry.name).offset;
            std::vector<Text> skips;
            for (const std::string_view skip : planned_entry.skips) skips.push_back({skip, at});
            entries.push_back({{planned_entry.name, at},
                               {planned_entry.replaces, at},
                               arena().copy(std::span<const Text>(skips)),
                               {},
                               at});
        }
        channel.entries = arena().copy(std::span<const ChannelEntry>(entries));
        channel.value = to_value(channel, arena());
        return channel;
    }

    const TemplateFile& file_;
    const Value& root_ = *file_.arena().copy(std::span<const Value>(&file_.root, 1)).data();
    LoadedCatalog& result_;
    std::string_view package_;
    std::array<Places, archetype_names.size()> places_;
    std::unordered_map<std::string_view, Bundle> bundles_;
};

} // namespace

LoadedCatalog render_semver(const TemplateFile& file, const LoadBundles& load) {
    LoadedCatalog result;
    Reader reader(file, result.diagnostics);
    const SemverPlan plan = reader.read_plan();
    const References references = reader.read_references();
    if (has_errors(result.diagnostics)) return result;
    std::vector<BundleReference> all;
    for (const auto& some : references) all.insert(all.end(), some.begin(), some.end());
    if (all.empty()) {
        result.diagnostics.push_back(error("template", {&file.file(), file.root.offset(), 1},
                                           "the template names no bundles",
                                           "add them to candidate, fast or stable"));
        return result;
    }
    const auto bundles = load_bundles(all, load, result);
    if (!bundles) {
        result.bundles_unknown = true;
        return result;
    }
    Builder builder(file, result);
    Archetypes archetypes = builder.arrange(references, *bundles);
    if (!has_errors(result.diagnostics)) builder.build(plan_channels(std::move(archetypes), plan));
    return result;
}

} // namespace opcat
