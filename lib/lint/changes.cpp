#include "opcat/lint/changes.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/process.hpp"
#include "opcat/base/text.hpp"
#include "opcat/ignore/ignore_rules.hpp"
#include "opcat/lint/blobs.hpp"

#include <fmt/core.h>

#include <charconv>
#include <memory>
#include <vector>

namespace opcat {

namespace fs = std::filesystem;

bool ChangedParts::concerns(std::string_view package, const SourceFile* file) const {
    if (everything) return true;
    if (!package.empty()) return packages.contains(std::string(package));
    return !file || files.contains(file);
}

namespace {

// git in the directory of a catalog. Nothing that the repository's configuration names is run.
class Git {
public:
    Git(fs::path directory, std::string purpose)
        : directory_(std::move(directory)), purpose_(std::move(purpose)) {}

    ProcessResult run(std::vector<std::string> arguments, std::string_view input = {}) const {
        std::vector<std::string> all{"git", "-C", directory_.string(), "-c", "core.fsmonitor=false"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return run_process({.arguments = std::move(all), .input = input});
    }

    std::string output(std::vector<std::string> arguments, std::string_view input = {}) const {
        ProcessResult result = run(std::move(arguments), input);
        if (result.exit_status != 0) fail(result);
        return std::move(result.out);
    }

    [[noreturn]] void fail(const ProcessResult& result) const {
        std::string why = printable(result.err);
        throw Error(fmt::format("cannot find out {}: git fails in {}: {}", purpose_, directory_.string(),
                                why.empty() ? fmt::format("exit status {}", result.exit_status) : why),
                    "--changed-since needs a catalog in a git repository with the history of the commit");
    }

private:
    fs::path directory_;
    std::string purpose_;
};

std::string without_line_break(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

// Names that end in NUL.
std::vector<std::string> names_in(std::string_view list) {
    std::vector<std::string> names;
    while (!list.empty()) {
        const size_t end = std::min(list.find('\0'), list.size());
        names.emplace_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return names;
}

std::string common_commit(const Git& git, const std::string& revision) {
    if (git.run({"rev-parse", "--git-dir"}).exit_status != 0) git.fail(git.run({"rev-parse", "--git-dir"}));
    const ProcessResult commit =
        git.run({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
    if (commit.exit_status != 0)
        throw RequestError(fmt::format("git does not have commit {}", go_quote(revision)),
                           "name a commit, a branch or a tag; a shallow clone may lack it (git fetch)");
    const std::string hash = without_line_break(commit.out);
    const ProcessResult base = git.run({"merge-base", "HEAD", hash});
    if (base.exit_status == 0) return without_line_break(base.out);
    throw RequestError(
        fmt::format("the history of HEAD and of {} has no commit in common", go_quote(revision)),
        "a shallow clone may lack it: fetch more of the history (git fetch --unshallow)");
}

// The files as they were in a commit; those that were not there are left out.
std::vector<std::unique_ptr<SourceFile>> old_files(const Git& git, const std::string& commit,
                                                   const std::vector<std::string>& names) {
    std::string questions;
    for (const std::string& name : names) {
        questions += fmt::format("{}:./{}", commit, name);
        questions += '\0';
    }
    const std::string answers = git.output({"cat-file", "--batch", "-z"}, questions);
    std::vector<std::unique_ptr<SourceFile>> files;
    size_t at = 0;
    for (const std::string& name : names) {
        const size_t end = answers.find('\n', at);
        if (end == answers.npos) break;
        // "HASH blob SIZE", or "… missing"
        const std::string_view line = std::string_view(answers).substr(at, end - at);
        at = end + 1;
        if (line.ends_with(" missing")) continue;
        const std::string_view digits = line.substr(line.rfind(' ') + 1);
        size_t size = 0;
        const auto [rest, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
        if (failed != std::errc() || size > answers.size() - at) break;
        if (line.find(" blob ") != line.npos)
            files.push_back(std::make_unique<SourceFile>(name, std::string_view(answers).substr(at, size)));
        at = std::min(at + size + 1, answers.size());
    }
    return files;
}

} // namespace

ChangedParts changed_parts(const fs::path& path, const LoadedCatalog& catalog, const std::string& revision,
                           ThreadPool& pool) {
    std::error_code ignored;
    const bool is_directory = fs::is_directory(path, ignored);
    const fs::path directory = is_directory             ? path
                               : path.has_parent_path() ? path.parent_path()
                                                        : fs::path(".");
    const std::string scope = is_directory ? "." : path.filename().string();
    const Git git(directory, fmt::format("what changed in {}", path.string()));
    const std::string commit = common_commit(git, revision);
    std::vector<std::string> names =
        names_in(git.output({"diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv",
                             "--relative", commit, "--", scope}));
    // Those that are ignored are part of the catalog as well.
    for (std::string& name : names_in(git.output({"ls-files", "-z", "--others", "--", scope})))
        names.push_back(std::move(name));

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
    const LoadedCatalog old = load_catalog(old_files(git, commit, names), pool);
    for_each_blob(old, [&](const SourceFile*, const Text& package) { changed.packages.emplace(package); });
    return changed;
}

} // namespace opcat
