#include "opcat/lsp/mentions.hpp"

#include "opcat/catalog/properties.hpp"
#include "opcat/document/yaml_scalar.hpp"
#include "opcat/document/yaml_text.hpp"
#include "opcat/go/fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace opcat::lsp {

namespace {

class MentionReader {
public:
    std::vector<Mention> read(const Catalog& catalog) {
        for (const Package& package : catalog.packages) {
            add(package, package.name, ThingKind::package, package.name, true);
            add(package, package.default_channel, ThingKind::channel, package.name, false);
        }
        for (const Channel& channel : catalog.channels) {
            add(channel, channel.package, ThingKind::package, channel.package, false);
            add(channel, channel.name, ThingKind::channel, channel.package, true);
            for (const ChannelEntry& entry : channel.entries) {
                add(channel, entry.name, ThingKind::bundle, channel.package, false);
                add(channel, entry.replaces, ThingKind::bundle, channel.package, false);
                for (const Text& skip : entry.skips)
                    add(channel, skip, ThingKind::bundle, channel.package, false);
            }
        }
        for (const Bundle& bundle : catalog.bundles) {
            add(bundle, bundle.package, ThingKind::package, bundle.package, false);
            add(bundle, bundle.name, ThingKind::bundle, bundle.package, true);
            for (const Property& property : bundle.properties) add(bundle, property);
        }
        for (const OtherBlob& other : catalog.others)
            add(other, other.package, ThingKind::package, other.package, false);
        for (const Deprecations& deprecations : catalog.deprecations) {
            add(deprecations, deprecations.package, ThingKind::package, deprecations.package, false);
            for (const DeprecationEntry& entry : deprecations.entries)
                if (entry.schema == schema::bundle || entry.schema == schema::channel)
                    add(deprecations, entry.name,
                        entry.schema == schema::bundle ? ThingKind::bundle : ThingKind::channel,
                        deprecations.package, false);
        }
        return std::move(all_);
    }

private:
    void add(const Blob& blob, const Text& text, ThingKind kind, std::string_view package, bool defines) {
        if (text.empty() || !blob.file) return;
        const Location where = blob.at(text);
        const bool is_plain = text_of(where) == text.text;
        all_.push_back({{kind, std::string(package),
                         kind == ThingKind::package ? std::string() : std::string(text.text)},
                        where,
                        defines,
                        is_plain});
    }
    void add(const Bundle& bundle, const Property& property) {
        if (!property.value) return;
        if (property.type == property_type::package || property.type == property_type::package_required)
            add_package(bundle, *property.value);
        else if (property.type == property_type::constraint)
            add_constraint(bundle, *property.value);
    }
    void add_package(const Bundle& bundle, const Value& value) {
        const Value* const name = find_field(value, "packageName");
        if (name && name->is_string())
            add(bundle, Text{name->string(), name->offset()}, ThingKind::package, name->string(), false);
    }
    void add_constraint(const Bundle& bundle, const Value& constraint) {
        if (const Value* const package = find_field(constraint, "package")) add_package(bundle, *package);
        for (const char* const key : {"all", "any", "not"}) {
            const Value* const group = find_field(constraint, key);
            const Value* const list = group ? find_field(*group, "constraints") : nullptr;
            if (list && list->is_array())
                for (const Value& item : list->items()) add_constraint(bundle, item);
        }
    }

    std::vector<Mention> all_;
};

bool may_be_in_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == '+';
}

} // namespace

std::vector<Mention> mentions_in(const Catalog& catalog) {
    return MentionReader().read(catalog);
}

std::optional<Mention> mention_at(const CatalogAnalysis& analysis, std::string_view path, Place place,
                                  Encoding encoding) {
    const EditedFile* const file = analysis.find(path);
    if (!file || file->pieces().empty()) return std::nullopt;
    const auto [index, byte] = file->find(place, encoding);
    const Piece& piece = *file->pieces()[index];
    for (Mention& mention : mentions_in(piece.loaded.catalog))
        if (mention.where.offset <= byte && byte <= mention.where.offset + mention.where.length)
            return std::move(mention);
    return std::nullopt;
}

