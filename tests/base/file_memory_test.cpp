#include "base/file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <vector>

using namespace opcat;

TEST_CASE("Pieces of every size are apart from each other, and stay when the memory itself has gone") {
    std::vector<std::pair<std::shared_ptr<char[]>, size_t>> pieces;
    {
        FileMemory memory;
        for (const size_t size :
             {0, 1, 100'000, 262'144, 300'001, 40'000'000, 262'145, 20'000'000, 20'000'000})
            pieces.emplace_back(memory.take(size), size);
    }
    for (size_t i = 0; i < pieces.size(); ++i)
        std::memset(pieces[i].first.get(), static_cast<int>('a' + i), pieces[i].second);
    for (size_t i = 0; i < pieces.size(); ++i) {
        const char* const begin = pieces[i].first.get();
        CHECK(std::all_of(begin, begin + pieces[i].second,
                          [&](char c) { return c == static_cast<char>('a' + i); }));
    }
}
