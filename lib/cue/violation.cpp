#include "opcat/base/text.hpp"
#include "opcat/cue/checker.hpp"
#include "opcat/cue/limits.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace opcat::cue {
namespace {

constexpr size_t max_violations = 100;
// Alternatives are distinguished near their top.
constexpr unsigned max_distance_depth = 4;

constexpr unsigned wrong_kind = 100;
constexpr unsigned wrong_constant = 30; // usually what distinguishes alternatives: a type, a schema
constexpr unsigned wrong_value = 10;
constexpr unsigned wrong_field = 5;

bool is_plain(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-';
    });
}

std::string member_path(const std::string& path, std::string_view name) {
    if (!is_plain(name)) return fmt::format("{}[{}]", path, to_string(Constant::of(std::string(name))));
    return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

std::string shown(const Value& value) {
    constexpr size_t max_shown = 60;
    switch (value.kind()) {
    case Value::Kind::boolean:
        return value.boolean() ? "true" : "false";
    case Value::Kind::integer:
    case Value::Kind::large_integer:
    case Value::Kind::real:
        return to_string(Number::of(value));
    case Value::Kind::string: {
        if (value.string().size() <= max_shown) return to_string(Constant::of(std::string(value.string())));
        std::string text;
        for (const std::string_view character : utf8_characters(value.string())) {
            if (text.size() + character.size() > max_shown) break;
            text += character;
        }
        return to_string(Constant::of(text + "…"));
    }
    default:
        return std::string(opcat::describe(value.kind()));
    }
}

Kinds kinds_of(const Node& node) {
    Kinds kinds = 0;
    for (const Alternative& alternative : node.alternatives) kinds |= alternative.kinds;
    return kinds;
}

std::string list_of(const std::vector<std::string>& items, std::string_view last) {
    std::string text;
    for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) text += i + 1 == items.size() ? fmt::format(" {} ", last) : ", ";
        text += items[i];
    }
    return text;
}

class Search {
public:
    explicit Search(const Program& program) : program_(program) {}

    std::vector<Violation> run(NodeId id, const Value& value, const std::string& path) {
        node(id, value, path);
        if (found_.empty() && budget_ == 0)
            found_.push_back(
                {path, &value, "does not fit, and is too large to say why", {}, program_.nodes[id].where, 0});
        return std::move(found_);
    }

private:
    bool full() const { return found_.size() >= max_violations || budget_ == 0; }

    void add(const std::string& path, const Value& at, Range schema, std::string_view what,
             std::string help = {}) {
        if (full()) return;
        found_.push_back({path, &at, std::string(what), std::move(help), schema, alternatives_});
    }

    void node(NodeId id, const Value& value, const std::string& path) {
        const Node& node = program_.nodes[id];
        if (full()) return;
        const Choice choice = choose(program_, node, value, budget_);
        if (choice.state == State::complete) return;
        if (node.alternatives.empty() && node.forbidden)
            return add(path, value, node.where, "must not be there");
        if (node.alternatives.empty())
            return add(path, value, node.where,
                       fmt::format("cannot be right: {}", node.contradiction.empty()
                                                              ? "the schema contradicts itself"
                                                              : node.contradiction));
        if (choice.ambiguous)
            return add(path, value, node.where,
                       "matches several alternatives of the schema, with different results",
                       "add fields so that only one of them matches");
        if (choice.alternative) return alternative(*choice.alternative, value, path);
        if (node.alternatives.size() == 1) return alternative(node.alternatives.front(), value, path);
        if (constants(node, value, path)) return;
        if (!fits_some(node, value))
            return add(path, value, node.where, must_be(describe(kinds_of(node)), value));
        const Alternative* nearest = nullptr;
        unsigned least = 0;
        for (const Alternative& one : node.alternatives) {
            const unsigned distance = distance_of(one, value, 0);
            if (nearest && distance >= least) continue;
            nearest = &one;
            least = distance;
        }
        const size_t outer = std::exchange(alternatives_, node.alternatives.size());
        alternative(*nearest, value, path);
        alternatives_ = outer;
    }

    static bool fits_some(const Node& node, const Value& value) {
        return std::any_of(node.alternatives.begin(), node.alternatives.end(),
                           [&](const Alternative& one) { return (one.kinds & kind_of(value)) != 0; });
    }

    static std::string must_be(std::string_view wanted, const Value& value) {
        if (value.is_null() && wanted == describe(kind::any & static_cast<Kinds>(~kind::null)))
            return "must not be null";
        return fmt::format("must be {}, not {}", wanted, opcat::describe(value.kind()));
    }

