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

// Takes the versions from the newest to the oldest, and tells of each what it changed. One with errors has no
// changes that are known: the next that reads is compared with the last that did.
class Log {
public:
    Log(const LogOptions& options, Session& session) : options_(options), session_(session) {}

    void add(LoggedVersion version) {
        if (has_errors(version.source.loaded().diagnostics)) return unreadable_.push_back(version.commit);
        if (newer_) tell_difference(version);
        tell_unreadable();
        newer_.emplace(std::move(version));
    }

    LogJson finish() {
        tell_unreadable();
        return std::move(commits_);
    }

private:
    void tell_difference(const LoggedVersion& older) {
        const NamedDiff found{.name = {},
                              .diff = diff_catalogs({older.source.catalog(), older.graph},
                                                    {newer_->source.catalog(), newer_->graph},
                                                    {.packages = {options_.package}})};
        if (found.diff.packages.empty()) return;
        if (options_.format == Form::json) {
            LogJson json = as_json(newer_->commit);
            if (!unreadable_.empty()) json["comparedWith"] = older.commit.hash;
            LogJson document = LogJson::parse(diff_as_json({found}));
            document.erase("schema");
            json.update(document);
            commits_.push_back(std::move(json));
            return;
        }
        const std::string before =
            older.commit.hash.empty() ? "nothing" : "commit " + older.commit.hash.substr(0, 12);
        const std::string than =
            unreadable_.empty()
                ? std::string()
                : fmt::format("  compared with {}, because what is between has errors:\n", before);
        session_.out.write(title_of(newer_->commit) + "\n" + than +
                           indented(diff_as_text(found.diff, session_.colour_on_stdout())) + "\n");
    }

    void tell_unreadable() {
        for (const Commit& commit : unreadable_) {
            if (options_.format == Form::json) {
                commits_.push_back(as_json(commit));
                commits_.back()["unreadable"] = true;
            } else {
                session_.out.write(title_of(commit) + "\n  the catalog of this commit has errors\n\n");
            }
        }
        unreadable_.clear();
    }

    const LogOptions& options_;
    Session& session_;
    std::optional<LoggedVersion> newer_; // the last that reads
    std::vector<Commit> unreadable_;     // since
    LogJson commits_ = LogJson::array();
};

void run_log(const LogOptions& options, Session& session) {
    Log log(options, session);
    bool is_known = false;
    std::string oldest;
    const CatalogHistory history =
        for_each_version(with_revision(options.reference), options.package, options.most,
                         opening({}, session), session.pool(), [&](const Commit& commit, Source source) {
                             UpgradeGraph graph = build_upgrade_graph(source.catalog(), session.pool());
                             is_known |= graph.find(options.package) != nullptr;
                             oldest = commit.hash.substr(0, 12);
                             log.add({commit, std::move(source), std::move(graph)});
                             return true;
                         });
    LogJson commits = log.finish();
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
                      "commit {0} renamed {1}: opcat log {0}^:{2} -p {3} shows what was before\n", oldest,
                      history.earlier, std::filesystem::path(history.earlier).parent_path().string(),
                      options.package))
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
