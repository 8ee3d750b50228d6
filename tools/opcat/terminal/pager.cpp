#include "terminal/pager.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/process.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace opcat {
namespace {

std::string pager() {
    for (const char* variable : {"OPCAT_PAGER", "PAGER"})
        if (const char* const value = std::getenv(variable)) return value;
    return "less";
}

// The options with which less shows colours, and exits if the text fits.
std::vector<std::string> environment() {
    std::vector<std::string> more;
    if (!std::getenv("LESS")) more.emplace_back("LESS=FRX");
    if (!std::getenv("LV")) more.emplace_back("LV=-c");
    return more;
}

bool fits(std::string_view text) {
    winsize size{};
    if (::ioctl(1, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return true;
    // Long lines take several of the screen's; only less knows how many.
    return std::count(text.begin(), text.end(), '\n') + 1 < size.ws_row;
}

} // namespace

bool show_in_pager(std::string_view text) {
    const std::string program = pager();
    if (program.empty() || program == "cat" || !::isatty(1) || fits(text)) return false;
    constexpr int not_found = 127;
    try {
        // A name with arguments is for the shell, as usual for PAGER.
        return show_through({.arguments = {"sh", "-c", "exec " + program},
                             .input = text,
                             .environment = environment()}) != not_found;
    } catch (const Error&) {
        return false;
    }
}

} // namespace opcat
