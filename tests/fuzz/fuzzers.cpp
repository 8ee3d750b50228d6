// libFuzzer with all targets in one program, which runs the one that it is called by: version_fuzz for
// `version`.
#include "blob_mutator.hpp"
#include "fuzzing.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace opcat::fuzz;

namespace {

constexpr std::array<std::string_view, 4> of_catalogs = {"catalog", "edits", "format", "simple_yaml"};

Target target = nullptr;
bool reads_catalogs = false;

} // namespace

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** arguments) {
    std::string_view name = (*arguments)[0];
    name.remove_prefix(name.rfind('/') + 1);
    name = name.substr(0, name.rfind("_fuzz"));
    const auto found = targets().find(name);
    if (found == targets().end()) {
        std::fprintf(stderr, "there is no fuzz target %.*s\n", static_cast<int>(name.size()), name.data());
        std::exit(2);
    }
    target = found->second;
    reads_catalogs = std::find(of_catalogs.begin(), of_catalogs.end(), name) != of_catalogs.end();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    target({reinterpret_cast<const char*>(data), size});
    return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
    return reads_catalogs ? mutate_blobs(data, size, max_size, seed) : LLVMFuzzerMutate(data, size, max_size);
}
