#include "opcat/edit/edited_files.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/ignore/walk.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace opcat::edit {
namespace {

namespace fs = std::filesystem;

EditedPlace open_place(const EditedReference& named) {
    const auto& [reference, create] = named;
    EditedPlace place{.reference = reference, .files = {}, .edited = {}};
    std::error_code failed;
    const fs::file_status status = fs::status(reference, failed);
    if (fs::is_directory(status)) {
        const CatalogListing listing =
            walk_catalog_directory(reference, {}, {}, Links::within_root, Git::skip);
        for (const CatalogFile& file : listing.files)
            place.files.push_back(read_file(file.path, file.path.string()));
        if (!listing.problems.empty())
            throw Error(fmt::format("cannot edit {}: {}", reference, listing.problems.front().message));
        return place;
    }
    place.is_new =
        !fs::exists(status) || (fs::is_regular_file(status) && fs::file_size(reference, failed) == 0);
    if (!place.is_new) {
        place.files.push_back(read_file(reference, reference));
    } else if (create) {
        place.files.push_back(std::make_shared<SourceFile>(
            reference, new_file(create->kind, create->package, create->default_channel)));
    } else {
        throw RequestError(
            fmt::format("{} {}", reference, fs::exists(status) ? "is empty" : "does not exist"),
            "correct its name, or make it: --create basic, semver or catalog");
    }
    return place;
}

std::unique_ptr<SourceFile> copy_of(const SourceFile& file) {
    return std::make_unique<SourceFile>(file.path(), file.bytes());
}

} // namespace

EditedFiles::EditedFiles(const std::vector<EditedReference>& references, std::string_view package,
                         ThreadPool& pool)
    : pool_(pool) {
    for (const EditedReference& named : references) {
        EditedPlace& place = places_.emplace_back(open_place(named));
        const std::string& reference = place.reference;
        const bool is_named = place.files.size() == 1 && place.files.front()->path() == reference;
        std::vector<std::string> problems(place.files.size());
        std::vector<std::optional<CatalogText>> texts(place.files.size());
        pool.for_each(place.files.size(), [&](size_t i) {
            // Of a large directory most files are of other packages.
            const bool may_have = is_named || package.empty() ||
                                  place.files[i]->bytes().find(package) != std::string_view::npos;
            if (may_have) texts[i].emplace(place.files[i]);
        });
        for (std::optional<CatalogText>& text : texts) {
            if (!text) continue;
            const auto packages = text->packages();
            if (!is_named && !package.empty() && std::ranges::find(packages, package) == packages.end())
                continue;
            place.edited.push_back(edit_.files.size());
            edit_.files.push_back(*std::move(text));
        }
        if (place.edited.empty()) throw RequestError(fmt::format("{} has no package {}", reference, package));
    }
}

const std::vector<FileChange>& EditedFiles::changes() {
    if (changes_) return *changes_;
    changes_.emplace();
    for (const EditedPlace& place : places_)
        for (const size_t i : place.edited) {
            const CatalogText& file = edit_.files[i];
            if (!file.text().is_changed()) continue;
            changes_->push_back({file.path(), place.is_new ? "" : std::string(file.text().file().bytes()),
                                 file.text().text(), place.is_new});
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
    for (const EditedPlace& place : places_) {
        const bool is_changed =
            std::ranges::any_of(place.edited, [&](size_t i) { return edit_.files[i].text().is_changed(); });
        if (is_changed)
            proofs.push_back(edit::prove(Source(place.reference, load(place, false)),
                                         Source(place.reference, load(place, true)), intended, pool_));
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
