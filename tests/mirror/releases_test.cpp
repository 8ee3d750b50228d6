// Covers lib/mirror/releases.cpp, lib/mirror/release_request.cpp and lib/mirror/update_graph.cpp.
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/mirror/releases.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

using namespace opcat;

namespace {

// "a-4.1" has 4.1.0 > 4.1.1 > 4.1.3, 4.1.0 > 4.1.2 > 4.1.3, and 4.1.4, to which nothing leads.
const std::map<std::string, std::string> graphs{
    {"a-4.1", R"({"nodes": [
        {"version": "4.1.3", "payload": "r.example/r:4.1.3"}, {"version": "4.1.0", "payload": "r.example/r:4.1.0"},
        {"version": "4.1.1", "payload": "r.example/r:4.1.1"}, {"version": "4.1.2", "payload": "r.example/r:4.1.2"},
        {"version": "4.1.0-rc.1", "payload": "r.example/r:4.1.0-rc.1"},
        {"version": "4.1.9", "payload": "r.example/r:4.1.9", "metadata": {"io.openshift.upgrades.graph.release.channels": "b-4.1,c-4.1"}}],
        "edges": [[1, 2], [2, 0], [1, 3], [3, 0], [5, 0], [4, 1]]})"},
    {"a-4.2", R"({"nodes": [
        {"version": "4.1.3", "payload": "r.example/r:4.1.3"}, {"version": "4.2.1", "payload": "r.example/r:4.2.1"},
        {"version": "4.2.2", "payload": "r.example/r:4.2.2"}, {"version": "4.2.3", "payload": "r.example/r:4.2.3"}],
        "edges": [[0, 1], [1, 2], [1, 3]]})"},
    {"a-4.3", R"({"nodes": [
        {"version": "4.2.3", "payload": "r.example/r:4.2.3"}, {"version": "4.3.0", "payload": "r.example/r:4.3.0"},
        {"version": "4.3.1", "payload": "r.example/r:4.3.1"}], "edges": [[0, 1], [1, 2]]})"},
    {"a-4.4", R"({"nodes": [{"version": "4.4.0", "payload": "r.example/r:4.4.0"}], "edges": []})"}};

// The versions that are selected, or the error; and then the warnings.
std::string selected(const std::vector<ReleaseChannel>& channels) {
    std::map<std::string, UpdateGraph> known;
    const GetUpdateGraph get = [&](const std::string&, const std::string& channel) -> const UpdateGraph& {
        return known.emplace(channel, UpdateGraph::parse(graphs.at(channel), channel)).first->second;
    };
    ReleaseRequest request;
    request.channels = channels;
    request.architectures = {"amd64"};
    try {
        const SelectedReleases found = select_releases(request, get);
        std::string text;
        for (const SelectedRelease& release : found.releases) {
            CHECK(release.image == "r.example/r:" + release.version);
            CHECK(release.architecture == "amd64");
            text += (text.empty() ? "" : " ") + release.version;
        }
        for (const std::string& warning : found.warnings) text += "; " + warning;
        return text;
    } catch (const Error& error) {
        return error.what();
    }
}

ReleaseChannel release_channel(const std::string& name, const char* least = "", const char* most = "",
                               bool shortest = false, bool full = false) {
    ReleaseChannel made{name, false, {}, {}, shortest, full};
    if (*least) made.least = *semver::Version::parse(least);
    if (*most) made.most = *semver::Version::parse(most);
    return made;
}

} // namespace

TEST_CASE("a channel gives its newest release, a range, a path or all") {
    CHECK(selected({release_channel("a-4.1")}) == "4.1.3");
    CHECK(selected({release_channel("a-4.1", "4.1.1")}) == "4.1.1 4.1.2 4.1.3");
    CHECK(selected({release_channel("a-4.1", "", "4.1.1")}) == "4.1.0 4.1.0-rc.1 4.1.1");
    CHECK(selected({release_channel("a-4.1", "4.1.0", "4.1.2")}) == "4.1.0 4.1.1 4.1.2");
    CHECK(selected({release_channel("a-4.1", "", "", false, true)}) == "4.1.0 4.1.0-rc.1 4.1.1 4.1.2 4.1.3");
    CHECK(selected({release_channel("a-4.1", "4.1.0", "4.1.3", true)}) == "4.1.0 4.1.2 4.1.3");
    CHECK(selected({release_channel("a-4.1", "4.1.5")}) ==
          "no release is selected: the channel a-4.1 has no release for amd64 from 4.1.5 to 4.1.3: nothing "
          "of it is mirrored");
    CHECK(selected({release_channel("a-4.3", "4.3.1", "4.3.1"), release_channel("a-4.1", "4.9.0")}) ==
          "4.3.1; the channel a-4.1 has no release for amd64 from 4.9.0 to 4.1.3: nothing of it is mirrored");
    CHECK(selected({release_channel("a-4.1", "4.1.7", "4.1.3", true)}) ==
          "the channel a-4.1 has no release 4.1.7 for amd64");
    CHECK(selected({release_channel("a-4.2", "4.2.2", "4.2.3", true)}) ==
          "4.2.2 4.2.3; no updates lead from 4.2.2 to 4.2.3 in a-4.2 for amd64: only these two are mirrored");
}

