#include "opcat/mirror/mirror.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/layout_writer.hpp"
#include "opcat/image/local.hpp"
#include "opcat/mirror/archive_history.hpp"
#include "opcat/mirror/archive_reader.hpp"
#include "opcat/mirror/attached_items.hpp"
#include "opcat/mirror/catalog_image.hpp"
#include "opcat/mirror/planned_items.hpp"
#include "opcat/mirror/stored_items.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace opcat {

namespace fs = std::filesystem;

void MirroredImages::add(image::CopyResult result, const std::set<std::string>& catalogs,
                         const std::vector<std::string>& bundles, bool is_catalog) {
    if (result.failure) {
        ++failed;
        for (const std::string& needed_by : catalogs)
            (names_catalog(needed_by) ? failed_for_catalogs : failed_additional) = true;
    }
    images.push_back({std::move(result), is_catalog, catalogs, bundles});
}

namespace {

// The images that each catalog needs and that are not in the mirror.
MissingImages missing_of(const MirroredImages& all) {
    MissingImages missing;
    for (const MirroredImage& image : all.images)
        if (image.copy.failure)
            for (const std::string& catalog : image.catalogs)
                (image.bundles.empty() ? missing[catalog].others : missing[catalog].of_bundles)
                    .insert(image.copy.from);
    return missing;
}

// An annotation of an image.
struct NoteOfImage {
    std::string image; // its name
    std::string text;
};

} // namespace

struct Mirror::State {
    image::ImageStores stores;
    std::string prefix;                        // of a registry
    std::unique_ptr<image::LayoutBatch> batch; // of a directory
    std::unique_ptr<ArchiveWriter> archive;    // of archives
    fs::path archive_place;                    // their prefix
    std::optional<TemporaryDirectory> instead; // of the directory of archives, for a dry run
    std::unique_ptr<ArchiveReader> from;       // the source, if it is an archive
    std::optional<OwnedImages> owned;          // of a registry
    std::shared_ptr<const BlockedImages> blocked;
    MirrorPlan plan;
    std::map<std::string, SignatureData> signatures; // of releases, by their names at home
    std::optional<MirrorItem> graph;                 // GraphImage
    std::optional<TemporaryDirectory> graph_data;
    size_t most_parts = 0; // of paths below the prefix; 0: any number
    std::vector<MirrorItem> images;
    CatalogItems catalogs;
    std::vector<std::pair<MirrorItem, Error>> unknown_attachments; // of these, for that reason
    std::vector<std::string> hidden_attachments; // of these images, which their registries do not show
    std::optional<fs::path> source;              // a directory, or the prefix of an archive
    std::vector<UnusableImage> missing;          // in the source
    bool source_lost_bundles = false;            // whose images its first step could not copy
    std::optional<Shard> shard;

    explicit State(image::Options options) : stores(std::move(options)), catalogs(stores) {}

    MirrorPlan::IsBlocked is_blocked() const {
        return [this](const PullSpec& spec, const MirrorName& target) {
            return blocked && blocked->has(spec, target, prefix);
        };
    }

    MirrorName limited(const MirrorName& name) const {
        return {limited_path(name.repository, most_parts), name.tag};
    }

    image::Name name_of(const MirrorName& name) const {
        return required(image::Name::parse(fmt::format("{}/{}", prefix, name.to_string())));
    }

    // Of what runs make, every blob is looked for: nobody but a run can repair it.
    image::CopyJob job_of(const MirrorItem& item) {
        const std::string to = owned ? item.name.in_registry(prefix) : item.name.to_string();
        return {item.from,
                to,
                item.reader,
                [this, &item]() -> std::unique_ptr<image::ImageWriter> {
                    if (batch)
                        return image::write_to_oci_layout(*batch, item.name.to_string(), item.annotations);
                    if (archive) return archive->writer(item.name.to_string(), item.annotations);
                    return stores.writer(name_of(item.name));
                },
                parsed_platforms(item.platforms),
                item.is_made(),
                owned && owned->has_part_of(item.name),
                owned && !owned->knows(item.name)};
    }

    std::vector<OwnedImage> owned_items() const {
        std::vector<OwnedImage> all;
        for (const MirrorItem* const item : items()) all.push_back(item->owned());
        return all;
    }

