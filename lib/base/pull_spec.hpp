// Pull specs: how an image in a registry is named, "quay.io/org/repo:tag" or "…@sha256:…".
//
// The grammar is that of the distribution project's references with Docker's short forms, as the program that
// wrote most catalogs has it (containers-image, `reference.ParseNormalizedNamed`): what that accepts is
// accepted, what it rejects is rejected. It knows no IPv6 addresses.
#pragma once

#include "opcat/base/error.hpp"

#include <string>
#include <string_view>

namespace opcat {

class PullSpec {
public:
    // Reads a pull spec and completes its short forms: "nginx" is "docker.io/library/nginx".
    static Parsed<PullSpec> parse(std::string_view text);

    // Host and port: "quay.io", "localhost:5000". Empty for the few specs that the grammar lets pass although
    // their host is none ("a_b.c/repo").
    const std::string& registry() const { return registry_; }
    // "library/nginx".
    const std::string& repository() const { return repository_; }
    // Empty where there is none.
    const std::string& tag() const { return tag_; }
    const std::string& digest() const { return digest_; }

    // Registry and repository: "docker.io/library/nginx".
    std::string name() const;
    // What to ask a registry for: the digest, or else the tag, or else "latest".
    std::string reference() const;
    // The whole spec in full: the name, then ":tag" and "@digest" where they are there, ":latest" where
    // neither is.
    std::string to_string() const;

    friend bool operator==(const PullSpec&, const PullSpec&) = default;

private:
    std::string registry_, repository_, tag_, digest_;
};

} // namespace opcat
