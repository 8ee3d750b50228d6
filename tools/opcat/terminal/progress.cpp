#include "terminal/progress.hpp"

#include "opcat/base/colours.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace opcat {
namespace {

// More do not fit on small terminals, and nobody reads them.
constexpr size_t max_lines = 8;

constexpr size_t bar_width = 10;

std::string bar(const image::PullProgress& progress, bool colour) {
    const uint64_t total = std::max<uint64_t>(progress.bytes_total, 1);
    const auto full = static_cast<size_t>(std::min(progress.bytes, total) * bar_width / total);
    const Colours c = colours(colour);
    std::string text(c.cyan);
    for (size_t i = 0; i < bar_width; ++i) {
        if (i == full) text += c.dim;
        text += i < full ? "━" : "─";
    }
    return text.append(c.reset);
}

// "pulled NAME (3 layers, 12.3 MiB)": what came from the network, and what did not.
std::string result_of(const std::string& name, const image::PullProgress& progress) {
    const std::string size =
        fmt::format("{}, {}", counted(progress.layers, "layer"), human_size(progress.bytes_total));
    if (required(image::Name::parse(name)).transport != image::Transport::registry)
        return fmt::format("read {} ({})\n", name, size);
    if (progress.bytes_reused == 0) return fmt::format("pulled {} ({})\n", name, size);
    if (progress.bytes_reused >= progress.bytes_total)
        return fmt::format("reused {} ({}; nothing transferred)\n", name, size);
    return fmt::format("pulled {} ({}; {} transferred)\n", name, size,
                       human_size(progress.bytes_total - progress.bytes_reused));
}

} // namespace

PullDisplay::PullDisplay(const Session& session, std::vector<std::string> names) : session_(session) {
    for (std::string& name : names) lines_.push_back({std::move(name), {}, {}});
}

PullDisplay::~PullDisplay() {
    if (drawn_lines_ > 0) session_.print_drawing(fmt::format("\x1b[{}A\x1b[J", drawn_lines_));
    for (const Line& line : std::span(lines_).subspan(printed_))
        if (line.progress.done && !session_.live_progress())
            session_.print(result_of(line.name, line.progress));
}

image::OnProgress PullDisplay::callback() {
    if (session_.options.quiet) return {};
    return [this](size_t image, const image::PullProgress& progress) { update(image, progress); };
}

void PullDisplay::update(size_t image, const image::PullProgress& progress) {
    Line& line = lines_.at(image);
    line.progress = progress;
    if (line.since == Clock::time_point()) line.since = Clock::now();
    if (!session_.live_progress()) {
        for (; printed_ < lines_.size() && lines_[printed_].progress.done; ++printed_)
            session_.print(result_of(lines_[printed_].name, lines_[printed_].progress));
        return;
    }
    if (Clock::now() - drawn_at_ >= redraw_interval) draw();
}

// "registry/cata…og:v1  ━━━━━━────  2/3 layers  12.3 MiB of 20.1 MiB  4.5 MiB/s": the name is shortened,
// because a line that wraps could not be overwritten.
std::string PullDisplay::text_of(const Line& line) const {
    const image::PullProgress& p = line.progress;
    const std::chrono::duration<double> elapsed = Clock::now() - line.since;
    std::string numbers = fmt::format("{}/{} layers  {:>9} of {:>9}", p.layers_done, p.layers,
                                      human_size(p.bytes), human_size(p.bytes_total));
    const auto bytes_per_second =
        static_cast<uint64_t>(static_cast<double>(p.bytes) / std::max(elapsed.count(), 0.5));
    const std::string rate = fmt::format("  {:>11}", human_size(bytes_per_second) + "/s");

    size_t name_width = 0;
    for (const Line& other : lines_) name_width = std::max(name_width, display_width(other.name));
    const size_t width = session_.width_of_stderr() > 1 ? session_.width_of_stderr() - 1 : 79;
    size_t others = bar_width + numbers.size() + 4;
    // Whole names are worth more than the rate.
    if (name_width + others + rate.size() <= width) {
        numbers += rate;
        others += rate.size();
    }
    name_width = std::min(name_width, std::max<size_t>(width, others + 8) - others);
    const std::string name = shorten(line.name, name_width);
    return name + std::string(name_width - display_width(name) + 2, ' ') +
           bar(p, session_.colour_on_stderr()) + "  " + numbers;
}

void PullDisplay::draw() {
    drawn_at_ = Clock::now();
    std::string text;
    if (drawn_lines_ > 0) text = fmt::format("\x1b[{}A", drawn_lines_);
    size_t shown = 0;
    size_t hidden = 0;
    for (const Line& line : lines_) {
        if (line.progress.done || line.since == Clock::time_point()) continue;
        if (shown < max_lines) {
            text += "\r\x1b[K" + text_of(line) + '\n';
            ++shown;
        } else {
            ++hidden;
        }
    }
    if (hidden > 0) text += fmt::format("\r\x1b[Kand {}\n", counted(hidden, "more image"));
    text += "\x1b[J";
    drawn_lines_ = shown + (hidden > 0 ? 1 : 0);
    session_.print_drawing(text);
}

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
    session_.print_drawing("\r\x1b[K" + cut + time + (final ? "\n" : ""));
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
