#include "opcat/base/file.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/ignore/walk.hpp"
#include "opcat/pages/findings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace opcat::pages {
namespace {

// Which files belong together.
class FileGroups {
public:
    explicit FileGroups(size_t files) : above_(files) { std::iota(above_.begin(), above_.end(), size_t{0}); }

    size_t first_of(size_t file) {
        while (above_[file] != file) file = above_[file] = above_[above_[file]];
        return file;
    }
    // The first one of both stays the first.
    void join(size_t a, size_t b) {
        const auto [first, second] = std::minmax({first_of(a), first_of(b)});
        above_[second] = first;
    }

private:
    std::vector<size_t> above_;
};

// By group, the files of each in their order; nothing if some file does not load.
std::optional<std::vector<std::vector<CatalogFile>>> group_by_package(const std::string& directory,
                                                                      LoadOptions options, ThreadPool& pool) {
    const CatalogListing listing =
        walk_catalog_directory(directory, {}, {}, options.follow_links ? Links::follow : Links::within_root,
                               options.skip_git ? Git::skip : Git::walk);
    options.names_only = true;
    std::unordered_map<std::string_view, size_t> indices;
    std::vector<std::string> names;
    for (const CatalogFile& file : listing.files) names.push_back(file.path.string());
    for (size_t i = 0; i < names.size(); ++i) indices.emplace(names[i], i);
    FileGroups groups(names.size());
    std::unordered_map<std::string, size_t> first_of_package;
    std::vector<bool> has_blobs(names.size());
    const Diagnostics problems = load_catalog_in_parts(directory, pool, options, [&](const Catalog& part) {
        for (const OtherBlob& blob : part.others) {
            const size_t file = indices.at(blob.file->path());
            const std::string_view package = blob.schema == schema::package ? blob.name : blob.package;
            groups.join(first_of_package.try_emplace(std::string(package), file).first->second, file);
            has_blobs[file] = true;
        }
    });
    const auto some = std::find(has_blobs.begin(), has_blobs.end(), true);
    if (!listing.problems.empty() || has_errors(problems) || some == has_blobs.end()) return std::nullopt;
    // Alone, files without blobs would be an empty catalog.
    for (size_t i = 0; i < names.size(); ++i)
        if (!has_blobs[i]) groups.join(i, static_cast<size_t>(some - has_blobs.begin()));
    std::vector<std::vector<CatalogFile>> found(names.size());
    for (size_t i = 0; i < names.size(); ++i) found[groups.first_of(i)].push_back(listing.files[i]);
    std::erase_if(found, [](const auto& files) { return files.empty(); });
    return found;
}

// Returns true if what it says, or what it explains, can depend on other packages.
bool is_about_several(const Diagnostic& finding) {
    constexpr std::string_view rules[] = {"package-unknown", "blob-of-no-package", "unknown-schema"};
    return !finding.where || std::ranges::find(rules, finding.rule) != std::end(rules);
}

} // namespace

std::optional<std::vector<PageFinding>> find_in_parts(const std::string& directory,
                                                      const LoadOptions& options, ThreadPool& pool) {
    constexpr uint64_t enough = uint64_t{8} << 20;
    auto groups = group_by_package(directory, options, pool);
    if (!groups) return std::nullopt;
    std::vector<PageFinding> all;
    for (size_t next = 0; next < groups->size();) {
        std::vector<std::unique_ptr<SourceFile>> files;
        uint64_t bytes = 0;
        for (; next < groups->size() && bytes < enough; ++next)
            for (const CatalogFile& file : (*groups)[next]) {
                files.push_back(read_file(file.path, file.path.string()));
                bytes += files.back()->bytes().size();
            }
        const Source part(directory, load_catalog(std::move(files), pool));
        const LintResult result = lint({{part}}, {}, pool);
        if (std::any_of(result.findings.begin(), result.findings.end(), is_about_several))
            return std::nullopt;
        std::vector<PageFinding> some = page_findings(result, part.name());
        std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
}

} // namespace opcat::pages
