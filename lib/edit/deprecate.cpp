#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/edit/channel_model.hpp"
#include "opcat/edit/parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace opcat::edit {
namespace {

std::optional<BlobText> deprecations_of(const CatalogText& catalog, std::string_view package) {
    for (const BlobText& blob : catalog.blobs(schema::deprecations))
        if (blob.package() == package) return blob;
    return std::nullopt;
}

// The name in a deprecation of something with a schema, empty for the package; nothing: it is about something
// else.
std::optional<std::string_view> name_in(const Value& entry, std::string_view schema) {
    const Value* const reference = entry.find("reference");
    if (!reference) return std::nullopt;
    const auto text = [&](std::string_view key) {
        const Value* const found = reference->find(key);
        return found ? found->string_or_empty() : std::string_view();
    };
    if (text("schema") != schema) return std::nullopt;
    return schema == schema::package ? std::string_view() : text("name");
}

bool is_about(const Value& entry, std::string_view schema, std::string_view name) {
    const auto found = name_in(entry, schema);
    return found && (schema == schema::package || *found == name);
}

} // namespace

void set_deprecation(CatalogText& catalog, std::string_view package, std::string_view schema,
                     std::string_view name, std::string_view message) {
    Arena& arena = catalog.arena();
    const Value reference = object_of({{"schema", Value::of(schema)}, {"name", text_of(name, arena)}}, arena);
    const Value entry = object_of({{"reference", reference}, {"message", text_of(message, arena)}}, arena);
    const auto blob = deprecations_of(catalog, package);
    if (!blob) {
        catalog.add(object_of({{"schema", Value::of(schema::deprecations)},
                               {"package", text_of(package, arena)},
                               {"entries", Value::of(arena.copy(std::span<const Value>(&entry, 1)))}},
                              arena));
        return;
    }
    for (const Value& one : blob->entries())
        if (is_about(one, schema, name))
            return catalog.text(*blob).set(one, "message", text_of(message, arena));
    catalog.text(*blob).append(blob->value, "entries", entry);
}

void remove_deprecations(CatalogText& catalog, std::string_view package, std::string_view schema,
                         const std::vector<std::string>& names) {
    const auto blob = deprecations_of(catalog, package);
    if (!blob) return;
    const std::set<std::string_view> wanted(names.begin(), names.end());
    std::vector<size_t> found;
    for (size_t i = 0; i < blob->entries().size(); ++i)
        if (const auto name = name_in(blob->entries()[i], schema); name && wanted.contains(*name))
            found.push_back(i);
    // An empty one says nothing, and opm refuses it.
    if (found.size() == blob->entries().size()) return catalog.remove(*blob);
    for (const size_t i : found) catalog.text(*blob).remove_item(*blob->value.find("entries"), i);
}

bool remove_deprecation(CatalogText& catalog, std::string_view package, std::string_view schema,
                        std::string_view name) {
    const auto blob = deprecations_of(catalog, package);
    if (!blob ||
        std::ranges::none_of(blob->entries(), [&](const Value& one) { return is_about(one, schema, name); }))
        return false;
    remove_deprecations(catalog, package, schema, {std::string(name)});
    return true;
}

void deprecate(Edit& edit, const std::string& package, const Deprecated& what, const std::string& message) {
    for (CatalogText& catalog : edit.catalogs) {
        if (catalog.is_semver())
            throw RequestError(fmt::format("{} is a semver template, which cannot deprecate", catalog.path()),
                               "a basic template can (opcat template convert): the next rendering would take "
                               "back what only the catalog says");
        const std::string of = required_package(catalog, package);
        std::string name = what.name;
        if (what.schema == schema::bundle)
            name = required_entry(catalog, of, what.name);
        else if (what.schema == schema::channel)
            name = required_channel(catalog, of, what.name).name();
        const std::string shown =
            name.empty() ? fmt::format("package {}", of) : fmt::format("{} {}", what.schema.substr(4), name);
        if (message.empty()) {
            if (!remove_deprecation(catalog, of, what.schema, name))
                throw RequestError(fmt::format("{} is not deprecated in {}", shown, catalog.path()));
            edit.done.push_back(fmt::format("{}: {} is no longer deprecated", catalog.path(), shown));
        } else {
            set_deprecation(catalog, of, what.schema, name, message);
            edit.done.push_back(fmt::format("{}: {} is deprecated: {}", catalog.path(), shown, message));
        }
    }
}

} // namespace opcat::edit
