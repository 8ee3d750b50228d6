#include "opcat/mirror/check.hpp"

#include "opcat/base/error.hpp"
#include "opcat/image/copier.hpp"
#include "opcat/image/image_stores.hpp"
#include "opcat/image/layout_writer.hpp"
#include "opcat/image/local.hpp"
#include "opcat/image/referrers.hpp"
#include "opcat/mirror/item.hpp"
#include "opcat/mirror/mirror_target.hpp"
#include "opcat/mirror/owned_images.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace opcat {

namespace fs = std::filesystem;
namespace {

constexpr const char* list_entry = "list entry"; // of what refers to an image

// What a catalog of the mirror needs.
struct Needed {
    CheckedImage image;
    Platforms platforms;
    bool is_recorded = false; // a run has selected it
    image::Annotations annotations;
    std::optional<image::Descriptor> in_layout;
};

} // namespace

struct MirrorCheck::State {
    image::ImageStores stores;
    std::string prefix;                 // of a registry
    std::optional<fs::path> directory;  // of a layout
    std::optional<OwnedImages> owned;   // of a registry
    std::optional<MirrorRecord> record; // of a registry
    std::map<MirrorName, Needed> recorded;
    std::map<MirrorName, Needed> needed;
    MirrorPlan plan;
    std::vector<CheckedImage> unusable;
    CheckTotals totals;

    explicit State(image::Options options) : stores(std::move(options)) {}

    void read_record(const MirrorRecord& all) {
        const auto add = [&](const std::string& catalog, const MirrorName& name) -> Needed& {
            Needed& one = recorded[name];
            one.image.name = name.to_string();
            one.image.catalogs.insert(catalog);
            one.is_recorded = true;
            if (one.image.name == catalog)
                one.image.kind = CheckedImage::Kind::catalog;
            else if (one.image.kind == CheckedImage::Kind::image && one.image.sources.empty() &&
                     name.refers_to_an_image())
                one.image.kind = CheckedImage::Kind::attachment; // unless a source follows
            return one;
        };
        for (const auto& [catalog, images] : all.sources)
            for (const auto& [name, sources] : images) {
                Needed& one = add(catalog, name);
                if (!sources.empty()) one.image.kind = CheckedImage::Kind::image;
                one.image.sources.insert(sources.begin(), sources.end());
                for (const auto* some : {&all.catalogs, &all.found})
                    if (const auto there = some->find(catalog); there != some->end())
                        if (const auto digest = there->second.find(name); digest != there->second.end())
                            one.image.digest = digest->second;
                if (const auto some = all.platforms.find(catalog); some != all.platforms.end())
                    if (const auto platforms = some->second.find(name); platforms != some->second.end())
                        one.platforms = platforms->second;
            }
        for (const auto& [catalog, images] : all.catalogs) {
            if (!names_catalog(catalog)) continue;
            const MirrorName name = MirrorName::parse(catalog);
            Needed& one = add(catalog, name);
            if (const auto digest = images.find(name); digest != images.end())
                one.image.digest = digest->second;
        }
    }

    void read_layout() {
        const auto entries = image::list_oci_layout(*directory);
        for (const image::IndexEntry& entry : entries) {
            const std::string name = annotation(entry, image::name_annotation);
            const std::set<std::string> catalogs = word_set(annotation(entry, catalogs_annotation));
            if (name.empty() || catalogs.empty()) continue; // of somebody else
            Needed one;
            const std::string kind = annotation(entry, kind_annotation);
            one.image.kind = kind == catalog_kind      ? CheckedImage::Kind::catalog
                             : kind == attachment_kind ? CheckedImage::Kind::attachment
                                                       : CheckedImage::Kind::image;
            one.image.name = name;
            one.image.digest = entry.manifest.digest;
            one.image.catalogs = catalogs;
            one.image.sources = word_set(annotation(entry, sources_annotation));
            one.platforms = word_set(annotation(entry, platforms_annotation));
            one.is_recorded = true;
            one.annotations = entry.annotations;
            one.annotations.erase(image::name_annotation);
            one.in_layout = entry.manifest;
            recorded.emplace(MirrorName::parse(name), std::move(one));
        }
        // The run that fills a directory puts a catalog there when all of its images are.
        std::set<std::string> unfinished;
        for (const auto& [name, one] : recorded)
            for (const std::string& catalog : one.image.catalogs)
                if (names_catalog(catalog) && !recorded.contains(MirrorName::parse(catalog)))
                    unfinished.insert(catalog);
        for (const std::string& catalog : unfinished) {
            Needed& one = recorded[MirrorName::parse(catalog)];
            one.image.kind = CheckedImage::Kind::catalog;
            one.image.name = catalog;
            one.image.catalogs = {catalog};
            one.is_recorded = true;
        }
    }

