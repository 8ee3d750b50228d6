// How an ImageSetConfiguration is read. Covers lib/mirror/image_set.cpp and lib/mirror/blocked.cpp.
#include "../catalog/catalog_text.hpp"
#include "opcat/base/error.hpp"
#include "opcat/mirror/blocked.hpp"
#include "opcat/mirror/image_set.hpp"

#include <doctest/doctest.h>

using namespace opcat;

namespace {

constexpr std::string_view head = "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\n";

// "LINE: MESSAGE [HELP]" of each finding.
std::string findings(const Diagnostics& diagnostics) {
    std::string text;
    for (const Diagnostic& d : diagnostics)
        text += fmt::format("{}{}: {} [{}]", text.empty() ? "" : "; ",
                            d.where.file->position(d.where.offset).line, d.message, d.help);
    return text;
}

// Of a file with these lines below `mirror:`.
std::string mistakes(std::string_view mirror) {
    const SourceFile file("set.yaml", fmt::format("{}mirror:\n{}", head, mirror));
    Diagnostics diagnostics;
    const ImageSet set = read_image_set(file, diagnostics);
    Diagnostics all = diagnostics;
    all.append(set.unsupported);
    return findings(all);
}

std::string mistakes_in_package(std::string_view package) {
    return mistakes(fmt::format("  operators:\n  - catalog: r.example/c:v1\n    packages: {}", package));
}

std::string mistakes_of_file(std::string_view text) {
    const SourceFile file("set.yaml", text);
    Diagnostics diagnostics;
    read_image_set(file, diagnostics);
    return findings(diagnostics);
}

} // namespace

TEST_CASE("every field of an ImageSetConfiguration is read, in any letter case") {
    const SourceFile file("set.yaml", fmt::format(R"({}archiveSize: 4
mirror:
  operators:
  - catalog: r.example/org/index:v4.18
    full: true
    skipDependencies: true
    targetCatalog: my/index
    targetTag: mine
    targetCatalogSourceTemplate: /cs.yaml
    platforms: [{{os: linux, architecture: arm64}}]
    Packages:
    - Name: foo
      DefaultChannel: beta
      channels: [{{name: beta, minVersion: 1.0.0, MaxVersion: "2"}}, {{name: stable}}]
    - name: bar
      minVersion: 3.0.0
  - catalog: oci:///home/index
  - catalog: /home/catalog
  additionalImages:
  - name: r.example/tool:v1
    targetRepo: tools/tool
    targetTag: latest
    platforms: [{{os: linux, architecture: amd64}}]
  blockedImages: [{{name: ".*/debug"}}]
  platform: {{architectures: [amd64]}}
  helm: {{}}
)",
                                                  head));
    Diagnostics diagnostics;
    const ImageSet set = read_image_set(file, diagnostics);
    CHECK(findings(diagnostics).empty());
    CHECK(findings(set.unsupported).empty());
    CHECK(set.archive_size == 4);
    REQUIRE(set.catalogs.size() == 3);
    const ImageSetCatalog& catalog = set.catalogs[0];
    CHECK(catalog.reference == "r.example/org/index:v4.18");
    CHECK(catalog.target_repository == "my/index");
    CHECK(catalog.target_tag == "mine");
    CHECK(catalog.source_template == "/cs.yaml");
    CHECK(catalog.platforms == Platforms{"linux/arm64"});
    CHECK(catalog.request.full);
    REQUIRE(catalog.request.packages.size() == 2);
    const RequestedPackage& foo = catalog.request.packages[0];
    CHECK(foo.name == "foo");
    CHECK(foo.default_channel == "beta");
    REQUIRE(foo.channels.size() == 2);
    CHECK(foo.channels[0].versions.range() == ">=1.0.0 <=2");
    CHECK(catalog.request.packages[1].versions.range() == ">=3.0.0");
    CHECK(set.catalogs[1].reference == "oci:/home/index");
    CHECK(set.catalogs[2].reference == "/home/catalog");
    REQUIRE(set.images.size() == 1);
    CHECK(set.images[0].spec.to_string() == "r.example/tool:v1");
    CHECK(set.images[0].target_repository == "tools/tool");
    CHECK(set.images[0].target_tag == "latest");
    CHECK(set.blocked == std::vector<std::string>{".*/debug"});
}

