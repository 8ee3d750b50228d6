// Covers lib/mirror/content.cpp; tests/registry/test_mirroring.py has the rest.
#include "../catalog/catalog_text.hpp"
#include "opcat/base/error.hpp"
#include "opcat/mirror/content.hpp"

#include <doctest/doctest.h>

namespace {

using namespace opcat;

std::string name_in_mirror(std::string reference, std::string image, const ImageSetCatalog* item = nullptr) {
    MirrorPart part;
    part.reference = std::move(reference);
    part.image = std::move(image);
    part.item = item;
    return target_of(part).to_string();
}

} // namespace

TEST_CASE("a catalog in a mirror is called as at home, as its directory, or as its item says") {
    CHECK(name_in_mirror("r.example/org/cat:v1", "r.example/org/cat@sha256:0") == "org/cat:v1");
    CHECK(name_in_mirror("some/cat/", "") == "cat:latest");
    CHECK(name_in_mirror("oci:some/layout", "oci:some/layout") == "layout:latest");
    ImageSetCatalog item;
    item.target_repository = "my/own";
    item.target_tag = "v2";
    CHECK(name_in_mirror("some/cat", "", &item) == "my/own:v2");
    CHECK_THROWS_AS(name_in_mirror("some/Not A Name", ""), RequestError);
}

TEST_CASE("a selection that is not possible names its catalog") {
    ThreadPool pool(1);
    const Catalog catalog =
        load_text("{schema: olm.package, name: foo, defaultChannel: a}\n---\n"
                  "{schema: olm.channel, package: foo, name: a, entries: [{name: foo.v1}]}\n---\n"
                  "{schema: olm.bundle, package: foo, name: foo.v1, image: r.example/foo:v1, properties: "
                  "[{type: olm.package, value: {packageName: foo, version: 1.0.0}}]}\n")
            .catalog;
    MirrorPart part;
    part.reference = "cat";
    const FilteredCatalog whole = select_part(part, catalog, {}, false, pool);
    CHECK(whole.is_whole);
    CHECK(whole.catalog.bundles.size() == 1);
    Selection absent;
    absent.add_package("bar");
    try {
        select_part(part, catalog, absent, false, pool);
        FAIL("nothing was thrown");
    } catch (const RequestError& error) {
        CHECK(std::string(error.what()).starts_with("cannot select from cat: "));
    }

    const BlockedImages blocked({"foo:v1"});
    part.catalog = catalog;
    part.blocked = blocked.bundles_in(part.catalog, {});
    CHECK(part.blocked.size() == 1);
    CHECK(without_blocked(part, pool).report.kept.empty());
}

TEST_CASE("images that are blocked are left out, and named") {
    ImageSet set;
    for (const char* image : {"r.example/a:v1", "r.example/b:v1"})
        set.images.push_back({*PullSpec::parse(image), {}, {}, {}, {}});
    const AllowedImages allowed = allowed_images(set, BlockedImages({"b:v1$"}), {});
    REQUIRE(allowed.images.size() == 1);
    CHECK(allowed.images[0].spec.to_string() == "r.example/a:v1");
    CHECK(allowed.left_out == std::vector<std::string>{"r.example/b:v1"});
}
