// Prints predictions of what OLM will do, before anything is changed.
#include "cluster_flow.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/resolve/v1/explanation.hpp"
#include "opcat/semver/version.hpp"
#include "terminal/session.hpp"

#include <set>

namespace opcat {

using namespace cluster;

namespace {

// Each once.
void print_notes(const std::vector<std::string>& remarks, const Session& session) {
    std::set<std::string_view> printed;
    for (const std::string& remark : remarks)
        if (printed.insert(remark).second) session.print("  note: " + for_terminal(remark, 4) + "\n");
}

void print_deprecations(const std::vector<std::string>& deprecations, const Session& session) {
    for (const std::string& deprecation : deprecations)
        session.print_warning("deprecated: " + for_terminal(deprecation, 4));
}

// Returns true if a step leads from the installed version to a lower one.
bool goes_down(const olmv1::Request& request, const PredictedPath& path) {
    if (!request.installed || path.steps.empty()) return false;
    const auto from = semver::Version::parse(request.installed->version);
    const auto to = semver::Version::parse(path.steps.front().version);
    return from && to && *to < *from;
}

void print_path(const PredictedPath& path, std::string from, bool down, bool possible,
                const Session& session) {
    const bool stays = path.steps.size() == 1 && from == path.steps[0].bundle->name();
    session.print(stays      ? fmt::format("OLM will stay at {}\n", from)
                  : possible ? std::string("OLM will\n")
                             : std::string("OLM would\n"));
    for (size_t i = 0; i < path.steps.size() && i < most_steps_shown; ++i) {
        const olmv1::Choice& step = path.steps[i];
        if (from != step.bundle->name())
            session.print(fmt::format("  {} {} (version {}, catalog {})\n",
                                      from.empty() ? "install"
                                      : down       ? "downgrade from " + from + " to"
                                                   : "upgrade from " + from + " to",
                                      step.bundle->name(), step.version, step.catalog->name));
        from = step.bundle->name();
        down = false;
    }
    if (path.steps.size() > most_steps_shown)
        session.print(fmt::format("  and {} to {}\n",
                                  counted(path.steps.size() - most_steps_shown, "further step"),
                                  path.steps.back().bundle->name()));
}

void print_refusal(const olmv1::Resolution& resolution, const olmv1::Request& request,
                   const V1Catalogs& catalogs, const Session& session) {
    std::vector<std::string_view> packages;
    bool known = false;
    for (const olmv1::NamedCatalog& catalog : catalogs.named()) {
        for (const std::string_view package : catalog.index->package_names()) packages.push_back(package);
        known = known || catalog.index->find(request.package);
    }
    session.print_error("OLM will not do it: " + for_terminal(resolution.error, 2),
                        known ? std::string() : did_you_mean(request.package, packages));
    for (const olmv1::CatalogAnswer& answer : resolution.catalogs)
        if (answer.state == olmv1::CatalogAnswer::State::unavailable)
            session.print(
                fmt::format("  because catalog {} is not asked: its spec.availabilityMode is Unavailable\n",
                            answer.catalog->name));
    for (const olmv1::Suggestion& suggestion : olmv1::suggest(request, catalogs.named(), resolution)) {
        const bool by_flag = suggestion.request.policy != request.policy;
        session.print(fmt::format("  would work: {}{}, which resolves to {}\n", suggestion.change,
                                  by_flag ? " (--self-certified)" : "", suggestion.choice.bundle->name()));
    }
}

} // namespace

void print(const ClassicPrediction& prediction, const Session& session) {
    for (const std::string& warning : prediction.warnings) session.print_warning(warning);
    if (!prediction.possible && prediction.error.empty())
        return session.print_warning("cannot predict what OLM will do: " +
                                     for_terminal(prediction.impossible, 2));
    if (session.options.quiet && prediction.error.empty()) return;
    if (!prediction.error.empty()) {
        session.print_error("OLM will not do it: " + for_terminal(prediction.error, 2));
        for (const std::string& sentence : prediction.because)
            session.print("  because " + for_terminal(sentence, 4) + "\n");
        for (const std::string& change : prediction.try_this)
            session.print("  would work: " + for_terminal(change, 4) + "\n");
        return;
    }
    session.print(prediction.plan.empty() ? "OLM will change nothing\n" : "OLM will\n");
    for (const std::string& line : prediction.plan) session.print("  " + line + "\n");
    print_notes(prediction.remarks, session);
    print_deprecations(prediction.deprecations, session);
}

namespace {

// The older version may not be able to read the operator's objects, so a downgrade needs a confirmation.
bool wants_downgrade(const FlowFlags& flags, Session& session) {
    if (flags.only_shows() || flags.yes) return true;
    return agreed(session, "this is a downgrade, which",
                  "This is a downgrade, for which operators are seldom made. Go on?");
}

std::string_view help_for(const V1Prediction& prediction) {
    if (prediction.needs_watch_namespace) return "--watch-namespace names the namespace to watch";
    if (prediction.refused_by_preflight)
        return "if the change does no harm, --crd-upgrade-safety None sets "
               "spec.install.preflight.crdUpgradeSafety.enforcement of the ClusterExtension";
    return {};
}

} // namespace

bool continues_anyway(const FlowFlags& flags, Session& session) {
    if (flags.force) return true;
    session.print("nothing was changed; --force continues anyway\n");
    session.exit_status = exit_findings;
    return false;
}

bool print_and_go_on(const V1Question& question, const FlowFlags& flags, Session& session) {
    const auto& [request, catalogs, prediction] = question;
    const olmv1::Resolution& resolution = prediction.resolution;
    const bool quiet = session.options.quiet;
    if (!resolution.choice && !catalogs.incomplete()) {
        print_refusal(resolution, request, catalogs, session);
    } else if (!resolution.choice) {
        session.print_warning("cannot predict what OLM will do");
        print_notes(catalogs.remarks(), session);
    } else if (!quiet) {
        print_path(prediction.path, request.installed ? request.installed->name : std::string(),
                   goes_down(request, prediction.path), prediction.problems.empty(), session);
        print_notes(catalogs.remarks(), session);
        print_notes(prediction.remarks, session);
        // Of where the path ends.
        if (!prediction.path.steps.empty())
            print_deprecations(deprecations_of(request, prediction.path.steps.back()), session);
    }
    if (!prediction.definitions_unknown.empty() && !quiet)
        session.print("  note: what the bundle changes of CustomResourceDefinitions is not known: " +
                      for_terminal(prediction.definitions_unknown, 4) + "\n");
    for (const std::string& problem : prediction.problems) {
        const bool is_last = &problem == &prediction.problems.back();
        session.print_error("OLM will not do it: " + for_terminal(problem, 2),
                            is_last ? help_for(prediction) : "");
    }
    const bool refused = (!resolution.choice && !catalogs.incomplete()) || !prediction.problems.empty();
    if (goes_down(request, prediction.path) && !refused) return wants_downgrade(flags, session);
    return !refused || continues_anyway(flags, session);
}

bool has_rights(const AccountRights& rights, const std::string& account, const std::string& help,
                const FlowFlags& flags, Session& session) {
    if (!rights.unknown.empty())
        session.print_warning(
            fmt::format("whether ServiceAccount {} has all rights to install is not known: {}", account,
                        for_terminal(rights.unknown, 2)));
    if (rights.missing.empty()) return true;
    session.print_error(fmt::format("OLM will not do it: ServiceAccount {} lacks rights: {}", account,
                                    for_terminal(rights.list(), 2)),
                        help);
    return continues_anyway(flags, session);
}

} // namespace opcat