    // Of the images that a run has recorded, those that `wanted` accepts.
    template <class Wanted>
    void need_recorded(const Wanted& wanted) {
        for (const auto& [name, one] : recorded)
            if (wanted(one)) needed.try_emplace(name, one);
    }

    void need_planned() {
        // A run may have called it otherwise: targetRepo, --max-nested-paths.
        std::map<std::string, MirrorName> by_source;
        for (const auto& [name, one] : recorded)
            for (const std::string& source : one.image.sources) by_source.emplace(source, name);
        for (MirrorImage& image : plan.images()) {
            for (const PullSpec& source : image.sources)
                if (const auto there = by_source.find(source.to_string()); there != by_source.end())
                    image.target = there->second;
            const auto known = recorded.find(image.target);
            Needed one = known == recorded.end() ? Needed() : known->second;
            one.image.kind = CheckedImage::Kind::image;
            one.image.name = image.target.to_string();
            one.image.catalogs.insert(image.catalogs.begin(), image.catalogs.end());
            one.image.bundles = image.bundles;
            for (const PullSpec& source : image.sources) {
                one.image.sources.insert(source.to_string());
                if (!source.digest().empty()) one.image.digest = source.digest();
            }
            if (const auto other = needed.find(image.target); other != needed.end())
                one.image.bundles.insert(one.image.bundles.end(), other->second.image.bundles.begin(),
                                         other->second.image.bundles.end());
            needed.insert_or_assign(image.target, std::move(one));
        }
        for (const UnusableImage& image : plan.unusable()) {
            CheckedImage one;
            one.name = image.image;
            one.catalogs = {image.catalog};
            one.bundles = image.bundles;
            one.faults.push_back({PartState::missing, "image", {}, image.why.what()});
            unusable.push_back(std::move(one));
        }
        plan = MirrorPlan();
    }

    std::unique_ptr<image::ImageReader> open(const MirrorName& name, const Needed& one) {
        if (directory) {
            if (!one.in_layout) throw Error("the directory has no image of this name").as_absent();
            return image::read_oci_layout(*directory, *one.in_layout);
        }
        // A tag may belong to what refers to the image: clusters pull it by its digest.
        const bool by_digest = !one.image.digest.empty() && image::digest_of_tag(name.tag);
        return stores.target(required(
            image::Name::parse(by_digest ? fmt::format("{}/{}@{}", prefix, name.repository, one.image.digest)
                                         : fmt::format("{}/{}", prefix, name.to_string()))));
    }

    ImageInspection inspect(const MirrorName& name, const Needed& one) {
        ImageInspection found([&] { return open(name, one); }, one.image.digest, one.platforms);
        if (found.manifests == 0 && !one.is_recorded)
            for (PartFault& fault : found.faults)
                if (fault.state == PartState::missing)
                    fault.why += "; no run has selected it, so it may be blocked";
        return found;
    }

