#include "opcat/lint/lint.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/work.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/installed_name.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/lint/configuration.hpp"
#include "opcat/lint/parts.hpp"
#include "opcat/lint/project_checks.hpp"
#include "opcat/lint/rules.hpp"
#include "opcat/lint/schemas.hpp"
#include "opcat/lint/split_blobs.hpp"
#include "opcat/semver/release.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace opcat {
namespace {

void check_all_properties(const PackageIndex& package, Diagnostics& out) {
    for (const Bundle* bundle : package.bundles) check_properties(*bundle, out);
}

// The first one is the only one that looks at blobs one by one.
constexpr void (*checks[])(const PackageIndex&, Diagnostics&) = {
    check_all_properties, check_package,        check_channels,    check_upgrade_graphs,
    check_bundles,        check_images,         check_skip_ranges, check_deprecations,
    check_unknown_fields, check_property_types, check_platforms,   check_image_hosts};

// The way that a skipRange opens depends on the versions of bundles, which unknown ones have in their names.
bool knows_versions(const PackageIndex& package) {
    return std::none_of(package.bundles.begin(), package.bundles.end(), [](const Bundle* bundle) {
        return bundle->is_unknown && !semver::VersionRelease::parse_legacy(version_in_name(bundle->name));
    });
}

// Checks what the upgrade graph means for installed versions.
Diagnostics check_upgrades(const PackageIndex& package) {
    if (!knows_versions(package)) return {};
    UpgradeGraph graph;
    graph.packages.push_back(build_package_graph(package));
    return check_health(select(graph, {}, {}));
}

// Returns the number of steps that check_health takes: for each channel all bundles of the package, and for
// the minor versions before it those of up to 64 other channels.
uint64_t steps_of_upgrades(const PackageIndex& package) {
    uint64_t nodes = package.bundles.size();
    for (const Channel* channel : package.channels)
        for (const ChannelEntry& entry : channel->entries) nodes += 1 + entry.skips.size();
    const uint64_t channels = package.channels.size();
    return nodes * channels * std::min<uint64_t>(channels, 64);
}

Diagnostic too_large(const PackageIndex& package) {
    return error(
        "limit", package.packages.empty() ? Location() : package.packages.front()->start(),
        fmt::format("the upgrades of package \"{}\" are not checked: {} channels of {} bundles are too "
                    "many",
                    package.name, package.channels.size(), package.bundles.size()),
        "divide the package, or remove channels");
}

} // namespace

BlobFindings check_blobs(const Catalog& catalog, const Schemas& schemas, const Configuration& configuration,
                         ThreadPool& pool) {
    BlobFindings found;
    for (const Bundle& bundle : catalog.bundles) check_properties(bundle, found.properties);
    found.resolved = check_resolved_properties(catalog, pool);
    found.by_schema = schemas.check(catalog, pool);
    found.for_project = check_for_project(catalog, configuration);
    return found;
}

PackageFindings check_package_as_whole(const PackageIndex& package, const CheckLimits& limits) {
    PackageFindings found;
    for (const auto check : std::span(checks).subspan(1)) check(package, found.blobs);
    check_icon(package, limits.largest_icon, found.blobs);
    if (Work().take(steps_of_upgrades(package)))
        found.upgrades = check_upgrades(package);
    else
        found.upgrades.push_back(too_large(package));
    return found;
}

Diagnostics check_catalog(const Catalog& catalog, const std::vector<PackageIndex>& packages, ThreadPool& pool,
                          const CheckLimits& limits) {
    // Each check of each package by itself: packages differ much in size.
    constexpr size_t per_package = std::size(checks) + 1;
    std::vector<Diagnostics> found(packages.size() * per_package);
    pool.for_each(found.size(), [&](size_t i) {
        const PackageIndex& package = packages[i / per_package];
        const size_t check = i % per_package;
        if (check == std::size(checks))
            check_icon(package, limits.largest_icon, found[i]);
        else
            checks[check](package, found[i]);
    });
    Diagnostics all;
    check_schema_names(catalog, all);
    check_unknown_packages(packages, catalog.others, all);
    check_lifecycles(packages, catalog.others, all);
    for (Diagnostics& some : found) all.append(std::move(some));
    sort_by_place(all);
    return all;
}

