#include "progress.hpp"

#include "session.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opcat {
namespace {

constexpr std::chrono::milliseconds redraw_interval{100};
// More do not fit on small terminals, and nobody reads them.
constexpr size_t max_lines = 8;

std::string_view cut(std::string_view text, size_t columns) {
    size_t bytes = 0;
    size_t used = 0;
    for (const std::string_view character : utf8_characters(text)) {
        used += display_width(character);
        if (used > columns) break;
        bytes += character.size();
    }
    return text.substr(0, bytes);
}

} // namespace

PullDisplay::PullDisplay(const Session& session, std::vector<std::string> names) : session_(session) {
    for (std::string& name : names) lines_.push_back({std::move(name), {}, {}});
}

PullDisplay::~PullDisplay() {
    if (drawn_lines_ > 0) session_.print(fmt::format("\x1b[{}A\x1b[J", drawn_lines_));
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
        if (progress.done)
            session_.print(fmt::format("pulled {} ({}, {})\n", line.name, counted(progress.layers, "layer"),
                                       human_size(progress.bytes_total)));
        return;
    }
    if (Clock::now() - drawn_at_ >= redraw_interval) draw();
}

std::string PullDisplay::text_of(const Line& line) const {
    const image::PullProgress& p = line.progress;
    const std::chrono::duration<double> elapsed = Clock::now() - line.since;
    std::string text = fmt::format("{}  {}/{} layers  {} of {}", line.name, p.layers_done, p.layers,
                                   human_size(p.bytes), human_size(p.bytes_total));
    if (elapsed.count() > 0.5)
        text += fmt::format(
            "  {}/s", human_size(static_cast<uint64_t>(static_cast<double>(p.bytes) / elapsed.count())));
    // A line that wraps could not be overwritten.
    const unsigned width = session_.width_of_stderr();
    return std::string(cut(text, width > 1 ? width - 1 : 79));
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
    session_.print(text);
}

} // namespace opcat
