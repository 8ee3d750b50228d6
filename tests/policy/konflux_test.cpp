// Covers lib/policy/validate_fbc.cpp and lib/policy/pruning.cpp.
#include "../load_text.hpp"
#include "opcat/policy/konflux.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace opcat;
using namespace opcat::policy;

namespace {

constexpr std::string_view digest =
    "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

std::string bundle_blob(std::string_view version, std::string_view properties,
                        const std::string& image = std::string("registry.redhat.io/x/y").append(digest)) {
    return fmt::format(
        "---\nschema: olm.bundle\nname: shop.v{0}\npackage: shop\nimage: {1}\nproperties:\n- {{type: "
        "olm.package, value: {{packageName: shop, version: {0}}}}}\n{2}",
        version, image, properties);
}

constexpr std::string_view package_blob = "schema: olm.package\nname: shop\ndefaultChannel: "
                                          "stable\n---\nschema: olm.channel\npackage: shop\nname: stable\n"
                                          "entries: [{name: shop.v1.0.0}]\n";
constexpr std::string_view metadata = "- {type: olm.csv.metadata, value: {displayName: Shop}}\n";
constexpr std::string_view object = "- {type: olm.bundle.object, value: {data: e30=}}\n";

std::string said_of(const TaskVerdict& verdict) {
    std::string lines(to_string(verdict.result));
    for (const TaskMessage& message : verdict.messages)
        lines += "\n" + message.text.substr(0, message.text.find('\n'));
    return lines;
}

TaskVerdict verdict_of(const std::string& text, std::string_view openshift = "v4.18") {
    ThreadPool pool(1);
    const Source source("f", load_text(text));
    return validate_fbc({source, {}, std::string(openshift)}, pool);
}

std::string channels(std::string_view text) {
    return fmt::format("schema: olm.channel\npackage: shop\n{}", text);
}

std::string pruned(const std::string& fragment, const std::string& index, size_t notes = 0) {
    const TaskVerdict verdict =
        check_pruning(Source("f", load_text(fragment)), Source("i", load_text(index)));
    CHECK(verdict.notes.size() == notes);
    return said_of(verdict);
}

} // namespace

TEST_CASE("validate-fbc asks for the metadata of the version") {
    const std::string head(package_blob);
    CHECK(said_of(verdict_of(head + bundle_blob("1.0.0", metadata))) == "SUCCESS");
    CHECK(said_of(verdict_of(head + bundle_blob("1.0.0", object), "4.16")) == "SUCCESS");
    CHECK(said_of(verdict_of(head + bundle_blob("1.0.0", object))) ==
          "FAILURE\n!FAILURE! - olm.bundle.object bundle properties are not permitted in a FBC fragment for "
          "OCP version 4.18. "
          "Fragments must move to olm.csv.metadata bundle metadata.\n!FAILURE! - every olm.bundle object in "
          "the fragment must "
          "have a corresponding olm.csv.metadata bundle property");
    CHECK(said_of(verdict_of(head + bundle_blob("1.0.0", metadata), "v4.16.3-x")) ==
          "FAILURE\n!FAILURE! - olm.csv.metadata bundle properties are not permitted in a FBC fragment for "
          "OCP version 4.16. "
          "Fragments must only use olm.bundle.object bundle metadata.\n!FAILURE! - every olm.bundle object "
          "in the fragment "
          "must have at least one olm.bundle.object bundle property");
    CHECK(said_of(verdict_of(head + bundle_blob("1.0.0", metadata), "latest")) ==
          "SUCCESS\n!WARNING! - unable to assess bundle metadata alignment with OCP version because we "
          "cannot parse OCP "
          "version from the base image latest");
    CHECK(said_of(verdict_of(head + bundle_blob("1.0.0", metadata), "v5.0")) == "SUCCESS");
}

TEST_CASE("validate-fbc asks for pinned images in its registries") {
    const std::string head(package_blob);
    const auto of_image = [&](const std::string& image) {
        return said_of(verdict_of(head + bundle_blob("1.0.0", metadata, image)));
    };
    const std::string unpinned =
        "\n!FAILURE! - The following olm.bundle image references are not digest-pinned:";
    const std::string elsewhere =
        "\n!FAILURE! - The following olm.bundle image references are not from registry.redhat.io or "
        "registry.stage.redhat.io:";
    CHECK(of_image("registry.redhat.io/x/y:1") == "FAILURE" + unpinned);
    CHECK(of_image("registry.stage.redhat.io/x/y:1" + std::string(digest)) == "SUCCESS");
    CHECK(of_image("registry.redhat.io:443/x/y" + std::string(digest)) == "FAILURE" + elsewhere);
    CHECK(of_image("quay.io/x/y:1") == "FAILURE" + unpinned + elsewhere);
}

TEST_CASE("validate-fbc ends with ERROR where opm renders nothing or a bundle has no property") {
    CHECK(said_of(verdict_of("schema: olm.package\nname: ["))
              .starts_with("ERROR\n!FAILURE! - opm validate check failed."));
    CHECK(said_of(verdict_of(std::string(package_blob) +
                             "---\nschema: olm.bundle\nname: shop.v1.0.0\npackage: shop\nimage: x\n")) ==
          "ERROR\n!FAILURE! - opm validate check failed.\n!FAILURE! - olm.bundle.object bundle properties "
          "are not permitted in "
          "a FBC fragment for OCP version 4.18. Fragments must move to olm.csv.metadata bundle metadata.");
}

TEST_CASE("pruning is found by names, as grep finds words") {
    const std::string index = channels("name: stable\nentries: [{name: shop.v1.0.0}, {name: shop.v1.1.0}]\n");
    CHECK(pruned(index, index) == "SUCCESS");
    CHECK(pruned(channels("name: stable\nentries: [{name: shop.v1.1.0}]\n"), index) ==
          "FAILURE\n!FAILURE! - FBC fragment prunes shop.v1.0.0 from shop.stable channel.");
    CHECK(pruned(channels("name: fast\nentries: [{name: shop.v1.1.0}]\n"), index) ==
          "FAILURE\n!FAILURE! - FBC fragment prunes entire shop.stable channel.");
    // A name that contains the missing one hides it.
    CHECK(pruned(channels("name: stable\nentries: [{name: shop.v1.0.0-1}, {name: shop.v1.1.0}]\n"), index,
                 1) == "SUCCESS");
    CHECK(pruned(channels("name: stable-1\nentries: [{name: shop.v1.1.0}]\n"), index) ==
          "FAILURE\n!FAILURE! - FBC fragment prunes shop.v1.0.0 from shop.stable channel.\n!FAILURE! - FBC "
          "fragment prunes "
          "shop.v1.1.0 from shop.stable channel.");
}

TEST_CASE("channels of previews may be pruned, and a task may store no verdict") {
    const std::string fragment = channels("name: stable\nentries: [{name: shop.v1.0.0}]\n");
    CHECK(pruned(fragment, channels("name: candidate-1\nentries: [{name: shop.v2.0.0}]\n")) == "SUCCESS");
    CHECK(pruned(fragment,
                 "schema: olm.channel\npackage: other\nname: stable\nentries: [{name: other.v1.0.0}]\n") ==
          "SUCCESS");
    CHECK(pruned(fragment, "schema: olm.package\nname: shop\n") == "NONE");
    CHECK(pruned(fragment, "name: [") == "ERROR");
    CHECK(pruned(channels("name: stable\n"), fragment) == "ERROR");
}
