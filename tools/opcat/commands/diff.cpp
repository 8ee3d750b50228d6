#include "command.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/installed_name.hpp"
#include "opcat/graph/diff_report.hpp"
#include "opcat/olm/next_steps.hpp"
#include "opcat/workspace/versions.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace opcat {
namespace {

struct DiffArguments {
    std::string before;
    std::string after;
    std::vector<std::string> paths; // in two revisions
    std::string changed_since;
    Form format = Form::text;
    std::vector<std::string> fail_on;
    std::vector<std::string> allowed;
    std::vector<std::string> packages;
    std::string installed;
    std::optional<OlmGeneration> olm;
    bool fragment = false;
    bool allow_empty = false;
    ImageFlags images;
    TemplateUse templates{.bundle_directories = {}, .needs_channels = true};
};

constexpr std::string_view any_regression = "any";

std::vector<std::string> names_to_fail_on() {
    std::vector<std::string> names;
    for (const RegressionKind kind : all_regression_kinds()) names.emplace_back(to_string(kind));
    names.emplace_back(any_regression);
    return names;
}

OpenOptions how_to_open(const DiffArguments& options, Session& session) {
    return opening(options.images, session, StandardInput::taken, options.templates);
}

// What is to be compared, each with its name; a single pair needs none.
struct Pair {
    std::string name;
    CatalogVersions versions;
};

std::vector<Pair> open_pairs(const DiffArguments& options, Session& session) {
    const OpenOptions how = how_to_open(options, session);
    std::vector<Pair> pairs;
    if (!options.changed_since.empty()) {
        if (!options.before.empty())
            throw RequestError("--changed-since finds the catalogs itself", "leave out " + options.before);
        for (const ChangedCatalog& catalog : changed_catalogs(options.changed_since, how, session.pool()))
            pairs.push_back({catalog.name, open_versions(catalog, how, session.pool())});
        return pairs;
    }
    if (options.after.empty())
        throw RequestError(options.before.empty() ? "OLD and NEW are required" : "NEW is required",
                           "opcat diff main:catalog catalog compares a commit with the working tree");
    if (options.paths.empty())
        pairs.push_back({{},
                         open_versions(with_revision(options.before), with_revision(options.after), how,
                                       session.pool())});
    for (const std::string& path : options.paths)
        pairs.push_back({options.paths.size() == 1 ? std::string() : path,
                         open_versions(at_revision(options.before, path), at_revision(options.after, path),
                                       how, session.pool())});
    return pairs;
}

// What --installed names, as bundles of the old catalog or as what it no longer has. Of several catalogs,
// each has only some of them.
// Lines that one of the catalogs understands leave `unknown`.
std::vector<InstalledVersion> read_installed_versions(const SourceFile& file, const UpgradeGraph& before,
                                                      bool of_several, std::set<std::string_view>& unknown) {
    std::vector<KnownBundle> bundles;
    for (const PackageGraph& package : before.packages) append_known_bundles(bundles, package);
    const KnownBundles known(bundles);
    std::vector<InstalledVersion> all;
    for (const std::string_view line : entries_of_list(file)) {
        try {
            const InstalledName name = known.read(line, GoneBundle::with_version);
            all.push_back({name.package, name.name, name.version, line});
            unknown.erase(line);
        } catch (const RequestError&) {
            if (!of_several) throw;
        }
    }
    return all;
}

// A catalog that opm refuses is worse than any change in it. Fragments have errors of their own.
void check_servable(const CatalogVersions& versions, CatalogDiff& diff, Session& session) {
    auto refused = find_refusal(versions, session.pool());
    if (!refused) return;
    if (refused->is_new)
        diff.regressions.insert(diff.regressions.begin(), std::move(refused->regression));
    else
        session.print_warning(refused->regression.message + "; it refused the old one, too");
}

// Nothing if a catalog did not load.
std::optional<NamedDiff> compare(const Pair& pair, const DiffArguments& options, const SourceFile* installed,
                                 std::set<std::string_view>& unknown, Session& session) {
    const LoadedCatalog& before = pair.versions.before.loaded();
    const LoadedCatalog& after = pair.versions.after.loaded();
    const bool before_loaded = report_findings(before.diagnostics, session);
    if (!report_findings(after.diagnostics, session) || !before_loaded) return std::nullopt;
    // Next to nothing all is new, and nothing can be worse: such an answer to a wrong path is an all-clear.
    if (options.changed_since.empty() && !before.bundles_unknown &&
        !report_empty(before.catalog, Content::blob, options.allow_empty, pair.versions.before.name(),
                      empty_input_hint, session))
        return std::nullopt;
    const UpgradeGraph old_graph = build_upgrade_graph(before.catalog, session.pool());
    const UpgradeGraph new_graph = build_upgrade_graph(after.catalog, session.pool());
    DiffOptions how{.olm = options.olm, .allowed_channels = options.allowed};
    how.packages.insert(options.packages.begin(), options.packages.end());
    for (const std::string& package : options.packages)
        if (pair.name.empty() && !old_graph.find(package) && !new_graph.find(package))
            throw RequestError(fmt::format("neither catalog has package {}", go_quote(package)));
    if (options.fragment && new_graph.packages.empty())
        throw RequestError("the fragment has no packages", "write INDEX first, then FRAGMENT");
    if (options.fragment && options.packages.empty())
        for (const PackageGraph& package : new_graph.packages) how.packages.emplace(package.name);
    if (installed)
        how.installed = read_installed_versions(*installed, old_graph, !pair.name.empty(), unknown);
    NamedDiff found{pair.name, diff_catalogs({before.catalog, old_graph}, {after.catalog, new_graph}, how)};
    if (!options.fragment && options.olm != OlmGeneration::v1)
        check_servable(pair.versions, found.diff, session);
    if (options.format == Form::markdown || options.format == Form::html)
        found.channels = compare_channels(old_graph, new_graph, how);
    found.diff.bundles_compared = !before.bundles_unknown && !after.bundles_unknown;
    if (options.format == Form::text)
        session.out.write((pair.name.empty() ? "" : escape_controls(pair.name) + ":\n") +
                          diff_as_text(found.diff, session.colour_on_stdout()));
    return found;
}

// With --changed-since only catalogs that changed are read: what is in none of them may be unchanged, or
// misspelt.
void report_unknown(const DiffArguments& options, const std::string& what, const Session& session) {
    if (options.changed_since.empty()) throw RequestError("no catalog has " + what);
    session.print_warning(fmt::format("no catalog that changed has {}: it is unchanged, or misspelt", what));
}

void check_packages(const DiffArguments& options, const std::vector<Pair>& pairs, const Session& session) {
    const auto has = [](const Source& source, const std::string& name) {
        return std::ranges::any_of(source.packages(),
                                   [&](const PackageIndex& package) { return package.name == name; });
    };
    if (options.changed_since.empty() && options.paths.size() < 2) return; // compare() has found it
    for (const std::string& package : options.packages)
        if (std::ranges::none_of(pairs, [&](const Pair& pair) {
                return has(pair.versions.before, package) || has(pair.versions.after, package);
            }))
            report_unknown(options, fmt::format("package {}", go_quote(package)), session);
}

void run(const DiffArguments& options, Session& session) {
    const std::unique_ptr<SourceFile> installed =
        options.installed.empty() ? nullptr : read_list(options.installed);
    if (installed && entries_of_list(*installed).empty())
        throw RequestError(fmt::format("{} names no installed bundle", options.installed),
                           "write one BUNDLE, BUNDLE@VERSION or PACKAGE@VERSION per line");
    const std::vector<Pair> pairs = open_pairs(options, session);
    std::set<std::string_view> unknown; // lines of --installed
    if (installed && !pairs.empty())
        for (const std::string_view line : entries_of_list(*installed)) unknown.insert(line);
    std::vector<NamedDiff> found;
    for (const Pair& pair : pairs) {
        auto one = compare(pair, options, installed.get(), unknown, session);
        if (!one) return;
        found.push_back(*std::move(one));
    }
    check_packages(options, pairs, session);
    for (const std::string_view line : unknown)
        report_unknown(options, fmt::format("{}, of {}", line, options.installed), session);
    if (options.format == Form::text && pairs.empty()) session.out.write("no changes\n");
    if (options.format == Form::json) session.out.write(diff_as_json(found));
    if (options.format == Form::markdown) session.out.write(diff_as_markdown(found));
    if (options.format == Form::html) session.out.write(diff_as_html(found));
    const auto fails = [&](const Regression& regression) {
        return !regression.is_allowed && std::ranges::any_of(options.fail_on, [&](const std::string& name) {
            return name == any_regression || name == to_string(regression.kind);
        });
    };
    for (const NamedDiff& one : found)
        if (std::ranges::any_of(one.diff.regressions, fails)) session.exit_status = exit_findings;
}

} // namespace

