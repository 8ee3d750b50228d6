// Progress on standard error: of images that are being pulled, and of the steps of a command with messages
// from the cluster.
#pragma once

#include "opcat/image/puller.hpp"
#include "terminal/session.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace opcat {

// On a terminal a line per image that overwrites itself and disappears at the end; else a line for each
// finished image, in the order of the requests; nothing with --quiet.
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
    size_t printed_ = 0; // lines of the first images, of which each has been printed
};

// The steps of something that takes time: on a terminal a list with the time of each, the last of which is
// updated; else a line for each.
class StepDisplay {
public:
    explicit StepDisplay(const Session& session) : session_(session) {}
    ~StepDisplay() { end(false); }
    StepDisplay(const StepDisplay&) = delete;
    StepDisplay& operator=(const StepDisplay&) = delete;

    // The current step. Repeating it updates the clock.
    void show(const std::string& step);
    void end(bool good);

private:
    void draw(char mark, bool final);

    const Session& session_;
    std::string step_;
    std::chrono::steady_clock::time_point since_;
    unsigned turns_ = 0;
};

} // namespace opcat
