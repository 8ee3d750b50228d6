// A clock whose time passes only while somebody sleeps by it.
#pragma once

#include "opcat/base/clock.hpp"

#include <memory>

namespace opcat {

inline Clock simulated_clock() {
    const auto time = std::make_shared<Clock::Time>();
    return {[time] { return *time; }, [time](std::chrono::milliseconds pause) { *time += pause; }};
}

} // namespace opcat
