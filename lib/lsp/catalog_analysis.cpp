#include "opcat/lsp/catalog_analysis.hpp"

#include "opcat/lint/checks.hpp"
#include "opcat/lint/consequences.hpp"
#include "opcat/lint/parts.hpp"
#include "opcat/lint/selection.hpp"
#include "opcat/lint/split_blobs.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace opcat::lsp {

bool WalkOrder::operator()(std::string_view a, std::string_view b) const {
    // As if the '/' were less than all other characters.
    const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    if (y == b.end()) return false;
    if (x == a.end()) return true;
    if (*x == '/' || *y == '/') return *x == '/' && *y != '/';
    return static_cast<unsigned char>(*x) < static_cast<unsigned char>(*y);
}

void CatalogAnalysis::change_settings(AnalysisSettings settings) {
    settings_ = std::move(settings);
    names_changed_ = true;
    for (const auto& [path, file] : files_) {
        changed_files_.insert(path);
        for (const auto& piece : file.pieces()) {
            new_pieces_.push_back(piece);
            note_packages(*piece);
        }
    }
}

EditedFile& CatalogAnalysis::file_at(const std::string& path) {
    return files_.try_emplace(path, path, holds_).first->second;
}

void CatalogAnalysis::put(std::unique_ptr<SourceFile> file) {
    EditedFile& edited = file_at(file->path());
    take(edited, edited.keep_whole(std::move(file), pool_));
}

void CatalogAnalysis::put(std::vector<std::unique_ptr<SourceFile>> files) {
    std::vector<EditedFile*> edited;
    edited.reserve(files.size());
    for (const auto& file : files) edited.push_back(&file_at(file->path()));
    std::vector<PieceChange> changes(files.size());
    pool_.for_each(files.size(),
                   [&](size_t i) { changes[i] = edited[i]->keep_whole(std::move(files[i]), pool_); });
    for (size_t i = 0; i < changes.size(); ++i) take(*edited[i], changes[i]);
}

void CatalogAnalysis::open(const std::string& path, std::string_view text) {
    EditedFile& file = file_at(path);
    take(file, file.set_text(text, pool_));
}

void CatalogAnalysis::edit(const std::string& path, const Range& range, std::string_view text,
                           Encoding encoding) {
    EditedFile& file = files_.find(path)->second;
    take(file, file.edit(range, text, encoding, pool_));
}

void CatalogAnalysis::remove(std::string_view path) {
    const auto found = files_.find(path);
    if (found == files_.end()) return;
    take(found->second, {found->second.pieces(), {}});
    files_.erase(found);
}

const EditedFile* CatalogAnalysis::find(std::string_view path) const {
    const auto found = files_.find(path);
    return found == files_.end() ? nullptr : &found->second;
}

void CatalogAnalysis::note_packages(const Catalog& catalog) {
    const auto note = [&](std::string_view name) {
        if (!changed_packages_.contains(name)) changed_packages_.emplace(name);
    };
    for (const Package& blob : catalog.packages) note(blob.name);
    for (const Channel& blob : catalog.channels) note(blob.package);
    for (const Bundle& blob : catalog.bundles) note(blob.package);
    for (const Deprecations& blob : catalog.deprecations) note(blob.package);
    names_changed_ = true;
}

void CatalogAnalysis::note_packages(const Piece& piece) {
    note_packages(piece.loaded.catalog);
    for (const auto& stand_in : piece.stand_ins) note_packages(stand_in->loaded.catalog);
}

void CatalogAnalysis::take(const EditedFile& file, const PieceChange& change) {
    changed_files_.insert(file.path());
    for (const auto& piece : change.removed) {
        note_packages(*piece);
        owners_.erase(piece->text);
        changed_texts_.erase(piece->text);
    }
    for (const auto& piece : change.added) {
        note_packages(*piece);
        owners_[piece->text] = {piece, &file};
        new_pieces_.push_back(piece);
    }
    // Such a piece may be the rest of the one before it.
    for (const auto& piece : file.pieces())
        if (!piece->loaded.refused.empty()) changed_texts_.insert(piece->text);
}

