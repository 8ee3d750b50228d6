#include "cluster/settling.hpp"

#include <fmt/core.h>

namespace opcat::cluster {

bool Settling::settled(const OperatorState& state, Time now) {
    if (state.health == Health::working) {
        key_.clear();
        return false;
    }
    // The same with another time to hold is another kind of evidence.
    const std::string key = fmt::format("{} {} {} {} {}", to_string(state.health), state.reason,
                                        state.installed, state.next, state.hold.count());
    return settled(key, state.hold, now);
}

bool Settling::settled(const std::string& key, std::chrono::milliseconds hold, Time now) {
    if (key != key_ || key_.empty()) {
        key_ = key;
        since_ = now;
    }
    return now - since_ >= hold;
}

} // namespace opcat::cluster