namespace {

// With the '/' at its end.
std::string_view directory_of(std::string_view path) {
    const size_t slash = path.rfind('/');
    return slash == path.npos ? std::string_view() : path.substr(0, slash + 1);
}

std::string_view common_directory(std::string_view a, std::string_view b) {
    const auto [end, ignored] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return directory_of(a.substr(0, static_cast<size_t>(end - a.begin())));
}

std::vector<PackageFile> package_files(const Catalog& catalog) {
    std::vector<PackageFile> files;
    for (const Package& package : catalog.packages) {
        if (!package.file) return {};
        files.push_back({package.name, package.file->path()});
    }
    return files;
}

Diagnostic several_catalogs_finding(const SeveralCatalogs& several) {
    const std::string parent = several.root.empty() ? "." : several.root.substr(0, several.root.size() - 1);
    std::string arguments;
    for (const std::string& directory : several.directories)
        arguments += fmt::format(" {}{}", several.root, directory);
    return error("several-catalogs", {},
                 fmt::format("{} is not one catalog but holds {}: {}, which define the same {}", parent,
                             counted(several.directories.size(), "catalog"), listed(several.directories, 3),
                             several.shared == 1 ? "package" : "packages"),
                 "check each by itself: opcat validate" + arguments);
}

// A bundle directory or image by itself: it gets into a package and a channel later.
bool is_only_a_bundle(const Catalog& catalog) {
    return catalog.packages.empty() && catalog.channels.empty() && catalog.bundles.size() == 1 &&
           !catalog.bundles.front().file;
}

// A package that is defined twice counts once; one that only other blobs name does not count.
size_t package_count(const Catalog& catalog) {
    std::set<std::string_view> names;
    for (const Package& package : catalog.packages) names.insert(package.name);
    return names.size();
}

bool is_not_an_error(const Diagnostic& finding) {
    return finding.severity != Severity::error;
}

// Index databases are checked while they are loaded.
void drop_reported_by_loading(Diagnostics& found, const Diagnostics& reported) {
    std::set<std::pair<std::string_view, std::string_view>> known;
    for (const Diagnostic& one : reported) known.emplace(one.rule, one.message);
    std::erase_if(found, [&](const Diagnostic& one) {
        return !one.where && known.contains({one.rule, one.message});
    });
}

} // namespace

std::optional<SeveralCatalogs> find_several_catalogs(std::span<const PackageFile> packages) {
    if (packages.empty()) return std::nullopt;
    std::string_view root = directory_of(packages.front().file);
    for (const PackageFile& package : packages) root = common_directory(root, directory_of(package.file));
    std::map<std::string_view, std::set<std::string_view>> directories_of;
    for (const PackageFile& package : packages) {
        const std::string_view rest = package.file.substr(root.size());
        const size_t slash = rest.find('/');
        directories_of[package.name].insert(slash == rest.npos ? std::string_view() : rest.substr(0, slash));
    }
    SeveralCatalogs several;
    several.root = root;
    for (const auto& [name, directories] : directories_of) {
        if (directories.size() < 2 || directories.contains({})) continue;
        ++several.shared;
        several.directories.insert(directories.begin(), directories.end());
    }
    if (several.shared == 0 || several.shared * 2 < directories_of.size()) return std::nullopt;
    return several;
}

namespace {

// Drops findings that may be only a consequence: other blobs seem to miss what did not load.
void drop_consequences_of_loading(Diagnostics& found) {
    std::erase_if(found, [](const Diagnostic& finding) {
        const Rule* const rule = find_rule(finding.rule);
        return rule && rule->needs_whole_catalog;
    });
}

// Drops warnings at places of errors: it is not news that a refused value does not fit its schema either.
void drop_repeated_by_schema(Diagnostics& by_schema, const Diagnostics& found) {
    std::set<std::pair<const SourceFile*, uint32_t>> reported;
    for (const Diagnostic& finding : found)
        if (finding.severity == Severity::error || finding.rule == "dependency")
            reported.emplace(finding.where.file, finding.where.offset);
    std::erase_if(by_schema, [&](const Diagnostic& finding) {
        return finding.severity == Severity::warning &&
               reported.contains({finding.where.file, finding.where.offset});
    });
}

} // namespace

