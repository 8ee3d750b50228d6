// Which images are accepted: containers-policy.json(5), as container engines read it.
#pragma once

#include "opcat/signatures/identity.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::signatures {

// Keys or certificates: in files, or in the policy itself.
struct KeySources {
    std::vector<std::string> paths = {};
    std::vector<std::string> data = {};

    // What all of them hold. Throws Error.
    std::vector<std::string> load() const;
};

// Certificates of sigstore, which are made for one signature.
struct FulcioRoot {
    KeySources authorities;
    std::string issuer;
    std::string email;
};

struct Requirement {
    enum class Kind { accept_anything, reject, signed_by, sigstore_signed, unsupported };
    Kind kind = Kind::reject;
    std::string name = {};                 // of an unsupported one
    KeySources keys = {};                  // signed_by, and sigstore_signed without `fulcio`
    SignedIdentity identity = {};          // of both
    std::optional<FulcioRoot> fulcio = {}; // sigstore_signed
    std::optional<KeySources> rekor = {};  // sigstore_signed: public keys of the log

    bool asks_for_signature() const { return kind == Kind::signed_by || kind == Kind::sigstore_signed; }
};

// All must be met. Never empty.
using Requirements = std::vector<Requirement>;

class Policy {
public:
    // `name` is that of the file. Throws Error with the line of the first mistake.
    Policy(std::string name, std::string_view json);

    const std::string& name() const { return name_; }
    // Those of the narrowest scope.
    const Requirements& for_image(const ImageIdentity& image) const;

private:
    std::string name_;
    Requirements general_;
    std::map<std::string, std::map<std::string, Requirements>> transports_; // by transport and scope
};

} // namespace opcat::signatures
