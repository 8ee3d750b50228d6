// Signatures of OpenShift's releases. A cluster updates to a release if a ConfigMap has a signature of its
// digest (or if it reaches the store in which they are published).
#pragma once

#include "opcat/base/pull_spec.hpp"
#include "opcat/image/http.hpp"
#include "opcat/image/options.hpp"

#include <map>
#include <string>
#include <vector>

namespace opcat {

// The binaryData of that ConfigMap: "sha256-HEX-1" to an OpenPGP message in base64.
using SignatureData = std::map<std::string, std::string>;

class ReleaseSignatures {
public:
    // `place`: a directory or a URL with sha256=HEX/signature-1 and so on. `keys`: files of OpenPGP keys.
    // Throws Error.
    ReleaseSignatures(const std::string& place, const std::vector<std::string>& keys, image::Options options);

    // Those of a release that one of the keys has made; at least one. Throws Error.
    SignatureData of(const PullSpec& release);

private:
    const image::Options options_;
    image::HttpClient http_;
    const std::string place_; // as it was given
    const std::string url_;
    std::vector<std::string> keys_;
};

// As words, for an annotation, and back.
std::string to_words(const SignatureData& signatures);
void add_words(const std::string& words, SignatureData& to);

// The ConfigMap that oc-mirror v2 writes (internal/pkg/clusterresources), with this name, as YAML.
std::string signature_config_map(const SignatureData& signatures, const std::string& name);

} // namespace opcat
