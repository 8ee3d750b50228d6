#include "help/markdown.hpp"

#include "opcat/base/colours.hpp"
#include "opcat/base/platform.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace opcat {
namespace {

enum class Kind { title, heading, paragraph, item, row, code };

struct Block {
    Kind kind = Kind::paragraph;
    std::string text; // on one line, except for code; cells of a row are separated by tabs
};

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> pieces;
    for (;;) {
        const size_t end = text.find(separator);
        pieces.push_back(text.substr(0, end));
        if (end == text.npos) return pieces;
        text.remove_prefix(end + 1);
    }
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

// "| a | b |" as "a<tab>b".
std::string cells_of(std::string_view line) {
    std::string cells;
    line = trimmed(line);
    for (line.remove_prefix(1); !line.empty();) {
        const size_t end = std::min(line.find('|'), line.size());
        cells += trimmed(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
        if (!line.empty()) cells += '\t';
    }
    return cells;
}

class Parser {
public:
    explicit Parser(std::string_view text) : lines_(lines_of(text)) {}

    std::vector<Block> parse() {
        for (; next_ < lines_.size(); ++next_) take(lines_[next_]);
        return std::move(blocks_);
    }

private:
    void take(std::string_view line) {
        if (line.starts_with("```")) {
            fenced();
        } else if (trimmed(line).empty()) {
            open_ = false;
        } else if (line.starts_with("# ")) {
            add(Kind::title, line.substr(2));
        } else if (line.starts_with("## ")) {
            add(Kind::heading, line.substr(3));
        } else if (line.starts_with("|")) {
            if (!line.starts_with("|-")) add_row(line);
        } else if (line.starts_with("- ")) {
            add(Kind::item, line.substr(2));
            open_ = true;
        } else if (open_) {
            blocks_.back().text += " " + std::string(trimmed(line));
        } else if (line.starts_with("    ")) {
            indented();
        } else {
            add(Kind::paragraph, line);
            open_ = true;
        }
    }

    void add(Kind kind, std::string_view text) {
        blocks_.push_back({kind, std::string(trimmed(text))});
        open_ = false;
    }
    void add_row(std::string_view line) {
        blocks_.push_back({Kind::row, cells_of(line)});
        open_ = false;
    }
    void fenced() {
        Block block{Kind::code, {}};
        while (++next_ < lines_.size() && !lines_[next_].starts_with("```"))
            block.text += std::string(lines_[next_]) + "\n";
        blocks_.push_back(std::move(block));
        open_ = false;
    }
    void indented() {
        Block block{Kind::code, {}};
        for (; next_ < lines_.size(); ++next_) {
            const std::string_view line = lines_[next_];
            if (!trimmed(line).empty() && !line.starts_with("    ")) break;
            block.text += std::string(line.substr(std::min<size_t>(4, line.size()))) + "\n";
        }
        while (block.text.ends_with("\n\n")) block.text.pop_back();
        --next_;
        blocks_.push_back(std::move(block));
    }

    std::vector<std::string_view> lines_;
    size_t next_ = 0;
    std::vector<Block> blocks_;
    bool open_ = false; // the next line goes on with the last block
};

// Links as their text.
std::string without_links(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        const size_t middle = text[i] == '[' ? text.find("](", i) : text.npos;
        const size_t end = middle == text.npos ? text.npos : text.find(')', middle);
        if (end == text.npos) {
            out += text[i];
            continue;
        }
        out += text.substr(i + 1, middle - i - 1);
        i = end;
    }
    return out;
}

// `code` and **words** between marks; the marks stay if nothing replaces them. Code contains no marks: its
// stars are patterns.
std::string emphasised(std::string_view text, std::string_view begin, std::string_view end, bool keep_ticks) {
    std::string out;
    bool in_code = false;
    bool in_words = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const bool tick = text[i] == '`';
        const bool stars = !in_code && text.substr(i).starts_with("**");
        if (!tick && !stars) {
            out += text[i];
            continue;
        }
        bool& open = tick ? in_code : in_words;
        open = !open;
        if (keep_ticks && tick) out += '`';
        out += open ? begin : end;
        if (stars) ++i;
    }
    return out;
}

// A wrapped paragraph is emphasised afterwards, so that what the terminal does not show is not counted.
std::string paragraph(const Block& block, size_t width, size_t indent, bool colour) {
    const std::string lines = wrap(without_links(block.text), width, indent);
    const Colours c = colours(colour);
    return emphasised(lines, c.bold, c.reset, !colour);
}

// A cell with the title of its column, if there are several to distinguish.
std::string labelled(const std::vector<std::string_view>& titles, const std::vector<std::string_view>& cells,
                     size_t column) {
    const bool title = cells.size() > 2 && column < titles.size();
    return (title ? std::string(titles[column]) + ": " : std::string()) + std::string(cells[column]);
}

std::string plain(std::string_view text) {
    return emphasised(without_links(text), "", "", false);
}

// In columns if they fit, else a paragraph for each row. The first row has the titles.
std::string table(std::span<const Block> rows, size_t width) {
    std::string text;
    for (const Block& row : rows) text += "  " + plain(row.text) + "\n";
    const std::string columns = align_columns(text);
    const std::vector<std::string_view> lines = lines_of(columns);
    if (std::all_of(lines.begin(), lines.end(),
                    [&](std::string_view line) { return display_width(line) <= width; }))
        return columns;
    const std::vector<std::string_view> titles = split(rows.front().text, '\t');
    std::string out;
    for (const Block& row : rows.subspan(1)) {
        const std::vector<std::string_view> cells = split(row.text, '\t');
        out += "  " + plain(cells.front()) + "\n";
        for (size_t i = 1; i < cells.size(); ++i)
            out += "      " + wrap(plain(labelled(titles, cells, i)), width - 8, 8) + "\n";
    }
    return out;
}

} // namespace

std::string markdown_as_text(std::string_view markdown, size_t width, bool colour) {
    const std::vector<Block> blocks = Parser(markdown).parse();
    const auto bold = [c = colours(colour)](const std::string& text) { return c.paint(c.bold, text); };
    std::string out;
    for (size_t i = 0; i < blocks.size(); ++i) {
        const Block& block = blocks[i];
        const bool goes_on = i > 0 && blocks[i - 1].kind == block.kind &&
                             (block.kind == Kind::item || block.kind == Kind::row);
        if (i > 0 && !goes_on) out += '\n';
        switch (block.kind) {
        case Kind::title:
        case Kind::heading:
            out += bold(block.text) + "\n";
            break;
        case Kind::paragraph:
            out += paragraph(block, width, 0, colour) + "\n";
            break;
        case Kind::item:
            out += "- " + paragraph(block, width - 2, 2, colour) + "\n";
            break;
        case Kind::row: {
            const size_t begin = i;
            while (i + 1 < blocks.size() && blocks[i + 1].kind == Kind::row) ++i;
            out += table(std::span(blocks).subspan(begin, i + 1 - begin), width);
            break;
        }
        case Kind::code:
            for (const std::string_view line : lines_of(block.text))
                out += line.empty() ? "\n" : "    " + std::string(line) + "\n";
            break;
        }
    }
    return out;
}

namespace fs = std::filesystem;

std::string rules_page() {
    const fs::path program = own_program();
    const fs::path page = program.parent_path().parent_path() / "share/doc/opcat/rules.html";
    std::error_code failed;
    return !program.empty() && fs::exists(page, failed) ? "file://" + page.string() : std::string();
}

} // namespace opcat
