// What fuzz targets share.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace opcat::fuzz {

using Target = void (*)(std::string_view input);

// By name.
inline std::map<std::string_view, Target>& targets() {
    static std::map<std::string_view, Target> all;
    return all;
}

// What must hold for any input. libFuzzer stops at the exception, and keeps the input.
inline void require(bool holds, const char* what) {
    if (!holds) throw std::logic_error(std::string("does not hold: ") + what);
}

} // namespace opcat::fuzz

// "FUZZ_TARGET(version) { … }" is what is done with an `input`: the target of NAME_fuzz.cpp, for libFuzzer
// (fuzzers.cpp) and for replay_test.cpp.
#define FUZZ_TARGET(name)                                                                                    \
    static void fuzz_##name(std::string_view input);                                                         \
    [[maybe_unused]] static const bool fuzz_##name##_is_known =                                              \
        opcat::fuzz::targets().emplace(#name, fuzz_##name).second;                                           \
    static void fuzz_##name(std::string_view input)