    // Checks these, and returns them with their faults.
    std::vector<CheckedImage> check(const std::vector<std::pair<MirrorName, Needed>>& all, bool verify,
                                    ThreadPool& pool) {
        std::vector<std::unique_ptr<const ImageInspection>> inspected(all.size());
        pool.for_each(all.size(), [&](size_t i) {
            inspected[i] = std::make_unique<const ImageInspection>(inspect(all[i].first, all[i].second));
        });
        struct NeededBlob {
            const ImageInspection* of = nullptr;
            image::Descriptor descriptor;
            std::optional<PartFault> fault{};
        };
        std::vector<NeededBlob> blobs;
        std::map<std::pair<std::string, std::string>, size_t> places; // by repository and digest
        const auto key_of = [&](size_t i, const std::string& digest) {
            return std::pair(directory ? std::string() : all[i].first.repository, digest);
        };
        for (size_t i = 0; i < all.size(); ++i)
            for (const image::Descriptor& blob : inspected[i]->blobs)
                if (places.emplace(key_of(i, blob.digest), blobs.size()).second)
                    blobs.push_back({inspected[i].get(), blob});
        pool.for_each(blobs.size(),
                      [&](size_t i) { blobs[i].fault = blobs[i].of->look_for(blobs[i].descriptor, verify); });
        const std::vector<std::optional<PartFault>> unlisted = find_unlisted(all, inspected, pool);
        std::vector<CheckedImage> images;
        for (size_t i = 0; i < all.size(); ++i) {
            CheckedImage image = all[i].second.image;
            if (unlisted[i]) image.faults.push_back(*unlisted[i]);
            image.faults.insert(image.faults.end(), inspected[i]->faults.begin(), inspected[i]->faults.end());
            for (const image::Descriptor& blob : inspected[i]->blobs)
                if (const auto& fault = blobs[places.at(key_of(i, blob.digest))].fault)
                    image.faults.push_back(*fault);
            totals.manifests += inspected[i]->manifests;
            images.push_back(std::move(image));
        }
        totals.blobs += blobs.size();
        if (verify)
            for (const NeededBlob& blob : blobs) totals.bytes += blob.descriptor.size;
        return images;
    }

    // Where the registry keeps lists of referrers under tags, one may be gone: then nobody finds them.
    std::vector<std::optional<PartFault>>
    find_unlisted(const std::vector<std::pair<MirrorName, Needed>>& all,
                  const std::vector<std::unique_ptr<const ImageInspection>>& inspected, ThreadPool& pool) {
        std::vector<std::optional<PartFault>> faults(all.size());
        if (directory) return faults;
        const auto referrers = by_subject(all, inspected);
        struct Listed {
            std::set<std::string> digests{};
            bool is_known = true;
        };
        std::map<std::string, Listed> listed; // by the subject's name
        for (const auto& [name, of] : referrers) listed[name];
        std::vector<std::string> subjects;
        subjects.reserve(listed.size());
        for (const auto& [name, digests] : listed) subjects.push_back(name);
        image::ImageStores now(stores.options()); // `stores` remembers what there was before a repair
        pool.for_each(subjects.size(), [&](size_t i) {
            Listed& one = listed.at(subjects[i]);
            try {
                const auto attached =
                    now.attachments(required(image::Name::parse(subjects[i])), image::Attachments::all);
                for (const image::Name& found : attached.names) one.digests.insert(found.spec->digest());
                one.is_known = attached.is_complete;
            } catch (const Error&) {
                one.is_known = false; // that the subject is missing is a fault of its own
            }
        });
        for (const auto& [name, of] : referrers) {
            const Listed& one = listed.at(name);
            if (!one.is_known || one.digests.contains(inspected[of]->digest)) continue;
            faults[of] =
                PartFault{PartState::missing, list_entry, inspected[of]->digest,
                          "the list of what refers to its image does not have it, so that nobody finds it"};
        }
        return faults;
    }

    // The attachments that name a subject: the subject's name in the registry, and the place among all.
    std::vector<std::pair<std::string, size_t>>
    by_subject(const std::vector<std::pair<MirrorName, Needed>>& all,
               const std::vector<std::unique_ptr<const ImageInspection>>& inspected) const {
        std::vector<std::pair<std::string, size_t>> subjects;
        for (size_t i = 0; i < all.size(); ++i)
            if (inspected[i]->subject && all[i].second.image.kind == CheckedImage::Kind::attachment)
                subjects.emplace_back(
                    fmt::format("{}/{}@{}", prefix, all[i].first.repository, *inspected[i]->subject), i);
        return subjects;
    }

    // The image at home, as exactly as it is known. Throws Error if it is not.
    image::Name source_of(const MirrorName& name, const CheckedImage& image) const {
        if (image.kind == CheckedImage::Kind::catalog)
            throw Error("a catalog is made by the run that mirrors it",
                        "mirror it again: opcat mirror sends what a catalog lacks");
        const auto home = [&](const std::set<std::string>& sources, const std::string& reference) {
            const PullSpec spec = required(PullSpec::parse(*sources.begin()));
            return required(image::Name::parse(spec.name() + reference));
        };
        if (!image.sources.empty())
            return image.digest.empty() ? required(image::Name::parse(*image.sources.begin()))
                                        : home(image.sources, "@" + image.digest);
        // An attachment is in the repository of its image.
        for (const auto& [other, one] : needed)
            if (other.repository == name.repository && !one.image.sources.empty()) {
                const auto digest = image::digest_of_tag(name.tag);
                const bool is_cosign = !digest || image::tag_of_digest(*digest) != name.tag;
                return home(one.image.sources, is_cosign ? ":" + name.tag : "@" + *digest);
            }
        if (image.kind == CheckedImage::Kind::image)
            throw Error("the run that mirrors it makes it", "mirror it again with the flags of that run");
        throw Error("nothing says where it comes from", "mirror its catalog again");
    }
};