    // An enumeration is reported as one.
    bool constants(const Node& node, const Value& value, const std::string& path) {
        constexpr size_t few = 12;
        std::vector<std::string> wanted;
        std::vector<std::string_view> texts;
        for (const Alternative& one : node.alternatives) {
            if (!one.constant) return false;
            wanted.push_back(to_string(*one.constant));
            if (one.constant->kind == Constant::Kind::string) texts.emplace_back(one.constant->text);
        }
        if (wanted.size() > few) {
            const size_t more = wanted.size() - few;
            wanted.resize(few);
            wanted.push_back(fmt::format("{} others", more));
        }
        add(path, value, node.where, fmt::format("must be {}, not {}", list_of(wanted, "or"), shown(value)),
            value.is_string() ? did_you_mean(value.string(), texts) : "");
        return true;
    }

    void alternative(const Alternative& one, const Value& value, const std::string& path) {
        if ((one.kinds & kind_of(value)) == 0) {
            const bool scalar = value.is_number() || value.is_boolean();
            const std::string wanted = one.constant ? to_string(*one.constant) : describe(one.kinds);
            if (one.kinds == kind::integer && value.kind() == Value::Kind::real)
                return add(path, value, one.where, fmt::format("must be {}, not {}", wanted, shown(value)));
            return add(path, value, one.where, must_be(wanted, value),
                       scalar && one.kinds == kind::string ? "put it in quotes" : "");
        }
        if (one.constant) {
            if (check_constant(one, value)) return;
            const std::string_view text = one.constant->text;
            return add(path, value, one.where,
                       fmt::format("must be {}, not {}", to_string(*one.constant), shown(value)),
                       value.is_string() ? did_you_mean(value.string(), {&text, 1}) : "");
        }
        for (const Limit& limit : one.limits) check_limit(limit, value, path);
        if (value.is_object() && one.has_fields) structure(one, value, path);
        if (value.is_array() && one.has_items) list(one, value, path);
    }

    static bool check_constant(const Alternative& one, const Value& value) {
        switch (value.kind()) {
        case Value::Kind::null:
            return true;
        case Value::Kind::boolean:
            return value.boolean() == one.constant->boolean;
        case Value::Kind::string:
            return value.string() == one.constant->text;
        default:
            return compare(Number::of(value), one.constant->number) == 0;
        }
    }

    void check_limit(const Limit& limit, const Value& value, const std::string& path) {
        if (is_within(value, limit)) return;
        using What = Limit::What;
        const std::string items = limit.count == 1 ? "item" : "items";
        const std::string characters = limit.count == 1 ? "character" : "characters";
        std::string what;
        switch (limit.what) {
        case What::not_equal:
            what = limit.operand == Constant::of("")
                       ? "must not be empty"
                       : fmt::format("must not be {}", to_string(limit.operand));
            break;
        case What::match:
            what = fmt::format("must match the regular expression {}, which {} does not",
                               to_string(limit.operand), shown(value));
            break;
        case What::not_match:
            what = fmt::format("must not match the regular expression {}, as {} does",
                               to_string(limit.operand), shown(value));
            break;
        case What::min_runes:
            what = fmt::format("must have at least {} {}", limit.count, characters);
            break;
        case What::max_runes:
            what = fmt::format("must have at most {} {}", limit.count, characters);
            break;
        case What::min_items:
            what = fmt::format("must have at least {} {}, not {}", limit.count, items, value.items().size());
            break;
        case What::max_items:
            what = fmt::format("must have at most {} {}, not {}", limit.count, items, value.items().size());
            break;
        case What::unique_items:
            what = "must not have an item twice";
            break;
        default:
            what = fmt::format("must be {}, not {}", to_string(limit), shown(value));
            break;
        }
        add(path, value, limit.where, what);
    }

    void structure(const Alternative& one, const Value& value, const std::string& path) {
        for (const NodeId hidden : one.hidden)
            if (program_.nodes[hidden].when_absent == State::bottom)
                add(path, value, program_.nodes[hidden].where,
                    "cannot be right: the schema contradicts itself here");
        std::optional<std::vector<std::string_view>> absent_names;
        for (const Member& member : value.members()) {
            const std::string inner = member_path(path, member.key.string());
            if (const auto inner_node = node_of(one, member.key)) {
                node(*inner_node, member.value, inner);
                continue;
            }
            if (!absent_names) absent_names = allowed_and_absent(one, value);
            add(inner, member.key, one.where, "is not allowed: the schema has no such field",
                did_you_mean(member.key.string(), *absent_names));
        }
        for (const Field& field : one.fields) absent(field, value, path);
    }