TEST_CASE("mistakes in packages are errors with their line and help") {
    struct Case {
        std::string_view packages, mistakes;
    };
    const Case cases[] = {
        {"[{name: foo, versions: [a]}]",
         "6: a package has no field \"versions\" [write minVersion and maxVersion]"},
        {"[{name: foo, chanels: []}]", "6: a package has no field \"chanels\" [did you mean channels?]"},
        {"[{name: foo, minBundle: a}]",
         "6: a package has no field \"minBundle\" [oc-mirror v1 has it, and v2 does not: write minVersion]"},
        {"[foo]", "6: mirror.operators[0].packages[0] must be an object, not a string []"},
        {"[{name: foo, channels: stable}]",
         "6: mirror.operators[0].packages[0].channels must be a list, not a string []"},
        {"[{name: foo, minVersion: 1.1}]", "6: mirror.operators[0].packages[0].minVersion must be a string, "
                                           "not a number [write a text in quotes]"},
        {"[{name: foo, minVersion: abc}]",
         "6: minVersion \"abc\" is not a version [write a version such as 1.2.3, without operators]"},
        {"[{name: foo, maxVersion: \">=1.0.0\"}]",
         "6: maxVersion \">=1.0.0\" is not a version [write a version such as 1.2.3, without operators]"},
        {"[{name: foo, channels: [{name: a, maxVersion: 1.0.0.0}]}]",
         "6: maxVersion \"1.0.0.0\" is not a version [write a version such as 1.2.3, without operators]"},
        {"[{name: foo, minVersion: v1.2, channels: [{name: a}]}]", ""},
        {"[{name: foo, minVersion: 1.0.0, channels: [{name: a, maxVersion: 2.0.0}]}]",
         "6: package foo and its channel a both have bounds of versions [write them either at the package, "
         "for all "
         "its channels, or at each channel]"},
        {"[{name: foo}, {name: foo}]", "6: package foo appears twice [put both into one item]"},
        {"[{name: foo, channels: [{name: a}, {name: a}]}]",
         "6: channel a appears twice [put both into one item]"},
        {"[{channels: []}]", "6: the package has no name [write name: and its name]"},
        {"[{name: foo, channels: [{name: \"\"}]}]", "6: the channel has no name [write name: and its name]"},
        {"[{name: foo, name: bar}]", "6: the key \"name\" appears twice [remove one of them]"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.packages);
        CHECK(mistakes_in_package(c.packages) == c.mistakes);
    }
}

