#include "catalog/finding.hpp"
#include "template/template_file.hpp"

namespace opcat {

LoadedCatalog render_basic(const TemplateFile& file, const LoadBundles& load) {
    LoadedCatalog result;
    static constexpr std::string_view known[] = {"schema", "entries"};
    file.fields(result.diagnostics).refuse_all_but(known, "template", Severity::warning);
    decode_entries(file, result);
    std::vector<BundleReference> references;
    for (const Bundle& bundle : result.catalog.bundles) {
        if (bundle.image.empty() || !bundle.package.empty() || !bundle.properties.empty() ||
            !bundle.related_images.empty())
            result.diagnostics.push_back(
                error("template", bundle.start(),
                      "a bundle in a basic template must have an image, and neither package, properties nor "
                      "relatedImages",
                      "write nothing but schema and image: the rest comes from the bundle"));
        references.push_back({bundle.image, bundle.at(bundle.image)});
    }
    if (has_errors(result.diagnostics)) return result;
    if (auto bundles = load_bundles(references, load, result)) result.catalog.bundles = std::move(*bundles);
    return result;
}

} // namespace opcat
