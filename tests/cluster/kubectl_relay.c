// Replaces kubectl in tests that run opcat hundreds of times: starting kubectl takes a hundred times longer
// than its request. Passes its call to the test (standin/relay.py), which answers what it can; the real
// kubectl does the rest.
//
// KUBECTL_RELAY names the socket of the test, REAL_KUBECTL the program. A message is a sequence of parts, each
// after its length (32 bits); an answer is the exit status (32 bits), what stdout gets, and what stderr gets.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { run_the_real_one = 255, stay = 254 };

struct bytes {
    char* data;
    size_t size, room;
};

static void append(struct bytes* to, const void* data, size_t size) {
    if (to->room - to->size < size) {
        to->room = 2 * (to->size + size) + 16384;
        to->data = realloc(to->data, to->room);
        if (!to->data) abort();
    }
    if (size > 0) memcpy(to->data + to->size, data, size);
    to->size += size;
}

static void append_part(struct bytes* message, const char* data, size_t size) {
    const uint32_t length = (uint32_t)size;
    append(message, &length, sizeof length);
    append(message, data, size);
}

static int write_all(int to, const char* data, size_t size) {
    while (size > 0) {
        const ssize_t written = write(to, data, size);
        if (written <= 0) return 0;
        data += written;
        size -= (size_t)written;
    }
    return 1;
}

static struct bytes read_all(int from) {
    struct bytes all = {0};
    char buffer[16384];
    for (ssize_t size; (size = read(from, buffer, sizeof buffer)) > 0;) append(&all, buffer, (size_t)size);
    return all;
}

static struct bytes ask(const char* path, const struct bytes* message) {
    const struct bytes nothing = {0};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    const int relay = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(relay, (const struct sockaddr*)&address, sizeof address) != 0 ||
        !write_all(relay, message->data, message->size) || shutdown(relay, SHUT_WR) != 0)
        return nothing;
    return read_all(relay);
}

static uint32_t take_number(struct bytes* from) {
    uint32_t number = run_the_real_one;
    if (from->size < sizeof number) return number;
    memcpy(&number, from->data, sizeof number);
    from->data += sizeof number;
    from->size -= sizeof number;
    return number;
}

static void print_part(struct bytes* answer, int to) {
    size_t size = take_number(answer);
    if (size > answer->size) size = answer->size;
    write_all(to, answer->data, size);
    answer->data += size;
    answer->size -= size;
}

static int run_real(char** arguments, const struct bytes* input, int has_input) {
    const char* const program = getenv("REAL_KUBECTL");
    if (has_input) {
        const int file = memfd_create("input", 0);
        if (file < 0 || !write_all(file, input->data, input->size) || lseek(file, 0, SEEK_SET) != 0 ||
            dup2(file, 0) != 0)
            return 1;
    }
    if (program) execv(program, arguments);
    perror("kubectl relay");
    return 1;
}

int main(int count, char** arguments) {
    const char* const kubeconfig = getenv("KUBECONFIG");
    const char* const path = getenv("KUBECTL_RELAY");
    struct bytes message = {0}, input = {0}, answer = {0};
    int has_input = 0;
    append_part(&message, kubeconfig ? kubeconfig : "", kubeconfig ? strlen(kubeconfig) : 0);
    for (int i = 1; i < count; ++i) has_input |= strcmp(arguments[i], "--filename=-") == 0;
    if (has_input) input = read_all(0);
    append_part(&message, input.data, input.size);
    for (int i = 1; i < count; ++i) append_part(&message, arguments[i], strlen(arguments[i]));
    if (path) answer = ask(path, &message);
    const uint32_t status = take_number(&answer);
    if (status == run_the_real_one) return run_real(arguments, &input, has_input);
    print_part(&answer, 1);
    print_part(&answer, 2);
    if (status == stay) pause();
    return (int)status;
}
