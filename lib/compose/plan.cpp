#include "compose/plan.hpp"

#include <fmt/core.h>

namespace opcat {
namespace {

ComposeStep plan_step(const ComposeReference& reference, const Pin* pin, const std::string& digest,
                      const std::string& content, bool update) {
    ComposeStep step{&reference, digest, ComposeStep::Change::none, false};
    if (!pin || pin->image != reference.image.text) {
        step.change = ComposeStep::Change::added;
        return step;
    }
    if (digest != pin->digest) {
        step.change = update ? ComposeStep::Change::moved : ComposeStep::Change::held;
        if (!update) step.digest = pin->digest;
    }
    step.up_to_date = !step.digest.empty() && step.digest == pin->digest && content == pin->content;
    return step;
}

} // namespace

ComposePlan plan_compose(const ComposeConfig& config, const ComposeState& state,
                         const std::function<bool(std::string_view name)>& update) {
    ComposePlan plan;
    for (size_t i = 0; i < config.references.size(); ++i) {
        const ComposeReference& reference = config.references[i];
        plan.steps.push_back(plan_step(reference, state.lock.find(reference.name), state.digests[i],
                                       state.contents[i], update(reference.name)));
    }
    for (const Pin& pin : state.lock.pins) {
        bool wanted = false;
        for (const ComposeReference& reference : config.references) wanted |= reference.name == pin.name;
        if (!wanted) plan.removed.push_back(pin.name);
    }
    return plan;
}

std::vector<std::string> describe_changes(const ComposePlan& plan) {
    std::vector<std::string> changes;
    for (const ComposeStep& step : plan.steps) {
        const std::string_view name = step.reference->name;
        const std::string_view image = step.reference->image;
        if (step.change == ComposeStep::Change::added)
            changes.push_back(fmt::format("{}: the lock does not have {}", name, image));
        if (step.change == ComposeStep::Change::held || step.change == ComposeStep::Change::moved)
            changes.push_back(fmt::format("{}: {} is another image than the locked one", name, image));
    }
    for (const std::string& name : plan.removed)
        changes.push_back(fmt::format("{}: the lock has it, the configuration does not", name));
    return changes;
}

} // namespace opcat
