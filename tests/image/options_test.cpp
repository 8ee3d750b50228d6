#include "opcat/image/options.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace opcat::image;

TEST_CASE("architectures have the names of Go, whatever the kernel calls them") {
    const std::pair<const char*, const char*> cases[] = {
        {"x86_64", "amd64"},    {"aarch64", "arm64"},      {"armv7l", "arm"},      {"armv6l", "arm"},
        {"i686", "386"},        {"i386", "386"},           {"ppc64le", "ppc64le"}, {"s390x", "s390x"},
        {"riscv64", "riscv64"}, {"loongarch64", "loong64"}};
    for (const auto& [machine, architecture] : cases) CHECK(go_architecture(machine) == architecture);
}
