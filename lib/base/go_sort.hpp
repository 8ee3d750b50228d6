// Sorting with Go's order of equal items (sort.Slice), independent of the standard library.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace opcat {

// So many items are sorted by insertion, which keeps the order of equal ones.
constexpr size_t most_sorted_stably = 12;

// Go's sort.Slice is not stable, and its order of equal items is visible in the output of Go programs. This
// is its pattern-defeating quicksort, comparison by comparison: insertion sort up to 12 items; a median of
// three or nine as pivot; heap sort after repeated bad pivots. O(n log n).
template <typename T, typename Less>
class GoSort {
public:
    GoSort(std::span<T> items, Less less) : items_(items), less_(std::move(less)) {}

    void sort() { sort(0, items_.size(), static_cast<unsigned>(std::bit_width(items_.size()))); }

private:
    enum class Hint : uint8_t { unknown, increasing, decreasing };
    struct Pivot {
        size_t at;
        Hint hint;
    };

    bool less(size_t a, size_t b) const { return less_(items_[a], items_[b]); }
    void swap(size_t a, size_t b) {
        using std::swap;
        swap(items_[a], items_[b]);
    }

    // Items [begin, end); after `bad_pivots_left` bad pivots it changes to heap sort.
    void sort(size_t begin, size_t end, unsigned bad_pivots_left) {
        bool was_balanced = true;
        bool was_partitioned = true;
        while (end - begin > most_sorted_stably) {
            if (bad_pivots_left == 0) {
                heap_sort(begin, end);
                return;
            }
            if (!was_balanced) {
                break_patterns(begin, end);
                --bad_pivots_left;
            }
            Pivot pivot = choose_pivot(begin, end);
            if (pivot.hint == Hint::decreasing) {
                for (size_t i = begin, j = end - 1; i < j; ++i, --j) swap(i, j);
                pivot = {end - 1 - (pivot.at - begin), Hint::increasing};
            }
            if (was_balanced && was_partitioned && pivot.hint == Hint::increasing &&
                finish_insertion(begin, end))
                return;
            // The items before are not less than the pivot: the pivot is a minimum here.
            if (begin > 0 && !less(begin - 1, pivot.at)) {
                begin = partition_equal(begin, end, pivot.at);
                continue;
            }
            const size_t length = end - begin;
            const auto [middle, partitioned] = partition(begin, end, pivot.at);
            was_partitioned = partitioned;
            const size_t left = middle - begin;
            const size_t right = end - middle;
            was_balanced = std::min(left, right) >= length / 8;
            if (left < right) {
                sort(begin, middle, bad_pivots_left);
                begin = middle + 1;
            } else {
                sort(middle + 1, end, bad_pivots_left);
                end = middle;
            }
        }
        for (size_t i = begin + 1; i < end; ++i)
            for (size_t j = i; j > begin && less(j, j - 1); --j) swap(j, j - 1);
    }

    void heap_sort(size_t begin, size_t end) {
        const size_t count = end - begin;
        for (size_t i = (count - 1) / 2 + 1; i > 0; --i) sift_down(begin, i - 1, count);
        for (size_t i = count; i > 0; --i) {
            swap(begin, begin + i - 1);
            sift_down(begin, 0, i - 1);
        }
    }

    void sift_down(size_t begin, size_t root, size_t count) {
        for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
            if (child + 1 < count && less(begin + child, begin + child + 1)) ++child;
            if (!less(begin + root, begin + child)) return;
            swap(begin + root, begin + child);
            root = child;
        }
    }

    // Three swaps with pseudo-random places.
    void break_patterns(size_t begin, size_t end) {
        const size_t length = end - begin;
        uint64_t random = length;
        const uint64_t mask = (uint64_t{1} << std::bit_width(length)) - 1;
        const size_t place = begin + length / 4 * 2 - 1;
        for (size_t i = 0; i < 3; ++i) {
            random ^= random << 13U;
            random ^= random >> 7U;
            random ^= random << 17U;
            size_t other = random & mask;
            if (other >= length) other -= length;
            swap(place + i, begin + other);
        }
    }

    Pivot choose_pivot(size_t begin, size_t end) const {
        const size_t quarter = (end - begin) / 4;
        size_t i = begin + quarter;
        size_t j = begin + quarter * 2;
        size_t k = begin + quarter * 3;
        unsigned swaps = 0;
        if (end - begin >= 50) {
            i = median(i - 1, i, i + 1, swaps);
            j = median(j - 1, j, j + 1, swaps);
            k = median(k - 1, k, k + 1, swaps);
        }
        j = median(i, j, k, swaps);
        constexpr unsigned all_swapped = 4 * 3;
        return {j, swaps == 0 ? Hint::increasing : swaps == all_swapped ? Hint::decreasing : Hint::unknown};
    }

    size_t median(size_t a, size_t b, size_t c, unsigned& swaps) const {
        const auto order = [&](size_t& first, size_t& second) {
            if (!less(second, first)) return;
            std::swap(first, second);
            ++swaps;
        };
        order(a, b);
        order(b, c);
        order(a, b);
        return b;
    }

    // For input that seems to be sorted; gives up after a few corrections.
    bool finish_insertion(size_t begin, size_t end) {
        size_t i = begin + 1;
        for (int step = 0; step < 5; ++step) {
            while (i < end && !less(i, i - 1)) ++i;
            if (i == end) return true;
            if (end - begin < 50) return false;
            swap(i, i - 1);
            if (i - begin >= 2)
                for (size_t j = i - 1; j >= 1 && less(j, j - 1); --j) swap(j, j - 1);
            if (end - i >= 2)
                for (size_t j = i + 1; j < end && less(j, j - 1); ++j) swap(j, j - 1);
        }
        return false;
    }

    // Less than the pivot, the pivot, the others; returns the place of the pivot, and whether it was
    // partitioned already.
    std::pair<size_t, bool> partition(size_t begin, size_t end, size_t pivot) {
        swap(begin, pivot);
        size_t i = begin + 1;
        size_t j = end - 1;
        const auto advance = [&] {
            while (i <= j && less(i, begin)) ++i;
            while (i <= j && !less(j, begin)) --j;
        };
        advance();
        const bool was_so = i > j;
        while (i <= j) {
            swap(i++, j--);
            advance();
        }
        swap(j, begin);
        return {j, was_so};
    }

    // Equal to the pivot, greater ones; returns the begin of those.
    size_t partition_equal(size_t begin, size_t end, size_t pivot) {
        swap(begin, pivot);
        size_t i = begin + 1;
        size_t j = end - 1;
        while (true) {
            while (i <= j && !less(begin, i)) ++i;
            while (i <= j && less(begin, j)) --j;
            if (i > j) return i;
            swap(i++, j--);
        }
    }

    std::span<T> items_;
    Less less_;
};

template <typename T, typename Less>
void go_sort(std::span<T> items, Less less) {
    GoSort<T, Less>(items, std::move(less)).sort();
}

} // namespace opcat
