#include "opcat/lsp/open_catalogs.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/platform.hpp"
#include "opcat/ignore/ignore_rules.hpp"
#include "opcat/ignore/walk.hpp"
#include "opcat/lint/configuration.hpp"
#include "opcat/lsp/field_schemas.hpp"
#include "opcat/template/template.hpp"
#include "opcat/workspace/lookalikes.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace opcat::lsp {

namespace fs = std::filesystem;

namespace {

bool looks_like_template(std::string_view text) {
    constexpr size_t enough = size_t{64} << 10;
    return find_template_kind(first_schema(text.substr(0, enough))).has_value();
}

bool is_below(const fs::path& path, const fs::path& directory) {
    const fs::path relative = path.lexically_relative(directory);
    return !relative.empty() && *relative.begin() != "..";
}

// A catalog is a directory with one for each package, and maybe more levels: the topmost directory in which
// nothing else is.
fs::path root_of(const fs::path& file, const std::vector<std::string>& folders, std::string& problem) {
    fs::path root = file.parent_path();
    for (const std::string& folder : folders) {
        if (!is_below(file, folder)) continue;
        for (fs::path above = root; above != fs::path(folder) && above.has_parent_path();) {
            above = above.parent_path();
            if (!is_like_catalog(above, problem)) break;
            root = above;
        }
    }
    return root;
}

std::optional<std::pair<uint64_t, int64_t>> stamp_of(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return std::nullopt;
    const timespec changed = change_time(found);
    return std::pair(static_cast<uint64_t>(found.st_size),
                     static_cast<int64_t>(changed.tv_sec) * 1'000'000'000 + changed.tv_nsec);
}

// The catalog that a file belongs to, if its directory holds several (v4.14, v4.15).
std::optional<fs::path> one_of_several(const OpenCatalog& catalog, const fs::path& file) {
    std::vector<PackageFile> packages;
    for (const auto& [path, edited] : catalog.analysis->files())
        for (const auto& piece : edited.pieces())
            for (const Package& package : piece->loaded.catalog.packages)
                packages.push_back({package.name, path});
    const auto several = find_several_catalogs(packages);
    if (!several || !is_below(file, several->root)) return std::nullopt;
    return several->root / *file.lexically_relative(several->root).begin();
}

} // namespace

OpenCatalog* OpenCatalogs::find(std::string_view path) const {
    OpenCatalog* best = nullptr;
    for (const auto& catalog : catalogs_) {
        const bool inside = catalog->is_template       ? catalog->root == path && catalog->analysis->has(path)
                            : catalog->only_lookalikes ? fs::path(path).parent_path() == catalog->root
                                                       : is_below(fs::path(path), catalog->root);
        if (inside && (!best || best->root.native().size() < catalog->root.native().size()))
            best = catalog.get();
    }
    return best;
}

OpenCatalogs::Listing OpenCatalogs::listed(const OpenCatalog& catalog) {
    Listing listing;
    const auto add_problem = [&](const fs::path& path, std::string problem) {
        listing.unknown.push_back(path);
        listing.problems.push_back(std::move(problem));
    };
    if (catalog.is_template) return listing; // while it is open, it is what the editor has
    if (catalog.only_lookalikes) {
        std::error_code failed;
        for (fs::directory_iterator entry(catalog.root, failed), end; !failed && entry != end;
             entry.increment(failed)) {
            std::error_code ignored;
            std::string problem;
            if (entry->is_regular_file(ignored) && file_looks_like_catalog(entry->path(), problem))
                listing.files.push_back(entry->path());
            if (!problem.empty()) add_problem(entry->path(), std::move(problem));
        }
        if (failed) add_problem(catalog.root, cannot_list(catalog.root, failed));
        return listing;
    }
    try {
        CatalogListing walked = walk_catalog_directory(catalog.root, {}, {}, Links::within_root, Git::skip);
        for (CatalogFile& file : walked.files)
            // The configuration is opcat's, wherever it is.
            if (file.path.filename() != configuration_file_name)
                listing.files.push_back(std::move(file.path));
        for (WalkProblem& problem : walked.problems)
            add_problem(problem.name.empty() ? catalog.root : catalog.root / problem.name,
                        std::move(problem.message));
    } catch (const Error& error) {
        add_problem(catalog.root, error.what());
    }
    return listing;
}

void OpenCatalogs::note_problems(OpenCatalog& catalog, std::vector<std::string> problems) {
    for (const std::string& problem : problems)
        if (std::find(catalog.problems.begin(), catalog.problems.end(), problem) == catalog.problems.end())
            problems_.push_back(problem);
    catalog.analysis->set_has_all_files(problems.empty());
    catalog.problems = std::move(problems);
}

bool OpenCatalogs::is_incomplete() const {
    return std::any_of(catalogs_.begin(), catalogs_.end(), [](const auto& catalog) {
        return !catalog->problems.empty() || !catalog->settings_problem.empty();
    });
}

std::optional<AnalysisSettings> OpenCatalogs::read_settings(OpenCatalog& catalog) {
    AnalysisSettings settings;
    const auto schemas = std::make_shared<Schemas>();
    Diagnostics problems;
    std::vector<std::unique_ptr<SourceFile>> files; // that problems are in
    std::map<std::string, std::pair<uint64_t, int64_t>> stamps;
    const auto read = [&](const fs::path& path) {
        if (const auto stamp = stamp_of(path.string())) stamps[path.string()] = *stamp;
        files.push_back(read_file(path, path.string()));
        return files.back().get();
    };
    try {
        const FoundConfiguration found = find_configuration_file(catalog.root, folders_);
        for (const PassedOver& file : found.passed_over)
            problems_.push_back(fmt::format("{} is not read: {}", file.file.string(), file.why));
        if (const auto& path = found.file)
            settings.configuration = read_configuration(*read(*path), path->parent_path(), problems);
        for (const auto& schema : settings.configuration.schemas) {
            read(schema.value);
            schemas->add(std::shared_ptr<const SourceFile>(std::move(files.back())), problems);
            files.pop_back();
        }
    } catch (const Error& error) {
        if (std::exchange(catalog.settings_problem, error.what()) != error.what())
            problems_.emplace_back(error.what());
        return std::nullopt;
    }
    catalog.settings_problem.clear();
    for (const auto& [path, stamp] : stamps) catalog.stamps.insert_or_assign(path, stamp);
    for (const Diagnostic& problem : problems)
        problems_.push_back(place_of(problem.where) + ": " + problem.message);
    settings.schemas = schemas;
    return settings;
}

void OpenCatalogs::refresh(OpenCatalog& catalog) {
    std::map<std::string, std::pair<uint64_t, int64_t>> stamps;
    std::vector<std::string> changed;
    Listing listing = listed(catalog);
    for (const fs::path& path : listing.files) {
        const std::string name = path.string();
        const auto stamp = stamp_of(name);
        const OpenCatalog* const own = find(name);
        if (!stamp || (own && own->is_template)) continue;
        stamps[name] = *stamp;
        const auto old = catalog.stamps.find(name);
        const bool is_new = old == catalog.stamps.end() || old->second != *stamp;
        if ((is_new || !catalog.analysis->has(name)) && !open_.contains(name)) changed.push_back(name);
    }
    std::vector<std::string> gone;
    for (const auto& [path, file] : catalog.analysis->files()) {
        const bool is_unknown = std::any_of(
            listing.unknown.begin(), listing.unknown.end(),
            [&, &path = path](const fs::path& place) { return path == place || is_below(path, place); });
        if (is_unknown) {
            // Its old stamp stays.
            if (const auto old = catalog.stamps.find(path); old != catalog.stamps.end()) stamps.insert(*old);
        } else if (!stamps.contains(path) && !open_.contains(path)) {
            gone.push_back(path);
        }
    }
    for (const std::string& path : gone) catalog.analysis->remove(path);
    std::vector<std::unique_ptr<SourceFile>> files(changed.size());
    std::vector<std::string> failures(changed.size());
    FileMemory memory;
    uint64_t most = SourceFile::max_size;
    if (const auto& limit = catalog.analysis->settings().configuration.largest_file) most = limit->value;
    pool_.for_each(files.size(), [&](size_t i) {
        try {
            files[i] = read_file(changed[i], changed[i], most, &memory, &pool_);
        } catch (const Error& error) {
            failures[i] = error.what();
        }
    });
    for (size_t i = 0; i < changed.size(); ++i)
        if (!failures[i].empty()) stamps.erase(changed[i]); // it is tried again
    std::erase(files, nullptr);
    if (!files.empty()) catalog.analysis->put(std::move(files));
    for (std::string& failure : failures)
        if (!failure.empty()) listing.problems.push_back(std::move(failure));
    note_problems(catalog, std::move(listing.problems));
    // Those of settings are kept: read_settings() makes them.
    for (const auto& [path, stamp] : catalog.stamps)
        if (!catalog.analysis->has(path) && !stamps.contains(path)) stamps.emplace(path, stamp);
    catalog.stamps = std::move(stamps);
}

OpenCatalog& OpenCatalogs::load(const fs::path& file) {
    auto catalog = std::make_unique<OpenCatalog>();
    const auto named = std::find_if(named_.begin(), named_.end(),
                                    [&](const std::string& root) { return is_below(file, root); });
    if (named != named_.end()) {
        catalog->root = *named;
    } else {
        std::string problem;
        catalog->root = root_of(file, folders_, problem);
        catalog->only_lookalikes =
            catalog->root == file.parent_path() && !is_like_catalog(catalog->root, problem);
        if (!problem.empty()) problems_.push_back(std::move(problem));
    }
    const auto read = [&] {
        auto settings = read_settings(*catalog);
        if (!settings) settings.emplace().schemas = std::make_shared<const Schemas>();
        catalog->analysis = std::make_unique<CatalogAnalysis>(*std::move(settings), pool_);
        refresh(*catalog);
    };
    read();
    if (const auto one = one_of_several(*catalog, file)) {
        catalog->root = *one;
        catalog->stamps.clear();
        read();
    }
    return *catalogs_.emplace_back(std::move(catalog));
}

CatalogAnalysis* OpenCatalogs::open(const std::string& path, std::string_view text) {
    if (fs::path(path).filename() == configuration_file_name || operator_file_kind(path)) return nullptr;
    if (looks_like_template(text)) return &open_template(path, text);
    OpenCatalog* catalog = find(path);
    // A new file may become something else.
    const bool is_blank = text.find_first_not_of(" \t\r\n-") == text.npos;
    if (catalog && !catalog->analysis->has(path) && !is_blank && !looks_like_catalog(text)) return nullptr;
    if (!catalog) {
        if (!looks_like_catalog(text)) return nullptr;
        catalog = &load(path);
    }
    std::error_code failed;
    // A file that is there and does not belong to the catalog is ignored by it, unless opcat could not look.
    const bool is_ignored = !catalog->analysis->has(path) && fs::exists(path, failed);
    const bool is_unknown = catalog->only_lookalikes || !catalog->problems.empty();
    if (is_ignored && !(is_unknown && looks_like_catalog(text))) return nullptr;
    open_.insert(path);
    catalog->analysis->open(path, text);
    return catalog->analysis.get();
}

CatalogAnalysis& OpenCatalogs::open_template(const std::string& path, std::string_view text) {
    if (OpenCatalog* const other = find(path); other && !other->is_template) other->analysis->remove(path);
    auto known = std::find_if(catalogs_.begin(), catalogs_.end(),
                              [&](const auto& one) { return one->is_template && one->root == path; });
    if (known == catalogs_.end()) {
        auto catalog = std::make_unique<OpenCatalog>();
        catalog->root = path;
        catalog->is_template = true;
        auto settings = read_settings(*catalog);
        if (!settings) settings.emplace().schemas = std::make_shared<const Schemas>();
        catalog->analysis =
            std::make_unique<CatalogAnalysis>(*std::move(settings), pool_, Holds::one_template);
        catalogs_.push_back(std::move(catalog));
        known = catalogs_.end() - 1;
    }
    open_.insert(path);
    (*known)->analysis->open(path, text);
    return *(*known)->analysis;
}

CatalogAnalysis* OpenCatalogs::move_if_changed(const std::string& path) {
    OpenCatalog* const catalog = find(path);
    const EditedFile* const file = catalog ? catalog->analysis->find(path) : nullptr;
    if (!file || file->pieces().empty()) return nullptr;
    const std::string_view beginning = file->pieces().front()->bytes();
    if (!looks_like_catalog(beginning) || looks_like_template(beginning) == catalog->is_template)
        return nullptr;
    const std::string text = file->text();
    open_.erase(path);
    catalog->analysis->remove(path);
    catalog->stamps.erase(path);
    return open(path, text);
}

void OpenCatalogs::close(const std::string& path) {
    if (open_.erase(path) == 0) return;
    OpenCatalog* const catalog = find(path);
    if (!catalog) return;
    if (catalog->is_template) return catalog->analysis->remove(path);
    // Its text may never have been saved.
    catalog->stamps.erase(path);
    if (!stamp_of(path)) {
        catalog->analysis->remove(path);
        return;
    }
    try {
        catalog->analysis->put(read_file(path, path));
        catalog->stamps[path] = *stamp_of(path);
    } catch (const Error& error) {
        problems_.emplace_back(error.what());
    }
}

void OpenCatalogs::look_for_changes() {
    for (const auto& catalog : catalogs_) {
        const bool settings_changed =
            std::any_of(catalog->stamps.begin(), catalog->stamps.end(), [&](const auto& stamp) {
                return !catalog->analysis->has(stamp.first) && stamp_of(stamp.first) != stamp.second;
            });
        const auto configuration = find_configuration_file(catalog->root, folders_).file;
        if (settings_changed || (configuration && !catalog->stamps.contains(configuration->string()))) {
            auto others = catalog->stamps;
            std::erase_if(others, [&](const auto& stamp) { return !catalog->analysis->has(stamp.first); });
            others.swap(catalog->stamps);
            if (auto settings = read_settings(*catalog)) {
                catalog->analysis->change_settings(*std::move(settings));
            } else {
                others.swap(catalog->stamps); // it is tried again
            }
        }
        refresh(*catalog);
    }
}

} // namespace opcat::lsp
