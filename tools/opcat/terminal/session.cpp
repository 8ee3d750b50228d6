#include "terminal/session.hpp"

#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "terminal/locale_text.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>

namespace opcat {
namespace {

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value && *value;
}

unsigned terminal_width(int descriptor) {
    winsize size{};
    if (!::isatty(descriptor) || ::ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

// One per processor, or what a container may use of them; then two at least, since transfers wait more than
// they work.
unsigned default_jobs() {
    const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
    const double quota = std::ceil(processor_quota().value_or(processors));
    return static_cast<unsigned>(std::clamp<double>(quota, std::min(2U, processors), processors));
}

} // namespace

void Session::print(std::string_view for_people) const {
    const std::string shown = in_locale(for_people, *this);
    std::string_view text = shown;
    while (!text.empty()) {
        const ssize_t n = ::write(2, text.data(), text.size());
        if (n <= 0) return; // there is nowhere to complain
        text.remove_prefix(static_cast<size_t>(n));
    }
}

void Session::print_error(std::string_view message, std::string_view hint) const {
    const bool colour = colour_on_stderr();
    print(fmt::format("{}error:{} {}\n", colour ? "\x1b[1;31m" : "", colour ? "\x1b[0m" : "",
                      escape_controls_in_lines(message)));
    if (!hint.empty())
        print(fmt::format("  {}help:{} {}\n", colour ? "\x1b[1;32m" : "", colour ? "\x1b[0m" : "",
                          escape_controls_in_lines(hint)));
}

void Session::print_warning(std::string_view message) const {
    if (options.quiet) return;
    const bool colour = colour_on_stderr();
    print(fmt::format("{}warning:{} {}\n", colour ? "\x1b[1;35m" : "", colour ? "\x1b[0m" : "",
                      escape_controls_in_lines(message)));
}

bool Session::colour_on(int descriptor) const {
    if (options.colour == "always") return true;
    if (options.colour == "never" || is_set("NO_COLOR") || is_set("CI")) return false;
    const char* terminal = std::getenv("TERM");
    return ::isatty(descriptor) && !(terminal && std::string_view(terminal) == "dumb");
}

bool Session::colour_on_stdout() const {
    return colour_on(1);
}
bool Session::colour_on_stderr() const {
    return colour_on(2);
}

bool Session::live_progress() const {
    if (options.quiet || options.progress == "never") return false;
    return options.progress == "always" || (::isatty(2) && !is_set("CI"));
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

} // namespace opcat
