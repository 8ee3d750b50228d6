#include "commands/edit.hpp"

#include "command.hpp"
#include "commands.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/text_diff.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/edit/catalog_text.hpp"
#include "opcat/semver/constraints.hpp"
#include "opcat/semver/version.hpp"
#include "opcat/template/template.hpp"
#include "outputs.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace opcat {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json report_of(const std::vector<edit::FileChange>& changes, const edit::Edit& edit,
               const std::vector<edit::Proof>& proofs, bool written) {
    Json report{{"schema", "opcat.edit.v1"}, {"written", written}};
    report["files"] = Json::array();
    for (const edit::FileChange& change : changes)
        report["files"].push_back({{"path", change.path},
                                   {"new", change.is_new},
                                   {"diff", unified_diff(change.path, change.before, change.after)}});
    report["done"] = edit.done;
    for (const char* list : {"effects", "accepted", "objections", "unknown"}) report[list] = Json::array();
    for (const edit::Proof& proof : proofs) {
        for (const std::string& effect : proof.effects) report["effects"].push_back(effect);
        for (const std::string& what : proof.accepted) report["accepted"].push_back(what);
        for (const edit::Objection& objection : proof.objections)
            report["objections"].push_back({{"what", objection.what}, {"remedy", objection.remedy}});
        if (!proof.unknown.empty()) report["unknown"].push_back(proof.unknown);
    }
    return report;
}

std::string unknown_in(const edit::Proof& proof) {
    return "whether users are left behind is not known: " + proof.unknown;
}

// For a commit: what was done, and who is affected. An objection of what is written was overruled.
std::string message_of(const edit::Edit& edit, const std::vector<edit::Proof>& proofs) {
    std::string text;
    const auto add = [&](std::string_view before, const std::string& line, std::string_view after = {}) {
        text += fmt::format("{}{}{}\n", before, escape_controls(line), after);
    };
    for (const std::string& line : edit.done) add("", line);
    for (const edit::Proof& proof : proofs) {
        for (const std::string& effect : proof.effects) add("- ", effect);
        for (const std::string& what : proof.accepted) add("- ", what);
        if (!proof.unknown.empty()) add("- ", unknown_in(proof));
        for (const edit::Objection& objection : proof.objections) add("- ", objection.what, " (--force)");
    }
    return text;
}

// `is_forced`: what would refuse the change is a warning.
void show(const edit::Edit& edit, const std::vector<edit::Proof>& proofs, bool is_forced,
          const Session& session) {
    const auto say = [&](const std::string& line) {
        if (!session.options.quiet) session.print(escape_controls(line) + "\n");
    };
    for (const std::string& line : edit.done) say(line);
    bool good = !proofs.empty();
    bool trusts_names = false;
    for (const edit::Proof& proof : proofs) {
        for (const std::string& effect : proof.effects) say(effect);
        for (const std::string& what : proof.accepted) say(what);
        const std::string unknown = escape_controls(unknown_in(proof));
        if (proof.hides_ways && !is_forced)
            session.print_error(unknown);
        else if (!proof.unknown.empty())
            session.print_warning(unknown);
        good = good && proof.leaves_nobody_behind && proof.objections.empty();
        trusts_names = trusts_names || proof.trusts_names;
    }
    if (good)
        say(trusts_names ? "nobody is stranded, if the versions of bundles are those in their names"
                         : "nobody is stranded");
}

} // namespace

void add_edit_flags(Command command, EditFlags& flags) {
    const Option in =
        command.add_option("--in FILE|DIR", flags.in,
                           "A catalog or a template to edit: a file, or a directory of a catalog "
                           "(default: those of .opcat.yaml that have the package)");
    add_writing_flags(command, flags).excludes(in);
}

Option add_writing_flags(Command command, EditFlags& flags) {
    const Option range =
        command.add_option("--openshift RANGE", flags.openshift,
                           "Only what is for these versions of OpenShift, such as '>=4.16', of "
                           "the catalogs that .opcat.yaml or ci.yaml names");
    command.add_flag("--dry-run", flags.dry_run, "Write nothing, say what would be done");
    command.add_flag("--diff", flags.diff, "Write nothing, print the changes as a diff");
    command.add_flag("--force", flags.force, "Write it although users are stranded, or errors are new");
    command.add_choice("-o,--output", flags.output, {Form::text, Form::json}, "The report: text or json");
    command
        .add_option("-m,--commit-message FILE", flags.message_file,
                    "Also write what was done, and who is affected, for a commit")
        .output_file();
    return range;
}

