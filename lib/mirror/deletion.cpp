#include "opcat/mirror/deletion.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/image/manifest.hpp"
#include "opcat/image/referrers.hpp"
#include "opcat/mirror/owned_images.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <utility>

namespace opcat {
namespace {

constexpr const char* deletion_schema = "opcat.mirror-delete.v1";
using StoredImage = std::pair<std::string, std::string>; // repository and digest

} // namespace

std::string DeletionPlan::to_json() const {
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const auto& [name, image] : images)
        list.push_back(
            Json{{"image", name.to_string()}, {"digest", image.digest}, {"bundles", image.bundles}});
    Json stay = Json::array();
    for (const auto& [image, why] : kept) stay.push_back(Json{{"image", image}, {"why", why}});
    return as_document(Json{{"schema", deletion_schema},
                            {"target", target},
                            {"bundles", bundles},
                            {"additionalImages", additional},
                            {"images", std::move(list)},
                            {"kept", std::move(stay)}});
}

DeletionPlan DeletionPlan::parse(std::string_view text) {
    using Json = nlohmann::json;
    const Json json = parse_shallow_json<Json>(text).value_or(Json());
    const auto refuse = [](const char* what) {
        return Error(fmt::format("it is not a plan: {}", what),
                     "write one: opcat mirror delete TARGET --config FILE --plan FILE");
    };
    if (!json.is_object() || json.value("schema", Json()) != deletion_schema)
        throw refuse("its schema is another one");
    if (!json.value("target", Json()).is_string() || !json.value("bundles", Json()).is_object() ||
        !json.value("additionalImages", Json()).is_array() || !json.value("images", Json()).is_array())
        throw refuse("it lacks fields");
    DeletionPlan plan;
    plan.target = json["target"].get<std::string>();
    for (const auto& [catalog, names] : json["bundles"].items()) {
        if (!names.is_array()) throw refuse("its bundles are no lists");
        for (const Json& name : names)
            if (name.is_string()) plan.bundles[catalog].insert(name.get<std::string>());
    }
    for (const Json& name : json["additionalImages"])
        if (name.is_string()) plan.additional.insert(name.get<std::string>());
    for (const Json& one : json["images"]) {
        if (!one.is_object() || !one.value("image", Json()).is_string() ||
            !one.value("digest", Json()).is_string())
            throw refuse("an image has no name or no digest");
        plan.images[MirrorName::parse(one["image"].get<std::string>())] = {one["digest"].get<std::string>(),
                                                                           {}};
    }
    return plan;
}

struct MirrorDeletion::State {
    image::ImageStores stores;
    std::string prefix;
    OwnedImages owned;
    MirrorRecord record;
    std::set<StoredImage> ours;
    std::map<std::string, MirrorName> by_source; // where runs have put images
    std::map<MirrorName, const Catalog*> contents;

    State(image::Options options, std::string place)
        : stores(std::move(options)), prefix(std::move(place)), owned(stores, prefix) {}

    image::Name name_of(const std::string& reference) const {
        return required(image::Name::parse(fmt::format("{}/{}", prefix, reference)));
    }

    // The digest that an image has or must have; nothing if it is not there.
    std::optional<std::string> digest_of(const MirrorImage& image) {
        for (const PullSpec& source : image.sources)
            if (!source.digest().empty()) return source.digest();
        return digest_of(image.target);
    }
    std::optional<std::string> digest_of(const MirrorName& name) {
        return stores.writer(name_of(name.to_string()))->current_digest();
    }

    std::vector<MirrorImage> images_of(const Catalog& content, const std::string& name,
                                       const std::function<bool(const Bundle&)>& wanted) const {
        Catalog part = content;
        std::erase_if(part.bundles, [&](const Bundle& bundle) { return !wanted(bundle); });
        MirrorPlan plan;
        plan.add(part, name);
        std::vector<MirrorImage> images = plan.images();
        for (MirrorImage& image : images)
            for (const PullSpec& source : image.sources)
                if (const auto there = by_source.find(source.to_string()); there != by_source.end())
                    image.target = there->second;
        return images;
    }

