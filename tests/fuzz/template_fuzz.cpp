// Templates of all kinds; each bundle that they name exists.
#include "../load_text.hpp"
#include "fuzzing.hpp"
#include "opcat/base/error.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/template/template.hpp"

#include <fmt/core.h>

using namespace opcat;

namespace {

// The bundle of an image: its version is the tag, if that is one.
LoadedCatalog bundle_of(const std::string& reference) {
    const std::string version = reference.substr(reference.rfind(':') + 1);
    return load_text(fmt::format(
        "schema: olm.bundle\npackage: foo\nname: foo.v{0}\nimage: registry.example/foo\nproperties:\n"
        "- type: olm.package\n  value: {{packageName: foo, version: \"{0}\"}}\n",
        version));
}

} // namespace

FUZZ_TARGET(template) {
    static ThreadPool pool(1);
    const LoadBundles load = [](std::span<const std::string> references) {
        std::vector<LoadedCatalog> bundles;
        for (const std::string& reference : references) bundles.push_back(bundle_of(reference));
        return bundles;
    };
    for (const auto kind : {std::optional<TemplateKind>(), std::optional(TemplateKind::basic),
                            std::optional(TemplateKind::semver), std::optional(TemplateKind::substitutes)}) {
        try {
            const LoadedCatalog rendered =
                render_template(std::make_unique<SourceFile>("template", input), kind, load, pool);
            if (!rendered.diagnostics.empty()) continue;
            write_catalog(rendered.catalog, Format::json, pool, [](std::string_view, std::string_view) {});
        } catch (const Error& error) {
            fuzz::require(*error.what() != '\0', "there is a reason");
        }
    }
}
