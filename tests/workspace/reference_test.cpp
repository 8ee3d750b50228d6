// Covers lib/workspace/reference.cpp.
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/workspace/reference.hpp"

#include <doctest/doctest.h>

using namespace opcat;

TEST_CASE("the form of a reference, and what is there, say what it is") {
    using enum ReferenceKind;
    const TemporaryDirectory here("/tmp");
    const std::string there = here.path() / "git:main:there";
    write_file(there, "x");
    struct Case {
        std::string reference;
        ReferenceKind kind;
        ReferenceKind as_opm;
    };
    const Case cases[] = {
        {here.path().string(), path, path},
        {there, path, path},
        {"quay.io/org/repo:v1", image, image},
        {"localhost/repo", image, image},
        {"org/repo:v1", path, image},
        {"catalogs/v4.20", path, image},
        {"./quay.io/org", path, image},
        {"oci:layout:v1", image, image},
        {"docker://ubuntu", image, image},
        {"git:main:catalogs/v4.20", revision, image},
        {"git:HEAD~1:./catalog", revision, image},
    };
    for (const Case& one : cases) {
        CAPTURE(one.reference);
        CHECK(kind_of(one.reference) == one.kind);
        CHECK(kind_of(one.reference, Manner::opm) == one.as_opm);
    }
}

TEST_CASE("a revision has a commit and a path") {
    CHECK(Revision::parse("git:main:a/b").revision == "main");
    CHECK(Revision::parse("git:HEAD~1:./a:b").path == "./a:b");
    for (const char* wrong : {"git:", "git:main", "git:main:", "git::a"})
        CHECK_THROWS_AS(Revision::parse(wrong), RequestError);
}

TEST_CASE("the local path of a reference is what can be looked at without a request") {
    CHECK(local_path_of("a/b") == "a/b");
    CHECK(local_path_of("oci:layout:v1") == "layout");
    CHECK(local_path_of("quay.io/org/repo:v1").empty());
    CHECK(local_path_of("git:main:a").empty());
}

TEST_CASE("a path that does not exist is an error that says what to write instead") {
    const TemporaryDirectory here("/tmp");
    const std::string there = here.path() / "there";
    write_file(there, "x");
    const auto help_for = [](const std::string& reference) -> std::string {
        try {
            require_existing(reference, Manner::opcat);
        } catch (const Error& error) {
            CHECK(std::string(error.what()) == "cannot read " + reference + ": no such file or directory");
            const std::string help(error.hint());
            return help.empty() ? "none" : help.substr(0, help.find(','));
        }
        return "exists";
    };
    CHECK(help_for(there) == "exists");
    CHECK(help_for("quay.io/org/repo:v1") == "exists");
    CHECK(help_for(there + ".gone") == "none");
    CHECK(help_for(there + ".gone,b") == "none");
    CHECK(help_for(there + ",b") == "write blanks between several references: " + there + " b");
    CHECK(help_for("org/repo:v1") == "if it is an image");
    CHECK(help_for("org/repo@sha256:" + std::string(64, '0')) == "if it is an image");
    CHECK(help_for("org/repo") == "none");
}
