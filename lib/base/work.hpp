// A budget for work that can grow faster than the input, such as channels times bundles.
#pragma once

#include "opcat/base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace opcat {

// Steps that are left: looking at one bundle or entry is one. A caller takes the steps before it works, in an
// order that does not depend on timing. Not thread-safe.
class Work {
public:
    static constexpr uint64_t most = 100'000'000;

    explicit Work(uint64_t left = most) : left_(left) {}

    // False if so many are not left; the caller then leaves the work out and says so.
    [[nodiscard]] bool take(uint64_t steps) {
        if (steps > left_) return false;
        left_ -= steps;
        return true;
    }

    // For answers that are worth nothing if a part is missing. `what`: the subject of a sentence.
    void take_or_throw(uint64_t steps, std::string_view what, std::string_view help = {}) {
        if (!take(steps))
            throw Error(std::string(what) + " would take more than " + std::to_string(most) +
                            " steps [limit]",
                        std::string(help));
    }

private:
    uint64_t left_;
};

} // namespace opcat
