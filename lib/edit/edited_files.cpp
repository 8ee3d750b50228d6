#include "opcat/edit/edited_files.hpp"

#include "opcat/base/directories.hpp"
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

// Returns true if a file is to be edited: a document may be of the package.
bool has_package(const EditedText& text, std::string_view package) {
    return package.empty() || std::ranges::any_of(text.documents(), [&](const Value& document) {
               const std::string_view of = BlobText{document, 0}.package();
               return of == package || of.empty();
           });
}

} // namespace

EditedFiles::~EditedFiles() = default;

void EditedFiles::add_file(const EditedReference& named) {
    const std::string& path = named.path;
    const auto& create = named.create;
    std::error_code failed;
    const fs::file_status status = fs::status(path, failed);
    const bool is_empty = fs::is_regular_file(status) && fs::file_size(path, failed) == 0;
    const bool is_new = !fs::exists(status) || is_empty;
    if (is_new && !create)
        throw RequestError(fmt::format("{} {}", path, is_empty ? "is empty" : "does not exist"),
                           "correct its name, or make it: --create basic, semver or catalog");
    std::vector<EditedText> texts;
    if (is_new)
        texts.emplace_back(std::make_shared<SourceFile>(
            path, new_file(create->kind, create->package, create->default_channel)));
    else
        texts.emplace_back(read_file(path, path, SourceFile::max_size, &memory_, &pool_));
    edit_.catalogs.emplace_back(path, std::move(texts), is_new);
}

void EditedFiles::drop_others(size_t first, std::string_view package) {
    for (size_t i = edit_.catalogs.size(); i-- > first;) {
        const auto packages = edit_.catalogs[i].packages();
        if (package.empty() || std::ranges::find(packages, package) != packages.end()) continue;
        edit_.catalogs.erase(edit_.catalogs.begin() + static_cast<ptrdiff_t>(i));
    }
}

void EditedFiles::add_directory(const std::string& path, std::string_view package, bool may_lack_package) {
    const CatalogListing listing = walk_catalog_directory(path, {}, {}, Links::within_root, Git::skip);
    if (!listing.problems.empty())
        throw Error(fmt::format("cannot edit {}: {}", path, listing.problems.front().message));
    std::vector<std::optional<EditedText>> texts(listing.files.size());
    std::vector<std::string> unreadable(listing.files.size());
    pool_.for_each(texts.size(), [&](size_t i) {
        const fs::path& of_file = listing.files[i].path;
        std::shared_ptr<const SourceFile> file =
            read_file(of_file, of_file.string(), SourceFile::max_size, &memory_, &pool_);
        const bool names_package = file->bytes().find(package) != std::string_view::npos;
        try {
            texts[i].emplace(std::move(file));
        } catch (const Error& error) {
            if (names_package) throw;
            unreadable[i] = error.what();
        }
    });
    std::vector<EditedText> of_catalog;
    OtherFiles& others = others_.emplace_back(OtherFiles{path, {}, {}});
    const size_t before = edit_.catalogs.size();
    for (size_t i = 0; i < texts.size(); ++i) {
        std::optional<EditedText>& text = texts[i];
        if (!text) {
            if (others.unreadable.empty()) others.unreadable = unreadable[i];
            continue;
        }
        if (std::ranges::all_of(text->documents(), &Value::is_null)) continue;
        if (!template_kind_of(*text)) {
            (has_package(*text, package) ? of_catalog : others.texts).push_back(*std::move(text));
            continue;
        }
        std::string name = text->file().path();
        std::vector<EditedText> alone;
        alone.push_back(*std::move(text));
        edit_.catalogs.emplace_back(std::move(name), std::move(alone));
    }
    if (!of_catalog.empty()) edit_.catalogs.emplace_back(path, std::move(of_catalog));
    drop_others(before, package); // a file may only mention it
    if (edit_.catalogs.size() == before && !may_lack_package)
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
        const size_t before = edit_.catalogs.size();
        if (fs::is_directory(named.path, failed))
            add_directory(named.path, package, named.if_it_has_package);
        else
            add_file(named);
        if (named.if_it_has_package) drop_others(before, package);
    }
    std::set<fs::path> files;
    for (const CatalogText& catalog : edit_.catalogs)
        for (const EditedText& text : catalog.texts()) {
            std::error_code failed;
            const std::string& path = text.file().path();
            if (!files.insert(fs::weakly_canonical(path, failed)).second)
                throw RequestError(fmt::format("{} is named twice", path),
                                   "name it, or the directory that it is in");
        }
    if (edit_.catalogs.empty())
        throw RequestError(package.empty()
                               ? "nothing is to be edited"
                               : fmt::format("no catalog or template has the package {}", package),
                           "name the files with --in");
}

const std::vector<FileChange>& EditedFiles::changes() {
    if (changes_) return *changes_;
    changes_.emplace();
    for (const CatalogText& catalog : edit_.catalogs) {
        const std::vector<NewText>& after = after_.emplace_back(catalog.after());
        for (size_t i = 0; i < after.size(); ++i) {
            const SourceFile& before = catalog.texts()[i].file();
            if (after[i].file.get() == &before) continue;
            changes_->push_back({before.path(), catalog.is_new() ? std::string_view() : before.bytes(),
                                 after[i].file->bytes(), catalog.is_new()});
        }
    }
    return *changes_;
}

std::vector<Proof> EditedFiles::prove(std::span<const RegressionKind> intended) {
    changes();
    OpenOptions options;
    options.templates = TemplateUse{};
    std::vector<Proof> proofs;
    for (size_t i = 0; i < edit_.catalogs.size(); ++i) {
        const CatalogText& catalog = edit_.catalogs[i];
        if (!catalog.is_changed()) continue;
        const auto open = [&](LoadedCatalog& loaded) {
            open_template(loaded, catalog.path(), options, pool_);
        };
        const auto others = std::ranges::find(others_, catalog.path(), &OtherFiles::path);
        const OtherFiles none;
        proofs.push_back(
            edit::prove(catalog, after_[i], others == others_.end() ? none : *others, open, intended, pool_));
    }
    return proofs;
}

void EditedFiles::require_writable() {
    for (const FileChange& change : changes()) opcat::require_writable(change.path);
}

void EditedFiles::write() {
    std::vector<std::unique_ptr<StagedFile>> staged;
    for (const FileChange& change : changes()) {
        if (!change.is_new &&
            read_file(change.path, change.path, SourceFile::max_size, &memory_, &pool_)->bytes() !=
                change.before)
            throw Error(fmt::format("{} was not written: it changed while it was edited", change.path),
                        "run the command again");
        opcat::require_writable(change.path);
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
