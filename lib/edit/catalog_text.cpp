#include "opcat/edit/catalog_text.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/yaml_writer.hpp"
#include "opcat/edit/text_style.hpp"
#include "opcat/go/fields.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::edit {

std::string_view BlobText::text(std::string_view field) const {
    const Value* const found = value.find(field);
    return found ? found->string_or_empty() : std::string_view();
}

std::string_view BlobText::package() const {
    return schema() == schema::package ? name() : text("package");
}

std::span<const Value> BlobText::entries() const {
    const Value* const found = value.find("entries");
    return found && found->is_array() ? found->items() : std::span<const Value>();
}

CatalogText::CatalogText(std::shared_ptr<const SourceFile> file) : text_(std::move(file)) {
    while (first_ < text_.documents().size() && text_.documents()[first_].is_null()) ++first_;
    if (first_ == text_.documents().size())
        throw RequestError(fmt::format("{} is empty", path()), "--create basic makes a template of it");
    if (!root().is_object())
        throw RequestError(fmt::format("{} is neither a catalog nor a template", path()),
                           "name a file of a catalog, or a template");
    const Value* const named = find_field(root(), "schema"); // in any letter case, as opm takes it
    kind_ = named ? find_template_kind(named->string_or_empty()) : std::nullopt;
    // Kinds also have short names, which are no schemas.
    if (kind_ && schema_of(*kind_) != named->string_or_empty()) kind_.reset();
}

std::vector<BlobText> CatalogText::all() const {
    std::vector<BlobText> blobs;
    if (is_semver()) return blobs;
    const auto add_all = [&](std::span<const Value> values) {
        for (size_t i = 0; i < values.size(); ++i)
            if (values[i].is_object()) blobs.push_back({values[i], i});
    };
    if (!kind_)
        add_all(text_.documents());
    else if (list() && list()->is_array())
        add_all(list()->items());
    return blobs;
}

std::vector<BlobText> CatalogText::blobs(std::string_view schema) const {
    std::vector<BlobText> found = all();
    std::erase_if(found, [&](const BlobText& blob) { return blob.schema() != schema; });
    return found;
}

std::optional<BlobText> CatalogText::find(std::string_view schema, std::string_view package,
                                          std::string_view name) const {
    for (const BlobText& blob : blobs(schema))
        if (blob.name() == name && blob.package() == package) return blob;
    return std::nullopt;
}

std::vector<BlobText> CatalogText::channels(std::string_view package) const {
    std::vector<BlobText> found = blobs(schema::channel);
    std::erase_if(found, [&](const BlobText& blob) { return blob.package() != package; });
    return found;
}

std::vector<std::string_view> CatalogText::packages() const {
    std::vector<std::string_view> names;
    for (const BlobText& blob : all())
        if (const auto name = blob.package(); !name.empty() && std::ranges::find(names, name) == names.end())
            names.push_back(name);
    return names;
}

void CatalogText::add(const Value& blob) {
    const BlobText added{blob, 0};
    const std::vector<BlobText> there = all();
    const auto last = [&](auto is_wanted) {
        const auto found = std::find_if(there.rbegin(), there.rend(), is_wanted);
        return found == there.rend() ? std::optional<size_t>() : std::optional(found->index);
    };
    // Bundles of a template do not name their package.
    const bool in_template = kind_.has_value();
    std::optional<size_t> after = last([&](const BlobText& one) {
        return one.schema() == added.schema() && (in_template || one.package() == added.package());
    });
    if (!after) after = last([&](const BlobText& one) { return one.package() == added.package(); });
    if (in_template) {
        if (after)
            text_.insert_after(*list(), *after, blob);
        else
            text_.append(root(), "entries", blob);
        return;
    }
    const size_t place = after.value_or(text_.documents().size() - 1);
    std::string text;
    if (text_.notation_of(place) == Notation::yaml) {
        append_block(text, blob, 0, {});
        text += '\n';
    } else {
        append_json(text, blob);
    }
    text_.insert_document(place, {std::move(text), blob});
}

void CatalogText::remove(const BlobText& blob) {
    if (kind_)
        text_.remove_item(*list(), blob.index);
    else
        text_.remove_document(blob.index);
}

const Member* CatalogText::archetype(std::string_view channel) const {
    const Member* found = nullptr;
    for (const Member& member : root().members())
        if (ascii_lower(member.key.string()) == ascii_lower(channel)) found = &member;
    return found;
}

std::string new_file(std::optional<TemplateKind> kind, std::string_view package,
                     std::string_view default_channel) {
    Arena arena;
    const Value blob = object_of({{"schema", Value::of(schema::package)},
                                  {"name", Value::of(package)},
                                  {"defaultChannel", Value::of(default_channel)}},
                                 arena);
    std::string text = "---\n";
    if (!kind) {
        append_block(text, blob, 0, {});
        return text + '\n';
    }
    text += fmt::format("schema: {}\n", schema_of(*kind));
    if (kind == TemplateKind::semver)
        return text + "generateMajorChannels: true\ngenerateMinorChannels: false\n";
    text += "entries:\n- ";
    append_block(text, blob, 2, {});
    return text + '\n';
}

Value object_of(std::initializer_list<std::pair<std::string_view, Value>> members, Arena& arena) {
    std::vector<Member> kept;
    for (const auto& [key, value] : members) {
        const bool is_empty = value.is_null() || (value.is_string() && value.string().empty()) ||
                              (value.is_array() && value.items().empty());
        if (!is_empty) kept.push_back({Value::of(key), value});
    }
    return Value::of(std::span<const Member>(arena.copy(std::span<const Member>(kept))));
}

Value texts_of(std::span<const std::string> texts, Arena& arena) {
    std::vector<Value> items;
    for (const std::string& text : texts) items.push_back(text_of(text, arena));
    return Value::of(std::span<const Value>(arena.copy(std::span<const Value>(items))));
}

Value text_of(std::string_view text, Arena& arena) {
    return Value::of(arena.copy(text));
}

} // namespace opcat::edit
