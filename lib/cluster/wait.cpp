#include "cluster/wait.hpp"

#include "cluster/kubectl_error.hpp"

#include <fmt/core.h>

#include <optional>
#include <thread>

namespace opcat::cluster {
namespace {

using Clock = std::chrono::steady_clock;

// A server that restarts is away for a minute or so.
constexpr auto longest_outage = std::chrono::seconds(90);

class OutageTolerance {
public:
    // Whether to go on after this failure.
    bool tolerates(const KubectlError& error) {
        if (!error.failure().may_pass()) return false;
        if (!since_) since_ = Clock::now();
        return Clock::now() - *since_ < longest_outage;
    }
    void reset() { since_.reset(); }

private:
    std::optional<Clock::time_point> since_;
};

} // namespace

bool StateDebouncer::is_stable(const OperatorState& state, Time now) {
    if (state.health == Health::working) {
        key_.clear();
        return false;
    }
    // The same with another time to hold is another kind of evidence.
    const std::string key = fmt::format("{} {} {} {} {}", to_string(state.health), state.reason,
                                        state.installed, state.next, state.hold.count());
    return is_stable(key, state.hold, now);
}

bool StateDebouncer::is_stable(const std::string& key, std::chrono::milliseconds hold, Time now) {
    if (key != key_ || key_.empty()) {
        key_ = key;
        since_ = now;
    }
    return now - since_ >= hold;
}

Waited wait_for(const std::function<OperatorState()>& look,
                const std::function<bool(const OperatorState&)>& is_end,
                const std::function<void(const OperatorState&)>& on_look, const WaitOptions& options) {
    const auto deadline = Clock::now() + options.timeout;
    StateDebouncer debouncer;
    OutageTolerance tolerance;
    Waited waited;
    for (;;) {
        try {
            waited.state = look();
            waited.trouble.clear();
            tolerance.reset();
            on_look(waited.state);
            if (debouncer.is_stable(waited.state, Clock::now()) && is_end(waited.state)) return waited;
        } catch (const KubectlError& error) {
            if (!tolerance.tolerates(error)) throw;
            waited.trouble = error.what();
        }
        if (Clock::now() + options.interval > deadline) {
            waited.timed_out = true;
            return waited;
        }
        std::this_thread::sleep_for(options.interval);
    }
}

bool wait_until(const std::function<bool()>& gone, const WaitOptions& options) {
    const auto deadline = Clock::now() + options.timeout;
    OutageTolerance tolerance;
    for (;;) {
        try {
            if (gone()) return true;
            tolerance.reset();
        } catch (const KubectlError& error) {
            if (!tolerance.tolerates(error)) throw;
        }
        if (Clock::now() + options.interval > deadline) return false;
        std::this_thread::sleep_for(options.interval);
    }
}

} // namespace opcat::cluster