std::vector<Mention> mentions_of(const CatalogAnalysis& analysis, const Thing& thing) {
    std::vector<Mention> all;
    std::set<std::pair<const SourceFile*, uint32_t>> seen;
    for (const auto& [path, file] : analysis.files())
        for (const auto& piece : file.pieces())
            for (Mention& mention : mentions_in(piece->loaded.catalog))
                if (mention.thing == thing && seen.emplace(mention.where.file, mention.where.offset).second)
                    all.push_back(std::move(mention));
    std::stable_partition(all.begin(), all.end(), [](const Mention& mention) { return mention.defines; });
    return all;
}

std::vector<TextEdit> rename(const CatalogAnalysis& analysis, const Thing& thing, std::string_view name) {
    if (name.empty() || !std::all_of(name.begin(), name.end(), may_be_in_name))
        throw RequestError(fmt::format("\"{}\" cannot be a name", name),
                           "write letters, digits, '.', '-', '_' and '+'");
    if (!analysis.has_all_files())
        throw RequestError("a file of the catalog cannot be read, and may have the old name, too");
    for (const auto& [path, file] : analysis.files())
        for (const auto& piece : file.pieces())
            if (piece->broken)
                throw RequestError(
                    fmt::format("{} does not read as a catalog, and may have the old name, too", path),
                    "correct it first");
    Thing renamed = thing;
    (thing.kind == ThingKind::package ? renamed.package : renamed.name) = name;
    const std::vector<Mention> taken = mentions_of(analysis, renamed);
    if (std::any_of(taken.begin(), taken.end(), [](const Mention& mention) { return mention.defines; }))
        throw RequestError(fmt::format("there is a {} \"{}\" already",
                                       thing.kind == ThingKind::package   ? "package"
                                       : thing.kind == ThingKind::channel ? "channel"
                                                                          : "bundle",
                                       name));
    const bool needs_quotes = !analyse_scalar(name).plain_allowed || reads_as_something_else(name);
    std::vector<TextEdit> edits;
    for (const Mention& mention : mentions_of(analysis, thing)) {
        if (!mention.is_plain)
            throw RequestError("the name is written with escapes, which opcat does not edit");
        const bool quoted =
            mention.where.offset > 0 &&
            std::string_view("\"'").find(mention.where.file->bytes()[mention.where.offset - 1]) !=
                std::string_view::npos;
        edits.push_back(
            {mention.where, needs_quotes && !quoted ? fmt::format("\"{}\"", name) : std::string(name)});
    }
    return edits;
}

PackageIndex index_of_package(const CatalogAnalysis& analysis, std::string_view package) {
    PackageIndex index;
    index.name = package;
    analysis.for_each_catalog([&](const Catalog& catalog) {
        for (const Package& blob : catalog.packages)
            if (blob.name == package) index.packages.push_back(&blob);
        for (const Channel& blob : catalog.channels)
            if (blob.package == package) {
                index.channels.push_back(&blob);
                index.channel_by_name.try_emplace(blob.name, &blob);
            }
        for (const Bundle& blob : catalog.bundles)
            if (blob.package == package) {
                index.bundles.push_back(&blob);
                index.bundle_by_name.try_emplace(blob.name, &blob);
            }
        for (const Deprecations& blob : catalog.deprecations)
            if (blob.package == package) index.deprecations.push_back(&blob);
    });
    return index;
}

std::vector<std::string_view> packages_of(const CatalogAnalysis& analysis) {
    std::vector<std::string_view> names;
    std::set<std::string_view> seen;
    const auto add = [&](std::string_view name) {
        if (!name.empty() && seen.insert(name).second) names.push_back(name);
    };
    analysis.for_each_catalog([&](const Catalog& catalog) {
        for (const Package& blob : catalog.packages) add(blob.name);
        for (const Channel& blob : catalog.channels) add(blob.package);
        for (const Bundle& blob : catalog.bundles) add(blob.package);
    });
    return names;
}

} // namespace opcat::lsp
