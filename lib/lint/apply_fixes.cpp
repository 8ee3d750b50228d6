#include "opcat/lint/apply_fixes.hpp"

#include "opcat/document/syntax_repair.hpp"
#include "opcat/lint/blobs.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/lint/meaning.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

namespace opcat {
namespace {

constexpr size_t most_checks = 200;
// The limit of work for all checks together, in bytes that are read: a large catalog is checked less often.
constexpr size_t most_work = size_t{64} << 20;
constexpr size_t checks_of_all = 20;
constexpr size_t work_of_finding = 64;

// By file and offset.
using Edits = std::map<const SourceFile*, std::map<uint32_t, const TextEdit*>>;

uint32_t end_of(const TextEdit& edit) {
    return edit.where.offset + edit.where.length;
}

// Two insertions at one place overlap, too: their order would be undefined.
bool overlaps(const TextEdit& edit, const std::map<uint32_t, const TextEdit*>& others) {
    const auto next = others.lower_bound(edit.where.offset);
    if (next != others.end() && (next->first == edit.where.offset || next->first < end_of(edit))) return true;
    return next != others.begin() && end_of(*std::prev(next)->second) > edit.where.offset;
}

// Adds the edits of a fix, unless they overlap with those that are there.
bool add(const Fix& fix, Edits& edits) {
    for (const TextEdit& edit : fix.edits)
        if (overlaps(edit, edits[edit.where.file])) return false;
    for (const TextEdit& edit : fix.edits) edits[edit.where.file].emplace(edit.where.offset, &edit);
    return true;
}

std::vector<const TextEdit*> in_order(const std::map<uint32_t, const TextEdit*>& edits) {
    std::vector<const TextEdit*> all;
    all.reserve(edits.size());
    for (const auto& [offset, edit] : edits) all.push_back(edit);
    return all;
}

template <class Take>
void for_each_file(const LoadedCatalog& loaded, Take take) {
    for (const auto& storage : loaded.catalog.storage)
        for (const auto& file : storage->files) take(*file);
}

// The files that some files share packages with, directly or not, and these files themselves.
std::set<const SourceFile*> with_same_packages(const LoadedCatalog& loaded,
                                               std::set<const SourceFile*> files) {
    std::map<std::string_view, std::set<const SourceFile*>> files_of;
    std::map<const SourceFile*, std::set<std::string_view>> packages_of;
    for_each_blob(loaded, [&](const SourceFile* file, std::string_view package) {
        files_of[package].insert(file);
        packages_of[file].insert(package);
    });
    std::vector<const SourceFile*> to_visit(files.begin(), files.end());
    std::set<std::string_view> visited;
    while (!to_visit.empty()) {
        const SourceFile* const file = to_visit.back();
        to_visit.pop_back();
        for (const std::string_view package : packages_of[file]) {
            if (!visited.insert(package).second) continue;
            for (const SourceFile* other : files_of[package])
                if (files.insert(other).second) to_visit.push_back(other);
        }
    }
    return files;
}

// Tracks which pieces of a file's text come from which place of the text before the edits.
class Origins {
public:
    // All of it from the file itself.
    explicit Origins(size_t size) : pieces_{{0, 0}}, size_(size) {}

    // After edits of the text, in the order of their places.
    void apply(const std::vector<const TextEdit*>& edits) {
        std::vector<Piece> next;
        size_t at = 0; // in the text before
        size_t written = 0;
        const auto keep_until = [&](size_t end) {
            for (auto piece = piece_of(at); at < end; ++piece) {
                const size_t stop = std::min(end, piece + 1 == pieces_.end() ? end : (piece + 1)->after);
                next.push_back({written, piece->before + (at - piece->after)});
                written += stop - at;
                at = stop;
            }
        };
        for (const TextEdit* edit : edits) {
            keep_until(edit->where.offset);
            if (!edit->text.empty()) next.push_back({written, before(edit->where.offset)});
            written += edit->text.size();
            at = end_of(*edit);
        }
        keep_until(size_);
        size_ = written;
        if (next.empty()) next.push_back({0, 0});
        pieces_ = std::move(next);
    }

    // The offset in the file, or one near to it for text that is new.
    size_t before(size_t after) const {
        const auto piece = piece_of(after);
        return piece->before + (after - piece->after);
    }

private:
    struct Piece {
        size_t after; // where it begins
        size_t before;
    };

