// What fuzzing has kept: each target, without a fuzzer, with its seeds and its part of the corpus. So a
// change that breaks a target, or an input that once broke opcat, is noticed by every run of the tests.
#include "fuzzing.hpp"
#include "opcat/base/file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

using namespace opcat;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> files_in(const fs::path& directory) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

TEST_CASE("no target finds fault with a seed or an input of the corpus") {
    REQUIRE(fuzz::targets().size() > 20);
    for (const auto& [name, target] : fuzz::targets())
        for (const char* all : {OPCAT_FUZZ_SEEDS, OPCAT_FUZZ_CORPUS}) {
            const std::vector<fs::path> inputs = files_in(fs::path(all) / name);
            CAPTURE(name);
            CHECK(!inputs.empty());
            for (const fs::path& input : inputs) {
                CAPTURE(input.string());
                const auto file = read_file(input, input.string());
                // Without the bytes that follow in a SourceFile, so that sanitizers see a read beyond the
                // end.
                const std::vector<char> bytes(file->bytes().begin(), file->bytes().end());
                target({bytes.data(), bytes.size()});
            }
        }
}
