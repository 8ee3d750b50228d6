// Why a version or a range is none.
#pragma once

#include "support/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace opcat::semver {

struct ParseError {
    std::string message; // word for word what the Go library says that OLM uses
    size_t offset = 0;   // the bytes of the input that it is about: up to its end
    size_t length = 0;   // 0: something is missing at the offset
};

// An error about `part`, which is a piece of `input`.
inline ParseError error_about(std::string_view input, std::string_view part, std::string message) {
    return {std::move(message), static_cast<size_t>(part.data() - input.data()), part.size()};
}

template <typename T>
using Parsed = Result<T, ParseError>;

} // namespace opcat::semver
