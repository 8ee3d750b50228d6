// What systems do in different ways. Older kernels and older versions of glibc lack calls that newer ones
// have, and macOS has others: only lib/base knows which (CMakeLists.txt looks for them).
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <string>

namespace opcat {

// The two ends of a pipe, which other programs do not inherit. False with errno set if there can be none.
bool make_pipe(int (&ends)[2]);

// Reads and writes of the descriptor do not wait from now on.
void set_nonblocking(int descriptor);

// A stream socket that does not block, and that other programs do not inherit. -1 with errno set if there can
// be none.
int open_stream_socket(int family);

// As send(), without a signal where the other side has gone.
ssize_t send_without_signal(int socket, const void* bytes, size_t size);

// Puts each of two files or directories in the place of the other, at once where the system can. False with
// errno set if it fails.
bool swap_paths(const std::filesystem::path& left, const std::filesystem::path& right);

// Waits until a child process has ended, which is not reaped. False if that takes longer; with -1
// milliseconds nothing is too long.
bool wait_for_end(pid_t child, std::chrono::milliseconds most);

// Asks for huge pages.
void advise_huge_pages(void* memory, size_t size);

// Gives freed memory back to the system, where the allocator keeps it otherwise.
void return_free_memory();

timespec modification_time(const struct stat& status);

// "glibc 2.36 (compiled with 2.31)": what runs now, and what is enough; empty for other C libraries.
std::string c_library();

// The file of the program that runs; empty if the system does not say.
std::filesystem::path own_program();

} // namespace opcat