void add_diff(Command tree, Session& session) {
    const Command command =
        tree.add_command("diff", "Show what changed between two catalogs, and the regressions for users");
    auto& options = command.action<DiffArguments>(run, session);
    command.add_option("OLD", options.before,
                       "Catalog as it is: a directory, an image, an index database, REVISION:PATH, or - for "
                       "standard input");
    command.add_option("NEW", options.after, "Catalog as it will be");
    command.add_option("PATH", options.paths,
                       "After --: what to compare, if OLD and NEW are revisions of git without a path");
    command.add_option("--changed-since REV", options.changed_since,
                       "Compare each catalog below the working directory that changed since a git commit");
    command.add_choice("-o,--output", options.format, {Form::text, Form::json, Form::markdown, Form::html},
                       "text, json, markdown or html");
    command
        .add_option("--fail-on KIND", options.fail_on, "Exit with 1 if there are regressions of these kinds")
        .one_of(names_to_fail_on())
        .comma_separated();
    command.add_option(
        "--allow GLOB", options.allowed,
        "List regressions in channels of such names, such as candidate*, as allowed: they do not "
        "fail");
    command.add_option("-p,--package", options.packages, "Only this package");
    command.add_option(
        "--installed FILE", options.installed,
        "Only regressions for these installed bundles: a file with one BUNDLE, BUNDLE@VERSION or "
        "PACKAGE@VERSION per line; - for standard input");
    command.add_choice(
        "--olm", options.olm, {OlmGeneration::classic, OlmGeneration::v1},
        "Regressions for users of this OLM: classic or v1 (default: of both; upgrades are those "
        "of classic)");
    command.add_flag("--fragment", options.fragment,
                     "NEW is a part of a catalog: compare only the packages in it");
    add_allow_empty_flag(command, options.allow_empty, session);
    add_image_flags(command, options.images);
    add_template_flags(command, options.templates);
    command.footer("Examples:\n"
                   "  opcat diff main:catalog catalog\n"
                   "  opcat diff HEAD~1 HEAD -- catalog\n"
                   "  opcat diff --changed-since origin/main --fail-on any\n"
                   "  opcat diff OLD NEW -o markdown --fail-on stranded,ambiguous > comment.md\n"
                   "  opcat diff main:catalog catalog -o html > changes.html\n"
                   "  opcat diff OLD NEW --fail-on any --allow 'candidate*' --installed versions.txt\n"
                   "  opcat diff --fragment registry.example/index:v4.20 fragment/");
}

} // namespace opcat