std::vector<PackageIndex> CatalogAnalysis::index_changed_packages() const {
    std::vector<PackageIndex> packages;
    std::unordered_map<std::string_view, size_t> positions;
    for (const std::string& name : changed_packages_) {
        positions.emplace(name, packages.size());
        packages.emplace_back().name = name;
    }
    const auto of = [&](std::string_view name) {
        const auto found = positions.find(name);
        return found == positions.end() ? nullptr : &packages[found->second];
    };
    for_each_catalog([&](const Catalog& catalog) { add_to_index(catalog, of); });
    std::erase_if(packages, [](const PackageIndex& package) { return package.is_empty(); });
    return packages;
}

void CatalogAnalysis::check_packages() {
    for (const std::string& name : changed_packages_) {
        const auto texts = texts_of_package_.find(name);
        if (texts == texts_of_package_.end()) continue;
        for (const SourceFile* text : texts->second) {
            // The text may have gone, and another may be where it was.
            const auto owner = owners_.find(text);
            if (owner == owners_.end()) continue;
            owner->second.piece->of_packages.erase(name);
            changed_texts_.insert(text);
        }
        texts_of_package_.erase(texts);
    }
    CheckLimits limits;
    if (const auto& icon = settings_.configuration.largest_icon) limits.largest_icon = icon->value;
    const std::vector<PackageIndex> packages = index_changed_packages();
    std::vector<PackageFindings> found(packages.size());
    pool_.for_each(packages.size(),
                   [&](size_t i) { found[i] = check_package_as_whole(packages[i], limits); });
    for (size_t i = 0; i < packages.size(); ++i) {
        const std::string name(packages[i].name);
        const auto distribute = [&](Diagnostics& from, Diagnostics PackageFindings::*to) {
            for (Diagnostic& finding : from) {
                const auto owner = owners_.find(finding.where.file);
                if (owner == owners_.end()) continue;
                auto [place, is_new] = owner->second.piece->of_packages.try_emplace(name);
                if (is_new) {
                    texts_of_package_[name].push_back(finding.where.file);
                    changed_texts_.insert(finding.where.file);
                }
                (place->second.*to).push_back(std::move(finding));
            }
        };
        distribute(found[i].blobs, &PackageFindings::blobs);
        distribute(found[i].upgrades, &PackageFindings::upgrades);
    }
    changed_packages_.clear();
}

void CatalogAnalysis::check_names_of_schemas() {
    if (!names_changed_) return;
    names_changed_ = false;
    for (const SourceFile* text : texts_with_schema_names_)
        if (const auto owner = owners_.find(text); owner != owners_.end()) {
            owner->second.piece->of_schema_names.clear();
            changed_texts_.insert(text);
        }
    texts_with_schema_names_.clear();
    // Copies of blobs: they are small, and refer to the pieces.
    Catalog all;
    for_each_catalog([&](const Catalog& catalog) { append(all, Catalog(catalog)); });
    Diagnostics found;
    check_schema_names(all, found);
    const std::vector<PackageIndex> packages = index_packages(all);
    check_unknown_packages(packages, all.others, found);
    check_lifecycles(packages, all.others, found);
    for (Diagnostic& finding : found)
        if (const auto owner = owners_.find(finding.where.file); owner != owners_.end()) {
            texts_with_schema_names_.push_back(finding.where.file);
            changed_texts_.insert(finding.where.file);
            owner->second.piece->of_schema_names.push_back(std::move(finding));
        }
}

namespace {

bool has_blobs(const LoadedCatalog& loaded) {
    const Catalog& catalog = loaded.catalog;
    return !catalog.packages.empty() || !catalog.channels.empty() || !catalog.bundles.empty() ||
           !catalog.deprecations.empty() || !catalog.others.empty() || !loaded.refused.empty();
}

} // namespace

