#include "example_repository.hpp"
#include "opcat/policy/changes.hpp"

#include <doctest/doctest.h>

using namespace opcat::policy;

namespace {

std::string errors_of_change(const ExampleRepository& head, const ExampleRepository& base,
                             const std::vector<std::string>& files) {
    const Repository after(head.path());
    const Repository before(base.path());
    std::string lines;
    for (const ChangeError& error : change_errors(changes_of(files, after, before), after, before))
        lines += error.message + "\n";
    return lines;
}

} // namespace

TEST_CASE("a pull request may add one bundle, or change catalogs") {
    const ExampleRepository base;
    const ExampleRepository head;
    head.add_bundle("1.2.0", "shop.v1.1.0");
    const std::string added = "operators/shop/1.2.0/metadata/annotations.yaml";
    CHECK(errors_of_change(head, base, {added, "operators/shop/ci.yaml"}) == "");
    CHECK(errors_of_change(head, base, {"README.md", "operators/nobody/x/y"}) ==
          "The PR affects non-operator files: ['README.md', 'operators/nobody/x/y']\n");
    CHECK(errors_of_change(head, base, {"operators/shop/1.1.0/manifests/new.yaml"}) ==
          "The PR modifies existing bundles: [('shop', '1.1.0')]\n");
    head.add_bundle("1.3.0", "shop.v1.2.0");
    CHECK(errors_of_change(head, base, {added, "operators/shop/1.3.0/x"}) ==
          "The PR affects more than one bundle: [('shop', '1.2.0'), ('shop', '1.3.0')]\n");
    head.write("catalogs/v4.18/shop/catalog.yaml", "schema: olm.package\n");
    CHECK(errors_of_change(head, base, {added, "catalogs/v4.18/shop/catalog.yaml"}) ==
          "The PR affects a bundle ([('shop', '1.2.0')]) and catalog ([('v4.18', 'shop')]) at the same time. "
          "Split operator "
          "and catalog changes into 2 separate pull requests.\n");
}

TEST_CASE("a bundle is deleted only where the operator has catalogs, and none of them has it") {
    const ExampleRepository base;
    const ExampleRepository head;
    std::filesystem::remove_all(head.path() / "operators/shop/1.0.0");
    const std::vector<std::string> files{"operators/shop/1.0.0/metadata/annotations.yaml"};
    CHECK(errors_of_change(head, base, files) == "The PR deletes an existing operator: Operator(shop). This "
                                                 "feature is only allowed for bundles with FBC "
                                                 "enabled.\n");
    base.write("operators/shop/ci.yaml", "fbc: {enabled: true}\n");
    CHECK(errors_of_change(head, base, files) == "");
    head.write("catalogs/v4.18/shop/catalog.yaml", "schema: olm.bundle\nname: shop.v1.0.0\n");
    CHECK(errors_of_change(head, base, files) ==
          "The PR deletes a bundle (shop/1.0.0) that is in use by a catalog (Catalog(v4.18))\n");
    base.write("operators/shop/ci.yaml", "");
    CHECK(errors_of_change(head, base, files) ==
          "Traceback: AttributeError: 'NoneType' object has no attribute 'get'\n");
}
