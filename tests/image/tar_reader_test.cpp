#include "opcat/base/directories.hpp"
#include "opcat/image/tar_reader.hpp"
#include "tar_builder.hpp"

using namespace opcat;
using namespace opcat::image;

TEST_CASE("an archive with too many entries is refused") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    TarBuilder tar;
    for (int i = 0; i < 11; ++i) tar.directory("d");
    put(directory.path() / "tar", tar.bytes());
    UnpackBudget budget(1 << 20);
    budget.entries_left = 10;
    TarReader reader(directory.path() / "tar", budget);
    TarEntry entry;
    CHECK(error_of([&] {
              while (reader.next(entry)) {
              }
          }) == "the layers have more than 500000 entries");
}
