#include "opcat/base/table.hpp"

#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace opcat {
namespace {

constexpr size_t gap = 2;
constexpr size_t narrowest = 8;

using Row = std::vector<std::string_view>;

Row split(std::string_view line) {
    Row cells;
    for (;;) {
        const size_t tab = line.find('\t');
        cells.push_back(line.substr(0, tab));
        if (tab == line.npos) return cells;
        line.remove_prefix(tab + 1);
    }
}

std::vector<Row> rows_of(std::string_view text) {
    std::vector<Row> rows;
    for (const std::string_view line : lines_of(text)) rows.push_back(split(line));
    return rows;
}

std::vector<size_t> widths_of(const std::vector<Row>& rows) {
    std::vector<size_t> widths;
    for (const Row& row : rows) {
        if (row.size() > widths.size()) widths.resize(row.size());
        for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
    }
    return widths;
}

size_t total(const std::vector<size_t>& widths) {
    return std::accumulate(widths.begin(), widths.end(), widths.empty() ? 0 : (widths.size() - 1) * gap);
}

void shrink(std::vector<size_t>& widths, size_t width) {
    for (size_t all = total(widths); all > width; --all) {
        const auto widest = std::max_element(widths.begin(), widths.end());
        if (*widest <= narrowest) return;
        --*widest;
    }
}

// A column with only a title has no information.
void drop_empty_columns(std::vector<Row>& rows) {
    for (size_t i = rows.empty() ? 0 : rows.front().size(); i-- > 0;) {
        const bool empty = std::all_of(rows.begin() + 1, rows.end(),
                                       [&](const Row& row) { return i >= row.size() || row[i].empty(); });
        if (!empty || rows.size() == 1) continue;
        for (Row& row : rows)
            if (i < row.size()) row.erase(row.begin() + static_cast<ptrdiff_t>(i));
    }
}

} // namespace

std::string align_table(std::string_view text, size_t width, EmptyColumns empty) {
    std::vector<Row> rows = rows_of(text);
    if (empty == EmptyColumns::dropped) drop_empty_columns(rows);
    std::vector<size_t> widths = widths_of(rows);
    if (width > 0) shrink(widths, width);
    std::string out;
    for (const Row& row : rows) {
        size_t blanks = 0; // owed before the next cell that has text
        for (size_t i = 0; i < row.size(); ++i) {
            const std::string cell = shorten(row[i], widths[i]);
            if (!cell.empty()) {
                out += std::string(blanks, ' ') + cell;
                blanks = 0;
            }
            blanks += widths[i] - display_width(cell) + gap;
        }
        out += '\n';
    }
    return out;
}

namespace {

struct Cell {
    std::string_view text;
    size_t width;
};
struct Line {
    std::vector<Cell> cells;
    bool ends_block = false; // a form feed: columns do not go on below
};

std::vector<Line> lines_of_cells(std::string_view text) {
    std::vector<Line> lines(1);
    size_t begin = 0;
    const auto end_cell = [&](size_t end) {
        const std::string_view cell = text.substr(begin, end - begin);
        lines.back().cells.push_back({cell, utf8_characters(cell).size()});
        begin = end + 1;
    };
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c != '\t' && c != '\v' && c != '\n' && c != '\f') continue;
        end_cell(i);
        if (c == '\t' || c == '\v') continue;
        lines.back().ends_block = c == '\f';
        lines.emplace_back();
    }
    end_cell(text.size());
    return lines;
}

class Aligner {
public:
    Aligner(std::vector<Line> lines, size_t padding) : lines_(std::move(lines)), padding_(padding) {}

    std::string align() {
        size_t begin = 0;
        for (size_t i = 0; i < lines_.size(); ++i)
            if (lines_[i].ends_block || i + 1 == lines_.size()) {
                format(begin, i + 1);
                begin = i + 1;
            }
        out_.pop_back(); // the text after the last line break is not a line
        return std::move(out_);
    }

private:
    // Writes lines; the widths of the first columns are given.
    void format(size_t begin, size_t end) {
        const size_t column = widths_.size();
        size_t unwritten = begin;
        for (size_t i = begin; i < end; ++i) {
            if (column + 1 >= lines_[i].cells.size()) continue;
            write(unwritten, i);
            size_t block_end = i;
            size_t width = 0;
            for (; block_end < end && column + 1 < lines_[block_end].cells.size(); ++block_end)
                width = std::max(width, lines_[block_end].cells[column].width + padding_);
            widths_.push_back(width);
            format(i, block_end);
            widths_.pop_back();
            unwritten = block_end;
            i = block_end - 1;
        }
        write(unwritten, end);
    }

    void write(size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            const std::vector<Cell>& cells = lines_[i].cells;
            for (size_t j = 0; j < cells.size(); ++j) {
                out_ += cells[j].text;
                if (j < widths_.size()) out_.append(widths_[j] - cells[j].width, ' ');
            }
            out_ += '\n';
        }
    }

    std::vector<Line> lines_;
    size_t padding_;
    std::vector<size_t> widths_;
    std::string out_;
};

} // namespace

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
    std::string text;
    for (const auto& row : rows)
        for (size_t i = 0; i < row.size(); ++i)
            text += escape_controls(row[i]) + (i + 1 < row.size() ? '\t' : '\n');
    return align_table(text, 0, EmptyColumns::kept);
}

std::string align_columns(std::string_view text, size_t padding) {
    return Aligner(lines_of_cells(text), padding).align();
}

std::string for_terminal(const std::string& text, unsigned indent) {
    std::string out;
    for (const char c : escape_controls_in_lines(text)) {
        out += c;
        if (c == '\n') out += std::string(indent, ' ');
    }
    while (!out.empty() && (out.back() == ' ' || out.back() == '\n')) out.pop_back();
    return out;
}

} // namespace opcat
