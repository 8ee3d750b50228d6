#include "opcat/base/directories.hpp"
#include "opcat/base/file.hpp"
#include "opcat/bundle/manifests.hpp"

#include <doctest/doctest.h>

using namespace opcat;

TEST_CASE("whole numbers of manifests beyond 64 bits are rounded, as Kubernetes' readers do") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    write_file(directory.path() / "map.yaml",
               "apiVersion: v1\n"
               "kind: ConfigMap\n"
               "least: -9223372036854775808\n"
               "most: 9223372036854775807\n"
               "large: 9223372036854775808\n"
               "list: [18446744073709551616, {inside: 1000000000000000000000}]\n");
    Arena arena;
    Diagnostics diagnostics;
    const auto files = read_folder(directory.path(), "manifests", false, arena);
    const auto manifests = select_manifests(files, arena, diagnostics);
    CHECK(diagnostics.empty());
    REQUIRE(manifests.size() == 1);
    CHECK(go_json(manifests.front().object) ==
          R"({"apiVersion":"v1","kind":"ConfigMap","large":9223372036854776000,"least":-9223372036854775808,)"
          R"("list":[18446744073709552000,{"inside":1e+21}],"most":9223372036854775807})");
}