std::vector<CatalogSetting> chosen_catalogs(const std::vector<CatalogSetting>& catalogs,
                                            const std::string& range) {
    // As in the label of a bundle. Here it would be 4.19 with a prerelease.
    for (size_t i = range.find('-'); i != range.npos; i = range.find('-', i + 1))
        if (i > 0 && i + 1 < range.size() && is_digit(range[i - 1]) && is_digit(range[i + 1]))
            throw RequestError(fmt::format("--openshift {} does not name two versions", go_quote(range)),
                               fmt::format("write blanks, as in --openshift {}",
                                           go_quote(range.substr(0, i) + " - " + range.substr(i + 1))));
    const auto wanted = semver::Constraints::parse(range.empty() ? "*" : range);
    if (!wanted)
        throw RequestError(fmt::format("invalid --openshift {}: {}", go_quote(range), wanted.error().message),
                           "write a range, as in --openshift '>=4.16'");
    const auto is_chosen = [&](const CatalogSetting& setting) {
        if (range.empty()) return true;
        const auto version = semver::Version::parse(setting.openshift + ".0");
        return version && wanted->check(*version);
    };
    std::vector<CatalogSetting> chosen;
    for (const CatalogSetting& setting : catalogs) {
        if (!is_chosen(setting)) continue;
        for (const CatalogSetting& other : catalogs)
            if (other.edited() == setting.edited() && !is_chosen(other))
                throw RequestError(fmt::format("{} is also for {}", as_people_write(setting.edited()),
                                               other.openshift.empty() ? "no particular version of OpenShift"
                                                                       : "OpenShift " + other.openshift),
                                   "give the versions templates of their own, or leave out --openshift");
        chosen.push_back(setting);
    }
    if (chosen.empty())
        throw RequestError(fmt::format("no catalog is for OpenShift {}", range),
                           "`opcat config show` lists them");
    return chosen;
}

namespace {

// What of the configuration is edited, each once.
std::vector<std::string> edited_paths(const std::vector<CatalogSetting>& catalogs, const std::string& range,
                                      const Session& session) {
    std::vector<std::string> paths;
    for (const CatalogSetting& setting : chosen_catalogs(catalogs, range)) {
        std::string path = as_people_write(setting.edited());
        std::error_code absent;
        if (std::ranges::find(paths, path) != paths.end()) continue;
        if (fs::exists(path, absent))
            paths.push_back(std::move(path));
        else // a catalog by hand may begin later
            session.print_warning(fmt::format("{} is left out: it does not exist", path));
    }
    if (paths.empty())
        throw RequestError("no catalog of the configuration exists", "`opcat config show` lists them");
    return paths;
}

bool has_package(const Catalog& catalog, std::string_view package) {
    return std::ranges::any_of(catalog.packages, [&](const Package& one) { return one.name == package; });
}

// A semver template does not say whose it is: the catalogs do that were rendered from it.
enum class Owner : uint8_t { said_in_file, this_package, another, unknown };
Owner owner_of(const std::string& path, const std::string& package,
               const std::vector<CatalogSetting>& catalogs, Session& session) {
    std::error_code absent;
    if (package.empty() || fs::is_directory(path, absent)) return Owner::said_in_file;
    const LoadedCatalog loaded = load_catalog(path, session.pool());
    if (template_in(loaded) != TemplateKind::semver) return Owner::said_in_file;
    bool is_rendered = false;
    for (const CatalogSetting& setting : catalogs) {
        if (as_people_write(setting.edited()) != path || !fs::exists(setting.catalog, absent)) continue;
        is_rendered = true;
        if (has_package(load_catalog(setting.catalog, session.pool()).catalog, package))
            return Owner::this_package;
    }
    return is_rendered ? Owner::another : Owner::unknown;
}

} // namespace