    std::vector<Piece>::const_iterator piece_of(size_t after) const {
        const auto next = std::upper_bound(pieces_.begin(), pieces_.end(), after,
                                           [](size_t at, const Piece& piece) { return at < piece.after; });
        return next == pieces_.begin() ? next : next - 1;
    }

    std::vector<Piece> pieces_;
    size_t size_;
};

// A catalog, its findings, and how many of them each file has.
struct State {
    std::unique_ptr<const LoadedCatalog> catalog;
    Diagnostics findings;
    std::map<std::string, size_t> by_file;
    size_t not_loaded = 0; // errors for which something could not be loaded
    bool passes = false;   // opm takes it
};

class Fixer {
public:
    Fixer(const FixOptions& options, ThreadPool& pool) : options_(options), pool_(pool) {}

    FixedCatalog run(const LoadedCatalog& catalog, const Diagnostics& findings) {
        std::set<const SourceFile*> all;
        for_each_file(catalog, [&](const SourceFile& file) {
            all.insert(&file);
            if (!options_.may_change(file.path())) left_out_.insert(file.path());
            work_left_ += checks_of_all * file.bytes().size();
        });
        work_left_ /= options_.share;
        std::set<const SourceFile*> files;
        for (const Diagnostic& finding : findings) {
            if (!is_wanted(finding) || !all.contains(finding.fix.edits.front().where.file)) continue;
            all_files_ = all_files_ || may_move_blobs(finding);
            for (const TextEdit& edit : finding.fix.edits)
                if (all.contains(edit.where.file)) files.insert(edit.where.file);
        }
        if (files.empty()) return {};
        const auto take_files = [&] {
            if (!all_files_) files = with_same_packages(catalog, std::move(files));
            files_.clear();
            for_each_file(catalog, [&](const SourceFile& file) {
                if (all_files_ || files.contains(&file)) files_.push_back(&file);
            });
        };
        take_files();
        while (true) {
            const bool had_all = all_files_;
            FixedCatalog result = attempt();
            if (all_files_ != had_all) {
                take_files();
                continue;
            }
            // A file that would not be a catalog afterwards stays as it is. The fixes of the other files may
            // depend on it, so all begins again without it.
            const size_t left_out = left_out_.size();
            for (const FixedFile& file : result.files)
                if (!is_good(file)) left_out_.insert(file.path);
            if (left_out_.size() == left_out) return result;
            if (checks_left_ == 0) return {{}, {}, 0, false};
        }
    }

private:
    // Returns true if a fix may bring a blob into another package, of which other files may have blobs, too.
    static bool may_move_blobs(const Diagnostic& finding) {
        constexpr std::string_view names[] = {"schema", "package", "name"};
        const Fix& fix = finding.fix;
        return fix.effect == FixEffect::readable || finding.rule == "field-type" ||
               finding.rule == "unknown-schema" ||
               (fix.effect == FixEffect::key &&
                std::find(std::begin(names), std::end(names), fix.edits.front().text) != std::end(names));
    }

    bool is_wanted(const Diagnostic& finding) const {
        return finding.fix && (finding.fix.safe || options_.unsafe) &&
               std::none_of(finding.fix.edits.begin(), finding.fix.edits.end(), [&](const TextEdit& edit) {
                   return left_out_.contains(edit.where.file->path());
               });
    }

    // A file of nothing but copies may become empty.
    static bool is_good(const FixedFile& file) {
        return file.after.empty() || reads_as_blobs(SourceFile(file.path, file.after));
    }

