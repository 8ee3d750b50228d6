#include "opcat/mirror/blocked.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/catalog/write.hpp"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <span>

namespace opcat {
namespace {

std::unique_ptr<RE2> compiled(const std::string& text) {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(int64_t{8} << 20);
    return std::make_unique<RE2>(text, options);
}

} // namespace

std::string mistake_in_expression(const std::string& text) {
    const auto expression = compiled(text);
    return expression->ok() ? std::string() : expression->error();
}

BlockedImages::BlockedImages(const std::vector<std::string>& expressions) {
    for (const std::string& text : expressions) {
        expressions_.push_back(compiled(text));
        if (!expressions_.back()->ok())
            throw RequestError(fmt::format("{} is not a regular expression: {}", go_quote(text),
                                           expressions_.back()->error()));
    }
}

BlockedImages::~BlockedImages() = default;

bool BlockedImages::has(const PullSpec& source, const MirrorName& target, const std::string& prefix) const {
    const std::string names[] = {source.to_string(),
                                 prefix.empty() ? target.to_string() : prefix + '/' + target.to_string()};
    return std::any_of(expressions_.begin(), expressions_.end(), [&](const auto& expression) {
        return RE2::PartialMatch(names[0], *expression) || RE2::PartialMatch(names[1], *expression);
    });
}

std::vector<BlockedBundle> BlockedImages::bundles_in(const Catalog& catalog,
                                                     const std::string& prefix) const {
    std::vector<BlockedBundle> found;
    if (empty()) return found;
    for (const Bundle& bundle : catalog.bundles) {
        const auto is_blocked = [&](std::string_view image) {
            const auto spec = PullSpec::parse(image);
            return spec && has(*spec, mirror_name(*spec), prefix);
        };
        std::string_view image;
        if (is_blocked(bundle.image)) image = bundle.image;
        for (const RelatedImage& related : bundle.related_images)
            if (image.empty() && is_blocked(related.image)) image = related.image;
        if (!image.empty()) found.push_back({&bundle, std::string(image)});
    }
    return found;
}

Catalog with_marks(const Catalog& catalog, const std::vector<BlockedBundle>& blocked) {
    const auto storage = std::make_shared<CatalogStorage>();
    Arena& arena = storage->arenas.emplace_back();
    Catalog marked = catalog;
    marked.storage.push_back(storage);
    std::map<std::string_view, std::vector<DeprecationEntry>> entries; // by package
    for (const BlockedBundle& one : blocked)
        entries[one.bundle->package].push_back(
            {{{schema::bundle, 0}, one.bundle->name},
             {arena.copy(fmt::format("{} is not in this mirror: it is blocked there", one.image)), 0},
             0});
    for (auto& of_package : entries) {
        const std::string_view package = of_package.first;
        std::vector<DeprecationEntry>& more = of_package.second;
        const auto is_of_package = [&](const Deprecations& blob) { return blob.package == package; };
        auto blob = std::find_if(marked.deprecations.begin(), marked.deprecations.end(), is_of_package);
        if (blob == marked.deprecations.end()) {
            blob = marked.deprecations.emplace(blob);
            blob->package = {package, 0};
            blob->has_entries = true;
        }
        std::erase_if(more, [&](const DeprecationEntry& entry) {
            return std::any_of(blob->entries.begin(), blob->entries.end(), [&](const DeprecationEntry& old) {
                return old.schema == schema::bundle && old.name == entry.name;
            });
        });
        more.insert(more.begin(), blob->entries.begin(), blob->entries.end());
        blob->entries = arena.copy(std::span<const DeprecationEntry>(more));
        blob->value = to_value(*blob, arena);
    }
    return marked;
}

} // namespace opcat
