/* Preloaded into opcat by the tests next to it: its time is that of the simulated cluster (standin/clock.py).
 *
 * SIMULATED_CLOCK names a directory. Its file `now` has the time in nanoseconds since 1970, and passes only
 * while somebody waits. A sleep is sent to its `socket`, which answers when the sleep is over: until then the
 * cluster has had its turns. So however slow the machine is, opcat sees the same after the same pauses.
 *
 * What waits for other programs (poll) waits by the real time, and when nothing came in time, its time has
 * passed here, too. Each look at the clock takes a microsecond, so that loops with a deadline end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const int64_t second = 1000000000;

static _Atomic int64_t* shown; // the time of the cluster
static _Atomic int64_t more;   // nanoseconds that have passed in this process only
static int64_t begun;          // of the cluster's time, when this process was started
static int64_t real_monotonic; // the same of CLOCK_MONOTONIC

static int (*real_clock_gettime)(clockid_t, struct timespec*);
static int (*real_nanosleep)(const struct timespec*, struct timespec*);
static int (*real_poll)(struct pollfd*, nfds_t, int);
static int (*real_timedwait)(pthread_cond_t*, pthread_mutex_t*, const struct timespec*);
static int (*real_clockwait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);

static int64_t in_nanoseconds(struct timespec time) {
    return time.tv_sec * second + time.tv_nsec;
}

static struct timespec from_nanoseconds(int64_t time) {
    return (struct timespec){time / second, time % second};
}

__attribute__((constructor)) static void begin(void) {
    real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    real_nanosleep = dlsym(RTLD_NEXT, "nanosleep");
    real_poll = dlsym(RTLD_NEXT, "poll");
    real_timedwait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    real_clockwait = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
    const char* const directory = getenv("SIMULATED_CLOCK");
    char path[sizeof(struct sockaddr_un)];
    if (!directory || snprintf(path, sizeof path, "%s/now", directory) >= (int)sizeof path) return;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    void* const memory = mmap(NULL, sizeof *shown, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) return;
    struct timespec now;
    real_clock_gettime(CLOCK_MONOTONIC, &now);
    real_monotonic = in_nanoseconds(now);
    begun = *(_Atomic int64_t*)memory;
    shown = memory;
}

int clock_gettime(clockid_t which, struct timespec* time) {
    if (!real_clock_gettime) real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    if (!shown || (which != CLOCK_REALTIME && which != CLOCK_MONOTONIC))
        return real_clock_gettime(which, time);
    const int64_t now = atomic_load(shown) + atomic_fetch_add(&more, 1000);
    *time = from_nanoseconds(which == CLOCK_REALTIME ? now : real_monotonic + now - begun);
    return 0;
}

int gettimeofday(struct timeval* restrict time, void* restrict zone) {
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t* result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

/* Sleeps in the cluster. -1 with EINTR after a signal, with nothing left of the sleep: who was woken looks
 * why. */
static int sleep_in_cluster(int64_t time, struct timespec* left) {
    if (left) *left = (struct timespec){0, 0};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", getenv("SIMULATED_CLOCK"));
    const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char answer;
    int result = -1;
    if (server >= 0 && connect(server, (const struct sockaddr*)&address, sizeof address) == 0 &&
        send(server, &time, sizeof time, MSG_NOSIGNAL) == sizeof time)
        result = recv(server, &answer, 1, 0) == 1 ? 0 : -1;
    const int error = result == 0 ? 0 : errno;
    if (server >= 0) close(server);
    if (result < 0 && error != EINTR) { // the cluster has ended
        atomic_fetch_add(&more, time);
        return 0;
    }
    errno = error;
    return result;
}

int nanosleep(const struct timespec* time, struct timespec* left) {
    return shown ? sleep_in_cluster(in_nanoseconds(*time), left) : real_nanosleep(time, left);
}

int clock_nanosleep(clockid_t which, int flags, const struct timespec* time, struct timespec* left) {
    struct timespec now = {0, 0};
    if (flags & TIMER_ABSTIME) clock_gettime(which, &now);
    const int64_t pause = in_nanoseconds(*time) - in_nanoseconds(now);
    const struct timespec relative = from_nanoseconds(pause > 0 ? pause : 0);
    return nanosleep(&relative, flags & TIMER_ABSTIME ? NULL : left) == 0 ? 0 : errno;
}

int poll(struct pollfd* files, nfds_t count, int milliseconds) {
    const int found = real_poll(files, count, milliseconds);
    if (shown && found == 0 && milliseconds > 0) atomic_fetch_add(&more, milliseconds * (second / 1000));
    return found;
}

/* Waits of threads for one another take the real time; their deadlines are translated. */
static struct timespec as_real(clockid_t which, const struct timespec* deadline) {
    struct timespec simulated, real;
    clock_gettime(which, &simulated);
    real_clock_gettime(which, &real);
    return from_nanoseconds(in_nanoseconds(real) + in_nanoseconds(*deadline) - in_nanoseconds(simulated));
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const struct timespec* deadline) {
    if (!shown) return real_timedwait(condition, mutex, deadline);
    const struct timespec real = as_real(CLOCK_REALTIME, deadline);
    return real_timedwait(condition, mutex, &real);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t which,
                           const struct timespec* deadline) {
    if (!shown) return real_clockwait(condition, mutex, which, deadline);
    const struct timespec real = as_real(which, deadline);
    const int result = real_clockwait(condition, mutex, which, &real);
    if (result == ETIMEDOUT) {
        struct timespec now;
        clock_gettime(which, &now);
        const int64_t missing = in_nanoseconds(*deadline) - in_nanoseconds(now);
        if (missing > 0) atomic_fetch_add(&more, missing);
    }
    return result;
}
