#include "opcat/image/attachments.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/image/referrers.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>

namespace opcat::image {
namespace {

constexpr size_t max_pages = 50; // of tags, 1,000 on each, and of referrers
constexpr size_t max_found = 1000;
constexpr std::string_view tag_start = "sha256-";

// `<URL>; rel="next"`.
std::optional<Url> next_page(const HttpResponse& answer) {
    const std::string link = answer.header("link");
    const size_t end = link.find('>');
    if (!link.starts_with('<') || end == link.npos || link.find("next", end) == link.npos)
        return std::nullopt;
    Url next = Url::parse(link.substr(1, end - 1), &answer.url);
    if (!next.same_origin(answer.url)) return std::nullopt;
    return next;
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
    std::set<std::string> tags;
    RegistryRequest request{.path = "tags/list?n=1000"};
    for (size_t page = 0; page < max_pages; ++page) {
        const HttpResponse answer = client_.send(endpoint, request);
        const auto json = parse_shallow_json<nlohmann::json>(answer.body);
        if (answer.status != 200 || !json || !json->is_object()) return repository->tags;
        if (const auto list = json->find("tags"); list != json->end() && list->is_array())
            for (const auto& tag : *list)
                if (tag.is_string() && tag.get_ref<const std::string&>().starts_with(tag_start))
                    tags.insert(tag.get<std::string>());
        const auto next = next_page(answer);
        if (!next) {
            repository->tags = std::move(tags);
            break;
        }
        request.url = *next;
    }
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

    std::vector<std::string> run() {
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
        return std::move(found_);
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
                if (page > 0 || may_pass(answer.status)) refuse(answer, endpoint_, "referrers of " + subject);
                if (answer.status != 401 && answer.status != 403) {
                    const std::lock_guard lock(finder_.mutex_);
                    finder_.without_api_.insert(endpoint_.spec.registry());
                }
                return std::nullopt;
            }
            all.insert(all.end(), some->begin(), some->end());
            const auto next = next_page(answer);
            if (!next) break;
            request.url = *next;
        }
        return all;
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
};

std::vector<std::string> AttachmentFinder::find(const Endpoint& endpoint, Attachments wanted) {
    if (wanted == Attachments::none) return {};
    return Search(*this, endpoint, wanted).run();
}

} // namespace opcat::image
