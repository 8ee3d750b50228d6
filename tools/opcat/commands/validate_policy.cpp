#include "commands/validate_policy.hpp"

#include "command.hpp"
#include "commands/validate_konflux.hpp"
#include "environment.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/lint/openshift_version.hpp"
#include "opcat/policy/base_revision.hpp"
#include "opcat/policy/policy.hpp"
#include "opcat/policy/selection.hpp"
#include "opcat/policy/test_output.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>

namespace opcat {
namespace {

namespace fs = std::filesystem;
using policy::Pipeline;
using policy::PolicyRun;
using policy::ReadinessRun;

constexpr const char* policies_group = "Policies";

PolicyRun run_olm_v1(const Source& catalog, const ValidateOptions& options, Session& session) {
    PolicyRun run{.policy = Pipeline::olm_v1};
    run.owners.push_back(catalog.owner());
    run.refused = catalog.loaded().diagnostics;
    ReadinessRun& readiness = run.readiness.emplace();
    readiness.release = options.policy.olm.read();
    readiness.graph =
        std::make_shared<const UpgradeGraph>(build_upgrade_graph(catalog.catalog(), session.pool()));
    readiness.packages = readiness::readiness_of(*readiness.graph, readiness.release, session.pool());
    return run;
}

// Checks if opm accepts the catalogs, of which only the changed ones are named.
void check_format(const policy::Repository& repository, const std::set<std::string>& catalogs, PolicyRun& run,
                  Session& session) {
    for (const std::string& name : catalogs) {
        if (!repository.has_catalog(name)) continue;
        const fs::path path = repository.root() / "catalogs" / name;
        const Source catalog(path.string(), load_catalog(path, session.pool()));
        run.owners.push_back(catalog.owner());
        LintResult checked =
            lint({{catalog}}, {.rules = LintOptions::Rules::enforced_by_opm}, session.pool());
        run.catalogs[name] = checked.findings.empty();
        run.refused.append(std::move(checked.findings));
    }
}

// All of the repository, one operator after the other.
std::vector<policy::StaticRequest> everything_in(const policy::Repository& repository) {
    std::vector<policy::StaticRequest> all;
    for (const std::string& name : repository.operators()) {
        const policy::Operator* const owner = repository.find_operator(name);
        if (!owner) continue;
        policy::StaticRequest& request = all.emplace_back(policy::StaticRequest{.operator_name = name});
        for (const policy::OperatorBundle& bundle : owner->bundles())
            request.bundles.push_back(bundle.directory());
    }
    all.push_back({.catalogs = repository.catalog_operators()});
    return all;
}

// Returns what the pipeline tests in a pull request.
policy::StaticRequest tested_of(const policy::PullRequest& changes) {
    policy::StaticRequest request;
    if (!changes.operators.empty()) request.operator_name = *changes.operators.begin();
    std::set<policy::NamePair> bundles = changes.bundles.added;
    bundles.insert(changes.bundles.modified.begin(), changes.bundles.modified.end());
    if (!bundles.empty()) request.bundles = {bundles.begin()->second};
    for (const auto* const names :
         {&changes.catalogs.added, &changes.catalogs.modified, &changes.catalogs.deleted})
        for (const auto& [catalog, name] : *names) {
            request.catalogs.push_back(fmt::format("{}/{}", catalog, name));
            if (changes.operators.empty() && request.operator_name.empty()) request.operator_name = name;
        }
    return request;
}

PolicyRun run_repository(Pipeline policy, const std::string& reference, const ValidateOptions& options,
                         Session& session) {
    const PolicyFlags& flags = options.policy;
    const auto opened = std::make_shared<const policy::Repository>(fs::path(reference));
    const policy::Repository& repository = *opened;
    repository.require_content();
    PolicyRun run{.policy = policy};
    run.owners.push_back(opened);
    policy::BaseRevision revision;
    if (!options.changed_since.empty())
        revision = policy::base_of(reference, options.changed_since, temporary_directory(), session.pool());
    std::optional<policy::Repository> base;
    if (revision.directory || !flags.base.empty())
        base.emplace(revision.directory ? revision.directory->path() : fs::path(flags.base));

    std::vector<policy::StaticRequest> requests;
    std::set<std::string> catalogs; // whose format is validated
    const auto add_catalogs_of = [&](const std::vector<std::string>& names) {
        for (const std::string& name : names) catalogs.insert(name.substr(0, name.find('/')));
    };
    if (!flags.operator_name.empty() || !flags.catalogs.empty()) {
        policy::StaticRequest& named = requests.emplace_back(
            policy::StaticRequest{.operator_name = flags.operator_name, .catalogs = flags.catalogs});
        if (!flags.bundle.empty()) named.bundles.push_back(flags.bundle);
        run.unknown = policy::unknown_name_in(named, repository, base ? &*base : nullptr);
    }
    if (base) {
        const policy::PullRequest changes = policy::changes_of(
            revision.directory ? revision.changed_files : flags.changed_files, repository, *base);
        run.changes = policy::change_errors(changes, repository, *base);
        if (requests.empty()) {
            requests.push_back(tested_of(changes));
            for (const auto* const names : {&changes.catalogs.added, &changes.catalogs.modified})
                for (const auto& [catalog, name] : *names) catalogs.insert(catalog);
        } else {
            add_catalogs_of(flags.catalogs);
        }
    } else {
        if (requests.empty()) requests = everything_in(repository);
        for (const policy::StaticRequest& request : requests) add_catalogs_of(request.catalogs);
    }

    run.static_tests.emplace();
    for (policy::StaticRequest& request : requests) {
        request.suite = policy == Pipeline::community ? policy::Suite::community : policy::Suite::certified;
        request.waived = flags.waived;
        policy::StaticResults found = policy::run_static_checks(repository, request);
        const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
        append(run.static_tests->outputs, found.outputs);
        append(run.static_tests->notes, found.notes);
        append(run.static_tests->not_checked, found.not_checked);
    }
    check_format(repository, catalogs, run, session);
    return run;
}

} // namespace

void add_policy_flags(Command command, PolicyFlags& flags) {
    command
        .add_option("--policy", flags.policies,
                    "Give the verdict of an official pipeline instead: konflux for a fragment of a catalog, "
                    "community or certified for a repository of operators; or what OLM v1 can install of a "
                    "catalog or bundle: olm-v1")
        .one_of({std::begin(policy_names), std::end(policy_names)})
        .group(policies_group);
    command
        .add_option("--target-index", flags.target_index,
                    "With konflux: the index from which the fragment may not remove channels and entries")
        .value_name("REF")
        .group(policies_group);
    command
        .add_option(
            "--dockerfile", flags.dockerfile,
            "With konflux: the Dockerfile that makes the fragment's image, for the checks of its base image "
            "and labels")
        .value_name("FILE")
        .group(policies_group);
    command
        .add_option("--operator", flags.operator_name,
                    "The operator that is checked (default: what changed, or all)")
        .value_name("NAME")
        .group(policies_group);
    command.add_option("--bundle", flags.bundle, "The directory of the operator's bundle that is checked")
        .value_name("VERSION")
        .group(policies_group);
    command.add_option("--affected-catalog", flags.catalogs, "A catalog that is checked, such as v4.18/gizmo")
        .value_name("CATALOG/NAME")
        .group(policies_group);
    command.add_option("--base", flags.base, "The repository before the change")
        .value_name("DIR")
        .group(policies_group);
    command
        .add_option("--changed-file", flags.changed_files,
                    "A file that the change adds, modifies or removes, relative to "
                    "the repository")
        .value_name("PATH")
        .group(policies_group);
    command
        .add_option("--waive", flags.waived,
                    "An official check that does not run, such as check_required_fields")
        .value_name("CHECK")
        .group(policies_group);
    add_olm_release_flags(command, flags.olm);
    command
        .add_option("--policy-report", flags.report,
                    "Write the verdicts in the official words as JSON; \"-\": to standard output, in place "
                    "of findings")
        .value_name("FILE")
        .group(policies_group);
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
        {"--target-index", !flags.target_index.empty(), has_konflux, "--policy konflux"},
        {"--dockerfile", !flags.dockerfile.empty(), has_konflux, "--policy konflux"},
        {"--operator", !flags.operator_name.empty(), has_repository, repository},
        {"--bundle", !flags.bundle.empty(), has_repository, repository},
        {"--affected-catalog", !flags.catalogs.empty(), has_repository, repository},
        {"--base", !flags.base.empty(), has_repository, repository},
        {"--changed-file", !flags.changed_files.empty(), has_repository, repository},
        {"--waive", !flags.waived.empty(), has_repository, repository},
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

void say_what_is_not_checked(const PolicyRun& run, const Session& session) {
    if (session.options.quiet) return;
    for (const policy::NotChecked& one : policy::not_checked_by(run))
        session.print(fmt::format("not checked here: {}: {}\n", one.check, one.why));
}

void validate_with_policies(const ValidateOptions& options, Session& session) {
    const PolicyFlags& flags = options.policy;
    if (!flags.bundle.empty() && flags.operator_name.empty()) throw RequestError("--bundle needs --operator");
    if (flags.base.empty() != flags.changed_files.empty())
        throw RequestError("--base and --changed-file need each other");
    if (!flags.base.empty() && !options.changed_since.empty())
        throw RequestError("--changed-since and --base exclude each other");
    std::vector<Pipeline> policies;
    for (const std::string& name : flags.policies) policies.push_back(policy::pipeline_named(name));
    policy::require_static_tests(flags.waived, policies);
    const std::string& reference = options.references.front();
    const auto configuration = configuration_of(reference, options, session);
    if (!configuration) return;
    const auto baseline = load_baseline(options.report, session);
    if (!baseline) return;

    std::string report_text;
    std::vector<FoundIn> found;
    std::vector<PolicyRun> runs;
    std::optional<Source> catalog;
    for (const Pipeline which : policies) {
        if (which == Pipeline::olm_v1 && !catalog)
            catalog = open(reference, opening(options.images, session, StandardInput::taken), session.pool());
        const PolicyRun& run = runs.emplace_back(
            which == Pipeline::konflux  ? run_konflux(reference, nullptr, *configuration, options, session)
            : which == Pipeline::olm_v1 ? run_olm_v1(*catalog, options, session)
                                        : run_repository(which, reference, options, session));
        report_text += policy::report_of(run);
        found.push_back({.findings = policy::findings_of(run), .configuration = &*configuration});
    }
    const bool fails =
        std::any_of(found.begin(), found.end(), [](const FoundIn& one) { return has_errors(one.findings); });
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
        if (fails) session.exit_status = exit_findings;
        return;
    }
    for (const PolicyRun& run : runs) say_what_is_not_checked(run, session);
    const std::string test_output =
        policy::to_json(policy::test_output_of(runs), std::chrono::system_clock::now());
    report(select_findings(std::move(found), {}, {.baseline = &*baseline, .strict = options.report.strict}),
           {}, fmt::format("policy {} checked", fmt::join(flags.policies, ", ")), 0, options.report, session,
           test_output);
}

std::vector<std::string> configured_policies(const Configuration& configuration,
                                             const std::string& reference) {
    std::error_code failed;
    const bool is_repository = fs::is_directory(fs::path(reference) / "operators", failed);
    std::vector<std::string> names;
    for (const auto& policy : configuration.policies)
        if (is_for_catalogs(policy::pipeline_named(policy.value)) != is_repository)
            names.emplace_back(policy.value);
    return names;
}

bool is_for_catalogs(Pipeline policy) {
    return policy == Pipeline::konflux || policy == Pipeline::olm_v1;
}

std::vector<PolicyRun> run_policies(const std::vector<std::string>& policies, const Source& catalog,
                                    const ValidateOptions& options, const Configuration& configuration,
                                    Session& session) {
    std::vector<PolicyRun> runs;
    for (const std::string& name : policies) {
        PolicyRun& run = runs.emplace_back(
            policy::pipeline_named(name) == Pipeline::konflux
                ? run_konflux(options.references.front(), &catalog, configuration, options, session)
                : run_olm_v1(catalog, options, session));
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
