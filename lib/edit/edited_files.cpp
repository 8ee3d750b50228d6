#include "opcat/edit/edited_files.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/edit/catalog_text.hpp"
#include "opcat/ignore/walk.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

namespace opcat::edit {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<SourceFile> copy_of(const SourceFile& file) {
    return std::make_unique<SourceFile>(file.path(), file.bytes());
}

} // namespace

void EditedFiles::add(EditedPlace place, std::vector<EditedText> texts) {
    edit_.catalogs.emplace_back(place.reference, std::move(texts));
    places_.push_back(std::move(place));
}

void EditedFiles::add_file(const EditedReference& named) {
    const std::string& path = named.path;
    const auto& create = named.create;
    std::error_code failed;
    const fs::file_status status = fs::status(path, failed);
    const bool is_empty = fs::is_regular_file(status) && fs::file_size(path, failed) == 0;
    EditedPlace place{.reference = path, .files = {}, .is_new = !fs::exists(status) || is_empty};
    if (!place.is_new)
        place.files.push_back(read_file(path, path));
    else if (create)
        place.files.push_back(std::make_shared<SourceFile>(
            path, new_file(create->kind, create->package, create->default_channel)));
    else
        throw RequestError(fmt::format("{} {}", path, is_empty ? "is empty" : "does not exist"),
                           "correct its name, or make it: --create basic, semver or catalog");
    std::vector<EditedText> texts;
    texts.emplace_back(place.files.front());
    add(std::move(place), std::move(texts));
}

void EditedFiles::drop_others(size_t first, std::string_view package) {
    for (size_t i = places_.size(); i-- > first;) {
        const auto packages = edit_.catalogs[i].packages();
        if (package.empty() || std::ranges::find(packages, package) != packages.end()) continue;
        places_.erase(places_.begin() + static_cast<ptrdiff_t>(i));
        edit_.catalogs.erase(edit_.catalogs.begin() + static_cast<ptrdiff_t>(i));
    }
}

void EditedFiles::add_directory(const std::string& path, std::string_view package, bool may_lack_package) {
    const CatalogListing listing = walk_catalog_directory(path, {}, {}, Links::within_root, Git::skip);
    if (!listing.problems.empty())
        throw Error(fmt::format("cannot edit {}: {}", path, listing.problems.front().message));
    std::vector<std::shared_ptr<const SourceFile>> files(listing.files.size());
    std::vector<std::optional<EditedText>> texts(files.size());
    pool_.for_each(files.size(), [&](size_t i) {
        files[i] = read_file(listing.files[i].path, listing.files[i].path.string());
        // Of a large directory most files are of other packages.
        if (files[i]->bytes().find(package) != std::string_view::npos) texts[i].emplace(files[i]);
    });
    EditedPlace catalog{.reference = path, .files = {}};
    std::vector<EditedText> of_catalog;
    const size_t before = places_.size();
    for (size_t i = 0; i < files.size(); ++i) {
        if (texts[i] && template_kind_of(*texts[i])) {
            std::vector<EditedText> alone;
            alone.push_back(*std::move(texts[i]));
            add({.reference = files[i]->path(), .files = {files[i]}}, std::move(alone));
            continue;
        }
        catalog.files.push_back(files[i]);
        if (texts[i]) of_catalog.push_back(*std::move(texts[i]));
    }
    if (!of_catalog.empty()) add(std::move(catalog), std::move(of_catalog));
    drop_others(before, package); // a file may only mention it
    if (places_.size() == before && !may_lack_package)
        throw RequestError(package.empty() ? fmt::format("{} has no files", path)
                                           : fmt::format("{} has no package {}", path, package));
}

EditedFiles::EditedFiles(const std::vector<EditedReference>& references, std::string_view package,
                         ThreadPool& pool)
    : pool_(pool) {
    std::set<fs::path> seen;
    for (const EditedReference& named : references) {
        std::error_code failed;
        if (named.path == "-" || kind_of(named.path) != ReferenceKind::path)
            throw RequestError(fmt::format("{} cannot be edited", named.path), "name a file or a directory");
        if (!seen.insert(fs::weakly_canonical(named.path, failed)).second)
            throw RequestError(fmt::format("{} is named twice", named.path));
        const size_t before = places_.size();
        if (fs::is_directory(named.path, failed))
            add_directory(named.path, package, named.if_it_has_package);
        else
            add_file(named);
        if (named.if_it_has_package) drop_others(before, package);
    }
    if (places_.empty())
        throw RequestError(package.empty()
                               ? "nothing is to be edited"
                               : fmt::format("no catalog or template has the package {}", package),
                           "name the files with --in");
}

const std::vector<FileChange>& EditedFiles::changes() {
    if (changes_) return *changes_;
    changes_.emplace();
    for (size_t i = 0; i < places_.size(); ++i)
        for (const EditedText& text : edit_.catalogs[i].texts()) {
            if (!text.is_changed()) continue;
            changes_->push_back({text.file().path(),
                                 places_[i].is_new ? "" : std::string(text.file().bytes()), text.text(),
                                 places_[i].is_new});
        }
    return *changes_;
}

LoadedCatalog EditedFiles::load(const EditedPlace& place, bool after) {
    std::vector<std::unique_ptr<SourceFile>> files;
    for (const auto& file : place.files) {
        const auto changed = std::ranges::find(changes(), file->path(), &FileChange::path);
        files.push_back(after && changed != changes().end()
                            ? std::make_unique<SourceFile>(file->path(), changed->after)
                            : copy_of(*file));
    }
    LoadedCatalog loaded = load_catalog(std::move(files), pool_);
    OpenOptions options;
    options.templates = TemplateUse{};
    if (place.files.size() == 1) open_template(loaded, place.reference, options, pool_);
    return loaded;
}

std::vector<Proof> EditedFiles::prove(std::span<const RegressionKind> intended) {
    std::vector<Proof> proofs;
    for (size_t i = 0; i < places_.size(); ++i) {
        if (!edit_.catalogs[i].is_changed()) continue;
        const EditedPlace& place = places_[i];
        const Source before(place.reference, place.is_new ? LoadedCatalog() : load(place, false));
        proofs.push_back(edit::prove(before, Source(place.reference, load(place, true)), intended, pool_));
    }
    return proofs;
}

void EditedFiles::write() {
    std::vector<std::unique_ptr<StagedFile>> staged;
    for (const FileChange& change : changes()) {
        if (!change.is_new && read_file(change.path, change.path)->bytes() != change.before)
            throw Error(fmt::format("{} was not written: it changed while it was edited", change.path),
                        "run the command again");
        if (change.is_new && fs::path(change.path).has_parent_path())
            make_directories(fs::path(change.path).parent_path());
        // The file that a link names is replaced, not the link.
        std::error_code absent;
        const fs::path real = fs::weakly_canonical(change.path, absent);
        staged.push_back(std::make_unique<StagedFile>(absent ? fs::path(change.path) : real));
        staged.back()->write(change.after);
    }
    for (size_t i = 0; i < staged.size(); ++i) {
        try {
            staged[i]->commit(permissions_for(changes()[i].path), true);
        } catch (const Error&) {
            for (size_t written = 0; written < i; ++written) {
                const FileChange& change = changes()[written];
                if (change.is_new)
                    fs::remove(change.path);
                else
                    write_output(change.path, change.before);
            }
            throw;
        }
    }
}

} // namespace opcat::edit