    void take(StoredItems stored) {
        catalogs.take(std::move(stored.catalogs));
        images = std::move(stored.images);
        missing = std::move(stored.missing);
        source_lost_bundles = stored.lost_bundles;
        for (const MirrorItem* const item : items()) require_not_of_record(item->name);
    }

    // Of both kinds.
    std::vector<const MirrorItem*> items() const {
        std::vector<const MirrorItem*> all;
        for (const auto* some : {&std::as_const(images), &catalogs.items()})
            for (const MirrorItem& item : *some) all.push_back(&item);
        return all;
    }

    // Adds what is attached to the images, and to catalogs that stay as they are.
    void add_attachments(image::Attachments wanted, ThreadPool& pool) {
        if (source || wanted == image::Attachments::none) return; // a directory has them already
        std::vector<const MirrorItem*> subjects;
        std::map<MirrorName, std::string> names; // and where they come from
        for (const MirrorItem& item : images) {
            if (!item.annotations.contains(kind_annotation)) subjects.push_back(&item); // not made here
            names.emplace(item.name, item.from);
        }
        for (const MirrorItem& item : catalogs.items())
            if (item.described_by && !item.is_rebuilt && !shard) subjects.push_back(&item);
        AttachedItems attached = find_attached(subjects, stores, wanted, pool);
        for (const auto& [item, failure] : attached.unknown) unknown_attachments.emplace_back(*item, failure);
        for (const MirrorItem* const item : attached.hidden) hidden_attachments.push_back(item->from);
        for (MirrorItem& item : attached.items) {
            const auto same = names.find(item.name);
            if (same == names.end())
                images.push_back(std::move(item));
            else if (same->second != item.from)
                unknown_attachments.emplace_back(std::move(item),
                                                 would_both_be(same->second, item.from, item.name));
        }
    }

    // Returns true if all that is attached to the images was looked for.
    bool knows_attachments() const { return unknown_attachments.empty() && hidden_attachments.empty(); }

    void keep_images_of(const Shard& one) {
        std::vector<std::string> names;
        for (const MirrorItem& item : images) names.push_back(item.from);
        std::vector<MirrorItem> own;
        for (const size_t i : items_of(one, names)) own.push_back(std::move(images[i]));
        images = std::move(own);
    }

    // What cannot be copied at all.
    void add_unusable(MirroredImages& all) const {
        for (const auto* some : {&plan.unusable(), &missing})
            for (const UnusableImage& image : *some) {
                image::CopyResult result;
                result.from = image.image;
                result.failure = image.why;
                all.add(std::move(result), {image.catalog}, image.bundles, false);
            }
        all.is_source_whole = missing.empty() && !source_lost_bundles;
        all.is_source_unfinished = source && !from && image::is_unfinished_layout(*source);
    }

    // Failures to find attachments of images that have been copied: others have failed already.
    void add_unknown_attachments(MirroredImages& all) const {
        std::set<std::string> failed;
        for (const MirroredImage& image : all.images)
            if (image.copy.failure) failed.insert(image.copy.from);
        for (const auto& [item, failure] : unknown_attachments) {
            if (failed.contains(item.from)) continue;
            image::CopyResult result;
            result.from = item.from;
            result.failure = failure;
            all.add(std::move(result), item.catalogs, {}, false);
        }
    }

