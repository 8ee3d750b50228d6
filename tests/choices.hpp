// What decides generated test data: random numbers, or the bytes of a fuzz target, so that the fuzzer finds
// its way through everything that a generator can make. Two choices are two statements: in one expression,
// compilers order them differently, and an input would mean another catalog with each.
#pragma once

#include <cstddef>
#include <optional>
#include <random>
#include <span>
#include <string_view>

namespace opcat::test {

class Choices {
public:
    explicit Choices(unsigned seed) : random_(seed) {}
    // Without any bytes left, each choice is the first one.
    explicit Choices(std::string_view bytes) : bytes_(bytes) {}

    // A number below `n`, which is at most 256 if bytes decide.
    size_t below(size_t n) {
        if (!bytes_) return std::uniform_int_distribution<size_t>(0, n - 1)(random_);
        if (bytes_->empty()) return 0;
        const auto byte = static_cast<unsigned char>(bytes_->front());
        bytes_->remove_prefix(1);
        return byte % n;
    }
    bool one_in(size_t n) { return below(n) == 0; }
    template <typename Items>
    const auto& any_of(const Items& items) {
        return items[below(std::size(items))];
    }

private:
    std::optional<std::string_view> bytes_;
    std::mt19937 random_;
};

} // namespace opcat::test
