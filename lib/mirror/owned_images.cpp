#include "opcat/mirror/owned_images.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/image/builder.hpp"
#include "opcat/image/file_image.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace opcat {
namespace {

constexpr uint64_t max_record = uint64_t{64} << 20;

} // namespace

std::optional<MirrorRecord> read_mirror_record(image::ImageStores& stores, const std::string& prefix,
                                               const MirrorName& record, ThreadPool& pool) {
    const image::Name name = required(image::Name::parse(fmt::format("{}/{}", prefix, record.to_string())));
    try {
        const auto pulled = image::pull_files(
            stores, name, [](const image::Labels&) { return std::vector<std::string>{record_file}; }, pool);
        if (!pulled) return std::nullopt;
        return MirrorRecord::parse(read_file(pulled->path(record_file), name.text, max_record)->bytes());
    } catch (const Error& error) {
        throw error.with_message("cannot read the mirror's record of earlier runs: " +
                                 std::string(error.what()));
    }
}

image::Name OwnedImages::name_of(const MirrorName& name) const {
    return required(image::Name::parse(fmt::format("{}/{}", prefix_, name.to_string())));
}

void OwnedImages::know(const MirrorRecord& record) {
    for (const auto* all : {&record.catalogs, &record.unsettled})
        for (const auto& [catalog, put] : *all)
            for (const auto& [name, digest] : put) ours_.emplace(name.repository, digest);
}

void OwnedImages::read(ThreadPool& pool) {
    before_ = read_record(common_record, pool);
    last_ = before_.to_json();
    if (shard_) before_.add(read_record(record_name(), pool));
    for (unsigned i = 0; i < shards_to_finish_; ++i)
        before_.add(read_record({record_repository, Shard{i, shards_to_finish_}.file_stem()}, pool));
    know(before_);
}

bool OwnedImages::catch_up(MirrorRecord& record, ThreadPool& pool) {
    if (shard_) return false; // its record is its own
    const MirrorRecord there = read_record(common_record, pool);
    std::string text = there.to_json();
    if (text == last_) return false;
    last_ = std::move(text);
    record.adopt(there, own_);
    before_.adopt(there, own_);
    know(there);
    return true;
}

