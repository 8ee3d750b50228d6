#include "opcat/serve/served_pages.hpp"

#include "opcat/catalog/load.hpp"
#include "opcat/document/json_writer.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace opcat::serve {
namespace {

bool is_large(std::string_view property_type) {
    return property_type == property_type::csv_metadata || property_type == property_type::bundle_object;
}

// The same with an empty value.
Value without_value(const Value& property, Arena& arena) {
    std::vector<Member> members(property.members().begin(), property.members().end());
    for (Member& member : members)
        if (member.key.string() == "value") member.value = Value::of(std::span<const Member>());
    return Value::of(arena.copy(std::span<const Member>(members)));
}

// A bundle's line without what only its own page shows.
void append_without_manifests(std::string& out, const Bundle& bundle) {
    Arena arena;
    std::vector<Member> members(bundle.value.members().begin(), bundle.value.members().end());
    for (Member& member : members) {
        if (member.key.string() != "properties" || !member.value.is_array()) continue;
        std::vector<Value> items(member.value.items().begin(), member.value.items().end());
        for (Value& item : items) {
            const Value* const type = item.is_object() ? item.find("type") : nullptr;
            if (type && is_large(type->string_or_empty())) item = without_value(item, arena);
        }
        member.value = Value::of(arena.copy(std::span<const Value>(items)));
    }
    append_compact_json(out, Value::of(arena.copy(std::span<const Member>(members))));
    out += '\n';
}

Catalog without_manifests(const CatalogDocument& document, ThreadPool& pool) {
    constexpr size_t at_once = 256; // lines
    std::string all;
    std::vector<std::string> texts(at_once);
    for (size_t begin = 0; begin < document.lines(); begin += at_once) {
        const size_t count = std::min(at_once, document.lines() - begin);
        pool.for_each(count, [&](size_t i) {
            texts[i].clear();
            const CatalogDocument::LineView line = document.line(begin + i);
            if (line.schema == schema::bundle) {
                const LoadedCatalog read = load_lines(document, {begin + i}, pool);
                for (const Bundle& bundle : read.catalog.bundles) append_without_manifests(texts[i], bundle);
                if (!read.catalog.bundles.empty()) return;
            }
            texts[i] = line.text;
        });
        for (size_t i = 0; i < count; ++i) all += texts[i];
    }
    all.shrink_to_fit();
    return std::move(load_text(all, pool).catalog);
}

} // namespace

std::shared_ptr<const pages::CatalogPages> make_pages(std::string name,
                                                      const std::shared_ptr<const CatalogDocument>& document,
                                                      std::vector<pages::PageFinding> findings,
                                                      bool allow_query, ThreadPool& pool) {
    Catalog catalog = without_manifests(*document, pool);
    const auto with_properties = [document](const Bundle& bundle,
                                            const std::function<void(const Bundle&)>& use) {
        const BlobQuery query{std::string(schema::bundle), std::string(bundle.package.text),
                              std::string(bundle.name.text)};
        for (const size_t line : document->lines_of(query)) {
            ThreadPool here(1);
            const LoadedCatalog read = load_lines(*document, {line}, here);
            if (!read.catalog.bundles.empty()) return use(read.catalog.bundles.front());
        }
    };
    const auto made = std::make_shared<pages::CatalogPages>(
        std::move(name), std::move(catalog), std::move(findings), pages::Use::server, pool, with_properties);
    if (allow_query) made->link_query_page();
    return made;
}

} // namespace opcat::serve
