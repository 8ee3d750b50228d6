// Waiting until a cluster has reached a state, and that state has lasted.
#pragma once

#include "cluster/operator_state.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace opcat::cluster {

struct WaitOptions {
    std::chrono::milliseconds timeout = std::chrono::minutes(10);
    std::chrono::milliseconds interval = std::chrono::seconds(1); // between two looks
};

struct Waited {
    OperatorState state;    // the last
    bool timed_out = false; // before anything that counts
    std::string trouble;    // what kept the last looks from succeeding; empty if nothing did
};

// Looks again and again until a state has lasted long enough to count and `is_end` says so. Looks that fail
// because the server cannot be had just then are passed over for a while. `on_look` is called after each look
// with its state. Throws KubectlError for failures that another try would not mend, or that last.
Waited wait_for(const std::function<OperatorState()>& look,
                const std::function<bool(const OperatorState&)>& is_end,
                const std::function<void(const OperatorState&)>& on_look, const WaitOptions& options);

// When to believe what a cluster says: not at once (../shared/design/cluster.md, section 4, no. 4).
class StateDebouncer {
public:
    using Time = std::chrono::steady_clock::time_point;

    // A state as seen at `now`, not before the time of the last call. True if it has been so, as to health,
    // reason and what is installed, for as long as it must be to count.
    bool is_stable(const OperatorState& state, Time now);

    // The same for anything that has a key and a time to hold.
    bool is_stable(const std::string& key, std::chrono::milliseconds hold, Time now);

private:
    std::string key_;
    Time since_;
};

// Waits until `gone` answers true; false if it has not by the time that is given.
bool wait_until(const std::function<bool()>& gone, const WaitOptions& options);

} // namespace opcat::cluster
