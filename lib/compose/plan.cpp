#include "compose/plan.hpp"

#include "catalog/field_reader.hpp"
#include "catalog/finding.hpp"
#include "document/value_builder.hpp"
#include "document/yaml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>

namespace opcat {
namespace {

constexpr std::string_view rule = "compose";
constexpr std::string_view lock_schema = "opcat.compose-lock.v1";

bool by_name(const Pin& pin, std::string_view name) {
    return pin.name < name;
}

} // namespace

const Pin* ComposeLock::find(std::string_view name) const {
    const auto found = std::lower_bound(pins.begin(), pins.end(), name, by_name);
    return found != pins.end() && found->name == name ? &*found : nullptr;
}

std::optional<ComposeLock> read_compose_lock(const SourceFile& file, Diagnostics& diagnostics) {
    Arena arena;
    Diagnostics found;
    ComposeLock lock;
    if (const auto root = read_object(file, arena, "a lock", rule, found)) {
        const FieldReader fields(&file, *root, "the lock", found);
        const Text schema = fields.string("schema");
        if (found.empty() && schema != lock_schema)
            found.push_back(error(rule, {&file, schema.offset, 1},
                                  "this is no lock that this opcat can read: its schema is not " +
                                      std::string(lock_schema),
                                  "remove the file to have it made anew"));
        if (const Value* const list = fields.array("references")) {
            for (const Value& item : list->items()) {
                const FieldReader pin(&file, item, "a reference of the lock", found);
                const auto text = [&](std::string_view field) { return std::string(pin.string(field).text); };
                lock.pins.push_back({text("name"), text("image"), text("digest"), text("content")});
            }
        }
    }
    diagnostics.insert(diagnostics.end(), found.begin(), found.end());
    if (!found.empty()) return std::nullopt;
    std::sort(lock.pins.begin(), lock.pins.end(), [](const Pin& a, const Pin& b) { return a.name < b.name; });
    return lock;
}

std::string to_text(const ComposeLock& lock) {
    Arena arena;
    ValueBuilder builder(arena);
    const auto add = [&](std::string_view key, const Value& value) {
        builder.add(Value::of(key));
        builder.add(value);
    };
    builder.open(0);
    builder.open(0);
    for (const Pin& pin : lock.pins) {
        builder.open(0);
        add("name", Value::of(std::string_view(pin.name)));
        add("image", Value::of(std::string_view(pin.image)));
        if (!pin.digest.empty()) add("digest", Value::of(std::string_view(pin.digest)));
        add("content", Value::of(std::string_view(pin.content)));
        builder.add(builder.close_object());
    }
    const Value references = builder.close_array();
    add("references", references);
    add("schema", Value::of(lock_schema));
    std::string text = "# What opcat compose has made the catalog of. Keep it with the configuration.\n";
    [[maybe_unused]] const Value* const unwritable = append_yaml(text, builder.close_object());
    assert(!unwritable); // names have no control characters, images come from a document
    return text;
}

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
