#include "commands/validate.hpp"
#include "commands/validate_policy.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/text_diff.hpp"
#include "opcat/ignore/walk.hpp"
#include "opcat/lint/apply_fixes.hpp"
#include "terminal/output.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace opcat {

namespace fs = std::filesystem;

bool names_files(const std::string& reference) {
    return reference != "-" && kind_of(reference) == ReferenceKind::path;
}

namespace {

fs::path canonical(const std::string& path) {
    std::error_code failed;
    return fs::canonical(path, failed); // empty if it fails
}

// The files that a catalog has twice, by links: what seems to be a copy there is the only text that there is.
std::set<fs::path> files_with_links(const LoadedCatalog& loaded) {
    std::set<fs::path> seen;
    std::set<fs::path> again;
    for (const auto& storage : loaded.catalog.storage)
        for (const auto& file : storage->files)
            if (fs::path real = canonical(file->path()); !seen.insert(real).second)
                again.insert(std::move(real));
    return again;
}

// Returns false for files that opcat does not change: those of a git repository, those that .indexignore
// leaves out although they were named themselves, and those to which a link in the catalog leads, because
// another place may use them as well.
bool may_change(const std::string& path, const std::string& reference, const std::set<fs::path>& linked) {
    std::error_code failed;
    const fs::path real = canonical(path);
    return !real.empty() && std::ranges::none_of(real, is_git_directory) && !linked.contains(real) &&
           (path == reference ? !is_left_out(path) : !fs::is_symlink(path, failed));
}

// `findings` are those of the catalog, maybe among others; nullptr: they are looked for.
FixedCatalog fixed_catalog(const ValidateOptions& options, const Project& project, size_t i, bool unsafe,
                           const Diagnostics* findings, size_t share, Session& session) {
    const std::string& reference = options.references[i];
    const auto check = [&](const LoadedCatalog& loaded) {
        const LintSettings& settings = project.settings[i];
        LoadedCatalog catalog = loaded;
        open_template(catalog, reference, how_to_open(options, project.settings, session), session.pool());
        const Source source(reference, std::move(catalog));
        Diagnostics found;
        if (options.policy.policies.empty())
            found = lint({input_of(source, settings, session)}, {}, session.pool()).findings;
        // Policies have no other fixes.
        if (!project.digests.empty()) {
            const auto runs = run_policies(project.policies[i], reference, source, options,
                                           settings.configuration, session);
            found.append(
                select_findings(found_by(runs, settings.configuration, project.digests), {}, {}).findings);
            for (const policy::PolicyRun& run : runs)
                for (const auto& owner : run.owners) found.keep(owner);
        }
        return found;
    };
    const LoadedCatalog& catalog = project.catalogs[i].loaded();
    const std::set<fs::path> linked = files_with_links(catalog);
    return fix_catalog(
        catalog, findings ? *findings : check(catalog),
        {check, [&](const std::string& path) { return may_change(path, reference, linked); }, unsafe, share},
        session.pool());
}

// The changes are in the order of files.
void print_changes(const FixedCatalog& fixed, const std::string& path, const Session& session) {
    if (session.options.quiet) return;
    for (const AppliedChange& change :
         std::ranges::equal_range(fixed.changes, path, {}, &AppliedChange::path))
        session.print(fmt::format("{}:{}: {}: {}{}\n", escape_controls(change.path), change.line, change.rule,
                                  escape_controls(change.what),
                                  change.last_line > change.line
                                      ? fmt::format(" (lines {} to {})", change.line, change.last_line)
                                      : ""));
}

// An editor may have saved it meanwhile.
void replace_file(const FixedFile& file) {
    if (read_file(file.path, file.path)->bytes() != file.before)
        throw Error(fmt::format("{} was not corrected: it changed while it was checked", file.path),
                    "run the command again");
    write_output(file.path, file.after, Leftovers::keep);
}

// Names the changes of each file when it is written: the next one may fail.
void write_files(const FixedCatalog& fixed, const LoadedCatalog& catalog, const Session& session) {
    std::vector<fs::path> paths;
    for (const auto& storage : catalog.catalog.storage)
        for (const auto& file : storage->files) paths.emplace_back(file->path());
    for (const FixedFile& file : fixed.files) require_writable(file.path);
    remove_leftovers(paths);
    for (const FixedFile& file : fixed.files) {
        replace_file(file);
        print_changes(fixed, file.path, session);
    }
}

} // namespace

size_t fix_files(const ValidateOptions& options, const Project& project, Session& session) {
    size_t fixes = 0;
    for (const std::string& reference : options.references)
        if (!names_files(reference))
            throw RequestError(fmt::format("--fix does not go with {}", go_quote(reference)),
                               "it changes files: name a directory or a file");
    std::map<fs::path, size_t> files; // and the reference of each
    for (size_t i = 0; i < project.catalogs.size(); ++i)
        for (const auto& storage : project.catalogs[i].loaded().catalog.storage)
            for (const auto& file : storage->files)
                if (files.emplace(canonical(file->path()), i).first->second != i)
                    throw RequestError(fmt::format("{} is named twice", file->path()),
                                       "name each file once: it would be corrected twice");
    for (size_t i = 0; i < project.catalogs.size(); ++i) {
        const FixedCatalog fixed =
            fixed_catalog(options, project, i, options.unsafe_fixes, nullptr, 1, session);
        fixes += fixed.fixes;
        if (options.diff) {
            for (const FixedFile& file : fixed.files)
                session.out.write(
                    diff_for_output(unified_diff(escape_controls(file.path), file.before, file.after)));
        } else {
            write_files(fixed, project.catalogs[i].loaded(), session);
        }
        if (fixed.complete) continue;
        session.print_warning(fmt::format("not all fixes of {} were tried: they need too many checks [limit]",
                                          options.references[i]));
        session.exit_status = exit_environment;
    }
    session.out.flush();
    return fixes;
}

std::string describe_fixes(const ValidateOptions& options, const Project& project, const LintResult& checked,
                           Session& session) {
    constexpr size_t share = 16;
    // --fix knows no baseline, and no commit since which it does not look.
    const bool has_all = checked.known + checked.explained == 0 && options.changed_since.empty();
    size_t fixes = 0;
    bool complete = true;
    for (size_t i = 0; i < project.catalogs.size(); ++i) {
        if (!names_files(options.references[i])) continue;
        const FixedCatalog fixed =
            fixed_catalog(options, project, i, false, has_all ? &checked.findings : nullptr, share, session);
        fixes += fixed.fixes;
        complete = complete && fixed.complete;
    }
    if (fixes == 0) return complete ? "" : "--fix may correct some";
    return fmt::format("{}{} can be corrected by --fix", fixes, complete ? "" : " or more");
}

} // namespace opcat
