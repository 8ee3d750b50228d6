#include "signals.hpp"

#include "support/leftover.hpp"

#include <unistd.h>

#include <csignal>
#include <thread>

namespace opcat {
namespace {

// Removing directories is more than a signal handler may do, so a thread waits for the signals.
void wait_and_end(const sigset_t& signals) {
    int signal = 0;
    while (sigwait(&signals, &signal) != 0) {
    }
    remove_leftovers();
    std::signal(signal, SIG_DFL);
    ::kill(::getpid(), signal);
    ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

} // namespace

void clean_up_on_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action {};
        if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&signals, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread(wait_and_end, signals).detach();
}

} // namespace opcat
