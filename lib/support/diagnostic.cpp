#include "support/diagnostic.hpp"

#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
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

std::string place(const Location& where) {
    const Position at = where.file->position(where.offset);
    return fmt::format("{}:{}:{}", escape_controls(where.file->path()), at.line, at.column);
}

// The quoted line is one line of a terminal whatever the file holds: tabs are one column, control characters
// are shown as '?', and a long line is cut around the mark.
std::string quote_line(const Location& where, unsigned width, const Colours& colours) {
    const Position at = where.file->position(where.offset);
    const std::string_view line = where.file->line(at.line);
    const std::string gutter = fmt::format("{:>5} | ", at.line);
    const size_t mark_begin = at.column - 1;
    std::vector<std::string_view> characters = utf8_characters(line);
    const size_t marked_bytes = std::min<size_t>(
        where.length, line.data() + line.size() - (where.file->bytes().data() + where.offset));
    size_t mark_length =
        std::max<size_t>(1, utf8_characters(where.file->bytes().substr(where.offset, marked_bytes)).size());

    size_t first = 0;
    size_t last = characters.size();
    if (width > gutter.size() + 20 && characters.size() > width - gutter.size()) {
        const size_t room = width - gutter.size();
        if (mark_begin > room / 2) first = std::min(mark_begin - room / 3, characters.size() - room);
        last = first + room;
        mark_length = std::min(mark_length, std::max<size_t>(1, last - std::min(last, mark_begin)));
    }
    std::string shown;
    size_t indent = 0;
    size_t marks = 0;
    for (size_t i = first; i < last; ++i) {
        const std::string_view c = characters[i];
        const bool control = static_cast<unsigned char>(c[0]) < 0x20 || c[0] == 0x7f;
        const size_t columns = control ? 1 : display_width(c);
        shown += c[0] == '\t' ? std::string_view(" ") : control ? std::string_view("?") : c;
        if (i < mark_begin)
            indent += columns;
        else if (i < mark_begin + mark_length)
            marks += columns;
    }
    return fmt::format("{}{}\n      | {}{}^{}{}\n", gutter, shown, std::string(indent, ' '), colours.mark,
                       std::string(marks > 1 ? marks - 1 : 0, '~'), colours.reset);
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

void sort_by_place(Diagnostics& diagnostics) {
    const auto key = [](const Diagnostic& d) {
        return std::tuple(d.where.file ? std::string_view(d.where.file->path()) : std::string_view(),
                          d.where.offset, d.severity);
    };
    std::stable_sort(diagnostics.begin(), diagnostics.end(),
                     [&](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
}

std::string to_text(const Diagnostic& d, const DiagnosticStyle& style) {
    const Colours& c = style.colour ? ansi_colours : no_colours;
    const std::string_view severity_colour = d.severity == Severity::error     ? c.error
                                             : d.severity == Severity::warning ? c.warning
                                                                               : c.note;
    std::string text;
    if (d.where) text += fmt::format("{}{}:{} ", c.bold, place(d.where), c.reset);
    text += fmt::format("{}{}:{} {}{}{} [{}]\n", severity_colour, to_string(d.severity), c.reset, c.bold,
                        escape_controls(d.message), c.reset, d.rule);
    if (d.where) text += quote_line(d.where, style.width, c);
    for (const Note& note : d.notes) {
        text += fmt::format("  {}note:{} {}", c.note, c.reset, escape_controls(note.message));
        if (note.where) text += fmt::format(" at {}", place(note.where));
        text += '\n';
    }
    if (!d.help.empty()) text += fmt::format("  {}help:{} {}\n", c.help, c.reset, escape_controls(d.help));
    return text;
}

} // namespace opcat
