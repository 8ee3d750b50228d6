#include "command.hpp"
#include "input.hpp"
#include "opcat/authoring/format.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/text_diff.hpp"
#include "opcat/ignore/walk.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

namespace opcat {
namespace {

struct FmtOptions {
    std::vector<std::string> paths;
    bool check = false;
    bool diff = false;
};

struct Formatting {
    std::filesystem::path path;
    std::unique_ptr<SourceFile> file;
    FormattedText formatted;
};

// Standard input, a file, or the files of a catalog.
void add_files(const std::string& path, std::vector<Formatting>& all, Session& session) {
    if (path == "-") {
        all.push_back({path, read_input(path), {}});
        return;
    }
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) {
        const std::filesystem::path real = std::filesystem::canonical(path, ignored);
        if (std::find(real.begin(), real.end(), ".git") != real.end())
            throw RequestError(fmt::format("{} belongs to a repository of git", path),
                               "name the files of a catalog");
        if (is_left_out(path)) {
            session.print_warning(
                fmt::format("{} was not formatted: .indexignore leaves it out of the catalog", path));
            return;
        }
        all.push_back({path, read_file(path, path), {}});
        return;
    }
    const CatalogListing listing = walk_catalog_directory(path, {}, {}, Links::within_root, Git::skip);
    for (const WalkProblem& problem : listing.problems) {
        session.print_error(problem.message);
        session.exit_status = exit_environment;
    }
    if (listing.files.empty() && listing.problems.empty())
        throw RequestError(fmt::format("{} has no files to format", path),
                           "name the directory of a catalog; .indexignore may leave all of it out");
    for (const CatalogFile& file : listing.files) {
        // The target of a link is a file of the catalog itself.
        if (std::filesystem::is_symlink(file.path)) continue;
        all.push_back({file.path, read_file(file.path, file.path.string()), {}});
    }
}

void write(const Formatting& work, const FmtOptions& options, Session& session) {
    const bool is_stream = work.path == "-";
    if (options.diff) {
        session.out.write(diff_for_output(unified_diff(
            escape_controls(work.file->path()), work.file->bytes(),
            work.formatted.changed ? std::string_view(work.formatted.text) : work.file->bytes())));
    } else if (is_stream && !options.check) {
        session.out.write(work.formatted.text);
    } else if (work.formatted.changed && !is_stream && options.check) {
        session.out.write(escape_controls(work.path.string()) + "\n");
    }
    if (!work.formatted.changed || is_stream || options.check || options.diff) return;
    // An editor may have saved it meanwhile.
    if (read_file(work.path, work.path.string())->bytes() != work.file->bytes())
        throw Error(fmt::format("{} was not formatted: it changed while it was read", work.path.string()),
                    "run the command again");
    write_output(work.path, work.formatted.text, Leftovers::keep);
    // At once, or a failure of the next one would hide that this one has changed.
    session.out.write(escape_controls(work.path.string()) + "\n");
    session.out.flush();
}

void run(const FmtOptions& options, Session& session) {
    std::vector<Formatting> all;
    for (const std::string& path : options.paths) add_files(path, all, session);
    std::set<std::filesystem::path> seen;
    std::error_code ignored;
    for (const Formatting& work : all)
        if (!seen.insert(std::filesystem::weakly_canonical(work.path, ignored)).second)
            throw RequestError(fmt::format("{} is named twice", work.path.string()), "name each file once");
    session.pool().for_each(all.size(), [&](size_t i) { all[i].formatted = format_file(*all[i].file); });
    bool good = session.exit_status == exit_ok;
    for (const Formatting& work : all) good &= report_findings(work.formatted.problems, session);
    if (!good) {
        session.print_error("no file was changed");
        return;
    }
    if (!options.check && !options.diff) {
        std::vector<std::filesystem::path> paths;
        for (const Formatting& work : all) {
            if (work.path == "-") continue;
            paths.push_back(work.path);
            if (work.formatted.changed) require_writable(work.path);
        }
        remove_leftovers(paths);
    }
    for (const Formatting& work : all) write(work, options, session);
    if (options.check &&
        std::any_of(all.begin(), all.end(), [](const Formatting& work) { return work.formatted.changed; }))
        session.exit_status = exit_findings;
}

} // namespace

void add_fmt(Command tree, Session& session) {
    const Command command =
        tree.add_command("fmt", "Format the files of a catalog as opm writes them; print their names");
    auto& options = command.action<FmtOptions>(run, session);
    command
        .add_option(
            "PATH", options.paths,
            "A catalog directory, a file, or - for standard input, which is written to standard output")
        .required();
    command.add_flag("--check", options.check,
                     "Change nothing; exit with status 1 if a file is not formatted");
    command.add_flag("--diff", options.diff, "Change nothing; print what would change");
    command.footer(
        "Everything stays: the documents of a file and their notation, comments and blank lines with the key "
        "or item that they are written at, fields that OLM does not know. Keys, indentation and quotes "
        "become those of opm; "
        "aliases are written out. If a file cannot be read, or is read-only, no file is changed.\n\n"
        "Examples:\n"
        "  opcat fmt catalog/\n"
        "  opcat fmt --check --diff catalog/\n"
        "  opcat fmt - < catalog.yaml");
}

} // namespace opcat
