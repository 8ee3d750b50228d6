#include "cluster/wait.hpp"

#include "cluster/kubectl_error.hpp"
#include "cluster/settling.hpp"

#include <optional>
#include <thread>

namespace opcat::cluster {
namespace {

using Clock = std::chrono::steady_clock;

// A server that restarts is away for a minute or so.
constexpr auto longest_outage = std::chrono::seconds(90);

class Patience {
public:
    // Whether to go on after this failure.
    bool bears(const KubectlError& error) {
        if (!error.failure().may_pass()) return false;
        if (!since_) since_ = Clock::now();
        return Clock::now() - *since_ < longest_outage;
    }
    void renew() { since_.reset(); }

private:
    std::optional<Clock::time_point> since_;
};

} // namespace

Waited wait_for(const std::function<OperatorState()>& look,
                const std::function<bool(const OperatorState&)>& is_end,
                const std::function<void(const OperatorState&)>& on_look, const WaitOptions& options) {
    const auto deadline = Clock::now() + options.timeout;
    Settling settling;
    Patience patience;
    Waited waited;
    for (;;) {
        try {
            waited.state = look();
            waited.trouble.clear();
            patience.renew();
            on_look(waited.state);
            if (settling.settled(waited.state, Clock::now()) && is_end(waited.state)) return waited;
        } catch (const KubectlError& error) {
            if (!patience.bears(error)) throw;
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
    Patience patience;
    for (;;) {
        try {
            if (gone()) return true;
            patience.renew();
        } catch (const KubectlError& error) {
            if (!patience.bears(error)) throw;
        }
        if (Clock::now() + options.interval > deadline) return false;
        std::this_thread::sleep_for(options.interval);
    }
}

} // namespace opcat::cluster
