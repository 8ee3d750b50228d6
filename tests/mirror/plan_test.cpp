#include "../catalog/catalog_text.hpp"
#include "opcat/base/error.hpp"
#include "opcat/mirror/plan.hpp"

#include <doctest/doctest.h>

using namespace opcat;

namespace {

const std::string digest_one = "sha256:" + std::string(64, '1');
const std::string digest_two = "sha256:" + std::string(64, '2');

// The images of catalogs, each with bundles of these images: "SOURCES -> TARGET (BUNDLES)".
std::vector<std::string> planned(const std::vector<std::vector<std::string>>& catalogs) {
    MirrorPlan plan;
    for (size_t i = 0; i < catalogs.size(); ++i) {
        std::string text;
        for (size_t n = 0; n < catalogs[i].size(); ++n)
            text +=
                fmt::format("---\n{{schema: olm.bundle, package: foo, name: b{}, image: \"{}\", properties: "
                            "[{{type: olm.package, value: {{packageName: foo, version: 1.0.{}}}}}]}}\n",
                            n, catalogs[i][n], n);
        plan.add(load_text(text).catalog, fmt::format("catalog-{}", i));
    }
    std::vector<std::string> images;
    for (const UnusableImage& image : plan.unusable())
        images.push_back(fmt::format("{} ({}): {} [{}]", image.image, image.bundles.front(), image.why.what(),
                                     image.why.hint()));
    for (const MirrorImage& image : plan.images()) {
        std::string line;
        for (const PullSpec& source : image.sources) line += source.to_string() + " ";
        line += "-> " + image.target.to_string() + " (";
        for (const std::string& bundle : image.bundles) line += (line.back() == '(' ? "" : ", ") + bundle;
        images.push_back(line + ")");
    }
    return images;
}

} // namespace

TEST_CASE("an image has its own path and tag in the mirror, and what has only a digest a tag of that") {
    CHECK(planned({{"a.example/org/x:v1", "a.example/org/y@" + digest_one, "a.example/org/z"}}) ==
          std::vector<std::string>{"a.example/org/x:v1 -> org/x:v1 (b0)",
                                   "a.example/org/y@" + digest_one + " -> org/y:sha256-" +
                                       std::string(64, '1') + " (b1)",
                                   "a.example/org/z:latest -> org/z:latest (b2)"});
}

TEST_CASE("two names of the same content are one image") {
    CHECK(planned({{"a.example/org/x:v1@" + digest_one}, {"b.example/org/x:v1@" + digest_one}}) ==
          std::vector<std::string>{"a.example/org/x:v1@" + digest_one + " b.example/org/x:v1@" + digest_one +
                                   " -> org/x:v1 (b0)"});
}

TEST_CASE("images with the same name and different content get different tags, or are refused") {
    CHECK(planned({{"a.example/org/x:v1@" + digest_one, "b.example/org/x:v1@" + digest_two}}) ==
          std::vector<std::string>{"b.example/org/x:v1@" + digest_two + " -> org/x:sha256-" +
                                       std::string(64, '2') + " (b1)",
                                   "a.example/org/x:v1@" + digest_one + " -> org/x:v1 (b0)"});
    CHECK(planned({{"a.example/org/x:v1"}, {"b.example/org/x:v1"}}) ==
          std::vector<std::string>{
              "b.example/org/x:v1 (b0): a.example/org/x:v1 and b.example/org/x:v1 would both be "
              "org/x:v1 in the mirror [mirror their catalogs below different prefixes]",
              "a.example/org/x:v1 -> org/x:v1 (b0)"});
}

TEST_CASE("an image that cannot be pulled from anywhere is unusable, with the bundle that names it") {
    const std::vector<std::string> lines = planned({{"UPPER.example/X Y", "a_b.c/x:v1"}});
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].starts_with(
        "UPPER.example/X Y (b0): bundle b0 names the image \"UPPER.example/X Y\", which is "
        "not a pull spec: invalid reference format"));
    CHECK(lines[1] ==
          "a_b.c/x:v1 (b1): bundle b1 names the image \"a_b.c/x:v1\", which is not a pull spec: it has no "
          "registry []");
}
