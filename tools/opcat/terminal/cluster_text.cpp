#include "terminal/cluster_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opcat {

std::string advice_for(const cluster::OperatorState& state) {
    struct Advice {
        std::string_view reason;
        std::string_view text; // {0} package, {1} namespace, {2} the catalog's, {3} what is installed
    };
    static constexpr Advice advices[] = {
        {"needs-approval", "opcat approve {0} -n {1}"},
        {"resolution-failed", "opcat resolve classic -n {1} --from-cluster explains it"},
        {"unpack-failed",
         "once the cluster can pull the bundle's image, this lets OLM try again: kubectl delete "
         "jobs -n {2} -l operatorframework.io/bundle-unpack-ref"},
        {"install-plan-failed", "OLM does not try again: mend the cause, then opcat uninstall {0} -n {1} and "
                                "opcat install {0} -n {1}; custom resources stay"},
        {"csv-missing", "opcat uninstall {0} -n {1}, then opcat install {0} -n {1}"},
        {"no-operator-group", "opcat install {0} -n {1} --create-operator-group"},
        {"several-operator-groups",
         "kubectl delete operatorgroups.operators.coreos.com -n {1} of all but one"},
        {"upgrade-blocked",
         "when the operator allows it, it goes on by itself; kubectl edit "
         "operatorconditions.operators.coreos.com {3} -n {1} overrides it (spec.overrides)"},
    };
    if (state.olm != cluster::Olm::classic) return {};
    for (const Advice& advice : advices)
        if (advice.reason == state.reason)
            return fmt::format(fmt::runtime(advice.text), state.package, state.ns,
                               state.catalog.substr(0, state.catalog.find('/')), state.installed);
    return {};
}

void StepDisplay::draw(char mark, bool final) {
    using namespace std::chrono;
    const auto seconds = duration_cast<std::chrono::seconds>(steady_clock::now() - since_).count();
    std::string line = fmt::format("  {} {}", mark, for_terminal(step_, 0));
    std::replace(line.begin(), line.end(), '\n', ' ');
    const std::string time = fmt::format("  {} s", seconds);
    const size_t width = std::max(session_.width_of_stderr(), 40U) - time.size() - 1;
    std::string cut;
    size_t used = 0;
    for (const std::string_view character : utf8_characters(line)) {
        used += display_width(character);
        if (used > width - 3 && display_width(line) > width) {
            cut += "...";
            break;
        }
        cut += character;
    }
    session_.print("\r\x1b[K" + cut + time + (final ? "\n" : ""));
}

void StepDisplay::show(const std::string& step) {
    if (session_.options.quiet) return;
    const bool live = session_.live_progress();
    if (step != step_) {
        end(true);
        step_ = step;
        since_ = std::chrono::steady_clock::now();
        if (!live) session_.print("  " + for_terminal(step, 4) + "\n");
    }
    constexpr std::string_view turning = "|/-\\";
    if (live) draw(turning[turns_++ % turning.size()], false);
}

void StepDisplay::end(bool good) {
    if (!step_.empty() && session_.live_progress() && !session_.options.quiet) draw(good ? '+' : '!', true);
    step_.clear();
}

} // namespace opcat
