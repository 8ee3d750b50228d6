#include "commands/validate.hpp"

#include "command.hpp"
#include "commands/validate_policy.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/lint/project_checks.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"
#include "watching.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>

namespace opcat {

namespace {

bool has_unread_bundles(std::span<const Source> catalogs) {
    return std::ranges::any_of(catalogs, [](const Source& one) { return one.loaded().bundles_unknown; });
}

std::string describe_checked(const LintResult& result, const std::vector<Source>& catalogs) {
    std::string what;
    if (result.packages > 0 || result.bundles == 0) what = counted(result.packages, "package");
    if (result.bundles > 0) what += (what.empty() ? "" : " and ") + counted(result.bundles, "bundle");
    what += " checked";
    // Else all would seem well once the reported errors are corrected.
    if (!result.complete) what += ", without the rules that need a complete catalog";
    if (has_unread_bundles(catalogs))
        what += ", without the bundles of the template: --resolve-images pulls them";
    return what;
}

bool are_for_catalogs(const std::vector<std::string>& policies) {
    return policies.empty() || policy::is_for_catalogs(policy::pipeline_named(policies.front()));
}

// What is looked for in one catalog, with what configured policies say of it.
LintInput judged_input(const Source& source, const LintSettings& settings,
                       const std::vector<std::string>& policies, const std::string& reference,
                       const ValidateOptions& options, std::vector<policy::PolicyRun>& runs,
                       Session& session) {
    LintInput input = input_of(source, settings, session);
    std::vector<policy::PolicyRun> own =
        run_policies(policies, reference, source, options, settings.configuration, session);
    for (FoundIn& found : found_by(own, settings.configuration)) input.more.append(std::move(found.findings));
    for (policy::PolicyRun& run : own) {
        for (const auto& owner : run.owners) input.more.keep(owner);
        runs.push_back(std::move(run));
    }
    return input;
}

// The policies that are configured for one of several references. Throws RequestError for those of a
// repository of operators, which take its place.
std::vector<std::string> policies_of_one(const Configuration& configuration, const std::string& reference) {
    std::vector<std::string> policies = policy::configured_policies(configuration, reference);
    if (!are_for_catalogs(policies))
        throw RequestError(fmt::format("{} has policies for repositories in its configuration: they take one "
                                       "reference in a run",
                                       reference),
                           "check it alone, or add --no-config");
    return policies;
}

// The findings of one catalog of a shard.
void add_findings(const ValidateOptions& options, const std::string& reference, const Source& source,
                  const LintSettings& settings, PartWriter& writer, Session& session) {
    const std::vector<std::string> policies = policies_of_one(settings.configuration, reference);
    std::vector<policy::PolicyRun> runs;
    LintResult checked =
        lint({judged_input(source, settings, policies, reference, options, runs, session)},
             {.selection = {.strict = options.report.strict, .consequences = options.report.each}},
             session.pool());
    checked.unread_bundles = source.loaded().bundles_unknown;
    add_not_checked(runs, checked, nullptr);
    const Subjects subjects = checked.subjects;
    writer.add(json_report(std::move(checked), subjects, options.report, session));
}

void validate_shard(const ValidateOptions& options, Session& session) {
    check_shard_flags(options.shard);
    if (options.report.format != ReportFormat::json)
        throw RequestError("a shard has its findings as JSON", "add --format json");
    session.pool_for_network();
    // All that decides on the findings; lists with their lengths, so that no two requests are the same.
    const std::string request = fmt::format(
        "validate {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", options.report.strict,
        static_cast<int>(options.report.least.value_or(Severity::note)), options.report.each,
        options.schema_files.size(), fmt::join(options.schema_files, " "), options.configuration.none,
        options.configuration.file, options.configuration.rules.size(),
        fmt::join(options.configuration.rules, " "), options.templates.resolve_images,
        options.templates.bundle_directories.size(), fmt::join(options.templates.bundle_directories, " "),
        options.openshift, options.registries.size(), fmt::join(options.registries, " "));
    std::vector<std::string> files = options.schema_files;
    for (const std::string& reference : options.references)
        if (const auto file = configuration_file_for(reference, options.configuration, session).file)
            files.push_back(file->string());
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    constexpr size_t portion = 16;
    run_shard(
        options.shard, {ShardOutput::findings, request, options.references, portion, std::move(files)},
        [&](std::span<const size_t> items, PartWriter& writer) {
            std::vector<std::string> names;
            std::vector<LintSettings> settings;
            for (const size_t item : items) {
                names.push_back(options.references[item]);
                auto own = settings_for(names.back(), options, session);
                if (!own) throw RequestError(fmt::format("{} cannot be checked", names.back()));
                settings.push_back(*std::move(own));
            }
            std::vector<SourceOrError> opened =
                open_each_that_can(names, how_to_open(options, settings, session), session.pool());
            for (size_t i = 0; i < items.size(); ++i) {
                writer.begin(items[i], names[i]);
                std::optional<ItemFailure> failure;
                if (const auto* const error = std::get_if<std::exception_ptr>(&opened[i]))
                    failure = failure_of(*error);
                if (failure && (failure->temporary || failure->exit_status == exit_usage))
                    writer.fail(*failure);
                else
                    add_findings(options, names[i],
                                 failure ? unreachable(names[i], *failure)
                                         : std::get<Source>(std::move(opened[i])),
                                 settings[i], writer, session);
            }
        },
        options.images, session);
}

void run(const ValidateOptions& options, Session& session) {
    check_report_flags(options.report, options.references);
    if (options.shard.given()) return validate_shard(options, session);
    if (!options.fix && (options.diff || options.unsafe_fixes))
        throw RequestError(fmt::format("{} needs --fix", options.diff ? "--diff" : "--unsafe-fixes"));
    if (options.diff && (options.report.format != ReportFormat::text || !options.report.files.empty()))
        throw RequestError("--diff prints changes, not findings: it does not go with --format and --report");

    auto settings = load_settings(options, session);
    if (!settings) return;
    std::vector<std::vector<std::string>> policies;
    for (size_t i = 0; i < settings->size(); ++i) {
        const Configuration& configuration = (*settings)[i].configuration;
        policies.push_back(!options.policy.policies.empty() ? options.policy.policies
                           : settings->size() > 1
                               ? policies_of_one(configuration, options.references[i])
                               : policy::configured_policies(configuration, options.references[i]));
    }
    if (!are_for_catalogs(policies.front())) {
        ValidateOptions by_policy = options;
        by_policy.policy.policies = std::move(policies.front());
        return validate_with_policies(by_policy, session);
    }
    std::optional<Project> project = load_project(options, *std::move(settings), session);
    project->policies = std::move(policies);
    if (options.fix) {
        if (!options.lock.empty()) {
            if (std::ranges::all_of(project->policies, &std::vector<std::string>::empty))
                throw RequestError("--lock is for tags that a policy finds, and there is no policy",
                                   "add --policy konflux, or `policies` to .opcat.yaml");
            project->digests = read_image_lock(options.lock);
        }
        const size_t fixes = fix_files(options, *project, session);
        if (!session.options.quiet)
            session.print(fmt::format("{} {}\n",
                                      fixes == 1 ? std::string("1 fix") : fmt::format("{} fixes", fixes),
                                      options.diff ? "to apply: nothing was written" : "applied"));
        if (options.diff) {
            session.exit_status = std::max<int>(session.exit_status, fixes > 0 ? exit_findings : exit_ok);
            return;
        }
        if (!options.policy.policies.empty()) return validate_with_policies(options, session);
        if (fixes > 0) project->catalogs = open_all(options, project->settings, session);
    }
    const auto baseline = load_baseline(options.report, session);
    if (!baseline) return;
    std::vector<LintInput> inputs;
    std::vector<policy::PolicyRun> runs;
    std::set<std::string> asked_policies;
    for (size_t i = 0; i < project->catalogs.size(); ++i) {
        inputs.push_back(judged_input(project->catalogs[i], project->settings[i], project->policies[i],
                                      options.references[i], options, runs, session));
        inputs.back().changed = project->changed[i].get();
        asked_policies.insert(project->policies[i].begin(), project->policies[i].end());
    }
    // A baseline that had only causes would not know their consequences.
    const bool writes_baseline = !options.report.new_baseline.empty();
    LintResult checked =
        lint(inputs,
             {.selection = {.baseline = &*baseline,
                            .strict = options.report.strict,
                            .consequences = options.report.each || writes_baseline,
                            .asked = asked_of(options, {asked_policies.begin(), asked_policies.end()}),
                            .policies = !asked_policies.empty()}},
             session.pool());
    const std::string what = describe_checked(checked, project->catalogs);
    const std::string correctable = !options.fix && counts_fixes(checked, options.report, session)
                                        ? describe_fixes(options, *project, checked, session)
                                        : "";
    SelectedFindings& selected = checked;
    selected.unread_bundles = has_unread_bundles(project->catalogs);
    if (selected.unread_bundles && (!is_for_people(options.report.format) || session.options.quiet))
        session.print_warning("the bundles of the template are not read: --resolve-images pulls them");
    add_not_checked(runs, selected, &session);
    report(std::move(selected), checked.subjects, what, correctable, options.report, session);
}

// All files that decide on the findings.
std::vector<std::string> files_of_request(const ValidateOptions& options, const Session& session) {
    std::vector<std::string> files = options.references;
    files.insert(files.end(), options.schema_files.begin(), options.schema_files.end());
    files.insert(files.end(), options.templates.bundle_directories.begin(),
                 options.templates.bundle_directories.end());
    if (!options.report.baseline.empty()) files.push_back(options.report.baseline);
    for (const std::string& reference : options.references)
        if (const auto file = configuration_file_for(reference, options.configuration, session).file)
            files.push_back(file->string());
    return files;
}

void watch(const ValidateOptions& options, Session& session) {
    for (const std::string& reference : options.references)
        if (!names_files(reference))
            throw RequestError(fmt::format("--watch does not go with {}", go_quote(reference)),
                               "name the directories or files to look at");
    repeat_on_change([&] { return files_of_request(options, session); }, [&] { run(options, session); },
                     session);
}

// opm only accepts a directory, and treats it as a catalog even if it looks like a bundle.
void run_as_opm(const ValidateOptions& options, Session& session) {
    const std::filesystem::path directory = options.references.front();
    std::error_code failed;
    const bool is_directory = std::filesystem::is_directory(directory, failed);
    if (failed)
        throw Error(fmt::format("cannot read {}: {}", directory.string(), system_message(failed.value())));
    if (!is_directory) throw Error(directory.string() + " is not a directory");
    const LintResult checked = lint({{Source(directory, load_catalog(directory, session.pool()))}},
                                    {.rules = LintOptions::Rules::enforced_by_opm}, session.pool());
    const Diagnostics& findings = checked.findings;
    const bool passed = findings.empty();
    if (!passed) session.exit_status = exit_findings;
    if (!options.opm_output) {
        print_findings(findings, session);
        return;
    }
    nlohmann::ordered_json result{{"passed", passed}};
    if (!passed) {
        std::string message;
        for (const Diagnostic& finding : findings) message += to_text(finding, {});
        message.pop_back();
        result["error"] = {{"message", message}};
    }
    session.out.write(options.opm_output == Form::json ? as_document(result)
                                                       : json_as_yaml(as_line(result)) + "\n");
}

} // namespace

void add_validate(Command tree, Session& session) {
    const auto options = std::make_shared<ValidateOptions>();
    const Command command = tree.add_command("validate", "Check catalogs and report all mistakes at once");
    if (session.as_opm()) {
        command.add_option("directory", options->references, "Catalog directory").required().at_most(1);
        command.add_choice("-o,--output", options->opm_output, {Form::json, Form::yaml},
                           "Result as json or yaml, not as text");
        command.callback([options, &session] { run_as_opm(*options, session); });
        return;
    }
    add_reference_flags(command, options->from, session);
    add_image_flags(command, options->images);
    add_template_flags(command, options->templates);
    const ReportOptions reports = add_report_flags(command, options->report);
    command.add_option("--schema FILE", options->schema_files,
                       "A file with further CUE definitions that blobs and properties must fit");
    add_configuration_flags(command, options->configuration);
    command.add_option(
        "--openshift VERSION", options->openshift,
        "The version of OpenShift that the catalog is for: a warning for bundles with other "
        "metadata than it takes. With --policy konflux: the version of its tasks (default: from a "
        "directory such as v4.18)");
    command.add_option(
        "--allowed-registry PREFIX", options->registries,
        "A registry, or the beginning of a name, that images may be in; without it, all are allowed");
    add_allow_empty_flag(command, options->allow_empty, session);
    const Command fixing = command.under("Fixes");
    const Option fix = fixing.add_flag("--fix", options->fix,
                                       "Apply safe fixes to the files and report the remaining findings");
    fixing.add_flag("--diff", options->diff, "With --fix: show the changes without writing them");
    fixing.add_flag("--unsafe-fixes", options->unsafe_fixes,
                    "With --fix: also apply fixes that may not be what the author meant");
    fixing.add_option("--lock FILE", options->lock,
                      "With --fix: pin the tags that a policy finds to the digests in this file, which has a "
                      "pull spec and its digest in each line");
    const Option changed_since =
        command
            .add_option(
                "--changed-since REV", options->changed_since,
                "Check everything, but report only on packages whose files changed since a git commit")
            .group(known_findings)
            .excludes(fix);
    fix.excludes(reports.read).excludes(reports.write);
    const Option watching =
        command.add_flag("--watch", options->watch, "Check again whenever a file changes, until Ctrl-C")
            .excludes(fix)
            .excludes(reports.write);
    add_shard_flags(command, options->shard)
        .excludes(fix)
        .excludes(reports.read)
        .excludes(reports.write)
        .excludes(reports.files)
        .excludes(reports.summary)
        .excludes(changed_since)
        .excludes(watching);
    add_policy_flags(command, options->policy);
    command.footer(
        "Examples:\n"
        "  opcat validate catalog/\n"
        "  opcat validate template.yaml --resolve-images\n"
        "  opcat validate --watch catalog/\n"
        "  opcat validate --strict --format json catalog/ > findings.json\n"
        "  opcat validate --schema notes.cue catalog/\n"
        "  opcat validate --format github --report sarif=opcat.sarif catalog/\n"
        "  opcat validate --rule graph-unreachable=off --changed-since origin/main catalog/\n"
        "  opcat validate --openshift 4.18 --allowed-registry quay.io/org catalog/\n"
        "  opcat validate --policy konflux --openshift 4.18 --target-index index/ catalog/\n"
        "  opcat validate --policy konflux --openshift 4.18 --fix --lock images.lock catalog/\n"
        "  opcat validate --policy olm-v1 --feature-set experimental catalog/\n"
        "  opcat validate --policy community --changed-since origin/main community-operators/\n"
        "  opcat validate --policy certified --operator gizmo --bundle 1.2.0 certified-operators/\n\n"
        "`opcat explain RULE` explains a rule.\nExit status: 0 if there are no errors, 1 "
        "if there are.");
    command.callback([options, &session] {
        options->references = all_references(options->from);
        require_policy(*options);
        if (!options->policy.policies.empty() && !options->fix)
            return validate_with_policies(*options, session);
        if (options->watch) options->report.no_pager = true;
        if (options->allow_empty) options->configuration.rules.emplace_back("empty-catalog=off");
        options->watch ? watch(*options, session) : run(*options, session);
    });
}

} // namespace opcat
