#include "opcat/cel/program.hpp"

#include "opcat/cel/parser.hpp"

namespace opcat::cel {
namespace {

class Evaluation {
public:
    Evaluation(const Tree& tree, std::span<const Binding> bindings, Budget& budget)
        : tree_(tree), budget_(budget), scope_(bindings.begin(), bindings.end()) {}

    Value evaluate(NodeId id) {
        if (!budget_.spend(1)) return Value::failure("cost");
        const Node& node = tree_[id];
        switch (node.kind) {
        case NodeKind::constant:
            return node.constant;
        case NodeKind::identifier:
            return identifier(node.name);
        case NodeKind::select:
            return selected(node);
        case NodeKind::call:
            return called(node);
        case NodeKind::list:
            return list(node);
        case NodeKind::map:
            return map(node);
        case NodeKind::comprehension:
            return comprehension(node);
        case NodeKind::message:
            break;
        }
        return Value::failure("messages are not supported");
    }

private:
    Value identifier(std::string_view name) const {
        if (name.starts_with('.')) name.remove_prefix(1);
        for (size_t i = scope_.size(); i > 0; --i)
            if (scope_[i - 1].name == name) return scope_[i - 1].value;
        if (const std::string_view* type = type_named(name)) return Value::of(TypeName{*type});
        return Value::failure("no such attribute");
    }

    // The only names with dots are those of types.
    const std::string_view* qualified_type(const Node& node) const {
        const Node& first = tree_[node.children[0]];
        if (first.kind != NodeKind::select) return nullptr;
        const Node& second = tree_[first.children[0]];
        if (second.kind != NodeKind::identifier) return nullptr;
        return type_named(second.name + '.' + first.name + '.' + node.name);
    }

    Value selected(const Node& node) {
        if (const std::string_view* type = qualified_type(node)) return Value::of(TypeName{*type});
        const Value operand = evaluate(node.children[0]);
        if (operand.is_failure()) return operand;
        if (!node.test_only) return select(operand, node.name);
        // Only lists have other values between brackets; types without members have nothing.
        if (operand.list()) return Value::failure(no_overload);
        return Value::of(operand.map() && operand.map()->contains(MapKey(node.name)));
    }

    Value called(const Node& node) {
        if (node.name == "_&&_") return logical(node, false);
        if (node.name == "_||_") return logical(node, true);
        if (node.name == "_?_:_") return conditional(node);
        std::vector<Value> arguments;
        arguments.reserve(node.children.size());
        for (const NodeId child : node.children) {
            arguments.push_back(evaluate(child));
            if (arguments.back().is_failure()) return arguments.back();
        }
        return call(node.name, arguments, budget_);
    }

    // One side may decide even if the other fails. `decisive` is the deciding value.
    Value logical(const Node& node, bool decisive) {
        const Value left = evaluate(node.children[0]);
        if (left.get<bool>() && *left.get<bool>() == decisive) return left;
        return join(left, evaluate(node.children[1]), decisive);
    }

    static Value join(const Value& left, const Value& right, bool decisive) {
        if (right.get<bool>() && *right.get<bool>() == decisive) return right;
        if (left.is_failure()) return left;
        if (right.is_failure()) return right;
        if (!left.get<bool>() || !right.get<bool>()) return Value::failure(no_overload);
        return Value::of(!decisive);
    }

    Value conditional(const Node& node) {
        const Value condition = evaluate(node.children[0]);
        if (condition.is_failure()) return condition;
        if (!condition.get<bool>()) return Value::failure(no_overload);
        return evaluate(node.children[*condition.get<bool>() ? 1 : 2]);
    }

    Value list(const Node& node) {
        List items;
        items.reserve(node.children.size());
        for (const NodeId child : node.children) {
            items.push_back(evaluate(child));
            if (items.back().is_failure()) return items.back();
        }
        return Value::of_list(std::move(items));
    }

    Value map(const Node& node) {
        Map entries;
        for (size_t i = 0; i + 1 < node.children.size(); i += 2) {
            const Value key = evaluate(node.children[i]);
            if (key.is_failure()) return key;
            Value value = evaluate(node.children[i + 1]);
            if (value.is_failure()) return value;
            if (!insert(entries, key, std::move(value)))
                return Value::failure("a map's keys must be different, and bool, int, uint or string");
        }
        return Value::of_map(std::move(entries));
    }

