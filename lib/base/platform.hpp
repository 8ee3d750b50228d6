// The differences between systems. Older kernels and versions of glibc lack calls that newer ones have, and
// macOS has others. Only lib/base knows which; CMakeLists.txt checks for them.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <string>

namespace opcat {

// The two ends of a pipe, which other programs do not inherit. False with errno set on failure.
bool make_pipe(int (&ends)[2]);

// Makes reads and writes of the descriptor non-blocking.
void set_nonblocking(int descriptor);

// A non-blocking stream socket that other programs do not inherit. -1 with errno set on failure.
int open_stream_socket(int family);

// Like send(), without a signal if the peer has closed the connection.
ssize_t send_without_signal(int socket, const void* bytes, size_t size);

// Exchanges two files or directories, atomically where the system supports it. False with errno set on
// failure.
bool swap_paths(const std::filesystem::path& left, const std::filesystem::path& right);

// Waits until a child process has ended, without reaping it. False if that takes longer; -1 milliseconds
// waits without limit.
bool wait_for_end(pid_t child, std::chrono::milliseconds most);

// Asks for huge pages.
void advise_huge_pages(void* memory, size_t size);

// Returns freed memory to the system, if the allocator would keep it.
void return_free_memory();

// Returns true if a bad memory access is one just below or above the stack pointer. `context` is what the
// signal handler got. False on processors that this function does not know. A signal handler may call it.
bool is_end_of_stack(const siginfo_t& access, const void* context);

// The stack of threads that are started from now on, in bytes, if it would be smaller; it depends on the
// limit of the process else.
void set_stack_of_threads(size_t bytes);

timespec modification_time(const struct stat& status);
// Also when a change kept the time of modification, as `cp -p` does.
timespec change_time(const struct stat& status);

// "glibc 2.36 (compiled with 2.31)": the version that runs, and the one that is required; empty for other C
// libraries.
std::string c_library();

// The environment of this process, as execve takes it.
char** process_environment();

// The file of the running program; empty if the system does not report it.
std::filesystem::path own_program();

} // namespace opcat
