// Covers lib/base/directories.cpp.
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <sstream>

using namespace opcat;
namespace fs = std::filesystem;

namespace {

std::set<std::string> names_in(const fs::path& directory) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory))
        names.insert(entry.path().filename().string());
    return names;
}

std::string content(const fs::path& path) {
    return std::string(read_file(path, path.string())->bytes());
}

} // namespace

TEST_CASE("a staged directory replaces a missing, empty or full one") {
    const TemporaryDirectory work(fs::temp_directory_path());
    const fs::path target = work.path() / "above" / "target";
    const mode_t before = ::umask(027);
    for (const std::string text : {"first", "second"}) {
        StagedDirectory staged(target);
        write_file(staged.path() / text, text);
        staged.commit();
        CHECK(names_in(target) == std::set<std::string>{text});
        CHECK(fs::status(target).permissions() == fs::perms(0750));
    }
    ::umask(before);
    CHECK(names_in(target.parent_path()) == std::set<std::string>{"target"});
    fs::remove(target / "second");
    StagedDirectory staged(target / "");
    write_file(staged.path() / "third", "third");
    staged.commit();
    CHECK(content(target / "third") == "third");
}

TEST_CASE("without a commit nothing is left, and nothing has changed") {
    const TemporaryDirectory work(fs::temp_directory_path());
    fs::create_directory(work.path() / "target");
    { const StagedDirectory staged(work.path() / "target"); }
    CHECK(names_in(work.path()) == std::set<std::string>{"target"});
    CHECK(fs::is_empty(work.path() / "target"));
}

TEST_CASE("a file at the target is an error, and stays") {
    const TemporaryDirectory work(fs::temp_directory_path());
    write_file(work.path() / "target", "file");
    StagedDirectory staged(work.path() / "target");
    CHECK_THROWS_AS(staged.commit(), Error);
    CHECK(content(work.path() / "target") == "file");
}

TEST_CASE("the directory of a killed process is removed, that of a living one is not") {
    const TemporaryDirectory work(fs::temp_directory_path());
    const fs::path target = work.path() / "target";
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const StagedDirectory staged(target);
        write_file(staged.path() / "half", "half");
        (void)!::write(ready[1], "x", 1);
        for (;;) ::pause();
    }
    char byte = 0;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    CHECK(names_in(work.path()).size() == 1);
    { const StagedDirectory mine(target); }
    CHECK(names_in(work.path()).size() == 1); // the child's

    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    CHECK(names_in(work.path()).size() == 1);
    { const StagedDirectory mine(target); }
    CHECK(names_in(work.path()).empty());
    ::close(ready[0]);
    ::close(ready[1]);
}
