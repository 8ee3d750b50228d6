// What a signature says about an image. Both kinds of signatures have the same form of it
// (container-signature(5) of containers/image).
#pragma once

#include <string>
#include <string_view>

namespace opcat::signatures {

struct Claim {
    std::string digest; // of a manifest: "sha256:…"
    std::string name;   // of the image
};

// `type`: "atomic container signature" or "cosign container image signature". Throws Error for anything but
// exactly the fields of such a claim.
Claim parse_claim(std::string_view payload, std::string_view type, bool optional_may_be_null);

} // namespace opcat::signatures