Diagnostics put_together(const LoadedCatalog& loaded, CheckFindings found, bool is_whole) {
    if (!is_whole) {
        drop_consequences_of_loading(found.blobs);
        found.upgrades.clear();
    }
    drop_reported_by_loading(found.blobs, loaded.diagnostics);
    found.blobs.append(std::move(found.resolved));
    drop_repeated_by_schema(found.by_schema, found.blobs);
    Diagnostics all = loaded.diagnostics;
    for (Diagnostic& finding : all) finding.hides_others = finding.severity == Severity::error;
    all.append(std::move(found.blobs));
    all.append(std::move(found.by_schema));
    all.append(std::move(found.for_project));
    all.append(loaded.oddities);
    all.append(std::move(found.upgrades));
    return all;
}

namespace {

// Nothing if something did not load, because much would seem missing. A graph lives no longer than its check:
// all together would need more memory than the catalog itself.
Diagnostics check_upgrades(const Source& source, Work& work, ThreadPool& pool) {
    if (has_errors(source.loaded().diagnostics)) return {};
    const std::vector<PackageIndex>& packages = source.packages();
    std::vector<Diagnostics> found(packages.size());
    std::vector<bool> is_checked(packages.size());
    for (size_t i = 0; i < packages.size(); ++i) is_checked[i] = work.take(steps_of_upgrades(packages[i]));
    pool.for_each(packages.size(), [&](size_t i) {
        found[i] = is_checked[i] ? check_upgrades(packages[i]) : Diagnostics{too_large(packages[i])};
    });
    Diagnostics all;
    for (Diagnostics& some : found) all.append(std::move(some));
    return all;
}

// Only what opm refuses.
Diagnostics find_refused(const Source& source, ThreadPool& pool) {
    const LoadedCatalog& loaded = source.loaded();
    Diagnostics found = check_catalog(source.catalog(), source.packages(), pool);
    if (has_errors(loaded.diagnostics)) drop_consequences_of_loading(found);
    drop_reported_by_loading(found, loaded.diagnostics);
    Diagnostics all = loaded.diagnostics;
    all.append(std::move(found));
    std::erase_if(all, is_not_an_error);
    return all;
}

// Findings repeat the names of what they are about, and a name can be as long as the rest of a file.
void find_long_names(const Catalog& catalog, Diagnostics& out) {
    constexpr size_t longest = 4096;
    const auto check = [&](std::string_view name, const Location& where) {
        if (name.size() > longest)
            out.push_back(
                error("limit", where,
                      fmt::format("the catalog is not checked: a name of {} bytes is too long (at most {})",
                                  name.size(), longest),
                      "shorten the name"));
    };
    const auto check_all = [&](const auto& blobs) {
        for (const auto& blob : blobs) {
            check(blob.name, blob.start());
            check(blob.package, blob.start());
        }
    };
    check_all(catalog.packages);
    check_all(catalog.channels);
    check_all(catalog.bundles);
    check_all(catalog.deprecations);
    check_all(catalog.others);
    for (const OtherBlob& other : catalog.others) check(other.schema, other.start());
    for (const Channel& channel : catalog.channels)
        for (const ChannelEntry& entry : channel.entries) check(entry.name, channel.at(entry.offset));
}

Diagnostics find_all(const LintInput& input, const Schemas& schemas, bool explain, Work& work,
                     ThreadPool& pool) {
    const LoadedCatalog& loaded = input.source.loaded();
    const Catalog& catalog = loaded.catalog;
    const Configuration* const configuration = input.configuration;
    CheckLimits limits;
    if (configuration && configuration->largest_icon)
        limits.largest_icon = configuration->largest_icon->value;
    Diagnostics found;
    find_long_names(catalog, found);
    if (!found.empty()) {
        Diagnostics all = loaded.diagnostics;
        all.append(std::move(found));
        return all;
    }
    const bool is_whole = !has_errors(loaded.diagnostics) && !is_only_a_bundle(catalog);
    Diagnostics all = put_together(
        loaded,
        {.blobs = check_catalog(catalog, input.source.packages(), pool, limits),
         .resolved = check_resolved_properties(catalog, pool),
         .by_schema = schemas.check(catalog, pool),
         .for_project = configuration ? check_for_project(catalog, *configuration) : Diagnostics(),
         .upgrades = check_upgrades(input.source, work, pool)},
        is_whole);
    all.append(input.more);
    const LoadedCatalog* const whole = &loaded;
    if (explain) explain_split_blobs({&whole, 1}, all);
    // Blobs with schemas of OLM's that it does not have offer nothing: a misspelled template, for example.
    const bool offers_nothing = catalog.packages.empty() && catalog.channels.empty() &&
                                catalog.bundles.empty() && catalog.deprecations.empty() &&
                                std::ranges::all_of(catalog.others, [](const OtherBlob& blob) {
                                    return blob.schema.text.starts_with("olm.");
                                });
    const bool is_nothing = !has_errors(loaded.diagnostics) && offers_nothing && !loaded.bundles_unknown;
    // If a template has something else in place of its entries, or is misspelled, that is the cause, and the
    // error.
    const auto cause = std::find_if(all.begin(), all.end(), [](const Diagnostic& finding) {
        return finding.rule == "template" || finding.rule == "unknown-schema";
    });
    if (is_nothing && cause != all.end()) {
        cause->severity = Severity::error;
        // An empty catalog may be allowed: then it stays what it was.
        if (configuration && configuration->level_of("empty-catalog", {}, nullptr) == Level::off)
            cause->severity = Severity::warning;
    } else if (is_nothing)
        all.push_back(error("empty-catalog", {},
                            fmt::format("{} is empty: it has neither a package nor a channel nor a bundle",
                                        input.source.name()),
                            "correct the path, or look for an .indexignore file that leaves out too much; "
                            "--allow-empty accepts "
                            "it"));
    return all;
}

} // namespace

