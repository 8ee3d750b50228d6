#include "opcat/workspace/versions.hpp"

#include "opcat/base/file.hpp"
#include "opcat/base/git.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/ignore/ignore_rules.hpp"
#include "opcat/ignore/walk.hpp"
#include "opcat/lint/changes.hpp"
#include "opcat/workspace/parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace opcat {

namespace fs = std::filesystem;

namespace {

GitRepository repository_of_working_directory(const std::string& doing) {
    return {".", doing, "a revision needs a working directory in a git repository"};
}

std::string_view folder_of(std::string_view name) {
    const size_t slash = name.rfind('/');
    return slash == name.npos ? std::string_view() : name.substr(0, slash);
}

// Returns true if each package that the files mention is in them with all of its parts.
bool holds_whole_packages(const Catalog& catalog) {
    const std::vector<PackageIndex> packages = index_packages(catalog);
    return std::ranges::all_of(packages, [](const PackageIndex& package) {
        if (package.packages.size() != 1) return false;
        std::set<std::string_view> entries;
        for (const Channel* channel : package.channels)
            for (const ChannelEntry& entry : channel->entries) entries.insert(entry.name);
        return package.channel_by_name.contains(package.packages.front()->default_channel) &&
               std::ranges::all_of(
                   entries, [&](std::string_view name) { return package.bundle_by_name.contains(name); }) &&
               std::ranges::all_of(package.bundles,
                                   [&](const Bundle* bundle) { return entries.contains(bundle->name); });
    });
}

using Names = std::set<std::string>;

// One of the two: a directory of a commit, or one of this machine.
class Version {
public:
    Version(std::string reference, const OpenOptions& options, ThreadPool& pool)
        : reference_(std::move(reference)), options_(options), pool_(pool) {}

    // False if it is something else than a directory of a catalog.
    bool find_files() {
        if (is_commit()) {
            commit_.emplace(find_revision(reference_));
            const std::string prefix = commit_->scope == "." ? "" : commit_->scope + "/";
            for (const auto& [name, file] : commit_->files) {
                if (!name.starts_with(prefix)) return false;
                names_.insert(name.substr(prefix.size()));
            }
            const auto has_folder = [&](const std::string& folder) {
                const auto found = names_.lower_bound(folder);
                return found != names_.end() && found->starts_with(folder);
            };
            return !has_folder("manifests/") || !has_folder("metadata/");
        }
        std::error_code ignored;
        if (kind_of(reference_, options_.manner) != ReferenceKind::path ||
            !fs::is_directory(reference_, ignored) || is_bundle_directory(reference_))
            return false;
        listing_ = walk_catalog_directory(
            reference_, {}, {}, options_.follow_links ? Links::follow : Links::within_root, Git::skip);
        for (const CatalogFile& file : listing_.files) names_.insert(file.name);
        add_ignore_files(reference_, names_);
        return listing_.problems.empty();
    }

    bool is_commit() const { return kind_of(reference_, options_.manner) == ReferenceKind::revision; }
    const Names& names() const { return names_; }

    // By the names in the directory.
    GitRepository::Files files() const {
        GitRepository::Files all;
        const size_t prefix = commit_->scope == "." ? 0 : commit_->scope.size() + 1;
        for (const auto& [name, file] : commit_->files) all.emplace(name.substr(prefix), file);
        return all;
    }

