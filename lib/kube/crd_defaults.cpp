// Defaults of structural schemas (apiextensions-apiserver, pkg/apiserver/schema/defaulting).
#include "opcat/kube/crd.hpp"

#include <vector>

namespace opcat::kube {
namespace {

constexpr int max_schema_depth = 200;

class Defaults {
public:
    Defaults(Arena& arena, Work& work) : arena_(arena), work_(work) {}

    bool gave_up() const { return gave_up_; }

    Value apply(const Value& value, const Value& schema, int depth) {
        if (depth > max_schema_depth || !schema.is_object() || !take(8 * (1 + schema.members().size())))
            return value;
        if (value.is_object()) return apply_to_object(value, schema, depth);
        const Value* const each = value.is_array() ? schema.find("items") : nullptr;
        if (!each) return value;
        std::vector<Value> items;
        for (const Value& item : value.items())
            items.push_back(apply(is_reset(item, *each) ? default_of(*each) : item, *each, depth + 1));
        return Value::of(std::span<const Value>(arena_.copy(std::span<const Value>(items))), value.offset());
    }

private:
    bool take(size_t steps) {
        gave_up_ = gave_up_ || !work_.take(steps);
        return !gave_up_;
    }

    static bool is_reset(const Value& value, const Value& schema) {
        return value.is_null() && !Fields(schema).flag("nullable");
    }
    static Value default_of(const Value& schema) {
        const Value* const found = schema.find("default");
        return found ? *found : Value();
    }

    Value apply_to_object(const Value& value, const Value& schema, int depth) {
        const Fields properties = Fields(schema).at("properties");
        const Value* const others = schema.find("additionalProperties");
        // Each side's members are looked for among the other's.
        if (!take((1 + properties.members().size()) * (1 + 2 * value.members().size()))) return value;
        std::vector<Member> members;
        for (const Member& member : value.members()) {
            const Value* const known =
                properties.value().is_object() ? properties.value().find(member.key.string()) : nullptr;
            const Value* const part = known ? known : others && others->is_object() ? others : nullptr;
            if (!part) {
                members.push_back(member);
                continue;
            }
            const bool reset = is_reset(member.value, *part);
            const Value content = reset ? default_of(*part) : member.value;
            // A null without a default is dropped.
            if (!reset || !content.is_null())
                members.push_back({member.key, apply(content, *part, depth + 1)});
        }
        for (const Member& property : Fields(schema).members("properties")) {
            const Value content = default_of(property.value);
            if (content.is_null() || value.find(property.key.string())) continue;
            gave_up_ = gave_up_ || ++added_ > most_added;
            if (gave_up_) return value;
            members.push_back({property.key, apply(content, property.value, depth + 1)});
        }
        return Value::of(std::span<const Member>(arena_.copy(std::span<const Member>(members))),
                         value.offset());
    }

    static constexpr size_t most_added = 1'000'000; // an item of a list may need all of a schema

    Arena& arena_;
    Work& work_;
    size_t added_ = 0;
    bool gave_up_ = false;
};

} // namespace

std::optional<Value> with_defaults(const Value& object, const Value& schema, Arena& arena, Work& work) {
    Defaults defaults(arena, work);
    const Value completed = defaults.apply(object, schema, 0);
    return defaults.gave_up() ? std::nullopt : std::optional(completed);
}

} // namespace opcat::kube
