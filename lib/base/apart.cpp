#include "opcat/base/apart.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/platform.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <string_view>

namespace opcat {
namespace {

// The first byte of what the child sends.
constexpr char is_result = '+';
constexpr char is_error = '-'; // then the message, a zero byte and the hint

bool send(int to, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(to, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes.remove_prefix(static_cast<size_t>(n));
    }
    return true;
}

[[noreturn]] void work_and_end(const std::function<std::string()>& work, int to) {
    (void)std::signal(SIGSEGV, SIG_DFL);
    sigset_t none; // a thread of the parent waits for the signals that are blocked
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
    bool sent = false;
    try {
        sent = send(to, is_result + work());
    } catch (const Error& error) {
        sent = send(to, is_error + std::string(error.what()) + '\0' + error.hint());
    } catch (const std::bad_alloc&) {
        // Without an answer, the parent says that it ended without one.
    }
    ::_exit(sent ? 0 : 1);
}

} // namespace

std::string run_apart(const std::function<std::string()>& work, const std::string& what,
                      const std::string& hint) {
    int ends[2];
    if (!make_pipe(ends)) throw Error(fmt::format("{} cannot start: {}", what, system_message(errno)));
    const pid_t child = ::fork();
    if (child == 0) work_and_end(work, ends[1]);
    const int not_started = child < 0 ? errno : 0;
    ::close(ends[1]);
    std::string answer;
    char buffer[65536];
    int not_read = 0;
    for (ssize_t n = 1; child > 0 && n != 0;) {
        n = ::read(ends[0], buffer, sizeof buffer);
        if (n > 0) answer.append(buffer, static_cast<size_t>(n));
        if (n < 0 && errno != EINTR) {
            not_read = errno;
            break;
        }
    }
    ::close(ends[0]);
    if (child < 0) throw Error(fmt::format("{} cannot start: {}", what, system_message(not_started)), hint);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) throw Error(fmt::format("it is unknown how {} ended", what));
    if (not_read != 0)
        throw Error(fmt::format("what {} made cannot be read: {}", what, system_message(not_read)));
    if (WIFSIGNALED(status))
        throw Error(fmt::format("{} was ended by signal {} ({})", what, WTERMSIG(status),
                                ::strsignal(WTERMSIG(status))),
                    hint);
    if (WEXITSTATUS(status) != 0 || answer.empty())
        throw Error(fmt::format("{} ended without a result (exit status {})", what, WEXITSTATUS(status)),
                    hint);
    if (answer.front() == is_result) return answer.substr(1);
    const size_t end = answer.find('\0');
    throw Error(answer.substr(1, end - 1), answer.substr(end + 1));
}

} // namespace opcat
