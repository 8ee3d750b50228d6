// Other programs, run as child processes; never through a shell.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct ProcessResult {
    int exit_status = 0; // 128 + signal number if a signal ended it
    std::string out;
    std::string err;
};

struct ProcessRequest {
    std::vector<std::string> arguments;                    // the first is the program, looked up in PATH
    std::string_view input = {};                           // for its standard input
    std::optional<std::chrono::milliseconds> timeout = {}; // then killed, and Error
    size_t max_output = size_t{1} << 30;                   // of out; then killed, and Error
    size_t max_errors = size_t{4} << 20;                   // of err; then killed, and Error
    std::vector<std::string> environment = {};             // "NAME=value", in addition to our own
};

// Runs a program to its end. Throws Error if it cannot be started (the message says if it was not found), on
// timeout, on too much output, if its input or output may be incomplete, and if its exit status is unknown.
// Callers must ignore SIGPIPE, which a program that does not read its input causes, but not SIGCHLD, because
// the system then does not keep exit statuses.
ProcessResult run_process(const ProcessRequest& request);

// Runs a program that shows its input on our terminal, to its end, and returns its exit status as above. It
// may end before it has read everything. Ignores what a request limits. Throws Error if it cannot be started.
int show_through(const ProcessRequest& request);

// A program that serves us while it runs; the end of the object ends it and what it has started. Its standard
// input is empty.
class RunningProgram {
public:
    // Throws Error if it cannot be started.
    explicit RunningProgram(const std::vector<std::string>& arguments);
    ~RunningProgram();
    RunningProgram(const RunningProgram&) = delete;
    RunningProgram& operator=(const RunningProgram&) = delete;

    // The next line of its standard output, without its end. Throws Error if it ends before or prints too
    // much, and when the time is over.
    std::string read_line(std::chrono::milliseconds timeout);
    // Its standard error, as far as `read_line` has met it.
    const std::string& errors() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// Ends all of them, and no more can be started: for a process that is about to end by a signal.
void end_running_programs();

} // namespace opcat
