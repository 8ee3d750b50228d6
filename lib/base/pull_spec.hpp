// Pull specs, the names of images in registries: "quay.io/org/repo:tag" or "…@sha256:…".
// The grammar is that of the distribution project's references with Docker's short forms, as in the library
// that most catalogs are made with (containers-image, `reference.ParseNormalizedNamed`): the same texts are
// accepted and rejected. It has no IPv6 addresses.
#pragma once

#include "opcat/base/error.hpp"

#include <string>
#include <string_view>

namespace opcat {

class PullSpec {
public:
    // Reads a pull spec and completes its short forms: "nginx" is "docker.io/library/nginx".
    static Parsed<PullSpec> parse(std::string_view text);

    // Host and port: "quay.io", "localhost:5000". Empty for the few texts that the grammar accepts although
    // they have no valid host ("a_b.c/repo").
    const std::string& registry() const { return registry_; }
    // "library/nginx".
    const std::string& repository() const { return repository_; }
    // Empty if absent.
    const std::string& tag() const { return tag_; }
    const std::string& digest() const { return digest_; }

    // Registry and repository: "docker.io/library/nginx".
    std::string name() const;
    // Returns the part that a registry is asked for: the digest, or else the tag, or else "latest".
    std::string reference() const;
    // The complete spec: the name, then ":tag" and "@digest" if given; ":latest" if neither is.
    std::string to_string() const;

    friend bool operator==(const PullSpec&, const PullSpec&) = default;

private:
    std::string registry_, repository_, tag_, digest_;
};

} // namespace opcat