LintResult lint(const std::vector<LintInput>& catalogs, const LintOptions& options, ThreadPool& pool) {
    const bool all_rules = options.rules == LintOptions::Rules::all;
    std::optional<Schemas> built_in;
    LintResult result;
    std::vector<FoundIn> found;
    Work work;
    for (const LintInput& input : catalogs) {
        const LoadedCatalog& loaded = input.source.loaded();
        const Catalog& catalog = loaded.catalog;
        if (is_only_a_bundle(catalog))
            ++result.bundles;
        else
            result.packages += package_count(catalog);
        result.sources.push_back(input.source);
        result.subjects.add(loaded);
        FoundIn& of_catalog = found.emplace_back();
        if (!all_rules) {
            of_catalog.findings = find_refused(input.source, pool);
            continue;
        }
        // Mistakes in each of them appear when they are checked one by one.
        if (const auto several = find_several_catalogs(package_files(catalog))) {
            of_catalog.findings.push_back(several_catalogs_finding(*several));
            continue;
        }
        if (!input.schemas && !built_in) built_in.emplace();
        of_catalog = {.findings = find_all(input, input.schemas ? *input.schemas : *built_in,
                                           !options.selection.consequences, work, pool),
                      .configuration = input.configuration,
                      .remarks = &loaded.remarks,
                      .complete = !has_errors(loaded.diagnostics) && !loaded.bundles_unknown,
                      .changed = input.changed};
        result.complete &= !has_errors(loaded.diagnostics);
    }
    SelectionOptions selection = options.selection;
    selection.consequences |= !all_rules;
    static_cast<SelectedFindings&>(result) = select_findings(std::move(found), result.subjects, selection);
    if (!result.complete)
        result.not_checked.push_back({"rules that need a complete catalog", "a part of it does not load"});
    for (const LintInput& input : catalogs) result.findings.keep(input.source.owner());
    return result;
}

Diagnostics find_errors(const Catalog& catalog, ThreadPool& pool) {
    Diagnostics found = check_catalog(catalog, index_packages(catalog), pool);
    std::erase_if(found, is_not_an_error);
    return found;
}

std::string refusal_by_opm(const std::string& reference, const Catalog& catalog, ThreadPool& pool) {
    const Diagnostics errors = find_errors(catalog, pool);
    if (errors.empty()) return {};
    return fmt::format("OLM classic gets nothing of the catalog {}, which opm refuses: {}", reference,
                       on_one_line(errors.front().message));
}

Diagnostics find_errors(const LoadedCatalog& loaded, ThreadPool& pool) {
    Diagnostics found = loaded.diagnostics;
    std::erase_if(found, is_not_an_error);
    return found.empty() ? find_errors(loaded.catalog, pool) : found;
}

} // namespace opcat
