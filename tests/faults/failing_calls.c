/* Preloaded into opcat by test_faults.py: lets one call of the C library fail, or counts the calls there are.
 *
 *   FAULT_CALL=read FAULT_AT=3    the third call of read fails
 *   FAULT_KILLS=1                 instead, opcat is killed in its place; a write has written half of it then
 *   FAULT_COUNTS=FILE             at the end, "read 17" and so on, a line per call that was made
 *
 * Writing to standard error neither counts nor fails: an error could not be told any more. Of malloc, only calls for at
 * least LARGE bytes count: a program may rely on getting a few bytes, but not on a size that its input chose. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { LARGE = 64 * 1024 };

enum call {
    CALL_open, CALL_read, CALL_write, CALL_linkat, CALL_rename, CALL_mkdir, CALL_mkdtemp, CALL_mkostemp, CALL_fsync,
    CALL_opendir, CALL_readdir, CALL_connect, CALL_send, CALL_recv, CALL_malloc, CALLS
};
static const struct {
    const char* name;
    int error;
} calls[CALLS] = {
    [CALL_open] = {"open", EACCES},       [CALL_read] = {"read", EIO},           [CALL_write] = {"write", ENOSPC},
    [CALL_linkat] = {"linkat", ENOSPC},   [CALL_rename] = {"rename", EIO},       [CALL_mkdir] = {"mkdir", ENOSPC},
    [CALL_mkdtemp] = {"mkdtemp", ENOSPC}, [CALL_mkostemp] = {"mkostemp", ENOSPC}, [CALL_fsync] = {"fsync", EIO},
    [CALL_opendir] = {"opendir", EACCES}, [CALL_readdir] = {"readdir", EIO},     [CALL_connect] = {"connect", ECONNREFUSED},
    [CALL_send] = {"send", EPIPE},        [CALL_recv] = {"recv", ECONNRESET},    [CALL_malloc] = {"malloc", ENOMEM},
};

static atomic_long counts[CALLS];
static int failing = -1;
static long failing_at;
static int kills;
static char counts_file[4096];

__attribute__((constructor)) static void begin(void) {
    const char* const call = getenv("FAULT_CALL");
    const char* const at = getenv("FAULT_AT");
    const char* const file = getenv("FAULT_COUNTS");
    if (file) snprintf(counts_file, sizeof counts_file, "%s", file);
    failing_at = at ? atol(at) : 0;
    kills = getenv("FAULT_KILLS") != NULL;
    for (int i = 0; call && i < CALLS; ++i)
        if (strcmp(call, calls[i].name) == 0) failing = i;
    for (int i = 0; i < CALLS; ++i) counts[i] = 0;
}

__attribute__((destructor)) static void end(void) {
    if (counts_file[0] == 0) return;
    char text[1024];
    int length = 0;
    for (int i = 0; i < CALLS; ++i)
        if (counts[i] > 0)
            length += snprintf(text + length, sizeof text - (size_t)length, "%s %ld\n", calls[i].name, counts[i]);
    FILE* const file = fopen(counts_file, "w");
    if (!file) return;
    fwrite(text, 1, (size_t)length, file);
    fclose(file);
}

#define REAL(name, type) ((type)dlsym(RTLD_NEXT, name))

static int is_the_one(enum call call) {
    return ++counts[call] == failing_at && (int)call == failing;
}
static int fails(enum call call) {
    if (!is_the_one(call)) return 0;
    if (kills) kill(getpid(), SIGKILL);
    errno = calls[call].error;
    return 1;
}

static mode_t mode_of(int flags, va_list arguments) {
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}
#define DEFINE_OPEN(name)                                                                                  \
    int name(const char* path, int flags, ...) {                                                           \
        va_list arguments;                                                                                 \
        va_start(arguments, flags);                                                                        \
        const mode_t mode = mode_of(flags, arguments);                                                     \
        va_end(arguments);                                                                                 \
        return fails(CALL_open) ? -1 : REAL(#name, int (*)(const char*, int, ...))(path, flags, mode);     \
    }
#define DEFINE_OPENAT(name)                                                                                    \
    int name(int at, const char* path, int flags, ...) {                                                       \
        va_list arguments;                                                                                     \
        va_start(arguments, flags);                                                                            \
        const mode_t mode = mode_of(flags, arguments);                                                         \
        va_end(arguments);                                                                                     \
        return fails(CALL_open) ? -1 : REAL(#name, int (*)(int, const char*, int, ...))(at, path, flags, mode); \
    }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

ssize_t read(int file, void* to, size_t size) {
    return fails(CALL_read) ? -1 : REAL("read", ssize_t (*)(int, void*, size_t))(file, to, size);
}
ssize_t pread(int file, void* to, size_t size, off_t at) {
    return fails(CALL_read) ? -1 : REAL("pread", ssize_t (*)(int, void*, size_t, off_t))(file, to, size, at);
}
ssize_t pread64(int file, void* to, size_t size, off64_t at) {
    return fails(CALL_read) ? -1 : REAL("pread64", ssize_t (*)(int, void*, size_t, off64_t))(file, to, size, at);
}
ssize_t write(int file, const void* from, size_t size) {
    ssize_t (*const real)(int, const void*, size_t) = REAL("write", ssize_t (*)(int, const void*, size_t));
    if (file == STDERR_FILENO || !is_the_one(CALL_write)) return real(file, from, size);
    if (kills) {
        real(file, from, size / 2);
        kill(getpid(), SIGKILL);
    }
    errno = calls[CALL_write].error;
    return -1;
}
int linkat(int at, const char* from, int to_at, const char* to, int flags) {
    return fails(CALL_linkat)
               ? -1
               : REAL("linkat", int (*)(int, const char*, int, const char*, int))(at, from, to_at, to, flags);
}
int rename(const char* from, const char* to) {
    return fails(CALL_rename) ? -1 : REAL("rename", int (*)(const char*, const char*))(from, to);
}
int renameat2(int at, const char* from, int to_at, const char* to, unsigned flags) {
    return fails(CALL_rename)
               ? -1
               : REAL("renameat2", int (*)(int, const char*, int, const char*, unsigned))(at, from, to_at, to, flags);
}
int mkdir(const char* path, mode_t mode) {
    return fails(CALL_mkdir) ? -1 : REAL("mkdir", int (*)(const char*, mode_t))(path, mode);
}
char* mkdtemp(char* pattern) {
    return fails(CALL_mkdtemp) ? NULL : REAL("mkdtemp", char* (*)(char*))(pattern);
}
int mkostemp(char* pattern, int flags) {
    return fails(CALL_mkostemp) ? -1 : REAL("mkostemp", int (*)(char*, int))(pattern, flags);
}
int mkostemp64(char* pattern, int flags) {
    return fails(CALL_mkostemp) ? -1 : REAL("mkostemp64", int (*)(char*, int))(pattern, flags);
}
// Nobody pulls the plug here, and a slow disk would make the test wait for minutes.
int fsync(int file) {
    (void)file;
    return fails(CALL_fsync) ? -1 : 0;
}
DIR* opendir(const char* path) {
    return fails(CALL_opendir) ? NULL : REAL("opendir", DIR* (*)(const char*))(path);
}
DIR* fdopendir(int file) {
    return fails(CALL_opendir) ? NULL : REAL("fdopendir", DIR* (*)(int))(file);
}
struct dirent* readdir(DIR* directory) {
    return fails(CALL_readdir) ? NULL : REAL("readdir", struct dirent* (*)(DIR*))(directory);
}
struct dirent64* readdir64(DIR* directory) {
    return fails(CALL_readdir) ? NULL : REAL("readdir64", struct dirent64* (*)(DIR*))(directory);
}
int connect(int socket, const struct sockaddr* address, socklen_t length) {
    return fails(CALL_connect)
               ? -1
               : REAL("connect", int (*)(int, const struct sockaddr*, socklen_t))(socket, address, length);
}
ssize_t send(int socket, const void* from, size_t size, int flags) {
    return fails(CALL_send) ? -1
                            : REAL("send", ssize_t (*)(int, const void*, size_t, int))(socket, from, size, flags);
}
ssize_t recv(int socket, void* to, size_t size, int flags) {
    return fails(CALL_recv) ? -1 : REAL("recv", ssize_t (*)(int, void*, size_t, int))(socket, to, size, flags);
}

/* Not through dlsym, which itself asks for memory. */
extern void* __libc_malloc(size_t size);
void* malloc(size_t size) {
    return size >= LARGE && fails(CALL_malloc) ? NULL : __libc_malloc(size);
}
extern void* __libc_memalign(size_t alignment, size_t size);
void* aligned_alloc(size_t alignment, size_t size) {
    return size >= LARGE && fails(CALL_malloc) ? NULL : __libc_memalign(alignment, size);
}
