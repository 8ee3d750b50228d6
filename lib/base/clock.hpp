// The time by which something waits.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace opcat {

// The machine's, or that of a test, which passes as the test decides. Both functions must be set.
struct Clock {
    using Time = std::chrono::steady_clock::time_point;

    std::function<Time()> now = [] { return std::chrono::steady_clock::now(); };
    std::function<void(std::chrono::milliseconds)> sleep = [](std::chrono::milliseconds time) {
        std::this_thread::sleep_for(time);
    };
};

} // namespace opcat
