// Referrers of the OCI distribution specification: manifests whose subject is another one, and the index that
// lists them, which a registry without an API for them keeps under a tag that is made of the subject's
// digest.
#pragma once

#include "opcat/image/manifest.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::image {

struct Referrer {
    Descriptor manifest;
    std::string artifact_type; // "application/vnd.dev.cosign.artifact.sig.v1+json"
    Annotations annotations = {};
};

// "sha256-" and 64 digits: the tag of the index without the API, with a suffix that of cosign's images, and
// the one that a mirror gives to an image that is named by its digest alone.
std::string tag_of_digest(const std::string& digest);
// The digest that such a tag is made of; nothing for other tags.
std::optional<std::string> digest_of_tag(std::string_view tag);

// The digest of a manifest's subject; nothing if it has none, or is not a manifest.
std::optional<std::string> subject_of(std::string_view manifest);
// The manifest as its subject's index lists it.
Referrer referrer_of(const std::string& manifest);

// Those of an index; nothing if the document is not an index. Throws Error for more than 10,000, and for one
// without a SHA-256 digest, which would be left out.
std::optional<std::vector<Referrer>> parse_referrers(std::string_view index);
std::string write_referrers(const std::vector<Referrer>& referrers);

// Returns true if it is a signature, by its type.
bool is_signature(const Referrer& referrer);

} // namespace opcat::image
