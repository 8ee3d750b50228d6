#include "catalog/several_catalogs.hpp"

#include "catalog/finding.hpp"
#include "support/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace opcat {
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

} // namespace

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

} // namespace opcat
