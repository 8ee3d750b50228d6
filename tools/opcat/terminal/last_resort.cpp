#include "terminal/last_resort.hpp"

#include "opcat/base/platform.hpp"
#include "terminal/session.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

namespace opcat {
namespace {

constexpr rlim_t enough_stack = rlim_t{8} << 20;
constexpr size_t least_for_exception = 512;

// Functions of the C library that a signal handler may call.
void say(std::string_view text) {
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return; // there is nowhere to complain
}

[[noreturn]] void end_without_memory() {
    say_memory_is_short();
    ::_exit(exit_environment);
}

void on_terminate() {
    if (const std::exception_ptr thrown = std::current_exception()) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::bad_alloc&) {
            end_without_memory();
        } catch (...) {
            std::abort();
        }
    }
    // Without memory for an exception there is none.
    if (void* const memory = std::malloc(least_for_exception))
        std::free(memory);
    else
        end_without_memory();
    std::abort();
}

// Before objects of libraries are made, which need memory, too: that is before main().
__attribute__((constructor(101))) void prepare_for_termination() {
    std::set_terminate(on_terminate);
}

void on_bad_address(int signal, siginfo_t* what, void* context) {
    if (is_end_of_stack(*what, context)) {
        say("error: there is not enough stack for this command\n"
            "  help: raise the limit: see ulimit -s\n");
        ::_exit(exit_environment);
    }
    (void)std::signal(signal, SIG_DFL); // it happens again when the handler returns
}

} // namespace

void say_memory_is_short() {
    say("error: there is not enough memory for this command\n"
        "  help: raise the memory limit (of the container, or ulimit -v), or read less input\n");
}

void prepare_for_lack_of_resources() {
    (void)std::signal(SIGXFSZ, SIG_IGN); // writing then fails, which has its own message
    rlimit stack{};
    if (::getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < enough_stack) {
        stack.rlim_cur = std::min(enough_stack, stack.rlim_max);
        ::setrlimit(RLIMIT_STACK, &stack);
    }
    set_stack_of_threads(enough_stack);
    static char handlers_own_stack[size_t{16} << 10];
    stack_t alternative{};
    alternative.ss_sp = handlers_own_stack;
    alternative.ss_size = sizeof handlers_own_stack;
    struct sigaction action {};
    action.sa_sigaction = on_bad_address;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    if (::sigaltstack(&alternative, nullptr) == 0) ::sigaction(SIGSEGV, &action, nullptr);
}

} // namespace opcat
