#include "opcat/workspace/history.hpp"

#include "opcat/ignore/ignore_rules.hpp"
#include "opcat/workspace/parts.hpp"
#include "opcat/workspace/versions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace opcat {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t most_bytes = uint64_t{4} << 30;

// Which contents have a text. They are read many at a time, in the order in which they are asked for: to
// start git takes longer than to read most of them.
class ContentSearch {
public:
    // `all`: files that will be asked for, in that order.
    ContentSearch(const GitRepository& git, const std::string& text,
                  const std::vector<const GitRepository::Files*>& all)
        : git_(git), text_(text) {
        std::set<std::string_view> seen;
        for (const GitRepository::Files* files : all)
            for (const auto& [name, file] : *files)
                if (!file.hash.empty() && seen.insert(file.hash).second) hashes_.push_back(file.hash);
        sizes_ = git_.sizes(hashes_);
    }

    // Those of the files that have it, and what says which files count.
    GitRepository::Files matching(const GitRepository::Files& files) {
        GitRepository::Files found;
        for (const auto& [name, file] : files) {
            while (!known_.contains(file.hash)) read_more();
            if (known_[file.hash] || file.mode == "120000" || fs::path(name).filename() == ignore_file_name)
                found.emplace(name, file);
        }
        return found;
    }

private:
    static constexpr uint64_t portion_bytes = uint64_t{32} << 20;

    void read_more() {
        GitRepository::Files portion; // by their hashes
        std::vector<std::string> names;
        uint64_t bytes = 0;
        for (; next_ < hashes_.size() && bytes < portion_bytes; ++next_) {
            const std::string& hash = hashes_[next_];
            const auto size = sizes_.find(hash);
            bytes += size == sizes_.end() ? 0 : size->second;
            portion[hash].hash = hash;
            names.push_back(hash);
        }
        bytes_ += bytes;
        if (bytes_ > most_bytes)
            throw Error("the history holds more than 4 GiB of changed files [limit]",
                        "look at fewer commits: -n");
        for (const auto& content : git_.read(portion, names))
            known_[content->path()] = content->bytes().find(text_) != std::string_view::npos;
    }

    const GitRepository& git_;
    const std::string& text_;
    std::vector<std::string> hashes_;
    std::map<std::string, uint64_t> sizes_; // by hash
    size_t next_ = 0;                       // of the hashes, to be read
    std::map<std::string, bool> known_;     // by hash
    uint64_t bytes_ = 0;
};

bool is_equal(const GitRepository::Files& a, const GitRepository::Files& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
        return one.first == other.first && one.second.hash == other.second.hash &&
               one.second.mode == other.second.mode;
    });
}

void apply(const GitRepository::Files& changes, GitRepository::Files& files) {
    for (const auto& [name, file] : changes)
        if (file.hash.empty())
            files.erase(name);
        else
            files[name] = file;
}

// Where a commit has renamed one of its files from, within the directory of the repository; empty if it has
// not.
std::string place_before(const GitRepository& git, const std::string& commit,
                         const GitRepository::Files& files) {
    const std::string parent = commit + "^";
    if (!git.has_commit(parent)) return {};
    std::set<std::string_view> contents;
    for (const auto& [name, file] : files)
        if (fs::path(name).filename() != ignore_file_name) contents.insert(file.hash);
    const GitRepository::Files now = git.files(commit, ".");
    for (const auto& [name, file] : git.files(git.commit(parent), "."))
        if (contents.contains(file.hash) && !now.contains(name)) return name;
    return {};
}

} // namespace

