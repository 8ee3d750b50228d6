#include "opcat/image/registry.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/access.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace opcat::image {
namespace {

// A mirror that fails is no reason to wait long: there is another place.
constexpr unsigned mirror_retries = 1;
// What is attached to an image is looked for before the image is copied.
constexpr size_t most_of_manifests = size_t{8} << 20;

// The list `errors` of an answer; empty if it has none.
nlohmann::json errors_in(const HttpResponse& answer) {
    auto json = parse_json<nlohmann::json>(answer.body);
    if (!json.is_object() || !json.contains("errors") || !json["errors"].is_array())
        return nlohmann::json::array();
    return std::move(json["errors"]);
}

std::string text_in(const nlohmann::json& error, const char* name) {
    return error.is_object() && error.contains(name) && error[name].is_string()
               ? error[name].get<std::string>()
               : std::string();
}

// ": manifest unknown", or nothing: the registry's own words.
std::string own_words(const HttpResponse& answer) {
    const auto errors = errors_in(answer);
    if (errors.empty()) return {};
    for (const char* name : {"message", "code"})
        if (const std::string text = text_in(errors[0], name); !text.empty()) return ": " + printable(text);
    return {};
}

} // namespace

std::string api_host(const std::string& registry) {
    return registry == "docker.io" ? "registry-1.docker.io" : registry;
}

bool has_error(const HttpResponse& answer, std::string_view code) {
    const auto errors = errors_in(answer);
    return std::any_of(errors.begin(), errors.end(),
                       [&](const auto& error) { return text_in(error, "code") == code; });
}

void refuse(const HttpResponse& answer, const Endpoint& endpoint, const std::string& what, bool pushing) {
    const std::string& registry = endpoint.spec.registry();
    const std::string& repository = endpoint.spec.repository();
    const std::string words = own_words(answer);
    switch (answer.status) {
    case 401:
    case 403:
        if (pushing)
            throw Error(fmt::format("{} does not allow to push to {} ({}{})", registry, repository,
                                    answer.status, words),
                        fmt::format("log in as a user who may, for example with podman login {}", registry));
        throw Error(
            fmt::format("{} denies access to {} ({}{})", registry, repository, answer.status, words),
            fmt::format(
                "log in, for example with podman login {}; some registries also answer so if the image "
                "does not exist",
                registry));
    case 404:
        if (pushing)
            throw Error(
                fmt::format("{} does not accept {} into {} (404{})", registry, what, repository, words),
                "some registries need a repository to be created before the first push");
        throw Error(fmt::format("{} has no {} in {} (404{})", registry, what, repository, words)).as_absent();
    case 413:
        throw Error(fmt::format("{} finds {} too large (413{})", registry, what, words),
                    "a proxy before the registry may limit the size of requests: nginx, for example, by "
                    "client_max_body_size");
    case 429:
        throw Error(fmt::format("{} says that there were too many requests (429{})", registry, words),
                    "wait, or log in: many registries then allow more")
            .as_temporary();
    default:
        const Error error(fmt::format("{} answered {} when {} {}{}", registry, answer.status,
                                      pushing ? "sent" : "asked for", what, words));
        throw may_pass(answer.status) ? error.as_temporary() : error;
    }
}

RegistryClient::RegistryClient(const Options& options) : options_(options), http_(options) {}

std::shared_ptr<RegistryClient::Access> RegistryClient::access_to(const PullSpec& spec) {
    const std::lock_guard lock(mutex_);
    auto& access = access_[spec.name()];
    if (!access) access = std::make_shared<Access>();
    return access;
}

