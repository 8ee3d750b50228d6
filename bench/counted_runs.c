/* Preloaded by growth.py into a program that runs under valgrind: the program then does not run once, but
 * once for each request. Most of what such a run takes is the start: valgrind translates the program's code.
 * Here that is done once, and each run is a child that inherits the translation.
 *
 * COUNTED_RUNS is the descriptor of a socket. A request is a packet of words, each with a NUL after it:
 * "warm" or "count", and the arguments. Warm runs are made by this process itself, so that what they
 * translate stays. The answer is the process that counted; its instructions are in its log. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

enum { MOST_WORDS = 64, LONGEST_REQUEST = 65536 };

typedef int main_function(int, char**, char**);
typedef int start_function(main_function*, int, char**, void (*)(void), void (*)(void), void (*)(void),
                           void*);

static main_function* program;

static int serve(int count, char** arguments, char** environment) {
    (void)count;
    static char request[LONGEST_REQUEST];
    const int requests = atoi(getenv("COUNTED_RUNS"));
    ssize_t size;
    while ((size = recv(requests, request, sizeof request, 0)) > 0) {
        char* words[MOST_WORDS + 1] = {arguments[0]};
        int n = 1;
        char* rest = request + strlen(request) + 1;
        for (; rest < request + size && n < MOST_WORDS; rest += strlen(rest) + 1) words[n++] = rest;
        const pid_t child = strcmp(request, "count") == 0 ? fork() : 0;
        if (child == 0) {
            CALLGRIND_ZERO_STATS;
            const int status = program(n, words, environment);
            if (strcmp(request, "count") == 0) exit(status);
        } else {
            waitpid(child, NULL, 0);
        }
        if (send(requests, &child, sizeof child, 0) < 0) return 1;
    }
    return 0;
}

/* valgrind itself begins as a shell script, which is left alone. */
int __libc_start_main(main_function* main, int count, char** arguments, void (*initialise)(void),
                      void (*finish)(void), void (*finish_loader)(void), void* end_of_stack) {
    start_function* start;
    *(void**)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    program = main;
    return start(RUNNING_ON_VALGRIND ? serve : main, count, arguments, initialise, finish, finish_loader,
                 end_of_stack);
}
