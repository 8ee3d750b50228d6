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
#include <unordered_set>

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

namespace {

// The first document that says something, of several that are only comments; nullptr: there is none.
const Value* first_of(const EditedText& text) {
    for (const Value& document : text.documents())
        if (!document.is_null()) return &document;
    return nullptr;
}

// Returns true if a document says what it is, in any letter case of the key, as opm takes it.
bool has_schema(const EditedText& text) {
    return std::ranges::any_of(text.documents(), [](const Value& document) {
        return document.is_object() && !field_text(document, "schema").empty();
    });
}

} // namespace

std::optional<TemplateKind> template_kind_of(const EditedText& text) {
    const Value* const root = first_of(text);
    // In any letter case, as opm takes it.
    const Value* const named = root && root->is_object() ? find_field(*root, "schema") : nullptr;
    const auto kind = named ? find_template_kind(named->string_or_empty()) : std::nullopt;
    // Kinds also have short names, which are no schemas.
    return kind && schema_of(*kind) == named->string_or_empty() ? kind : std::nullopt;
}

CatalogText::CatalogText(std::string path, std::vector<EditedText> texts, bool is_new)
    : path_(std::move(path)), texts_(std::move(texts)),
      kind_(texts_.size() == 1 ? template_kind_of(texts_.front()) : std::nullopt), is_new_(is_new) {
    for (const EditedText& text : texts_) {
        const Value* const root = first_of(text);
        if (!root)
            throw RequestError(fmt::format("{} says nothing", text.file().path()),
                               "--create basic makes a template of an empty file");
        if (!root->is_object() || (texts_.size() == 1 && !has_schema(text)))
            throw RequestError(fmt::format("{} is neither of a catalog nor a template", text.file().path()),
                               "name a file of a catalog, or a template: their objects have a schema");
    }
}

bool CatalogText::is_changed() const {
    return std::ranges::any_of(texts_, [](const EditedText& text) { return text.is_changed(); });
}

std::vector<NewText> CatalogText::after() const {
    std::vector<NewText> all;
    all.reserve(texts_.size());
    for (const EditedText& text : texts_) all.push_back(text.after());
    return all;
}

const Value& CatalogText::root() const {
    return *first_of(texts_.front());
}

std::vector<BlobText> CatalogText::all() const {
    std::vector<BlobText> blobs;
    if (is_semver()) return blobs;
    const auto add_all = [&](std::span<const Value> values, size_t file) {
        for (size_t i = 0; i < values.size(); ++i)
            if (values[i].is_object()) blobs.push_back({values[i], i, file});
    };
    if (kind_) {
        if (list() && list()->is_array()) add_all(list()->items(), 0);
        return blobs;
    }
    for (size_t file = 0; file < texts_.size(); ++file) add_all(texts_[file].documents(), file);
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
    std::unordered_set<std::string_view> seen;
    for (const BlobText& blob : all())
        if (const auto name = blob.package(); !name.empty() && seen.insert(name).second)
            names.push_back(name);
    return names;
}

void CatalogText::add(const Value& blob) {
    const BlobText added{blob, 0};
    const std::vector<BlobText> there = all();
    const auto last = [&](auto is_wanted) {
        const auto found = std::find_if(there.rbegin(), there.rend(), is_wanted);
        return found == there.rend() ? std::optional<BlobText>() : std::optional(*found);
    };
    // Bundles of a template do not name their package.
    const bool in_template = kind_.has_value();
    std::optional<BlobText> after = last([&](const BlobText& one) {
        return one.schema() == added.schema() && (in_template || one.package() == added.package());
    });
    if (!after) after = last([&](const BlobText& one) { return one.package() == added.package(); });
    if (in_template) {
        if (after)
            texts_.front().insert_after(*list(), after->index, blob);
        else
            texts_.front().append(root(), "entries", blob);
        return;
    }
    EditedText& text = after ? texts_[after->file] : texts_.back();
    const size_t place = after ? after->index : text.documents().size() - 1;
    std::string written;
    if (text.notation_of(place) == Notation::yaml) {
        append_block(written, blob, 0, {});
        written += '\n';
    } else {
        append_json(written, blob);
    }
    text.insert_document(place, {std::move(written), blob});
}

void CatalogText::remove(const BlobText& blob) {
    if (kind_)
        texts_.front().remove_item(*list(), blob.index);
    else
        texts_[blob.file].remove_document(blob.index);
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
