#include "opcat/image/verification.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/blob_sink.hpp"
#include "opcat/image/manifest.hpp"
#include "opcat/image/referrers.hpp"
#include "opcat/image/signature_files.hpp"
#include "opcat/signatures/identity.hpp"
#include "opcat/signatures/signature.hpp"

#include <fmt/core.h>

#include <optional>
#include <utility>
#include <variant>

namespace opcat::image {
namespace fs = std::filesystem;
namespace {

constexpr size_t max_attached = 128; // signatures of one manifest, as engines have it

bool holds_images(const std::string& document) {
    const auto parsed = parse_manifest(document);
    const auto* const index = std::get_if<Index>(&parsed);
    return index && !index->entries.empty();
}

const char* transport_of(const Name& name) {
    switch (name.transport) {
    case Transport::oci_archive:
        return "oci-archive";
    case Transport::docker_archive:
        return "docker-archive";
    default:
        return "oci";
    }
}

} // namespace

const signatures::Verifier* Verification::verifier() {
    const Options& options = client_.options();
    if (!options.signature_policy) return nullptr;
    read_policy_.run([&] {
        verifier_ = std::make_unique<const signatures::Verifier>(
            *options.signature_policy, options.require_signatures, options.temporary);
    });
    return verifier_.get();
}

const signatures::SignatureStores& Verification::stores() {
    const Options& options = client_.options();
    read_stores_.run([&] {
        stores_ = std::make_unique<const signatures::SignatureStores>(options.signature_stores,
                                                                      options.usual_signature_store);
    });
    return *stores_;
}

CheckManifest Verification::of(const Name& name) {
    if (name.transport != Transport::registry) {
        check_directory(transport_of(name), name.path);
        return {};
    }
    const signatures::Verifier* const policy = verifier();
    if (!policy) return {};
    const auto& pinned = client_.options().pinned;
    const std::optional<PullSpec> named = pinned ? pinned->named(name.text) : std::nullopt;
    auto identity = signatures::ImageIdentity::in_registry(named.value_or(*name.spec));
    if (policy->accepts_anything(identity)) return {};
    return [this, policy, identity = std::move(identity)](const std::string& manifest, const Endpoint& from) {
        if (holds_images(manifest)) return;
        try {
            policy->check(identity, manifest, [&] { return signatures_of(manifest, from); });
        } catch (const Error& error) {
            throw NotAccepted(error);
        }
    };
}

void Verification::check_directory(const std::string& transport, const fs::path& path) {
    const signatures::Verifier* const policy = verifier();
    if (!policy) return;
    try {
        policy->check(signatures::ImageIdentity::in_file(transport, path), {},
                      [] { return std::vector<signatures::Signature>(); });
    } catch (const Error& error) {
        throw NotAccepted(error);
    }
}

std::vector<signatures::Signature> Verification::signatures_of(const std::string& manifest,
                                                               const Endpoint& from) {
    const std::string digest = "sha256:" + sha256_hex(manifest);
    std::vector<signatures::Signature> found;
    add_stored(digest, from, found);
    if (stores().are_attached(from.spec)) add_attached(digest, from, found);
    return found;
}

void Verification::add_stored(const std::string& digest, const Endpoint& from,
                              std::vector<signatures::Signature>& found) {
    if (client_.keeps_signatures(from)) { // in place of a store
        for (std::string& message : signatures_in_registry(client_, from, digest))
            found.emplace_back(signatures::SimpleSignature{std::move(message)});
        return;
    }
    const std::string place = stores().lookaside(from.spec, digest);
    for (const std::string& file : signature_files(client_.http(), client_.options(), place)) {
        try {
            found.push_back(signatures::parse_stored_signature(file));
        } catch (const Error& error) {
            throw error.with_message(
                fmt::format("{}: {}", printable(signature_url(place, found.size() + 1)), error.what()));
        }
    }
}

void Verification::add_attached(const std::string& digest, const Endpoint& from,
                                std::vector<signatures::Signature>& found) {
    std::string manifest;
    try {
        manifest = client_.manifest(from, tag_of_digest(digest) + ".sig");
    } catch (const Error& error) {
        if (error.absent()) return;
        throw;
    }
    for (signatures::AttachedSignature& one : signatures::parse_attached_signatures(manifest)) {
        if (!is_sha256(one.digest) || one.size > max_document_size || found.size() >= max_attached)
            throw Error(
                "the signatures that are attached to the image have wrong digests, or are too large or "
                "too many");
        TextSink payload({one.digest, one.size});
        client_.blob(from, {one.digest, one.size}, payload);
        one.signature.payload = std::move(payload.text);
        found.emplace_back(std::move(one.signature));
    }
}

} // namespace opcat::image
