#include "opcat/lint/fixes.hpp"

#include "opcat/document/source_lines.hpp"
#include "opcat/document/stream.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>

namespace opcat {
namespace {

bool is_yaml(const SourceFile* file) {
    return file && !begins_as_json(*file);
}

Location place(const SourceFile& file, size_t begin, size_t end) {
    return {&file, static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin)};
}

// The lines of a document below the line "---".
std::string_view body(std::string_view bytes, const ByteRange& document) {
    const SourceLine first = line_of(bytes, document.begin);
    const size_t begin = first.is_separator() ? std::min(first.next(), document.end) : document.begin;
    return bytes.substr(begin, document.end - begin);
}

} // namespace

Fix remove_copy(const Blob& first, const Blob& copy) {
    if (!is_yaml(first.file) || !is_yaml(copy.file)) return {};
    const std::string_view bytes = copy.file->bytes();
    const ByteRange document = document_of(bytes, copy.value.offset());
    const std::string_view other = first.file->bytes();
    if (body(bytes, document) != body(other, document_of(other, first.value.offset()))) return {};
    return {"remove the copy", {{place(*copy.file, document.begin, document.end), ""}}};
}

Fix remove_item(const SourceFile& file, uint32_t offset, std::string title) {
    const std::string_view bytes = file.bytes();
    const auto line = line_begun_at(bytes, offset);
    if (!is_yaml(&file) || !line || !line->is_item()) return {};
    return {std::move(title), {{place(file, line->begin, end_of_field(bytes, *line)), ""}}};
}

Fix add_entry(const Channel& channel, std::string_view name, std::string_view head) {
    if (!is_yaml(channel.file) || channel.entries.empty()) return {};
    const std::string_view bytes = channel.file->bytes();
    const auto last = line_begun_at(bytes, channel.entries.back().offset);
    if (!last || !last->is_item()) return {};
    const std::string indent(last->text.substr(0, last->indent()));
    const size_t end = end_of_field(bytes, *last);
    const std::string text = fmt::format("{0}- name: {1}\n{0}  replaces: {2}\n", indent, name, head);
    return {fmt::format("add an entry to channel {}", channel.name.text),
            {{place(*channel.file, end, end), end == 0 || bytes[end - 1] != '\n' ? "\n" + text : text}},
            false};
}

namespace {

constexpr size_t most_rounds = 20;
constexpr size_t most_checks = 200;

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

std::string edited(std::string_view text, const std::map<uint32_t, const TextEdit*>& edits) {
    std::string out;
    size_t at = 0;
    for (const auto& [offset, edit] : edits) {
        out += text.substr(at, offset - at);
        out += edit->text;
        at = end_of(*edit);
    }
    out += text.substr(at);
    return out;
}

// A catalog, its findings, and how many of them each file has.
struct State {
    std::unique_ptr<const LoadedCatalog> catalog;
    Diagnostics findings;
    std::map<std::string, size_t> by_file;
};

class Fixer {
public:
    Fixer(const std::function<Diagnostics(const LoadedCatalog&)>& check, bool unsafe, ThreadPool& pool)
        : check_(check), unsafe_(unsafe), pool_(pool) {}

    FixedCatalog run(const LoadedCatalog& catalog) {
        FixedCatalog result;
        state_.findings = check_(catalog);
        if (applicable(state_).empty()) return result;
        // Read again from memory: what cannot be read at all is then left out everywhere.
        state_ = state_of(catalog, {});
        for (size_t round = 0; round < most_rounds; ++round) {
            const std::vector<const Fix*> fixes = applicable(state_);
            if (fixes.empty()) break;
            const size_t applied = apply(fixes);
            if (applied == 0) break;
            result.fixes += applied;
        }
        if (result.fixes == 0) return result;
        std::map<std::string_view, const SourceFile*> before;
        for_each_file(catalog, [&](const SourceFile& file) { before[file.path()] = &file; });
        for_each_file(*state_.catalog, [&](const SourceFile& file) {
            const SourceFile& old = *before.at(file.path());
            if (old.bytes() != file.bytes())
                result.files.push_back({file.path(), std::string(old.bytes()), std::string(file.bytes())});
        });
        return result;
    }

private:
    template <class Take>
    static void for_each_file(const LoadedCatalog& loaded, Take take) {
        for (const auto& storage : loaded.catalog.storage)
            for (const auto& file : storage->files) take(*file);
    }

    // Of the files of a catalog with these edits.
    State state_of(const LoadedCatalog& catalog, const Edits& edits) {
        std::vector<std::unique_ptr<SourceFile>> files;
        for_each_file(catalog, [&](const SourceFile& file) {
            const auto found = edits.find(&file);
            files.push_back(found == edits.end() ? std::make_unique<SourceFile>(file.path(), file.bytes())
                                                 : std::make_unique<SourceFile>(
                                                       file.path(), edited(file.bytes(), found->second)));
        });
        ++checks_;
        State state;
        state.catalog = std::make_unique<const LoadedCatalog>(load_catalog(std::move(files), pool_));
        state.findings = check_(*state.catalog);
        for (const Diagnostic& finding : state.findings)
            if (finding.where) state.by_file[finding.where.file->path()] += finding.count;
        return state;
    }

    std::vector<const Fix*> applicable(const State& state) const {
        std::vector<const Fix*> fixes;
        for (const Diagnostic& finding : state.findings)
            if (finding.fix && (finding.fix.safe || unsafe_)) fixes.push_back(&finding.fix);
        return fixes;
    }

    std::optional<State> with(const std::vector<const Fix*>& fixes, size_t begin, size_t end,
                              size_t& applied) {
        Edits edits;
        applied = 0;
        for (size_t i = begin; i < end; ++i) applied += add(*fixes[i], edits) ? 1 : 0;
        State next = state_of(*state_.catalog, edits);
        // With as many findings as before, one of another rule may have appeared. Termination then follows
        // from the smaller number of fixes.
        const std::pair before(state_.findings.total(), fixes.size());
        if (next.findings.total() > before.first ||
            std::pair(next.findings.total(), applicable(next).size()) >= before)
            return std::nullopt;
        for (const auto& [path, count] : next.by_file) {
            const auto old = state_.by_file.find(path);
            if (count > (old == state_.by_file.end() ? 0 : old->second)) return std::nullopt;
        }
        return next;
    }

    // All of them if that is good, else the better half, and so on: the next round looks for more.
    size_t apply(const std::vector<const Fix*>& fixes) {
        std::vector<std::pair<size_t, size_t>> parts{{0, fixes.size()}};
        while (!parts.empty() && checks_ < most_checks) {
            const auto [begin, end] = parts.front();
            parts.erase(parts.begin());
            size_t applied = 0;
            if (auto next = with(fixes, begin, end, applied)) {
                state_ = *std::move(next);
                return applied;
            }
            if (end - begin < 2) continue;
            const size_t middle = begin + (end - begin) / 2;
            parts.emplace_back(begin, middle);
            parts.emplace_back(middle, end);
        }
        return 0;
    }

    const std::function<Diagnostics(const LoadedCatalog&)>& check_;
    bool unsafe_;
    ThreadPool& pool_;
    State state_;
    size_t checks_ = 0;
};

} // namespace

FixedCatalog fix_catalog(const LoadedCatalog& catalog,
                         const std::function<Diagnostics(const LoadedCatalog&)>& check, bool unsafe,
                         ThreadPool& pool) {
    return Fixer(check, unsafe, pool).run(catalog);
}

} // namespace opcat
