// What fuzz targets share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace opcat::fuzz {

using Target = void (*)(std::string_view input);

// By name: those that are linked.
inline std::map<std::string_view, Target>& targets() {
    static std::map<std::string_view, Target> all;
    return all;
}

// What must hold for any input: libFuzzer sees a program that aborts, doctest an exception.
inline void require(bool holds, const char* what) {
    if (holds) return;
#ifdef OPCAT_FUZZER
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
#else
    throw std::logic_error(std::string("does not hold: ") + what);
#endif
}

} // namespace opcat::fuzz

// "FUZZ_TARGET(version) { … }" is what is done with an `input`: the target of NAME_fuzz.cpp, for libFuzzer
// alone or for replay_test.cpp with all others.
#ifdef OPCAT_FUZZER
#define FUZZ_TARGET(name)                                                                                    \
    static void fuzz_##name(std::string_view input);                                                         \
    extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {                                \
        fuzz_##name({reinterpret_cast<const char*>(data), size});                                            \
        return 0;                                                                                            \
    }                                                                                                        \
    static void fuzz_##name(std::string_view input)
#else
#define FUZZ_TARGET(name)                                                                                    \
    static void fuzz_##name(std::string_view input);                                                         \
    [[maybe_unused]] static const bool fuzz_##name##_is_known =                                              \
        opcat::fuzz::targets().emplace(#name, fuzz_##name).second;                                           \
    static void fuzz_##name(std::string_view input)
#endif
