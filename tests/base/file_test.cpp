#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

using namespace opcat;

namespace fs = std::filesystem;

namespace {

std::string failure_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

std::string written_text(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

} // namespace

TEST_CASE("an unreadable file is an error that names it, and is never waited for") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const fs::path fifo = directory.path() / "fifo";
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    const fs::path socket = directory.path() / "socket";
    const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, socket.c_str(), sizeof address.sun_path - 1);
    REQUIRE(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    ::close(descriptor);
    write_file(directory.path() / "large", std::string(101, 'x'));

    const struct {
        fs::path path;
        std::string_view message;
    } cases[] = {
        {directory.path() / "absent", "cannot open shown: no such file or directory"},
        {directory.path(), "cannot read shown: it is a directory, not a regular file"},
        {fifo, "cannot read shown: it is a FIFO, not a regular file"},
        {"/dev/zero", "cannot read shown: it is a device, not a regular file"},
        {socket, "cannot open shown: no such device or address"},
        {directory.path() / "large", "cannot read shown: it has 101 bytes, more than the limit of 100"},
        {directory.path() / "large" / "below", "cannot open shown: not a directory"},
    };
    for (const auto& [path, message] : cases) {
        CAPTURE(path);
        CHECK(failure_of([&, p = path] { read_file(p, "shown", 100); }) == message);
    }
}

TEST_CASE("a file is read whole, and padded with zeros") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const std::string bytes = std::string("a\0b\xff", 4) + std::string(100'000, 'x');
    write_file(directory.path() / "f", bytes);
    const auto file = read_file(directory.path() / "f", "shown");
    CHECK(file->path() == "shown");
    CHECK(file->bytes() == bytes);
    for (size_t i = 0; i < SourceFile::padding; ++i) REQUIRE(file->bytes().data()[bytes.size() + i] == 0);
}

TEST_CASE("a large file is the same whether one thread reads it or several") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    std::string bytes(size_t{7'000'003}, '\0');
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i >> 7);
    const fs::path path = directory.path() / "file";
    ThreadPool pool(3);
    FileMemory memory;
    for (const size_t size : {bytes.size(), size_t{4} << 20, (size_t{2} << 20) + 1, size_t{1}, size_t{0}}) {
        CAPTURE(size);
        write_file(path, std::string_view(bytes).substr(0, size));
        const auto file = read_file(path, "f", SourceFile::max_size, &memory, &pool);
        CHECK((file->bytes() == read_file(path, "f")->bytes()));
        CHECK((file->bytes() == std::string_view(bytes).substr(0, size)));
        CHECK(std::all_of(file->bytes().end(), file->bytes().end() + SourceFile::padding,
                          [](char c) { return c == 0; }));
    }
}

TEST_CASE("a file is written with the permissions that the umask leaves, and replaces another") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const fs::path path = directory.path() / "f";
    const mode_t before = ::umask(027);
    write_file(path, "old");
    write_file(path, "new");
    ::umask(before);
    CHECK(written_text(path) == "new");
    CHECK((fs::status(path).permissions() & fs::perms::all) == fs::perms(0640));
    CHECK(std::distance(fs::directory_iterator(directory.path()), {}) == 1);
}

TEST_CASE("a file that cannot be written is an error, and nothing is left next to it") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const fs::path taken = directory.path() / "taken";
    fs::create_directory(taken);
    CHECK(failure_of([&] { write_file(taken, "x"); }) ==
          "cannot write " + taken.string() + ": is a directory");
    CHECK(failure_of([&] {
              write_file(directory.path() / "no" / "f", "x");
          }).ends_with(": no such file or directory"));
    CHECK(std::distance(fs::directory_iterator(directory.path()), {}) == 1);
}

TEST_CASE("a program that is killed while it writes leaves the old content or the new, never a part") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const fs::path path = directory.path() / "f";
    const std::string old_content(3'000'000, 'o');
    const std::string new_content(3'000'000, 'n');
    for (int round = 0; round < 10; ++round) {
        write_file(path, old_content);
        const pid_t child = ::fork();
        if (child == 0) {
            while (true) {
                write_file(path, new_content);
                write_file(path, old_content);
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(3 + round));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        const std::string found = written_text(path);
        const bool whole = found == old_content || found == new_content;
        REQUIRE(whole);
    }
}

