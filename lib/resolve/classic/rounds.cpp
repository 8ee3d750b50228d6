#include "opcat/resolve/classic/report.hpp"

#include <algorithm>

namespace opcat::classic {

bool Round::fails() const {
    return !prediction.resolution.error.empty() || has_errors(prediction.findings);
}

bool Round::leaves_stranded() const {
    return std::any_of(prediction.findings.begin(), prediction.findings.end(),
                       [](const Diagnostic& finding) { return finding.rule == "classic-stranded"; });
}

Rounds resolve_rounds(const Request& request, const RoundOptions& options) {
    Rounds all;
    Request now = request;
    for (size_t i = 0; i < (options.to_end ? most_rounds : 1); ++i) {
        Round& round = all.rounds.emplace_back();
        round.cluster = now.cluster;
        round.prediction = predict(now, options.inputs);
        if (options.objects) round.group = group_objects(now, round.prediction.plan);
        if (options.choices) round.choices = explain_choices(round.prediction.resolution);
        if (!round.prediction.resolution.error.empty()) {
            round.failure = explain_failure(round.prediction.resolution);
            round.suggestions = suggest_changes(now, round.prediction.resolution);
        }
        if (!options.to_end || round.fails() || !round.prediction.plan.does_something()) break;
        now.cluster = &all.after.emplace_back(carried_out(now, round.prediction.plan));
    }
    return all;
}

} // namespace opcat::classic
