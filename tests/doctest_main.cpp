// main() of all test programs.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <string_view>

// Cases of the suite "recorded" compare with data next to the project, which a copy of the project alone does
// not have.
int main(int argc, char** argv) {
    constexpr int skipped = 77; // SKIP_RETURN_CODE of cmake/OpcatLibrary.cmake
    doctest::Context context(argc, argv);
    std::signal(SIGPIPE, SIG_IGN); // as the program has it
    if (!std::filesystem::exists(OPCAT_SHARED "/conformance")) {
        if (std::find(argv, argv + argc, std::string_view("--test-suite=recorded")) != argv + argc) {
            std::cout << "skipped: there is no recorded data at " OPCAT_SHARED "/conformance\n";
            return skipped;
        }
        context.addFilter("test-suite-exclude", "recorded");
    }
    return context.run();
}
