#include "base/diagnostic.hpp"

#include "base/text.hpp"
#include "base/wrap.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>

namespace opcat {
namespace {

// Both stay readable on a dark and on a light background.
struct Colours {
    std::string_view bold, error, warning, note, help, mark, reset;
};
constexpr Colours no_colours{};
constexpr Colours ansi_colours{"\x1b[1m",    "\x1b[1;31m", "\x1b[1;35m", "\x1b[1;36m",
                               "\x1b[1;32m", "\x1b[1;32m", "\x1b[0m"};

// A character as it is shown: tabs as one blank, what would command the terminal or is no UTF-8 as '?'.
struct Shown {
    std::string_view text;
    size_t columns;
};

std::vector<Shown> shown(std::string_view text) {
    std::vector<Shown> characters;
    for (const std::string_view c : utf8_characters(text)) {
        if (c == "\t")
            characters.push_back({" ", 1});
        else if (is_control(c))
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

// The quoted line is one line of a terminal whatever the file holds, and a long one is cut around the mark.
std::string quote_line(const Location& where, unsigned width, const Colours& colours) {
    constexpr unsigned widest = 400; // where nobody says how wide: JSON often is all on one line
    constexpr unsigned narrowest = 20;
    const uint32_t number = where.file->position(where.offset).line;
    const std::string gutter = fmt::format("{:>5} | ", number);
    const size_t room =
        std::max<size_t>(width == 0 ? widest : width, gutter.size() + narrowest) - gutter.size();

    const std::string_view line = where.file->line(number);
    const char* const bytes = where.file->bytes().data();
    const size_t mark =
        std::min<size_t>(line.size(), std::max<ptrdiff_t>(0, bytes + where.offset - line.data()));
    // Of a very long line only what may be shown is looked at; a character has at most four bytes.
    size_t begin = mark > room * 4 ? mark - room * 4 : 0;
    while (begin < mark && begin > 0 && (static_cast<unsigned char>(line[begin]) & 0xc0) == 0x80) ++begin;
    const std::vector<Shown> before = shown(line.substr(begin, mark - begin));
    const std::vector<Shown> after = shown(line.substr(mark, room * 4));
    const size_t marked = utf8_characters(line.substr(mark, where.length)).size();

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
    for (const Shown& c : std::span(before).subspan(first)) text += c.text;
    size_t columns = indent;
    size_t marks = 0;
    for (size_t i = 0; i < after.size() && columns + after[i].columns <= room; ++i) {
        text += after[i].text;
        columns += after[i].columns;
        if (i < marked) marks += after[i].columns;
    }
    return fmt::format("{}{}\n      | {}{}^{}{}\n", gutter, text, std::string(indent, ' '), colours.mark,
                       std::string(marks > 1 ? marks - 1 : 0, '~'), colours.reset);
}

constexpr size_t label = std::string_view("  note: ").size();

// `text`, which stands behind `before` columns of its line, in lines that fit the terminal. Lines after the
// first begin below the labels of notes.
std::string wrapped(const std::string& text, size_t before, const DiagnosticStyle& style) {
    constexpr size_t narrowest = 40;
    if (style.width == 0) return text;
    const size_t width = std::max<size_t>(style.width, narrowest) - label;
    // The first line has room for less, or for more: a word in place of what stands before counts as well.
    const std::string placeholder(before > label ? before - label - 1 : 0, '.');
    const std::string lines = wrap(placeholder.empty() ? text : placeholder + " " + text, width, label);
    return placeholder.empty() ? lines : lines.substr(std::min(placeholder.size() + 1, lines.size()));
}

} // namespace

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
}

std::string to_text(const Diagnostic& d, const DiagnosticStyle& style) {
    const Colours& c = style.colour ? ansi_colours : no_colours;
    const std::string_view severity_colour = d.severity == Severity::error     ? c.error
                                             : d.severity == Severity::warning ? c.warning
                                                                               : c.note;
    std::string text;
    const std::string where = d.where ? place_of(d.where) + ":" : std::string();
    if (d.where) text += fmt::format("{}{}{} ", c.bold, where, c.reset);
    const size_t before = display_width(where) + (d.where ? 1 : 0) + to_string(d.severity).size() + 2;
    std::string message = wrapped(fmt::format("{} [{}]", escape_controls(d.message), d.rule), before, style);
    message.insert(message.find_last_not_of(" \n", message.rfind('[') - 1) + 1, c.reset);
    text += fmt::format("{}{}:{} {}{}\n", severity_colour, to_string(d.severity), c.reset, c.bold, message);
    if (d.where) text += quote_line(d.where, style.width, c);
    for (const Note& note : d.notes) {
        std::string words = escape_controls(note.message);
        if (note.where) words += " at " + place_of(note.where);
        text += fmt::format("  {}note:{} {}\n", c.note, c.reset, wrapped(words, label, style));
    }
    if (!d.help.empty())
        text +=
            fmt::format("  {}help:{} {}\n", c.help, c.reset, wrapped(escape_controls(d.help), label, style));
    return text;
}

} // namespace opcat
