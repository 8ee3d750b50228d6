#include "opcat/mirror/release_signatures.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/objects.hpp"
#include "opcat/image/manifest.hpp"
#include "opcat/image/signature_files.hpp"
#include "opcat/kube/object.hpp"
#include "opcat/mirror/item.hpp"
#include "opcat/signatures/gpg.hpp"
#include "opcat/signatures/signature.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>
#include <variant>

namespace opcat {

namespace fs = std::filesystem;
namespace {

// The URL without a slash at its end.
std::string store_url(std::string place) {
    if (!image::is_http_url(place)) {
        std::error_code absent;
        if (!fs::is_directory(place, absent))
            throw Error(
                fmt::format("the signatures of releases are neither at a URL nor in a directory: {}", place),
                "write https://… or the directory that has sha256=…/signature-1");
        place = image::file_url(fs::absolute(place).string());
    }
    while (place.ends_with('/')) place.pop_back();
    return place;
}

} // namespace

ReleaseSignatures::ReleaseSignatures(const std::string& place, const std::vector<std::string>& keys,
                                     image::Options options)
    : options_(std::move(options)), http_(options_), place_(place), url_(store_url(place)) {
    for (const std::string& key : keys)
        keys_.emplace_back(read_file(key, key, image::max_document_size)->bytes());
}

SignatureData ReleaseSignatures::of(const PullSpec& release) {
    const auto fail = [&](const std::string& why, const std::string& hint) {
        return Error(
            fmt::format("the release {} has no valid signature in {}: {}", release.to_string(), place_, why),
            hint);
    };
    const std::string& digest = release.digest();
    if (!image::is_sha256(digest)) throw fail("signatures are of digests", "name the release by its digest");
    const std::string hex = digest.substr(digest.find(':') + 1);
    SignatureData good;
    std::string reasons;
    std::string hint = "bring it there, name its key with --release-key, or leave out --release-signatures";
    try {
        for (const std::string& file :
             image::signature_files(http_, options_, fmt::format("{}/sha256={}", url_, hex))) {
            try {
                const signatures::Signature signature = signatures::parse_stored_signature(file);
                const auto* const simple = std::get_if<signatures::SimpleSignature>(&signature);
                if (!simple) throw Error("a file is not an OpenPGP message");
                const signatures::Claim claim = signatures::parse_claim(
                    signatures::signed_content(simple->message, keys_, options_.temporary),
                    signatures::ClaimForm::simple);
                if (claim.digest != digest) throw Error(fmt::format("it is of {}", printable(claim.digest)));
                good.emplace(fmt::format("sha256-{}-{}", hex, good.size() + 1),
                             encode_base64(simple->message));
            } catch (const Error& error) {
                reasons += (reasons.empty() ? "" : "; ") + std::string(error.what());
                if (!error.hint().empty()) hint = error.hint();
            }
        }
    } catch (const Error& error) {
        throw fail(error.what(), error.hint());
    }
    if (good.empty()) throw fail(reasons.empty() ? "there is none" : reasons, hint);
    return good;
}

// Neither part has a blank, and only the second one may have an equals sign.
std::string to_words(const SignatureData& signatures) {
    std::set<std::string> words;
    for (const auto& [key, message] : signatures) words.insert(fmt::format("{}={}", key, message));
    return join_words(words);
}

void add_words(const std::string& words, SignatureData& to) {
    for (const std::string& word : word_set(words))
        if (const size_t end = word.find('='); end != word.npos)
            to.emplace(word.substr(0, end), word.substr(end + 1));
}

std::string signature_config_map(const SignatureData& signatures, const std::string& name) {
    cluster::Json object = cluster::named_object("v1", "ConfigMap", name, "openshift-config-managed");
    object["metadata"]["labels"] = {{"release.openshift.io/verification-signatures", ""}};
    object["binaryData"] = signatures;
    return kube::to_yaml(cluster::object_of(object).value());
}

} // namespace opcat
