#include "opcat/lint/changes.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/git.hpp"
#include "opcat/base/text.hpp"
#include "opcat/ignore/ignore_rules.hpp"
#include "opcat/lint/blobs.hpp"

#include <fmt/core.h>

#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace opcat {

namespace fs = std::filesystem;

bool ChangedParts::concerns(std::string_view package, const SourceFile* file) const {
    if (everything) return true;
    if (!package.empty()) return packages.contains(std::string(package));
    return !file || files.contains(file);
}

namespace {

// The hashes that git would store contents under.
class ContentHash {
public:
    explicit ContentHash(const GitRepository::File& like) : is_sha256_(like.hash.size() == 64) {}

    bool is(const GitRepository::File& file, std::string_view content) const {
        const std::string object = fmt::format("blob {}{}", content.size(), '\0').append(content);
        return (is_sha256_ ? sha256_hex(object) : sha1_hex(object)) == file.hash;
    }

private:
    bool is_sha256_;
};

// Returns true if a file of the working tree is what was committed. With other line breaks, which git may
// exchange at check-out, it is the same.
bool is_unchanged(const fs::path& path, const GitRepository::File& committed) {
    std::error_code failed;
    const fs::file_status status = fs::symlink_status(path, failed);
    const ContentHash hash(committed);
    if (fs::is_symlink(status))
        return committed.mode == "120000" && hash.is(committed, fs::read_symlink(path, failed).string());
    if (!fs::is_regular_file(status) || committed.mode == "120000") return false;
    try {
        const auto file = read_file(path, path.string());
        return hash.is(committed, file->bytes()) ||
               (file->bytes().find('\r') != std::string_view::npos &&
                hash.is(committed, replace_all(std::string(file->bytes()), "\r\n", "\n")));
    } catch (const Error&) {
        return false; // it is reported where it is read
    }
}

// .indexignore files are not among the files of a catalog.
void add_ignore_files(const fs::path& directory, std::set<std::string>& names) {
    std::error_code failed;
    fs::recursive_directory_iterator at(directory, failed);
    for (const fs::recursive_directory_iterator end; !failed && at != end; at.increment(failed)) {
        std::error_code ignored;
        if (at->path().filename() == ".git") at.disable_recursion_pending();
        if (at->path().filename() == ignore_file_name && !at->is_directory(ignored))
            names.insert(at->path().lexically_relative(directory).generic_string());
    }
}

// The names of the catalog's files, relative to the directory.
std::set<std::string> names_of_files(const fs::path& directory, const std::string& scope,
                                     const LoadedCatalog& catalog) {
    std::set<std::string> now;
    if (scope == ".") add_ignore_files(directory, now);
    for (const auto& storage : catalog.catalog.storage)
        for (const auto& file : storage->files) {
            const fs::path path = fs::path(file->path()).lexically_normal();
            now.insert(path.lexically_relative(directory.lexically_normal()).generic_string());
        }
    return now;
}

} // namespace

std::vector<std::string> changed_names(const GitRepository::Files& committed, const fs::path& directory,
                                       const std::set<std::string>& now, ThreadPool& pool) {
    std::vector<std::pair<std::string, bool>> old;
    for (const auto& [name, file] : committed) old.emplace_back(name, false);
    pool.for_each(old.size(), [&](size_t i) {
        old[i].second = !is_unchanged(directory / old[i].first, committed.at(old[i].first));
    });
    std::vector<std::string> names;
    for (const auto& [name, changed] : old)
        if (changed) names.push_back(name);
    for (const std::string& name : now)
        if (!committed.contains(name)) names.push_back(name);
    return names;
}

ChangedParts changed_parts(const fs::path& path, const LoadedCatalog& catalog, const std::string& revision,
                           ThreadPool& pool) {
    std::error_code ignored;
    const bool is_directory = fs::is_directory(path, ignored);
    const fs::path directory = is_directory             ? path
                               : path.has_parent_path() ? path.parent_path()
                                                        : fs::path(".");
    const std::string scope = is_directory ? "." : path.filename().string();
    const GitRepository git(
        directory, fmt::format("find out what changed in {}", path.string()),
        "--changed-since needs a catalog in a git repository with the history of the commit");
    git.require_repository();
    const GitRepository::Files committed =
        git.files(git.common_commit(git.commit(revision), revision), scope);
    const std::vector<std::string> names =
        changed_names(committed, directory, names_of_files(directory, scope, catalog), pool);

    ChangedParts changed;
    std::set<fs::path> paths;
    for (const std::string& name : names) {
        const fs::path file = fs::path(name).lexically_normal();
        changed.everything |= file.filename() == ignore_file_name;
        paths.insert((directory / file).lexically_normal());
    }
    for (const auto& storage : catalog.catalog.storage)
        for (const auto& file : storage->files)
            if (paths.contains(fs::path(file->path()).lexically_normal())) changed.files.insert(file.get());
    for_each_blob(catalog, [&](const SourceFile* file, const Text& package) {
        if (changed.files.contains(file)) changed.packages.emplace(package);
    });
    const LoadedCatalog old = load_catalog(git.read(committed, names), pool);
    for_each_blob(old, [&](const SourceFile*, const Text& package) { changed.packages.emplace(package); });
    return changed;
}

} // namespace opcat
