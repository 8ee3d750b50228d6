#include "commands/edit.hpp"

#include "command.hpp"
#include "commands.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/text_diff.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat {
namespace {

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

// For a commit: what was done, and who is affected.
std::string message_of(const edit::Edit& edit, const std::vector<edit::Proof>& proofs) {
    std::string text;
    for (const std::string& line : edit.done) text += line + "\n";
    for (const edit::Proof& proof : proofs)
        for (const std::string& effect : proof.effects) text += "- " + effect + "\n";
    return text;
}

void show(const edit::Edit& edit, const std::vector<edit::Proof>& proofs, const Session& session) {
    const auto say = [&](const std::string& line) {
        if (!session.options.quiet) session.print(escape_controls(line) + "\n");
    };
    for (const std::string& line : edit.done) say(line);
    bool good = !proofs.empty();
    bool trusts_names = false;
    for (const edit::Proof& proof : proofs) {
        for (const std::string& effect : proof.effects) say(effect);
        for (const std::string& what : proof.accepted) say(what);
        if (!proof.unknown.empty())
            session.print_warning("whether users are left behind is not known: " + proof.unknown);
        good = good && proof.leaves_nobody_behind && proof.objections.empty();
        trusts_names = trusts_names || proof.trusts_names;
    }
    if (good)
        say(trusts_names ? "nobody is stranded, if the versions of bundles are those in their names"
                         : "nobody is stranded");
}

} // namespace

void add_edit_flags(Command command, EditFlags& flags) {
    command
        .add_option("--in", flags.in, "A catalog or a template to edit: a file, or a directory of a catalog")
        .value_name("FILE|DIR")
        .required();
    add_writing_flags(command, flags);
}

void add_writing_flags(Command command, EditFlags& flags) {
    command.add_flag("--dry-run", flags.dry_run, "Write nothing, say what would be done");
    command.add_flag("--diff", flags.diff, "Write nothing, print the changes as a diff");
    command.add_flag("--force", flags.force, "Write it although users are stranded, or errors are new");
    command.add_option("-o,--output", flags.output, "The report: text or json").one_of({"text", "json"});
    command
        .add_option("-m,--commit-message", flags.message_file,
                    "Also write what was done, and who is affected, for a commit")
        .value_name("FILE")
        .output_file();
}

std::vector<edit::EditedReference> references_of(const EditFlags& flags,
                                                 const std::optional<edit::CreateOptions>& create) {
    std::vector<edit::EditedReference> references;
    for (const std::string& path : flags.in) references.push_back({path, create});
    return references;
}

void run_edit(const EditFlags& flags, const std::vector<edit::EditedReference>& references,
              std::string_view package, const std::function<void(edit::Edit&)>& change,
              std::span<const RegressionKind> intended, Session& session) {
    edit::EditedFiles files(references, package, session.pool());
    change(files.edit());
    const std::vector<edit::FileChange>& changes = files.changes();
    if (changes.empty()) {
        show(files.edit(), {}, session);
        if (!session.options.quiet) session.print("nothing is to change\n");
        return;
    }
    const std::vector<edit::Proof> proofs = files.prove(intended);
    bool is_refused = false;
    for (const edit::Proof& proof : proofs) is_refused |= !proof.objections.empty();
    const bool writes = !flags.dry_run && !flags.diff && (!is_refused || flags.force);
    if (writes) files.write();

    const edit::Edit& edit = files.edit();
    if (flags.output == "json")
        session.out.write(as_document(report_of(changes, edit, proofs, writes)));
    else if (flags.diff)
        for (const edit::FileChange& one : changes)
            session.out.write(
                diff_for_output(unified_diff(escape_controls(one.path), one.before, one.after)));
    show(edit, proofs, session);
    for (const edit::Proof& proof : proofs)
        for (const edit::Objection& objection : proof.objections) {
            if (flags.force)
                session.print_warning(objection.what);
            else
                session.print_error(objection.what, objection.remedy);
        }
    if (is_refused && !flags.force) {
        session.print_error("nothing was written", "--force writes it nevertheless");
        session.exit_status = exit_findings;
        return;
    }
    if (writes && !flags.message_file.empty()) write_output(flags.message_file, message_of(edit, proofs));
    if (!writes && !session.options.quiet) session.print("nothing was written\n");
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