std::optional<std::vector<edit::EditedReference>>
references_of(const EditFlags& flags, const std::string& package, Session& session,
              const std::optional<edit::CreateOptions>& create) {
    std::vector<edit::EditedReference> references;
    for (const std::string& path : flags.in) references.push_back({path, create});
    if (!flags.in.empty()) return references;
    if (create) throw RequestError("--create makes the file that --in names", "add --in FILE");
    const auto catalogs = configured_catalogs({}, session, "name one with --in");
    if (!catalogs) return std::nullopt;
    for (std::string& path : edited_paths(*catalogs, flags.openshift, session)) {
        const Owner owner = owner_of(path, package, *catalogs, session);
        if (owner == Owner::unknown)
            session.print_warning(fmt::format("{} is left out: a semver template does not name its package, "
                                              "and its catalog is not rendered yet (--in names it)",
                                              path));
        if (owner == Owner::said_in_file || owner == Owner::this_package)
            references.push_back(
                {.path = std::move(path), .create = {}, .if_it_has_package = owner == Owner::said_in_file});
    }
    return references;
}

namespace {

void edit_files(const EditFlags& flags, const std::vector<edit::EditedReference>& references,
                std::string_view package, const std::function<void(edit::Edit&)>& change,
                std::span<const RegressionKind> intended, Session& session) {
    std::vector<std::string> inputs;
    inputs.reserve(references.size());
    for (const edit::EditedReference& reference : references) inputs.push_back(reference.path);
    require_apart({{"--commit-message", flags.message_file, is_plain_text}}, inputs);
    require_place("--commit-message", flags.message_file, PlaceFor::file);
    edit::EditedFiles files(references, package, session.pool());
    change(files.edit());
    const std::vector<edit::FileChange>& changes = files.changes();
    if (changes.empty()) {
        show(files.edit(), {}, false, session);
        if (!session.options.quiet) session.print("nothing is to change\n");
        return;
    }
    if (!flags.diff) files.require_writable();
    const std::vector<edit::Proof> proofs = files.prove(intended);
    const bool is_stopped = !flags.force && std::ranges::any_of(proofs, &edit::Proof::refuses);
    const bool writes = !flags.dry_run && !flags.diff && !is_stopped;
    // The message first: without one, nothing is done.
    if (writes && !flags.message_file.empty())
        write_output(flags.message_file, message_of(files.edit(), proofs));
    if (writes) files.write();

    const edit::Edit& edit = files.edit();
    if (flags.output == Form::json)
        session.out.write(as_document(report_of(changes, edit, proofs, writes)));
    else if (flags.diff)
        for (const edit::FileChange& one : changes)
            session.out.write(
                diff_for_output(unified_diff(escape_controls(one.path), one.before, one.after)));
    show(edit, proofs, flags.force, session);
    for (const edit::Proof& proof : proofs)
        for (const edit::Objection& objection : proof.objections) {
            // A name of the catalog with a line break would begin a line of its own.
            const std::string what = escape_controls(objection.what);
            if (flags.force)
                session.print_warning(what);
            else
                session.print_error(what, escape_controls(objection.remedy));
        }
    if (is_stopped) {
        session.print_error("nothing was written", "--force writes it nevertheless");
        session.exit_status = exit_findings;
        return;
    }
    if (!writes && !session.options.quiet) session.print("nothing was written\n");
}

} // namespace

void run_edit(const EditFlags& flags, const std::vector<edit::EditedReference>& references,
              std::string_view package, const std::function<void(edit::Edit&)>& change,
              std::span<const RegressionKind> intended, Session& session) {
    try {
        edit_files(flags, references, package, change, intended, session);
    } catch (const RequestError& error) { // names things of the catalog
        throw RequestError(escape_controls(error.what()), escape_controls(error.hint()));
    }
}

void add_edit(Command tree, Session& session) {
    const Command command = tree.add_command(
        "edit", "Change catalogs and templates: only the lines that change, and nobody is stranded");
    command.needs_command();
    command.footer("Examples:\n"
                   "  opcat edit promote 2.0.0 --to candidate --in catalog/ -p foo --diff\n\n"
                   "docs/releasing.md shows each job with its output.");
    add_edit_add(command, session);
    add_edit_verbs(command, session);
    add_edit_apply(command, session);
}

} // namespace opcat
