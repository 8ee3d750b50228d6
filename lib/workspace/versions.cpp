#include "opcat/workspace/versions.hpp"

#include "opcat/base/file.hpp"
#include "opcat/base/git.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/ignore/ignore_rules.hpp"
#include "opcat/ignore/walk.hpp"
#include "opcat/lint/changes.hpp"
#include "opcat/lint/lint.hpp"
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

using Names = std::set<std::string>;

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
CatalogVersions open_versions(const std::string& before, const std::string& after, const OpenOptions& options,
                              ThreadPool& pool) {
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

std::vector<ChangedCatalog> changed_catalogs(const std::string& revision, const OpenOptions& options,
                                             ThreadPool& pool) {
    const GitRepository git = repository_of_working_directory("find out what changed");
    git.require_repository();
    const std::string commit = git.common_commit(git.commit(revision), revision);
    const GitRepository::Files committed = git.files(commit, ".");
    Names now;
    std::vector<std::string> others; // submodules, and repositories that git does not know
    for (const std::vector<std::string>& names : {git.tracked("."), git.untracked(".")})
        for (const std::string& name : names) {
            std::error_code ignored;
            if (fs::is_directory(fs::symlink_status(name, ignored)))
                others.push_back(name);
            else if (fs::exists(fs::symlink_status(name, ignored)))
                now.insert(name);
        }
    if (!others.empty())
        warn(options,
             fmt::format("repositories in this one are not compared: {} (`opcat diff --changed-since` "
                         "in them does)",
                         listed(others, 4)));
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
    std::vector<std::string> names = changed_names(committed, ".", now, pool);
    // What git ignores is part of a catalog all the same.
    for (std::string& name : git.ignored(".")) {
        if (name.ends_with('/')) name.pop_back(); // a directory, of which git says no more
        names.push_back(std::move(name));
    }
    for (const std::string& name : names)
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

CatalogVersions open_versions(const ChangedCatalog& catalog, const OpenOptions& options, ThreadPool& pool) {
    const auto opened = [&](const std::string& reference) {
        return reference.empty() ? Source(catalog.name, LoadedCatalog()) : open(reference, options, pool);
    };
    if (!catalog.before.empty() && !catalog.after.empty())
        return open_versions(catalog.before, catalog.after, options, pool);
    return {opened(catalog.before), opened(catalog.after)};
}

namespace {

// The package of the blob that a place is in; empty: it is in none.
std::string_view package_at(const Catalog& catalog, const Location& where) {
    std::string_view found;
    uint32_t begin = 0;
    const auto look_at = [&](const Blob& blob, std::string_view package) {
        const Location start = blob.start();
        if (start.file != where.file || start.offset > where.offset || start.offset < begin) return;
        begin = start.offset;
        found = package;
    };
    for (const Package& package : catalog.packages) look_at(package, package.name);
    for (const Channel& channel : catalog.channels) look_at(channel, channel.package);
    for (const Bundle& bundle : catalog.bundles) look_at(bundle, bundle.package);
    return found;
}

std::optional<Diagnostic> first_error(const LoadedCatalog& loaded, ThreadPool& pool) {
    for (const Diagnostics& all : {loaded.diagnostics, find_errors(loaded.catalog, pool)})
        for (const Diagnostic& finding : all)
            if (finding.severity == Severity::error) return finding;
    return std::nullopt;
}

} // namespace

std::optional<RefusedVersion> find_refusal(const CatalogVersions& versions, ThreadPool& pool) {
    const LoadedCatalog& after = versions.after.loaded();
    if (after.bundles_unknown) return std::nullopt;
    const auto error = first_error(after, pool);
    if (!error) return std::nullopt;
    const LoadedCatalog& before = versions.before.loaded();
    if (before.bundles_unknown) return std::nullopt;
    return RefusedVersion{
        {.kind = RegressionKind::unservable,
         .package = package_at(after.catalog, error->where),
         .channel = {},
         .message = fmt::format("opm refuses the whole catalog: {}", on_one_line(error->message)),
         .installed = {},
         .where = error->where,
         .is_allowed = false},
        !first_error(before, pool)};
}

} // namespace opcat
