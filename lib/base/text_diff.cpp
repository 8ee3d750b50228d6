#include "opcat/base/text_diff.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <vector>

namespace opcat {
namespace {

// With their line breaks: a last line without one is another line.
std::vector<std::string_view> lines_in(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return lines;
}

// Lines [a, a_end) of the old text are replaced by [b, b_end) of the new one.
struct Change {
    size_t a, a_end, b, b_end;
};

// The shortest edit script between two lists of lines, by Myers' algorithm: "An O(ND) Difference Algorithm
// and Its Variations", 1986.
class LineDiff {
public:
    LineDiff(std::span<const std::string_view> a, std::span<const std::string_view> b) : a_(a), b_(b) {}

    std::vector<Change> run() {
        const auto size_a = static_cast<ptrdiff_t>(a_.size());
        const auto size_b = static_cast<ptrdiff_t>(b_.size());
        constexpr ptrdiff_t most = 1000; // differences
        const ptrdiff_t limit = std::min(size_a + size_b, most);
        std::vector<std::vector<ptrdiff_t>> reached; // by number of differences: the ends of each diagonal
        std::vector<ptrdiff_t> x(static_cast<size_t>(2 * limit + 3));
        const auto at = [&](ptrdiff_t diagonal) -> ptrdiff_t& {
            return x[static_cast<size_t>(diagonal + limit + 1)];
        };
        for (ptrdiff_t d = 0; d <= limit; ++d) {
            for (ptrdiff_t k = -d; k <= d; k += 2) {
                ptrdiff_t end = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
                while (end < size_a && end - k < size_b &&
                       a_[static_cast<size_t>(end)] == b_[static_cast<size_t>(end - k)])
                    ++end;
                at(k) = end;
                if (end >= size_a && end - k >= size_b) return way_back(reached, d, k);
            }
            const ptrdiff_t first = limit + 1 - d;
            reached.emplace_back(x.begin() + first, x.begin() + first + 2 * d + 1);
        }
        return {{0, a_.size(), 0, b_.size()}};
    }

private:
    std::vector<Change> way_back(const std::vector<std::vector<ptrdiff_t>>& reached, ptrdiff_t d,
                                 ptrdiff_t k) const {
        std::vector<Change> changes;
        for (; d > 0; --d) {
            const std::vector<ptrdiff_t>& before = reached[static_cast<size_t>(d - 1)];
            const auto at = [&](ptrdiff_t diagonal) {
                const ptrdiff_t i = diagonal + d - 1;
                return i < 0 || i >= static_cast<ptrdiff_t>(before.size()) ? -1
                                                                           : before[static_cast<size_t>(i)];
            };
            const bool inserted = k == -d || (k != d && at(k - 1) < at(k + 1));
            const ptrdiff_t from = inserted ? k + 1 : k - 1;
            const ptrdiff_t x = at(from);
            const auto a = static_cast<size_t>(x);
            const auto b = static_cast<size_t>(x - from);
            const Change change = inserted ? Change{a, a, b, b + 1} : Change{a, a + 1, b, b};
            if (!changes.empty() && changes.back().a == change.a_end && changes.back().b == change.b_end) {
                changes.back().a = change.a;
                changes.back().b = change.b;
            } else {
                changes.push_back(change);
            }
            k = from;
        }
        std::reverse(changes.begin(), changes.end());
        return changes;
    }

    std::span<const std::string_view> a_;
    std::span<const std::string_view> b_;
};

void append_line(std::string& out, char mark, std::string_view line) {
    out += mark;
    out += line;
    if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

std::string range_of(size_t begin, size_t end) {
    const size_t count = end - begin;
    return count == 1 ? fmt::format("{}", begin + 1)
                      : fmt::format("{},{}", count == 0 ? begin : begin + 1, count);
}

} // namespace

std::string unified_diff(std::string_view name, std::string_view before, std::string_view after) {
    if (before == after) return {};
    const std::vector<std::string_view> a = lines_in(before);
    const std::vector<std::string_view> b = lines_in(after);
    size_t same = 0;
    while (same < std::min(a.size(), b.size()) && a[same] == b[same]) ++same;
    size_t tail = 0;
    while (tail < std::min(a.size(), b.size()) - same && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
        ++tail;
    std::vector<Change> changes = LineDiff(std::span(a).subspan(same, a.size() - same - tail),
                                           std::span(b).subspan(same, b.size() - same - tail))
                                      .run();
    for (Change& change : changes)
        for (size_t* const line : {&change.a, &change.a_end, &change.b, &change.b_end}) *line += same;

    constexpr size_t around = 3;
    std::string out = fmt::format("--- {}\n+++ {}\n", name, name);
    for (size_t first = 0; first < changes.size();) {
        size_t last = first;
        while (last + 1 < changes.size() && changes[last + 1].a - changes[last].a_end <= 2 * around) ++last;
        const size_t begin = changes[first].a - std::min(changes[first].a, around);
        const size_t end = std::min(changes[last].a_end + around, a.size());
        const size_t begin_b = changes[first].b - (changes[first].a - begin);
        const size_t end_b = changes[last].b_end + (end - changes[last].a_end);
        out += fmt::format("@@ -{} +{} @@\n", range_of(begin, end), range_of(begin_b, end_b));
        size_t at = begin;
        for (size_t i = first; i <= last; ++i) {
            for (; at < changes[i].a; ++at) append_line(out, ' ', a[at]);
            for (; at < changes[i].a_end; ++at) append_line(out, '-', a[at]);
            for (size_t k = changes[i].b; k < changes[i].b_end; ++k) append_line(out, '+', b[k]);
        }
        for (; at < end; ++at) append_line(out, ' ', a[at]);
        first = last + 1;
    }
    return out;
}

} // namespace opcat
