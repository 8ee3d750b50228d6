#include "opcat/signatures/policy.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/signatures/strict_json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace opcat::signatures {
namespace {

constexpr uint64_t max_key_file = 4 << 20;

// An absolute path that can be compared with others.
bool is_clean_path(std::string_view path) {
    if (!path.starts_with('/')) return false;
    for (size_t at = 0; at != path.npos;) {
        const size_t next = path.find('/', at + 1);
        const std::string_view part = path.substr(at + 1, next == path.npos ? next : next - at - 1);
        if (part.empty() || part == "." || part == "..") return false;
        at = next;
    }
    return true;
}

class PolicyReader {
public:
    explicit PolicyReader(const StrictJson& json) : json_(json) {}

    Requirements requirements(const Value& list) const {
        Requirements all;
        for (const Value& item : json_.items(list)) all.push_back(requirement(item));
        if (all.empty()) json_.fail(list, "a list of requirements must not be empty");
        return all;
    }

    void check_scope(const Value& key, std::string_view transport) const {
        const std::string_view scope = key.string();
        if (scope.empty()) return;
        if (transport == "docker-archive") json_.fail(key, "docker-archive has no scopes other than \"\"");
        if ((transport == "dir" || transport == "oci" || transport == "oci-archive") && !is_clean_path(scope))
            json_.fail(key, fmt::format("the scope \"{}\" is not an absolute path without \".\", \"..\" and "
                                        "\"//\"",
                                        printable(scope)));
    }

private:
    Requirement requirement(const Value& item) const {
        json_.members(item);
        const Value* const kind = item.find("type");
        if (!kind) json_.fail(item, "the key \"type\" is missing");
        const std::string type = json_.text(*kind);
        if (type == "insecureAcceptAnything" || type == "reject") {
            json_.require_keys(item, {"type"});
            return {type == "reject" ? Requirement::Kind::reject : Requirement::Kind::accept_anything};
        }
        if (type == "signedBy") return signed_by(item);
        if (type == "sigstoreSigned") return sigstore_signed(item);
        if (type != "signedBaseLayer")
            json_.fail(*kind, fmt::format("requirements of type \"{}\" are unknown", printable(type)));
        json_.require_keys(item, {"type", "baseLayerIdentity"});
        identity(*item.find("baseLayerIdentity"));
        return {Requirement::Kind::unsupported, "signedBaseLayer"};
    }

    Requirement signed_by(const Value& item) const {
        json_.require_keys(item, {"type", "keyType"}, {"keyPath", "keyPaths", "keyData", "signedIdentity"});
        constexpr std::array<std::string_view, 4> types{"GPGKeys", "signedByGPGKeys", "X509Certificates",
                                                        "signedByX509CAs"};
        const std::string type = json_.text(item, "keyType");
        if (std::find(types.begin(), types.end(), type) == types.end())
            json_.fail(*item.find("keyType"), fmt::format("the keyType \"{}\" is unknown", printable(type)));
        Requirement found{Requirement::Kind::signed_by};
        const auto keys = sources(item, {"keyPath", "keyPaths", "keyData"}, true);
        if (!keys) json_.fail(item, "exactly one of keyPath, keyPaths and keyData is needed");
        found.keys = *keys;
        found.identity = identity_of(item);
        if (type != types.front())
            return {Requirement::Kind::unsupported, fmt::format("signedBy with the keyType {}", type)};
        return found;
    }

    Requirement sigstore_signed(const Value& item) const {
        json_.require_keys(item, {"type"},
                           {"keyPath", "keyPaths", "keyData", "keyDatas", "fulcio", "pki", "signedIdentity",
                            "rekorPublicKeyPath", "rekorPublicKeyPaths", "rekorPublicKeyData",
                            "rekorPublicKeyDatas"});
        Requirement found{Requirement::Kind::sigstore_signed};
        const auto keys = sources(item, {"keyPath", "keyPaths", "keyData", "keyDatas"}, false);
        const Value* const fulcio = item.find("fulcio");
        const Value* const pki = item.find("pki");
        if ((keys ? 1 : 0) + (fulcio ? 1 : 0) + (pki ? 1 : 0) != 1)
            json_.fail(item, "exactly one of keyPath, keyPaths, keyData, keyDatas, fulcio and pki is needed");
        if (keys) found.keys = *keys;
        found.rekor = sources(
            item, {"rekorPublicKeyPath", "rekorPublicKeyPaths", "rekorPublicKeyData", "rekorPublicKeyDatas"},
            false);
        found.identity = identity_of(item);
        if (fulcio) {
            found.fulcio = fulcio_root(*fulcio);
            if (!found.rekor) json_.fail(*fulcio, "with fulcio a public key of Rekor is needed");
        }
        if (pki) return {Requirement::Kind::unsupported, "sigstoreSigned with pki"};
        return found;
    }

