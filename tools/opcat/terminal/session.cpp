#include "terminal/session.hpp"

#include "environment.hpp"
#include "opcat/base/colours.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/process.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/base/unicode.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace opcat {
namespace {

// Of the environment; empty if it is unset.
std::string_view variable(const char* name) {
    const char* const value = std::getenv(name);
    return value ? value : "";
}

bool is_set(const char* name) {
    return !variable(name).empty();
}

unsigned terminal_width(int descriptor) {
    winsize size{};
    if (!::isatty(descriptor) || ::ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

// One per processor, or as many as a container may use; then at least two, because transfers wait more than
// they work.
unsigned default_jobs() {
    const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
    const double quota = std::ceil(processor_quota().value_or(processors));
    return static_cast<unsigned>(std::clamp<double>(quota, std::min(2U, processors), processors));
}

void write_to_stderr(std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(2, text.data(), text.size());
        if (n <= 0) return; // there is nowhere to complain
        text.remove_prefix(static_cast<size_t>(n));
    }
}

// The text with each line break escaped that does not continue a message with an indented line: a name in a
// catalog would write lines of its own.
std::string with_escaped_breaks(std::string_view text) {
    std::string out;
    for (size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
        out += text.substr(0, end);
        text.remove_prefix(end + 1);
        out += text.starts_with("  ") ? "\n" : escape_controls("\n");
    }
    return escape_controls_in_lines(out += text);
}

} // namespace

void Session::print(std::string_view text) const {
    if (options.json_log) return print_lines(text);
    const bool ends = text.ends_with('\n');
    print_lines(in_message(text.substr(0, text.size() - (ends ? 1 : 0))) + (ends ? "\n" : ""));
}

void Session::print_lines(std::string_view text) const {
    print_drawing(options.json_log ? std::string(text) : escape_controls_in_lines(text));
}

void Session::log(std::string_view level, std::string_view message, const LogValues& values) const {
    nlohmann::ordered_json line = {
        {"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
        {"level", level},
        {"msg", message}};
    for (const auto& [name, value] : values) line[std::string(name)] = value;
    write_to_stderr(as_line(line) + "\n");
}

void Session::print_drawing(std::string_view drawing) const {
    if (!options.json_log) return write_to_stderr(in_locale(drawing, *this));
    for (const std::string_view line : lines_of(drawing))
        if (!line.empty()) log("info", line);
}

std::string Session::in_message(std::string_view text) const {
    return as_opm() ? escape_controls_in_lines(text) : with_escaped_breaks(text);
}

void Session::print_error(std::string_view message, std::string_view hint) const {
    if (options.json_log) {
        return log("error", message, hint.empty() ? LogValues() : LogValues{{"help", std::string(hint)}});
    }
    const Colours c = colours(colour_on_stderr());
    print_drawing(fmt::format("{} {}\n", c.paint(c.bold_red, "error:"), in_message(message)));
    if (!hint.empty())
        print_drawing(fmt::format("  {} {}\n", c.paint(c.bold_green, "help:"), in_message(hint)));
}

void Session::print_warning(std::string_view message) const {
    if (options.quiet) return;
    if (options.json_log) return log("warning", message);
    const Colours c = colours(colour_on_stderr());
    print_drawing(fmt::format("{} {}\n", c.paint(c.bold_magenta, "warning:"), in_message(message)));
}

bool Session::colour_on(int descriptor) const {
    if (options.colour == "always") return true;
    if (options.colour == "never" || is_set("NO_COLOR")) return false;
    if (is_set("FORCE_COLOR")) return variable("FORCE_COLOR") != "0";
    if (is_set("CI")) return false;
    return ::isatty(descriptor) && variable("TERM") != "dumb";
}

bool Session::colour_on_stdout() const {
    return colour_on(1);
}
bool Session::colour_on_stderr() const {
    return !options.json_log && colour_on(2);
}

bool Session::live_progress() const {
    if (options.quiet || options.json_log || options.progress == "never") return false;
    return options.progress == "always" || (::isatty(2) && !is_set("CI"));
}

bool Session::links_on_stdout() const {
    if (!colour_on(1) || !::isatty(1)) return false;
    // A multiplexer between us and the terminal may show the address instead.
    const std::string_view terminal = variable("TERM");
    if (terminal.starts_with("screen") || terminal.starts_with("tmux")) return false;
    for (const std::string_view known :
         {"xterm-kitty", "xterm-ghostty", "foot", "alacritty", "contour", "wezterm"})
        if (terminal.starts_with(known)) return true;
    for (const std::string_view known : {"iTerm.app", "vscode", "WezTerm", "ghostty", "Hyper", "rio"})
        if (variable("TERM_PROGRAM") == known) return true;
    const auto at_least = [&](const char* name, int least) {
        return std::strtol(std::string(variable(name)).c_str(), nullptr, 10) >= least;
    };
    return at_least("VTE_VERSION", 5000) || at_least("KONSOLE_VERSION", 201200) || is_set("WT_SESSION") ||
           is_set("DOMTERM");
}

unsigned Session::width_of_stderr() const {
    return terminal_width(2);
}
unsigned Session::width_of_stdout() const {
    return terminal_width(1);
}

ThreadPool& Session::pool() {
    if (!pool_) pool_ = std::make_unique<ThreadPool>(options.jobs > 0 ? options.jobs : default_jobs());
    return *pool_;
}

ThreadPool& Session::pool_for_network() {
    // The memory of each for an upload (image/push.hpp), in total 48 MiB.
    constexpr unsigned transfers = 6;
    if (!pool_ && options.jobs == 0)
        pool_ = std::make_unique<ThreadPool>(std::max(default_jobs(), transfers));
    return pool();
}

namespace {

bool needs_ascii(const Session& session) {
    static const bool utf8 = has_utf8_locale();
    return !utf8 && !session.as_opm();
}

} // namespace

std::string in_locale(std::string_view text, const Session& session) {
    return needs_ascii(session) ? draw_in_ascii(text) : std::string(text);
}

std::string diff_for_output(std::string_view text) {
    return ::isatty(1) ? escape_controls_in_lines(text) : std::string(text);
}

std::string table_in_locale(std::string_view rows, const Session& session, EmptyColumns empty) {
    std::string table = align_table(rows, session.width_of_stdout(), empty);
    // A cell that was cut shows that in one column.
    return needs_ascii(session) ? draw_in_ascii(table, "~") : table;
}

namespace {

// Signals belong to the process, and so do these.
std::mutex last_words_mutex;
std::string last_words;
std::mutex handler_mutex;
std::function<bool(int)> signal_handler;
std::optional<Error> no_thread_for_signals; // why nothing waits for them

bool is_handled(int signal) {
    const std::lock_guard lock(handler_mutex);
    return signal_handler && signal_handler(signal);
}

void say_last_words() {
    const std::lock_guard lock(last_words_mutex);
    if (last_words.empty()) return;
    const std::string text = "\n" + last_words + "\n";
    if (::write(2, text.data(), text.size()) < 0) return; // there is nowhere to complain
}

// Removing directories is more than a signal handler may do, so a thread waits for the signals.
void wait_and_end(const sigset_t& signals) {
    int signal = 0;
    while (sigwait(&signals, &signal) != 0 || is_handled(signal)) {
    }
    say_last_words();
    end_running_programs();
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
    try {
        start_thread("waits for signals", [signals] { wait_and_end(signals); }).detach();
    } catch (const Error& error) {
        // A signal then ends the program at once, and its temporary files stay.
        no_thread_for_signals = error;
        ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    }
}

void handle_signals(std::function<bool(int)> handler) {
    if (handler && no_thread_for_signals) throw Error(*no_thread_for_signals);
    const std::lock_guard lock(handler_mutex);
    signal_handler = std::move(handler);
}

void say_when_interrupted(const std::string& words) {
    const std::lock_guard lock(last_words_mutex);
    last_words = escape_controls_in_lines(words);
}

} // namespace opcat
