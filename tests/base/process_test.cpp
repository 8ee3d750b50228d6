#include "../emulated.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/process.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <string>

using namespace opcat;
using namespace std::chrono_literals;

namespace {

ProcessResult shell(const std::string& script, std::string_view input = {}) {
    return run_process({.arguments = {"/bin/sh", "-c", script}, .input = input});
}

std::string failure_of(const ProcessRequest& request) {
    try {
        run_process(request);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

} // namespace

TEST_CASE("output, messages and exit status are distinguished") {
    const ProcessResult result = shell("echo out; echo err >&2; exit 7");
    CHECK(result.out == "out\n");
    CHECK(result.err == "err\n");
    CHECK(result.exit_status == 7);
}

TEST_CASE("arguments reach the program as they are, without a shell") {
    const ProcessResult result = run_process({.arguments = {"printf", "%s|", "a b", "$HOME", "*", ""}});
    CHECK(result.out == "a b|$HOME|*||");
}

TEST_CASE("an end by a signal is 128 plus its number") {
    CHECK(shell("kill -TERM $$").exit_status == 128 + SIGTERM);
}

TEST_CASE("a program whose exit status is unknown has not succeeded") {
    const auto before = std::signal(SIGCHLD, SIG_IGN);
    const std::string failure = failure_of({.arguments = {"true"}});
    (void)std::signal(SIGCHLD, before);
    CHECK(failure == "the exit status of true is unknown");
}

TEST_CASE("a missing program is an error that says so" * doctest::skip(emulated)) {
    CHECK(failure_of({.arguments = {"no-such-program-here"}})
              .starts_with("cannot run no-such-program-here: there is no such program in PATH"));
    CHECK(failure_of({.arguments = {"/dev/null"}}) == "cannot run /dev/null: permission denied");
}

TEST_CASE("large input and large output at once do not block each other") {
    std::string input;
    for (int i = 0; i < 400'000; ++i) input += "0123456789";
    const ProcessResult result = shell("cat; cat /dev/zero | head -c 3000000 >&2", input);
    CHECK(result.out == input);
    CHECK(result.err.size() == 3'000'000);
}

TEST_CASE("a program that does not read its input is not a failure") {
    const std::string input(10'000'000, 'x');
    const ProcessResult result = shell("exec <&-; echo done", input);
    CHECK(result.out == "done\n");
    CHECK(result.exit_status == 0);
}

TEST_CASE("without input, standard input is empty") {
    CHECK(shell("cat").out.empty());
}

TEST_CASE("a program that takes too long is stopped") {
    CHECK(failure_of({.arguments = {"sleep", "infinity"}, .timeout = 100ms}) ==
          "sleep did not end within 100 ms, and was stopped");
    // Also one that has closed its output and goes on.
    CHECK(failure_of({.arguments = {"/bin/sh", "-c", "exec >&- 2>&-; exec sleep infinity"},
                      .timeout = 100ms}) == "/bin/sh did not end within 100 ms, and was stopped");
}

TEST_CASE("a program that prints too much is stopped") {
    CHECK(failure_of({.arguments = {"cat", "/dev/zero"}, .max_output = 100'000}) ==
          "cat printed more than 100000 bytes, and was stopped");
    CHECK(failure_of({.arguments = {"sh", "-c", "cat /dev/zero >&2"}, .max_errors = 100'000}) ==
          "sh printed more than 100000 bytes of errors, and was stopped");
}

TEST_CASE("the program has the default action for SIGPIPE, although opcat ignores it") {
    const ProcessResult result = shell("(yes; echo $? >&2) | head -n 1");
    CHECK(result.out == "y\n");
    CHECK(result.err == "141\n"); // killed by SIGPIPE, not failed with a message
}

TEST_CASE("a program that runs on is read line by line, and ends with its object") {
    std::string pid;
    {
        // What it starts ends with it: kubectl is often a script that calls another one.
        RunningProgram program({"/bin/sh", "-c", "echo trouble >&2; sleep 60 & echo $!; echo second; wait"});
        pid = program.read_line(10s);
        CHECK(program.read_line(10s) == "second");
        CHECK(program.errors() == "trouble\n");
        CHECK(shell("kill -0 " + pid).exit_status == 0);
    }
    // It is gone, or nobody has asked for its end yet. On a busy machine a killed process takes its time.
    const ProcessResult ended = shell("for i in $(seq 100); do case $(cat /proc/" + pid +
                                      "/stat 2>/dev/null) in ''|*') Z '*|*') X '*) exit 0;; esac; "
                                      "sleep 0.1; done; exit 1");
    CHECK(ended.exit_status == 0);
}

TEST_CASE("a program that does not print its line is an error that says why") {
    const auto failure = [](const char* script, std::chrono::milliseconds timeout) {
        RunningProgram program({"/bin/sh", "-c", script});
        try {
            return program.read_line(timeout);
        } catch (const Error& error) {
            return std::string(error.what()) + "|" + program.errors();
        }
    };
    CHECK(failure("echo refused >&2; exit 1", 10s) == "/bin/sh ended|refused\n");
    CHECK(failure("exec sleep 60", 50ms) == "/bin/sh printed nothing within 50 ms|");
    CHECK(failure("while :; do printf 0123456789; done", 10s)
              .starts_with("/bin/sh printed more than 65536 bytes"));
}