    LoadedCatalog load(const Names& wanted) const {
        if (is_commit()) {
            const std::string prefix = commit_->scope == "." ? "" : commit_->scope + "/";
            std::vector<std::string> names;
            for (const std::string& name : names_)
                if (wanted.contains(name) || fs::path(name).filename() == ignore_file_name)
                    names.push_back(prefix + name);
            return load_files(*commit_, names, reference_, options_, pool_);
        }
        std::vector<std::unique_ptr<SourceFile>> files;
        for (const CatalogFile& file : listing_.files)
            if (wanted.contains(file.name))
                files.push_back(read_file(file.path, (fs::path(reference_) / file.name).string()));
        return load_catalog(std::move(files), pool_);
    }

private:
    const std::string reference_;
    const OpenOptions& options_;
    ThreadPool& pool_;
    std::optional<FoundRevision> commit_; // or
    CatalogListing listing_;
    Names names_;
};

Names differing_names(const Version& before, const Version& after, const std::string& directory,
                      ThreadPool& pool) {
    Names differing;
    if (before.is_commit() && after.is_commit()) {
        const GitRepository::Files old = before.files();
        const GitRepository::Files now = after.files();
        const auto add = [&](const GitRepository::Files& one, const GitRepository::Files& other) {
            for (const auto& [name, file] : one) {
                const auto found = other.find(name);
                if (found == other.end() || found->second.hash != file.hash ||
                    found->second.mode != file.mode)
                    differing.insert(name);
            }
        };
        add(old, now);
        add(now, old);
        return differing;
    }
    const Version& commit = before.is_commit() ? before : after;
    const Version& here = before.is_commit() ? after : before;
    for (const std::string& name : changed_names(commit.files(), directory, here.names(), pool))
        differing.insert(name);
    return differing;
}

// Nothing: both have to be read as a whole.
std::optional<CatalogVersions> open_what_differs(const std::string& before, const std::string& after,
                                                 const OpenOptions& options, ThreadPool& pool) {
    Version old(before, options, pool);
    Version now(after, options, pool);
    if ((!old.is_commit() && !now.is_commit()) || !old.find_files() || !now.find_files()) return std::nullopt;
    Names wanted = differing_names(old, now, old.is_commit() ? after : before, pool);
    if (std::ranges::any_of(
            wanted, [](const std::string& name) { return fs::path(name).filename() == ignore_file_name; }))
        return std::nullopt;
    for (const bool with_folders : {false, true}) {
        if (with_folders) {
            std::set<std::string, std::less<>> folders;
            for (const std::string& name : wanted) folders.emplace(folder_of(name));
            for (const Version* version : {&old, &now})
                for (const std::string& name : version->names())
                    if (folders.contains(folder_of(name))) wanted.insert(name);
        }
        std::array<LoadedCatalog, 2> loaded;
        pool.for_each(loaded.size(), [&](size_t i) { loaded[i] = (i == 0 ? old : now).load(wanted); });
        if (holds_whole_packages(loaded[0].catalog) && holds_whole_packages(loaded[1].catalog))
            return CatalogVersions{Source(before, std::move(loaded[0])), Source(after, std::move(loaded[1])),
                                   true};
    }
    return std::nullopt;
}

} // namespace

std::string with_revision(const std::string& reference) {
    const size_t colon = reference.find(':');
    std::error_code ignored;
    if (colon == reference.npos && !reference.empty() && reference != "-" && !names_image(reference) &&
        !fs::exists(fs::symlink_status(reference, ignored)) &&
        repository_of_working_directory("read " + reference).has_commit(reference))
        throw RequestError(fmt::format("{} is a revision of git, which needs a path", go_quote(reference)),
                           fmt::format("write {}:PATH, or OLD NEW -- PATH for two revisions", reference));
    if (colon == reference.npos || colon == 0 || image::Name::has_transport(reference) ||
        fs::exists(reference, ignored) || kind_of(reference) == ReferenceKind::revision)
        return reference;
    const std::string revision = reference.substr(0, colon);
    const std::string path = colon + 1 == reference.size() ? "." : reference.substr(colon + 1);
    const GitRepository git = repository_of_working_directory(fmt::format("read {}", reference));
    if (!git.has_commit(revision)) return reference;
    std::string spelling = fmt::format("git:{}:{}", revision, path);
    if (names_image(reference) && image::Name::parse(reference))
        throw RequestError(fmt::format("{} is a revision of git and may be an image", go_quote(reference)),
                           fmt::format("write {} or docker://{}", spelling, reference));
    return spelling;
}

std::string at_revision(const std::string& revision, const std::string& path) {
    const GitRepository git =
        repository_of(path, fmt::format("read {}", path), "name a path in a git repository");
    git.require_repository();
    git.commit(revision);
    const bool is_complete = path.starts_with("../") || fs::path(path).is_absolute();
    return fmt::format("git:{}:{}", revision, is_complete ? path : "./" + path);
}

