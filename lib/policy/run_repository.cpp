#include "opcat/lint/lint.hpp"
#include "opcat/policy/base_revision.hpp"
#include "opcat/policy/run.hpp"
#include "opcat/policy/selection.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <set>

namespace opcat::policy {
namespace {

namespace fs = std::filesystem;

// Checks if opm accepts the catalogs, of which only the changed ones are named.
void check_format(const Repository& repository, const std::set<std::string>& catalogs, PolicyRun& run,
                  ThreadPool& pool) {
    for (const std::string& name : catalogs) {
        if (!repository.has_catalog(name)) continue;
        const fs::path path = repository.root() / "catalogs" / name;
        const Source catalog(path.string(), load_catalog(path, pool));
        run.owners.push_back(catalog.owner());
        LintResult checked = lint({{catalog}}, {.rules = LintOptions::Rules::enforced_by_opm}, pool);
        run.catalogs[name] = checked.findings.empty();
        run.refused.append(std::move(checked.findings));
    }
}

std::vector<std::string> bundles_of(const Operator& owner) {
    std::vector<std::string> directories;
    for (const OperatorBundle& bundle : owner.bundles()) directories.push_back(bundle.directory());
    return directories;
}

// All of the repository, one operator after the other.
std::vector<StaticRequest> everything_in(const Repository& repository) {
    std::vector<StaticRequest> all;
    for (const std::string& name : repository.operators()) {
        const Operator* const owner = repository.find_operator(name);
        if (!owner) continue;
        all.push_back({.operator_name = name, .bundles = bundles_of(*owner)});
    }
    all.push_back({.catalogs = repository.catalog_operators()});
    return all;
}

// Returns what the pipeline tests in a pull request.
StaticRequest tested_of(const PullRequest& changes) {
    StaticRequest request;
    if (!changes.operators.empty()) request.operator_name = *changes.operators.begin();
    std::set<NamePair> bundles = changes.bundles.added;
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

} // namespace

PolicyRun run_repository(Pipeline policy, const RepositoryRequest& asked, ThreadPool& pool) {
    const auto opened = std::make_shared<const Repository>(asked.repository);
    const Repository& repository = *opened;
    repository.require_content();
    PolicyRun run{.policy = policy};
    run.owners.push_back(opened);
    BaseRevision revision;
    if (!asked.changed_since.empty())
        revision = base_of(asked.repository, asked.changed_since, asked.temporary, pool);
    std::optional<Repository> base;
    if (revision.directory || !asked.base.empty())
        base.emplace(revision.directory ? revision.directory->path() : fs::path(asked.base));

    std::vector<StaticRequest> requests;
    std::set<std::string> catalogs; // whose format is validated
    const auto add_catalogs_of = [&](const std::vector<std::string>& names) {
        for (const std::string& name : names) catalogs.insert(name.substr(0, name.find('/')));
    };
    if (!asked.operator_name.empty() || !asked.catalogs.empty()) {
        StaticRequest& named = requests.emplace_back(
            StaticRequest{.operator_name = asked.operator_name, .catalogs = asked.catalogs});
        const Operator* const owner = repository.find_operator(asked.operator_name);
        if (!asked.bundle.empty())
            named.bundles.push_back(asked.bundle);
        else if (owner)
            named.bundles = bundles_of(*owner);
        run.unknown = unknown_name_in(named, repository, base ? &*base : nullptr);
    }
    if (base) {
        const PullRequest changes =
            changes_of(revision.directory ? revision.changed_files : asked.changed_files, repository, *base);
        run.changes = change_errors(changes, repository, *base);
        if (requests.empty()) {
            requests.push_back(tested_of(changes));
            for (const auto* const names : {&changes.catalogs.added, &changes.catalogs.modified})
                for (const auto& [catalog, name] : *names) catalogs.insert(catalog);
        } else {
            add_catalogs_of(asked.catalogs);
        }
    } else {
        if (requests.empty()) requests = everything_in(repository);
        if (std::ranges::all_of(requests, [](const StaticRequest& request) {
                return request.operator_name.empty() && request.catalogs.empty();
            }))
            run.unknown = RequestError(
                fmt::format("{} has no operator: there is nothing to check", asked.repository.string()),
                "name the top of a repository with operators/NAME/VERSION");
        for (const StaticRequest& request : requests) add_catalogs_of(request.catalogs);
    }

    run.static_tests.emplace();
    for (StaticRequest& request : requests) {
        request.suite = policy == Pipeline::community ? Suite::community : Suite::certified;
        request.waived = asked.waived;
        StaticResults found = run_static_checks(repository, request);
        const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
        append(run.static_tests->outputs, found.outputs);
        append(run.static_tests->notes, found.notes);
        append(run.static_tests->not_checked, found.not_checked);
    }
    check_format(repository, catalogs, run, pool);
    return run;
}

std::vector<std::string> configured_policies(const Configuration& configuration,
                                             const std::string& reference) {
    std::error_code failed;
    const bool is_repository = fs::is_directory(fs::path(reference) / "operators", failed);
    std::vector<std::string> names;
    for (const auto& policy : configuration.policies)
        if (is_for_catalogs(pipeline_named(policy.value)) != is_repository) names.emplace_back(policy.value);
    return names;
}

bool is_for_catalogs(Pipeline policy) {
    return policy == Pipeline::konflux || policy == Pipeline::olm_v1;
}

PolicyRun run_olm_v1(const Source& catalog, const olmv1::OlmRelease& release, ThreadPool& pool) {
    PolicyRun run{.policy = Pipeline::olm_v1};
    run.owners.push_back(catalog.owner());
    run.catalog = catalog;
    run.refused = catalog.loaded().diagnostics;
    ReadinessRun& readiness = run.readiness.emplace();
    readiness.release = release;
    readiness.graph = std::make_shared<const UpgradeGraph>(build_upgrade_graph(catalog.catalog(), pool));
    readiness.packages = readiness::readiness_of(*readiness.graph, readiness.release, pool);
    return run;
}

} // namespace opcat::policy
