#include "terminal/pager.hpp"

#include "opcat/base/platform.hpp"

#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

namespace opcat {
namespace {

std::string pager() {
    for (const char* variable : {"OPCAT_PAGER", "PAGER"})
        if (const char* const value = std::getenv(variable)) return value;
    return "less";
}

// The options with which less shows colours, and exits if the text fits.
std::vector<std::string> environment() {
    std::vector<std::string> all;
    for (char** variable = process_environment(); *variable; ++variable) all.emplace_back(*variable);
    if (!std::getenv("LESS")) all.emplace_back("LESS=FRX");
    if (!std::getenv("LV")) all.emplace_back("LV=-c");
    return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    all.reserve(texts.size() + 1);
    for (std::string& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
}

bool fits(std::string_view text) {
    winsize size{};
    if (::ioctl(1, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return true;
    // Long lines take several of the screen's; only less knows how many.
    return std::count(text.begin(), text.end(), '\n') + 1 < size.ws_row;
}

// The reader may leave before the end.
void write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(descriptor, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        text.remove_prefix(static_cast<size_t>(n));
    }
}

} // namespace

bool show_in_pager(std::string_view text) {
    const std::string program = pager();
    if (program.empty() || program == "cat" || !::isatty(1) || fits(text)) return false;
    int ends[2];
    if (!make_pipe(ends)) return false;
    // A name with arguments is for the shell, as usual for PAGER.
    std::vector<std::string> arguments{"sh", "-c", "exec " + program};
    std::vector<std::string> variables = environment();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigset_t none;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (const int signal : {SIGPIPE, SIGXFSZ, SIGINT}) sigaddset(&defaults, signal);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    pid_t child = 0;
    const int failed = ::posix_spawn(&child, "/bin/sh", &actions, &attributes, pointers(arguments).data(),
                                     pointers(variables).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[0]);
    if (failed != 0) {
        ::close(ends[1]);
        return false;
    }
    // The interrupt key is for the pager, which would lose the terminal without us.
    const auto before = std::signal(SIGINT, SIG_IGN);
    write_all(ends[1], text);
    ::close(ends[1]);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    (void)std::signal(SIGINT, before);
    constexpr int not_found = 127;
    return !(WIFEXITED(status) && WEXITSTATUS(status) == not_found);
}

} // namespace opcat
