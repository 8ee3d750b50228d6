#include "terminal/signals.hpp"

#include "base/file.hpp"

#include <unistd.h>

#include <csignal>
#include <mutex>
#include <thread>

namespace opcat {
namespace {

// Signals belong to the process, and so do these.
std::mutex last_words_mutex;
std::string last_words;

void say_last_words() {
    const std::lock_guard lock(last_words_mutex);
    if (last_words.empty()) return;
    const std::string text = "\n" + last_words + "\n";
    if (::write(2, text.data(), text.size()) < 0) return; // there is nowhere to complain
}

// Removing directories is more than a signal handler may do, so a thread waits for the signals.
void wait_and_end(const sigset_t& signals) {
    int signal = 0;
    while (sigwait(&signals, &signal) != 0) {
    }
    say_last_words();
    remove_scoped_paths();
    (void)std::signal(signal, SIG_DFL);
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

void say_when_interrupted(const std::string& words) {
    const std::lock_guard lock(last_words_mutex);
    last_words = words;
}

} // namespace opcat
