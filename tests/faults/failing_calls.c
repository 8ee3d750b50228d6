/* Preloaded into opcat by the tests next to it: counts the calls of the C library that can fail, and lets one
 * of them fail, or kills opcat at it.
 *
 * FAULT_CONTROL names a file that opcat and the test have in their memory (fault_case.py: Control). The test
 * says there which call fails, before opcat starts or while it runs, and finds there how often each call was
 * made.
 *
 * Programs that opcat starts see none of this. Writing to standard error neither counts nor fails: an error
 * could not be reported any more. Of malloc, only calls for at least LARGE bytes count, unless the test says
 * otherwise: a program may rely on getting a few bytes, but not on a size that its input chose. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 64 * 1024, LONGEST_NAME = 16 };

/* The calls, and the error of each when it fails. */
// clang-format off
#define ALL_CALLS(X)                                                                                      \
    X(open, EACCES) X(read, EIO) X(write, ENOSPC) X(linkat, ENOSPC) X(rename, EIO) X(mkdir, ENOSPC)       \
    X(mkdtemp, ENOSPC) X(mkostemp, ENOSPC) X(fsync, EIO) X(flock, ENOLCK) X(opendir, EACCES)              \
    X(readdir, EIO) X(mmap, ENOMEM) X(malloc, ENOMEM) X(pthread_create, EAGAIN) X(posix_spawn, EAGAIN)    \
    X(waitpid, ECHILD) X(pipe, EMFILE) X(poll, ENOMEM) X(getaddrinfo, EAI_AGAIN) X(socket, EMFILE)        \
    X(socketpair, EMFILE) X(connect, ECONNREFUSED) X(send, EPIPE) X(recv, ECONNRESET) X(bind, EADDRINUSE) \
    X(listen, EADDRINUSE) X(getsockname, ENOBUFS) X(accept, EMFILE) X(epoll_create, EMFILE)               \
    X(epoll_ctl, ENOMEM) X(epoll_wait, EINVAL) X(readv, ECONNRESET) X(writev, EPIPE) X(dup, EMFILE)
// clang-format on

#define AS_NUMBER(name, error) CALL_##name,
#define AS_ROW(name, error) {#name, error},
enum call { ALL_CALLS(AS_NUMBER) CALLS };
static const struct {
    const char* name;
    int error;
} calls[CALLS] = {ALL_CALLS(AS_ROW)};

struct control {
    char failing[LONGEST_NAME]; // the call that is to fail
    atomic_long remaining;      // the how manieth call from now it is; 0: none
    atomic_long kills;          // instead, opcat is killed in its place; a write has written half of it then
    atomic_long happened;       // how often there was a fault
    atomic_long large;          // from how many bytes on malloc counts; 0: LARGE
    struct {
        char name[LONGEST_NAME];
        atomic_long count;
    } calls[CALLS];
};
static struct control none; // until the file is there
static struct control* control = &none;

#define REAL(name, type) ((type)dlsym(RTLD_NEXT, name))

typedef void* (*map_memory)(void*, size_t, int, int, int, off_t);

