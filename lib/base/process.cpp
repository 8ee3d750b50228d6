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
#include <cstdint>
#include <mutex>
#include <set>
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

// Ours, but for those that are set here.
std::vector<char*> variables_with(const std::vector<std::string>& environment) {
    std::vector<char*> all;
    for (char* const* variable = process_environment(); *variable; ++variable) {
        const std::string_view text = *variable;
        const std::string_view name = text.substr(0, text.find('='));
        const bool is_replaced =
            std::any_of(environment.begin(), environment.end(),
                        [&](const std::string& other) { return other.substr(0, other.find('=')) == name; });
        if (!is_replaced) all.push_back(*variable);
    }
    for (const std::string& variable : environment) all.push_back(const_cast<char*>(variable.c_str()));
    all.push_back(nullptr);
    return all;
}

enum class Group : uint8_t { ours, own };

// Starts a program with the read end of `in` and the write ends of the others; nullptr: ours.
pid_t start(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
            const Pipe& in, const Pipe* out, const Pipe* err, Group group) {
    const std::string& program = arguments.at(0);
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    std::vector<char*> variables = variables_with(environment);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read_end, 0);
    if (out) posix_spawn_file_actions_adddup2(&actions, out->write_end, 1);
    if (err) posix_spawn_file_actions_adddup2(&actions, err->write_end, 2);
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
    // In a group of its own it can be ended together with what it has started.
    posix_spawnattr_setflags(&attributes,
                             static_cast<short>(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                (group == Group::own ? POSIX_SPAWN_SETPGROUP : 0)));
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
    return child;
}

} // namespace

ProcessResult run_process(const ProcessRequest& request) {
    const std::string& program = request.arguments.at(0);
    Pipe in;
    Pipe out;
    Pipe err;
    const pid_t child = start(request.arguments, request.environment, in, &out, &err, Group::ours);
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
        if (result.out.size() > request.max_output)
            kill_and_throw(fmt::format("printed more than {} bytes", request.max_output));
        if (result.err.size() > request.max_errors)
            kill_and_throw(fmt::format("printed more than {} bytes of errors", request.max_errors));
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

int show_through(const ProcessRequest& request) {
    Pipe in;
    const pid_t child = start(request.arguments, request.environment, in, nullptr, nullptr, Group::ours);
    Pipe::close(in.read_end);
    // The interrupt key is for the program, which would lose the terminal without us.
    const auto before = std::signal(SIGINT, SIG_IGN);
    for (std::string_view text = request.input; !text.empty();) {
        const ssize_t n = ::write(in.write_end, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        text.remove_prefix(static_cast<size_t>(n));
    }
    Pipe::close(in.write_end);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    (void)std::signal(SIGINT, before);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// ---- programs that run until they are ended

namespace {

struct Programs {
    std::mutex mutex;
    std::set<pid_t> running;
};

Programs& programs() {
    static Programs all;
    return all;
}

// A line of a program that prints more before it ends is of no use.
constexpr size_t most_output = size_t{64} << 10;

} // namespace

struct RunningProgram::Parts {
    std::string name;
    pid_t child = 0;
    Pipe in, out, err;
    std::string printed; // and not yet returned
    std::string errors;
};

RunningProgram::RunningProgram(const std::vector<std::string>& arguments)
    : parts_(std::make_unique<Parts>()) {
    parts_->name = arguments.at(0);
    Programs& all = programs();
    const std::lock_guard lock(all.mutex);
    parts_->child = start(arguments, {}, parts_->in, &parts_->out, &parts_->err, Group::own);
    all.running.insert(parts_->child);
    Pipe::close(parts_->in.read_end);
    Pipe::close(parts_->in.write_end);
    Pipe::close(parts_->out.write_end);
    Pipe::close(parts_->err.write_end);
}

RunningProgram::~RunningProgram() {
    Programs& all = programs();
    const std::lock_guard lock(all.mutex);
    all.running.erase(parts_->child);
    ::kill(-parts_->child, SIGKILL);
    while (::waitpid(parts_->child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

std::string RunningProgram::read_line(std::chrono::milliseconds timeout) {
    Parts& parts = *parts_;
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + timeout;
    while (true) {
        if (const size_t end = parts.printed.find('\n'); end != std::string::npos) {
            std::string line = parts.printed.substr(0, end);
            parts.printed.erase(0, end + 1);
            return line;
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0)
            throw Error(fmt::format("{} printed nothing within {} ms", parts.name, timeout.count()));
        pollfd ends[2] = {{parts.out.read_end, POLLIN, 0}, {parts.err.read_end, POLLIN, 0}};
        if (::poll(ends, 2, static_cast<int>(std::min<int64_t>(left, 1 << 30))) < 0 && errno != EINTR)
            throw Error(fmt::format("{} could not be waited for: {}", parts.name, system_message(errno)));
        const auto drain = [&](int& end, short events, std::string& into) {
            if (end < 0 || events == 0) return;
            char buffer[4096];
            const ssize_t n = ::read(end, buffer, sizeof buffer);
            if (n > 0)
                into.append(buffer, static_cast<size_t>(n));
            else if (n == 0 || errno != EINTR)
                Pipe::close(end);
        };
        drain(parts.err.read_end, ends[1].revents, parts.errors);
        drain(parts.out.read_end, ends[0].revents, parts.printed);
        if (parts.printed.size() + parts.errors.size() > most_output)
            throw Error(fmt::format("{} printed more than {} bytes", parts.name, most_output));
        if (parts.out.read_end < 0 && parts.err.read_end < 0)
            throw Error(fmt::format("{} ended", parts.name));
    }
}

const std::string& RunningProgram::errors() const {
    return parts_->errors;
}

void end_running_programs() {
    Programs& all = programs();
    all.mutex.lock(); // and never unlocked: nothing is started any more
    for (const pid_t child : all.running) ::kill(-child, SIGKILL);
}

} // namespace opcat
