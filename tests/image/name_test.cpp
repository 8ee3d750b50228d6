#include "opcat/image/name.hpp"
#include "opcat/image/options.hpp"
#include "tar_builder.hpp"

using namespace opcat;
using namespace opcat::image;

TEST_CASE("images are named by transport, path and tag") {
    struct Case {
        std::string text;
        Transport transport;
        std::string where, tag;
    };
    const Case cases[] = {
        {"quay.io/a/b:v1", Transport::registry, "quay.io/a/b:v1", ""},
        {"docker://quay.io/a/b", Transport::registry, "quay.io/a/b:latest", ""},
        {"oci:dir", Transport::oci_layout, "dir", ""},
        {"oci:/a/dir:v1", Transport::oci_layout, "/a/dir", "v1"},
        {"oci-archive:a.tar:v1", Transport::oci_archive, "a.tar", "v1"},
        {"docker-archive:a.tar:quay.io/a/b:v1", Transport::docker_archive, "a.tar", "quay.io/a/b:v1"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        const Name name = required(Name::parse(c.text));
        CHECK(name.transport == c.transport);
        CHECK((name.spec ? name.spec->to_string() : name.path) == c.where);
        CHECK(name.tag == c.tag);
        CHECK(name.text == c.text);
        CHECK(Name::has_transport(c.text) == (c.text != "quay.io/a/b:v1"));
    }
}

TEST_CASE("an invalid image name is refused with the reason") {
    CHECK(error_of([] { required(Name::parse("quay.io/A")); }) ==
          "\"quay.io/A\" is not an image: invalid reference format: repository name must be lowercase");
    CHECK(error_of([] { required(Name::parse("a_b.c/d")); }) ==
          "\"a_b.c/d\" is not an image: its first part is not a host name, so it does not name a registry");
    CHECK(error_of([] { required(Name::parse("oci:")); }) ==
          "\"oci:\" is not an image: the path after the first colon is missing");
}

TEST_CASE("platforms are written as os/arch/variant") {
    CHECK(required(Platform::parse("linux/arm64")) == Platform{"linux", "arm64", ""});
    CHECK(required(Platform::parse("linux/arm/v7")).to_string() == "linux/arm/v7");
    for (const char* bad :
         {"", "linux", "linux/", "/arm", "linux/arm/", "linux/arm/v7/x", "linux/amd46", "linxu/arm64"})
        CHECK(error_of([&] { required(Platform::parse(bad)); }).ends_with("is not a platform"));
    for (const char* good : {"linux/loong64", "linux/mips64le", "windows/amd64", "wasip1/wasm"})
        CHECK(Platform::parse(good));
    CHECK(Platform::here().os == "linux");
}
