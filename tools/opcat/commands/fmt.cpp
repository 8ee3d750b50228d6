#include "command.hpp"
#include "opcat/authoring/migrate.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/ignore/walk.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

namespace opcat {
namespace {

struct Options {
    std::string root;
    bool check = false;
    bool drop_comments = false;
};

struct ChangedFile {
    std::filesystem::path path;
    std::string text;
};

// Reads a file and puts it to `changed` if it is not normalised. False if it cannot be.
bool normalise(const CatalogFile& file, const Options& options, Session& session,
               std::vector<ChangedFile>& changed) {
    NormalisedFile normalised =
        normalise_file(read_file(file.path, file.path.string()), options.drop_comments, session.pool());
    for (Diagnostic& finding : normalised.loaded.diagnostics)
        if (finding.rule == "format-loss" && finding.help.empty())
            finding.help = "--drop-comments formats the file without its comments";
    print_findings(normalised.loaded.diagnostics, session);
    if (!normalised.loaded.diagnostics.empty()) return false;
    if (normalised.changed) changed.push_back({file.path, std::move(normalised.text)});
    return true;
}

void run(const Options& options, Session& session) {
    const CatalogListing listing = walk_catalog_directory(options.root);
    std::vector<ChangedFile> changed;
    bool good = listing.problems.empty();
    for (const WalkProblem& problem : listing.problems) session.print_error(problem.message);
    for (const CatalogFile& file : listing.files) {
        // What a link leads to is a file of the catalog itself.
        if (std::filesystem::is_symlink(file.path)) continue;
        good &= normalise(file, options, session, changed);
    }
    if (!good) {
        session.print_error("no file was changed");
        session.exit_status = listing.problems.empty() ? exit_findings : exit_environment;
        return;
    }
    for (const ChangedFile& file : changed) {
        session.out.write(escape_controls(file.path.string()) + "\n");
        if (!options.check) write_file(file.path, file.text);
    }
    if (options.check && !changed.empty()) session.exit_status = exit_findings;
}

} // namespace

void add_fmt(Command tree, Session& session) {
    const auto options = std::make_shared<Options>();
    const Command command =
        tree.add_command("fmt", "Rewrite the files of a catalog in the normalised form; print their names");
    command.add_option("DIR", options->root, "Catalog directory").required();
    command.add_flag("--check", options->check,
                     "Change nothing; exit with status 1 if a file is not normalised");
    command.add_flag("--drop-comments", options->drop_comments,
                     "Format files that have comments, too; the comments are lost");
    command.footer(
        "Files keep their blobs and their notation. The normalised form is what opm writes; it has no "
        "comments, and only fields that OLM knows. If a file has others, no file is changed.\n\n"
        "Examples:\n"
        "  opcat fmt --check catalog/\n"
        "  opcat fmt --drop-comments catalog/");
    command.callback([options, &session] { run(*options, session); });
}

} // namespace opcat
