#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/file_reader.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <array>
#include <string>

using namespace opcat;

TEST_CASE("a file is read in pieces of the size of the buffer, the last of which is smaller") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    write_file(directory.path() / "f", "abcdefg");
    FileReader file(directory.path() / "f");
    CHECK(file.size() == 7);
    std::array<char, 3> buffer{};
    CHECK(file.next(buffer) == "abc");
    CHECK(file.next(buffer) == "def");
    CHECK(file.next(buffer) == "g");
    CHECK(file.next(buffer).empty());
}

TEST_CASE("what is not a regular file is refused, without waiting for the writer of a FIFO") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    const std::filesystem::path fifo = directory.path() / "fifo";
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    CHECK_THROWS_WITH_AS(FileReader(directory.path()),
                         ("cannot read " + directory.path().string() + ": it is not a regular file").c_str(),
                         Error);
    CHECK_THROWS_WITH_AS(FileReader{fifo},
                         ("cannot read " + fifo.string() + ": it is not a regular file").c_str(), Error);
    CHECK_THROWS_WITH_AS(
        FileReader(directory.path() / "none"),
        ("cannot read " + (directory.path() / "none").string() + ": no such file or directory").c_str(),
        Error);
}