    // Returns the images that stay, also those of lists, each with a bundle or a catalog that needs it.
    std::map<StoredImage, std::string> still_needed(const DeletionPlan& plan,
                                                    const std::set<std::string>& repositories) {
        std::map<StoredImage, std::string> needed;
        const auto need = [&](const MirrorName& name, const std::optional<std::string>& digest,
                              const std::string& by) {
            if (!digest || !repositories.contains(name.repository)) return;
            if (!needed.emplace(StoredImage{name.repository, *digest}, by).second) return;
            const auto document =
                image::parse_manifest(stores.target(name_of(name.repository + "@" + *digest))->manifest());
            if (const auto* const index = std::get_if<image::Index>(&document))
                for (const image::IndexEntry& entry : index->entries)
                    needed.emplace(StoredImage{name.repository, entry.manifest.digest}, by);
        };
        const auto need_if_there = [&](const MirrorName& name, const std::optional<std::string>& digest,
                                       const std::string& by) {
            try {
                need(name, digest, by);
            } catch (const Error& error) {
                if (!error.absent()) throw; // what it has is not known
            }
        };
        for (const auto& [name, content] : contents) {
            const std::string catalog = name.to_string();
            need_if_there(name, digest_of(name), catalog);
            const auto doomed = plan.bundles.find(catalog);
            for (const MirrorImage& image : images_of(*content, catalog, [&](const Bundle& bundle) {
                     return doomed == plan.bundles.end() ||
                            !doomed->second.contains(std::string(std::string_view(bundle.name)));
                 }))
                if (repositories.contains(image.target.repository))
                    need_if_there(image.target, digest_of(image), image.bundles.front());
        }
        for (const auto& [needed_by, images] : record.sources)
            for (const auto& [name, sources] : images)
                if (!names_catalog(needed_by) && !plan.additional.contains(name.to_string()) &&
                    repositories.contains(name.repository))
                    need_if_there(name, digest_of(name), needed_by);
        return needed;
    }
};

MirrorDeletion::MirrorDeletion(image::Options options, std::string prefix)
    : state_(std::make_unique<State>(std::move(options), std::move(prefix))) {}

MirrorDeletion::~MirrorDeletion() = default;

void MirrorDeletion::read(ThreadPool& pool) {
    State& state = *state_;
    auto record = read_mirror_record(state.stores, state.prefix, common_record, pool);
    if (!record)
        throw Error(fmt::format("there is no record of a mirror in {}", state.prefix),
                    "correct its name; only what opcat mirror has put there is removed");
    state.record = *std::move(record);
    for (const auto* const all : {&state.record.catalogs, &state.record.unsettled})
        for (const auto& [catalog, images] : *all)
            for (const auto& [name, digest] : images) state.ours.emplace(name.repository, digest);
    for (const auto& [catalog, images] : state.record.sources)
        for (const auto& [name, sources] : images)
            for (const std::string& source : sources) state.by_source.emplace(source, name);
    state.owned.read(pool);
}

std::vector<MirrorName> MirrorDeletion::catalogs() const {
    std::set<MirrorName> names;
    for (const auto& [catalog, images] : state_->record.catalogs)
        if (names_catalog(catalog)) names.insert(MirrorName::parse(catalog));
    for (const auto& [catalog, images] : state_->record.sources)
        if (names_catalog(catalog)) names.insert(MirrorName::parse(catalog));
    return {names.begin(), names.end()};
}

void MirrorDeletion::add(const MirrorName& name, const Catalog& content) {
    state_->contents[name] = &content;
}

