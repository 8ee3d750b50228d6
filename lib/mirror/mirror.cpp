#include "opcat/mirror/mirror.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/image/builder.hpp"
#include "opcat/image/file_image.hpp"
#include "opcat/image/layout_writer.hpp"
#include "opcat/image/local.hpp"
#include "opcat/mirror/record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace opcat {

namespace fs = std::filesystem;
namespace {

constexpr std::string_view directory_prefix = "dir:";

// The annotations of each image in a directory: its name in catalogs, and the names of the catalogs that need
// it; for a catalog, that it is one.
constexpr const char* sources_annotation = "opcat.mirror.sources";
constexpr const char* catalogs_annotation = "opcat.mirror.catalogs";
constexpr const char* kind_annotation = "opcat.mirror.kind";

constexpr uint64_t max_record = uint64_t{64} << 20;

std::string join(const std::set<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::set<std::string> word_set(const std::string& text) {
    std::set<std::string> words;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.size(), text.find(' ', begin));
        if (end > begin) words.insert(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

std::string annotation(const image::IndexEntry& entry, const char* name) {
    const auto at = entry.annotations.find(name);
    return at == entry.annotations.end() ? std::string() : at->second;
}

using OpenReader = std::function<std::unique_ptr<image::ImageReader>()>;

// An image to copy, whatever it is for.
struct Item {
    std::string from; // for messages
    MirrorName name;
    OpenReader reader;
    image::Annotations annotations;
    std::set<std::string> catalogs; // names of those that it is for
    std::vector<std::string> bundles;
};

// The catalog as an image on top of `base`, in place of the catalog there, without the base's cache: opm only
// accepts a cache of exactly these files.
std::unique_ptr<image::ImageReader>
build_catalog(const fs::path& content, std::unique_ptr<image::ImageReader> base, const fs::path& temporary) {
    image::ImageRecipe recipe;
    image::add_directory(recipe.entries, "configs", content);
    recipe.labels[image::configs_label] = "/configs";
    if (base) {
        recipe.entries["configs/.wh..wh..opq"] = {image::LayerEntry::Kind::text, {}, {}};
        recipe.entries["tmp/.wh.cache"] = {image::LayerEntry::Kind::text, {}, {}};
        recipe.no_labels = {image::database_label};
        recipe.command = {"serve", "/configs"};
    } else {
        recipe.platforms = {{"linux", "amd64", ""}};
    }
    return image::build_image(recipe, std::move(base), temporary);
}

} // namespace

struct Mirror::State {
    image::ImageStores stores;
    std::string prefix;                        // of a registry
    std::unique_ptr<image::LayoutBatch> batch; // of a directory
    MirrorPlan plan;
    std::vector<Item> images;
    std::vector<Item> catalogs;
    std::vector<std::unique_ptr<TemporaryDirectory>> contents;
    std::optional<fs::path> source; // directory
    MirrorRecord before;            // of a registry
    MirrorRecord now;
    std::set<std::pair<std::string, std::string>> ours; // repository and digest of what runs have put there
    std::optional<Shard> shard;
    unsigned shards_to_finish = 0;

    std::shared_ptr<const BlockedImages> blocked;

    MirrorPlan::IsBlocked is_blocked() const {
        return [this](const PullSpec& source, const MirrorName& target) {
            return blocked && blocked->has(source, target, prefix);
        };
    }

    explicit State(image::Options options) : stores(std::move(options)) {}

    image::Name name_of(const MirrorName& name) const {
        return required(image::Name::parse(fmt::format("{}/{}", prefix, name.to_string())));
    }

    image::CopyJob job_of(const Item& item) {
        const std::string to = batch ? item.name.to_string() : name_of(item.name).text;
        return {item.from, to, item.reader, [this, &item]() -> std::unique_ptr<image::ImageWriter> {
                    if (batch)
                        return image::write_to_oci_layout(*batch, item.name.to_string(), item.annotations);
                    return stores.writer(name_of(item.name));
                }};
    }

    void complete_images() {
        if (source) return;
        images.clear();
        std::map<std::string, const image::IndexEntry*> there;
        if (batch)
            for (const image::IndexEntry& entry : batch->before())
                there[annotation(entry, image::name_annotation)] = &entry;
        // With what earlier runs noted: an image may be of several catalogs that are mirrored one by one.
        const auto joined = [&](const MirrorImage& image, const char* name, std::set<std::string> words) {
            if (const auto known = there.find(image.target.to_string()); known != there.end())
                words.merge(word_set(annotation(*known->second, name)));
            return join(words);
        };
        for (const MirrorImage& image : plan.images()) {
            std::set<std::string> sources;
            for (const PullSpec& spec : image.sources) sources.insert(spec.to_string());
            const image::Name from = required(image::Name::parse(image.sources.front().to_string()));
            images.push_back({from.text,
                              image.target,
                              [this, from] { return stores.reader(from); },
                              {{sources_annotation, joined(image, sources_annotation, sources)},
                               {catalogs_annotation, joined(image, catalogs_annotation, image.catalogs)}},
                              image.catalogs,
                              image.bundles});
        }
    }

    void keep_images_of(const Shard& one) {
        std::vector<std::string> names;
        for (const Item& item : images) names.push_back(item.from);
        std::vector<Item> own;
        for (const size_t i : items_of(one, names)) own.push_back(std::move(images[i]));
        images = std::move(own);
    }

    // Copies items and adds the results to `all`; false if the rest is not tried.
    bool copy(const std::vector<Item>& items, const image::CopyOptions& options, ThreadPool& pool,
              const image::OnCopyProgress& on_progress, MirroredImages& all) {
        std::vector<image::CopyJob> jobs;
        jobs.reserve(items.size());
        for (const Item& item : items) jobs.push_back(job_of(item));
        image::CopyOptions own = options;
        // If this run is interrupted, the next one knows the images that it has put there.
        own.before_change = [&](const std::vector<image::PlannedCopy>& planned) {
            if (batch) return; // published as a whole
            note_ours(items, planned, pool);
            for (const image::PlannedCopy& copy : planned)
                if (is_ours(items[copy.job].name, copy.digest))
                    for (const std::string& catalog : items[copy.job].catalogs)
                        now.unsettled[catalog][items[copy.job].name] = copy.digest;
            write_record(current(), pool);
        };
        std::vector<image::CopyResult> results = image::copy_images(jobs, own, pool, on_progress);
        for (size_t i = 0; i < items.size(); ++i) {
            image::CopyResult& result = results[i];
            if (result.failure) ++all.failed;
            if (result.failure && !items[i].bundles.empty()) {
                const std::vector<std::string_view> bundles(items[i].bundles.begin(), items[i].bundles.end());
                constexpr size_t columns = 200;
                result.failure = result.failure->with_message(
                    fmt::format("{} (wanted by {})", result.failure->what(), shorten_list(bundles, columns)));
            }
            if (result.done) note(items[i], result);
            all.results.push_back(std::move(result));
        }
        return all.failed == 0 || !options.stop_at_failure;
    }

    // What somebody else has put there, under any tag, is not ours: registries remove by digest.
    bool is_ours(const MirrorName& name, const std::string& digest) const {
        return ours.contains({name.repository, digest});
    }

    void note_ours(const std::vector<Item>& items, const std::vector<image::PlannedCopy>& planned,
                   ThreadPool& pool) {
        std::vector<char> is_there(planned.size()); // not bool: threads write next to each other
        pool.for_each(planned.size(), [&](size_t i) {
            const MirrorName& name = items[planned[i].job].name;
            if (is_ours(name, planned[i].digest)) return;
            const image::Name by_digest = required(
                image::Name::parse(fmt::format("{}/{}@{}", prefix, name.repository, planned[i].digest)));
            try {
                is_there[i] = stores.writer(by_digest)->current_digest() ? 1 : 0;
            } catch (const Error&) {
                is_there[i] = 1; // unknown: not ours to remove
            }
        });
        for (size_t i = 0; i < planned.size(); ++i)
            if (is_there[i] == 0) ours.emplace(items[planned[i].job].name.repository, planned[i].digest);
    }

    void note(const Item& item, const image::CopyResult& result) {
        if (!is_ours(item.name, result.digest)) return;
        for (const std::string& catalog : item.catalogs) now.catalogs[catalog][item.name] = result.digest;
    }

    // Each shard has a record of its own: two shards that write the same one would lose each other's entries.
    MirrorName record_name() const { return {record_repository, shard ? shard->file_stem() : "latest"}; }

    // What earlier runs have put there, and the shards of this one.
    void read_records(ThreadPool& pool) {
        before = read_record({record_repository, "latest"}, pool);
        if (shard) before.add(read_record(record_name(), pool));
        for (unsigned i = 0; i < shards_to_finish; ++i)
            before.add(read_record({record_repository, Shard{i, shards_to_finish}.file_stem()}, pool));
        for (const auto* all : {&before.catalogs, &before.unsettled})
            for (const auto& [catalog, put] : *all)
                for (const auto& [name, digest] : put) ours.emplace(name.repository, digest);
    }

    MirrorRecord read_record(const MirrorName& record, ThreadPool& pool) {
        const image::Name name = name_of(record);
        try {
            const auto pulled = image::pull_files(
                stores, name, [](const image::Labels&) { return std::vector<std::string>{record_file}; },
                pool);
            if (!pulled) return {};
            return MirrorRecord::parse(read_file(pulled->path(record_file), name.text, max_record)->bytes());
        } catch (const Error& error) {
            throw error.with_message("cannot read the mirror's record of earlier runs: " +
                                     std::string(error.what()));
        }
    }

    void write_record(const MirrorRecord& record, ThreadPool& pool) {
        try {
            image::push_files(stores, name_of(record_name()),
                              {{record_file, {image::LayerEntry::Kind::text, {}, record.to_json()}}}, {},
                              pool);
        } catch (const Error& error) {
            throw error.with_message("cannot write the mirror's record of this run: " +
                                     std::string(error.what()));
        }
    }

    // What is recorded of this run's catalogs, and of others.
    MirrorRecord merged() const {
        MirrorRecord record = before;
        record.add(now);
        return record;
    }

    // The record of this run so far: a shard's has what it has done itself.
    MirrorRecord current() const {
        if (!shard) return merged();
        MirrorRecord record;
        record.unsettled = before.unsettled;
        record.add(now);
        return record;
    }

    // All that the catalogs of this run are to have.
    MirrorRecord wanted() const {
        MirrorRecord record = now;
        for (const auto* items : {&images, &catalogs})
            for (const Item& item : *items)
                for (const std::string& catalog : item.catalogs)
                    record.catalogs[catalog].try_emplace(item.name);
        return record;
    }
};

Mirror::Mirror(image::Options options, const std::string& target)
    : state_(std::make_unique<State>(std::move(options))) {
    if (is_directory(target)) {
        const std::string path = target.substr(directory_prefix.size());
        if (path.empty()) throw RequestError("dir: names no directory", "write dir:DIR");
        state_->batch = std::make_unique<image::LayoutBatch>(path);
        return;
    }
    std::string prefix = target;
    while (prefix.ends_with('/')) prefix.pop_back();
    const auto spec = PullSpec::parse(prefix + "/x:x");
    if (!spec || spec->registry().empty() || spec->to_string() != prefix + "/x:x")
        throw RequestError(fmt::format("\"{}\" is neither a registry nor a path there", target),
                           "write registry.example/prefix, or dir:DIR");
    state_->prefix = prefix;
}

Mirror::~Mirror() = default;

bool Mirror::is_directory(const std::string& target) {
    return target.starts_with(directory_prefix);
}

const std::string& Mirror::prefix() const {
    return state_->prefix;
}

void Mirror::block(std::shared_ptr<const BlockedImages> blocked) {
    state_->blocked = std::move(blocked);
}

std::string Mirror::pin(const std::string& reference) {
    const image::Name name = required(image::Name::parse(reference));
    if (!name.spec || !name.spec->digest().empty()) return reference;
    try {
        return fmt::format("{}@sha256:{}", name.spec->to_string(),
                           sha256_hex(state_->stores.reader(name)->manifest()));
    } catch (const Error& error) {
        throw error.with_message(fmt::format("cannot pull {}: {}", reference, error.what()));
    }
}

void Mirror::add(const MirrorName& name, const std::string& reference, const Catalog& content, bool as_it_is,
                 ThreadPool& pool) {
    State& state = *state_;
    const std::string text = name.to_string();
    for (const Item& other : state.catalogs)
        if (other.name == name)
            throw RequestError(fmt::format("two catalogs would both be {} in the mirror", text),
                               "mirror them below different prefixes");
    state.plan.add(content, text, state.is_blocked());
    std::optional<image::Name> from;
    if (!reference.empty()) from = required(image::Name::parse(reference));
    Item item{reference.empty() ? "the catalog" : reference, name, {}, {}, {text}, {}};
    item.annotations = {{kind_annotation, "catalog"}, {catalogs_annotation, text}};
    if (as_it_is) {
        item.reader = [&state, from] { return state.stores.reader(*from); };
    } else {
        auto& directory = state.contents.emplace_back(
            std::make_unique<TemporaryDirectory>(state.stores.options().temporary));
        const fs::path root = directory->path() / "configs";
        write_catalog_directory(content, Format::json, root, pool);
        item.reader = [&state, from, root] {
            return build_catalog(root, from ? state.stores.reader(*from) : nullptr,
                                 state.stores.options().temporary);
        };
    }
    state.catalogs.push_back(std::move(item));
}

void Mirror::add(const ImageSetImage& image) {
    MirrorName name = mirror_name(image.spec);
    if (!image.target_repository.empty()) name.repository = image.target_repository;
    if (!image.target_tag.empty()) name.tag = image.target_tag;
    if (!state_->is_blocked()(image.spec, name)) state_->plan.add(image.spec, name);
}

void Mirror::read_directory(const fs::path& directory) {
    State& state = *state_;
    state.source = directory;
    const auto entries = image::list_oci_layout(directory);
    if (entries.empty())
        throw Error(fmt::format("there is no mirror in {}", directory.string()),
                    "fill it with opcat mirror CATALOG --to dir:DIR");
    for (const image::IndexEntry& entry : entries) {
        const std::string name = annotation(entry, image::name_annotation);
        std::set<std::string> catalogs = word_set(annotation(entry, catalogs_annotation));
        if (name.empty() || catalogs.empty()) continue; // of somebody else
        const bool is_catalog = annotation(entry, kind_annotation) == "catalog";
        if (!is_catalog && annotation(entry, sources_annotation).empty())
            throw Error(
                fmt::format("{} in {} lacks the annotation {}", name, directory.string(), sources_annotation),
                "fill the directory again: opcat mirror CATALOG --to dir:DIR");
        Item item{fmt::format("oci:{}:{}", directory.string(), name),
                  MirrorName::parse(name),
                  {},
                  entry.annotations,
                  std::move(catalogs),
                  {}};
        item.annotations.erase(image::name_annotation);
        item.reader = [directory, manifest = entry.manifest] {
            return image::read_oci_layout(directory, manifest);
        };
        (is_catalog ? state.catalogs : state.images).push_back(std::move(item));
    }
}

void Mirror::only_shard(const Shard& shard) {
    require_registry();
    state_->shard = shard;
}

void Mirror::finish_shards(unsigned count) {
    require_registry();
    state_->shards_to_finish = count;
}

void Mirror::require_registry() const {
    if (state_->batch)
        throw RequestError("a mirror in a directory has no shards",
                           "name a registry as the target, or leave out the shard");
}

MirroredImages Mirror::copy(const image::CopyOptions& options, ThreadPool& pool,
                            const image::OnCopyProgress& on_progress) {
    State& state = *state_;
    state.complete_images();
    if (state.shard) state.keep_images_of(*state.shard);
    if (!state.batch) state.read_records(pool);
    MirroredImages all;
    if (state.copy(state.images, options, pool, on_progress, all) && !state.shard)
        state.copy(state.catalogs, options, pool, on_progress, all);
    if (options.dry_run) return all;
    if (state.batch)
        state.batch->commit();
    else if (!state.now.catalogs.empty())
        state.write_record(state.current(), pool);
    return all;
}

PrunedImages Mirror::prune(ThreadPool& pool) {
    State& state = *state_;
    PrunedImages pruned;
    if (!state.batch) {
        MirrorRecord record = state.merged();
        const MirrorRecord wanted = state.wanted();
        const std::map<MirrorName, std::string> superfluous = record.superfluous(wanted);
        if (!record.leave_to_others(wanted) && superfluous.empty()) return pruned;
        // At no time does the record claim what is not there.
        record.begin_to_remove(superfluous);
        state.write_record(record, pool);
        for (const auto& [name, digest] : superfluous) {
            state.stores.remove(*state.name_of(name).spec, digest);
            record.remove(name);
            pruned.images.push_back(name.to_string());
        }
        state.write_record(record, pool);
        return pruned;
    }
    std::set<std::string> wanted;
    std::set<std::string> of_this_run;
    for (const auto* items : {&state.images, &state.catalogs})
        for (const Item& item : *items) wanted.insert(item.name.to_string());
    for (const Item& catalog : state.catalogs) of_this_run.insert(catalog.name.to_string());
    const auto is_of_this_run = [&](const std::string& catalog) { return of_this_run.contains(catalog); };
    std::map<std::string, std::string> of_others; // images that only other catalogs need now
    for (const image::IndexEntry& entry : image::list_oci_layout(state.batch->directory())) {
        const std::string name = annotation(entry, image::name_annotation);
        std::set<std::string> catalogs = word_set(annotation(entry, catalogs_annotation));
        if (wanted.contains(name) || std::erase_if(catalogs, is_of_this_run) == 0) continue;
        if (catalogs.empty())
            pruned.images.push_back(name);
        else
            of_others[name] = join(catalogs);
    }
    if (!of_others.empty())
        image::annotate_in_oci_layout(state.batch->directory(), catalogs_annotation, of_others);
    pruned.bytes = image::remove_from_oci_layout(state.batch->directory(), pruned.images).bytes;
    return pruned;
}

std::vector<ResourceFile> Mirror::resources() const {
    std::vector<MirrorImage> images;
    for (const Item& item : state_->images) {
        MirrorImage image{{}, item.name, {}, {}};
        for (const std::string& source : word_set(item.annotations.at(sources_annotation)))
            image.sources.push_back(required(PullSpec::parse(source)));
        images.push_back(std::move(image));
    }
    std::vector<MirrorName> catalogs;
    for (const Item& catalog : state_->catalogs) catalogs.push_back(catalog.name);
    return cluster_resources(images, catalogs, state_->prefix);
}

} // namespace opcat
