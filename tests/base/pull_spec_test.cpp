#include "opcat/base/pull_spec.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace opcat;

namespace {

const std::string hex64(64, 'a');
const std::string hex64_digit = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

std::string why_not(std::string_view text) {
    const auto spec = PullSpec::parse(text);
    return spec ? "valid" : spec.error().message;
}

} // namespace

TEST_CASE("short forms of pull specs are completed") {
    struct Case {
        std::string text, registry, repository, tag, digest, full;
    };
    const Case cases[] = {
        {"nginx", "docker.io", "library/nginx", "", "", "docker.io/library/nginx:latest"},
        {"org/app:v1", "docker.io", "org/app", "v1", "", "docker.io/org/app:v1"},
        {"index.docker.io/nginx", "docker.io", "library/nginx", "", "", "docker.io/library/nginx:latest"},
        {"localhost/app", "localhost", "app", "", "", "localhost/app:latest"},
        {"localhost:5000/app", "localhost:5000", "app", "", "", "localhost:5000/app:latest"},
        {"localhost:5000", "docker.io", "library/localhost", "5000", "", "docker.io/library/localhost:5000"},
        {"Quay.IO/a/b/c:T_a.g-1", "Quay.IO", "a/b/c", "T_a.g-1", "", "Quay.IO/a/b/c:T_a.g-1"},
        {"quay.io/a/b@sha256:" + hex64, "quay.io", "a/b", "", "sha256:" + hex64,
         "quay.io/a/b@sha256:" + hex64},
        {"quay.io/a/b:v1@sha256:" + hex64, "quay.io", "a/b", "v1", "sha256:" + hex64,
         "quay.io/a/b:v1@sha256:" + hex64},
        {"10.0.0.1:80/x", "10.0.0.1:80", "x", "", "", "10.0.0.1:80/x:latest"},
        {"quay.io/a__b/c---d/e_f.g", "quay.io", "a__b/c---d/e_f.g", "", "",
         "quay.io/a__b/c---d/e_f.g:latest"},
        {"a_b.c/repo", "", "a_b.c/repo", "", "", "a_b.c/repo:latest"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        const auto spec = PullSpec::parse(c.text);
        REQUIRE(spec);
        CHECK(spec->registry() == c.registry);
        CHECK(spec->repository() == c.repository);
        CHECK(spec->tag() == c.tag);
        CHECK(spec->digest() == c.digest);
        CHECK(spec->to_string() == c.full);
    }
}

TEST_CASE("an invalid pull spec is rejected with the reason") {
    const std::string format = "invalid reference format: ";
    const std::pair<std::string, std::string> cases[] = {
        {"", format + "it is empty"},
        {hex64, "invalid repository name (" + hex64 + "), cannot specify 64-byte hexadecimal strings"},
        {"BAD IMAGE", format + "repository name must be lowercase"},
        {"quay.io/Foo/bar", format + "repository name must be lowercase"},
        {"quay.io/foo@SHA256:" + hex64, format + "repository name must be lowercase"},
        {"Foo_bar.com/x", "repository name must be lowercase"},
        {"bad image", format + "there is a blank in it"},
        {"quay.io/foo/bar:v1\n", format + "there is a blank in it"},
        {"https://quay.io/foo", format + "a pull spec has no scheme"},
        {"docker://quay.io/foo", format + "a pull spec has no scheme"},
        {"[::1]:5000/foo", format + "IPv6 addresses are not allowed"},
        {"-quay.io/foo", format + "\"-quay.io\" is not a host and port"},
        {"quay.io:/foo", format + "\"quay.io:\" is not a host and port"},
        {"quay.io:80a/foo", format + "\"quay.io:80a\" is not a host and port"},
        {"quay.io/", format + "the repository is missing"},
        {"quay.io/:v1", format + "the repository is missing"},
        {"quay.io/foo:", format + "\"\" is not a tag"},
        {"quay.io/foo:.v1", format + "\".v1\" is not a tag"},
        {"quay.io/foo:" + std::string(129, 'a'), format + "the tag has more than 128 characters"},
        {"quay.io/foo@sha256:abc", format + "\"sha256:abc\" is not a digest"},
        {"quay.io/foo@", format + "\"\" is not a digest"},
        {"quay.io/foo@sha256:" + std::string(40, 'a'),
         "invalid checksum digest length: sha256 has 64 hexadecimal digits, not 40"},
        {"quay.io/foo@sha256:" + std::string(64, 'A'),
         "invalid checksum digest format: the digits must be lower-case"},
        {"quay.io/foo@md5:" + std::string(32, 'a'), "unsupported digest algorithm"},
        {"quay.io/foo@tree+b64.x:" + std::string(32, 'a'), "unsupported digest algorithm"},
        {"quay.io/foo:v1@SHA256:" + hex64, "invalid checksum digest format"},
        {"quay.io/foo@sha256+:" + hex64, format + "\"sha256+:" + hex64 + "\" is not a digest"},
        {"quay.io/" + std::string(248, 'a'), "repository name must not be more than 255 characters"},
    };
    for (const auto& [text, reason] : cases) {
        CAPTURE(text);
        CHECK(why_not(text) == reason);
    }
    for (const std::string bad :
         {"/foo", "quay.io//foo", "quay.io/foo/", "quay.io/a..b", "quay.io/a___b", "quay.io/a-", "quay.io/_a",
          "quay.io/a.-b", "a:b:c", "quay.io/a@b@c", "é/a"})
        CHECK(why_not(bad).starts_with(format));
}

TEST_CASE("limits of pull specs are exact") {
    CHECK(PullSpec::parse("quay.io/" + std::string(247, 'a')));
    CHECK(PullSpec::parse("quay.io/foo:" + std::string(128, 'a')));
    CHECK(PullSpec::parse("quay.io/" + hex64_digit));
    CHECK(PullSpec::parse("quay.io/foo@sha512:" + std::string(128, 'a')));
}
