// The one place where images that are opened meet the user's policy of signatures (lib/signatures).
#pragma once

#include "opcat/base/once.hpp"
#include "opcat/image/name.hpp"
#include "opcat/image/registry.hpp"
#include "opcat/signatures/lookaside.hpp"
#include "opcat/signatures/verifier.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace opcat::image {

// Reads the policy when it is first needed. Thread-safe; `client` must outlive it.
class Verification {
public:
    explicit Verification(RegistryClient& client) : client_(client) {}

    // Of an image that is about to be opened. Throws Error if the policy cannot be read, and NotAccepted for
    // an image in a file or directory, which has no signatures, unless the policy accepts it without.
    CheckManifest of(const Name& name);
    // The same for images in another kind of directory: "dir".
    void check_directory(const std::string& transport, const std::filesystem::path& path);

private:
    const signatures::Verifier* verifier();
    const signatures::SignatureStores& stores();
    std::vector<signatures::Signature> signatures_of(const std::string& manifest, const Endpoint& from);
    void add_stored(const std::string& digest, const Endpoint& from,
                    std::vector<signatures::Signature>& found);
    void add_attached(const std::string& digest, const Endpoint& from,
                      std::vector<signatures::Signature>& found);

    RegistryClient& client_;
    Once read_policy_;
    Once read_stores_;
    std::unique_ptr<const signatures::Verifier> verifier_;
    std::unique_ptr<const signatures::SignatureStores> stores_;
};

} // namespace opcat::image