HttpResponse RegistryClient::send_over(const std::string& scheme, const Endpoint& endpoint,
                                       const RegistryRequest& wanted, BlobSink* file) {
    const std::string below_host = wanted.path.starts_with('/')
                                       ? wanted.path
                                       : fmt::format("/v2/{}/{}", endpoint.spec.repository(), wanted.path);
    const Url own = Url::parse(scheme + "://" + api_host(endpoint.spec.registry()) + below_host);
    HttpRequest request;
    request.url = wanted.url.value_or(own);
    request.method = wanted.method;
    request.accept = wanted.accept;
    request.body = wanted.body;
    request.content_type = wanted.content_type;
    request.content_range = wanted.content_range;
    request.patience = wanted.patience;
    if (wanted.repeat)
        request.retries = endpoint.is_mirror ? std::min(mirror_retries, options_.retries) : options_.retries;
    // An upload may go on at another place, to which the credentials do not belong.
    const bool at_registry = request.url.same_origin(own);
    request.any_certificate = endpoint.insecure && at_registry;
    request.client_certificate = at_registry;
    if (!at_registry) return http_.send(request, file);
    const auto access = access_to(endpoint.spec);
    const auto current = [&] {
        const std::lock_guard lock(access->mutex);
        return access->authorization;
    };
    request.authorization = current();
    HttpResponse answer = http_.send(request, file);
    // A server to which a redirect led has nothing to ask for. What another thread has got meanwhile is tried
    // first; it may be for less than this request needs.
    for (bool asked = false; !asked && answer.status == 401 && answer.url.same_origin(request.url);) {
        {
            const std::lock_guard lock(access->mutex);
            asked = access->authorization == request.authorization;
            if (asked) access->authorization = authorize(http_, options_, endpoint.spec, request, answer);
            if (access->authorization.empty()) return answer;
            request.authorization = access->authorization;
        }
        answer = http_.send(request, file);
    }
    return answer;
}

HttpResponse RegistryClient::send(const Endpoint& endpoint, const RegistryRequest& request, BlobSink* file) {
    if (request.url) return send_over(request.url->scheme, endpoint, request, file);
    if (options_.use_http) return send_over("http", endpoint, request, file);
    if (!endpoint.insecure) return send_over("https", endpoint, request, file);
    const std::string& host = endpoint.spec.registry();
    std::string known;
    {
        const std::lock_guard lock(mutex_);
        if (const auto at = schemes_.find(host); at != schemes_.end()) known = at->second;
    }
    if (!known.empty()) return send_over(known, endpoint, request, file);
    const auto remember = [&](const std::string& scheme) {
        const std::lock_guard lock(mutex_);
        schemes_[host] = scheme;
    };
    try {
        HttpResponse answer = send_over("https", endpoint, request, file);
        remember("https");
        return answer;
    } catch (const TransferError&) {
        HttpResponse answer = send_over("http", endpoint, request, file);
        remember("http");
        return answer;
    }
}

bool RegistryClient::keeps_signatures(const Endpoint& endpoint) {
    const std::string& host = endpoint.spec.registry();
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = keep_signatures_.find(host); known != keep_signatures_.end())
            return known->second;
    }
    // Also the answer that asks for a login has it.
    const bool keeps = send(endpoint, {.path = "/v2/"}).header("x-registry-supports-signatures") == "1";
    const std::lock_guard lock(mutex_);
    keep_signatures_[host] = keeps;
    return keeps;
}

std::string RegistryClient::manifest(const Endpoint& endpoint, const std::string& reference) {
    const bool by_digest = reference.find(':') != std::string::npos;
    const std::string name = fmt::format("{}@{}", endpoint.spec.name(), reference);
    if (by_digest) {
        const std::lock_guard lock(mutex_);
        if (const auto kept = manifests_.find(name); kept != manifests_.end()) return kept->second;
    }
    HttpResponse answer = send(endpoint, {.path = "manifests/" + reference, .accept = accepted_manifests()});
    if (answer.status != 200) refuse(answer, endpoint, "manifest " + reference);
    const std::string digest = "sha256:" + sha256_hex(answer.body);
    const std::string said = by_digest ? reference : answer.header("docker-content-digest");
    if ((by_digest || is_sha256(said)) && said != digest && !looks_like_html(answer.body))
        throw DamagedContent(fmt::format("{} sent a manifest with the digest {} in place of {}",
                                         endpoint.spec.registry(), digest, said));
    if (by_digest && said == digest) {
        const std::lock_guard lock(mutex_);
        if (size_of_manifests_ + answer.body.size() <= most_of_manifests &&
            manifests_.try_emplace(name, answer.body).second)
            size_of_manifests_ += answer.body.size();
    }
    return std::move(answer.body);
}

