// What to tell people about the state of an operator.
#pragma once

#include "cluster/state.hpp"
#include "terminal/progress.hpp"
#include "terminal/session.hpp"

#include <chrono>
#include <string>

namespace opcat {

// What to do about a state, as a command where one does it; empty if nothing is known.
std::string advice_for(const cluster::OperatorState& state);

// What a command that takes its time is doing.

// The steps of something that takes its time: on a terminal a list with the time each took, the last of which
// is alive; else a line for each.
class StepDisplay {
public:
    explicit StepDisplay(const Session& session) : session_(session) {}
    ~StepDisplay() { end(false); }
    StepDisplay(const StepDisplay&) = delete;
    StepDisplay& operator=(const StepDisplay&) = delete;

    // What is being done now. Saying the same again moves the clock.
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