void CatalogAnalysis::select(Piece& piece, const Piece* before) const {
    CheckFindings found;
    if (piece.stands_for_itself()) {
        found.blobs = piece.own.properties;
        for (const auto& [name, findings] : piece.of_packages) found.blobs.append(findings.blobs);
        found.blobs.append(piece.of_schema_names);
        found.resolved = piece.own.resolved;
        found.by_schema = piece.own.by_schema;
        found.for_project = piece.own.for_project;
        for (const auto& [name, findings] : piece.of_packages) found.upgrades.append(findings.upgrades);
    }
    Diagnostics all = put_together(piece.loaded, std::move(found), !something_does_not_load_);
    Subjects subjects;
    const Value nothing;
    if (before) {
        const LoadedCatalog* const parts[] = {&before->loaded, &piece.loaded};
        explain_split_blobs(parts, all);
        subjects.add(before->loaded);
        // Levels may be those of a package: that of what is before all blobs is most likely its neighbour's.
        const Location end{before->text, static_cast<uint32_t>(before->bytes().size()), 0};
        subjects.add(
            std::vector<SubjectAt>{{piece.text, {.package = subjects.of(end).package, .value = &nothing}}});
    }
    subjects.add(piece.loaded);
    std::vector<FoundIn> sources;
    sources.push_back(
        {.findings = std::move(all),
         .configuration = &settings_.configuration,
         .remarks = &piece.loaded.remarks,
         .complete = !something_does_not_load_ && !piece.broken && !piece.loaded.bundles_unknown});
    piece.selected = select_findings(std::move(sources), subjects, {.consequences = true}).findings;
    piece.reported.reset();
    piece.about.clear();
    for (const Diagnostic& finding : piece.selected) {
        const Subject subject = explained_subject(finding, subjects);
        piece.about.push_back(
            {std::string(subject.package), subject.value == &nothing ? nullptr : subject.value});
    }
}

void CatalogAnalysis::explain() {
    std::vector<ExplainedFinding> all;
    bool has_causes = false;
    for (const auto& [path, file] : files_)
        for (const auto& piece : file.pieces())
            for (size_t i = 0; i < piece->selected.size(); ++i) {
                has_causes |= static_cast<bool>(piece->selected[i].explains);
                all.push_back({&piece->selected[i], piece->about[i].package, piece->about[i].blob});
            }
    if (has_causes) find_consequences(all);
    auto next = all.begin();
    for (const auto& [path, file] : files_)
        for (const auto& piece : file.pieces()) {
            const auto begin = next;
            next += static_cast<ptrdiff_t>(piece->selected.size());
            const size_t before = piece->reported ? piece->reported->size() : piece->selected.size();
            std::optional<Diagnostics> reported;
            if (std::any_of(begin, next, [](const ExplainedFinding& one) {
                    return one.is_consequence || one.severity != one.finding->severity;
                })) {
                reported.emplace();
                for (auto one = begin; one != next; ++one) {
                    if (one->is_consequence) continue;
                    reported->push_back(*one->finding);
                    reported->back().severity = one->severity;
                }
            }
            if (reported || piece->reported || before != piece->selected.size()) changed_files_.insert(path);
            piece->reported = std::move(reported);
        }
}

void CatalogAnalysis::select_changed() {
    struct Task {
        Piece* piece;
        const Piece* before; // with blobs, in the same file
    };
    std::vector<Task> tasks;
    const bool by_package = !settings_.configuration.overrides.empty();
    for (const SourceFile* text : changed_texts_) {
        const auto owner = owners_.find(text);
        if (owner == owners_.end()) continue;
        Piece& piece = *owner->second.piece;
        changed_files_.insert(owner->second.file->path());
        const Piece* before = nullptr;
        if (by_package || !piece.loaded.refused.empty()) {
            const Pieces& pieces = owner->second.file->pieces();
            auto at = std::find(pieces.begin(), pieces.end(), owner->second.piece);
            while (at != pieces.begin() && !before)
                if (has_blobs((*--at)->loaded)) before = at->get();
        }
        tasks.push_back({&piece, before});
    }
    changed_texts_.clear();
    pool_.for_each(tasks.size(), [&](size_t i) { select(*tasks[i].piece, tasks[i].before); });
}