    // Copies items and adds the results to `all`.
    void copy(const std::vector<MirrorItem>& items, bool are_catalogs, const MirrorRun& run, ThreadPool& pool,
              const image::OnCopyProgress& on_progress, MirroredImages& all) {
        std::vector<image::CopyJob> jobs;
        jobs.reserve(items.size());
        for (const MirrorItem& item : items) jobs.push_back(job_of(item));
        image::CopyOptions options{.stop_at_failure = !run.keep_going && !run.dry_run,
                                   .dry_run = run.dry_run};
        if (owned)
            options.before_change = [&](const std::vector<image::PlannedCopy>& planned) {
                std::vector<OwnedImage> all_planned;
                all_planned.reserve(planned.size());
                for (const image::PlannedCopy& copy : planned) {
                    if (const auto taken = owned->taken_by(items[copy.job].owned(copy.digest)))
                        throw would_both_be(*taken, items[copy.job].from, items[copy.job].name);
                    all_planned.push_back(items[copy.job].owned(copy.digest));
                    all_planned.back().is_absent = copy.is_absent;
                }
                owned->begin_to_put(all_planned, pool);
            };
        std::vector<image::CopyResult> results = image::copy_images(jobs, options, pool, on_progress);
        if (owned && run.dry_run)
            for (size_t i = 0; i < items.size(); ++i)
                if (const auto taken = owned->taken_by(items[i].owned(results[i].digest));
                    taken && results[i].done && results[i].changed)
                    results[i].failure = would_both_be(*taken, items[i].from, items[i].name);
        if (owned && run.dry_run && run.prune) {
            std::vector<OwnedImage> expected;
            for (size_t i = 0; i < items.size(); ++i)
                if (results[i].done && results[i].changed)
                    expected.push_back(items[i].owned(results[i].digest));
            owned->expect(expected, pool);
        }
        for (size_t i = 0; i < items.size(); ++i) {
            image::CopyResult& result = results[i];
            if (result.failure && !items[i].bundles.empty()) {
                const std::vector<std::string_view> bundles(items[i].bundles.begin(), items[i].bundles.end());
                constexpr size_t columns = 200;
                result.failure = result.failure->with_message(
                    fmt::format("{} (wanted by {})", result.failure->what(), shorten_list(bundles, columns)));
            }
            if (result.done && owned) owned->put(items[i].owned(result.digest));
            if (result.done && items[i].is_rebuilt && owned)
                all.rebuilt.push_back(
                    {fmt::format("{}/{}@{}", prefix, items[i].name.repository, result.digest)});
            all.add(std::move(result), items[i].catalogs, items[i].bundles, are_catalogs);
        }
    }

    // What a mirror without catalogs lacks: one of its images says it. Nothing if it lacks none, or has none.
    std::optional<NoteOfImage> note_of_lack(const MirroredImages& all) const {
        if (!catalogs.items().empty() || source) return std::nullopt;
        std::optional<NoteOfImage> note;
        std::set<std::string> lacking;
        for (const MirroredImage& image : all.images) {
            if (!image.copy.done)
                lacking.insert(image.copy.from);
            else if (!note)
                note = NoteOfImage{image.copy.to, {}};
        }
        // Of a run that stopped before it had any, one of an earlier run says it.
        if (!note && batch)
            for (const image::IndexEntry& entry : batch->before())
                if (!note && !annotation(entry, catalogs_annotation).empty())
                    note = NoteOfImage{annotation(entry, image::name_annotation), {}};
        if (lacking.empty() || !note) return std::nullopt;
        note->text = list_of_images(lacking);
        return note;
    }

    // Several names of one image are copied once, by the first of them.
    std::set<std::string> names_of_failed(const MirroredImages& all) const {
        std::set<std::string> names;
        for (const MirroredImage& image : all.images)
            if (image.copy.failure) names.insert(image.copy.from);
        std::set<std::string> others;
        for (const MirrorItem& item : images)
            if (names.contains(item.from)) others.merge(word_set(item.annotations.at(sources_annotation)));
        names.merge(others);
        return names;
    }
};

Mirror::Mirror(image::Options options, const MirrorTarget& target)
    : state_(std::make_unique<State>(std::move(options))) {
    state_->prefix = target.prefix();
    if (target.is_directory())
        state_->batch = std::make_unique<image::LayoutBatch>(target.place);
    else if (target.is_archive())
        state_->archive_place = target.place;
    else
        state_->owned.emplace(state_->stores, state_->prefix);
}

Mirror::~Mirror() = default;

void Mirror::write_archive(uint64_t segment_size, const std::string& since, bool dry_run) {
    CarriedBlobs carried;
    if (!since.empty()) carried = carried_since(state_->archive_place, since);
    fs::path place = state_->archive_place;
    std::error_code absent;
    if (dry_run && place.has_parent_path() && !fs::exists(place.parent_path(), absent))
        place = state_->instead.emplace(state_->stores.options().temporary).path() / place.filename();
    state_->archive = std::make_unique<ArchiveWriter>(place, segment_size, std::move(carried.blobs),
                                                      std::move(carried.archives));
}

const std::string& Mirror::prefix() const {
    return state_->prefix;
}

