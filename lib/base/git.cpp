#include "opcat/base/git.hpp"

#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace opcat {
namespace {

namespace fs = std::filesystem;

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

bool stays_below(const fs::path& name) {
    return name.is_relative() && std::none_of(name.begin(), name.end(), [](const fs::path& part) {
               return part == ".." || part == "." || is_git_directory(part);
           });
}

} // namespace

bool is_git_directory(const fs::path& name) {
    return ascii_lower(name.string()) == ".git";
}

GitRepository::GitRepository(std::filesystem::path directory, std::string doing, std::string hint)
    : directory_(std::move(directory)), doing_(std::move(doing)), hint_(std::move(hint)) {}

ProcessResult GitRepository::run(std::vector<std::string> arguments, std::string_view input) const {
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

std::string GitRepository::output(std::vector<std::string> arguments, std::string_view input) const {
    ProcessResult result = run(std::move(arguments), input);
    if (result.exit_status != 0) fail(result);
    return std::move(result.out);
}

void GitRepository::fail(const ProcessResult& result) const {
    std::string why = printable(result.err);
    throw Error(fmt::format("cannot {}: git fails in {}: {}", doing_, directory_.string(),
                            why.empty() ? fmt::format("exit status {}", result.exit_status) : why),
                hint_);
}

void GitRepository::fail_without(const std::string& name) const {
    throw Error(fmt::format("cannot {}: the repository lacks {} of the commit", doing_, name),
                "fetch it: opcat does not (git fetch --refetch, for a partial clone)");
}

void GitRepository::require_repository() const {
    if (const ProcessResult asked = run({"rev-parse", "--git-dir"}); asked.exit_status != 0) fail(asked);
}

std::filesystem::path GitRepository::top() const {
    return without_line_break(output({"rev-parse", "--show-toplevel"}));
}

ProcessResult GitRepository::ask_for_commit(const std::string& revision) const {
    return run({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
}

bool GitRepository::has_commit(const std::string& revision) const {
    try {
        return ask_for_commit(revision).exit_status == 0;
    } catch (const Error&) {
        return false;
    }
}

bool GitRepository::is_shallow() const {
    return output({"rev-parse", "--is-shallow-repository"}).starts_with("true");
}

std::string GitRepository::commit(const std::string& revision) const {
    const ProcessResult commit = ask_for_commit(revision);
    if (commit.exit_status != 0)
        throw RequestError(fmt::format("git does not have commit {}", go_quote(revision)),
                           "name a commit, a branch or a tag; a shallow clone may lack it (git fetch)");
    return without_line_break(commit.out);
}

std::string GitRepository::common_commit(const std::string& commit, const std::string& name) const {
    const ProcessResult base = run({"merge-base", "HEAD", commit});
    if (base.exit_status == 0) return without_line_break(base.out);
    throw RequestError(fmt::format("the history of HEAD and of {} has no commit in common", go_quote(name)),
                       "a shallow clone may lack it: fetch more of the history (git fetch --unshallow)");
}

std::vector<GitRepository::Commit> GitRepository::history(const std::string& commit, const std::string& scope,
                                                          size_t most) const {
    // After a line "commit HASH" a line of the format.
    const std::string list = output({"rev-list", "--first-parent", fmt::format("--max-count={}", most),
                                     "--format=%H%x00%cI%x00%an%x00%s", commit, "--", scope});
    std::vector<Commit> commits;
    const std::vector<std::string_view> lines = lines_of(list);
    for (size_t i = 1; i < lines.size(); i += 2) {
        std::vector<std::string> fields = names_in(lines[i]);
        fields.resize(4);
        commits.push_back(
            {std::move(fields[0]), std::move(fields[1]), std::move(fields[2]), std::move(fields[3])});
    }
    return commits;
}

GitRepository::Files GitRepository::files(const std::string& commit, const std::string& scope,
                                          std::vector<std::string>* submodules) const {
    Files files;
    // "MODE blob HASH\tNAME", and of a submodule "160000 commit HASH\tNAME"
    for (const std::string& line : names_in(output({"ls-tree", "-r", "-z", commit, "--", scope}))) {
        const size_t tab = line.find('\t');
        if (submodules && tab != line.npos && line.starts_with("160000 "))
            submodules->push_back(line.substr(tab + 1));
        const size_t blob = line.find(" blob ");
        if (tab == line.npos || blob == line.npos || blob > tab) continue;
        const size_t hash = blob + std::string_view(" blob ").size();
        files[line.substr(tab + 1)] = {line.substr(0, blob), line.substr(hash, tab - hash)};
    }
    return files;
}

std::vector<GitRepository::Files> GitRepository::changes(const std::vector<Commit>& commits,
                                                         const std::string& scope) const {
    if (commits.size() < 2) return {};
    std::string pairs; // each commit with the one that is to be its parent
    std::map<std::string_view, size_t> places;
    for (size_t i = 0; i + 1 < commits.size(); ++i) {
        pairs += fmt::format("{} {}\n", commits[i].hash, commits[i + 1].hash);
        places.emplace(commits[i].hash, i);
    }
    std::vector<Files> all(commits.size() - 1);
    Files* current = nullptr;
    // "COMMIT", and for each of its files ":MODE MODE HASH HASH STATUS" (the parent's first) and "NAME".
    const std::vector<std::string> parts =
        names_in(output({"diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--", scope}, pairs));
    for (size_t i = 0; i < parts.size(); ++i) {
        if (!parts[i].starts_with(':')) {
            const auto commit = places.find(parts[i]);
            current = commit == places.end() ? nullptr : &all[commit->second];
            continue;
        }
        std::vector<std::string_view> fields;
        for (std::string_view rest = std::string_view(parts[i]).substr(1); fields.size() < 3;) {
            fields.push_back(rest.substr(0, rest.find(' ')));
            rest.remove_prefix(std::min(fields.back().size() + 1, rest.size()));
        }
        if (++i == parts.size() || !current) break;
        const bool is_file = fields[0].starts_with("100") || fields[0] == "120000";
        (*current)[parts[i]] = {std::string(fields[0]), is_file ? std::string(fields[2]) : std::string()};
    }
    return all;
}

std::map<std::string, uint64_t> GitRepository::sizes(const std::vector<std::string>& hashes) const {
    std::string questions;
    for (const std::string& hash : hashes) questions += hash + '\n';
    std::map<std::string, uint64_t> sizes;
    if (hashes.empty()) return sizes;
    // "HASH blob SIZE", or "HASH missing"
    const std::string answers = output({"cat-file", "--batch-check"}, questions);
    for (const std::string_view line : lines_of(answers)) {
        const std::string_view digits = line.substr(line.rfind(' ') + 1);
        uint64_t size = 0;
        if (std::from_chars(digits.data(), digits.data() + digits.size(), size).ec == std::errc())
            sizes.emplace(line.substr(0, line.find(' ')), size);
    }
    return sizes;
}

std::vector<std::string> GitRepository::untracked(const std::string& scope) const {
    return names_in(output({"ls-files", "--others", "--exclude-standard", "-z", "--", scope}));
}

std::vector<std::string> GitRepository::ignored(const std::string& scope) const {
    return names_in(output(
        {"ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z", "--", scope}));
}

std::vector<std::string> GitRepository::tracked(const std::string& scope) const {
    return names_in(output({"ls-files", "--cached", "-z", "--", scope}));
}

std::vector<std::unique_ptr<SourceFile>> GitRepository::read(const Files& files,
                                                             const std::vector<std::string>& names) const {
    std::string questions;
    std::vector<std::string> asked;
    for (const std::string& name : names) {
        const auto file = files.find(name);
        if (file == files.end()) continue;
        asked.push_back(name);
        questions += file->second.hash + '\n';
    }
    if (asked.empty()) return {};
    const std::string answers = output({"cat-file", "--batch"}, questions);
    std::vector<std::unique_ptr<SourceFile>> contents;
    size_t at = 0;
    for (const std::string& name : asked) {
        // "HASH blob SIZE", or "HASH missing"
        const size_t end = std::min(answers.find('\n', at), answers.size());
        const std::string_view line = std::string_view(answers).substr(at, end - at);
        const std::string_view digits = line.substr(line.rfind(' ') + 1);
        size_t size = 0;
        const auto [rest, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
        if (failed != std::errc() || end == answers.size() || size > answers.size() - end - 1)
            fail_without(name);
        contents.push_back(
            std::make_unique<SourceFile>(name, std::string_view(answers).substr(end + 1, size)));
        at = std::min(end + 1 + size + 1, answers.size());
    }
    return contents;
}

void GitRepository::write(const Files& files, const std::vector<std::string>& names,
                          const fs::path& directory) const {
    std::vector<std::string> kept;
    std::copy_if(names.begin(), names.end(), std::back_inserter(kept), stays_below);
    const std::vector<std::unique_ptr<SourceFile>> contents = read(files, kept);
    for (const bool links : {false, true})
        for (const auto& content : contents) {
            if ((files.at(content->path()).mode == "120000") != links) continue;
            const fs::path place = directory / content->path();
            make_directories(place.parent_path());
            if (!links) {
                // Nobody needs it after a crash: it does not wait for the disk.
                StagedFile file(place);
                file.write(content->bytes());
                file.commit(permissions_for(place), false, Leftovers::keep);
                continue;
            }
            std::error_code failed;
            fs::create_symlink(std::string(content->bytes()), place, failed);
            if (failed)
                throw Error(
                    fmt::format("cannot write {}: {}", place.string(), system_message(failed.value())));
        }
}

} // namespace opcat
