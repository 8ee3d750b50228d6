#include "opcat/base/directories.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/platform.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>

using namespace opcat;

TEST_CASE("the ends of a pipe are not inherited by other programs") {
    int ends[2];
    REQUIRE(make_pipe(ends));
    for (const int end : ends) CHECK((::fcntl(end, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK((::fcntl(ends[0], F_GETFL) & O_NONBLOCK) == 0);
    set_nonblocking(ends[0]);
    char byte = 0;
    CHECK(::read(ends[0], &byte, 1) == -1);
    CHECK(::write(ends[1], "x", 1) == 1);
    CHECK(::read(ends[0], &byte, 1) == 1);
    CHECK(byte == 'x');
    for (const int end : ends) ::close(end);
}

TEST_CASE("a socket does not block, and is not inherited by other programs") {
    const int opened = open_stream_socket(AF_UNIX);
    REQUIRE(opened >= 0);
    CHECK((::fcntl(opened, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK((::fcntl(opened, F_GETFL) & O_NONBLOCK) != 0);
    ::close(opened);
}

TEST_CASE("sending to a closed connection does not end the program") {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    ::close(ends[1]);
    CHECK(send_without_signal(ends[0], "x", 1) == -1);
    ::close(ends[0]);
}

TEST_CASE("two directories are exchanged") {
    const TemporaryDirectory directory("/tmp");
    const auto left = directory.path() / "left";
    const auto right = directory.path() / "right";
    std::filesystem::create_directory(left);
    std::filesystem::create_directory(right);
    write_file(left / "a", "1");
    REQUIRE(swap_paths(left, right));
    CHECK(std::filesystem::exists(right / "a"));
    CHECK(std::filesystem::is_empty(left));
    CHECK(!swap_paths(left, directory.path() / "missing"));
    CHECK(std::filesystem::exists(left));
}

TEST_CASE("a running child is waited for as long as requested, and one that has ended is not") {
    using std::chrono::milliseconds;
    const pid_t child = ::fork();
    if (child == 0) {
        for (;;) ::pause();
    }
    CHECK(!wait_for_end(child, milliseconds(0)));
    CHECK(!wait_for_end(child, milliseconds(20)));
    ::kill(child, SIGKILL);
    CHECK(wait_for_end(child, milliseconds(-1)));
    CHECK(wait_for_end(child, milliseconds(0)));
    CHECK(::waitpid(child, nullptr, 0) == child); // still there to be reaped
}

TEST_CASE("the time of a change is that of the file") {
    const TemporaryDirectory directory("/tmp");
    const auto path = directory.path() / "file";
    write_file(path, "x");
    const timespec times[2] = {{1, 0}, {1700000000, 123000000}};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK(modification_time(status).tv_sec == 1700000000);
    CHECK(modification_time(status).tv_nsec == 123000000);
}

TEST_CASE("the program knows its own file") {
    CHECK(own_program().filename() == "opcat_base_test");
}