MirrorCheck::MirrorCheck(image::Options options, const std::string& target)
    : state_(std::make_unique<State>(std::move(options))) {
    const MirrorTarget place = MirrorTarget::parse(target);
    state_->prefix = place.prefix();
    if (place.is_archive())
        throw RequestError(
            "an archive is not checked by itself",
            "opcat mirror archive:PREFIX --to TARGET --dry-run reads all of it and names what is missing");
    if (place.is_directory())
        state_->directory = place.place;
    else
        state_->owned.emplace(state_->stores, state_->prefix);
}

MirrorCheck::~MirrorCheck() = default;

bool MirrorCheck::read(ThreadPool& pool) {
    State& state = *state_;
    if (state.directory) {
        state.read_layout();
    } else {
        state.record = read_mirror_record(state.stores, state.prefix, common_record, pool);
        if (state.record) state.read_record(*state.record);
    }
    return !state.recorded.empty();
}

bool MirrorCheck::is_unfinished() const {
    return state_->directory && image::is_unfinished_layout(*state_->directory);
}

size_t MirrorCheck::unsettled() const {
    size_t count = 0;
    if (state_->record)
        for (const auto& [catalog, images] : state_->record->unsettled) count += images.size();
    return count;
}

std::vector<MirrorName> MirrorCheck::catalogs() const {
    std::vector<MirrorName> names;
    for (const auto& [name, one] : state_->recorded)
        if (one.image.kind == CheckedImage::Kind::catalog) names.push_back(name);
    return names;
}

std::string MirrorCheck::reference_of(const MirrorName& name) const {
    const std::string text = name.to_string();
    return state_->directory ? fmt::format("oci:{}:{}", state_->directory->string(), text)
                             : fmt::format("{}/{}", state_->prefix, text);
}

void MirrorCheck::add(const MirrorName& name, const Catalog& content) {
    const std::string catalog = name.to_string();
    state_->plan.add(content, catalog);
    state_->need_recorded([&](const Needed& one) {
        return one.image.catalogs.contains(catalog) && one.image.kind != CheckedImage::Kind::image;
    });
}

void MirrorCheck::add_unreadable(const MirrorName& name, const Error& why) {
    const std::string catalog = name.to_string();
    state_->need_recorded([&](const Needed& one) { return one.image.catalogs.contains(catalog); });
    state_->needed[name].image.faults.push_back(
        {PartState::unknown,
         "content",
         {},
         fmt::format("what the catalog needs cannot be read: {}", why.what())});
}

std::vector<CheckedImage> MirrorCheck::run(bool verify, ThreadPool& pool) {
    State& state = *state_;
    state.need_planned();
    state.need_recorded([](const Needed& one) {
        return !std::all_of(one.image.catalogs.begin(), one.image.catalogs.end(), names_catalog);
    });
    std::vector<CheckedImage> images = state.check({state.needed.begin(), state.needed.end()}, verify, pool);
    images.insert(images.end(), state.unusable.begin(), state.unusable.end());
    std::stable_partition(images.begin(), images.end(),
                          [](const CheckedImage& image) { return !image.faults.empty(); });
    return images;
}

std::vector<std::vector<PartFault>> MirrorCheck::look_at(const std::vector<std::string>& references,
                                                         bool verify, ThreadPool& pool) {
    State& state = *state_;
    std::vector<std::pair<MirrorName, Needed>> all;
    for (const std::string& reference : references) {
        const PullSpec spec = required(PullSpec::parse(reference));
        const std::string repository = spec.name().substr(state.prefix.size() + 1);
        const MirrorName name{repository,
                              spec.digest().empty() ? spec.tag() : image::tag_of_digest(spec.digest())};
        const auto known = state.recorded.find(name);
        Needed one = known == state.recorded.end() ? Needed() : known->second;
        one.image.digest = spec.digest();
        one.is_recorded = true;
        all.emplace_back(name, std::move(one));
    }
    std::vector<std::vector<PartFault>> faults;
    for (CheckedImage& image : state.check(all, verify, pool)) faults.push_back(std::move(image.faults));
    return faults;
}

