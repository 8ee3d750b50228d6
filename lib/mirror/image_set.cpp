#include "opcat/mirror/image_set.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/field_reader.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace opcat {
namespace {

constexpr std::string_view rule = "image-set";
constexpr std::string_view api_version = "mirror.openshift.io/v2alpha1";
constexpr std::array<std::string_view, 4> root_fields{"kind", "apiVersion", "mirror", "metadata"};
constexpr std::array<std::string_view, 1> mirror_fields{"operators"};
constexpr std::array<std::string_view, 6> catalog_fields{"catalog",       "full",      "packages",
                                                         "targetCatalog", "targetTag", "skipDependencies"};
constexpr std::array<std::string_view, 4> package_fields{"name", "channels", "minVersion", "maxVersion"};
constexpr std::array<std::string_view, 3> channel_fields{"name", "minVersion", "maxVersion"};

class Reader {
public:
    Reader(const SourceFile& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

    std::vector<ImageSetCatalog> read() {
        const auto root = read_object(file_, arena_, "an ImageSetConfiguration", rule, diagnostics_);
        if (!root) return {};
        const FieldReader fields(&file_, *root, "the ImageSetConfiguration", diagnostics_);
        name_others(fields, root_fields);
        if (fields.string("kind") != std::string_view("ImageSetConfiguration") ||
            fields.string("apiVersion") != api_version)
            fields.error(
                rule, fields.offset(), "this is not an ImageSetConfiguration that opcat knows",
                fmt::format("it must have kind: ImageSetConfiguration and apiVersion: {}", api_version));
        const Value* const mirror = fields.object("mirror");
        if (!mirror) return {};
        const FieldReader parts(&file_, *mirror, "mirror", diagnostics_);
        name_others(parts, mirror_fields);
        return list<ImageSetCatalog>(parts, "operators", "an item of operators",
                                     [&](const FieldReader& item) { return catalog(item); });
    }

private:
    // What is not handled is named, and does not keep the rest from being mirrored.
    static void name_others(const FieldReader& fields, std::span<const std::string_view> known) {
        fields.refuse_all_but(known, rule, Severity::warning);
    }

    template <class Item, class Read>
    std::vector<Item> list(const FieldReader& fields, std::string_view field, std::string_view what,
                           const Read& read) {
        std::vector<Item> items;
        const Value* const values = fields.array(field);
        if (!values) return items;
        for (const Value& value : values->items()) {
            if (value.is_object())
                items.push_back(read(FieldReader(&file_, value, what, diagnostics_)));
            else
                fields.error(rule, value.offset(), fmt::format("{} must be an object", what));
        }
        return items;
    }

    ImageSetCatalog catalog(const FieldReader& fields) {
        name_others(fields, catalog_fields);
        ImageSetCatalog catalog;
        catalog.reference = required_text(fields, "catalog");
        catalog.target_repository = fields.string("targetCatalog").text;
        catalog.target_tag = fields.string("targetTag").text;
        const Value* const full = fields.find("full");
        catalog.full = full && full->is_boolean() && full->boolean();
        catalog.packages = list<ImageSetPackage>(fields, "packages", "a package",
                                                 [&](const FieldReader& item) { return package(item); });
        return catalog;
    }

    ImageSetPackage package(const FieldReader& fields) {
        name_others(fields, package_fields);
        ImageSetPackage package{required_text(fields, "name"), {}, bounds(fields)};
        package.channels =
            list<ImageSetChannel>(fields, "channels", "a channel", [&](const FieldReader& item) {
                name_others(item, channel_fields);
                return ImageSetChannel{required_text(item, "name"), bounds(item)};
            });
        if (!package.channels.empty() && !package.versions.empty())
            fields.error(rule, fields.offset(),
                         fmt::format("package {} has versions of its own, and channels", package.name),
                         "say for each channel which versions to keep");
        return package;
    }

    std::string required_text(const FieldReader& fields, std::string_view field) {
        const Text text = fields.string(field);
        if (text.empty()) fields.error(rule, fields.offset(), fmt::format("{} is missing", field));
        return std::string(text.text);
    }

    VersionBounds bounds(const FieldReader& fields) {
        VersionBounds bounds;
        for (const auto& [field, end] :
             {std::pair("minVersion", &bounds.least), {"maxVersion", &bounds.most}}) {
            const Text text = fields.string(field);
            *end = text.text;
            if (!text.empty() && !semver::Version::parse_tolerant(text.text))
                fields.error(rule, text.offset, fmt::format("{} is not a version", go_quote(text.text)));
        }
        return bounds;
    }

    const SourceFile& file_;
    Diagnostics& diagnostics_;
    Arena arena_;
};

// Names of other things of the kind, for a hint.
template <class Items>
std::vector<std::string_view> names_of(const Items& items) {
    std::vector<std::string_view> names;
    names.reserve(items.size());
    for (const auto& item : items) names.push_back(item.name);
    return names;
}

class Selector {
public:
    Selector(const ImageSetCatalog& wanted, const UpgradeGraph& graph, std::vector<std::string>& warnings)
        : wanted_(wanted), graph_(graph), warnings_(warnings) {}

