#include "terminal/transfers.hpp"

#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {

std::string describe(const image::CopyResult& result) {
    if (!result.changed) return "it was there already";
    const std::string size = fmt::format("{}, {}", counted(result.blobs, "blob"), human_size(result.bytes));
    if (result.bytes_sent == result.bytes) return size;
    return fmt::format("{}; {} sent", size,
                       result.bytes_sent == 0 ? "nothing" : human_size(result.bytes_sent));
}

image::OnCopyProgress TransferDisplay::callback() {
    if (session_.options.quiet) return {};
    return [this](const image::CopyProgress& progress, const image::CopyResult* finished) {
        if (finished && finished->done && (finished->changed || progress.images == 1)) {
            erase();
            session_.print(
                fmt::format("copied {} to {} ({})\n", finished->from, finished->to, describe(*finished)));
        }
        if (session_.live_progress() && Clock::now() - drawn_at_ >= redraw_interval) draw(progress);
    };
}

void TransferDisplay::erase() {
    if (drawn_) session_.print_drawing("\r\x1b[K");
    drawn_ = false;
}

void TransferDisplay::draw(const image::CopyProgress& progress) {
    drawn_at_ = Clock::now();
    const std::chrono::duration<double> elapsed = drawn_at_ - since_;
    const auto rate =
        static_cast<uint64_t>(static_cast<double>(progress.bytes_sent) / std::max(elapsed.count(), 0.5));
    const std::string line =
        fmt::format("{} of {}  {} of {}  {}/s", progress.images_done, counted(progress.images, "image"),
                    human_size(progress.bytes_sent), human_size(progress.bytes), human_size(rate));
    const size_t width = session_.width_of_stderr() > 1 ? session_.width_of_stderr() - 1 : 79;
    session_.print_drawing("\r\x1b[K" + shorten(line, width));
    drawn_ = true;
}

} // namespace opcat
