#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/regular_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

using namespace opcat;

TEST_CASE("a file is read in pieces of the size of the buffer, the last of which is smaller") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    write_file(directory.path() / "f", "abcdefg");
    RegularFile file(directory.path() / "f");
    CHECK(file.size() == 7);
    std::array<char, 3> buffer{};
    CHECK(file.next(buffer) == "abc");
    CHECK(file.next(buffer) == "def");
    CHECK(file.next(buffer) == "g");
    CHECK(file.next(buffer).empty());
}

TEST_CASE("a file is read from any offset on") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    write_file(directory.path() / "f", "abcdefg");
    const RegularFile file(directory.path() / "f");
    const struct {
        uint64_t offset;
        size_t wanted;
        std::string_view read;
    } cases[] = {{0, 3, "abc"}, {2, 2, "cd"}, {5, 4, "fg"}, {7, 1, ""}, {100, 1, ""}, {3, 0, ""}};
    for (const auto& c : cases) {
        CAPTURE(c.offset);
        std::string buffer(c.wanted, '-');
        CHECK(buffer.substr(0, file.read_at(c.offset, buffer)) == c.read);
    }
}

TEST_CASE("only regular files are opened, without waiting for the writer of a FIFO") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    const std::filesystem::path fifo = directory.path() / "fifo";
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    const std::pair<std::filesystem::path, const char*> cases[] = {
        {directory.path(), "cannot read shown: it is a directory, not a regular file"},
        {fifo, "cannot read shown: it is a FIFO, not a regular file"},
        {"/dev/zero", "cannot read shown: it is a device, not a regular file"},
        {directory.path() / "none", "cannot open shown: no such file or directory"},
    };
    for (const auto& c : cases) CHECK_THROWS_WITH_AS(RegularFile(c.first, "shown"), c.second, Error);
}