DeletionPlan MirrorDeletion::plan(std::map<std::string, std::set<std::string>> bundles,
                                  std::set<std::string> additional, ThreadPool& pool) {
    State& state = *state_;
    DeletionPlan plan{state.prefix, std::move(bundles), std::move(additional), {}, {}};
    std::map<MirrorName, PlannedRemoval> candidates;
    for (const auto& [catalog, names] : plan.bundles) {
        const auto content = state.contents.find(MirrorName::parse(catalog));
        if (content == state.contents.end())
            throw Error(fmt::format("the mirror has no catalog {}", catalog));
        for (const MirrorImage& image :
             state.images_of(*content->second, catalog, [&names = names](const Bundle& bundle) {
                 return names.contains(std::string(std::string_view(bundle.name)));
             }))
            if (const auto digest = state.digest_of(image)) {
                PlannedRemoval& removal = candidates[image.target];
                removal.digest = *digest;
                removal.bundles.insert(removal.bundles.end(), image.bundles.begin(), image.bundles.end());
            }
    }
    for (const std::string& text : plan.additional) {
        const MirrorName name = MirrorName::parse(text);
        if (const auto digest = state.digest_of(name)) candidates[name].digest = *digest;
    }
    std::set<std::string> repositories;
    for (const auto& [name, removal] : candidates) repositories.insert(name.repository);
    const std::map<StoredImage, std::string> needed = state.still_needed(plan, repositories);
    std::vector<std::pair<MirrorName, PlannedRemoval>> images;
    for (auto& [name, removal] : candidates) {
        const StoredImage content{name.repository, removal.digest};
        if (const auto by = needed.find(content); by != needed.end())
            plan.kept[name.to_string()] = "needed by " + by->second;
        else if (!state.ours.contains(content))
            plan.kept[name.to_string()] = "no run has put it there";
        else
            images.emplace_back(name, std::move(removal));
    }
    const auto keep_what_others_use = [&](std::vector<std::pair<MirrorName, PlannedRemoval>>& some) {
        std::map<MirrorName, std::string> digests;
        for (const auto& [name, removal] : some) digests.emplace(name, removal.digest);
        const std::map<std::string, std::string> used = state.owned.used_by_others(digests, pool);
        plan.kept.insert(used.begin(), used.end());
        std::erase_if(some, [&](const auto& one) { return used.contains(one.first.to_string()); });
    };
    keep_what_others_use(images);
    std::vector<std::vector<std::pair<MirrorName, PlannedRemoval>>> attached(images.size());
    pool.for_each(images.size(), [&](size_t i) {
        const auto& [name, removal] = images[i];
        std::vector<image::Name> found;
        try {
            found = state.stores
                        .attachments(state.name_of(name.repository + "@" + removal.digest),
                                     image::Attachments::all)
                        .names;
        } catch (const Error& error) {
            if (!error.absent()) throw; // it is not there any more
        }
        for (const image::Name& one : found) {
            const PullSpec& spec = *one.spec;
            const MirrorName place{name.repository,
                                   spec.digest().empty() ? spec.tag() : image::tag_of_digest(spec.digest())};
            const auto digest = spec.digest().empty() ? state.digest_of(place) : std::optional(spec.digest());
            if (digest && state.ours.contains({name.repository, *digest}) &&
                !needed.contains({name.repository, *digest}))
                attached[i].push_back({place, {*digest, {}}});
        }
    });
    std::vector<std::pair<MirrorName, PlannedRemoval>> all_attached;
    for (auto& more : attached) all_attached.insert(all_attached.end(), more.begin(), more.end());
    keep_what_others_use(all_attached);
    images.insert(images.end(), all_attached.begin(), all_attached.end());
    for (auto& [name, removal] : images) plan.images.emplace(name, std::move(removal));
    return plan;
}

DeletionResult MirrorDeletion::execute(const DeletionPlan& wanted, bool dry_run, ThreadPool& pool) {
    State& state = *state_;
    const DeletionPlan now = plan(wanted.bundles, wanted.additional, pool);
    DeletionResult result;
    std::map<MirrorName, std::string> images;
    for (const auto& [name, removal] : wanted.images) {
        const std::string text = name.to_string();
        const auto still = now.images.find(name);
        const auto kept = now.kept.find(text);
        if (kept != now.kept.end())
            result.refused.emplace_back(text, kept->second);
        else if (still == now.images.end())
            result.refused.emplace_back(text, "it is not there, or not one of these bundles");
        else if (still->second.digest != removal.digest)
            result.refused.emplace_back(text, fmt::format("it has the digest {} now", still->second.digest));
        else
            images.emplace(name, removal.digest);
    }
    for (const auto& [name, digest] : images) result.removed.push_back(name.to_string());
    if (!dry_run && !images.empty()) state.owned.remove(images, pool);
    return result;
}

} // namespace opcat
