#include "base/file.hpp"
#include "base/scoped_path.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

using namespace opcat;
namespace fs = std::filesystem;

namespace {

std::string touch(const fs::path& path) {
    std::ofstream(path) << "x";
    return path.string();
}

} // namespace

TEST_CASE("a scoped path is removed with its object unless it is kept") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const fs::path gone = directory.path() / "gone";
    const fs::path kept = directory.path() / "kept";
    {
        const ScopedPath first([&] { return touch(gone); });
        ScopedPath second([&] { return touch(kept); });
        second.keep();
    }
    CHECK_FALSE(fs::exists(gone));
    CHECK(fs::exists(kept));
}

TEST_CASE("ending the program removes every live temporary directory with all that is in it") {
    const TemporaryDirectory parent(fs::temp_directory_path());
    const pid_t child = ::fork();
    if (child == 0) {
        const TemporaryDirectory one(parent.path());
        const TemporaryDirectory two(parent.path());
        fs::create_directories(one.path() / "a/b");
        touch(one.path() / "a/b/c");
        remove_scoped_paths();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
    CHECK_FALSE(fs::exists(parent.path())); // the child knew of it, too
}