    FixedCatalog attempt() {
        FixedCatalog result;
        changes_.clear();
        origins_.clear();
        for (const SourceFile* file : files_) origins_.emplace(file->path(), file->bytes().size());
        // Read again from memory: what cannot be read at all is then left out everywhere.
        std::vector<std::unique_ptr<SourceFile>> copies;
        for (const SourceFile* file : files_)
            copies.push_back(std::make_unique<SourceFile>(file->path(), file->bytes()));
        auto first = state_of(std::move(copies), true);
        const bool can_be_read = first.has_value();
        if (first) state_ = *std::move(first);
        while (can_be_read) {
            const std::vector<const Diagnostic*> fixable = applicable(state_);
            if (fixable.empty()) break;
            if (needs_all(fixable)) {
                all_files_ = true;
                return {};
            }
            const size_t applied = apply(fixable);
            if (applied == 0) break;
            result.fixes += applied;
        }
        result.complete = complete_;
        if (result.fixes == 0) return result;
        std::map<std::string_view, const SourceFile*> before;
        for (const SourceFile* file : files_) before[file->path()] = file;
        for_each_file(*state_.catalog, [&](const SourceFile& file) {
            const SourceFile& old = *before.at(file.path());
            if (old.bytes() != file.bytes())
                result.files.push_back({file.path(), std::string(old.bytes()), std::string(file.bytes())});
        });
        std::stable_sort(changes_.begin(), changes_.end(),
                         [](const AppliedChange& a, const AppliedChange& b) {
                             return std::tie(a.path, a.line) < std::tie(b.path, b.line);
                         });
        result.changes = changes_;
        return result;
    }

    // For one check that reads so many bytes; false at the limit of work.
    bool spend(size_t bytes) {
        if (checks_left_ == 0 || bytes > work_left_) {
            complete_ = false;
            checks_left_ = 0;
            return false;
        }
        --checks_left_;
        work_left_ -= bytes;
        return true;
    }

    // Nothing at the limit of work.
    std::optional<State> state_of(std::vector<std::unique_ptr<SourceFile>> files, bool passed) {
        size_t bytes = 0;
        for (const auto& file : files) bytes += file->bytes().size();
        if (!spend(bytes)) return std::nullopt;
        State state;
        state.catalog = std::make_unique<const LoadedCatalog>(load_catalog(std::move(files), pool_));
        state.findings = options_.check(*state.catalog);
        work_left_ -= std::min(work_left_, work_of_finding * state.findings.total());
        for (const Diagnostic& finding : state.findings)
            if (finding.where) state.by_file[finding.where.file->path()] += finding.count;
        for (const Diagnostic& finding : state.catalog->diagnostics)
            state.not_loaded += finding.severity == Severity::error ? 1 : 0;
        // Levels of rules are the user's: opm does not know them.
        state.passes = passed && find_errors(*state.catalog, pool_).empty();
        return state;
    }

    std::vector<const Diagnostic*> applicable(const State& state) const {
        std::vector<const Diagnostic*> fixable;
        for (const Diagnostic& finding : state.findings)
            if (is_wanted(finding)) fixable.push_back(&finding);
        return fixable;
    }
    // Returns true if all files are needed to judge about them.
    bool needs_all(const std::vector<const Diagnostic*>& fixable) const {
        return !all_files_ && std::any_of(fixable.begin(), fixable.end(),
                                          [](const Diagnostic* finding) { return may_move_blobs(*finding); });
    }

    struct Trial {
        State state;
        Edits edits;
        std::vector<const Diagnostic*> applied;
    };

    std::optional<Trial> with(const std::vector<const Diagnostic*>& fixable, size_t begin, size_t end) {
        Trial trial;
        std::map<const SourceFile*, PromisedChanges> promised;
        for (size_t i = begin; i < end; ++i) {
            if (!add(fixable[i]->fix, trial.edits)) continue;
            trial.applied.push_back(fixable[i]);
            for (const TextEdit& edit : fixable[i]->fix.edits)
                count(fixable[i]->fix.effect, promised[edit.where.file]);
        }
        std::vector<std::unique_ptr<SourceFile>> files;
        size_t compared = 0; // in bytes
        bool kept = true;
        for_each_file(*state_.catalog, [&](const SourceFile& file) {
            const auto found = trial.edits.find(&file);
            if (found == trial.edits.end() || found->second.empty()) {
                files.push_back(std::make_unique<SourceFile>(file.path(), file.bytes()));
                return;
            }
            const std::vector<const TextEdit*> edits = in_order(found->second);
            files.push_back(std::make_unique<SourceFile>(file.path(), with_edits(file.bytes(), edits)));
            compared += file.bytes().size();
            kept = kept && changes_only(file, *files.back(), edits, promised[&file]);
        });
        if (!kept) {
            spend(compared + work_of_finding * state_.findings.total());
            return std::nullopt;
        }
        auto next = state_of(std::move(files), state_.passes);
        if (!next || !is_better(*next, fixable.size())) return std::nullopt;
        trial.state = *std::move(next);
        return trial;
    }

