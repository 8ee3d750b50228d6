// Other programs, run as child processes; never through a shell.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct ProcessResult {
    int exit_status = 0; // 128 + signal if a signal ended it
    std::string out;
    std::string err;
};

struct ProcessRequest {
    std::vector<std::string> arguments;                    // the first is the program, looked up in PATH
    std::string_view input = {};                           // for its standard input
    std::optional<std::chrono::milliseconds> timeout = {}; // killed after it, and Error
    size_t max_output = size_t{1} << 30; // bytes of out and err together; killed after it, and Error
};

// Runs a program to its end. Throws Error if it cannot be started (not found: the message says so), on
// timeout and on too much output. A program that does not read its input sends us SIGPIPE: whoever calls this
// has it ignored.
ProcessResult run_process(const ProcessRequest& request);

} // namespace opcat
