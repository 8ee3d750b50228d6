#include "opcat/document/syntax_cause.hpp"

#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace opcat {
namespace {

struct Cause {
    size_t at; // in the file
    size_t length;
    std::string message;
    std::string help;
    Fix fix = {};
};

constexpr std::string_view blanks = " \t";
constexpr std::string_view leave_out =
    "if the file is not part of the catalog, list it in an .indexignore file";

bool is_utf16_without_mark(std::string_view bytes) {
    const std::string_view start = bytes.substr(0, 64);
    size_t zeros[2] = {0, 0};
    for (size_t i = 0; i < start.size(); ++i) zeros[i % 2] += start[i] == '\0';
    // Nearly all of a catalog is ASCII.
    return start.size() >= 4 &&
           ((zeros[0] == 0 && zeros[1] * 3 > start.size()) || (zeros[1] == 0 && zeros[0] * 3 > start.size()));
}

// A file of another type below a directory may have another purpose.
bool is_named_as_catalog(const std::string& path) {
    if (path.find('/') == path.npos) return true; // standard input, or named by the user
    const std::string extension = ascii_lower(std::filesystem::path(path).extension().string());
    return extension == ".yaml" || extension == ".yml" || extension == ".json" || extension == ".jsonl";
}

class Search {
public:
    Search(const SourceFile& file, uint32_t begin, uint32_t end, uint32_t failed_at)
        : file_(file), bytes_(file.bytes()), begin_(begin),
          document_(bytes_.substr(begin, std::max(begin, end) - begin)),
          failed_at_(std::clamp<size_t>(failed_at, begin, std::max(begin, end))) {}

    std::optional<Cause> run() const {
        if (auto cause = of_whole_file()) return cause;
        if (auto cause = conflict_marker()) return cause;
        // A mistake often shows only on the next line.
        const std::string_view here = line_at(failed_at_);
        for (const std::string_view line : {here, line_before(here)}) {
            for (const auto& look :
                 {&Search::template_action, &Search::wrong_separator, &Search::tab_in_indentation,
                  &Search::deceptive_character, &Search::colon_without_blank, &Search::text_without_quotes})
                if (auto cause = (this->*look)(line)) return cause;
        }
        return std::nullopt;
    }

private:
    std::optional<Cause> of_whole_file() const {
        if (is_utf16(bytes_) || is_utf16_without_mark(bytes_))
            return Cause{0, 1, "this file is encoded as UTF-16", "save it as UTF-8"};
        if (is_binary(bytes_)) return Cause{0, 1, "this is a binary file, not YAML or JSON", ""};
        return std::nullopt;
    }

    std::optional<Cause> conflict_marker() const {
        for (const std::string_view marker : {"<<<<<<< ", ">>>>>>> "}) {
            size_t at = document_.starts_with(marker) ? 0 : document_.find("\n" + std::string(marker));
            if (at == document_.npos) continue;
            if (document_[at] == '\n') ++at;
            return Cause{begin_ + at, marker.size() - 1, "a merge conflict is not resolved",
                         "keep the lines that are right, and remove the lines <<<<<<<, ======= and >>>>>>>"};
        }
        return std::nullopt;
    }

    std::optional<Cause> wrong_separator(std::string_view line) const {
        std::string plain = replace_all(replace_all(std::string(line), "\u2013", "-"), "\u2014", "--");
        plain.erase(std::remove_if(plain.begin(), plain.end(), [](char c) { return c == ' ' || c == '\r'; }),
                    plain.end());
        if (plain.size() < 2 || plain.find_first_not_of('-') != plain.npos || line.starts_with("---"))
            return std::nullopt;
        return Cause{offset_of(line), line.size(), "this line is not the separator of two documents",
                     "write three hyphens at its beginning: ---"};
    }

    std::optional<Cause> template_action(std::string_view line) const {
        for (const auto& [opening, closing] :
             {std::pair<std::string_view, std::string_view>{"{{", "}}"}, {"{%", "%}"}}) {
            const size_t at = line.find(opening);
            if (at == line.npos) continue;
            const size_t end = line.find(closing, at);
            return Cause{offset_of(line) + at, end == line.npos ? opening.size() : end + 2 - at,
                         fmt::format("this is a template ({} … {}), not YAML", opening, closing),
                         "render the template first, as with `helm template`"};
        }
        return std::nullopt;
    }