void RegistryClient::blob(const Endpoint& endpoint, const Descriptor& blob, BlobSink& file) {
    const HttpResponse answer = send(endpoint, {.path = "blobs/" + blob.digest}, &file);
    if (answer.status != 200 && answer.status != 206) refuse(answer, endpoint, "blob " + blob.digest);
    file.check();
}

namespace {

template <class Action>
void at_first_that_can(const std::vector<Endpoint>& endpoints, const Action& action) {
    std::string failures;
    for (size_t i = 0; i < endpoints.size(); ++i) {
        try {
            return action(endpoints[i]);
        } catch (const NotAccepted&) {
            throw;
        } catch (const Error& error) {
            if (endpoints.size() == 1) throw;
            failures += fmt::format("{}{}: {}", failures.empty() ? "" : "; ",
                                    endpoints[i].is_mirror ? "the mirror " + endpoints[i].spec.registry()
                                                           : "the registry",
                                    error.what());
            if (i + 1 == endpoints.size()) throw error.with_message(failures);
        }
    }
}

void check_digests(const std::vector<Endpoint>& endpoints) {
    for (const Endpoint& endpoint : endpoints)
        if (const auto& digest = endpoint.spec.digest(); !digest.empty() && !is_sha256(digest))
            throw Error(fmt::format("digests such as {} are not supported, only those of sha256",
                                    digest.substr(0, digest.find(':'))));
}

class InRegistry : public Source {
public:
    InRegistry(RegistryClient& client, BlobStore& store, std::vector<Endpoint> endpoints,
               const PlatformChoice& platform, const CheckManifest& check)
        : client_(client), store_(store), endpoints_(std::move(endpoints)) {
        check_digests(endpoints_);
        at_first_that_can(endpoints_, [&](const Endpoint& endpoint) {
            contents_ = read_contents(
                top_manifest(endpoint), platform,
                [&](Document kind, const Descriptor& wanted) { return document(endpoint, kind, wanted); },
                [&](const std::string& manifest) {
                    if (check) check(manifest, endpoint);
                });
        });
        contents_.documents = std::move(documents_);
    }

    std::filesystem::path layer(size_t index, const std::function<void(uint64_t)>& on_bytes) override {
        const Descriptor& blob = contents_.layers.at(index);
        return store_.get(blob, on_bytes, [&](BlobSink& file) {
            bool is_first = true;
            at_first_that_can(endpoints_, [&](const Endpoint& endpoint) {
                // What another place sent may have been wrong.
                if (!std::exchange(is_first, false) && file.size() > 0) file.restart();
                client_.blob(endpoint, blob, file);
            });
        });
    }

private:
    // What has a digest needs no second request.
    std::string top_manifest(const Endpoint& endpoint) {
        const std::string& digest = endpoint.spec.digest();
        if (digest.empty()) return client_.manifest(endpoint, endpoint.spec.reference());
        if (auto kept = store_.read(digest, max_document_size)) return *std::move(kept);
        std::string bytes = client_.manifest(endpoint, endpoint.spec.reference());
        store_.keep(digest, bytes);
        return bytes;
    }

    // Kept like a layer.
    std::string document(const Endpoint& endpoint, Document kind, const Descriptor& wanted) {
        if (wanted.size > max_document_size)
            throw Error(fmt::format("a document of the image has {} bytes, more than the limit of {}",
                                    wanted.size, max_document_size));
        const auto path = store_.get(wanted, {}, [&](BlobSink& file) {
            if (kind == Document::manifest)
                file.write(client_.manifest(endpoint, wanted.digest));
            else
                client_.blob(endpoint, wanted, file);
        });
        documents_.push_back(wanted.digest);
        return std::string(read_file(path, path.string())->bytes());
    }

    RegistryClient& client_;
    BlobStore& store_;
    std::vector<Endpoint> endpoints_;
    std::vector<std::string> documents_; // that have been read
};

class RegistryReader : public ImageReader {
public:
    RegistryReader(RegistryClient& client, std::vector<Endpoint> endpoints, CheckManifest check)
        : client_(client), endpoints_(std::move(endpoints)), check_(std::move(check)) {
        check_digests(endpoints_);
    }

