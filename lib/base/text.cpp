#include "opcat/base/text.hpp"

#include "opcat/base/listed.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>
#include <set>
#include <vector>

namespace opcat {
namespace {

struct Range {
    char32_t first, last;
};

// East Asian wide characters and emoji (Unicode 15, merged into blocks; unassigned code points inside do no
// harm).
constexpr Range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},   {0x23f0, 0x23f0},
    {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267f, 0x267f},
    {0x2693, 0x2693},   {0x26a1, 0x26a1},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},
    {0x26ce, 0x26ce},   {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},   {0x2728, 0x2728},
    {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27b0, 0x27b0},   {0x27bf, 0x27bf},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},
    {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97f},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
    {0xffe0, 0xffe6},   {0x16fe0, 0x18aff}, {0x1aff0, 0x1b2ff}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf},
    {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c},
    {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4},
    {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e},
    {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f},
    {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6d7}, {0x1f6dc, 0x1f6df},
    {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7eb}, {0x1f7f0, 0x1f7f0}, {0x1f90c, 0x1f93a},
    {0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};
constexpr Range zero_width[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x0610, 0x061a}, {0x064b, 0x065f},
    {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
    {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x2064},   {0x20d0, 0x20f0}, {0xfe00, 0xfe0f},
    {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
};

// Sorted.
constexpr Range hidden[] = {
    {0x00ad, 0x00ad},   {0x034f, 0x034f},   {0x061c, 0x061c},   {0x115f, 0x1160},   {0x17b4, 0x17b5},
    {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},   {0x2800, 0x2800},
    {0x3164, 0x3164},   {0xfe00, 0xfe0d},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
    {0x13430, 0x13440}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};
// Those of them that are a part of ordinary texts.
constexpr Range joining[] = {{0x00ad, 0x00ad}, {0x200c, 0x200f}};

bool contains(std::span<const Range> ranges, char32_t c) {
    const auto after = std::upper_bound(ranges.begin(), ranges.end(), c,
                                        [](char32_t value, const Range& r) { return value < r.first; });
    return after != ranges.begin() && c <= (after - 1)->last;
}

// Edits that make `b` of `a`, where exchanging two letters next to each other is one, too; more than `most`
// if there are more. Linear for a small `most`.
size_t typing_mistakes(std::string_view a, std::string_view b, size_t most) {
    if (a.size() > b.size() + most || b.size() > a.size() + most) return most + 1;
    // The rows of the table of distances, of which only the diagonal's neighbourhood is small enough.
    std::vector<size_t> before(b.size() + 1, most + 1);
    std::vector<size_t> last(b.size() + 1, most + 1);
    std::vector<size_t> row(b.size() + 1, most + 1);
    for (size_t j = 0; j <= std::min(most, b.size()); ++j) last[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        const size_t begin = i > most ? i - most : 0;
        const size_t end = std::min(i + most, b.size());
        if (begin > 0) row[begin - 1] = most + 1;
        for (size_t j = begin; j <= end; ++j) {
            if (j == 0) {
                row[j] = i;
                continue;
            }
            size_t edits = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                edits = std::min(edits, before[j - 2] + 1);
            row[j] = std::min(edits, most + 1);
        }
        if (end < b.size()) row[end + 1] = most + 1;
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

// Up to three of `known` that begin with `given`, letter case apart, shortest first: "gizmo-operator" for
// "gizmo".
std::vector<std::string_view> longer_names(std::string_view given, std::span<const std::string_view> known) {
    constexpr size_t shortest_given = 3;
    if (given.size() < shortest_given) return {};
    const std::string wanted = ascii_lower(given);
    const auto shorter = [](std::string_view a, std::string_view b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    };
    std::set<std::string_view, decltype(shorter)> names;
    for (const std::string_view name : known) {
        if (name.size() <= given.size() || ascii_lower(name.substr(0, given.size())) != wanted) continue;
        names.insert(name);
        if (names.size() > 3) names.erase(std::prev(names.end()));
    }
    return {names.begin(), names.end()};
}

} // namespace

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
    for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

std::string ascii_lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = ascii_lower(c);
    return result;
}

size_t utf8_sequence_length(std::string_view text) {
    const auto byte = [&](size_t i) -> unsigned {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto tail = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
    const unsigned first = byte(0);
    if (text.empty()) return 0;
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first <= 0xdf) return tail(1) ? 2 : 0;
    if (first >= 0xe0 && first <= 0xef) {
        const bool second = first == 0xe0 ? byte(1) >= 0xa0 : first == 0xed ? byte(1) <= 0x9f : true;
        return second && tail(1) && tail(2) ? 3 : 0;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        const bool second = first == 0xf0 ? byte(1) >= 0x90 : first == 0xf4 ? byte(1) <= 0x8f : true;
        return second && tail(1) && tail(2) && tail(3) ? 4 : 0;
    }
    return 0;
}

bool is_valid_utf8(std::string_view text) {
    while (!text.empty()) {
        const size_t length = utf8_sequence_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

char32_t decode_utf8(std::string_view sequence) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(sequence[i]); };
    switch (sequence.size()) {
    case 1:
        return byte(0);
    case 2:
        return (byte(0) & 0x1fU) << 6 | (byte(1) & 0x3fU);
    case 3:
        return (byte(0) & 0x0fU) << 12 | (byte(1) & 0x3fU) << 6 | (byte(2) & 0x3fU);
    default:
        return (byte(0) & 7U) << 18 | (byte(1) & 0x3fU) << 12 | (byte(2) & 0x3fU) << 6 | (byte(3) & 0x3fU);
    }
}

void append_utf8(std::string& out, char32_t c) {
    const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xc0 | c >> 6);
        put(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        put(0xe0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3f));
        put(0x80 | (c & 0x3f));
    } else {
        put(0xf0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3f));
        put(0x80 | (c >> 6 & 0x3f));
        put(0x80 | (c & 0x3f));
    }
}

