#include "opcat/signatures/identity.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace opcat;
using namespace opcat::signatures;

TEST_CASE("the scopes of an image in a registry begin with the narrowest") {
    const auto scopes = [](const char* text) { return scopes_of(required(PullSpec::parse(text))); };
    CHECK(scopes("quay.io/org/app:v1") == std::vector<std::string>{"quay.io/org/app:v1", "quay.io/org/app",
                                                                   "quay.io/org", "quay.io", "*.io"});
    CHECK(scopes("a.b.example:5000/app") ==
          std::vector<std::string>{"a.b.example:5000/app:latest", "a.b.example:5000/app", "a.b.example:5000",
                                   "*.b.example", "*.example"});
    const std::string digest = "sha256:" + std::string(64, 'a');
    CHECK(scopes(("localhost/app:v1@" + digest).c_str()) ==
          std::vector<std::string>{"localhost/app@" + digest, "localhost/app", "localhost"});
}

TEST_CASE("a signed name belongs to an image, or does not") {
    using Kind = SignedIdentity::Kind;
    const std::string digest = "@sha256:" + std::string(64, 'a');
    const SignedIdentity usual;
    const SignedIdentity exact(Kind::match_exact);
    const SignedIdentity moved("mirror.example:5000/prefix", "quay.io/org");
    struct Case {
        const SignedIdentity& identity;
        std::string image;
        std::string signed_name;
        bool accepted;
    };
    for (const Case& one : std::vector<Case>{
             {usual, "quay.io/org/app:v1", "quay.io/org/app:v1", true},
             {usual, "quay.io/org/app:v1", "quay.io/org/app:v2", false},
             {usual, "quay.io/org/app:v1", "quay.io/org/app", false},
             {usual, "quay.io/org/app", "quay.io/org/app:latest", true},
             {usual, "quay.io/org/app" + digest, "quay.io/org/app:v2", true},
             {usual, "quay.io/org/app" + digest, "quay.io/org/app", false},
             {usual, "quay.io/org/app:v1" + digest, "quay.io/org/app:v2", true},
             {usual, "docker.io/library/app:v1", "app:v1", true},
             {usual, "quay.io/org/app:v1", "Not A Name", false},
             {exact, "quay.io/org/app" + digest, "quay.io/org/app:v1", false},
             {exact, "quay.io/org/app" + digest, "quay.io/org/app" + digest, true},
             {moved, "mirror.example:5000/prefix/app:v1", "quay.io/org/app:v1", true},
             {moved, "mirror.example:5000/prefix/app:v1", "mirror.example:5000/prefix/app:v1", false},
             {moved, "mirror.example:5000/prefixes/app:v1", "quay.io/orges/app:v1", false},
             {moved, "mirror.example:5000/prefix/app" + digest, "quay.io/org/app:v7", true}}) {
        CAPTURE(one.image);
        CAPTURE(one.signed_name);
        const auto image = ImageIdentity::in_registry(required(PullSpec::parse(one.image)));
        CHECK(one.identity.accepts(image, one.signed_name) == one.accepted);
    }
}

TEST_CASE("what names can be mapped by a policy") {
    for (const char* const good : {"quay.io", "localhost:5000", "host", "quay.io/org", "host/org/app"})
        CHECK_MESSAGE(SignedIdentity::is_prefix(good), good);
    for (const char* const bad :
         {"", "quay.io/", "/org", "quay.io/Org", "quay.io/org:v1", "-a.io", "a..io", "quay.io\n"})
        CHECK_MESSAGE(!SignedIdentity::is_prefix(bad), bad);
}
