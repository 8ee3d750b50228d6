#include "opcat/workspace/history.hpp"

#include "opcat/ignore/ignore_rules.hpp"
#include "opcat/workspace/parts.hpp"
#include "opcat/workspace/versions.hpp"

#include <fmt/core.h>

#include <map>
#include <utility>

namespace opcat {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t most_bytes = uint64_t{4} << 30;

// Which contents have a text.
class ContentSearch {
public:
    ContentSearch(const GitRepository& git, const std::string& text) : git_(git), text_(text) {}

    // Those of the files that have it, and what says which files count.
    GitRepository::Files matching(const GitRepository::Files& files) {
        std::vector<std::string> unknown;
        for (const auto& [name, file] : files)
            if (!known_.contains(file.hash)) unknown.push_back(name);
        for (const auto& content : git_.read(files, unknown)) {
            bytes_ += content->bytes().size();
            if (bytes_ > most_bytes)
                throw Error("the history holds more than 4 GiB of changed files [limit]",
                            "look at fewer commits: -n");
            known_[files.at(content->path()).hash] = content->bytes().find(text_) != std::string_view::npos;
        }
        GitRepository::Files found;
        for (const auto& [name, file] : files)
            if (known_[file.hash] || file.mode == "120000" || fs::path(name).filename() == ignore_file_name)
                found.emplace(name, file);
        return found;
    }

private:
    const GitRepository& git_;
    const std::string& text_;
    std::map<std::string, bool> known_; // by hash
    uint64_t bytes_ = 0;
};

bool is_equal(const GitRepository::Files& a, const GitRepository::Files& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
        return one.first == other.first && one.second.hash == other.second.hash &&
               one.second.mode == other.second.mode;
    });
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
    const bool is_complete = commits.size() <= most;
    ContentSearch search(git, text);
    GitRepository::Commit pending;
    GitRepository::Files state;
    const auto hand_over = [&] {
        std::vector<std::string> names;
        for (const auto& [name, file] : state) names.push_back(name);
        const std::string shown = fmt::format("git:{}:{}", pending.hash.substr(0, 12), newest.scope);
        LoadedCatalog loaded;
        if (!names.empty()) loaded = load_files({git, newest.scope, state}, names, shown, options, pool);
        return take(pending, Source(shown, std::move(loaded)));
    };
    for (GitRepository::Commit& commit : commits) {
        GitRepository::Files now = search.matching(git.files(commit.hash, newest.scope));
        if (!pending.hash.empty() && !is_equal(now, state)) {
            if (!hand_over()) return {is_complete};
        }
        pending = std::move(commit);
        state = std::move(now);
    }
    if (!pending.hash.empty() && !hand_over()) return {is_complete};
    if (is_complete) take({}, Source(at, LoadedCatalog()));
    return {is_complete};
}

} // namespace opcat
