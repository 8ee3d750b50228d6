// How far images are that are being pulled, on standard error.
#pragma once

#include "image/puller.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace opcat {

class Session;

// On a terminal a line per image that overwrites itself and goes at the end; else a line for each image that
// is done; nothing if the user wants it quiet.
class PullDisplay {
public:
    // `names`: of the images, in the order of the requests. The session must outlive the display.
    PullDisplay(const Session& session, std::vector<std::string> names);
    ~PullDisplay();
    PullDisplay(const PullDisplay&) = delete;
    PullDisplay& operator=(const PullDisplay&) = delete;

    // For Puller::pull; the display must outlive the call.
    image::OnProgress callback();

private:
    using Clock = std::chrono::steady_clock;
    struct Line {
        std::string name;
        image::PullProgress progress;
        Clock::time_point since; // it has begun; the epoch: not yet
    };
    void update(size_t image, const image::PullProgress& progress);
    void draw();
    std::string text_of(const Line& line) const;

    const Session& session_;
    std::vector<Line> lines_;
    Clock::time_point drawn_at_;
    size_t drawn_lines_ = 0;
};

} // namespace opcat