    static void count(FixEffect effect, PromisedChanges& promised) {
        promised.texts += effect == FixEffect::text ? 1 : 0;
        promised.keys += effect == FixEffect::key ? 1 : 0;
        promised.less += effect == FixEffect::less ? 1 : 0;
        promised.more += effect == FixEffect::more ? 1 : 0;
        promised.metadata += effect == FixEffect::metadata ? 1 : 0;
    }

    // The order of states is well-founded, so that fixing ends: fewer errors of loading, then fewer findings,
    // then fewer fixes. With as many findings as before, one of another rule may have appeared.
    bool is_better(const State& next, size_t fixes) const {
        if (state_.passes && !next.passes) return false;
        if (next.not_loaded != state_.not_loaded) return next.not_loaded < state_.not_loaded;
        const std::pair before(state_.findings.total(), fixes);
        if (std::pair(next.findings.total(), applicable(next).size()) >= before) return false;
        return std::none_of(next.by_file.begin(), next.by_file.end(), [&](const auto& file) {
            const auto old = state_.by_file.find(file.first);
            return file.second > (old == state_.by_file.end() ? 0 : old->second);
        });
    }

    // All of them if that is good, else the better half, and so on: the next round looks for more.
    size_t apply(const std::vector<const Diagnostic*>& fixable) {
        std::deque<std::pair<size_t, size_t>> parts{{0, fixable.size()}};
        while (!parts.empty() && complete_) {
            const auto [begin, end] = parts.front();
            parts.pop_front();
            if (auto trial = with(fixable, begin, end)) {
                record(*trial);
                state_ = std::move(trial->state);
                return trial->applied.size();
            }
            if (end - begin < 2) continue;
            const size_t middle = begin + (end - begin) / 2;
            parts.emplace_back(begin, middle);
            parts.emplace_back(middle, end);
        }
        return 0;
    }

    // At one of several places of a fix: the title is about all of them.
    static std::string what_happens(const TextEdit& edit, const Fix& fix) {
        const std::string_view old = edit.where.file->bytes().substr(edit.where.offset, edit.where.length);
        constexpr size_t longest = 80; // that is read in a list
        const auto is_long = [](std::string_view text) {
            return text.size() > longest || text.find('\n') != text.npos;
        };
        if (fix.edits.size() == 1 || is_long(old) || is_long(edit.text)) return fix.title;
        if (old.empty()) return fmt::format("insert {}", edit.text);
        if (edit.text.empty()) return fmt::format("remove {}", old);
        return fmt::format("write {} instead of {}", edit.text, old);
    }

    void record(const Trial& trial) {
        std::map<std::string_view, const SourceFile*> before;
        for (const SourceFile* file : files_) before[file->path()] = file;
        for (const Diagnostic* finding : trial.applied) {
            const size_t first = changes_.size();
            for (const TextEdit& edit : finding->fix.edits) {
                const std::string& path = edit.where.file->path();
                const SourceFile& file = *before.at(path);
                const auto line = [&](size_t at) {
                    const size_t offset = std::min(origins_.at(path).before(at), file.bytes().size());
                    return file.position(static_cast<uint32_t>(offset)).line;
                };
                const uint32_t begin = line(edit.where.offset);
                AppliedChange* const last = changes_.size() > first ? &changes_.back() : nullptr;
                if (last && last->path == path && begin <= last->last_line + 1) {
                    last->last_line = std::max(last->last_line, begin);
                    last->what = finding->fix.title;
                } else {
                    changes_.push_back({path, begin, begin, finding->rule, what_happens(edit, finding->fix)});
                }
            }
        }
        for (const auto& [file, edits] : trial.edits)
            if (!edits.empty()) origins_.at(file->path()).apply(in_order(edits));
    }

    const FixOptions& options_;
    ThreadPool& pool_;
    bool all_files_ = false;
    std::vector<const SourceFile*> files_; // as they were
    std::set<std::string> left_out_;       // files that fixes would make no catalogs of
    std::map<std::string, Origins> origins_;
    std::vector<AppliedChange> changes_;
    State state_;
    size_t checks_left_ = most_checks;
    size_t work_left_ = most_work;
    bool complete_ = true;
};

} // namespace

FixedCatalog fix_catalog(const LoadedCatalog& catalog, const Diagnostics& findings, const FixOptions& options,
                         ThreadPool& pool) {
    return Fixer(options, pool).run(catalog, findings);
}

} // namespace opcat