bool is_control(std::string_view character) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
    if (character.size() == 1) return byte(0) < 0x20 || byte(0) >= 0x7f;
    return byte(0) == 0xc2 && byte(1) < 0xa0;
}

bool is_hidden(std::string_view character) {
    return character.size() > 1 && contains(hidden, decode_utf8(character));
}

namespace {

std::string code_point_escape(std::string_view character) {
    const auto number = static_cast<uint32_t>(decode_utf8(character));
    return number < 0x10000 ? fmt::format("\\u{:04x}", number) : fmt::format("\\U{:08x}", number);
}

// The runner of GitHub ignores blanks before "::error::" and "##[error]".
bool is_runner_command(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line.starts_with("::") || line.starts_with("##[");
}

} // namespace

std::string escape_controls(std::string_view text) {
    std::string out;
    for (const std::string_view c : utf8_characters(text)) {
        if (is_hidden(c))
            out += code_point_escape(c);
        else if (!is_control(c))
            out += c;
        else
            for (const char byte : c) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    return out;
}

std::string escape_controls_in_lines(std::string_view text) {
    std::string out;
    for (size_t begin = 0;;) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        out += escape_controls(text.substr(begin, end - begin));
        if (end == text.size()) return out;
        begin = end + 1;
        out += is_runner_command(text.substr(begin)) ? escape_controls("\n") : "\n";
    }
}

std::string escape_html(std::string_view text) {
    std::string out;
    out.reserve(text.size() + text.size() / 16);
    for (const std::string_view c : utf8_characters(text)) {
        if (c == "&")
            out += "&amp;";
        else if (c == "<")
            out += "&lt;";
        else if (c == ">")
            out += "&gt;";
        else if (c == "\"")
            out += "&quot;";
        else if (c == "'")
            out += "&#39;";
        else if (is_hidden(c) && !contains(joining, decode_utf8(c)))
            out += code_point_escape(c);
        else if (c == "\n" || c == "\t" || !is_control(c))
            out += c;
        else
            out += "\xef\xbf\xbd";
    }
    return out;
}

