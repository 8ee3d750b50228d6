// Covers lib/mirror/release_images.cpp; tests/registry/test_releases.py has the rest.
#include "opcat/base/error.hpp"
#include "opcat/mirror/release_images.hpp"

#include <doctest/doctest.h>

using namespace opcat;

namespace {

const std::string digest_of_release = "sha256:" + std::string(64, 'a');

// The names of all images in the mirror, after a release with two components was added.
std::vector<std::string> names_with(ReleaseNames names, const std::string& component = "cli") {
    const std::vector<SelectedRelease> releases{
        {"r.example/release@" + digest_of_release, "4.16.1", "x86_64"}};
    ReleaseContent content;
    content.components = {{"api", "r.example/parts:api"}, {component, "r.example/parts:cli"}};
    ImageSet set;
    const std::vector<ReleaseContent> contents{content};
    const size_t count =
        add_whole_releases(set, releases, images_of_releases(set, releases), contents, names);
    CHECK(count == 3);
    CHECK(release_repositories(set).size() == 1);
    std::vector<std::string> all;
    for (const ImageSetImage& image : set.images) all.push_back(image.target().to_string());
    return all;
}

} // namespace

TEST_CASE("images of releases have their names at home, or those of oc-mirror") {
    CHECK(names_with(ReleaseNames::as_at_home) ==
          std::vector<std::string>{"release:sha256-" + std::string(64, 'a'), "parts:api", "parts:cli"});
    CHECK(names_with(ReleaseNames::as_oc_mirror) ==
          std::vector<std::string>{"openshift/release-images:4.16.1-x86_64",
                                   "openshift/release:4.16.1-x86_64-api",
                                   "openshift/release:4.16.1-x86_64-cli"});
    CHECK_THROWS_AS(names_with(ReleaseNames::as_oc_mirror, "not a tag"), Error);
}

TEST_CASE("the image of an update service is for the architectures of the releases") {
    ImageSet set;
    set.releases.architectures = {"amd64", "arm64"};
    const GraphImage graph = graph_image_of(set, "graph.tar.gz", "");
    CHECK(graph.base == usual_graph_base);
    CHECK(graph.platforms == Platforms{"linux/amd64", "linux/arm64"});
    CHECK(graph.releases.empty());
    set.releases.architectures = {"multi"};
    CHECK(graph_image_of(set, "graph.tar.gz", "r.example/base:v1").platforms.empty());
}
