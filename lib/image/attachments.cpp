#include "opcat/image/attachments.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/image/referrers.hpp"
#include "opcat/image/tags.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>

namespace opcat::image {
namespace {

constexpr size_t max_pages = 50; // of referrers
constexpr size_t max_found = 1000;
constexpr std::string_view tag_start = "sha256-";

bool is_denied(const HttpResponse& answer) {
    return answer.status == 401 || answer.status == 403;
}

} // namespace

const AttachmentFinder::Tags& AttachmentFinder::tags_of(const Endpoint& endpoint) {
    Repository* repository = nullptr;
    {
        const std::lock_guard lock(mutex_);
        auto& known = repositories_[endpoint.spec.name()];
        if (!known) known = std::make_unique<Repository>();
        repository = known.get();
    }
    const std::lock_guard lock(repository->mutex);
    if (repository->listed) return repository->tags;
    repository->listed = true;
    repository->tags =
        list_tags(client_, endpoint, [](std::string_view tag) { return tag.starts_with(tag_start); });
    return repository->tags;
}

bool AttachmentFinder::lacks_api(const std::string& registry) {
    const std::lock_guard lock(mutex_);
    return without_api_.contains(registry);
}

class AttachmentFinder::Search {
public:
    Search(AttachmentFinder& finder, const Endpoint& endpoint, Attachments wanted)
        : finder_(finder), client_(finder.client_), endpoint_(endpoint), wanted_(wanted),
          tags_(finder.tags_of(endpoint)) {}

    Found run() {
        if (tags_ && tags_->empty() && finder_.lacks_api(endpoint_.spec.registry())) return {};
        const std::string top = client_.manifest(endpoint_, endpoint_.spec.reference());
        add_subject("sha256:" + sha256_hex(top));
        if (const auto document = parse_manifest(top);
            const auto* const index = std::get_if<Index>(&document))
            for (const IndexEntry& entry : index->entries) add_subject(entry.manifest.digest);
        for (size_t i = 0; i < subjects_.size(); ++i) {
            const std::string subject = subjects_[i];
            find_tags(subject);
            for (const Referrer& referrer : referrers_of(subject)) {
                if (wanted_ == Attachments::signatures && !is_signature(referrer)) continue;
                if (add_subject(referrer.manifest.digest)) add_found(referrer.manifest.digest);
            }
        }
        return {std::move(found_), is_complete_};
    }

private:
    bool add_subject(const std::string& digest) {
        if (!seen_.insert(digest).second) return false;
        subjects_.push_back(digest);
        return true;
    }

    void add_found(std::string reference) {
        if (found_.size() == max_found)
            throw Error(fmt::format("more than {} things are attached to the image", max_found));
        found_.push_back(std::move(reference));
    }

    bool has_tag(const std::string& tag) {
        if (tags_) return tags_->contains(tag);
        const HttpResponse answer = client_.send(
            endpoint_, {.path = "manifests/" + tag, .method = "HEAD", .accept = accepted_manifests()});
        if (may_pass(answer.status)) refuse(answer, endpoint_, "manifest " + tag); // nothing is known then
        if (is_denied(answer)) is_complete_ = false;
        return answer.status == 200;
    }

    void find_tags(const std::string& subject) {
        for (const char* const suffix : {".sig", ".att", ".sbom"}) {
            if (wanted_ == Attachments::signatures && std::string_view(suffix) != ".sig") continue;
            std::string tag = tag_of_digest(subject) + suffix;
            if (has_tag(tag)) add_found(std::move(tag));
        }
    }

    std::vector<Referrer> referrers_of(const std::string& subject) {
        if (!finder_.lacks_api(endpoint_.spec.registry()))
            if (auto listed = referrers_by_api(subject)) return *std::move(listed);
        return referrers_by_tag(subject);
    }

    // Nothing: the registry does not have the API.
    std::optional<std::vector<Referrer>> referrers_by_api(const std::string& subject) {
        std::vector<Referrer> all;
        RegistryRequest request{.path = "referrers/" + subject, .accept = media_type::index};
        for (size_t page = 0; page < max_pages; ++page) {
            const HttpResponse answer = client_.send(endpoint_, request);
            auto some = answer.status == 200 ? parse_referrers(answer.body) : std::nullopt;
            if (!some) {
                if (may_pass(answer.status)) refuse(answer, endpoint_, "referrers of " + subject);
                if (page > 0 || is_broken_list(answer))
                    throw Error(fmt::format("{} gives no valid list of what refers to {} (it answered {})",
                                            endpoint_.spec.registry(), subject, answer.status));
                if (is_denied(answer)) {
                    is_complete_ = false;
                } else {
                    const std::lock_guard lock(finder_.mutex_);
                    finder_.without_api_.insert(endpoint_.spec.registry());
                }
                return std::nullopt;
            }
            all.insert(all.end(), some->begin(), some->end());
            const auto next = next_page(answer);
            if (!next) return all;
            request.url = *next;
        }
        throw Error(fmt::format("{} lists what refers to {} on more than {} pages [limit]",
                                endpoint_.spec.registry(), subject, max_pages));
    }

    // What is no index may come from something before the registry that does not know the API.
    static bool is_broken_list(const HttpResponse& answer) {
        return answer.status == 200 && answer.header("content-type").starts_with(media_type::index);
    }

    // An image that is tagged so is none: each must name the subject.
    std::vector<Referrer> referrers_by_tag(const std::string& subject) {
        const std::string tag = tag_of_digest(subject);
        if (!has_tag(tag)) return {};
        auto listed = parse_referrers(client_.manifest(endpoint_, tag)).value_or(std::vector<Referrer>());
        std::erase_if(listed, [&](const Referrer& referrer) {
            return subject_of(client_.manifest(endpoint_, referrer.manifest.digest)) != subject;
        });
        return listed;
    }

    AttachmentFinder& finder_;
    RegistryClient& client_;
    const Endpoint& endpoint_;
    const Attachments wanted_;
    const Tags& tags_;
    std::set<std::string> seen_;
    std::vector<std::string> subjects_;
    std::vector<std::string> found_;
    bool is_complete_ = true;
};

AttachmentFinder::Found AttachmentFinder::find(const Endpoint& endpoint, Attachments wanted) {
    if (wanted == Attachments::none) return {};
    return Search(*this, endpoint, wanted).run();
}

} // namespace opcat::image
