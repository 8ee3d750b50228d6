#include "opcat/image/repository_manifests.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/image/push.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::image {
namespace {

std::string digest_of(const std::string& bytes) {
    return "sha256:" + sha256_hex(bytes);
}

std::string digits_of(const std::string& digest) {
    return digest.substr(digest.find(':') + 1);
}

} // namespace

HttpResponse RepositoryManifests::look_at(const std::string& reference) {
    HttpResponse answer = client_.send(
        endpoint_, {.path = "manifests/" + reference, .method = "HEAD", .accept = accepted_manifests()});
    // Nothing is known then, least of all that it is not there.
    if (may_pass(answer.status)) refuse(answer, endpoint_, "manifest " + reference);
    return answer;
}

std::string RepositoryManifests::digest_in(const HttpResponse& answer, const std::string& reference) {
    std::string said = answer.header("docker-content-digest");
    return is_sha256(said) ? said : digest_of(client_.manifest(endpoint_, reference));
}

std::optional<std::string> RepositoryManifests::find_own(const HttpResponse& answer, const std::string& tag,
                                                         const std::string& digest) {
    if (digest_in(answer, tag) == digest) return digest;
    const HttpResponse other = look_at(digits_of(digest));
    if (other.status != 200 || digest_in(other, digits_of(digest)) != digest) return std::nullopt;
    return digest;
}

void RepositoryManifests::put(const std::string& bytes, const std::string& reference) {
    list_if_needed(bytes, put_only(bytes, reference));
}

void RepositoryManifests::put_beside_referrers(const std::string& bytes, const std::string& digest,
                                               const std::string& tag) {
    const auto put_it = [&] {
        const std::lock_guard lock(lists_);
        const HttpResponse there = look_at(tag);
        const bool is_free = there.status == 404 || (there.status == 200 && digest_in(there, tag) == digest);
        return put_only(bytes, is_free ? tag : digits_of(digest));
    };
    list_if_needed(bytes, put_it());
}

bool RepositoryManifests::remove(const std::string& digest) {
    const std::lock_guard lock(lists_);
    const HttpResponse manifest =
        client_.send(endpoint_, {.path = "manifests/" + digest, .accept = accepted_manifests()});
    if (!remove_only(digest)) return false;
    if (const auto subject = subject_of(manifest.body); manifest.status == 200 && subject)
        change_list(*subject, [&](std::vector<Referrer>& listed) {
            return std::erase_if(listed, [&](const Referrer& one) { return one.manifest.digest == digest; }) >
                   0;
        });
    change_list(digest, [](std::vector<Referrer>& listed) {
        listed.clear();
        return true;
    });
    return true;
}

void RepositoryManifests::list_if_needed(const std::string& bytes, const HttpResponse& answer) {
    if (const auto subject = subject_of(bytes); subject && answer.header("oci-subject").empty())
        list(*subject, bytes);
}

void RepositoryManifests::list(const std::string& subject, const std::string& manifest) {
    const std::lock_guard lock(lists_);
    const std::string tag = tag_of_digest(subject);
    std::vector<Referrer> all;
    if (look_at(tag).status != 404) {
        const std::string bytes = client_.manifest(endpoint_, tag);
        if (digest_of(bytes) == subject)
            put_only(bytes, digits_of(subject)); // the image itself, which had the tag
        else if (auto listed = parse_referrers(bytes))
            all = *std::move(listed);
        else
            throw Error(
                fmt::format("the tag {} belongs to what refers to that image, and is another image", tag),
                "remove that tag");
    }
    Referrer own = referrer_of(manifest);
    if (std::any_of(all.begin(), all.end(),
                    [&](const Referrer& other) { return other.manifest.digest == own.manifest.digest; }))
        return;
    all.push_back(std::move(own));
    put_only(write_referrers(all), tag);
}

void RepositoryManifests::change_list(const std::string& subject,
                                      const std::function<bool(std::vector<Referrer>&)>& change) {
    const std::string tag = tag_of_digest(subject);
    const HttpResponse there = look_at(tag);
    if (there.status != 200) return;
    const std::string old = digest_in(there, tag);
    auto listed = parse_referrers(client_.manifest(endpoint_, tag));
    if (old == subject || !listed || !change(*listed)) return;
    if (!listed->empty()) put_only(write_referrers(*listed), tag);
    remove_only(old);
}

HttpResponse RepositoryManifests::send_manifest(const std::string& bytes, const std::string& reference) {
    for (unsigned attempt = 0;; ++attempt) {
        HttpResponse answer = client_.send(endpoint_, {.path = "manifests/" + reference,
                                                       .method = "PUT",
                                                       .body = bytes,
                                                       .content_type = media_type_of(parse_manifest(bytes)),
                                                       .patience = patience_at_the_end});
        // docker-registry reads the links of a manifest's blobs while another client writes them anew, and
        // then finds them empty.
        const bool may_read_half_a_link = answer.status == 400 && has_error(answer, "DIGEST_INVALID");
        if (!may_read_half_a_link || attempt >= client_.options().retries) return answer;
        client_.wait_before_retry(attempt, nullptr, endpoint_);
    }
}

HttpResponse RepositoryManifests::put_only(const std::string& bytes, const std::string& reference) {
    const std::string digest = digest_of(bytes);
    HttpResponse answer = send_manifest(bytes, reference);
    if (answer.status != 201 && answer.status != 200 && answer.status != 202)
        refuse(answer, endpoint_, "manifest " + reference, true);
    const std::string said = answer.header("docker-content-digest");
    // A page for people answers 200 to everything.
    if (answer.status != 201 && said != digest)
        throw Error(fmt::format("{} does not say that it has taken the manifest {} (it answered {})",
                                endpoint_.spec.registry(), digest, answer.status),
                    "is there something else than a registry at this address?");
    if (is_sha256(said) && said != digest)
        throw Error(fmt::format("{} was sent the manifest {} and has taken {}", endpoint_.spec.registry(),
                                digest, said));
    return answer;
}

bool RepositoryManifests::remove_only(const std::string& digest) {
    const HttpResponse answer = client_.send(endpoint_, {.path = "manifests/" + digest, .method = "DELETE"});
    if (answer.status == 404) return false;
    if (answer.status == 405 || answer.status == 400)
        throw Error(fmt::format("{} does not delete images ({})", endpoint_.spec.registry(), answer.status),
                    "it may have to be allowed in the registry's configuration");
    if (answer.status < 200 || answer.status > 299) refuse(answer, endpoint_, "manifest " + digest, true);
    return true;
}

} // namespace opcat::image