TEST_CASE("mistakes elsewhere are errors with their line, and so is what opcat does not support") {
    constexpr std::string_view elsewhere =
        "[mirror it with oc-mirror from a file of its own, and remove it from this one]";
    struct Case {
        std::string_view mirror;
        std::string mistakes;
    };
    const Case cases[] = {
        {"  operators: [{catalog: r.example/c}]", "4: r.example/c has neither a tag nor a digest [add one; a "
                                                  "directory is written as ./DIR or /DIR, a layout "
                                                  "as oci:///DIR]"},
        {"  operators: [{catalog: \"\"}]", "4: catalog is missing [write the name of an image]"},
        {"  operators: [{full: true}]", "4: catalog is missing [write the name of an image]"},
        {"  operators: [{catalog: \"r.example/C:v1\"}]",
         "4: \"r.example/C:v1\" is not a pull spec: invalid reference format: repository name must be "
         "lowercase [write "
         "REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@sha256:…]"},
        {"  operators: [{catalog: r.example/c:v1, targetName: x}]",
         "4: an item of operators has no field \"targetName\" [oc-mirror v1 has it, and v2 does not: write "
         "targetCatalog]"},
        {"  operators: [{catalog: r.example/c:v1, full: \"yes\"}]",
         "4: mirror.operators[0].full must be true or false, not a string []"},
        {"  operators: [{catalog: r.example/c:v1, targetCatalog: My/Index}]",
         "4: targetCatalog \"My/Index\" is not a path in a registry [write components of a-z, 0-9, '.', '_' "
         "and "
         "'-', separated by '/', without a tag]"},
        {"  operators: [{catalog: r.example/c:v1, targetCatalog: /x}]",
         "4: targetCatalog \"/x\" is not a path in a registry [write components of a-z, 0-9, '.', '_' and "
         "'-', separated by '/', without a tag]"},
        {"  operators: [{catalog: r.example/c:v1, targetTag: \"a b\"}]",
         "4: targetTag \"a b\" is not a tag []"},
        {"  operators: [{catalog: r.example/c:v1}, {catalog: r.example/c:v1}]",
         "4: the catalog r.example/c:v1 appears twice [put its packages into one item, or write another "
         "targetCatalog or targetTag]"},
        {"  operators: [{catalog: r.example/c:v1}, {catalog: r.example/c:v2, targetTag: v1}]",
         "4: the catalog r.example/c:v2 appears twice [put its packages into one item, or write another "
         "targetCatalog or targetTag]"},
        {"  operators: [{catalog: r.example/c:v1}, {catalog: r.example/c:v1, targetTag: v2}]", ""},
        {"  operators: [{catalog: r.example/c:v1, platforms: [{os: linux}]}]",
         "4: a platform needs os and architecture [write {os: linux, architecture: amd64}]"},
        {"  additionalImages: [{name: r.example/a}]",
         "4: r.example/a has neither a tag nor a digest [add one; a directory is written as ./DIR or /DIR, a "
         "layout "
         "as oci:///DIR]"},
        {"  blockedImages: [{name: \"a(\"}]", "4: \"a(\" is not a regular expression: missing ): a( [escape "
                                              "characters that are meant literally with "
                                              "'\\']"},
        {"  samples: [{name: a}]", "4: samples have no effect, as in oc-mirror [remove them]"},
        {"  platform: {architectures: [amd64], platforms: [{os: linux, architecture: amd64}]}",
         "4: platform has both architectures and platforms [write only platforms]"},
        {"  platform: {channels: [{name: stable-4.18, type: ocp, full: true, minVersion: 4.18.1}]}", ""},
        {"  platform: {channels: [{name: a-4.1}, {name: a-4.1}]}",
         "4: release channel a-4.1 appears twice [put both into one item]"},
        {"  platform: {channels: [{}]}", "4: a channel of platform has no name [write name: stable-4.16]"},
        {"  platform: {channels: [{name: a-4.1, minVersion: \"4.1\"}]}",
         "4: minVersion \"4.1\" is not a version [write all three numbers, such as 4.16.3]"},
        {"  platform: {channels: [{name: a-4.1, minVersion: 4.1.2, maxVersion: 4.1.1}]}",
         "4: minVersion of a-4.1 is newer than maxVersion []"},
        {"  platform: {architectures: [x86]}",
         "4: \"x86\" is not an architecture of releases [they are amd64, "
         "arm64, ppc64le, s390x and multi]"},
        {"  platform: {platforms: [{os: linux}]}",
         "4: a platform needs os and architecture [write {os: linux, architecture: amd64}]"},
        {"  platform: {release: /releases/4.18}",
         "4: release \"/releases/4.18\" is not an image with a tag or a digest [opcat takes releases from "
         "registries only: write REGISTRY/REPOSITORY:TAG or …@sha256:…]"},
        {"  platform: {graph: true}", ""},
        {"  platform: {kubeVirtContainer: true}", "4: not supported by opcat: kubeVirtContainer (the image "
                                                  "that machines of KubeVirt boot from) [remove it, "
                                                  "and name the image below mirror.additionalImages]"},
        {"  helm: {local: [{name: a, path: b}]}",
         fmt::format("4: not supported by opcat: helm (charts, and the images that they name) {}",
                     elsewhere)},
    };
    for (const Case& c : cases) {
        CAPTURE(c.mirror);
        CHECK(mistakes(c.mirror) == c.mistakes);
    }
}

