#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/mapped_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <utility>

using namespace opcat;
namespace fs = std::filesystem;

TEST_CASE("a mapped file has the bytes of the file, also after the file is removed or the object has moved") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const std::string content(100'000, 'x');
    const fs::path path = directory.path() / "file";
    std::ofstream(path) << content;
    MappedFile mapped(path);
    fs::remove(path);
    CHECK(mapped.bytes() == content);
    MappedFile other(std::move(mapped));
    CHECK(other.bytes() == content);
    std::ofstream(path) << "short";
    other = MappedFile(path);
    CHECK(other.bytes() == "short");
}

TEST_CASE("only regular files can be mapped; an empty one has no bytes") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const auto problem = [&](const char* name) -> std::string {
        try {
            const MappedFile mapped(directory.path() / name);
            return mapped.bytes().empty() ? "" : "bytes";
        } catch (const Error& error) {
            const std::string text = error.what();
            return text.substr(text.rfind(": "));
        }
    };
    std::ofstream(directory.path() / "empty");
    REQUIRE(::mkfifo((directory.path() / "fifo").c_str(), 0600) == 0);
    CHECK(problem("empty").empty());
    CHECK(problem("missing") == ": no such file or directory");
    CHECK(problem("fifo") == ": it is a FIFO, not a regular file");
    CHECK(problem(".") == ": it is a directory, not a regular file");
}
