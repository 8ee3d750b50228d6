#include "opcat/signatures/verifier.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/signatures/gpg.hpp"
#include "opcat/signatures/policy.hpp"
#include "opcat/signatures/sigstore.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace opcat::signatures {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t max_policy_file = 4 << 20;

Policy read_policy(const fs::path& path) {
    try {
        const std::string name = path.string();
        return {name, read_file(path, name, max_policy_file)->bytes()};
    } catch (const Error& error) {
        throw Error(fmt::format("cannot use the policy of signatures: {}", error.what()),
                    "containers-policy.json(5) describes its format");
    }
}

// What a requirement and a manifest are checked with.
struct Question {
    const ImageIdentity& image;
    const std::string digest; // of the manifest
    const fs::path& temporary;
};

// Throws Error if a signature of the requirement's kind is not accepted; false for one of another kind.
bool check_signature(const Requirement& requirement, const Question& question, const Signature& signature) {
    std::optional<Claim> claim;
    if (requirement.kind == Requirement::Kind::signed_by) {
        const auto* const simple = std::get_if<SimpleSignature>(&signature);
        if (!simple) return false;
        const std::vector<std::string> keys = requirement.keys.load();
        if (keys.empty()) throw Error("the policy names no key");
        claim = parse_claim(signed_content(simple->message, keys, question.temporary), ClaimForm::simple);
    } else {
        const auto* const sigstore = std::get_if<SigstoreSignature>(&signature);
        if (!sigstore || sigstore->media_type != sigstore_media_type) return false;
        claim = parse_claim(signed_payload(requirement, *sigstore), ClaimForm::sigstore);
    }
    if (claim->digest != question.digest)
        throw Error(fmt::format("it is of another manifest, {}", printable(claim->digest)));
    if (!requirement.identity.accepts(question.image, claim->name))
        throw Error(fmt::format("it is of an image with another name, {}", printable(claim->name)));
    return true;
}

// Throws Error if none of the signatures meets the requirement.
void check_signatures(const Requirement& requirement, const Question& question,
                      const std::vector<Signature>& signatures) {
    std::vector<std::string> reasons;
    std::string hint;
    for (const Signature& signature : signatures) {
        try {
            if (check_signature(requirement, question, signature)) return;
        } catch (const Error& error) {
            reasons.emplace_back(error.what());
            if (hint.empty()) hint = error.hint();
        }
    }
    if (reasons.empty())
        throw Error(requirement.kind == Requirement::Kind::signed_by
                        ? "an OpenPGP signature is required, and there is none"
                        : "a signature of sigstore is required, and there is none");
    std::string all;
    for (const std::string& reason : reasons) all += (all.empty() ? "" : "; ") + reason;
    throw Error(fmt::format("{} accepted: {}",
                            reasons.size() == 1 ? "its signature is not"
                                                : fmt::format("none of its {} signatures is", reasons.size()),
                            all),
                hint);
}

} // namespace

struct Verifier::State {
    Policy policy;
    bool require;
    fs::path temporary;
};

Verifier::Verifier(const fs::path& policy, bool require, fs::path temporary)
    : state_(new State{read_policy(policy), require, std::move(temporary)}) {}
Verifier::~Verifier() = default;

bool Verifier::accepts_anything(const ImageIdentity& image) const {
    const Requirements& all = state_->policy.for_image(image);
    return !state_->require && std::all_of(all.begin(), all.end(), [](const Requirement& one) {
        return one.kind == Requirement::Kind::accept_anything;
    });
}

void Verifier::check(const ImageIdentity& image, std::string_view manifest,
                     const GetSignatures& signatures) const {
    const Question question{image, "sha256:" + sha256_hex(manifest), state_->temporary};
    const Requirements& all = state_->policy.for_image(image);
    std::optional<std::vector<Signature>> found;
    try {
        for (const Requirement& one : all) {
            if (one.kind == Requirement::Kind::reject) throw Error("it rejects the image");
            if (one.kind == Requirement::Kind::unsupported)
                throw Error(fmt::format("opcat does not support its requirement {}", one.name));
            if (!one.asks_for_signature()) continue;
            if (!found) found = signatures();
            check_signatures(one, question, *found);
        }
        if (state_->require && !found)
            throw Error("it accepts the image without a signature, and one is required");
    } catch (const Error& error) {
        const std::string message =
            fmt::format("the policy {} does not accept it: {}", state_->policy.name(), error.what());
        if (!error.hint().empty()) throw error.with_message(message);
        const Error explained(message, "containers-policy.json(5) says what a policy asks for, and "
                                       "containers-registries.d(5) where signatures are looked for");
        throw error.temporary() ? explained.as_temporary() : explained;
    }
}

} // namespace opcat::signatures
