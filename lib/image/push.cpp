#include "opcat/image/push.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/access.hpp"
#include "opcat/image/repository_manifests.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <utility>
#include <vector>

namespace opcat::image {

void KnownBlobs::add(const PullSpec& spec, const std::string& digest) {
    const std::lock_guard lock(mutex_);
    auto& repositories = repositories_[{spec.registry(), digest}];
    if (std::find(repositories.begin(), repositories.end(), spec.repository()) == repositories.end())
        repositories.push_back(spec.repository());
}

bool KnownBlobs::has(const PullSpec& spec, const std::string& digest) const {
    const std::lock_guard lock(mutex_);
    const auto at = repositories_.find({spec.registry(), digest});
    return at != repositories_.end() &&
           std::find(at->second.begin(), at->second.end(), spec.repository()) != at->second.end();
}

std::optional<std::string> KnownBlobs::elsewhere(const PullSpec& spec, const std::string& digest) const {
    const std::lock_guard lock(mutex_);
    const auto at = repositories_.find({spec.registry(), digest});
    if (at == repositories_.end() || at->second.front() == spec.repository()) return std::nullopt;
    return at->second.front();
}

std::mutex& KnownBlobs::referrers_mutex(const PullSpec& spec) {
    const std::lock_guard lock(mutex_);
    return referrers_mutexes_[spec.name()];
}

namespace {

// To send so much takes about as long as to ask whether it is there.
constexpr uint64_t most_of_small_blob = uint64_t{256} << 10;

// Why an upload ended. Not an Error, because the writer into the sink would treat that as one of the source.
struct UploadEnded {
    Error error;
    bool may_pass = false; // all of it may be sent once more
    std::optional<HttpResponse> answer{};
};

Url location_of(const HttpResponse& answer, const Endpoint& endpoint, const Options& options) {
    const std::string location = answer.header("location");
    if (location.empty())
        throw Error(fmt::format("{} does not say where to send a blob to", endpoint.spec.registry()));
    Url url = Url::parse(location, &answer.url);
    if (answer.url.scheme == "https" && url.scheme == "http")
        throw Error(fmt::format("{} asks for a blob in plain HTTP at {}", endpoint.spec.registry(), url.host),
                    "the registry must know that it is reached by https: X-Forwarded-Proto of a proxy before "
                    "it, for example");
    if (!options.may_upload_to(url.host, api_host(endpoint.spec.registry())))
        throw Error(fmt::format("{} asks for a blob to be sent to another host, {}", endpoint.spec.registry(),
                                url.host),
                    "if that is the registry's storage, allow it: --allow-upload-host " + url.host);
    return url;
}

// "0-99" → 100. Registries say "0-0" of an upload that has nothing yet.
std::optional<uint64_t> bytes_in(std::string_view range) {
    if (range.starts_with("bytes=")) range.remove_prefix(6);
    if (!range.starts_with("0-")) return std::nullopt;
    range.remove_prefix(2);
    uint64_t last = 0;
    const auto [end, failed] = std::from_chars(range.data(), range.data() + range.size(), last);
    if (failed != std::errc() || end != range.data() + range.size()) return std::nullopt;
    return last == 0 ? 0 : last + 1;
}

// A blob on its way into a repository. One that fits into a piece is sent when it is complete; of others each
// piece is sent as soon as it is full, and sent on where it broke off.
class Upload : public BlobSink {
public:
    Upload(RegistryClient& client, const Endpoint& endpoint, const Descriptor& blob,
           std::function<void(uint64_t)> on_bytes, std::optional<Url> begun)
        : BlobSink(blob, std::move(on_bytes)), client_(client), endpoint_(endpoint), url_(std::move(begun)) {
        buffer_.reserve(std::min(blob.size, upload_piece));
    }

    // Checks what has come, and has the registry take it. Throws Error and UploadEnded.
    void finish() {
        check();
        if (sent_ > 0 && !buffer_.empty()) send_piece();
        complete();
    }

private:
    void put(std::string_view bytes) override {
        while (!bytes.empty()) {
            const std::string_view part = bytes.substr(0, upload_piece - buffer_.size());
            buffer_ += part;
            bytes.remove_prefix(part.size());
            if (buffer_.size() < upload_piece || sent_ + buffer_.size() == expected_size()) continue;
            try {
                send_piece();
            } catch (const Error& error) {
                throw UploadEnded{error};
            }
        }
    }

    void clear() override {
        buffer_.clear();
        sent_ = 0;
        url_.reset();
    }

    std::string what() const { return fmt::format("blob {}", expected().digest); }

    void begin() {
        if (url_) return;
        const HttpResponse answer =
            client_.send(endpoint_, {.path = "blobs/uploads/", .method = "POST", .body = ""});
        if (answer.status != 202) refuse(answer, endpoint_, what(), true);
        url_ = location_of(answer, endpoint_, client_.options());
    }

