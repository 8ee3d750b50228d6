#include "opcat/edit/edited_files.hpp"

#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/edit/catalog_text.hpp"
#include "opcat/ignore/walk.hpp"
#include "opcat/lint/configuration.hpp"
#include "opcat/workspace/lookalikes.hpp"

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

fs::path directory_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// Returns true if a file has blobs of packages, or, with `defined`, their olm.package blobs.
bool has_any(const EditedText& text, const std::set<std::string_view>& packages, bool defined = false) {
    return std::ranges::any_of(text.documents(), [&](const Value& document) {
        const BlobText blob{document, 0};
        return packages.contains(blob.package()) && (!defined || blob.schema() == schema::package);
    });
}

std::set<std::string_view> packages_of(const CatalogText& catalog, bool defined = false) {
    std::set<std::string_view> packages;
    for (const BlobText& blob : catalog.all())
        if (!blob.package().empty() && (!defined || blob.schema() == schema::package))
            packages.insert(blob.package());
    return packages;
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
            if (has_package(*text, package))
                of_catalog.push_back(*std::move(text));
            else
                others.texts.push_back(std::make_shared<const EditedText>(*std::move(text)));
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
    join_files();
    if (edit_.catalogs.empty())
        throw RequestError(package.empty()
                               ? "nothing is to be edited"
                               : fmt::format("no catalog or template has the package {}", package),
                           "name the files with --in");
}

bool EditedFiles::is_directory(const CatalogText& catalog) const {
    return std::ranges::find(others_, catalog.path(), &OtherFiles::path) != others_.end();
}

void EditedFiles::join_files() {
    std::vector<CatalogText>& all = edit_.catalogs;
    struct Named {
        fs::path directory; // empty: it is not the file of a catalog
        std::set<std::string_view> packages;
        bool is_met = false;
    };
    std::vector<Named> named(all.size());
    for (size_t i = 0; i < all.size(); ++i)
        if (!all[i].template_kind() && !all[i].is_new() && !is_directory(all[i]))
            named[i] = {directory_of(all[i].texts().front().file().path()).lexically_normal(),
                        packages_of(all[i])};
    const auto shares = [](const auto& one, const auto& other) {
        return std::ranges::any_of(one, [&](std::string_view package) { return other.contains(package); });
    };
    std::set<size_t> joined;
    for (size_t first = 0; first < all.size(); ++first) {
        if (named[first].directory.empty() || named[first].is_met) continue;
        std::vector<size_t> group{first};
        for (size_t i = 0; i < group.size(); ++i)
            for (size_t other = first + 1; other < all.size(); ++other) {
                if (other == group[i] || named[other].is_met ||
                    named[other].directory != named[first].directory ||
                    !shares(named[group[i]].packages, named[other].packages))
                    continue;
                named[other].is_met = true;
                group.push_back(other);
            }
        std::ranges::sort(group);
        std::set<std::string_view> defined;
        size_t blobs = 0;
        for (const size_t i : group) {
            const auto own = packages_of(all[i], true);
            defined.insert(own.begin(), own.end());
            blobs += own.size();
        }
        // If a package is defined twice, they are versions of a catalog.
        if (group.size() == 1 || blobs > defined.size()) continue;
        std::vector<EditedText> texts;
        std::vector<std::string> paths;
        for (const size_t i : group) {
            paths.push_back(all[i].path());
            texts.push_back(std::move(all[i].texts().front()));
            if (i != first) joined.insert(i);
        }
        constexpr size_t most = 3;
        all[first] = CatalogText(listed(paths, most), std::move(texts));
    }
    for (auto i = joined.rbegin(); i != joined.rend(); ++i)
        all.erase(all.begin() + static_cast<ptrdiff_t>(*i));
}

const std::vector<EditedFiles::Neighbour>& EditedFiles::neighbours_in(const fs::path& directory) {
    const auto [found, is_new] = neighbours_.try_emplace(directory);
    std::vector<Neighbour>& all = found->second;
    if (!is_new) return all;
    const auto add_problem = [&](std::string problem) {
        all.push_back({.path = {}, .part = {}, .problem = std::move(problem)});
    };
    std::string problem;
    if (is_like_catalog(directory, problem)) {
        const CatalogListing listing =
            walk_catalog_directory(directory, {}, {}, Links::within_root, Git::skip);
        for (const CatalogFile& file : listing.files)
            if (file.path.filename() != configuration_file_name)
                all.push_back({file.path.string(), file.name.substr(0, file.name.find('/'))});
        for (const WalkProblem& one : listing.problems) add_problem(one.message);
    } else {
        std::error_code failed;
        for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end;
             entry.increment(failed)) {
            std::error_code absent;
            std::string why;
            if (entry->is_regular_file(absent) && file_looks_like_catalog(entry->path(), why))
                all.push_back({entry->path().string(), entry->path().filename().string()});
            if (!why.empty()) add_problem(std::move(why));
        }
        if (failed) problem = cannot_list(directory, failed);
        std::ranges::sort(all, {}, &Neighbour::path);
    }
    if (!problem.empty()) add_problem(std::move(problem));
    pool_.for_each(all.size(), [&](size_t i) {
        Neighbour& one = all[i];
        if (one.path.empty()) return;
        try {
            one.text = std::make_shared<const EditedText>(
                read_file(one.path, one.path, SourceFile::max_size, &memory_, &pool_));
        } catch (const Error& error) {
            one.problem = error.what();
        }
    });
    return all;
}

OtherFiles EditedFiles::neighbours_of(const CatalogText& catalog) {
    OtherFiles others{catalog.path(), {}, {}};
    const auto real = [](const std::string& path) {
        std::error_code failed;
        return fs::weakly_canonical(path, failed);
    };
    std::set<fs::path> own;
    for (const EditedText& text : catalog.texts()) own.insert(real(text.file().path()));
    const std::set<std::string_view> packages = packages_of(catalog);
    const std::set<std::string_view> defined = packages_of(catalog, true);
    std::vector<const Neighbour*> near;
    // What has an olm.package blob of its own is another catalog, such as one for another version of
    // OpenShift.
    std::set<std::string_view> elsewhere;
    for (const Neighbour& one : neighbours_in(directory_of(catalog.texts().front().file().path()))) {
        if (!one.path.empty() && own.contains(real(one.path))) continue;
        near.push_back(&one);
        if (one.text && !template_kind_of(*one.text) && has_any(*one.text, defined, true))
            elsewhere.insert(one.part);
    }
    for (const Neighbour* one : near) {
        if (elsewhere.contains(one->part)) continue;
        if (!one->text) {
            if (others.unreadable.empty()) others.unreadable = one->problem;
        } else if (!template_kind_of(*one->text) && has_any(*one->text, packages)) {
            others.texts.push_back(one->text);
        }
    }
    return others;
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
        const auto known = std::ranges::find(others_, catalog.path(), &OtherFiles::path);
        const OtherFiles others = known != others_.end()    ? *known
                                  : catalog.template_kind() ? OtherFiles()
                                                            : neighbours_of(catalog);
        proofs.push_back(edit::prove(catalog, after_[i], others, open, intended, pool_));
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
