#include "commands/validate_policy.hpp"

#include "command.hpp"
#include "environment.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/lint/openshift_version.hpp"
#include "opcat/policy/selection.hpp"
#include "opcat/policy/test_output.hpp"
#include "outputs.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace opcat {
namespace {

using policy::Pipeline;
using policy::PolicyRun;

// `catalog`: the fragment, if it is open already.
PolicyRun judge_fragment(const std::string& reference, const Source* catalog,
                         const Configuration& configuration, const ValidateOptions& options,
                         Session& session) {
    policy::FragmentRequest asked = options.policy.fragment;
    asked.reference = reference;
    asked.catalog = catalog;
    asked.openshift = options.openshift;
    return policy::run_konflux(asked, configuration, opening(options.images, session, StandardInput::taken),
                               session.pool());
}

PolicyRun judge_repository(Pipeline policy, const ValidateOptions& options, Session& session) {
    policy::RepositoryRequest asked = options.policy.repository;
    asked.repository = options.references.front();
    asked.changed_since = options.changed_since;
    asked.temporary = temporary_directory();
    return policy::run_repository(policy, asked, session.pool());
}

} // namespace

std::string asked_of(const ValidateOptions& options, const std::vector<std::string>& policies) {
    std::string asked;
    const auto add = [&](std::string_view flag, const std::vector<std::string>& values) {
        for (const std::string& value : values)
            if (!value.empty()) asked += fmt::format("{}{} {}", asked.empty() ? "" : " ", flag, value);
    };
    const PolicyFlags& flags = options.policy;
    add("--policy", policies);
    add("--openshift", {options.openshift});
    add("--allowed-registry", options.registries);
    add("--schema", options.schema_files);
    add("--target-index", {flags.fragment.target_index});
    add("--dockerfile", {flags.fragment.dockerfile});
    add("--operator", {flags.repository.operator_name});
    add("--bundle", {flags.repository.bundle});
    add("--affected-catalog", flags.repository.catalogs);
    add("--base", {flags.repository.base});
    add("--changed-file", flags.repository.changed_files);
    add("--changed-since", {options.changed_since});
    add("--waive", flags.repository.waived);
    add("--olm-release", {flags.olm.release});
    add("--feature-set", {flags.olm.feature_set});
    return asked;
}

void add_policy_flags(Command command, PolicyFlags& flags) {
    const Command policies = command.under("Policies");
    policies
        .add_option("--policy", flags.policies,
                    "Give the verdict of an official pipeline instead: konflux for a fragment of a catalog, "
                    "community or certified for a repository of operators; or what OLM v1 can install of a "
                    "catalog or bundle: olm-v1")
        .one_of({std::begin(policy_names), std::end(policy_names)});
    policies.add_option(
        "--target-index REF", flags.fragment.target_index,
        "With konflux: the index from which the fragment may not remove channels and entries");
    policies.add_option(
        "--dockerfile FILE", flags.fragment.dockerfile,
        "With konflux: the Dockerfile that makes the fragment's image, for the checks of its base image "
        "and labels");
    policies.add_option("--operator NAME", flags.repository.operator_name,
                        "The operator that is checked, with its bundles (default: what changed, or all)");
    policies.add_option("--bundle VERSION", flags.repository.bundle,
                        "The only bundle that is checked: its directory in that of the operator");
    policies.add_option("--affected-catalog CATALOG/NAME", flags.repository.catalogs,
                        "A catalog that is checked, such as v4.18/gizmo");
    policies.add_option("--base DIR", flags.repository.base, "The repository before the change");
    policies.add_option("--changed-file PATH", flags.repository.changed_files,
                        "A file that the change adds, modifies or removes, relative to "
                        "the repository");
    policies.add_option("--waive CHECK", flags.repository.waived,
                        "An official check that does not run, such as check_required_fields");
    add_olm_release_flags(command, flags.olm);
    policies.add_option(
        "--policy-report FILE", flags.report,
        "Write the verdicts in the official words as JSON; \"-\": to standard output, in place "
        "of findings");
}

