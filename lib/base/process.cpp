#include "opcat/base/process.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/platform.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

namespace opcat {
namespace {

constexpr const char* descriptors_hint = "if there are too many open files, raise the limit: ulimit -n";

struct Pipe {
    int read_end = -1;
    int write_end = -1;
    Pipe() {
        int ends[2];
        if (!make_pipe(ends)) throw Error("cannot make a pipe: " + system_message(errno), descriptors_hint);
        read_end = ends[0];
        write_end = ends[1];
    }
    ~Pipe() {
        close(read_end);
        close(write_end);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    static void close(int& end) {
        if (end >= 0) ::close(std::exchange(end, -1));
    }
};

} // namespace

namespace {

// Ours, but for those that the request sets.
std::vector<char*> variables_of(const ProcessRequest& request) {
    std::vector<char*> all;
    for (char* const* variable = process_environment(); *variable; ++variable) {
        const std::string_view text = *variable;
        const std::string_view name = text.substr(0, text.find('='));
        const bool is_replaced =
            std::any_of(request.environment.begin(), request.environment.end(),
                        [&](const std::string& other) { return other.substr(0, other.find('=')) == name; });
        if (!is_replaced) all.push_back(*variable);
    }
    for (const std::string& variable : request.environment)
        all.push_back(const_cast<char*>(variable.c_str()));
    all.push_back(nullptr);
    return all;
}

} // namespace

ProcessResult run_process(const ProcessRequest& request) {
    const std::string& program = request.arguments.at(0);
    Pipe in;
    Pipe out;
    Pipe err;
    std::vector<char*> argv;
    for (const std::string& argument : request.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    std::vector<char*> variables = variables_of(request);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read_end, 0);
    posix_spawn_file_actions_adddup2(&actions, out.write_end, 1);
    posix_spawn_file_actions_adddup2(&actions, err.write_end, 2);
    // We ignore two signals, and threads may block others; the child must get the default settings.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t ignored;
    sigemptyset(&ignored);
    for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&ignored, signal);
    posix_spawnattr_setsigdefault(&attributes, &ignored);
    sigset_t none_blocked;
    sigemptyset(&none_blocked);
    posix_spawnattr_setsigmask(&attributes, &none_blocked);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    pid_t child = 0;
    const int failed =
        ::posix_spawnp(&child, program.c_str(), &actions, &attributes, argv.data(), variables.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    // EACCES is also the answer if PATH has a directory that this user may not read.
    if ((failed == ENOENT || failed == EACCES) && program.find('/') == program.npos)
        throw Error(fmt::format("cannot run {}: there is no such program in PATH{}", program,
                                failed == EACCES ? " that this user may run" : ""));
    if (failed != 0) throw Error(fmt::format("cannot run {}: {}", program, system_message(failed)));
    Pipe::close(in.read_end);
    Pipe::close(out.write_end);
    Pipe::close(err.write_end);
    // The child may end before it has read everything; that must not kill us, and we must not wait for it to
    // read.
    set_nonblocking(in.write_end);

    // The status of waitpid(); nothing: it is not known.
    const auto reap = [&]() -> std::optional<int> {
        int status = 0;
        while (::waitpid(child, &status, 0) < 0)
            if (errno != EINTR) return std::nullopt;
        return status;
    };
    const auto kill_and_throw = [&](const std::string& why) {
        ::kill(child, SIGKILL);
        reap();
        throw Error(fmt::format("{} {}, and was stopped", program, why));
    };

    using Clock = std::chrono::steady_clock;
    const auto deadline = request.timeout ? Clock::now() + *request.timeout : Clock::time_point::max();
    ProcessResult result;
    const auto milliseconds_left = [&] {
        if (!request.timeout) return -1; // none to count
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) kill_and_throw(fmt::format("did not end within {} ms", request.timeout->count()));
        return static_cast<int>(std::min<int64_t>(left, 1 << 30));
    };
    std::string_view input = request.input;
    if (input.empty()) Pipe::close(in.write_end);
    while (out.read_end >= 0 || err.read_end >= 0) {
        pollfd ends[3] = {{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}, {in.write_end, POLLOUT, 0}};
        if (::poll(ends, 3, milliseconds_left()) < 0 && errno != EINTR)
            kill_and_throw("could not be waited for: " + system_message(errno));
        const auto drain = [&](int& end, short events, std::string& into) {
            if (end < 0 || events == 0) return;
            char buffer[65536];
            const ssize_t n = ::read(end, buffer, sizeof buffer);
            if (n > 0)
                into.append(buffer, static_cast<size_t>(n));
            else if (n == 0)
                Pipe::close(end);
            else if (errno != EINTR) // a part of the output must not be taken for the whole
                kill_and_throw("wrote output that cannot be read: " + system_message(errno));
        };
        drain(out.read_end, ends[0].revents, result.out);
        drain(err.read_end, ends[1].revents, result.err);
        if (result.out.size() + result.err.size() > request.max_output)
            kill_and_throw(fmt::format("printed more than {} bytes", request.max_output));
        if (in.write_end >= 0 && ends[2].revents != 0) {
            const ssize_t n = ::write(in.write_end, input.data(), input.size());
            if (n > 0) input.remove_prefix(static_cast<size_t>(n));
            const bool is_read_no_more = n < 0 && errno == EPIPE;
            // The program must not take a part of its input for the whole.
            if (n < 0 && !is_read_no_more && errno != EINTR && errno != EAGAIN)
                kill_and_throw("did not receive all of its input: " + system_message(errno));
            if (input.empty() || is_read_no_more) Pipe::close(in.write_end);
        }
    }
    // Most programs close their output when they end; one that continues has no additional time.
    if (request.timeout)
        while (!wait_for_end(child, std::chrono::milliseconds(milliseconds_left()))) {
        }
    const std::optional<int> status = reap();
    if (!status) throw Error(fmt::format("the exit status of {} is unknown", program));
    result.exit_status = WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
    return result;
}

} // namespace opcat
