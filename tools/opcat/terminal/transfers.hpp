// Progress of images that are copied, on standard error.
#pragma once

#include "opcat/image/copier.hpp"
#include "terminal/session.hpp"

#include <chrono>
#include <string>

namespace opcat {

// On a terminal one line that overwrites itself and disappears at the end; otherwise a line for each copied
// image (of several, not for those that exist already), or nothing with --quiet.
class TransferDisplay {
public:
    // The session must outlive the display.
    explicit TransferDisplay(const Session& session) : session_(session) {}
    ~TransferDisplay() { erase(); }
    TransferDisplay(const TransferDisplay&) = delete;
    TransferDisplay& operator=(const TransferDisplay&) = delete;

    // For image::copy_images; the display must outlive the call.
    image::OnCopyProgress callback();

private:
    using Clock = std::chrono::steady_clock;
    void erase();
    void draw(const image::CopyProgress& progress);

    const Session& session_;
    const Clock::time_point since_ = Clock::now();
    Clock::time_point drawn_at_;
    bool drawn_ = false;
};

// "5 blobs, 12.3 MiB; 3.0 MiB sent".
std::string describe(const image::CopyResult& result);

} // namespace opcat
