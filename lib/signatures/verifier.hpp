// Whether images are accepted by the user's policy.
#pragma once

#include "opcat/signatures/identity.hpp"
#include "opcat/signatures/signature.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::signatures {

// All signatures of one manifest that its place has. May throw Error.
using GetSignatures = std::function<std::vector<Signature>()>;

// Thread-safe.
class Verifier {
public:
    // Reads the policy. `require`: what the policy accepts without a signature is refused, too. `temporary`:
    // where private directories are made. Throws Error.
    Verifier(const std::filesystem::path& policy, bool require, std::filesystem::path temporary);
    ~Verifier();
    Verifier(const Verifier&) = delete;
    Verifier& operator=(const Verifier&) = delete;

    // Returns true if the policy accepts whatever the name stands for.
    bool accepts_anything(const ImageIdentity& image) const;
    // Throws Error if the policy does not accept the manifest as one of the image. `signatures` is called
    // once at most, and only if the policy asks for one.
    void check(const ImageIdentity& image, std::string_view manifest, const GetSignatures& signatures) const;

private:
    struct State;
    std::unique_ptr<const State> state_;
};

} // namespace opcat::signatures
