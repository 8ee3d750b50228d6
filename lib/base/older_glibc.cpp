// Functions that a static libstdc++ needs from a newer glibc, for programs that also run with glibc 2.31
// (preset portable). The names are glibc's.
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

extern "C" {

__attribute__((visibility("hidden"))) uint32_t arc4random() {
    uint32_t number = 0;
    while (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number))
        if (errno != EINTR) std::abort();
    return number;
}

// True would let the library change reference counts without atomic operations. It stays false, because
// nothing here counts the threads.
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;
}
