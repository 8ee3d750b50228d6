#include "opcat/lint/changes.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/process.hpp"
#include "opcat/base/text.hpp"
#include "opcat/ignore/ignore_rules.hpp"
#include "opcat/lint/blobs.hpp"

#include <fmt/core.h>

#include <charconv>
#include <map>
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

// git in the directory of a catalog. The repository may be anybody's, and so may its configuration: opcat
// only asks for what needs no file of the working tree, so that no filter, no external difference and no
// program that knows changed files (fsmonitor) is run, and forbids what a request for an absent object would
// start.
class Git {
public:
    Git(fs::path directory, std::string purpose)
        : directory_(std::move(directory)), purpose_(std::move(purpose)) {}

    ProcessResult run(std::vector<std::string> arguments, std::string_view input = {}) const {
        std::vector<std::string> all{"git", "--no-pager", "--no-replace-objects", "-C", directory_.string()};
        for (const char* setting :
             {"core.fsmonitor=false", "core.hooksPath=/dev/null", "core.attributesFile=/dev/null",
              "core.alternateRefsCommand=false", "protocol.allow=never", "safe.bareRepository=explicit"}) {
            all.emplace_back("-c");
            all.emplace_back(setting);
        }
        all.insert(all.end(), arguments.begin(), arguments.end());
        return run_process({.arguments = std::move(all),
                            .input = input,
                            .environment = {"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
                                            "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0"}});
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

    [[noreturn]] void fail_without(const std::string& name) const {
        throw Error(fmt::format("cannot find out {}: the repository lacks {} of the commit", purpose_, name),
                    "fetch it: opcat does not (git fetch --refetch, for a partial clone)");
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

// A file of a commit, relative to the directory of git.
struct CommittedFile {
    std::string mode; // "100644", "120000" for a link
    std::string hash;
};

// All files below the scope. Submodules are not files.
using CommittedFiles = std::map<std::string, CommittedFile>;
CommittedFiles committed_files(const Git& git, const std::string& commit, const std::string& scope) {
    CommittedFiles files;
    // "MODE blob HASH\tNAME"
    for (const std::string& line : names_in(git.output({"ls-tree", "-r", "-z", commit, "--", scope}))) {
        const size_t tab = line.find('\t');
        const size_t blob = line.find(" blob ");
        if (tab == line.npos || blob == line.npos || blob > tab) continue;
        const size_t hash = blob + std::string_view(" blob ").size();
        files[line.substr(tab + 1)] = {line.substr(0, blob), line.substr(hash, tab - hash)};
    }
    return files;
}

// The hashes that git would store contents under.
class ContentHash {
public:
    explicit ContentHash(const CommittedFile& like) : is_sha256_(like.hash.size() == 64) {}

    bool is(const CommittedFile& file, std::string_view content) const {
        const std::string object = fmt::format("blob {}{}", content.size(), '\0').append(content);
        return (is_sha256_ ? sha256_hex(object) : sha1_hex(object)) == file.hash;
    }

private:
    bool is_sha256_;
};

// Whether a file of the working tree is what was committed. With other line breaks, which git may exchange at
// check-out, it is the same.
bool is_unchanged(const fs::path& path, const CommittedFile& committed) {
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

// The rules of .indexignore files, which are not among the files of a catalog.
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

// The names of files, relative to the directory, that are not as in the commit, are new or are gone.
std::vector<std::string> changed_names(const CommittedFiles& committed, const fs::path& directory,
                                       const std::string& scope, const LoadedCatalog& catalog,
                                       ThreadPool& pool) {
    std::vector<std::pair<std::string, bool>> old;
    for (const auto& [name, file] : committed) old.emplace_back(name, false);
    pool.for_each(old.size(), [&](size_t i) {
        old[i].second = !is_unchanged(directory / old[i].first, committed.at(old[i].first));
    });
    std::set<std::string> now;
    if (scope == ".") add_ignore_files(directory, now);
    for (const auto& storage : catalog.catalog.storage)
        for (const auto& file : storage->files) {
            const fs::path path = fs::path(file->path()).lexically_normal();
            now.insert(path.lexically_relative(directory.lexically_normal()).generic_string());
        }
    std::vector<std::string> names;
    for (const auto& [name, changed] : old)
        if (changed) names.push_back(name);
    for (const std::string& name : now)
        if (!committed.contains(name)) names.push_back(name);
    return names;
}

// The files as they were in a commit; those that were not there are left out. Throws Error if the repository
// lacks one of them.
std::vector<std::unique_ptr<SourceFile>> old_files(const Git& git, const CommittedFiles& committed,
                                                   const std::vector<std::string>& names) {
    std::string questions;
    std::vector<std::string> asked;
    for (const std::string& name : names) {
        const auto file = committed.find(name);
        if (file == committed.end()) continue;
        asked.push_back(name);
        questions += file->second.hash + '\n';
    }
    if (asked.empty()) return {};
    const std::string answers = git.output({"cat-file", "--batch"}, questions);
    std::vector<std::unique_ptr<SourceFile>> files;
    size_t at = 0;
    for (const std::string& name : asked) {
        // "HASH blob SIZE", or "HASH missing"
        const size_t end = std::min(answers.find('\n', at), answers.size());
        const std::string_view line = std::string_view(answers).substr(at, end - at);
        const std::string_view digits = line.substr(line.rfind(' ') + 1);
        size_t size = 0;
        const auto [rest, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
        if (failed != std::errc() || end == answers.size() || size > answers.size() - end - 1)
            git.fail_without(name);
        files.push_back(std::make_unique<SourceFile>(name, std::string_view(answers).substr(end + 1, size)));
        at = std::min(end + 1 + size + 1, answers.size());
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
    const CommittedFiles committed = committed_files(git, commit, scope);
    const std::vector<std::string> names = changed_names(committed, directory, scope, catalog, pool);

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
    const LoadedCatalog old = load_catalog(old_files(git, committed, names), pool);
    for_each_blob(old, [&](const SourceFile*, const Text& package) { changed.packages.emplace(package); });
    return changed;
}

} // namespace opcat
