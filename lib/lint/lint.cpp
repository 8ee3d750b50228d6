#include "opcat/lint/lint.hpp"

#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/lint/rules.hpp"
#include "opcat/lint/schemas.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace opcat {
namespace {

void check_channel_graphs(const PackageIndex& package, Diagnostics& out) {
    for (const Channel* channel : package.channels) check_upgrade_graph(*channel, out);
}

void check_all_properties(const PackageIndex& package, Diagnostics& out) {
    for (const Bundle* bundle : package.bundles) check_properties(*bundle, out);
}

constexpr void (*checks[])(const PackageIndex&,
                           Diagnostics&) = {check_package,        check_channels,     check_channel_graphs,
                                            check_bundles,        check_images,       check_all_properties,
                                            check_skip_ranges,    check_deprecations, check_unknown_fields,
                                            check_property_types, check_icon};

} // namespace

Diagnostics check_catalog(const Catalog& catalog, ThreadPool& pool) {
    const std::vector<PackageIndex> packages = index_packages(catalog);
    // Each check of each package by itself: packages differ much in size.
    std::vector<Diagnostics> found(packages.size() * std::size(checks));
    pool.for_each(found.size(), [&](size_t i) {
        checks[i % std::size(checks)](packages[i / std::size(checks)], found[i]);
    });
    Diagnostics all;
    check_schema_names(catalog, all);
    for (Diagnostics& some : found)
        all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
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

// A catalog that was read from a directory with a catalog in each of several subdirectories, such as v4.14
// and v4.16: at least half of its packages are defined in more than one of them. One finding then says it
// all. Linear.
std::optional<Diagnostic> find_several_catalogs(const Catalog& catalog) {
    std::optional<std::string_view> root;
    for (const Package& package : catalog.packages) {
        if (!package.file) return std::nullopt;
        const std::string_view directory = directory_of(package.file->path());
        root = root ? common_directory(*root, directory) : directory;
    }
    if (!root) return std::nullopt;
    // The subdirectories that define each package.
    std::map<std::string_view, std::set<std::string_view>> packages;
    for (const Package& package : catalog.packages) {
        const std::string_view rest = std::string_view(package.file->path()).substr(root->size());
        const size_t slash = rest.find('/');
        packages[package.name].insert(slash == rest.npos ? std::string_view() : rest.substr(0, slash));
    }
    std::set<std::string_view> catalogs;
    size_t shared = 0;
    for (const auto& [name, directories] : packages) {
        if (directories.size() < 2 || directories.contains({})) continue;
        ++shared;
        catalogs.insert(directories.begin(), directories.end());
    }
    if (shared == 0 || shared * 2 < packages.size()) return std::nullopt;
    const std::string parent(root->empty() ? "." : root->substr(0, root->size() - 1));
    std::string names;
    constexpr size_t most = 3;
    size_t i = 0;
    for (const std::string_view name : catalogs) {
        if (i == most) break;
        if (i > 0) names += i + 1 == catalogs.size() ? " and " : ", ";
        names += name;
        ++i;
    }
    if (catalogs.size() > most) names += fmt::format(" and {} more", catalogs.size() - most);
    return error("several-catalogs", {},
                 fmt::format("{} is not one catalog but holds {}: {}, which define the same {}", parent,
                             counted(catalogs.size(), "catalog"), names,
                             shared == 1 ? "package" : "packages"),
                 fmt::format("check each by itself: opcat validate {}/*", parent));
}

bool is_empty(const LoadedCatalog& loaded) {
    const Catalog& catalog = loaded.catalog;
    return loaded.diagnostics.empty() && catalog.packages.empty() && catalog.channels.empty() &&
           catalog.bundles.empty() && catalog.deprecations.empty() && catalog.others.empty();
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

void add(Diagnostics& all, Diagnostics some) {
    std::move(some.begin(), some.end(), std::back_inserter(all));
}

class Linter {
public:
    // Without schemas, only what opm refuses is looked for.
    Linter(const Schemas* schemas, ThreadPool& pool)
        : schemas_(schemas), pool_(pool), all_rules_(schemas != nullptr) {}

    void run(const LintInput& input) {
        const Catalog& catalog = input.catalog.catalog;
        if (all_rules_) {
            if (is_empty(input.catalog))
                result_.findings.push_back(
                    warning("empty-catalog", {},
                            fmt::format("{} holds no catalog: there is no package, channel or bundle in it",
                                        input.name),
                            "correct the path, or look for an .indexignore file that leaves out too much"));
            // What is wrong in each of them is seen when they are checked one by one.
            if (auto several = find_several_catalogs(catalog)) {
                result_.packages += package_count(catalog);
                result_.findings.push_back(*std::move(several));
                return;
            }
        }
        if (is_only_a_bundle(catalog))
            ++result_.bundles;
        else
            result_.packages += package_count(catalog);
        add(result_.findings, input.catalog.diagnostics);
        add(result_.findings, check_blobs(input.catalog));
        if (all_rules_) add(result_.findings, check_upgrades(input.catalog));
    }

    LintResult result() && {
        if (!all_rules_) std::erase_if(result_.findings, is_not_an_error);
        sort_by_place(result_.findings);
        return std::move(result_);
    }

private:
    Diagnostics check_blobs(const LoadedCatalog& loaded) const {
        const Catalog& catalog = loaded.catalog;
        Diagnostics found = check_catalog(catalog, pool_);
        if (has_errors(loaded.diagnostics) || (all_rules_ && is_only_a_bundle(catalog)))
            drop_consequences(found);
        drop_reported_by_loading(found, loaded.diagnostics);
        if (!all_rules_) return found;
        add(found, check_resolved_properties(catalog, pool_));
        Diagnostics by_schema = schemas_->check(catalog, pool_);
        drop_repeated(by_schema, found);
        add(found, std::move(by_schema));
        add(found, loaded.oddities);
        return found;
    }

    // What did not load seems missing to the checks.
    static void drop_consequences(Diagnostics& found) {
        std::erase_if(found, [](const Diagnostic& finding) {
            const Rule* const rule = find_rule(finding.rule);
            return rule && rule->needs_whole_catalog;
        });
    }

    // Index databases are checked while they are loaded.
    static void drop_reported_by_loading(Diagnostics& found, const Diagnostics& reported) {
        std::erase_if(found, [&](const Diagnostic& one) {
            return !one.where && std::any_of(reported.begin(), reported.end(), [&](const Diagnostic& other) {
                return one.rule == other.rule && one.message == other.message;
            });
        });
    }

    // Where something is refused, that it does not fit its schema either says nothing new.
    static void drop_repeated(Diagnostics& by_schema, const Diagnostics& found) {
        std::set<std::pair<const SourceFile*, uint32_t>> reported;
        for (const Diagnostic& finding : found)
            if (finding.severity == Severity::error || finding.rule == "dependency")
                reported.emplace(finding.where.file, finding.where.offset);
        std::erase_if(by_schema, [&](const Diagnostic& finding) {
            return finding.severity == Severity::warning &&
                   reported.contains({finding.where.file, finding.where.offset});
        });
    }

    // What the upgrade graph means for installed versions. Where something did not load, much would seem
    // missing.
    Diagnostics check_upgrades(const LoadedCatalog& loaded) const {
        if (has_errors(loaded.diagnostics)) return {};
        const UpgradeGraph graph = build_upgrade_graph(loaded.catalog, pool_);
        return check_health(select(graph, {}, {}));
    }

    const Schemas* schemas_;
    ThreadPool& pool_;
    bool all_rules_;
    LintResult result_;
};

} // namespace

LintResult lint(const std::vector<LintInput>& catalogs, const LintOptions& options, ThreadPool& pool) {
    std::optional<Schemas> built_in;
    const Schemas* schemas = nullptr;
    if (options.rules == LintOptions::Rules::all)
        schemas = options.schemas ? options.schemas : &built_in.emplace();
    Linter linter(schemas, pool);
    for (const LintInput& input : catalogs) linter.run(input);
    LintResult result = std::move(linter).result();
    if (options.strict)
        for (Diagnostic& finding : result.findings)
            if (finding.severity == Severity::warning) finding.severity = Severity::error;
    return result;
}

Diagnostics find_errors(const Catalog& catalog, ThreadPool& pool) {
    Diagnostics found = check_catalog(catalog, pool);
    std::erase_if(found, is_not_an_error);
    return found;
}

Diagnostics find_errors(const LoadedCatalog& loaded, ThreadPool& pool) {
    Diagnostics found = loaded.diagnostics;
    std::erase_if(found, is_not_an_error);
    return found.empty() ? find_errors(loaded.catalog, pool) : found;
}

} // namespace opcat
