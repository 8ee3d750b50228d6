// When to believe what a cluster says: not at once (../shared/design/cluster.md, section 4, no. 4).
#pragma once

#include "cluster/operator_state.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace opcat::cluster {

class Settling {
public:
    using Time = std::chrono::steady_clock::time_point;

    // A state as seen at `now`, not before the time of the last call. True if it has been so, as to health,
    // reason and what is installed, for as long as it must be to count.
    bool settled(const OperatorState& state, Time now);

    // The same for anything that has a key and a time to hold.
    bool settled(const std::string& key, std::chrono::milliseconds hold, Time now);

private:
    std::string key_;
    Time since_;
};

} // namespace opcat::cluster
