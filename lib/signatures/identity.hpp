// What an image is for a policy, and whether a name that is signed belongs to it: containers-policy.json(5).
#pragma once

#include "opcat/base/pull_spec.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::signatures {

// An image as its user names it, not as a mirror or the image itself says.
struct ImageIdentity {
    std::string transport;             // "docker", "dir", "oci", "oci-archive", "docker-archive"
    std::optional<PullSpec> spec = {}; // "docker" only; a tag next to a digest does not count
    std::vector<std::string> scopes = {};

    static ImageIdentity in_registry(const PullSpec& spec);
    // `path` must exist. Throws Error.
    static ImageIdentity in_file(std::string transport, const std::filesystem::path& path);
};

// The scopes that an image in a registry belongs to, the narrowest first: "quay.io/org/repo:tag",
// "quay.io/org/repo", "quay.io/org", "quay.io", "*.io".
std::vector<std::string> scopes_of(const PullSpec& spec);

// Which signed names a requirement accepts.
class SignedIdentity {
public:
    // matchRepoDigestOrExact, as without a `signedIdentity`.
    SignedIdentity() = default;

    enum class Kind {
        match_exact,
        match_repo_digest_or_exact,
        match_repository,
        exact_reference,
        exact_repository,
    };
    explicit SignedIdentity(Kind kind) : kind_(kind) {}
    // The last two.
    SignedIdentity(Kind kind, PullSpec expected) : kind_(kind), expected_(std::move(expected)) {}
    // remapIdentity, with what is_prefix() accepts.
    SignedIdentity(std::string prefix, std::string signed_prefix)
        : prefix_(std::move(prefix)), signed_prefix_(std::move(signed_prefix)) {}

    // A registry, a namespace or a repository.
    static bool is_prefix(const std::string& text);

    bool accepts(const ImageIdentity& image, const std::string& signed_name) const;

private:
    std::optional<PullSpec> at_home(const PullSpec& spec) const;

    Kind kind_ = Kind::match_repo_digest_or_exact;
    std::optional<PullSpec> expected_; // in place of the image's own name
    std::string prefix_;               // that is replaced by the next one
    std::string signed_prefix_;
};

} // namespace opcat::signatures
