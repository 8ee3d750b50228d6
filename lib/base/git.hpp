// Commits of a git repository, read without a checkout.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/process.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// Returns true for the name of a repository's own directory, as file systems see it that ignore case.
bool is_git_directory(const std::filesystem::path& name);

// git in a directory. The repository may be anybody's, and so may its configuration: opcat only asks for what
// needs no file of the working tree, so that no filter, no external difference and no program that knows
// changed files (fsmonitor) is run, and forbids what a request for an absent object would start.
class GitRepository {
public:
    // A file of a commit.
    struct File {
        std::string mode; // "100644", "120000" for a link
        std::string hash; // of its content
    };
    struct Commit {
        std::string hash;
        std::string date; // of the committer, as ISO 8601
        std::string author;
        std::string subject;
    };
    // By their names, relative to the directory. Submodules are not files.
    using Files = std::map<std::string, File>;

    // `doing` completes "cannot …" in messages; `hint` says what git needs for that.
    GitRepository(std::filesystem::path directory, std::string doing, std::string hint);

    // Throws Error if the directory is in no repository.
    void require_repository() const;
    // The hash of a commit, by the name of a branch or a tag, or as git understands it. Throws RequestError.
    std::string commit(const std::string& revision) const;
    // Returns true if a clone was cut off (git clone --depth): older commits exist elsewhere.
    bool is_shallow() const;
    // Returns true if there is one of that name; false outside of a repository and without git, too.
    bool has_commit(const std::string& revision) const;
    // The commit from which the histories of HEAD and of another commit part. Throws RequestError if there is
    // none; `name` is what the user calls the other.
    std::string common_commit(const std::string& commit, const std::string& name) const;
    // The commits that changed something below `scope`, from `commit` along first parents, the newest first:
    // a merge counts as one change. At most `most`. Throws Error.
    std::vector<Commit> history(const std::string& commit, const std::string& scope, size_t most) const;
    // Returns what turns the files below `scope` of each commit into those of the next one in the list: files
    // that are new there or have another content or mode, and files that are gone (with an empty hash). The
    // result has one item less than `commits`. Throws Error.
    std::vector<Files> changes(const std::vector<Commit>& commits, const std::string& scope) const;
    // All files of a commit below `scope`, a path relative to the directory. `submodules` gets the names of
    // other repositories there, whose files the commit does not have; nullptr: nobody asks. Throws Error.
    Files files(const std::string& commit, const std::string& scope,
                std::vector<std::string>* submodules = nullptr) const;
    // Files below `scope` that git does not know and does not ignore. A repository in the repository is one
    // name, which ends in a slash. Throws Error.
    std::vector<std::string> untracked(const std::string& scope) const;
    // Files below `scope` that git ignores; a directory with nothing else is one name, which ends in a slash.
    // Throws Error.
    std::vector<std::string> ignored(const std::string& scope) const;
    // Names that git knows below `scope`, those that are not committed yet and those of submodules as well.
    std::vector<std::string> tracked(const std::string& scope) const;
    // The sizes of contents, by their hashes; those that the repository lacks are left out. Throws Error.
    std::map<std::string, uint64_t> sizes(const std::vector<std::string>& hashes) const;
    // Those of `names` that are among the files, in that order, with their names as paths. Throws Error if
    // the repository lacks the content of one.
    std::vector<std::unique_ptr<SourceFile>> read(const Files& files,
                                                  const std::vector<std::string>& names) const;
    // Writes those of `names` that are among the files into a directory, with their contents. Names that
    // would leave it, or that are of .git, are left out: a tree that nobody made with git may have them.
    // Links are written last, so that no file is written through one. Throws Error.
    void write(const Files& files, const std::vector<std::string>& names,
               const std::filesystem::path& directory) const;
    // The topmost directory of the working tree. Throws Error.
    std::filesystem::path top() const;

private:
    ProcessResult ask_for_commit(const std::string& revision) const;
    ProcessResult run(std::vector<std::string> arguments, std::string_view input = {}) const;
    std::string output(std::vector<std::string> arguments, std::string_view input = {}) const;
    [[noreturn]] void fail(const ProcessResult& result) const;
    [[noreturn]] void fail_without(const std::string& name) const;

    std::filesystem::path directory_;
    std::string doing_;
    std::string hint_;
};

} // namespace opcat
