#include "opcat/base/error.hpp"
#include "opcat/workspace/template_set.hpp"

#include <doctest/doctest.h>

using namespace opcat;

namespace {

constexpr const char* bundle = OPCAT_TESTDATA "/bundles/widgets";

std::unique_ptr<SourceFile> template_with(const std::string& name, const std::string& image) {
    return std::make_unique<SourceFile>(
        name, "schema: olm.template.basic\nentries:\n- schema: olm.bundle\n  image: " + image + "\n");
}

} // namespace

TEST_CASE("templates that are rendered together share their bundles") {
    ThreadPool pool(1);
    TemplateSet set({}, {OPCAT_TESTDATA "/bundles"}, pool);
    set.add("a.yaml", template_with("a.yaml", bundle), TemplateKind::basic);
    set.add("b.yaml", template_with("b.yaml", bundle), {});
    set.open_bundles();
    for (const char* path : {"a.yaml", "b.yaml", "a.yaml"}) {
        const LoadedCatalog rendered = set.render(path);
        CHECK(rendered.diagnostics.empty());
        REQUIRE(rendered.catalog.bundles.size() == 1);
        CHECK(rendered.catalog.bundles[0].name == "widgets.v1.2.0");
    }
}

TEST_CASE("a template that names a bundle elsewhere is refused, and named") {
    ThreadPool pool(1);
    TemplateSet set({}, {}, pool);
    try {
        set.add("a.yaml", template_with("a.yaml", bundle), {});
        FAIL("nothing was thrown");
    } catch (const RequestError& error) {
        CHECK(std::string(error.what()).ends_with("(the template a.yaml names it)"));
    }
}