void Mirror::limit_paths(unsigned most_parts) {
    State& state = *state_;
    if (!state.owned)
        throw RequestError("only the paths in a registry have a limit",
                           "give --max-nested-paths when you push");
    const auto of_prefix = static_cast<unsigned>(std::count(state.prefix.begin(), state.prefix.end(), '/'));
    if (most_parts <= of_prefix)
        throw RequestError(fmt::format("{} alone has {} parts", state.prefix, of_prefix),
                           "allow more with --max-nested-paths, or take a shorter prefix");
    state.most_parts = most_parts - of_prefix;
    state.plan.limit_paths(state.most_parts);
}

void Mirror::block(std::shared_ptr<const BlockedImages> blocked) {
    state_->blocked = std::move(blocked);
}

std::string Mirror::pin(const std::string& reference) {
    const image::Name name = required(image::Name::parse(reference));
    if (!name.spec || !name.spec->digest().empty()) return reference;
    try {
        const auto reader = state_->stores.reader(name);
        const std::string top = reader->manifest();
        std::string pinned = fmt::format("{}@sha256:{}", name.spec->to_string(), sha256_hex(top));
        if (const auto& names = state_->stores.options().pinned) names->add(pinned, *name.spec);
        return pinned;
    } catch (const Error& error) {
        throw error.with_message(fmt::format("cannot pull {}: {}", reference, error.what()));
    }
}

void Mirror::add(const CatalogToMirror& wanted, const Catalog& content, ThreadPool& pool) {
    State& state = *state_;
    CatalogToMirror placed = wanted;
    placed.name = state.limited(wanted.name);
    require_not_of_record(placed.name);
    state.catalogs.add(placed, content, pool);
    state.plan.add(content, placed.name.to_string(), state.is_blocked(), wanted.platforms);
}

void Mirror::add(const ImageSetImage& image) {
    state_->plan.add(image.spec, image.target(), image.platforms,
                     image.use == ImageUse::additional ? additional_images : release_images);
    if (!image.signatures.empty()) state_->signatures[image.spec.to_string()] = image.signatures;
}

void Mirror::add(const GraphImage& wanted) {
    State& state = *state_;
    state.graph_data.emplace(state.stores.options().temporary);
    state.graph = graph_item(wanted, state.limited(graph_image_name), state.stores, state.graph_data->path());
}

void Mirror::read(const std::string& from, ThreadPool& pool) {
    State& state = *state_;
    const MirrorTarget target = MirrorTarget::parse(from);
    state.source = target.place;
    state.stores.check_directory(target.place);
    if (target.is_archive()) {
        state.from = std::make_unique<ArchiveReader>(*state.source, state.prefix, pool);
        state.take(stored_items(
            state.from->images(), from, *state.source,
            [&state](const image::Descriptor& manifest) { return state.from->reader(manifest); },
            state.most_parts));
        return;
    }
    const fs::path directory = target.place;
    state.take(stored_items(
        image::list_oci_layout(directory), "oci:" + directory.string(), directory,
        [directory](const image::Descriptor& manifest) {
            return image::read_oci_layout(directory, manifest);
        },
        state.most_parts));
}

void Mirror::check(const ResourceNames& names) const {
    names.check(state_->catalogs.items().size());
}

void Mirror::keep_contents() {
    state_->catalogs.keep_contents();
}

void Mirror::only_shard(const Shard& shard) {
    require_registry();
    state_->shard = shard;
    state_->owned->set_shard(shard);
}

void Mirror::finish_shards(unsigned count) {
    require_registry();
    state_->owned->set_shards_to_finish(count);
}

void Mirror::require_registry() const {
    if (!state_->owned)
        throw RequestError("only a mirror in a registry has shards",
                           "name a registry as the target, or leave out the shard");
}

