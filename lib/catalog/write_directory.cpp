#include "catalog/write_directory.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/go_quote.hpp"
#include "base/staged_directory.hpp"
#include "catalog/order.hpp"

#include <fmt/core.h>

namespace opcat {
namespace {

namespace fs = std::filesystem;

void check_is_path_element(std::string_view package) {
    const bool is_element = package != "." && package != ".." && package.find('/') == package.npos &&
                            package.find('\0') == package.npos;
    if (!is_element)
        throw Error(
            fmt::format(
                "cannot write package {} to a directory of its name: the name is no single element of a path",
                go_quote(package)),
            "rename the package, or write one stream instead of a directory");
}

void write_package(const fs::path& root, std::string_view package, Format format, std::string_view text) {
    const fs::path directory = root / package;
    std::error_code failed;
    fs::create_directories(directory, failed);
    if (failed)
        throw Error(fmt::format("cannot make the directory {}: {}", directory.string(), failed.message()));
    write_file(directory / (format == Format::json ? "catalog.json" : "catalog.yaml"), text);
}

} // namespace

void write_catalog_directory(const Catalog& catalog, Format format, const fs::path& root, ThreadPool& pool) {
    std::error_code failed;
    if (fs::exists(root, failed) && !fs::is_empty(root, failed))
        throw Error("cannot write to " + root.string() + ": it is not an empty directory",
                    "what is there would become a part of the catalog: remove it first, or write elsewhere");
    for (const PackageBlobs& package : by_package(catalog)) check_is_path_element(package.package);
    StagedDirectory staged(root);
    std::string_view current;
    std::string text;
    write_catalog(catalog, format, pool, [&](std::string_view package, std::string_view piece) {
        if (package != current && !text.empty()) {
            write_package(staged.path(), current, format, text);
            text.clear();
        }
        current = package;
        text += piece;
    });
    if (!text.empty()) write_package(staged.path(), current, format, text);
    staged.commit();
}

} // namespace opcat
