#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/git.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/workspace/parts.hpp"

#include <fmt/core.h>

namespace opcat {

namespace fs = std::filesystem;

namespace {

// Returns the real path of a path that need not exist.
fs::path real_path(const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path));
}

} // namespace

GitRepository repository_of(const fs::path& path, const std::string& doing, const std::string& hint) {
    fs::path directory = real_path(path);
    std::error_code absent;
    while (!fs::is_directory(directory, absent) && directory.has_relative_path())
        directory = directory.parent_path();
    return {std::move(directory), doing, hint};
}

FoundRevision find_revision(const std::string& reference) {
    const Revision wanted = Revision::parse(reference);
    const std::string doing = fmt::format("read {}", reference);
    const std::string hint =
        "git:REVISION:PATH needs a working directory in a git repository, or a path in one: ./PATH, /PATH";
    const bool is_of_machine =
        wanted.path.starts_with("./") || wanted.path.starts_with("../") || wanted.path.starts_with("/");
    const GitRepository there = repository_of(is_of_machine ? wanted.path : ".", doing, hint);
    there.require_repository();
    const fs::path top = there.top();
    std::string scope =
        (is_of_machine ? real_path(wanted.path).lexically_relative(top) : fs::path(wanted.path))
            .lexically_normal()
            .generic_string();
    if (scope.size() > 1 && scope.ends_with('/')) scope.pop_back();
    GitRepository git(top, doing, hint);
    std::vector<std::string> submodules;
    GitRepository::Files files = git.files(git.commit(wanted.revision), scope, &submodules);
    if (files.empty() && submodules.empty())
        throw RequestError(fmt::format("{} has nothing at {}", go_quote(wanted.revision), scope),
                           "the path is relative to the top of the repository; ./PATH to this directory");
    return {std::move(git), std::move(scope), std::move(files), std::move(submodules)};
}

LoadedCatalog load_files(const FoundRevision& found, const std::vector<std::string>& names,
                         const std::string& shown, const OpenOptions& options, ThreadPool& pool) {
    const TemporaryDirectory temporary(options.temporary);
    make_directories((temporary.path() / found.scope).parent_path());
    if (names.empty()) make_directories(temporary.path() / found.scope);
    found.git.write(found.files, names, temporary.path());
    return load_path(temporary.path() / found.scope, shown, options, pool);
}

LoadedCatalog load_revision(const std::string& reference, const OpenOptions& options, ThreadPool& pool) {
    const FoundRevision found = find_revision(reference);
    const std::vector<std::string>& others = found.submodules;
    if (!others.empty())
        throw Error(fmt::format("cannot read {}: {}, whose files this one does not have", reference,
                                others.size() == 1
                                    ? others.front() + " is another repository (a submodule)"
                                    : listed(others, 4) + " are other repositories (submodules)"),
                    "read a checkout that has them, or a path beside them");
    std::vector<std::string> names;
    names.reserve(found.files.size());
    for (const auto& [name, file] : found.files) names.push_back(name);
    return load_files(found, names, reference, options, pool);
}

} // namespace opcat
