#include "opcat/policy/base_revision.hpp"

#include "opcat/base/git.hpp"
#include "opcat/lint/changes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace opcat::policy {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view link_mode = "120000";
// Links that lead to one another: where Linux gives up (path_resolution(7)).
constexpr int max_links = 40;

// operators/NAME or catalogs/CATALOG/NAME, or what has no more components; empty for another file.
std::string part_of(const std::string& name) {
    const size_t components = name.starts_with("operators/") ? 2 : name.starts_with("catalogs/") ? 3 : 0;
    size_t end = 0;
    for (size_t i = 0; i < components; ++i) {
        end = name.find('/', end);
        if (end == std::string::npos) return name;
        ++end;
    }
    return name.substr(0, end);
}

void add_files_below(const GitRepository& git, const fs::path& root, const char* folder,
                     std::set<std::string>& names) {
    for (const auto& some : {git.tracked(folder), git.untracked(folder)})
        for (const std::string& name : some) {
            std::error_code ignored;
            const fs::file_status status = fs::symlink_status(root / name, ignored);
            // A submodule is a directory, of which git knows no files.
            if (fs::exists(status) && (name.ends_with('/') || !fs::is_directory(status))) names.insert(name);
        }
}

// Collects the files of some parts of a commit, and those to which links in them lead, in other parts as
// well.
class WithTargets {
public:
    WithTargets(const GitRepository& git, const GitRepository::Files& files) : git_(git), files_(files) {}

    void add_part(const std::string& part) {
        for (const auto& [name, file] : files_)
            if (part_of(name) == part) add(name, 0);
    }

    std::vector<std::string> names() const { return {names_.begin(), names_.end()}; }

private:
    void add(const std::string& name, int links) {
        if (names_.insert(name).second && files_.at(name).mode == link_mode) follow(name, {}, links);
    }

    // Adds the files to which the link `name` and the components after it lead.
    void follow(const std::string& name, const fs::path& rest, int links) {
        if (links == max_links) return;
        const auto content = git_.read(files_, {name});
        const fs::path target = fs::path(name).parent_path() / std::string(content.front()->bytes()) / rest;
        add_below(target.lexically_normal(), links + 1);
    }

    // The file, or those of the folder; a folder on the way to it may be a link.
    void add_below(const fs::path& target, int links) {
        if (!targets_.insert(target).second) return;
        fs::path parent;
        for (auto part = target.begin(); part != target.end(); ++part) {
            parent /= *part;
            const auto found = files_.find(parent.string());
            if (found == files_.end()) continue;
            names_.insert(found->first);
            if (found->second.mode != link_mode) return;
            fs::path rest;
            for (++part; part != target.end(); ++part) rest /= *part;
            return follow(found->first, rest, links);
        }
        std::string folder = target.string();
        if (!folder.ends_with('/')) folder += '/';
        for (auto at = files_.lower_bound(folder); at != files_.end() && at->first.starts_with(folder); ++at)
            add(at->first, links);
    }

    const GitRepository& git_;
    const GitRepository::Files& files_;
    std::set<std::string> names_;
    std::set<fs::path> targets_;
};

} // namespace

BaseRevision base_of(const fs::path& root, const std::string& revision, const fs::path& temporary,
                     ThreadPool& pool) {
    const GitRepository git(root, fmt::format("find out what changed in {}", root.string()),
                            "--changed-since needs a git repository with the history of the commit");
    git.require_repository();
    const GitRepository::Files committed = git.files(git.common_commit(git.commit(revision), revision), ".");
    std::set<std::string> now;
    for (const auto& [name, file] : git.files(git.commit("HEAD"), ".")) now.insert(name);
    std::erase_if(now, [&](const std::string& name) {
        std::error_code ignored;
        return !fs::exists(fs::symlink_status(root / name, ignored));
    });
    for (const char* const folder : {"operators", "catalogs"}) add_files_below(git, root, folder, now);

    BaseRevision base{std::make_unique<TemporaryDirectory>(temporary),
                      changed_names(committed, root, now, pool)};
    std::set<std::string> touched;
    for (const std::string& name : base.changed_files) touched.insert(part_of(name));
    touched.erase("");
    WithTargets wanted(git, committed);
    for (const std::string& part : touched) wanted.add_part(part);
    git.write(committed, wanted.names(), base.directory->path());
    return base;
}

} // namespace opcat::policy