    // All that is in the buffer.
    void send_piece() {
        begin();
        const uint64_t end = sent_ + buffer_.size();
        for (unsigned attempt = 0; sent_ < end; ++attempt) {
            const bool last = attempt >= client_.options().retries;
            std::optional<HttpResponse> answer;
            try {
                answer = client_.send(endpoint_, {.path = {},
                                                  .method = "PATCH",
                                                  .url = url_,
                                                  .body = buffer_,
                                                  .content_range = fmt::format("{}-{}", sent_, end - 1),
                                                  .repeat = false});
                if (answer->status == 202 || answer->status == 204) {
                    url_ = location_of(*answer, endpoint_, client_.options());
                    sent_ = end;
                    buffer_.clear();
                    return;
                }
                if (answer->status == 404) lost(*answer);
                if (last || (!may_pass(answer->status) && answer->status != 416))
                    refuse(*answer, endpoint_, what(), true);
            } catch (const TransferError& error) {
                if (last || error.kind() != TransferError::Kind::broken)
                    throw error.with_message(error.what());
            }
            client_.wait_before_retry(attempt, answer ? &*answer : nullptr, endpoint_);
            go_on(end);
        }
    }

    [[noreturn]] void lost(const HttpResponse& answer) const {
        throw UploadEnded{Error(fmt::format("{} has lost a part of {} (it answered {})",
                                            endpoint_.spec.registry(), what(), answer.status)),
                          true, answer};
    }

    // Asks how much the registry has received, and removes that from the buffer, which reaches up to `end`.
    void go_on(uint64_t end) {
        const HttpResponse answer = client_.send(endpoint_, {.path = {}, .url = url_});
        const auto has = bytes_in(answer.header("range"));
        if (answer.status != 204 || !has || *has < sent_ || *has > end) lost(answer);
        url_ = location_of(answer, endpoint_, client_.options());
        buffer_.erase(0, *has - sent_);
        sent_ = *has;
    }

    void complete() {
        begin();
        const std::string& digest = expected().digest;
        const char separator = url_->text.find('?') == std::string::npos ? '?' : '&';
        const Url url = Url::parse(fmt::format("{}{}digest={}", url_->text, separator, url_escape(digest)));
        const HttpResponse answer = send_last(url);
        if (answer.status != 201 && answer.status != 204) {
            if (answer.status == 404) lost(answer);
            refuse(answer, endpoint_, what(), true);
        }
        const std::string said = answer.header("docker-content-digest");
        if (is_sha256(said) && said != digest)
            throw Error(fmt::format("{} was sent the blob {} and has taken {}", endpoint_.spec.registry(),
                                    digest, said));
    }

    // Only repeated after an answer: without one the blob may be complete nevertheless.
    HttpResponse send_last(const Url& url) {
        for (unsigned attempt = 0;; ++attempt) {
            try {
                HttpResponse answer = client_.send(endpoint_, {.path = {},
                                                               .method = "PUT",
                                                               .url = url,
                                                               .body = buffer_,
                                                               .repeat = false,
                                                               .patience = patience_at_the_end});
                if (!may_pass(answer.status) || attempt >= client_.options().retries) return answer;
                client_.wait_before_retry(attempt, &answer, endpoint_);
            } catch (const TransferError& error) {
                throw UploadEnded{error, error.kind() == TransferError::Kind::broken};
            }
        }
    }

    RegistryClient& client_;
    const Endpoint& endpoint_;
    std::optional<Url> url_; // where it goes on; nothing: it has not begun
    uint64_t sent_ = 0;      // bytes that the registry has
    std::string buffer_;     // what comes after them
};

class RegistryWriter : public ImageWriter {
public:
    RegistryWriter(RegistryClient& client, KnownBlobs& known, Endpoint endpoint)
        : client_(client), known_(known), endpoint_(std::move(endpoint)),
          manifests_(client, endpoint_, known.referrers_mutex(endpoint_.spec)) {}

    std::optional<std::string> current_digest() override {
        const std::string reference = endpoint_.spec.reference();
        const HttpResponse answer = manifests_.look_at(reference);
        if (is_stranger(answer)) refuse(answer, endpoint_, "manifest " + reference);
        may_look_ = answer.status != 401 && answer.status != 403;
        if (answer.status != 200)
            return std::nullopt; // an account that may not look may still be allowed to push
        if (const auto own = digest_of_tag(reference)) return manifests_.find_own(answer, reference, *own);
        return manifests_.digest_in(answer, reference);
    }

    bool has_blob(const Descriptor& blob, const std::vector<PullSpec>& from) override {
        if (known_.has(endpoint_.spec, blob.digest) || exists(blob)) return true;
        return std::any_of(from.begin(), from.end(), [&](const PullSpec& spec) {
            return spec.registry() == endpoint_.spec.registry() && exists(blob, spec);
        });
    }

