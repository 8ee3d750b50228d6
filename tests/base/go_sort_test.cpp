#include "opcat/base/go_sort.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace opcat;

namespace {

struct Item {
    int key;
    int place;
};

std::vector<Item> sorted(std::vector<Item> items) {
    go_sort(std::span<Item>(items), [](const Item& a, const Item& b) { return a.key < b.key; });
    return items;
}

} // namespace

TEST_CASE("whatever is sorted comes out in order, with nothing lost") {
    std::mt19937 random(1);
    for (const size_t size : {0U, 1U, 2U, 12U, 13U, 49U, 50U, 51U, 200U, 3000U}) {
        for (const int keys : {1, 2, 7, 100'000}) {
            for (const int shape : {0, 1, 2, 3}) {
                std::vector<Item> items;
                for (size_t i = 0; i < size; ++i) {
                    const int at = static_cast<int>(i);
                    const int key = shape == 0   ? static_cast<int>(random() % static_cast<unsigned>(keys))
                                    : shape == 1 ? at % keys
                                    : shape == 2 ? -(at % keys)
                                                 : std::min(at, static_cast<int>(size) - at) % keys;
                    items.push_back({key, at});
                }
                const std::vector<Item> result = sorted(items);
                long places = 0;
                for (size_t i = 0; i < size; ++i) {
                    if (i > 0) REQUIRE(result[i - 1].key <= result[i].key);
                    places += result[i].place;
                }
                CHECK(places == static_cast<long>(size) * (static_cast<long>(size) - 1) / 2);
            }
        }
    }
}

TEST_CASE("up to 12 items keep the order of equals, as Go's insertion sort does") {
    std::vector<Item> items;
    for (int i = 0; i < 12; ++i) items.push_back({i % 3, i});
    const std::vector<Item> result = sorted(items);
    for (size_t i = 1; i < result.size(); ++i)
        if (result[i - 1].key == result[i].key) CHECK(result[i - 1].place < result[i].place);
}

// Worked out by hand along the comments in Go's source: a first pivot that is the least of all leaves 13
// items, whose pattern is then broken.
TEST_CASE("more than 12 items change the order of equals as in Go") {
    const std::vector<int> keys = {2, 3, 5, 4, 1, 5, 0, 3, 4, 0, 1, 2, 5, 3};
    std::vector<Item> items;
    for (size_t i = 0; i < keys.size(); ++i) items.push_back({keys[i], static_cast<int>(i)});
    std::string places;
    for (const Item& item : sorted(items)) places += std::to_string(item.place) + " ";
    CHECK(places == "9 6 10 4 0 11 1 7 13 3 8 5 12 2 ");
}

// McIlroy, "A Killer Adversary for Quicksort": the values are chosen while they are compared, so that each
// pivot is one of the least.
TEST_CASE("no order of items makes it slow: after bad pivots it is a heap sort") {
    constexpr int size = 10'000;
    constexpr int unknown = std::numeric_limits<int>::max();
    std::vector<int> values(size, unknown);
    int known = 0;
    int candidate = 0; // compared last: perhaps the pivot
    size_t comparisons = 0;
    std::vector<int> items(size);
    for (int i = 0; i < size; ++i) items[static_cast<size_t>(i)] = i;
    go_sort(std::span<int>(items), [&](int a, int b) {
        ++comparisons;
        int& x = values[static_cast<size_t>(a)];
        int& y = values[static_cast<size_t>(b)];
        if (x == unknown && y == unknown) (a == candidate ? x : y) = known++;
        if (x == unknown)
            candidate = a;
        else if (y == unknown)
            candidate = b;
        return x < y;
    });
    CHECK(std::is_sorted(items.begin(), items.end(), [&](int a, int b) {
        return values[static_cast<size_t>(a)] < values[static_cast<size_t>(b)];
    }));
    std::sort(items.begin(), items.end());
    CHECK(std::adjacent_find(items.begin(), items.end()) == items.end());
    CHECK(comparisons < 60 * size); // quicksort alone: millions
}