TEST_CASE("output goes through links, and straight into what is not a regular file") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const fs::path file = directory.path() / "file";
    const fs::path link = directory.path() / "link";
    write_output(file, "old");
    fs::create_symlink("file", link);
    write_output(link, "new");
    CHECK(fs::is_symlink(link));
    CHECK(written_text(file) == "new");

    const fs::path pipe = directory.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    write_output(pipe, "through");
    char read[16];
    CHECK(std::string_view(read, static_cast<size_t>(::read(reader, read, sizeof read))) == "through");
    ::close(reader);
    CHECK(fs::is_fifo(pipe));
    CHECK(failure_of([] { write_output("/dev/full", "x"); }) ==
          "cannot write /dev/full: no space left on device");
    CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("output for an open file continues it, and nothing is put in its place") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const fs::path file = directory.path() / "file";
    const int open = ::open(file.c_str(), O_WRONLY | O_CREAT, 0600);
    REQUIRE(::write(open, "log\n", 4) == 4);
    const fs::path link = directory.path() / "link";
    fs::create_symlink(fmt::format("/dev/fd/{}", open), link);
    for (const std::string& name :
         {fmt::format("/dev/fd/{}", open), fmt::format("/proc/self/fd/{}", open), link.string()}) {
        CAPTURE(name);
        write_output(name, "line\n");
        CHECK(failure_of([&] { require_writable(name); }) ==
              fmt::format("cannot change {}: it stands for a file that is already open", name));
    }
    CHECK(failure_of([&] { write_file(link, "x"); }) ==
          fmt::format("cannot write {}: it is not a regular file", link.string()));
    ::close(open);
    CHECK(written_text(file) == "log\nline\nline\nline\n");
    CHECK(fs::is_symlink(link));
}

TEST_CASE("a device is never replaced") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const fs::path link = directory.path() / "null";
    fs::create_symlink("/dev/null", link);
    for (const fs::path& path : {fs::path("/dev/null"), link})
        CHECK(failure_of([&] { write_file(path, "x"); }) ==
              fmt::format("cannot write {}: it is not a regular file", path.string()));
    CHECK(fs::is_character_file("/dev/null"));
    CHECK(fs::is_symlink(link));
}

TEST_CASE("a file that nobody may write is not replaced, not even by root") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const fs::path file = directory.path() / "file";
    write_output(file, "old");
    fs::permissions(file, fs::perms::owner_read);
    CHECK(failure_of([&] { write_output(file, "new"); }) ==
          fmt::format("cannot write {}: it is read-only", file.string()));
    CHECK(written_text(file) == "old");
}

TEST_CASE("messages of the system continue a sentence") {
    CHECK(system_message(EACCES) == "permission denied");
    CHECK(system_message(EIO) == "input/output error");
}

TEST_CASE("pieces of every size do not overlap, and outlive the memory that made them") {
    std::vector<std::pair<std::shared_ptr<char[]>, size_t>> pieces;
    {
        FileMemory memory;
        for (const size_t size :
             {0, 1, 100'000, 262'144, 300'001, 40'000'000, 262'145, 20'000'000, 20'000'000})
            pieces.emplace_back(memory.take(size), size);
    }
    for (size_t i = 0; i < pieces.size(); ++i)
        std::memset(pieces[i].first.get(), static_cast<int>('a' + i), pieces[i].second);
    for (size_t i = 0; i < pieces.size(); ++i) {
        const char* const begin = pieces[i].first.get();
        CHECK(std::all_of(begin, begin + pieces[i].second,
                          [&](char c) { return c == static_cast<char>('a' + i); }));
    }
}

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

TEST_CASE("ending the program removes every live temporary directory with its content") {
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

TEST_CASE("what root writes stays its owner's") {
    if (::geteuid() != 0) return;
    const TemporaryDirectory parent(fs::temp_directory_path());
    const fs::path file = parent.path() / "owned";
    write_file(file, "old");
    constexpr uid_t somebody = 12345;
    REQUIRE(::chown(file.c_str(), somebody, somebody) == 0);
    REQUIRE(::chmod(file.c_str(), 0640) == 0);
    write_file(file, "new");
    struct stat status {};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    CHECK(status.st_uid == somebody);
    CHECK(status.st_gid == somebody);
    CHECK((status.st_mode & 0777) == 0640);
}
