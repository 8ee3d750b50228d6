#include "opcat/base/diagnostic.hpp"

#include "opcat/base/colours.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <tuple>

namespace opcat {
namespace {

// The number of bytes that satisfy `is` (without branches). Counted in lanes of one byte, of which compilers
// make vector instructions, and which are emptied before they overflow.
template <typename Is>
uint32_t count_bytes(std::string_view text, Is is) {
    constexpr size_t lanes = 32;
    uint32_t count = 0;
    size_t at = 0;
    while (text.size() - at >= lanes) {
        std::array<uint8_t, lanes> counts{};
        const size_t rounds = std::min<size_t>((text.size() - at) / lanes, UINT8_MAX);
        for (size_t round = 0; round < rounds; ++round, at += lanes)
            for (size_t i = 0; i < lanes; ++i)
                counts[i] = static_cast<uint8_t>(counts[i] + static_cast<uint8_t>(is(text[at + i])));
        count = std::accumulate(counts.begin(), counts.end(), count);
    }
    return count +
           static_cast<uint32_t>(std::count_if(text.begin() + static_cast<ptrdiff_t>(at), text.end(), is));
}

} // namespace

SourceFile::SourceFile(std::string path, std::string_view bytes)
    : path_(std::move(path)), size_(bytes.size()) {
    const auto buffer = std::make_shared_for_overwrite<char[]>(size_ + padding);
    std::copy(bytes.begin(), bytes.end(), buffer.get()); // which may be none, unlike with memcpy
    std::memset(buffer.get() + size_, 0, padding);
    buffer_ = buffer;
}

SourceFile::SourceFile(std::string path, std::shared_ptr<const char[]> buffer, size_t size)
    : path_(std::move(path)), buffer_(std::move(buffer)), size_(size) {}

SourceFile::Counts SourceFile::count(std::string_view text, Counts before) {
    const auto is_line_break = [](char c) { return c == '\n'; };
    const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
    return {before.line_breaks + count_bytes(text, is_line_break),
            before.characters + count_bytes(text, begins_character)};
}

const std::vector<SourceFile::Counts>& SourceFile::counts() const {
    std::call_once(counted_, [this] {
        counts_.reserve(size_ / block + 1);
        counts_.push_back({});
        for (size_t at = 0; at + block <= size_; at += block)
            counts_.push_back(count(bytes().substr(at, block), counts_.back()));
    });
    return counts_;
}

SourceFile::Counts SourceFile::counts_before(size_t offset) const {
    const size_t in_block = offset % block;
    return count(bytes().substr(offset - in_block, in_block), counts()[offset / block]);
}

size_t SourceFile::end_of_line(uint32_t number) const {
    // The line break is in the last block with fewer before it.
    const auto next =
        std::lower_bound(counts().begin(), counts().end(), number,
                         [](const Counts& c, uint32_t breaks) { return c.line_breaks < breaks; });
    size_t at = static_cast<size_t>(next - counts().begin() - 1) * block;
    for (uint32_t breaks = std::prev(next)->line_breaks;; ++at) {
        at = bytes().find('\n', at);
        if (at == bytes().npos || ++breaks == number) return std::min(at, size_);
    }
}

Position SourceFile::position(uint32_t offset) const {
    offset = std::min(offset, static_cast<uint32_t>(size_));
    const Counts before = counts_before(offset);
    const size_t line_start = before.line_breaks == 0 ? 0 : end_of_line(before.line_breaks) + 1;
    const uint32_t column = before.characters - counts_before(line_start).characters + 1;
    const bool after_mark = line_start == 0 && column > 1 && bytes().starts_with("\xef\xbb\xbf");
    return {before.line_breaks + 1,
            after_mark ? column - 1 : column}; // editors do not show a byte order mark
}

std::string_view SourceFile::line(uint32_t number) const {
    if (number == 0) return {};
    const size_t begin = number == 1 ? 0 : end_of_line(number - 1) + 1;
    if (begin > size_) return {};
    std::string_view text = bytes().substr(begin, end_of_line(number) - begin);
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
}

namespace {

// A character for display: a tab as one blank, control characters, hidden ones and bytes that are not UTF-8
// as
// '?'.
struct Shown {
    std::string_view text;
    size_t columns;
};

// The number of bytes at the beginning of a text, or at its end, that fill more than `columns`; of a narrower
// text, all. It may be too large, because a character has up to four bytes; for ASCII it is exact.
size_t bytes_beyond(size_t columns, std::string_view text, bool from_end) {
    const size_t ascii = std::min(text.size(), columns + 1);
    const std::string_view part = from_end ? text.substr(text.size() - ascii) : text.substr(0, ascii);
    return is_ascii(part) ? ascii : std::min(text.size(), (columns + 1) * 4);
}

std::vector<Shown> shown(std::string_view text) {
    std::vector<Shown> characters;
    for (const std::string_view c : utf8_characters(text)) {
        if (c == "\t")
            characters.push_back({" ", 1});
        else if (is_control(c) || is_hidden(c))
            characters.push_back({"?", 1});
        else
            characters.push_back({c, display_width(c)});
    }
    return characters;
}

size_t columns_of(std::span<const Shown> characters) {
    return std::accumulate(characters.begin(), characters.end(), size_t{0},
                           [](size_t sum, const Shown& c) { return sum + c.columns; });
}

// The quoted line must stay one line of a terminal; a long one is cut around the mark.
std::string quote_line(const Location& where, unsigned width, const Colours& c) {
    constexpr unsigned widest = 400; // without a known width: JSON often is on a single line
    constexpr unsigned narrowest = 20;
    const uint32_t number = where.file->position(where.offset).line;
    const std::string gutter = fmt::format("{:>5} | ", number);
    const size_t room =
        std::max<size_t>(width == 0 ? widest : width, gutter.size() + narrowest) - gutter.size();

    const std::string_view line = where.file->line(number);
    const char* const bytes = where.file->bytes().data();
    const size_t mark =
        std::min<size_t>(line.size(), std::max<ptrdiff_t>(0, bytes + where.offset - line.data()));
    // Reads only the part of a long line that may be shown: a file of one line may have thousands of
    // findings.
    size_t begin = mark - bytes_beyond(room, line.substr(0, mark), true);
    while (begin < mark && begin > 0 && (static_cast<unsigned char>(line[begin]) & 0xc0) == 0x80) ++begin;
    const std::vector<Shown> before = shown(line.substr(begin, mark - begin));
    const std::string_view rest = line.substr(mark, bytes_beyond(room, line.substr(mark), false));
    const std::vector<Shown> after = shown(rest);
    const size_t marked = utf8_characters(rest.substr(0, where.length)).size();

    size_t indent = columns_of(before);
    size_t all = indent + columns_of(after);
    size_t first = 0;
    if (all > room && indent > room / 2) {
        for (; indent > room / 3 && all > room; ++first) {
            indent -= before[first].columns;
            all -= before[first].columns;
        }
    }
    std::string text;
    for (const Shown& character : std::span(before).subspan(first)) text += character.text;
    size_t columns = indent;
    size_t marks = 0;
    for (size_t i = 0; i < after.size() && columns + after[i].columns <= room; ++i) {
        text += after[i].text;
        columns += after[i].columns;
        if (i < marked) marks += after[i].columns;
    }
    return fmt::format("{}{}\n      | {}{}^{}{}\n", gutter, text, std::string(indent, ' '), c.bold_green,
                       std::string(marks > 1 ? marks - 1 : 0, '~'), c.reset);
}

constexpr size_t label = std::string_view("  note: ").size();

// `text`, which begins after `before` columns, in lines that fit the terminal. Lines after the first begin
// below the labels of notes.
std::string wrapped(const std::string& text, size_t before, const DiagnosticStyle& style) {
    constexpr size_t narrowest = 40;
    if (style.width == 0) return text;
    const size_t width = std::max<size_t>(style.width, narrowest) - label;
    // The first line has room for less, or for more: the first word stays even if it does not fit.
    const std::string placeholder(before > label ? before - label - 1 : 0, '.');
    const std::string lines = wrap(placeholder.empty() ? text : placeholder + " " + text, width, label);
    return placeholder.empty() ? lines : lines.substr(std::min(placeholder.size() + 1, lines.size()));
}

} // namespace

std::string_view text_of(const Location& where) {
    return where.file->bytes().substr(where.offset, where.length);
}

std::string_view to_string(Severity severity) {
    switch (severity) {
    case Severity::error:
        return "error";
    case Severity::warning:
        return "warning";
    case Severity::note:
        return "note";
    }
    return {};
}

namespace {

void cut(std::string& text) {
    if (text.size() <= Diagnostics::longest) return;
    size_t end = Diagnostics::longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    text.resize(end);
    text += "…";
    text.shrink_to_fit();
}

} // namespace

void Diagnostics::push_back(Diagnostic finding) {
    if (size() >= bound_at_) bound();
    cut(finding.message);
    cut(finding.help);
    for (Note& note : finding.notes) cut(note.message);
    vector::push_back(std::move(finding));
    ++added_;
}

void Diagnostics::append(Diagnostics more) {
    for (Diagnostic& finding : more) push_back(std::move(finding));
    kept_.insert(kept_.end(), more.kept_.begin(), more.kept_.end());
}

size_t Diagnostics::total() const {
    return std::accumulate(begin(), end(), size_t{0},
                           [](size_t sum, const Diagnostic& d) { return sum + d.count; });
}

void Diagnostics::bound() {
    struct Alike {
        size_t kept = 0;
        Diagnostic* rest = nullptr;
    };
    std::map<std::tuple<const SourceFile*, std::string_view, Severity>, Alike> all;
    const auto is_too_many = [&](Diagnostic& finding) {
        Alike& alike = all[{finding.where.file, finding.rule, finding.severity}];
        if (!finding.is_rest && alike.kept < most) {
            ++alike.kept;
            return false;
        }
        if (alike.rest) {
            alike.rest->count += finding.count;
            return true;
        }
        alike.rest = &finding;
        finding = {.severity = finding.severity,
                   .rule = finding.rule,
                   .message = {},
                   .where = finding.where,
                   .notes = {},
                   .help = {},
                   .fix = {},
                   .count = finding.count,
                   .is_rest = true};
        return false;
    };
    // Places of what stays do not change before all are counted.
    std::vector<bool> goes(size());
    for (size_t i = 0; i < size(); ++i) goes[i] = is_too_many((*this)[i]);
    for (const auto& [key, alike] : all)
        if (alike.rest)
            alike.rest->message = fmt::format("and {} more {} of this rule{}", alike.rest->count,
                                              alike.rest->count == 1 ? "finding" : "findings",
                                              alike.rest->where ? " in this file" : "");
    size_t at = 0;
    std::erase_if(*this, [&](const Diagnostic&) { return goes[at++]; });
    bound_at_ = size() + std::max(size(), roomy);
}

bool has_errors(const Diagnostics& diagnostics) {
    return std::any_of(diagnostics.begin(), diagnostics.end(),
                       [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::string place_of(const Location& where) {
    if (!where) return {};
    const Position at = where.file->position(where.offset);
    return fmt::format("{}:{}:{}", escape_controls(where.file->path()), at.line, at.column);
}

void sort_by_place(Diagnostics& diagnostics) {
    const auto path = [](const Diagnostic& d) {
        return d.where.file ? std::string_view(d.where.file->path()) : std::string_view();
    };
    std::stable_sort(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& a, const Diagnostic& b) {
        if (a.where.file != b.where.file) {
            if (const int order = path(a).compare(path(b)); order != 0) return order < 0;
        }
        return std::tuple(a.where.offset, a.severity) < std::tuple(b.where.offset, b.severity);
    });
    diagnostics.bound();
}

std::string to_text(const Diagnostic& d, const DiagnosticStyle& style) {
    const Colours c = colours(style.colour);
    const std::string_view severity_colour = d.severity == Severity::error     ? c.bold_red
                                             : d.severity == Severity::warning ? c.bold_magenta
                                                                               : c.bold_cyan;
    std::string text;
    const std::string where = d.where ? place_of(d.where) + ":" : std::string();
    if (d.where) text += fmt::format("{}{}{} ", c.bold, where, c.reset);
    const size_t before = display_width(where) + (d.where ? 1 : 0) + to_string(d.severity).size() + 2;
    std::string message = wrapped(fmt::format("{} [{}]", escape_controls(d.message), d.rule), before, style);
    message.insert(message.find_last_not_of(" \n", message.rfind('[') - 1) + 1, c.reset);
    text += fmt::format("{}{}:{} {}{}\n", severity_colour, to_string(d.severity), c.reset, c.bold, message);
    // A line of a binary file would only be noise.
    if (d.where && !is_binary(d.where.file->bytes())) text += quote_line(d.where, style.width, c);
    for (const Note& note : d.notes) {
        std::string words = escape_controls(note.message);
        if (note.where) words += " at " + place_of(note.where);
        text += fmt::format("  {}note:{} {}\n", c.bold_cyan, c.reset, wrapped(words, label, style));
    }
    if (!d.help.empty())
        text += fmt::format("  {}help:{} {}\n", c.bold_green, c.reset,
                            wrapped(escape_controls(d.help), label, style));
    return text;
}

} // namespace opcat