TEST_CASE("between channels, the way from the oldest release to the newest is mirrored, too") {
    CHECK(selected({release_channel("a-4.1", "4.1.2", "4.1.2"),
                    release_channel("a-4.3", "4.3.1", "4.3.1")}) == "4.1.2 4.1.3 4.2.1 4.2.3 4.3.0 4.3.1");
    CHECK(
        selected({release_channel("a-4.2", "4.2.2", "4.2.2"), release_channel("a-4.3", "4.3.0", "4.3.0")}) ==
        "4.2.2 4.2.3 4.3.0; no updates lead from 4.2.2 to 4.2.3 in a-4.2 for amd64");
    CHECK(selected({release_channel("a-4.3", "4.3.1", "4.3.1"), release_channel("a-4.4")}) ==
          "4.3.1 4.4.0; the channel a-4.4 has no release 4.3.1 for amd64, so no updates lead on from there");
    ReleaseChannel okd = release_channel("a-4.4");
    okd.is_okd = true;
    CHECK(selected({release_channel("a-4.1"), okd}) == "4.1.3 4.4.0");
}

TEST_CASE("what is not an update graph is refused") {
    for (const char* const bad :
         {"", "[]", "{}", R"({"nodes": 1})", R"({"nodes": [1]})",
          R"({"nodes": [{"version": "4.1", "payload": "a"}]})", R"({"nodes": [{"version": "4.1.0"}]})",
          R"({"nodes": [], "edges": [[0, 0]]})",
          R"({"nodes": [{"version": "4.1.0", "payload": "a"}], "edges": [[0]]})",
          R"({"nodes": [{"version": "4.1.0", "payload": "a"}], "edges": [[0, -1]]})"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(UpdateGraph::parse(bad, "a-4.1"), Error);
    }
}

TEST_CASE("graphs are in a directory, by architecture and channel, or in one file") {
    const TemporaryDirectory directory("/tmp");
    write_file(directory.path() / "arm64-a-4.1.json", graphs.at("a-4.1"));
    UpdateGraphs in_directory(directory.path().string(), {});
    CHECK(in_directory.get("arm64", "a-4.1").releases.size() == 5);
    CHECK_THROWS_WITH_AS(in_directory.get("amd64", "a-4.1"),
                         doctest::Contains("amd64-a-4.1.json does not exist"), Error);
    CHECK_FALSE(in_directory.get("arm64", "a-4.1").is_assumed);
    UpdateGraphs in_file((directory.path() / "arm64-a-4.1.json").string(), {});
    CHECK(in_file.get("amd64", "c-4.1").releases.size() == 6);
    CHECK_FALSE(in_file.get("amd64", "c-4.1").is_assumed);
    write_file(directory.path() / "one.json",
               R"({"nodes": [{"version": "4.1.0", "payload": "a",
                   "metadata": {"io.openshift.upgrades.graph.release.channels": "a-4.1"}}]})");
    UpdateGraphs of_one_channel((directory.path() / "one.json").string(), {});
    CHECK_THROWS_WITH_AS(of_one_channel.get("amd64", "a-4.2"),
                         doctest::Contains("it has no release of the channel"), Error);
}

TEST_CASE("a channel that nothing names is said to be assumed") {
    const TemporaryDirectory directory("/tmp");
    write_file(directory.path() / "one.json", graphs.at("a-4.2"));
    UpdateGraphs one((directory.path() / "one.json").string(), {});
    ReleaseRequest request;
    request.channels = {release_channel("slip-4.9")};
    request.architectures = {"amd64"};
    const SelectedReleases found = select_releases(
        request, [&](const std::string& architecture, const std::string& channel) -> const UpdateGraph& {
            return one.get(architecture, channel);
        });
    REQUIRE(found.releases.size() == 1);
    CHECK(found.releases[0].image == "r.example/r:4.2.3");
    CHECK(found.warnings ==
          std::vector<std::string>{"no release of the update graph names the channel slip-4.9: it is assumed "
                                   "that all of them belong to it"});
}

TEST_CASE("what a release consists of") {
    const ReleaseContent content =
        ReleaseContent::parse(R"({"kind": "ImageStream", "metadata": {"name": "4.16.1"}, "spec": {"tags": [
              {"name": "b", "from": {"kind": "DockerImage", "name": "r.example/b@sha256:1"}},
              {"name": "a", "from": {"name": "r.example/a@sha256:2"}},
              {"name": "c", "from": {"name": "r.example/a@sha256:2"}}]}})");
    CHECK(content.version == "4.16.1");
    CHECK(content.components == std::map<std::string, std::string>{{"a", "r.example/a@sha256:2"},
                                                                   {"b", "r.example/b@sha256:1"},
                                                                   {"c", "r.example/a@sha256:2"}});
    CHECK(ReleaseContent::parse(R"({"spec": {"tags": []}})").version.empty());
    for (const char* const bad : {"", "{}", R"({"spec": {"tags": 1}})", R"({"spec": {"tags": [{}]}})",
                                  R"({"spec": {"tags": [{"name": "a", "from": {"name": 1}}]}})",
                                  R"({"spec": {"tags": [{"from": {"name": "r.example/a@sha256:2"}}]}})"})
        CHECK_THROWS_AS(ReleaseContent::parse(bad), Error);
}

TEST_CASE("names of releases as oc-mirror has them") {
    for (const auto& [architecture, tag] :
         {std::pair("amd64", "4.16.1-x86_64"), {"arm64", "4.16.1-aarch64"}, {"s390x", "4.16.1-s390x"}}) {
        const MirrorName release = release_name_of_oc_mirror("4.16.1", architecture);
        CHECK(release == MirrorName{"openshift/release-images", tag});
        CHECK(component_name_of_oc_mirror(release, "etcd") ==
              MirrorName{"openshift/release", std::string(tag) + "-etcd"});
    }
}