const CheckTotals& MirrorCheck::totals() const {
    return state_->totals;
}

void MirrorCheck::repair(std::vector<CheckedImage>& images, bool verify, ThreadPool& pool,
                         const image::OnCopyProgress& on_progress) {
    State& state = *state_;
    std::optional<image::LayoutBatch> batch;
    if (state.directory) batch.emplace(*state.directory);
    std::vector<image::CopyJob> jobs;
    std::vector<CheckedImage*> repaired;
    std::vector<std::pair<MirrorName, Needed>> again;
    for (CheckedImage& image : images) {
        const bool can_help =
            std::any_of(image.faults.begin(), image.faults.end(),
                        [](const PartFault& fault) { return fault.state != PartState::unknown; });
        const MirrorName name = MirrorName::parse(image.name);
        const auto at = state.needed.find(name);
        if (!can_help || at == state.needed.end()) continue;
        try {
            if (!at->second.is_recorded)
                throw Error("no run has selected it", "mirror its catalog again without blocking it");
            const image::Name from = state.source_of(name, image);
            image::CopyJob job;
            job.from = from.text;
            job.to = reference_of(name);
            const bool is_attachment = image.kind == CheckedImage::Kind::attachment;
            job.reader = [&state, from, is_attachment] {
                return is_attachment ? state.stores.attachment(from) : state.stores.reader(from);
            };
            job.writer = [&state, &batch, name, annotations = at->second.annotations] {
                if (batch) return image::write_to_oci_layout(*batch, name.to_string(), annotations);
                return state.stores.writer(
                    required(image::Name::parse(fmt::format("{}/{}", state.prefix, name.to_string()))));
            };
            for (const std::string& platform : at->second.platforms)
                job.platforms.push_back(required(image::Platform::parse(platform)));
            job.all_blobs = true;
            for (const PartFault& fault : image.faults)
                if (fault.state == PartState::damaged || fault.part == list_entry)
                    job.damaged.insert(fault.digest);
            jobs.push_back(std::move(job));
            repaired.push_back(&image);
            again.emplace_back(name, at->second);
        } catch (const Error& error) {
            image.not_repaired = error;
        }
    }
    image::CopyOptions options{.stop_at_failure = false};
    const auto owned_of = [&](size_t i, const std::string& digest) {
        return OwnedImage{again[i].first, repaired[i]->catalogs, digest, repaired[i]->sources,
                          again[i].second.platforms};
    };
    if (state.owned) {
        state.owned->read(pool);
        options.before_change = [&](const std::vector<image::PlannedCopy>& planned) {
            std::vector<OwnedImage> all;
            all.reserve(planned.size());
            for (const image::PlannedCopy& copy : planned) all.push_back(owned_of(copy.job, copy.digest));
            state.owned->begin_to_put(all, pool);
        };
    }
    const std::vector<image::CopyResult> results = image::copy_images(jobs, options, pool, on_progress);
    for (size_t i = 0; i < results.size(); ++i) {
        if (results[i].failure) repaired[i]->not_repaired = results[i].failure;
        if (results[i].done && state.owned) state.owned->put(owned_of(i, results[i].digest));
    }
    if (batch) batch->commit();
    if (state.owned) state.owned->finish({}, pool);
    const CheckTotals before = state.totals;
    const std::vector<CheckedImage> now = state.check(again, verify, pool);
    state.totals = before;
    for (size_t i = 0; i < now.size(); ++i) {
        CheckedImage& image = *repaired[i];
        image.repaired = now[i].faults.empty();
        if (image.repaired || image.not_repaired) continue;
        image.not_repaired = Error(
            fmt::format("it was sent again, and {} {} still {}", now[i].faults.front().part,
                        now[i].faults.front().digest,
                        now[i].faults.front().state == PartState::missing ? "is missing" : "is damaged"),
            "the registry keeps a damaged copy: remove that from its storage, and repair again");
    }
}

} // namespace opcat
