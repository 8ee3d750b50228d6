// Other programs, run as child processes; never through a shell.
#pragma once

#include <chrono>
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
    size_t max_output = size_t{1} << 30;                   // of out and err together; then killed, and Error
    std::vector<std::string> environment = {};             // "NAME=value", in addition to our own
};

// Runs a program to its end. Throws Error if it cannot be started (the message says if it was not found), on
// timeout, on too much output, if its input or output may be incomplete, and if its exit status is unknown.
// Callers must ignore SIGPIPE, which a program that does not read its input causes, but not SIGCHLD, because
// the system then does not keep exit statuses.
ProcessResult run_process(const ProcessRequest& request);

} // namespace opcat