    void absent(const Field& field, const Value& value, const std::string& path) {
        if (field.presence == Presence::optional || value.find(field.name)) return;
        const Node& node = program_.nodes[field.node];
        if (field.presence == Presence::regular && node.when_absent == State::complete) return;
        if (full()) return;
        const std::string name = member_path(path, field.name);
        const std::string wanted = node.alternatives.size() == 1 && node.alternatives.front().constant
                                       ? to_string(*node.alternatives.front().constant)
                                       : describe(kinds_of(node));
        found_.push_back(
            {name, &value, fmt::format("is missing: it must be {}", wanted), {}, field.where, alternatives_});
    }

    static std::vector<std::string_view> allowed_and_absent(const Alternative& one, const Value& value) {
        std::vector<std::string_view> names;
        for (const Field& field : one.fields)
            if (field.allowed && !value.find(field.name)) names.emplace_back(field.name);
        return names;
    }

    // Nothing: the field is not allowed.
    std::optional<NodeId> node_of(const Alternative& one, const Value& key) {
        if (const Field* const field = find_field(one, key.string())) {
            if (!field->allowed) return std::nullopt;
            return field->node;
        }
        uint32_t set = 0;
        for (size_t i = 0; i < one.patterns.size(); ++i)
            if (check(program_, one.patterns[i].label, key, budget_).state == State::complete) set |= 1U << i;
        for (const uint32_t closing : one.closed_by)
            if ((closing & set) == 0) return std::nullopt;
        return set == 0 ? anything : one.by_patterns[set];
    }

    void list(const Alternative& one, const Value& value, const std::string& path) {
        const std::span<const Value> items = value.items();
        const size_t count = one.items.size();
        if (items.size() < count || (items.size() > count && !one.rest))
            return add(path, value, one.where,
                       fmt::format("must have {}{}, not {}", one.rest ? "at least " : "",
                                   counted(count, "item"), items.size()));
        for (size_t i = 0; i < items.size(); ++i)
            node(i < count ? one.items[i] : *one.rest, items[i], fmt::format("{}[{}]", path, i));
    }

    // The distance of a value from an alternative: the number of necessary changes.
    unsigned distance_of(const Alternative& one, const Value& value, unsigned depth) {
        if ((one.kinds & kind_of(value)) == 0) return wrong_kind;
        if (one.constant) return check_constant(one, value) ? 0 : wrong_constant;
        unsigned distance = 0;
        for (const Limit& limit : one.limits)
            if (!is_within(value, limit)) distance += wrong_value;
        if (depth >= max_distance_depth) return distance;
        if (value.is_object() && one.has_fields) {
            for (const Member& member : value.members()) {
                const auto inner = node_of(one, member.key);
                distance += inner ? distance_of(*inner, member.value, depth + 1) : wrong_field;
            }
            for (const Field& field : one.fields)
                if (field.presence != Presence::optional && !value.find(field.name) &&
                    (field.presence == Presence::required ||
                     program_.nodes[field.node].when_absent != State::complete))
                    distance += wrong_field;
        }
        if (value.is_array() && one.has_items) {
            const std::span<const Value> items = value.items();
            const size_t count = one.items.size();
            constexpr size_t looked_at = 10;
            const size_t wrong_items = items.size() < count ? count - items.size()
                                       : one.rest           ? 0
                                                            : items.size() - count;
            distance += static_cast<unsigned>(std::min(wrong_items, looked_at)) * wrong_value;
            const size_t known = one.rest ? items.size() : std::min(items.size(), count);
            for (size_t i = 0; i < std::min(known, looked_at); ++i)
                distance += distance_of(i < count ? one.items[i] : *one.rest, items[i], depth + 1);
        }
        return distance;
    }

    unsigned distance_of(NodeId id, const Value& value, unsigned depth) {
        const Node& node = program_.nodes[id];
        if (check(program_, id, value, budget_).state == State::complete) return 0;
        unsigned least = wrong_kind;
        for (const Alternative& one : node.alternatives)
            least = std::min(least, distance_of(one, value, depth));
        return std::max(least, 1U);
    }

    const Program& program_;
    std::vector<Violation> found_;
    size_t alternatives_ = 0;
    uint64_t budget_ = max_checked_values;
};

} // namespace

std::vector<Violation> find_violations(const Program& program, NodeId node, const Value& value,
                                       const std::string& path) {
    return Search(program).run(node, value, path);
}

} // namespace opcat::cue