void require_policy(const ValidateOptions& options) {
    const PolicyFlags& flags = options.policy;
    const auto has = [&](Pipeline policy) {
        return std::find(flags.policies.begin(), flags.policies.end(), to_string(policy)) !=
               flags.policies.end();
    };
    const bool has_konflux = has(Pipeline::konflux);
    const bool has_repository = has(Pipeline::community) || has(Pipeline::certified);
    struct Given {
        std::string_view name;
        bool is_given;
        bool applies;
        std::string_view with;
    };
    const std::string_view repository = "--policy community or certified";
    const Given given[] = {
        {"--openshift", !options.openshift.empty(), has_konflux || flags.policies.empty(),
         "--policy konflux"},
        {"--target-index", !flags.fragment.target_index.empty(), has_konflux, "--policy konflux"},
        {"--dockerfile", !flags.fragment.dockerfile.empty(), has_konflux, "--policy konflux"},
        {"--operator", !flags.repository.operator_name.empty(), has_repository, repository},
        {"--bundle", !flags.repository.bundle.empty(), has_repository, repository},
        {"--affected-catalog", !flags.repository.catalogs.empty(), has_repository, repository},
        {"--base", !flags.repository.base.empty(), has_repository, repository},
        {"--changed-file", !flags.repository.changed_files.empty(), has_repository, repository},
        {"--waive", !flags.repository.waived.empty(), has_repository, repository},
        {"--olm-release", !flags.olm.release.empty(), has(Pipeline::olm_v1), "--policy olm-v1"},
        {"--feature-set", !flags.olm.feature_set.empty(), has(Pipeline::olm_v1), "--policy olm-v1"},
        {"--lock", !options.lock.empty(), options.fix, "--fix"},
        {"--policy-report", !flags.report.empty(), !flags.policies.empty(), "--policy"}};
    for (const Given& one : given)
        if (one.is_given && !one.applies) throw RequestError(fmt::format("{} needs {}", one.name, one.with));
    if (!options.openshift.empty() && !openshift_version(options.openshift))
        throw RequestError(fmt::format("{} is not a version of OpenShift", go_quote(options.openshift)),
                           "write it as --openshift 4.18");
    if (flags.policies.empty()) return;
    if (options.references.size() != 1)
        throw RequestError("--policy checks one catalog or one repository at a time");
    if (!options.changed_since.empty() && !has_repository)
        throw RequestError("--changed-since is for --policy community and certified only: the others "
                           "judge the whole catalog");
    if (options.watch || options.shard.given() || !options.schema_files.empty())
        throw RequestError("--watch, --schema and shards do not go with --policy");
    if (options.fix && (has_repository || options.lock.empty()))
        throw RequestError("--fix with --policy pins the tags of a catalog's images",
                           "add --policy konflux and --lock FILE");
}

void refuse_lower_levels(const Configuration& configuration) {
    const auto level = configuration.level_of("policy", {}, nullptr);
    if (level && *level != Level::error)
        throw RequestError(fmt::format("the level of rule policy is {}, which would hide the verdict of the "
                                       "pipeline",
                                       to_string(*level)),
                           "leave the rule alone; --baseline FILE is for findings that are known");
}

void add_not_checked(std::span<const PolicyRun> runs, SelectedFindings& selected, const Session* says) {
    for (const PolicyRun& run : runs)
        for (NotChecked& one : policy::not_checked_by(run)) {
            if (std::ranges::any_of(selected.not_checked, [&](const NotChecked& known) {
                    return known.check == one.check && known.why == one.why;
                }))
                continue;
            if (says && !says->options.quiet)
                says->print(fmt::format("not checked here: {}: {}\n", one.check, one.why));
            selected.not_checked.push_back(std::move(one));
        }
}