// A registry cannot say "only if nobody has written since", so each run looks again when another one has had
// the time to write: two that begin at once both believe that they are alone.
void OwnedImages::publish(MirrorRecord& record, ThreadPool& pool) {
    constexpr unsigned most_attempts = 10;
    for (unsigned attempt = 0; attempt < most_attempts; ++attempt) {
        const bool is_alone = !catch_up(record, pool);
        if (attempt > 0 && is_alone) return; // the last one stayed
        write_record(record, pool);
        last_ = record.to_json();
        if (shard_) return; // nobody else writes its record
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    throw Error("other runs change the mirror's record all the time", "let them end first");
}

bool OwnedImages::knows(const MirrorName& name) const {
    return std::any_of(before_.catalogs.begin(), before_.catalogs.end(),
                       [&](const auto& catalog) { return catalog.second.contains(name); });
}

bool OwnedImages::has_part_of(const MirrorName& name) const {
    return std::any_of(before_.platforms.begin(), before_.platforms.end(), [&](const auto& catalog) {
        const auto known = catalog.second.find(name);
        return known != catalog.second.end() && !known->second.empty();
    });
}

std::optional<std::string> OwnedImages::taken_by(const OwnedImage& image) const {
    const auto repositories_of = [](const std::set<std::string>& sources) {
        std::set<std::string> names;
        for (const std::string& source : sources)
            if (const auto spec = PullSpec::parse(source)) names.insert(spec->name());
        return names;
    };
    for (const auto& [catalog, there] : before_.catalogs) {
        const auto digest = there.find(image.name);
        if (digest == there.end() || digest->second == image.digest || image.catalogs.contains(catalog))
            continue;
        std::set<std::string> sources;
        if (const auto of = before_.sources.find(catalog); of != before_.sources.end())
            if (const auto some = of->second.find(image.name); some != of->second.end())
                sources = some->second;
        if (sources.empty() && image.sources.empty()) continue; // attachments, or a catalog of that name
        const std::set<std::string> others = repositories_of(sources);
        const std::set<std::string> own = repositories_of(image.sources);
        if (std::ranges::any_of(own, [&](const std::string& name) { return others.contains(name); }))
            continue;
        return sources.empty() ? fmt::format("what catalog {} has there", catalog) : *sources.begin();
    }
    return std::nullopt;
}

void OwnedImages::begin_to_put(const std::vector<OwnedImage>& images, ThreadPool& pool) {
    expect(images, pool);
    for (const OwnedImage& image : images) {
        own_.insert(image.catalogs.begin(), image.catalogs.end());
        if (is_ours(image))
            for (const std::string& catalog : image.catalogs)
                now_.unsettled[catalog][image.name] = image.digest;
    }
    MirrorRecord record = current();
    publish(record, pool);
}

// An image that somebody else has put there, under any tag, is not ours: registries remove by digest.
void OwnedImages::expect(const std::vector<OwnedImage>& images, ThreadPool& pool) {
    std::vector<char> is_there(images.size()); // not bool: threads write next to each other
    pool.for_each(images.size(), [&](size_t i) {
        const OwnedImage& image = images[i];
        if (is_ours(image) || image.is_absent) return;
        const image::Name by_digest = required(
            image::Name::parse(fmt::format("{}/{}@{}", prefix_, image.name.repository, image.digest)));
        try {
            is_there[i] = stores_.writer(by_digest)->current_digest() ? 1 : 0;
        } catch (const Error&) {
            is_there[i] = 1; // unknown: not ours to remove
        }
    });
    for (size_t i = 0; i < images.size(); ++i)
        if (is_there[i] == 0) ours_.emplace(images[i].name.repository, images[i].digest);
}

void OwnedImages::put(const OwnedImage& image) {
    there_.insert(image.name);
    auto& kind = is_ours(image) ? now_.catalogs : now_.found;
    for (const std::string& catalog : image.catalogs) kind[catalog][image.name] = image.digest;
}

void OwnedImages::finish(const std::vector<OwnedImage>& images, ThreadPool& pool) {
    for (const OwnedImage& image : images)
        now_.signatures.insert(image.signatures.begin(), image.signatures.end());
    if (now_.catalogs.empty() && now_.found.empty()) return;
    for (const auto* all : {&now_.catalogs, &now_.found})
        for (const auto& [catalog, there] : *all) own_.insert(catalog);
    if (!shard_)
        for (const OwnedImage& image : images)
            for (const std::string& catalog : image.catalogs)
                if (!image.sources.empty() || there_.contains(image.name)) {
                    now_.sources[catalog][image.name] = image.sources;
                    if (!image.platforms.empty()) now_.platforms[catalog][image.name] = image.platforms;
                }
    MirrorRecord record = current();
    publish(record, pool);
}

SignatureData OwnedImages::signatures() const {
    return merged().signatures;
}

std::vector<OwnedImage> OwnedImages::of_other_catalogs(const std::vector<OwnedImage>& images) const {
    std::set<std::string> own;
    for (const OwnedImage& image : images) own.insert(image.catalogs.begin(), image.catalogs.end());
    std::vector<OwnedImage> others;
    for (const auto& [catalog, there] : before_.sources)
        if (!own.contains(catalog))
            for (const auto& [name, sources] : there)
                if (!sources.empty()) others.push_back({name, {catalog}, {}, sources});
    return others;
}

OwnedImages::Removed OwnedImages::remove_others(const std::vector<OwnedImage>& images, bool attachments,
                                                bool dry_run, ThreadPool& pool) {
    MirrorRecord wanted = now_;
    for (const OwnedImage& image : images)
        for (const std::string& catalog : image.catalogs) wanted.catalogs[catalog].try_emplace(image.name);
    std::set<std::string> own;
    for (const auto& [catalog, there] : wanted.catalogs) own.insert(catalog);
    own_ = own;
    bool forgets = false;
    for (const std::string& none : with_others_of_the_run(own))
        if (wanted.catalogs.try_emplace(none).second && !dry_run && before_.sources.erase(none) > 0)
            forgets = true;
    MirrorRecord record = merged();
    catch_up(record, pool);
    std::map<MirrorName, std::string> superfluous = record.superfluous(wanted);
    if (!attachments) // this run's record says no more where an image comes from that it does not need
        std::erase_if(superfluous, [&](const auto& image) {
            return before_.is_attachment(image.first) && record.is_attachment(image.first);
        });
    Removed removed{.images = {}, .kept = used_by_others(superfluous, pool)};
    std::erase_if(superfluous,
                  [&](const auto& image) { return removed.kept.contains(image.first.to_string()); });
    for (const auto& [name, digest] : superfluous) removed.images.push_back(name.to_string());
    if (dry_run || (!record.leave_to_others(wanted) && superfluous.empty() && !forgets)) return removed;
    remove(superfluous, record, pool);
    return removed;
}

std::map<std::string, std::string>
OwnedImages::used_by_others(const std::map<MirrorName, std::string>& images, ThreadPool& pool) {
    const MirrorRecord record = merged();
    std::set<MirrorName> known;
    const auto add = [&](const auto& by_catalog) {
        for (const auto& [catalog, all] : by_catalog)
            for (const auto& [name, value] : all) known.insert(name);
    };
    add(record.catalogs);
    add(record.unsettled);
    add(record.sources);
    std::set<std::string> repositories;
    for (const auto& [name, digest] : images) {
        known.insert(name);
        repositories.insert(name.repository);
    }
    const std::vector<std::string> all(repositories.begin(), repositories.end());
    std::vector<std::optional<std::map<std::string, std::string>>> named(all.size());
    pool.for_each(all.size(), [&](size_t i) {
        const image::Name place = name_of({all[i], "latest"});
        std::set<std::string> listed;
        named[i] = stores_.named_by_others(*place.spec, [&](std::string_view tag) {
            const std::string text(tag);
            listed.insert(text);
            // An image whose own tag became that of its referrers has its 64 digits as its tag.
            return known.contains({all[i], text}) || image::is_sha256("sha256:" + text);
        });
        // A list without a tag of this mirror, which is there, lacks others, too.
        for (auto own = known.lower_bound({all[i], ""}); own != known.end() && own->repository == all[i];
             ++own)
            if (named[i] && !listed.contains(own->tag) && stores_.writer(name_of(*own))->current_digest())
                named[i].reset();
    });
    std::map<std::string, std::string> used;
    for (const auto& [name, digest] : images) {
        const auto place = std::ranges::lower_bound(all, name.repository);
        const auto& tags = named[static_cast<size_t>(place - all.begin())];
        if (!tags)
            used[name.to_string()] =
                "the registry does not list all tags there, and somebody else may have tagged it";
        else if (const auto tag = tags->find(digest); tag != tags->end())
            used[name.to_string()] =
                fmt::format("somebody else has tagged it: {}:{}", name.repository, tag->second);
    }
    add_used_by_mirrors(images, used, pool);
    return used;
}

bool OwnedImages::has_record(const std::string& prefix) {
    const std::string name = fmt::format("{}/{}", prefix, common_record.to_string());
    try {
        return stores_.writer(required(image::Name::parse(name)))->current_digest().has_value();
    } catch (const Error&) {
        return false;
    }
}

void OwnedImages::add_used_by_mirrors(const std::map<MirrorName, std::string>& images,
                                      std::map<std::string, std::string>& used, ThreadPool& pool) {
    std::set<std::string> around;
    for (const auto& [name, digest] : images) {
        const std::string path = prefix_ + "/" + name.repository;
        for (size_t end = path.find('/'); end != path.npos; end = path.find('/', end + 1))
            around.insert(path.substr(0, end));
    }
    around.erase(prefix_);
    const std::vector<std::string> prefixes(around.begin(), around.end());
    std::vector<std::optional<MirrorRecord>> records(prefixes.size());
    pool.for_each(prefixes.size(), [&](size_t i) {
        try {
            records[i] = read_mirror_record(stores_, prefixes[i], common_record, pool);
        } catch (const Error& error) {
            // Registries deny access where there is nothing, or do not take the name.
            if (error.temporary() || has_record(prefixes[i])) throw;
        }
    });
    for (size_t i = 0; i < prefixes.size(); ++i) {
        if (!records[i]) continue;
        std::set<std::pair<std::string, std::string>> needed; // repository below the registry, digest
        std::set<std::string> names;
        for (const auto* all : {&records[i]->catalogs, &records[i]->found, &records[i]->unsettled})
            for (const auto& [catalog, there] : *all)
                for (const auto& [name, digest] : there)
                    needed.emplace(prefixes[i] + "/" + name.repository, digest);
        for (const auto& [catalog, there] : records[i]->sources)
            for (const auto& [name, sources] : there) names.insert(name.in_registry(prefixes[i]));
        for (const auto& [name, digest] : images)
            if (names.contains(name.in_registry(prefix_)) ||
                needed.contains({prefix_ + "/" + name.repository, digest}))
                used[name.to_string()] = fmt::format("the mirror {} needs it, too", prefixes[i]);
    }
}

void OwnedImages::remove(const std::map<MirrorName, std::string>& images, ThreadPool& pool) {
    MirrorRecord record = merged();
    for (const auto* all : {&record.catalogs, &record.unsettled})
        for (const auto& [catalog, list] : *all) own_.insert(catalog);
    for (auto& [catalog, list] : record.sources)
        for (const auto& [name, digest] : images) list.erase(name);
    remove(images, record, pool);
}

void OwnedImages::remove(const std::map<MirrorName, std::string>& images, MirrorRecord& record,
                         ThreadPool& pool) {
    // At no time does the record claim what is not there.
    record.begin_to_remove(images);
    publish(record, pool);
    for (const auto& [name, digest] : images) {
        stores_.remove(*name_of(name).spec, digest);
        record.remove(name, digest);
    }
    before_.signatures = now_.signatures = record.signatures;
    publish(record, pool);
}

MirrorRecord OwnedImages::read_record(const MirrorName& record, ThreadPool& pool) {
    return read_mirror_record(stores_, prefix_, record, pool).value_or(MirrorRecord());
}

void OwnedImages::write_record(const MirrorRecord& record, ThreadPool& pool) {
    try {
        image::push_files(stores_, name_of(record_name()),
                          {{record_file, {image::LayerEntry::Kind::text, {}, record.to_json()}}}, {}, pool);
    } catch (const Error& error) {
        throw error.with_message("cannot write the mirror's record of this run: " +
                                 std::string(error.what()));
    }
}

// Returns the record of this run's catalogs, and of others.
MirrorRecord OwnedImages::merged() const {
    MirrorRecord record = before_;
    record.add(now_);
    return record;
}

// The record of this run so far: a shard's has what it has done itself.
MirrorRecord OwnedImages::current() const {
    if (!shard_) return merged();
    MirrorRecord record;
    record.unsettled = before_.unsettled;
    record.add(now_);
    return record;
}

} // namespace opcat