TEST_CASE("a file that is not an ImageSetConfiguration is refused") {
    struct Case {
        std::string_view text, mistakes;
    };
    const Case cases[] = {
        {"", "1: the file is empty: it must hold an ImageSetConfiguration []"},
        {"- a\n", "1: the file must hold an ImageSetConfiguration, not a list []"},
        {"mirror: {}\n", "1: kind is missing [write kind: ImageSetConfiguration]"},
        {"kind: ConfigMap\nmirror: {}\n",
         "1: this is not an ImageSetConfiguration [write kind: ImageSetConfiguration]"},
        {"kind: ImageSetConfiguration\n", "1: mirror is missing [write what to mirror below mirror:]"},
        {"kind: ImageSetConfiguration\nMirror: {}\n",
         "1: mirror is missing [write what to mirror below mirror:]"},
        {"kind: ImageSetConfiguration\nmirror: {}\n", ""},
        {"kind: ImageSetConfiguration\nmirror: {}\nkind: a\n",
         "3: the key \"kind\" appears twice [remove one of them]"},
        {"kind: ImageSetConfiguration\nmirror: {}\n---\na: b\n",
         "4: this document is ignored: an ImageSetConfiguration is the first one of its file [write it to a "
         "file of "
         "its own]"},
        {"kind: ImageSetConfiguration\nmirror: {}\nstorageConfig: {}\n",
         "3: the ImageSetConfiguration has no field \"storageConfig\" [oc-mirror v1 has it, and v2 does not: "
         "remove "
         "it, opcat keeps its record in the mirror]"},
        {"kind: ImageSetConfiguration\nmirror: {}\narchiveSize: \"4\"\n",
         "3: archiveSize must be a 64-bit integer, which \"4\" is not []"},
        {"kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v1alpha2\nmirror: {}\n",
         "2: mirror.openshift.io/v1alpha2 is read by the rules of oc-mirror v2 [a package without versions "
         "is then "
         "the heads of all its channels]"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(mistakes_of_file(c.text) == c.mistakes);
    }
}

TEST_CASE("an image is blocked by its name at home or in the mirror, wherever the expression is found") {
    struct Case {
        std::string_view expression;
        bool blocked;
    };
    const Case cases[] = {
        {"r.example/org/foo:v1", true}, {"^r.example", true}, {"foo", true},       {"^foo", false},
        {"mirror.example/", true},      {"docker://", false}, {"org/foo@", false}, {"foo:v[0-9]$", true}};
    const PullSpec spec = required(PullSpec::parse("r.example/org/foo:v1"));
    for (const Case& c : cases) {
        CAPTURE(c.expression);
        const BlockedImages blocked({std::string(c.expression)});
        CHECK(blocked.has(spec, mirror_name(spec), "mirror.example/all") == c.blocked);
    }
    CHECK_FALSE(BlockedImages({}).has(spec, mirror_name(spec), ""));
}

TEST_CASE("bundles with a blocked image are found, and marked as deprecated") {
    const LoadedCatalog loaded = load_text(
        package() + channel("{name: a}") +
        with_image("r.example/bundle:v1", ", relatedImages: [{name: x, image: \"r.example/debug:v1\"}]"));
    const BlockedImages blocked({"debug"});
    const auto bundles = blocked.bundles_in(loaded.catalog, "");
    REQUIRE(bundles.size() == 1);
    CHECK(bundles[0].image == "r.example/debug:v1");
    const Catalog marked = with_marks(with_marks(loaded.catalog, bundles), bundles);
    REQUIRE(marked.deprecations.size() == 1);
    REQUIRE(marked.deprecations[0].entries.size() == 1);
    CHECK(marked.deprecations[0].entries[0].name == "a");
    ThreadPool pool(1);
    CHECK(written(marked, Format::json, pool)
              .find("r.example/debug:v1 is not in this mirror: it is blocked there") != std::string::npos);
}

TEST_CASE("a DeleteImageSetConfiguration is read for a removal, and has delete in place of mirror") {
    const std::string_view start =
        "kind: DeleteImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\n";
    const std::string_view content =
        "  operators:\n  - catalog: r.example/c:v1\n    packages: [{name: foo, "
        "minVersion: 1.0.0}]\n  additionalImages: [{name: \"r.example/a:v1\"}]\n";
    const auto read = [](const std::string& text, ImageSetUse use) {
        const SourceFile file("set.yaml", text);
        Diagnostics diagnostics;
        const ImageSet set = read_image_set(file, diagnostics, use);
        return std::pair(set.catalogs.size() + set.images.size(), findings(diagnostics));
    };
    const std::string good = fmt::format("{}delete:\n{}", start, content);
    CHECK(read(good, ImageSetUse::removal) == std::pair(size_t{2}, std::string()));
    CHECK(read(fmt::format("{}mirror:\n{}", head, content), ImageSetUse::removal) ==
          std::pair(size_t{2}, std::string()));
    struct Case {
        std::string text;
        ImageSetUse use;
        std::string_view mistakes;
    };
    for (const Case& c : std::vector<Case>{
             {good, ImageSetUse::mirror,
              "1: this is not an ImageSetConfiguration [opcat mirror delete takes it]"},
             {fmt::format("{}mirror:\n{}", start, content), ImageSetUse::removal,
              "4: mirror is a field of the kind ImageSetConfiguration [write delete, or another kind]"},
             {fmt::format("{}delete:\n{}", head, content), ImageSetUse::removal,
              "4: delete is a field of the kind DeleteImageSetConfiguration [write mirror, or another kind]"},
             {std::string(start), ImageSetUse::removal,
              "1: delete is missing [write what to remove below delete:]"},
             {fmt::format("{}archiveSize: 4\ndelete: {{}}\n", start), ImageSetUse::removal,
              "3: the DeleteImageSetConfiguration has no field \"archiveSize\" [it has kind, apiVersion and "
              "delete]"},
             {fmt::format("{}delete: {{blockedImages: []}}\n", start), ImageSetUse::removal,
              "3: delete has no field \"blockedImages\" [it has platform, operators, additionalImages, helm "
              "and "
              "samples]"}}) {
        CAPTURE(c.text);
        CHECK(read(c.text, c.use).second == c.mistakes);
    }
}