    Selection select() {
        if (wanted_.packages.empty() && wanted_.full) return {};
        if (wanted_.packages.empty())
            for (const PackageGraph& package : graph_.packages) keep(package, {});
        for (const ImageSetPackage& package : wanted_.packages) keep(find(package.name), package);
        return std::move(selection_);
    }

private:
    const PackageGraph& find(const std::string& name) const {
        for (const PackageGraph& package : graph_.packages)
            if (package.name == name) return package;
        throw RequestError(fmt::format("package {} is not in the catalog {}", name, wanted_.reference),
                           did_you_mean(name, names_of(graph_.packages)));
    }

    const ChannelGraph& find(const PackageGraph& package, const std::string& name) const {
        for (const ChannelGraph& channel : package.channels)
            if (channel.name == name) return channel;
        throw RequestError(fmt::format("package {} has no channel {}", package.name, name),
                           did_you_mean(name, names_of(package.channels)));
    }

    void keep(const PackageGraph& package, const ImageSetPackage& wanted) {
        const std::string name(package.name);
        if (wanted_.full && wanted.channels.empty() && wanted.versions.empty()) {
            selection_.add_package(name);
            return;
        }
        for (const ImageSetChannel& channel : wanted.channels)
            keep(package, find(package, channel.name), channel.versions);
        if (!wanted.channels.empty()) return;
        for (const ChannelGraph& channel : package.channels)
            if (channel.is_default) keep(package, channel, wanted.versions);
    }

    // The versions of a channel that are within bounds, or else its head.
    void keep(const PackageGraph& package, const ChannelGraph& channel, const VersionBounds& bounds) {
        selection_.add_channel(fmt::format("{}/{}", package.name, channel.name));
        if (bounds.empty() && wanted_.full) {
            for (const GraphEntry& entry : channel.entries) keep_version(package, package.nodes[entry.node]);
            return;
        }
        bool found = false;
        if (bounds.empty()) {
            found = channel.head() != no_node && keep_version(package, package.nodes[channel.head()]);
        } else {
            const auto least = parse(bounds.least);
            const auto most = parse(bounds.most);
            for (const GraphEntry& entry : channel.entries) {
                const GraphNode& node = package.nodes[entry.node];
                if (!node.version || (least && node.version->version < *least) ||
                    (most && *most < node.version->version))
                    continue;
                found = keep_version(package, node) || found;
            }
        }
        const std::string left_out =
            bounds.least.empty() ? "" : left_out_by_minimum(package, channel, bounds);
        if (found) {
            if (!left_out.empty()) warnings_.push_back(left_out);
            return;
        }
        if (bounds.empty())
            throw RequestError(
                fmt::format("channel {} of package {} has no head", channel.name, package.name),
                "name the versions to keep");
        throw RequestError(fmt::format("channel {} of package {} has no version from {} to {}", channel.name,
                                       package.name, bounds.least.empty() ? "the first" : bounds.least,
                                       bounds.most.empty() ? "the last" : bounds.most),
                           left_out);
    }

    // A minimum that exists only as a prerelease, which comes before it. Empty: it is not so.
    static std::string left_out_by_minimum(const PackageGraph& package, const ChannelGraph& channel,
                                           const VersionBounds& bounds) {
        const semver::Version least = *parse(bounds.least);
        if (!least.prerelease.empty()) return {};
        std::string name;
        for (const GraphEntry& entry : channel.entries) {
            const GraphNode& node = package.nodes[entry.node];
            if (!node.version || node.is_virtual()) continue;
            const semver::Version& version = node.version->version;
            if (version.major != least.major || version.minor != least.minor || version.patch != least.patch)
                continue;
            if (version.prerelease.empty()) return {};
            if (name.empty()) name = node.version_text;
        }
        if (name.empty()) return {};
        return fmt::format(
            "minVersion {} of package {} leaves out {}, a prerelease, which comes before it: to "
            "keep it, write minVersion: {}",
            bounds.least, package.name, name, name);
    }

    static std::optional<semver::Version> parse(const std::string& text) {
        if (text.empty()) return std::nullopt;
        return required(semver::Version::parse_tolerant(text));
    }

    bool keep_version(const PackageGraph& package, const GraphNode& node) {
        if (!node.bundle || node.version_text.empty()) return false;
        selection_.add_version(fmt::format("{} ={}", package.name, node.version_text));
        return true;
    }

    const ImageSetCatalog& wanted_;
    const UpgradeGraph& graph_;
    std::vector<std::string>& warnings_;
    Selection selection_;
};

} // namespace

std::vector<ImageSetCatalog> read_image_set(const SourceFile& file, Diagnostics& diagnostics) {
    return Reader(file, diagnostics).read();
}

Selection selection_of(const ImageSetCatalog& wanted, const UpgradeGraph& graph,
                       std::vector<std::string>& warnings) {
    return Selector(wanted, graph, warnings).select();
}

} // namespace opcat