CatalogHistory for_each_version(const std::string& reference, const std::string& text, size_t most,
                                const OpenOptions& options, ThreadPool& pool,
                                const std::function<bool(const GitRepository::Commit&, Source)>& take) {
    const std::string at =
        kind_of(reference) == ReferenceKind::revision ? reference : at_revision("HEAD", reference);
    FoundRevision newest = find_revision(at);
    const GitRepository& git = newest.git;
    const std::string start = git.commit(Revision::parse(at).revision);
    std::vector<GitRepository::Commit> commits = git.history(start, newest.scope, most + 1);
    const bool is_shallow = git.is_shallow();
    const bool has_all = commits.size() <= most && !is_shallow;
    const std::vector<GitRepository::Files> changes = git.changes(commits, newest.scope);
    std::vector<const GitRepository::Files*> all{&newest.files};
    for (const GitRepository::Files& change : changes) all.push_back(&change);
    ContentSearch search(git, text, all);
    GitRepository::Commit pending;
    GitRepository::Files state;
    const auto hand_over = [&] {
        std::vector<std::string> names;
        for (const auto& [name, file] : state) names.push_back(name);
        const std::string shown = fmt::format("git:{}:{}", pending.hash.substr(0, 12), newest.scope);
        LoadedCatalog loaded;
        if (!names.empty()) loaded = load_files({git, newest.scope, state, {}}, names, shown, options, pool);
        return take(pending, Source(shown, std::move(loaded)));
    };
    GitRepository::Files files = newest.files;
    for (size_t i = 0; i < commits.size(); ++i) {
        if (i > 0) apply(changes[i - 1], files);
        GitRepository::Files now = search.matching(files);
        if (!pending.hash.empty() && !is_equal(now, state)) {
            if (!hand_over()) return {has_all, is_shallow, {}};
        }
        pending = std::move(commits[i]);
        state = std::move(now);
    }
    if (!pending.hash.empty() && !hand_over()) return {has_all, is_shallow, {}};
    std::string earlier =
        has_all && !pending.hash.empty() ? place_before(git, pending.hash, state) : std::string();
    const bool is_complete = has_all && earlier.empty();
    if (is_complete) take({}, Source(at, LoadedCatalog()));
    return {is_complete, is_shallow, std::move(earlier)};
}

namespace {

// What a version says about a bundle, each as a sentence.
std::set<std::string> facts_about(const std::string& bundle, const Catalog& catalog) {
    std::set<std::string> facts;
    for (const Bundle& one : catalog.bundles)
        if (one.name.text == bundle) facts.insert(fmt::format("bundle in package {}", one.package.text));
    for (const Channel& channel : catalog.channels)
        for (const ChannelEntry& entry : channel.entries) {
            const auto add = [&](std::string_view what) {
                facts.insert(fmt::format("{}/{}: {}", channel.package.text, channel.name.text, what));
            };
            if (entry.name.text == bundle) {
                add("entry");
                if (!entry.replaces.empty()) add(fmt::format("replaces {}", entry.replaces.text));
                for (const Text& skip : entry.skips) add(fmt::format("skips {}", skip.text));
                if (!entry.skip_range.empty()) add(fmt::format("skipRange {}", entry.skip_range.text));
                continue;
            }
            if (entry.replaces.text == bundle) add(fmt::format("{} replaces it", entry.name.text));
            if (std::ranges::any_of(entry.skips, [&](const Text& skip) { return skip.text == bundle; }))
                add(fmt::format("{} skips it", entry.name.text));
        }
    return facts;
}

} // namespace

std::vector<BundleFact> facts_since(const std::string& reference, const std::string& bundle, size_t most,
                                    const OpenOptions& options, ThreadPool& pool) {
    std::vector<BundleFact> origins;
    bool is_first = true;
    for_each_version(reference, bundle, most, options, pool,
                     [&](const GitRepository::Commit& commit, const Source& source) {
                         const std::set<std::string> facts = facts_about(bundle, source.catalog());
                         if (is_first)
                             for (const std::string& fact : facts) origins.push_back({fact, commit, true});
                         is_first = false;
                         bool is_open = false;
                         for (BundleFact& fact : origins) {
                             if (!fact.or_earlier) continue;
                             fact.or_earlier = facts.contains(fact.what);
                             if (fact.or_earlier) fact.since = commit;
                             is_open |= fact.or_earlier;
                         }
                         return is_open;
                     });
    return origins;
}

} // namespace opcat