    std::optional<Cause> tab_in_indentation(std::string_view line) const {
        const size_t tab = line.substr(0, line.find_first_not_of(blanks)).find('\t');
        if (tab == line.npos) return std::nullopt;
        return Cause{offset_of(line) + tab, 1, "a tab is used for indentation", "indent with spaces",
                     blanks_for_tabs()};
    }

    // In the whole document: one blank for each tab would suffice, but two are usual.
    Fix blanks_for_tabs() const {
        Fix fix{"indent with spaces", {}};
        for (size_t at = 0; at < document_.size();) {
            const std::string_view line = document_.substr(at, document_.find('\n', at) - at);
            const size_t indent = std::min(line.find_first_not_of(blanks), line.size());
            for (size_t i = 0; i < indent; ++i)
                if (line[i] == '\t') fix.edits.push_back({place(begin_ + at + i, 1), "  "});
            at += line.size() + 1;
        }
        return fix;
    }

    std::optional<Cause> deceptive_character(std::string_view line) const {
        const auto found = find_deceptive_character(line);
        if (!found) return std::nullopt;
        return Cause{offset_of(line) + found->at,
                     found->length,
                     "this is a " + found->name,
                     found->help,
                     {found->help, {{place(offset_of(line) + found->at, found->length), found->blank}}}};
    }

    std::optional<Cause> colon_without_blank(std::string_view line) const {
        const auto at = find_colon_without_blank(line);
        if (!at) return std::nullopt;
        return Cause{offset_of(line) + *at,
                     1,
                     "a blank is missing after ':'",
                     "write \"key: value\"",
                     {"add the blank", {{place(offset_of(line) + *at + 1, 0), " "}}}};
    }

    // A plain text that YAML takes for something else because of a character in it.
    std::optional<Cause> text_without_quotes(std::string_view line) const {
        const size_t begin = begin_of_value(line);
        if (begin == line.npos || !is_named_as_catalog(file_.path())) return std::nullopt;
        std::string_view value = line.substr(begin);
        value = value.substr(0, value.find_last_not_of(" \t\r") + 1);
        if (value.empty()) return std::nullopt;
        const char first = value.front();
        const auto cause = [&](std::string message) {
            const bool has_quote = value.find('\'') != value.npos;
            const std::string quoted = fmt::format("{1}{0}{1}", value, has_quote ? '"' : '\'');
            const bool can_be = !has_quote || value.find_first_of("\"\\") == value.npos;
            return Cause{offset_of(line) + begin, value.size(), std::move(message),
                         can_be ? "put it in quotes: " + quoted : "put it in quotes"};
        };
        if (first == '\'' || first == '"') {
            const size_t close = value.find(first, 1);
            if (close == value.npos)
                return Cause{offset_of(line) + begin, value.size(),
                             fmt::format("a text begins with {} and does not end with it", first),
                             "write the quotes at both ends"};
            const size_t after = value.find_first_not_of(blanks, close + 1);
            if (after != value.npos && value[after] != first && value[after] != '#' && value[after] != ',' &&
                value[after] != ':' && value[after] != '}' && value[after] != ']')
                return Cause{offset_of(line) + begin, value.size(), "a text goes on after its closing quotes",
                             "write the quotes around all of it"};
            return std::nullopt;
        }
        if (first == '>' || first == '|') {
            const size_t header = value.find_first_not_of("+-0123456789", 1);
            if (header == value.npos || value[header] == '#' ||
                (value[header] == ' ' && value.find_first_not_of(" #", header) == value.npos))
                return std::nullopt;
            return cause(fmt::format("a text that begins with \"{}\" needs quotes", first));
        }
        if (first == '@' || first == '`' || first == '%' || first == '*' || first == '&' || first == '!')
            return cause(fmt::format("a text that begins with \"{}\" needs quotes", first));
        if (first != '{' && first != '[' && value.find(": ") != value.npos)
            return cause("a text that contains \": \" needs quotes");
        return std::nullopt;
    }

    // Returns where the value after "key: " or "- " begins; npos if there is none on the line.
    static size_t begin_of_value(std::string_view line) {
        size_t at = line.find_first_not_of(blanks);
        while (at != line.npos && line.substr(at).starts_with("- "))
            at = line.find_first_not_of(blanks, at + 1);
        if (at == line.npos) return at;
        const size_t key =
            line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/", at);
        if (key == line.npos || key == at) return at;
        if (!line.substr(key).starts_with(": ")) return at;
        return line.find_first_not_of(blanks, key + 1);
    }

    Location place(size_t at, size_t length) const {
        return {&file_, static_cast<uint32_t>(at), static_cast<uint32_t>(length)};
    }