MirroredImages Mirror::copy(const MirrorRun& run, ThreadPool& pool,
                            const image::OnCopyProgress& on_progress) {
    State& state = *state_;
    if (!state.source)
        state.images = planned_items(
            state.plan, state.stores,
            state.batch ? state.batch->before() : std::span<const image::IndexEntry>(), state.signatures);
    if (state.graph) state.images.push_back(*state.graph);
    if (state.shard) state.keep_images_of(*state.shard);
    MirroredImages all;
    state.add_unusable(all);
    state.add_attachments(run.attachments, pool);
    const bool stops = !run.keep_going && !run.dry_run;
    if (state.batch && !run.dry_run) state.batch->begin();
    if (stops && all.failed > 0) return all;
    if (state.owned) state.owned->read(pool);
    state.copy(state.images, false, run, pool, on_progress, all);
    state.add_unknown_attachments(all);
    all.hidden_attachments = state.hidden_attachments;
    if (all.failed == 0 || !stops) {
        if (run.drop_incomplete && all.failed > 0)
            all.incomplete = state.catalogs.drop_incomplete(state.names_of_failed(all), pool);
        // The second step is to know it. Bundles that were dropped need nothing any more, but what they
        // needed may be where the second step goes to.
        if (!state.owned) state.catalogs.note_missing(missing_of(all), run.drop_incomplete);
        if (!state.shard) state.copy(state.catalogs.items(), true, run, pool, on_progress, all);
    }
    if (run.dry_run) return all;
    const std::optional<NoteOfImage> note = state.note_of_lack(all);
    if (state.batch) {
        state.batch->commit();
        if (note)
            image::annotate_in_oci_layout(state.batch->directory(), missing_others_annotation,
                                          {{note->image, note->text}});
        if (all.failed == 0 || !stops) {
            retire_others(state.batch->directory(), state.items(), state.knows_attachments());
            state.batch->finish();
        }
    }
    if (state.owned) state.owned->finish(state.owned_items(), pool);
    if (state.archive && (all.failed == 0 || !stops)) {
        if (note) state.archive->annotate(note->image, missing_others_annotation, note->text);
        all.archive = state.archive->commit();
        remember_archive(state.archive_place, *all.archive);
    }
    return all;
}

PrunedImages Mirror::prune(bool dry_run, ThreadPool& pool) {
    State& state = *state_;
    PrunedImages pruned;
    pruned.keeps_attachments = !state.knows_attachments();
    if (state.owned) {
        OwnedImages::Removed removed =
            state.owned->remove_others(state.owned_items(), !pruned.keeps_attachments, dry_run, pool);
        pruned.images = std::move(removed.images);
        pruned.kept = std::move(removed.kept);
        return pruned;
    }
    std::map<std::string, std::string> of_others; // images that only other catalogs need now
    for (const auto& [name, use] :
         no_longer_needed(state.batch->directory(), state.items(), !pruned.keeps_attachments)) {
        if (use.others.empty())
            pruned.images.push_back(name);
        else
            of_others[name] = join_words(use.others);
    }
    if (dry_run) return pruned;
    if (!of_others.empty())
        image::annotate_in_oci_layout(state.batch->directory(), catalogs_annotation, of_others);
    const auto removed = image::remove_from_oci_layout(state.batch->directory(), pruned.images);
    pruned.blobs = removed.blobs;
    pruned.bytes = removed.bytes;
    return pruned;
}

std::vector<ResourceFile> Mirror::resources(const ResourceNames& names) {
    std::vector<OwnedImage> all = state_->owned_items();
    // The mirror sets of one run would else replace those of another on the cluster.
    const std::vector<OwnedImage> others = state_->owned->of_other_catalogs(all);
    all.insert(all.end(), others.begin(), others.end());
    std::vector<MirrorImage> images;
    for (const OwnedImage& one : all) {
        MirrorImage image{{}, one.name, {}, one.catalogs};
        for (const std::string& source : one.sources)
            image.sources.push_back(required(PullSpec::parse(source)));
        images.push_back(std::move(image));
    }
    std::vector<MirroredCatalog> catalogs;
    for (const MirrorItem& catalog : state_->catalogs.items())
        catalogs.push_back({catalog.name,
                            // Of one from a directory or an archive, which may lack what the registry has.
                            state_->source
                                ? directory_to_extract(*state_->stores.target(
                                      required(image::Name::parse(catalog.name.in_registry(state_->prefix)))))
                            : catalog.described_by ? directory_to_extract(*catalog.described_by())
                                                   : usual_directory,
                            catalog.source});
    std::optional<UpdateService> service;
    for (const MirrorItem& item : state_->images)
        if (const auto releases = item.annotations.find(releases_annotation);
            releases != item.annotations.end() && !releases->second.empty())
            service = UpdateService{
                item.name.in_registry(state_->prefix),
                fmt::format("{}/{}", state_->prefix, limited_path(releases->second, state_->most_parts))};
    return cluster_resources(images, catalogs, state_->prefix, names, {state_->owned->signatures(), service});
}

} // namespace opcat