std::string markdown_code(std::string_view text, bool in_table) {
    if (text.empty()) return {};
    const std::string safe = escape_controls(text);
    size_t longest = 0;
    size_t run = 0;
    for (const char c : safe) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    const bool is_padded =
        safe.front() == '`' || safe.back() == '`' || (safe.front() == ' ' && safe.back() == ' ');
    const std::string_view padding = is_padded ? " " : "";
    std::string out = fence;
    out += padding;
    out += in_table ? replace_all(safe, "|", "\\|") : safe;
    return out.append(padding).append(fence);
}

std::string escape_for_url(std::string_view text, std::string_view plain) {
    std::string out;
    for (const char c : text) {
        const bool is_letter = ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
        if (is_letter || is_digit(c) || plain.find(c) != plain.npos)
            out += c;
        else
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::optional<std::string> unescape_url(std::string_view text, bool plus_is_blank) {
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && plus_is_blank) {
            out += ' ';
        } else if (text[i] == '%') {
            const std::string_view digits = text.substr(i + 1, 2);
            const char* const end = digits.data() + digits.size();
            unsigned char byte = 0;
            const auto [rest, failed] = std::from_chars(digits.data(), end, byte, 16);
            if (digits.size() < 2 || failed != std::errc() || rest != end) return std::nullopt;
            out += static_cast<char>(byte);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

size_t display_width(std::string_view text) {
    size_t columns = 0;
    for (const std::string_view character : utf8_characters(text)) {
        const char32_t c = utf8_sequence_length(character) == 0 ? 0xfffd : decode_utf8(character);
        columns += c < 0x300 ? 1 : contains(zero_width, c) ? 0 : contains(wide, c) ? 2 : 1;
    }
    return columns;
}

namespace {

// Returns the text as a person types it: without letter case, a byte for each character, none for an
// invisible one.
std::string typed(std::string_view text) {
    if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
        return ascii_lower(text);
    std::string out;
    for (const std::string_view character : utf8_characters(text)) {
        if (character.size() == 1) {
            out += ascii_lower(character.front());
            continue;
        }
        const char32_t c = utf8_sequence_length(character) == 0 ? 0xfffd : decode_utf8(character);
        if (!contains(zero_width, c)) out += static_cast<char>(0x80 | (c & 0x7f));
    }
    return out;
}

} // namespace

std::vector<std::string_view> nearest_names(std::string_view given, std::span<const std::string_view> known) {
    constexpr size_t longest_compared = 256;
    if (given.empty() || given.size() > longest_compared) return {};
    const std::string wanted = typed(given);
    const size_t allowed = std::max<size_t>(1, given.size() / 3);
    size_t steps_left = 4'000'000; // some milliseconds
    std::vector<std::pair<size_t, std::string_view>> near;
    for (const std::string_view name : known) {
        if (name.size() > given.size() + allowed || given.size() > name.size() + allowed) continue;
        const size_t steps = given.size() * name.size();
        if (steps > steps_left) break;
        steps_left -= steps;
        const size_t distance = typing_mistakes(wanted, typed(name), allowed);
        if (distance <= allowed) near.emplace_back(distance, name);
    }
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    if (near.size() > 3) near.resize(3);
    std::vector<std::string_view> names;
    names.reserve(near.size());
    for (const auto& [distance, name] : near) names.push_back(name);
    return names;
}

std::vector<std::string_view> suggested_names(std::string_view given,
                                              std::span<const std::string_view> known) {
    auto longer = longer_names(given, known);
    return longer.empty() ? nearest_names(given, known) : longer;
}

std::string_view misspelt(std::string_view given, std::span<const std::string_view> known) {
    constexpr size_t long_name = 9;
    const size_t allowed = given.size() < long_name ? 1 : 2;
    if (std::find(known.begin(), known.end(), given) != known.end()) return {};
    const std::string wanted = typed(given);
    std::string_view found;
    bool is_clear = true;
    size_t fewest = allowed + 1;
    for (const std::string_view name : known) {
        const size_t edits = typing_mistakes(wanted, typed(name), allowed);
        if (edits < fewest) {
            fewest = edits;
            found = name;
            is_clear = true;
        } else if (edits == fewest && edits <= allowed && name != found) {
            is_clear = false;
        }
    }
    return is_clear ? found : std::string_view();
}

std::string did_you_mean(std::string_view given, std::span<const std::string_view> known) {
    return did_you_mean(suggested_names(given, known));
}

std::string did_you_mean(std::span<const std::string_view> names) {
    if (names.empty()) return {};
    return "did you mean " + listed(names, SIZE_MAX, {}, "or") + '?';
}

bool is_binary(std::string_view bytes) {
    constexpr size_t enough = 8000;
    return bytes.substr(0, enough).find('\0') != bytes.npos;
}

std::string counted(size_t count, std::string_view singular) {
    return fmt::format("{} {}{}", count, singular, count == 1 ? "" : "s");
}

std::string human_size(uint64_t bytes) {
    constexpr std::string_view units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return fmt::format("{} B", bytes);
    auto value = static_cast<double>(bytes) / 1024;
    size_t unit = 0;
    for (; value >= 1023.95 && unit + 1 < std::size(units); ++unit) value /= 1024;
    return fmt::format("{:.1f} {}", value, units[unit]);
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string on_one_line(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    std::string out;
    for (std::string_view line : lines_of(text)) {
        line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
        line = line.substr(0, line.find_last_not_of(blanks) + 1);
        if (line.empty()) continue;
        if (!out.empty()) out += ' ';
        out += line;
    }
    return out;
}

namespace {

// As many characters of the beginning, or of the end, as have room.
std::string_view ends(const std::vector<std::string_view>& characters, std::string_view cell, size_t columns,
                      bool end) {
    size_t bytes = 0;
    size_t used = 0;
    for (size_t i = 0; i < characters.size(); ++i) {
        const std::string_view character = characters[end ? characters.size() - 1 - i : i];
        used += display_width(character);
        if (used > columns) break;
        bytes += character.size();
    }
    return end ? cell.substr(cell.size() - bytes) : cell.substr(0, bytes);
}

} // namespace

std::string shorten(std::string_view text, size_t columns) {
    if (display_width(text) <= columns) return std::string(text);
    const Utf8Characters all = utf8_characters(text);
    const std::vector<std::string_view> characters(all.begin(), all.end());
    const size_t tail = (columns - 1) / 2;
    return std::string(ends(characters, text, columns - 1 - tail, false)) + "…" +
           std::string(ends(characters, text, tail, true));
}

std::string shorten_list(std::span<const std::string_view> items, size_t columns) {
    std::string text;
    size_t width = 0;
    for (size_t i = 0; i < items.size(); ++i) {
        width += display_width(items[i]) + (i > 0 ? 1 : 0);
        if (i > 0 && width > columns) return fmt::format("{} and {} more", text, items.size() - i);
        if (i > 0) text += ',';
        text += items[i];
    }
    return text;
}

std::string wrap(std::string_view text, size_t width, size_t indent) {
    std::string out;
    size_t column = 0;
    while (!text.empty()) {
        const size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        const size_t columns = display_width(word);
        if (column > 0 && column + 1 + columns > width) {
            out += '\n' + std::string(indent, ' ');
            column = 0;
        } else if (column > 0) {
            out += ' ';
            ++column;
        }
        out += word;
        column += columns;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

std::string printable(std::string_view text) {
    constexpr size_t longest = 300;
    std::string shown;
    while (!text.empty()) {
        if (shown.size() >= longest) return shown + "…";
        const std::string_view character = text.substr(0, std::max<size_t>(1, utf8_sequence_length(text)));
        text.remove_prefix(character.size());
        if (character.size() == 1 && static_cast<unsigned char>(character[0]) >= 0x80)
            shown += "\xef\xbf\xbd"; // U+FFFD
        else if (is_control(character) || is_hidden(character))
            shown += ' ';
        else
            shown += character;
    }
    return shown;
}

bool looks_like_html(std::string_view body) {
    const size_t start = body.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos || body[start] != '<') return false;
    const std::string begin = ascii_lower(body.substr(start, 100));
    return begin.starts_with("<!doctype html") || begin.starts_with("<html");
}

} // namespace opcat