    size_t offset_of(std::string_view line) const { return static_cast<size_t>(line.data() - bytes_.data()); }

    // Without its line break.
    std::string_view line_at(size_t at) const {
        const size_t in_document = at - begin_;
        const size_t before = in_document == 0 ? document_.npos : document_.rfind('\n', in_document - 1);
        const size_t start = before == document_.npos ? 0 : before + 1;
        return document_.substr(start, document_.find('\n', start) - start);
    }

    // The one before it that is neither blank nor a comment; empty if there is none.
    std::string_view line_before(std::string_view line) const {
        while (offset_of(line) > begin_) {
            line = line_at(offset_of(line) - 1);
            const size_t text = line.find_first_not_of(" \t\r");
            if (text != line.npos && line[text] != '#') return line;
        }
        return document_.substr(0, 0);
    }

    const SourceFile& file_;
    std::string_view bytes_;
    size_t begin_;
    std::string_view document_;
    size_t failed_at_;
};

struct DeceptiveKind {
    std::string_view text; // UTF-8
    std::string_view name;
    bool looks_like_blank;
};
constexpr std::array deceptive_kinds{
    DeceptiveKind{"\u00a0", "no-break space (U+00A0)", true},
    DeceptiveKind{"\u202f", "narrow no-break space (U+202F)", true},
    DeceptiveKind{"\u2007", "figure space (U+2007)", true},
    DeceptiveKind{"\u2009", "thin space (U+2009)", true},
    DeceptiveKind{"\u3000", "ideographic space (U+3000)", true},
    DeceptiveKind{"\u00ad", "soft hyphen (U+00AD)", false},
    DeceptiveKind{"\u200b", "zero-width space (U+200B)", false},
    DeceptiveKind{"\u200c", "zero-width non-joiner (U+200C)", false},
    DeceptiveKind{"\u200d", "zero-width joiner (U+200D)", false},
    DeceptiveKind{"\u200e", "left-to-right mark (U+200E)", false},
    DeceptiveKind{"\u200f", "right-to-left mark (U+200F)", false},
    DeceptiveKind{"\u2060", "word joiner (U+2060)", false},
    DeceptiveKind{"\ufeff", "byte order mark (U+FEFF)", false},
};

} // namespace

bool is_utf16(std::string_view bytes) {
    return bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff");
}

std::optional<DeceptiveCharacter> find_deceptive_character(std::string_view text) {
    for (size_t at = 0; at < text.size(); ++at) {
        if (static_cast<unsigned char>(text[at]) < 0x80) continue;
        for (const DeceptiveKind& kind : deceptive_kinds)
            if (text.substr(at).starts_with(kind.text))
                return DeceptiveCharacter{at, kind.text.size(), std::string(kind.name),
                                          kind.looks_like_blank ? "replace it with an ordinary space"
                                                                : "delete it",
                                          kind.looks_like_blank ? " " : ""};
    }
    return std::nullopt;
}

std::optional<size_t> find_colon_without_blank(std::string_view line) {
    const auto is_letter = [](char c) { return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z'; };
    size_t at = line.find_first_not_of(blanks);
    while (at != line.npos && line.substr(at).starts_with("- ")) at = line.find_first_not_of(blanks, at + 1);
    if (at == line.npos) return std::nullopt;
    const size_t colon = line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", at);
    if (colon == line.npos || colon == at || line[colon] != ':' || colon + 1 >= line.size())
        return std::nullopt;
    const char next = line[colon + 1];
    const bool value = is_letter(next) || next == '"' || next == '\'' || next == '[' || next == '{';
    return value ? std::optional(colon) : std::nullopt;
}

void explain_syntax_problem(uint32_t begin, uint32_t end, Diagnostic& problem) {
    const SourceFile& file = *problem.where.file;
    if (const auto cause = Search(file, begin, end, problem.where.offset).run()) {
        problem.message = cause->message;
        problem.help = cause->help;
        problem.fix = cause->fix;
        problem.fix.effect = FixEffect::readable;
        problem.where = {&file, static_cast<uint32_t>(cause->at), static_cast<uint32_t>(cause->length)};
    } else if (!is_named_as_catalog(file.path())) {
        problem.message = "this file does not read as YAML or JSON: " + problem.message;
        problem.help.clear();
    }
    if (!is_named_as_catalog(file.path())) {
        if (!problem.help.empty()) problem.help += "; ";
        problem.help += leave_out;
    }
}

} // namespace opcat
