// Signatures of images as they are stored, and what they claim. Nothing about them is trusted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace opcat::signatures {

// "Simple signing": an OpenPGP message that has the claim in it.
struct SimpleSignature {
    std::string message;
};

// What cosign attaches to an image.
struct SigstoreSignature {
    std::string media_type;
    std::string payload; // the claim, which the signature in the annotations is about
    std::map<std::string, std::string> annotations = {};

    // Empty if there is no such annotation.
    std::string annotation(const std::string& name) const;
};

// The media type of attachments that are signatures; others are ignored.
inline constexpr std::string_view sigstore_media_type = "application/vnd.dev.cosign.simplesigning.v1+json";

using Signature = std::variant<SimpleSignature, SigstoreSignature>;

// A file of a lookaside storage: an OpenPGP message, or a NUL byte, the name of a format, a line break and
// the signature. Throws Error.
Signature parse_stored_signature(std::string_view file);

// A layer of the image that cosign tags sha256-….sig.
struct AttachedSignature {
    std::string digest; // of the payload
    uint64_t size = 0;
    SigstoreSignature signature; // without the payload
};
// All layers of that image, by its manifest. Throws Error.
std::vector<AttachedSignature> parse_attached_signatures(std::string_view manifest);

// What is signed (container-signature(5) of containers/image).
struct Claim {
    std::string digest; // of a manifest: "sha256:…"
    std::string name;   // of the image
};

// Whose claims differ in their type, and in that `optional` may be null with sigstore.
enum class ClaimForm { simple, sigstore };

// Throws Error for anything but exactly the fields of a claim.
Claim parse_claim(std::string_view payload, ClaimForm form);

} // namespace opcat::signatures
