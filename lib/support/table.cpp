#include "support/table.hpp"

#include "support/lines.hpp"
#include "support/shorten.hpp"
#include "support/text.hpp"

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

// A column in which only the title stands tells nothing.
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

} // namespace opcat
