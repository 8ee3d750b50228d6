// One run of the program: its name, its output, its threads, and its reaction to signals.
#pragma once

#include "opcat/base/table.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/workspace/reference.hpp"
#include "terminal/output.hpp"

#include <fmt/core.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat {

// Exit statuses (docs/topics/exit-status.md). The name opm knows only 0 and 1.
enum ExitStatus : int {
    exit_ok = 0,
    exit_findings = 1,
    exit_usage = 2,
    exit_environment = 3,
    exit_waiting = 4 // an installation or upgrade waits for approval
};

// How often progress on a terminal is drawn again.
constexpr std::chrono::milliseconds redraw_interval{100};

// Options that every command has.
struct GlobalOptions {
    std::string colour = "auto";   // auto, always, never
    std::string progress = "auto"; // auto, always, never
    bool quiet = false;
    unsigned jobs = 0;            // 0: as many as there are cores
    bool skip_tls_verify = false; // for registries
    bool use_http = false;        // for registries
    bool debug = false;           // of opm; no effect
    // Of commands with --log json: standard error has nothing but JSON, an object on each line.
    bool json_log = false;
};

class Session {
public:
    enum class Name { opcat, opm, kubectl_opcat, kubectl_complete_opcat };

    explicit Session(Name called_as) : called_as_(called_as) {}

    bool as_opm() const { return called_as_ == Name::opm; }
    Manner manner() const { return as_opm() ? Manner::opm : Manner::opcat; }
    bool as_kubectl_plugin() const { return called_as_ == Name::kubectl_opcat || completes_for_kubectl(); }
    bool completes_for_kubectl() const { return called_as_ == Name::kubectl_complete_opcat; }

    GlobalOptions options;
    Output out{1};
    int exit_status = exit_ok; // set by the command that ran

    // For people, on standard error. Control characters are escaped: names and messages can come from a
    // catalog or a cluster. All but `print_lines` write one message: a line break in it is escaped, too,
    // unless an indented line follows (not for the name opm). `print_error` and `print_warning` prepend
    // "error: " and "warning: ".
    void print(std::string_view text) const;
    void print_lines(std::string_view text) const;
    void print_error(std::string_view message, std::string_view hint = {}) const;
    void print_warning(std::string_view message) const;
    // A line of JSON: its time, the level ("info", "warning", "error"), the message, and other members.
    using LogValues = std::vector<std::pair<std::string_view, std::string>>;
    void log(std::string_view level, std::string_view message, const LogValues& values = {}) const;
    // Text with colours or movements of the cursor. The caller has escaped the rest of it.
    void print_drawing(std::string_view text) const;

    bool colour_on_stdout() const;
    bool colour_on_stderr() const;
    // Returns true if standard output is a terminal that is known to support OSC 8 links.
    bool links_on_stdout() const;
    // Returns true if progress is drawn that overwrites itself.
    bool live_progress() const;
    // The columns of the terminal on standard error; 0 without a terminal.
    unsigned width_of_stderr() const;
    unsigned width_of_stdout() const;

    // Made on first use.
    ThreadPool& pool();
    // The same, for a command whose threads mostly wait for the network: with more threads, unless the pool
    // has been used before.
    ThreadPool& pool_for_network();

private:
    bool colour_on(int descriptor) const;
    std::string in_message(std::string_view text) const;

    Name called_as_;
    std::unique_ptr<ThreadPool> pool_;
};

// Text for people in the locale's characters: opcat's drawings are ASCII, unless the locale uses UTF-8. No
// change for the name opm.
std::string in_locale(std::string_view text, const Session& session);

// A difference of files for standard output: as it is for programs that apply it, but on a terminal without
// anything that controls it.
std::string diff_for_output(std::string_view text);

// A table (base/table.hpp) for standard output: as wide as its terminal.
std::string table_in_locale(std::string_view rows, const Session& session,
                            EmptyColumns empty = EmptyColumns::dropped);

// From now on SIGINT, SIGTERM and SIGHUP remove temporary files before they end the program, as those signals
// do. To be called once, before other threads are created. A signal that was ignored stays ignored.
void clean_up_on_signals();

// For a program that runs until a signal ends it: from now on `handler` receives these signals, on a thread
// of its own; if it returns false, the signal ends the program as before. Throws Error if there is no such
// thread.
void handle_signals(std::function<bool(int signal)> handler);

// The message on standard error if a signal ends the program from now on; empty: none.
void say_when_interrupted(const std::string& words);

} // namespace opcat