    Value comprehension(const Node& node) {
        const Value range = evaluate(node.children[0]);
        if (range.is_failure()) return range;
        std::vector<Value> keys;
        const List* items = range.list();
        if (const Map* map = range.map()) {
            if (!budget_.spend(map->size())) return Value::failure("cost");
            for (const auto& [key, value] : *map) keys.push_back(value_of(key));
            items = &keys;
        }
        if (!items) return Value::failure(no_overload);
        const size_t depth = scope_.size();
        scope_.push_back({node.name, {}});
        Value result = node.macro == Macro::all || node.macro == Macro::exists
                           ? quantified(node, *items, depth)
                       : node.macro == Macro::exists_one ? exactly_one(node, *items, depth)
                                                         : collected(node, *items, depth);
        scope_.pop_back();
        return result;
    }

    static Value value_of(const MapKey& key) {
        if (const auto* b = std::get_if<bool>(&key)) return Value::of(*b);
        if (const auto* i = std::get_if<int64_t>(&key)) return Value::of(*i);
        if (const auto* u = std::get_if<uint64_t>(&key)) return Value::of(*u);
        return Value::of_string(std::get<std::string>(key));
    }

    Value quantified(const Node& node, const List& items, size_t variable) {
        const bool decisive = node.macro == Macro::exists;
        Value result = Value::of(!decisive);
        for (const Value& item : items) {
            scope_[variable].value = item;
            result = join(result, evaluate(node.children[1]), decisive);
            if (result.get<bool>() && *result.get<bool>() == decisive) return result;
            if (budget_.exhausted()) return Value::failure("cost");
        }
        return result;
    }

    Value exactly_one(const Node& node, const List& items, size_t variable) {
        size_t count = 0;
        for (const Value& item : items) {
            scope_[variable].value = item;
            const Value holds = evaluate(node.children[1]);
            if (holds.is_failure()) return holds;
            if (!holds.get<bool>()) return Value::failure(no_overload);
            count += holds.is_true() ? 1 : 0;
        }
        return Value::of(count == 1);
    }

    // map and filter
    Value collected(const Node& node, const List& items, size_t variable) {
        const bool filtered = node.macro == Macro::filter || node.children.size() == 3;
        List results;
        for (const Value& item : items) {
            scope_[variable].value = item;
            if (filtered) {
                const Value wanted = evaluate(node.children[1]);
                if (wanted.is_failure()) return wanted;
                if (!wanted.get<bool>()) return Value::failure(no_overload);
                if (wanted.is_false()) continue;
            }
            results.push_back(node.macro == Macro::filter ? item : evaluate(node.children.back()));
            if (results.back().is_failure()) return results.back();
        }
        return Value::of_list(std::move(results));
    }

    const Tree& tree_;
    Budget& budget_;
    std::vector<Binding> scope_;
};

} // namespace

struct Program::Content {
    Tree tree;
    Type type = TypeKind::error;
};

Value from_json(const opcat::Value& value) {
    if (value.is_boolean()) return Value::of(value.boolean());
    if (value.is_number()) return Value::of(value.number());
    if (value.is_string()) return Value::of_string(std::string(value.string()));
    if (value.is_array()) {
        List items;
        items.reserve(value.items().size());
        for (const opcat::Value& item : value.items()) items.push_back(from_json(item));
        return Value::of_list(std::move(items));
    }
    if (value.is_object()) {
        Map entries;
        for (const Member& member : value.members())
            entries.insert_or_assign(std::string(member.key.string()), from_json(member.value));
        return Value::of_map(std::move(entries));
    }
    return {};
}

Result<Program, std::string> Program::compile(std::string_view text, std::span<const Variable> variables) {
    const Source source(text);
    Issues issues;
    auto content = std::make_shared<Content>();
    content->tree = parse(source, issues);
    if (issues.empty()) content->type = check(content->tree, variables, issues);
    if (!issues.empty()) return issues.to_text(source);
    Program program;
    program.content_ = std::move(content);
    return program;
}

const Type& Program::type() const {
    return content_->type;
}

Result<Value, std::string> Program::evaluate(std::span<const Binding> bindings, Budget& budget) const {
    Value value = Evaluation(content_->tree, bindings, budget).evaluate(content_->tree.root);
    if (budget.exhausted()) return std::string("the evaluation costs too much");
    if (const Failure* failure = value.get<Failure>()) return std::string(failure->message);
    return value;
}

} // namespace opcat::cel