    bool obtain_blob(const Descriptor& blob, const std::vector<PullSpec>& from) override {
        const PullSpec& here = endpoint_.spec;
        if (known_.has(here, blob.digest)) return true;
        auto other = known_.elsewhere(here, blob.digest);
        for (const PullSpec& spec : from)
            if (!other && spec.registry() == here.registry()) other = spec.repository();
        const bool is_small = blob.size <= most_of_small_blob;
        // From here: then the one request says that it is there, or begins to send it.
        if (!other && is_small) other = here.repository();
        const bool may_mount = other && (is_small || *other != here.repository());
        const Mount mounted = may_mount ? mount(blob, *other) : Mount::refused;
        const bool there =
            mounted == Mount::done || ((mounted == Mount::refused || !is_small) && exists(blob));
        if (there) known_.add(here, blob.digest);
        return there;
    }

    void put_blob(const Descriptor& blob, const std::function<void(uint64_t)>& on_bytes,
                  const FillBlob& fill) override {
        for (unsigned attempt = 0;; ++attempt) {
            Upload upload(client_, endpoint_, blob, on_bytes, take_begun(blob));
            try {
                fill(upload);
                upload.finish();
                break;
            } catch (const UploadEnded& end) {
                if (!end.may_pass) throw Error(end.error);
                if (attempt >= client_.options().retries) throw Error(end.error);
                client_.wait_before_retry(attempt, end.answer ? &*end.answer : nullptr, endpoint_);
                if (exists(blob)) break;
            }
        }
        known_.add(endpoint_.spec, blob.digest);
    }

    bool lacks_manifest(const std::string& digest) override {
        return manifests_.look_at(digest).status == 404;
    }

    bool has_manifest(const Descriptor& wanted) override {
        return manifests_.look_at(wanted.digest).status == 200;
    }

    void put_manifest(const std::string& bytes) override {
        manifests_.put(bytes, "sha256:" + sha256_hex(bytes));
    }

    void put_image(const std::string& bytes) override {
        const std::string digest = "sha256:" + sha256_hex(bytes);
        const std::string& wanted = endpoint_.spec.digest();
        if (!wanted.empty() && wanted != digest)
            throw Error(fmt::format("the image has the digest {}, not {}", digest, wanted),
                        "write the target with a tag, or without a digest");
        const std::string reference = endpoint_.spec.reference();
        const auto own = digest_of_tag(reference);
        if (!own) return manifests_.put(bytes, reference);
        if (*own != digest)
            throw Error(
                fmt::format("the tag {} belongs to what refers to the image {}, and this is the image {}",
                            reference, *own, digest),
                "choose another tag");
        manifests_.put_beside_referrers(bytes, digest, reference);
    }

    bool may_look() const override { return may_look_; }

private:
    // Returns true if the registry does not know who asks: a token server has accepted an account that has a
    // token.
    bool is_stranger(const HttpResponse& answer) const {
        const PullSpec& spec = endpoint_.spec;
        return answer.status == 401 &&
               (!find_challenge(answer.header("www-authenticate"), "bearer") ||
                !find_credentials(client_.options().auth_files, spec.registry(), spec.repository()));
    }

    bool exists(const Descriptor& blob) { return exists(blob, endpoint_.spec); }

    // In a repository of this registry.
    bool exists(const Descriptor& blob, const PullSpec& repository) {
        Endpoint place = endpoint_;
        place.spec = repository;
        const HttpResponse answer = client_.send(place, {.path = "blobs/" + blob.digest, .method = "HEAD"});
        if (answer.status >= 500 || answer.status == 429) refuse(answer, place, "blob " + blob.digest);
        return answer.status == 200;
    }

    enum class Mount { done, upload_began, refused };

    // A registry that cannot do it, or may not, begins an upload instead, or refuses.
    Mount mount(const Descriptor& blob, const std::string& repository) {
        const HttpResponse answer =
            client_.send(endpoint_, {.path = fmt::format("blobs/uploads/?mount={}&from={}",
                                                         url_escape(blob.digest), url_escape(repository)),
                                     .method = "POST",
                                     .body = ""});
        if (answer.status != 202) return answer.status == 201 ? Mount::done : Mount::refused;
        const std::lock_guard lock(mutex_);
        begun_.insert_or_assign(blob.digest, location_of(answer, endpoint_, client_.options()));
        return Mount::upload_began;
    }

    std::optional<Url> take_begun(const Descriptor& blob) {
        const std::lock_guard lock(mutex_);
        auto node = begun_.extract(blob.digest);
        return node ? std::optional(std::move(node.mapped())) : std::nullopt;
    }

    RegistryClient& client_;
    KnownBlobs& known_;
    const Endpoint endpoint_;
    RepositoryManifests manifests_;
    std::atomic<bool> may_look_{true};
    std::mutex mutex_;
    std::map<std::string, Url> begun_; // uploads that the registry began in place of a mount, by digest
};

} // namespace

std::unique_ptr<ImageWriter> write_to_registry(RegistryClient& client, KnownBlobs& known, Endpoint endpoint) {
    return std::make_unique<RegistryWriter>(client, known, std::move(endpoint));
}

bool delete_from_registry(RegistryClient& client, KnownBlobs& known, const Endpoint& endpoint,
                          const std::string& digest) {
    return RepositoryManifests(client, endpoint, known.referrers_mutex(endpoint.spec)).remove(digest);
}

} // namespace opcat::image
