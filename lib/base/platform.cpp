#include "opcat/base/platform.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <thread>

#ifdef __linux__
#include <sys/syscall.h>
#endif
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#ifdef OPCAT_HAS_MALLOC_TRIM
#include <malloc.h>
#endif
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#ifdef __APPLE__
extern "C" char** environ; // which no header declares there
#endif

namespace opcat {
namespace {

// For systems without a call that opens and sets the flag at once; a program that another thread starts in
// between inherits the descriptor.
[[maybe_unused]] void close_on_exec(int descriptor) {
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

// A descriptor that becomes readable when the process ends; -1 before Linux 5.3 and elsewhere.
int process_descriptor([[maybe_unused]] pid_t process) {
#ifdef SYS_pidfd_open
    return static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
#else
    return -1;
#endif
}

bool has_ended(pid_t child) {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == child;
}

} // namespace

bool make_pipe(int (&ends)[2]) {
#ifdef OPCAT_HAS_PIPE2
    return ::pipe2(ends, O_CLOEXEC) == 0;
#else
    if (::pipe(ends) != 0) return false;
    for (const int end : ends) close_on_exec(end);
    return true;
#endif
}

void set_nonblocking(int descriptor) {
    ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

int open_stream_socket(int family) {
#if defined(SOCK_NONBLOCK) && defined(SOCK_CLOEXEC)
    return ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
#else
    const int opened = ::socket(family, SOCK_STREAM, 0);
    if (opened < 0) return -1;
    close_on_exec(opened);
    set_nonblocking(opened);
    return opened;
#endif
}

ssize_t send_without_signal(int socket, const void* bytes, size_t size) {
#ifdef MSG_NOSIGNAL
    return ::send(socket, bytes, size, MSG_NOSIGNAL);
#else
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
    return ::send(socket, bytes, size, 0);
#endif
}

bool swap_paths(const std::filesystem::path& left, const std::filesystem::path& right) {
#if defined(OPCAT_HAS_RENAMEAT2)
    return ::renameat2(AT_FDCWD, left.c_str(), AT_FDCWD, right.c_str(), RENAME_EXCHANGE) == 0;
#elif defined(OPCAT_HAS_RENAMEX_NP)
    return ::renamex_np(left.c_str(), right.c_str(), RENAME_SWAP) == 0;
#else
    // For a moment `right` does not exist.
    const std::string aside = left.string() + ".old";
    if (std::rename(right.c_str(), aside.c_str()) != 0) return false;
    if (std::rename(left.c_str(), right.c_str()) == 0) return std::rename(aside.c_str(), left.c_str()) == 0;
    const int error_number = errno;
    std::rename(aside.c_str(), right.c_str());
    errno = error_number;
    return false;
#endif
}

bool wait_for_end(pid_t child, std::chrono::milliseconds most) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + most;
    const int descriptor = process_descriptor(child);
    constexpr std::chrono::milliseconds pause(10); // between two polls, where the system cannot wake us
    while (!has_ended(child)) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
        if (most.count() >= 0 && left.count() <= 0) break;
        if (descriptor >= 0) {
            pollfd process{descriptor, POLLIN, 0};
            ::poll(&process, 1,
                   most.count() < 0 ? -1 : static_cast<int>(std::min<int64_t>(left.count(), 1 << 30)));
        } else {
            std::this_thread::sleep_for(most.count() < 0 ? pause : std::min(pause, left));
        }
    }
    if (descriptor >= 0) ::close(descriptor);
    return has_ended(child);
}

void advise_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] size_t size) {
#ifdef MADV_HUGEPAGE
    ::madvise(memory, size, MADV_HUGEPAGE); // only advice: it may not exist
#endif
}

void return_free_memory() {
#ifdef OPCAT_HAS_MALLOC_TRIM
    ::malloc_trim(0);
#endif
}

bool is_end_of_stack([[maybe_unused]] const siginfo_t& access, [[maybe_unused]] const void* context) {
    [[maybe_unused]] const auto is_near = [&](uint64_t stack_pointer) {
        constexpr uint64_t reach = 64 << 10; // a function may reserve so much at once
        const auto address = reinterpret_cast<uintptr_t>(access.si_addr);
        return address + reach > stack_pointer && address < stack_pointer + reach;
    };
#if defined(__linux__) && defined(__x86_64__)
    return is_near(
        static_cast<uint64_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]));
#elif defined(__linux__) && defined(__aarch64__)
    return is_near(static_cast<const ucontext_t*>(context)->uc_mcontext.sp);
#else
    return false;
#endif
}

void set_stack_of_threads([[maybe_unused]] size_t bytes) {
#ifdef __GLIBC__
    pthread_attr_t attributes;
    if (::pthread_getattr_default_np(&attributes) != 0) return;
    size_t current = 0;
    if (::pthread_attr_getstacksize(&attributes, &current) == 0 && current < bytes &&
        ::pthread_attr_setstacksize(&attributes, bytes) == 0)
        ::pthread_setattr_default_np(&attributes);
    ::pthread_attr_destroy(&attributes);
#endif
}

timespec modification_time(const struct stat& status) {
#ifdef __APPLE__
    return status.st_mtimespec;
#else
    return status.st_mtim;
#endif
}

timespec change_time(const struct stat& status) {
#ifdef __APPLE__
    return status.st_ctimespec;
#else
    return status.st_ctim;
#endif
}

std::string c_library() {
#ifdef __GLIBC__
    return fmt::format("glibc {} (compiled with {}.{})", ::gnu_get_libc_version(), __GLIBC__,
                       __GLIBC_MINOR__);
#else
    return {};
#endif
}

char** process_environment() {
    return environ;
}

std::filesystem::path own_program() {
#ifdef __APPLE__
    char path[4096];
    uint32_t size = sizeof path;
    if (::_NSGetExecutablePath(path, &size) != 0) return {};
    std::error_code failed;
    return std::filesystem::canonical(path, failed);
#else
    std::error_code failed;
    return std::filesystem::read_symlink("/proc/self/exe", failed);
#endif
}

} // namespace opcat