void validate_with_policies(const ValidateOptions& options, Session& session) {
    const PolicyFlags& flags = options.policy;
    if (!flags.repository.bundle.empty() && flags.repository.operator_name.empty())
        throw RequestError("--bundle needs --operator");
    if (flags.repository.base.empty() != flags.repository.changed_files.empty())
        throw RequestError("--base and --changed-file need each other");
    if (!flags.repository.base.empty() && !options.changed_since.empty())
        throw RequestError("--changed-since and --base exclude each other");
    // Beside the operators of a repository, which are not the whole of its directory, a report may be.
    const bool is_repository = std::ranges::any_of(flags.policies, [](const std::string& name) {
        const Pipeline which = policy::pipeline_named(name);
        return which == Pipeline::community || which == Pipeline::certified;
    });
    if (flags.report != "-")
        require_apart({{"--policy-report", flags.report, that_has("\"opcat.policy-report.")}},
                      is_repository ? std::vector<std::string>() : options.references);
    std::vector<Pipeline> policies;
    for (const std::string& name : flags.policies) {
        policies.push_back(policy::pipeline_named(name));
        if (std::count(policies.begin(), policies.end(), policies.back()) > 1)
            throw RequestError(fmt::format("--policy {} is given twice", name));
    }
    policy::require_static_tests(flags.repository.waived, policies);
    const std::string& reference = options.references.front();
    const auto configuration = configuration_of(reference, options, session);
    if (!configuration) return;
    refuse_lower_levels(*configuration);
    const auto baseline = load_baseline(options.report, session);
    if (!baseline) return;

    std::string report_text;
    std::vector<FoundIn> found;
    std::vector<PolicyRun> runs;
    runs.reserve(policies.size()); // `found` refers to them
    Subjects subjects;
    std::optional<Source> catalog;
    for (const Pipeline which : policies) {
        if (which == Pipeline::olm_v1 && !catalog)
            catalog = open(reference, opening(options.images, session, StandardInput::taken), session.pool());
        if (which == Pipeline::olm_v1 && catalog->loaded().catalog.bundles.empty())
            throw RequestError(fmt::format("{} has no bundles: there is nothing to check", reference));
        const PolicyRun& run = runs.emplace_back(
            which == Pipeline::konflux  ? judge_fragment(reference, nullptr, *configuration, options, session)
            : which == Pipeline::olm_v1 ? policy::run_olm_v1(*catalog, flags.olm.read(), session.pool())
                                        : judge_repository(which, options, session));
        report_text += policy::report_of(run);
        FoundIn& by_run = found.emplace_back(FoundIn{
            .findings = policy::findings_of(run), .configuration = &*configuration, .complete = false});
        if (!run.catalog) continue;
        by_run.remarks = &run.catalog->loaded().remarks;
        subjects.add(run.catalog->loaded());
    }
    SelectedFindings selected = select_findings(std::move(found), subjects,
                                                {.baseline = &*baseline,
                                                 .strict = options.report.strict,
                                                 .asked = asked_of(options, flags.policies),
                                                 .rules = false,
                                                 .policies = true});
    if (flags.report == "-")
        session.out.write(report_text);
    else if (!flags.report.empty())
        write_output(flags.report, report_text);
    // After the report, which says what the pipeline says of such a name: it passes.
    for (const PolicyRun& run : runs)
        if (run.unknown) {
            session.out.flush();
            throw RequestError(*run.unknown);
        }
    if (flags.report == "-") {
        if (has_errors(selected.findings)) session.exit_status = exit_findings;
        return;
    }
    add_not_checked(runs, selected, &session);
    const std::string test_output =
        policy::to_json(policy::test_output_of(runs), std::chrono::system_clock::now());
    report(std::move(selected), subjects, fmt::format("policy {} checked", fmt::join(flags.policies, ", ")),
           {}, options.report, session, test_output);
}

std::vector<PolicyRun> run_policies(const std::vector<std::string>& policies, const std::string& reference,
                                    const Source& catalog, const ValidateOptions& options,
                                    const Configuration& configuration, Session& session) {
    if (policies.empty()) return {};
    refuse_lower_levels(configuration);
    std::vector<PolicyRun> runs;
    for (const std::string& name : policies) {
        PolicyRun& run =
            runs.emplace_back(policy::pipeline_named(name) == Pipeline::konflux
                                  ? judge_fragment(reference, &catalog, configuration, options, session)
                                  : policy::run_olm_v1(catalog, options.policy.olm.read(), session.pool()));
        run.refused = {};
        if (run.fragment) run.fragment->refused.clear();
    }
    return runs;
}

std::vector<FoundIn> found_by(const std::vector<PolicyRun>& runs, const Configuration& configuration,
                              const ImageDigests& digests) {
    std::vector<FoundIn> found;
    found.reserve(runs.size());
    for (const PolicyRun& run : runs)
        found.push_back({.findings = policy::findings_of(run, digests), .configuration = &configuration});
    return found;
}

} // namespace opcat