std::set<std::string> CatalogAnalysis::update() {
    // A piece may have come and gone since.
    std::erase_if(new_pieces_, [&](const auto& piece) {
        const auto owner = owners_.find(piece->text);
        return owner == owners_.end() || owner->second.piece != piece;
    });
    const auto check = [&](size_t i) {
        Piece& piece = *new_pieces_[i];
        piece.own = check_blobs(piece.loaded.catalog, *settings_.schemas, settings_.configuration, pool_);
    };
    // One alone shares its blobs among the threads.
    if (new_pieces_.size() == 1)
        check(0);
    else
        pool_.for_each(new_pieces_.size(), check);
    for (const auto& piece : new_pieces_) changed_texts_.insert(piece->text);
    new_pieces_.clear();
    check_packages();
    check_names_of_schemas();
    const bool fails = !has_all_files_ || std::any_of(owners_.begin(), owners_.end(), [](const auto& owner) {
        return owner.second.piece->broken && owner.second.piece->stands_for_itself();
    });
    if (fails != something_does_not_load_) {
        something_does_not_load_ = fails;
        for (const auto& [text, owner] : owners_) changed_texts_.insert(text);
    }
    select_changed();
    explain();
    return std::exchange(changed_files_, {});
}

namespace {

constexpr std::string_view syntax_rule = "syntax";

bool has_syntax_error(const Piece& piece, std::optional<uint32_t> at) {
    return std::any_of(piece.loaded.diagnostics.begin(), piece.loaded.diagnostics.end(),
                       [&](const Diagnostic& found) {
                           return found.rule == syntax_rule && (!at || found.where.offset == *at);
                       });
}

// A syntax error that loading the whole file would leave out: in JSON all but the first, and one that is at
// the place of another, the separator after the document.
bool is_consequence(const Diagnostic& error, const EditedFile& file, size_t piece) {
    const Pieces& pieces = file.pieces();
    if (file.is_json())
        return std::any_of(pieces.begin(), pieces.begin() + static_cast<ptrdiff_t>(piece),
                           [](const auto& before) { return has_syntax_error(*before, std::nullopt); });
    return error.where.offset == pieces[piece]->bytes().size() && piece + 1 < pieces.size() &&
           has_syntax_error(*pieces[piece + 1], 0);
}

} // namespace

std::vector<const Diagnostic*> CatalogAnalysis::findings(std::string_view path) const {
    std::vector<const Diagnostic*> all;
    const EditedFile* const file = find(path);
    if (!file) return all;
    const Pieces& pieces = file->pieces();
    for (size_t i = 0; i < pieces.size(); ++i)
        for (const Diagnostic& finding : pieces[i]->reported ? *pieces[i]->reported : pieces[i]->selected)
            if (finding.rule != syntax_rule || !is_consequence(finding, *file, i)) all.push_back(&finding);
    return all;
}

std::optional<FileRange> CatalogAnalysis::place_of(const Location& where, Encoding encoding) const {
    const auto owner = owners_.find(where.file);
    if (owner == owners_.end()) return std::nullopt;
    const Piece& piece = *owner->second.piece;
    const auto place = [&](size_t byte) {
        Place found = piece.lines().place(piece.bytes(), byte, encoding);
        found.line += piece.first_line;
        return found;
    };
    const size_t begin = where.offset;
    return FileRange{owner->second.file->path(), {place(begin), place(begin + where.length)}};
}

} // namespace opcat::lsp
