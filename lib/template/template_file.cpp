#include "template/template_file.hpp"

#include "base/text.hpp"
#include "catalog/decode.hpp"
#include "catalog/finding.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace opcat {

std::optional<std::vector<Bundle>> load_bundles(std::span<const BundleReference> references,
                                                const LoadBundles& load, LoadedCatalog& loaded) {
    std::vector<std::string> names;
    std::vector<Location> places;
    std::unordered_map<std::string_view, size_t> index;
    for (const BundleReference& reference : references) {
        if (!index.emplace(reference.text, names.size()).second) continue;
        names.emplace_back(reference.text);
        places.push_back(reference.where);
    }
    std::vector<LoadedCatalog> catalogs = load(names);
    std::vector<Bundle> bundles;
    for (size_t i = 0; i < catalogs.size(); ++i) {
        LoadedCatalog& one = catalogs[i];
        const bool failed = has_errors(one.diagnostics);
        std::move(one.diagnostics.begin(), one.diagnostics.end(), std::back_inserter(loaded.diagnostics));
        std::move(one.catalog.storage.begin(), one.catalog.storage.end(),
                  std::back_inserter(loaded.catalog.storage));
        const size_t count = one.catalog.bundles.size();
        if (!failed && count != 1)
            loaded.diagnostics.push_back(
                error("template", places[i],
                      fmt::format("{} holds {}, where a template needs exactly one", names[i],
                                  count == 0 ? "no bundle" : counted(count, "bundle"))));
        bundles.push_back(count == 1 ? one.catalog.bundles.front() : Bundle{});
    }
    if (has_errors(loaded.diagnostics)) return std::nullopt;
    std::vector<Bundle> result;
    for (const BundleReference& reference : references) result.push_back(bundles[index[reference.text]]);
    return result;
}

void decode_entries(const TemplateFile& file, LoadedCatalog& loaded) {
    const Value* const entries = file.fields(loaded.diagnostics).array("entries");
    if (!entries) return;
    for (const Value& entry : entries->items())
        decode_blob(file.file(), entry, file.arena(), loaded.catalog, loaded.diagnostics);
}

} // namespace opcat