__attribute__((constructor)) static void begin(void) {
    const char* const path = getenv("FAULT_CONTROL");
    const int file = path ? REAL("open", int (*)(const char*, int))(path, O_RDWR | O_CLOEXEC) : -1;
    if (file >= 0) {
        void* const memory =
            REAL("mmap", map_memory)(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
        if (memory == MAP_FAILED) abort();
        control = memory;
        for (int i = 0; i < CALLS; ++i) strncpy(control->calls[i].name, calls[i].name, LONGEST_NAME - 1);
    }
    unsetenv("FAULT_CONTROL");
    unsetenv("LD_PRELOAD");
}

static int is_large(size_t size) {
    return size >= (control->large ? (size_t)control->large : LARGE);
}

static int is_the_one(enum call call) {
    ++control->calls[call].count;
    if (strncmp(control->failing, calls[call].name, LONGEST_NAME) != 0 || control->remaining <= 0) return 0;
    if (--control->remaining != 0) return 0;
    ++control->happened;
    return 1;
}
static void fail_or_die(enum call call) {
    if (control->kills) kill(getpid(), SIGKILL);
    errno = calls[call].error;
}
static int fails(enum call call) {
    if (!is_the_one(call)) return 0;
    fail_or_die(call);
    return 1;
}
/* For functions that return the error. */
static int error_of(enum call call) {
    return fails(call) ? calls[call].error : 0;
}

static mode_t mode_of(int flags, va_list arguments) {
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}
#define DEFINE_OPEN(name)                                                                                    \
    int name(const char* path, int flags, ...) {                                                             \
        va_list arguments;                                                                                   \
        va_start(arguments, flags);                                                                          \
        const mode_t mode = mode_of(flags, arguments);                                                       \
        va_end(arguments);                                                                                   \
        return fails(CALL_open) ? -1 : REAL(#name, int (*)(const char*, int, ...))(path, flags, mode);       \
    }
#define DEFINE_OPENAT(name)                                                                                  \
    int name(int at, const char* path, int flags, ...) {                                                     \
        va_list arguments;                                                                                   \
        va_start(arguments, flags);                                                                          \
        const mode_t mode = mode_of(flags, arguments);                                                       \
        va_end(arguments);                                                                                   \
        return fails(CALL_open) ? -1                                                                         \
                                : REAL(#name, int (*)(int, const char*, int, ...))(at, path, flags, mode);   \
    }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

/* name(parameters), which fails with `failed`: most functions are like that. */
#define DEFINE(call, type, failed, name, parameters, arguments)                                              \
    type name parameters {                                                                                   \
        return fails(CALL_##call) ? failed : REAL(#name, type(*) parameters) arguments;                      \
    }
#define DEFINE_RETURNING_ERROR(call, name, parameters, arguments)                                            \
    int name parameters {                                                                                    \
        const int error = error_of(CALL_##call);                                                             \
        return error ? error : REAL(#name, int(*) parameters) arguments;                                     \
    }

DEFINE(open, FILE*, NULL, fopen, (const char* path, const char* mode), (path, mode))
DEFINE(open, FILE*, NULL, fopen64, (const char* path, const char* mode), (path, mode))
DEFINE(read, ssize_t, -1, read, (int file, void* to, size_t size), (file, to, size))
DEFINE(read, ssize_t, -1, pread, (int file, void* to, size_t size, off_t at), (file, to, size, at))
DEFINE(read, ssize_t, -1, pread64, (int file, void* to, size_t size, off64_t at), (file, to, size, at))
DEFINE(linkat, int, -1, linkat, (int at, const char* from, int to_at, const char* to, int flags),
       (at, from, to_at, to, flags))
DEFINE(rename, int, -1, rename, (const char* from, const char* to), (from, to))
DEFINE(rename, int, -1, renameat2, (int at, const char* from, int to_at, const char* to, unsigned flags),
       (at, from, to_at, to, flags))
DEFINE(mkdir, int, -1, mkdir, (const char* path, mode_t mode), (path, mode))
DEFINE(mkdtemp, char*, NULL, mkdtemp, (char* pattern), (pattern))
DEFINE(mkostemp, int, -1, mkostemp, (char* pattern, int flags), (pattern, flags))
DEFINE(mkostemp, int, -1, mkostemp64, (char* pattern, int flags), (pattern, flags))
DEFINE(flock, int, -1, flock, (int file, int operation), (file, operation))
DEFINE(opendir, DIR*, NULL, opendir, (const char* path), (path))
DEFINE(opendir, DIR*, NULL, fdopendir, (int file), (file))
DEFINE(readdir, struct dirent*, NULL, readdir, (DIR * directory), (directory))
DEFINE(readdir, struct dirent64*, NULL, readdir64, (DIR * directory), (directory))
DEFINE(mmap, void*, MAP_FAILED, mmap,
       (void* at, size_t size, int protection, int flags, int file, off_t from),
       (at, size, protection, flags, file, from))
DEFINE(mmap, void*, MAP_FAILED, mmap64,
       (void* at, size_t size, int protection, int flags, int file, off64_t from),
       (at, size, protection, flags, file, from))
DEFINE_RETURNING_ERROR(pthread_create, pthread_create,
                       (pthread_t * thread, const pthread_attr_t* attributes, void* (*run)(void*),
                        void* with),
                       (thread, attributes, run, with))
DEFINE_RETURNING_ERROR(posix_spawn, posix_spawnp,
                       (pid_t * child, const char* program, const posix_spawn_file_actions_t* actions,
                        const posix_spawnattr_t* attributes, char* const arguments[],
                        char* const environment[]),
                       (child, program, actions, attributes, arguments, environment))
DEFINE(waitpid, pid_t, -1, waitpid, (pid_t child, int* status, int options), (child, status, options))
DEFINE(waitpid, int, -1, waitid, (idtype_t type, id_t id, siginfo_t* info, int options),
       (type, id, info, options))
DEFINE(pipe, int, -1, pipe, (int ends[2]), (ends))
DEFINE(pipe, int, -1, pipe2, (int ends[2], int flags), (ends, flags))
DEFINE(poll, int, -1, poll, (struct pollfd * files, nfds_t count, int milliseconds),
       (files, count, milliseconds))
DEFINE_RETURNING_ERROR(getaddrinfo, getaddrinfo,
                       (const char* host, const char* port, const struct addrinfo* wanted,
                        struct addrinfo** found),
                       (host, port, wanted, found))
DEFINE(socket, int, -1, socket, (int family, int type, int protocol), (family, type, protocol))
DEFINE(socketpair, int, -1, socketpair, (int family, int type, int protocol, int ends[2]),
       (family, type, protocol, ends))
DEFINE(connect, int, -1, connect, (int socket, const struct sockaddr* address, socklen_t length),
       (socket, address, length))
DEFINE(recv, ssize_t, -1, recv, (int socket, void* to, size_t size, int flags), (socket, to, size, flags))
DEFINE(bind, int, -1, bind, (int socket, const struct sockaddr* address, socklen_t length),
       (socket, address, length))
DEFINE(listen, int, -1, listen, (int socket, int backlog), (socket, backlog))
DEFINE(getsockname, int, -1, getsockname, (int socket, struct sockaddr* address, socklen_t* length),
       (socket, address, length))
DEFINE(accept, int, -1, accept, (int socket, struct sockaddr* address, socklen_t* length),
       (socket, address, length))
DEFINE(accept, int, -1, accept4, (int socket, struct sockaddr* address, socklen_t* length, int flags),
       (socket, address, length, flags))
DEFINE(epoll_create, int, -1, epoll_create1, (int flags), (flags))
DEFINE(epoll_ctl, int, -1, epoll_ctl, (int set, int operation, int file, struct epoll_event* event),
       (set, operation, file, event))
DEFINE(epoll_wait, int, -1, epoll_wait, (int set, struct epoll_event* events, int most, int milliseconds),
       (set, events, most, milliseconds))
DEFINE(readv, ssize_t, -1, readv, (int file, const struct iovec* to, int count), (file, to, count))
DEFINE(dup, int, -1, dup, (int file), (file))

// Nobody pulls the plug here, and a slow disk would make the test wait for minutes.
int fsync(int file) {
    (void)file;
    return fails(CALL_fsync) ? -1 : 0;
}

ssize_t write(int file, const void* from, size_t size) {
    ssize_t (*const real)(int, const void*, size_t) = REAL("write", ssize_t(*)(int, const void*, size_t));
    if (file == STDERR_FILENO || !is_the_one(CALL_write)) return real(file, from, size);
    if (control->kills) real(file, from, size / 2);
    fail_or_die(CALL_write);
    return -1;
}
ssize_t send(int socket, const void* from, size_t size, int flags) {
    ssize_t (*const real)(int, const void*, size_t, int) =
        REAL("send", ssize_t(*)(int, const void*, size_t, int));
    if (!is_the_one(CALL_send)) return real(socket, from, size, flags);
    if (control->kills) real(socket, from, size / 2, flags);
    fail_or_die(CALL_send);
    return -1;
}
ssize_t writev(int file, const struct iovec* from, int count) {
    ssize_t (*const real)(int, const struct iovec*, int) =
        REAL("writev", ssize_t(*)(int, const struct iovec*, int));
    if (!is_the_one(CALL_writev)) return real(file, from, count);
    if (control->kills) real(file, from, (count + 1) / 2);
    fail_or_die(CALL_writev);
    return -1;
}

/* Not through dlsym, which itself asks for memory. */
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* memory, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);
void* malloc(size_t size) {
    return is_large(size) && fails(CALL_malloc) ? NULL : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
    return is_large(count * size) && fails(CALL_malloc) ? NULL : __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
    return is_large(size) && fails(CALL_malloc) ? NULL : __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
    return is_large(size) && fails(CALL_malloc) ? NULL : __libc_memalign(alignment, size);
}
