#include "terminal/step_display.hpp"

#include "base/text.hpp"
#include "terminal/cluster_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opcat {

void StepDisplay::draw(char mark, bool final) {
    using namespace std::chrono;
    const auto seconds = duration_cast<std::chrono::seconds>(steady_clock::now() - since_).count();
    std::string line = fmt::format("  {} {}", mark, for_terminal(step_, 0));
    std::replace(line.begin(), line.end(), '\n', ' ');
    const std::string time = fmt::format("  {} s", seconds);
    const size_t width = std::max(session_.width_of_stderr(), 40U) - time.size() - 1;
    std::string cut;
    size_t used = 0;
    for (const std::string_view character : utf8_characters(line)) {
        used += display_width(character);
        if (used > width - 3 && display_width(line) > width) {
            cut += "...";
            break;
        }
        cut += character;
    }
    session_.print("\r\x1b[K" + cut + time + (final ? "\n" : ""));
}

void StepDisplay::show(const std::string& step) {
    if (session_.options.quiet) return;
    const bool live = session_.live_progress();
    if (step != step_) {
        end(true);
        step_ = step;
        since_ = std::chrono::steady_clock::now();
        if (!live) session_.print("  " + for_terminal(step, 4) + "\n");
    }
    constexpr std::string_view turning = "|/-\\";
    if (live) draw(turning[turns_++ % turning.size()], false);
}

void StepDisplay::end(bool good) {
    if (!step_.empty() && session_.live_progress() && !session_.options.quiet) draw(good ? '+' : '!', true);
    step_.clear();
}

} // namespace opcat