// Two versions of git are opened side by side: it needs longer to unpack a content than opcat to read it.
CatalogVersions open_versions(const std::string& before, const std::string& after, Extent extent,
                              const OpenOptions& options, ThreadPool& pool) {
    if (extent == Extent::differences)
        if (auto versions = open_what_differs(before, after, options, pool)) return *std::move(versions);
    const auto is_commit = [&](const std::string& reference) {
        return kind_of(reference, options.manner) == ReferenceKind::revision;
    };
    if (is_commit(before) && is_commit(after)) {
        std::array<std::optional<Source>, 2> opened;
        std::array<std::vector<std::string>, 2> warnings;
        pool.for_each(opened.size(), [&](size_t i) {
            OpenOptions own = options;
            own.warn = [&warnings, i](const std::string& warning) { warnings[i].push_back(warning); };
            opened[i] = open(i == 0 ? before : after, own, pool);
        });
        for (const std::vector<std::string>& some : warnings)
            for (const std::string& warning : some) warn(options, warning);
        return {*std::move(opened[0]), *std::move(opened[1])};
    }
    std::vector<Source> both = open_each({before, after}, options, pool);
    return {std::move(both[0]), std::move(both[1])};
}

std::vector<ChangedCatalog> changed_catalogs(const std::string& revision, ThreadPool& pool) {
    const GitRepository git = repository_of_working_directory("find out what changed");
    git.require_repository();
    const std::string commit = git.common_commit(git.commit(revision), revision);
    const GitRepository::Files committed = git.files(commit, ".");
    Names now;
    for (const std::vector<std::string>& names : {git.tracked("."), git.untracked(".")})
        for (const std::string& name : names) {
            std::error_code ignored;
            if (!name.ends_with('/') && fs::exists(fs::symlink_status(name, ignored))) now.insert(name);
        }
    std::map<std::string_view, std::vector<std::string>> old_folders;
    for (const auto& [name, file] : committed)
        if (file.mode != "120000") old_folders[folder_of(name)].push_back(name);
    std::map<std::string_view, std::vector<std::string>> folders;
    for (const std::string& name : now) folders[folder_of(name)].push_back(name);

    std::map<std::string_view, bool> known;
    const auto defines_packages = [&](std::string_view folder) {
        const auto [found, is_new] = known.try_emplace(folder, false);
        if (!is_new) return found->second;
        std::vector<std::unique_ptr<SourceFile>> files;
        std::error_code ignored;
        for (const std::string& name : folders[folder])
            if (fs::is_regular_file(fs::symlink_status(name, ignored)))
                files.push_back(read_file(name, name));
        found->second =
            !load_catalog(std::move(files), pool).catalog.packages.empty() ||
            !load_catalog(git.read(committed, old_folders[folder]), pool).catalog.packages.empty();
        return found->second;
    };
    std::set<std::string> changed;
    for (const std::string& name : changed_names(committed, ".", now, pool))
        for (std::string_view folder = folder_of(name);; folder = folder_of(folder)) {
            if (defines_packages(folder)) {
                changed.emplace(folder.empty() ? "." : folder);
                break;
            }
            if (folder.empty()) break;
        }
    std::vector<ChangedCatalog> catalogs;
    for (const std::string& folder : changed) {
        const std::string prefix = folder == "." ? "" : folder + "/";
        const auto is_below = [&](const std::string& name) { return name.starts_with(prefix); };
        catalogs.push_back(
            {folder,
             std::ranges::any_of(committed, [&](const auto& file) { return is_below(file.first); })
                 ? fmt::format("git:{}:./{}", commit, folder)
                 : "",
             std::ranges::any_of(now, is_below) ? folder : ""});
    }
    return catalogs;
}

CatalogVersions open_versions(const ChangedCatalog& catalog, Extent extent, const OpenOptions& options,
                              ThreadPool& pool) {
    const auto opened = [&](const std::string& reference) {
        return reference.empty() ? Source(catalog.name, LoadedCatalog()) : open(reference, options, pool);
    };
    if (!catalog.before.empty() && !catalog.after.empty())
        return open_versions(catalog.before, catalog.after, extent, options, pool);
    return {opened(catalog.before), opened(catalog.after)};
}

} // namespace opcat
