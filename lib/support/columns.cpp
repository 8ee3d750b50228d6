#include "support/columns.hpp"

#include "support/text.hpp"

#include <algorithm>

namespace opcat {
namespace {

struct Cell {
    std::string_view text;
    size_t width;
};
struct Line {
    std::vector<Cell> cells;
    bool ends_block = false; // a form feed: columns do not go on below
};

std::vector<Line> cut(std::string_view text) {
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
        out_.pop_back(); // the text behind the last line break is no line
        return std::move(out_);
    }

private:
    // Writes lines whose first columns, as many as there are widths, are known.
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

std::string align_columns(std::string_view text, size_t padding) {
    return Aligner(cut(text), padding).align();
}

} // namespace opcat