    FulcioRoot fulcio_root(const Value& item) const {
        json_.require_keys(item, {"oidcIssuer", "subjectEmail"}, {"caPath", "caData"});
        const auto authorities = sources(item, {"caPath", "caData"}, false);
        if (!authorities) json_.fail(item, "exactly one of caPath and caData is needed");
        FulcioRoot root{*authorities, json_.text(item, "oidcIssuer"), json_.text(item, "subjectEmail")};
        if (root.issuer.empty() || root.email.empty())
            json_.fail(item, "oidcIssuer and subjectEmail must not be empty");
        return root;
    }

    // The keys of the one member that is there; nothing if none is.
    std::optional<KeySources> sources(const Value& item, std::initializer_list<std::string_view> keys,
                                      bool may_be_empty) const {
        std::optional<KeySources> found;
        for (const std::string_view key : keys) {
            const Value* const value = item.find(key);
            if (!value) continue;
            if (found)
                json_.fail(*value, fmt::format("{} and another source of keys exclude each other", key));
            found = KeySources();
            const bool is_data = key.find("Data") != key.npos;
            for (const Value& one : key.ends_with('s') ? json_.items(*value) : std::span(value, 1)) {
                const std::string text = json_.text(one);
                if (text.empty()) json_.fail(one, fmt::format("{} must not be empty", key));
                if (!is_data) {
                    found->paths.push_back(text);
                    continue;
                }
                const auto data = decode_base64(text);
                if (!data) json_.fail(one, fmt::format("{} is not base64", key));
                found->data.push_back(*data);
            }
            if (!may_be_empty && found->paths.empty() && found->data.empty())
                json_.fail(*value, fmt::format("{} must not be empty", key));
        }
        return found;
    }

    SignedIdentity identity_of(const Value& item) const {
        const Value* const found = item.find("signedIdentity");
        return found ? identity(*found) : SignedIdentity();
    }

    SignedIdentity identity(const Value& item) const {
        json_.members(item);
        const Value* const kind = item.find("type");
        if (!kind) json_.fail(item, "the key \"type\" is missing");
        const std::string type = json_.text(*kind);
        using Kind = SignedIdentity::Kind;
        constexpr std::array<std::pair<std::string_view, Kind>, 3> plain{
            {{"matchExact", Kind::match_exact},
             {"matchRepoDigestOrExact", Kind::match_repo_digest_or_exact},
             {"matchRepository", Kind::match_repository}}};
        for (const auto& [name, plain_kind] : plain) {
            if (type != name) continue;
            json_.require_keys(item, {"type"});
            return SignedIdentity(plain_kind);
        }
        if (type == "exactReference") {
            json_.require_keys(item, {"type", "dockerReference"});
            PullSpec name = name_in(*item.find("dockerReference"));
            if (name.tag().empty() && name.digest().empty())
                json_.fail(item, "the dockerReference has neither a tag nor a digest");
            return {Kind::exact_reference, std::move(name)};
        }
        if (type == "exactRepository") {
            json_.require_keys(item, {"type", "dockerRepository"});
            return {Kind::exact_repository, name_in(*item.find("dockerRepository"))};
        }
        if (type == "remapIdentity") {
            json_.require_keys(item, {"type", "prefix", "signedPrefix"});
            return {prefix_in(*item.find("prefix")), prefix_in(*item.find("signedPrefix"))};
        }
        json_.fail(*kind, fmt::format("a signedIdentity of type \"{}\" is unknown", printable(type)));
    }

    PullSpec name_in(const Value& value) const {
        const std::string text = json_.text(value);
        const auto spec = PullSpec::parse(text);
        if (!spec) json_.fail(value, fmt::format("\"{}\" is not the name of an image", printable(text)));
        return *spec;
    }

    std::string prefix_in(const Value& value) const {
        std::string text = json_.text(value);
        if (!SignedIdentity::is_prefix(text))
            json_.fail(value,
                       fmt::format("\"{}\" is not a registry, a namespace or a repository", printable(text)));
        return text;
    }

    const StrictJson& json_;
};

} // namespace

std::vector<std::string> KeySources::load() const {
    std::vector<std::string> all = data;
    for (const std::string& path : paths) all.emplace_back(read_file(path, path, max_key_file)->bytes());
    return all;
}

Policy::Policy(std::string name, std::string_view text) : name_(std::move(name)) {
    const StrictJson json(name_, text);
    const PolicyReader reader(json);
    json.require_keys(json.root(), {"default"}, {"transports"});
    general_ = reader.requirements(*json.root().find("default"));
    const Value* const transports = json.root().find("transports");
    if (!transports) return;
    for (const Member& transport : json.members(*transports)) {
        const std::string transport_name(transport.key.string());
        auto& scopes = transports_[transport_name];
        for (const Member& scope : json.members(transport.value)) {
            reader.check_scope(scope.key, transport_name);
            scopes[std::string(scope.key.string())] = reader.requirements(scope.value);
        }
    }
}

const Requirements& Policy::for_image(const ImageIdentity& image) const {
    const auto transport = transports_.find(image.transport);
    if (transport == transports_.end()) return general_;
    for (const std::string& scope : image.scopes)
        if (const auto at = transport->second.find(scope); at != transport->second.end()) return at->second;
    const auto usual = transport->second.find("");
    return usual == transport->second.end() ? general_ : usual->second;
}

} // namespace opcat::signatures
