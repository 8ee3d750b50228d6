// The commands that read the history of a catalog: log and blame.
#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/graph/diff_report.hpp"
#include "opcat/workspace/history.hpp"
#include "opcat/workspace/versions.hpp"
#include "references.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <vector>

namespace opcat {
namespace {

using LogJson = nlohmann::ordered_json;
using Commit = GitRepository::Commit;

struct LogOptions {
    std::string reference;
    std::string package;
    std::string bundle;
    Form format = Form::text;
    unsigned most = 1000;
};

constexpr unsigned most_commits = 100'000;

std::string title_of(const Commit& commit) {
    return escape_controls(fmt::format("{} {} {}: {}", commit.hash.substr(0, 12), commit.date.substr(0, 10),
                                       commit.author, commit.subject));
}

LogJson as_json(const Commit& commit) {
    return {{"commit", commit.hash},
            {"date", commit.date},
            {"author", commit.author},
            {"subject", commit.subject}};
}

std::string indented(const std::string& text) {
    std::string out;
    for (const std::string_view line : lines_of(text)) {
        if (!line.empty()) out += "  " + std::string(line);
        out += '\n';
    }
    return out;
}

// A version of the catalog, and the commit that made it.
struct LoggedVersion {
    Commit commit;
    Source source;
    UpgradeGraph graph;
};

void run_log(const LogOptions& options, Session& session) {
    std::optional<LoggedVersion> newer;
    LogJson commits = LogJson::array();
    const auto report = [&](const LoggedVersion& older) {
        NamedDiff found;
        const bool is_readable =
            !has_errors(newer->source.loaded().diagnostics) && !has_errors(older.source.loaded().diagnostics);
        if (is_readable)
            found.diff =
                diff_catalogs({older.source.catalog(), older.graph}, {newer->source.catalog(), newer->graph},
                              {.packages = {options.package}});
        if (is_readable && found.diff.packages.empty()) return;
        if (options.format == Form::json) {
            LogJson json = as_json(newer->commit);
            if (is_readable) {
                LogJson document = LogJson::parse(diff_as_json({found}));
                document.erase("schema");
                json.update(document);
            } else {
                json["unreadable"] = true;
            }
            commits.push_back(std::move(json));
            return;
        }
        session.out.write(title_of(newer->commit) + "\n" +
                          (is_readable
                               ? indented(diff_as_text(found.diff, session.colour_on_stdout()))
                               : "  the catalog of this commit, or of the one before it, has errors\n") +
                          "\n");
    };
    bool is_known = false;
    const CatalogHistory history =
        for_each_version(with_revision(options.reference), options.package, options.most,
                         opening({}, session), session.pool(), [&](const Commit& commit, Source source) {
                             UpgradeGraph graph = build_upgrade_graph(source.catalog(), session.pool());
                             is_known |= graph.find(options.package) != nullptr;
                             LoggedVersion version{commit, std::move(source), std::move(graph)};
                             if (newer) report(version);
                             newer.emplace(std::move(version));
                             return true;
                         });
    if (!is_known)
        throw RequestError(
            fmt::format("no commit has package {} in {}", go_quote(options.package), options.reference));
    if (options.format == Form::json)
        session.out.write(as_document(LogJson{{"schema", "opcat.log.v1"},
                                              {"package", options.package},
                                              {"complete", history.is_complete},
                                              {"commits", std::move(commits)}}));
    else if (!history.is_complete)
        session.out.write(
            !history.earlier.empty()
                ? escape_controls_in_lines(fmt::format(
                      "commit {0} renamed {1}: opcat log {0}^:{2} -p {3} shows what was before\n",
                      newer->commit.hash.substr(0, 12), history.earlier,
                      std::filesystem::path(history.earlier).parent_path().string(), options.package))
            : history.is_shallow
                ? std::string("older commits are not in this clone: git fetch --unshallow\n")
                : fmt::format("older commits are not shown: -n {} is reached\n", options.most));
}

void run_blame(const LogOptions& options, Session& session) {
    const std::vector<BundleFact> facts = facts_since(with_revision(options.reference), options.bundle,
                                                      options.most, opening({}, session), session.pool());
    if (facts.empty())
        throw RequestError(fmt::format("the newest commit of {} has no bundle {}", options.reference,
                                       go_quote(options.bundle)),
                           "opcat log CATALOG -p PACKAGE shows releases that are gone");
    if (options.format == Form::json) {
        LogJson list = LogJson::array();
        for (const BundleFact& fact : facts) {
            LogJson json = {{"what", fact.what}};
            json.update(as_json(fact.since));
            if (fact.or_earlier) json["orEarlier"] = true;
            list.push_back(std::move(json));
        }
        session.out.write(as_document(
            LogJson{{"schema", "opcat.blame.v1"}, {"bundle", options.bundle}, {"facts", std::move(list)}}));
        return;
    }
    for (const BundleFact& fact : facts)
        session.out.write(fmt::format("{}\n  {}{}\n", escape_controls(fact.what), title_of(fact.since),
                                      fact.or_earlier ? " (or an earlier commit)" : ""));
}

void add_common(Command command, LogOptions& options) {
    command
        .add_option("REF", options.reference,
                    "The catalog: a directory or file of a git repository, or REVISION:PATH")
        .required();
}

void add_formats(Command command, LogOptions& options) {
    command.add_choice("-o,--output", options.format, {Form::text, Form::json}, "text or json");
    command.add_option("-n,--max-count", options.most, "The most commits to look at")
        .between(1, most_commits)
        .show_default();
}

} // namespace

void add_log(Command tree, Session& session) {
    const Command command = tree.add_command(
        "log", "Show the history of a package from git: releases, edges, and who lost upgrades");
    auto& options = command.action<LogOptions>(run_log, session);
    add_common(command, options);
    command.add_option("-p,--package", options.package, "The package").required();
    add_formats(command, options);
    command.footer(
        "Commits are read along first parents, the newest first; changes that are not committed do not "
        "count. Where a directory was renamed, the history ends.\n\n"
        "Examples:\n"
        "  opcat log catalog -p foo\n"
        "  opcat log origin/main:catalog -p foo -n 20 -o json");
}

void add_blame(Command tree, Session& session) {
    const Command command =
        tree.add_command("blame", "Show which commit brought a bundle and each of its edges");
    auto& options = command.action<LogOptions>(run_blame, session);
    add_common(command, options);
    command.add_option("BUNDLE", options.bundle, "The name of the bundle").required();
    add_formats(command, options);
    command.footer("Where a directory was renamed, an earlier commit may have brought what it has.\n\n"
                   "Examples:\n"
                   "  opcat blame catalog foo.v1.2.0\n"
                   "  opcat blame origin/main:catalog foo.v1.2.0 -o json");
}

} // namespace opcat
