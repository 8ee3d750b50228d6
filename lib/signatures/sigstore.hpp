// Signatures of sigstore, as cosign makes them.
#pragma once

#include "opcat/signatures/policy.hpp"
#include "opcat/signatures/signature.hpp"

#include <string>

namespace opcat::signatures {

// The payload of a signature, if it is by a key or a certificate that a requirement of the kind
// sigstore_signed names, and in the log that it names. Throws Error.
std::string signed_payload(const Requirement& requirement, const SigstoreSignature& signature);

} // namespace opcat::signatures
