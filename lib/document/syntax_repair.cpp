#include "opcat/document/syntax_repair.hpp"

#include "opcat/base/text.hpp"
#include "opcat/document/json_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace opcat {
namespace {

std::vector<const TextEdit*> pointers(const std::vector<TextEdit>& edits) {
    std::vector<const TextEdit*> all;
    all.reserve(edits.size());
    for (const TextEdit& edit : edits) all.push_back(&edit);
    return all;
}

size_t end_of(const TextEdit& edit) {
    return size_t{edit.where.offset} + edit.where.length;
}

// The place in the file of a byte of the text after edits; nothing inside of new text.
std::optional<size_t> place_before(size_t after, const std::vector<TextEdit>& edits, size_t base) {
    size_t at = base;   // in the file
    size_t written = 0; // after the edits
    for (const TextEdit& edit : edits) {
        const size_t kept = edit.where.offset - at;
        if (after < written + kept) break;
        written += kept;
        if (after < written + edit.text.size()) return std::nullopt;
        written += edit.text.size();
        at = end_of(edit);
    }
    return at + (after - written);
}

// Adds edits of the text that `edits` made; false if they touch what is new.
bool merge(const std::vector<TextEdit>& more, const SourceFile& file, size_t base,
           std::vector<TextEdit>& edits) {
    std::vector<TextEdit> all = edits;
    for (const TextEdit& edit : more) {
        const auto begin = place_before(edit.where.offset, edits, base);
        const auto end = place_before(end_of(edit), edits, base);
        if (!begin || !end || *end - *begin != edit.where.length) return false;
        all.push_back({{&file, static_cast<uint32_t>(*begin), edit.where.length}, edit.text});
    }
    std::sort(all.begin(), all.end(),
              [](const TextEdit& a, const TextEdit& b) { return a.where.offset < b.where.offset; });
    for (size_t i = 1; i < all.size(); ++i)
        if (end_of(all[i - 1]) > all[i].where.offset || all[i - 1].where.offset == all[i].where.offset)
            return false;
    edits = std::move(all);
    return true;
}

// Returns true if a line may end in the '|' or '>' that begins a block of text, in which blanks count.
bool has_block_of_text(std::string_view document) {
    for (std::string_view line : lines_of(document)) {
        line = line.substr(0, std::min(line.find(" #"), line.find("\t#")));
        line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
        line = line.substr(0, line.find_last_not_of("+-0123456789") + 1);
        if (line.ends_with('|') || line.ends_with('>')) return true;
    }
    return false;
}

class Repair {
public:
    Repair(const SourceFile& file, const DocumentRange& range)
        : file_(file), range_(range), text_(file.bytes().substr(range.begin, range.end - range.begin)) {}

    std::optional<Fix> run(Fix fix, const std::function<bool(const Value&)>& is_meant) const {
        constexpr int most_mistakes = 16;
        for (int i = 0; i < most_mistakes; ++i) {
            Diagnostic next;
            Arena arena;
            const SourceFile trial = edited(fix.edits);
            const auto value = read(trial, arena, next);
            if (value && next.message.empty()) {
                if (!is_meant(*value) || !only_indents(fix.edits, *value)) return std::nullopt;
                return fix;
            }
            if (!next.fix || !merge(next.fix.edits, file_, range_.begin, fix.edits)) return std::nullopt;
            if (fix.title.find(next.fix.title) == fix.title.npos) fix.title += ", " + next.fix.title;
        }
        return std::nullopt;
    }

private:
    SourceFile edited(const std::vector<TextEdit>& edits) const {
        return {file_.path(), with_edits(text_, pointers(edits), range_.begin)};
    }

    std::optional<Value> read(const SourceFile& trial, Arena& arena, Diagnostic& problem) const {
        const DocumentRange all{0, static_cast<uint32_t>(trial.bytes().size()), range_.notation};
        return read_document(trial, all, arena, problem);
    }

    // Returns true if the blanks in place of tabs are indentation and nothing else: then other widths mean
    // the same.
    bool only_indents(const std::vector<TextEdit>& edits, const Value& value) const {
        std::vector<TextEdit> wider = edits;
        bool has_tabs = false;
        for (TextEdit& edit : wider) {
            if (text_of(edit.where) != "\t") continue;
            has_tabs = true;
            edit.text += edit.text;
        }
        if (!has_tabs || !has_block_of_text(text_)) return true;
        Arena arena;
        Diagnostic problem;
        const SourceFile trial = edited(wider);
        const auto other = read(trial, arena, problem);
        if (!other || !problem.message.empty()) return false;
        std::string a;
        std::string b;
        append_compact_json(a, value);
        append_compact_json(b, *other);
        return a == b;
    }

    const SourceFile& file_;
    DocumentRange range_;
    std::string_view text_;
};

} // namespace

std::string with_edits(std::string_view text, const std::vector<const TextEdit*>& edits, size_t base) {
    std::string out;
    size_t at = 0;
    for (const TextEdit* edit : edits) {
        const size_t begin = edit->where.offset - base;
        out += text.substr(at, begin - at);
        out += edit->text;
        at = begin + edit->where.length;
    }
    out += text.substr(at);
    return out;
}

void complete_syntax_fix(const DocumentRange& document, Diagnostic& problem,
                         const std::function<bool(const Value&)>& is_meant) {
    if (!problem.fix) return;
    const Repair repair(*problem.where.file, document);
    problem.fix = repair.run(std::move(problem.fix), is_meant).value_or(Fix{});
}

} // namespace opcat