    std::optional<std::string> digest() const override {
        const std::string& named = endpoints_.back().spec.digest();
        return named.empty() ? std::nullopt : std::optional(named);
    }

    bool verifies() const override { return static_cast<bool>(check_); }

    std::string manifest() override { return checked(endpoints_.back().spec.reference()); }
    std::string manifest(const Descriptor& wanted) override { return checked(wanted.digest); }

    void blob(const Descriptor& wanted, BlobSink& to) override {
        at_first_that_can(endpoints_, [&](const Endpoint& endpoint) {
            if (to.size() > 0) to.restart(); // what another place sent may have been wrong
            client_.blob(endpoint, wanted, to);
        });
    }

    bool has_blob(const Descriptor& wanted) override {
        bool there = false;
        at_first_that_can(endpoints_, [&](const Endpoint& endpoint) {
            const HttpResponse answer =
                client_.send(endpoint, {.path = "blobs/" + wanted.digest, .method = "HEAD"});
            if (answer.status != 200 && answer.status != 404)
                refuse(answer, endpoint, "blob " + wanted.digest);
            const std::string length = answer.header("content-length");
            there = answer.status == 200 && (length.empty() || length == std::to_string(wanted.size));
        });
        return there;
    }

    std::vector<PullSpec> repositories(const Descriptor& /*blob*/) const override {
        std::vector<PullSpec> specs;
        for (const Endpoint& endpoint : endpoints_) specs.push_back(endpoint.spec);
        return specs;
    }

private:
    // Mirrors have an image under the same tag or digest.
    std::string checked(const std::string& reference) {
        std::string bytes;
        at_first_that_can(endpoints_, [&](const Endpoint& endpoint) {
            bytes = client_.manifest(endpoint, reference);
            if (check_) check_(bytes, endpoint);
        });
        return bytes;
    }

    RegistryClient& client_;
    std::vector<Endpoint> endpoints_;
    const CheckManifest check_;
};

} // namespace

std::unique_ptr<ImageReader> read_from_registry(RegistryClient& client, std::vector<Endpoint> endpoints,
                                                CheckManifest check) {
    return std::make_unique<RegistryReader>(client, std::move(endpoints), std::move(check));
}

std::unique_ptr<Source> open_in_registry(RegistryClient& client, BlobStore& store,
                                         std::vector<Endpoint> endpoints, const PlatformChoice& platform,
                                         const CheckManifest& check) {
    return std::make_unique<InRegistry>(client, store, std::move(endpoints), platform, check);
}

bool is_kept(BlobStore& store, const std::string& digest, const PlatformChoice& platform) {
    const auto read = [&](const std::string& wanted) {
        auto bytes = store.read(wanted, max_document_size);
        if (!bytes) throw Error(fmt::format("the cache does not have {}", wanted));
        return *std::move(bytes);
    };
    try {
        const Contents contents = read_contents(
            read(digest), platform, [&](Document, const Descriptor& wanted) { return read(wanted.digest); });
        return std::all_of(contents.layers.begin(), contents.layers.end(),
                           [&](const Descriptor& layer) { return store.has(layer); });
    } catch (const Error&) {
        return false;
    }
}

std::string digest_in_registry(RegistryClient& client, const std::vector<Endpoint>& endpoints) {
    std::string digest;
    at_first_that_can(endpoints, [&](const Endpoint& endpoint) {
        digest = endpoint.spec.digest();
        if (digest.empty())
            digest = "sha256:" + sha256_hex(client.manifest(endpoint, endpoint.spec.reference()));
    });
    return digest;
}

bool stands_for(RegistryClient& client, const std::vector<Endpoint>& endpoints, std::string_view digest) {
    bool found = false;
    at_first_that_can(endpoints, [&](const Endpoint& endpoint) {
        const std::string document = client.manifest(endpoint, endpoint.spec.reference());
        found = "sha256:" + sha256_hex(document) == digest;
        const auto parsed = parse_manifest(document);
        if (const Index* const index = std::get_if<Index>(&parsed))
            found = found || std::any_of(index->entries.begin(), index->entries.end(),
                                         [&](const IndexEntry& e) { return e.manifest.digest == digest; });
    });
    return found;
}

} // namespace opcat::image
