#include "opcat/cel/checker.hpp"

#include <fmt/core.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace opcat::cel {
namespace {

// Type variables in it are numbered from 0 and stand for any types.
struct Overload {
    std::vector<Type> arguments; // of a member: the receiver first
    Type result;
    bool member = false;
    uint32_t variables = 0; // how many
};

using Table = std::map<std::string_view, std::vector<Overload>>;

class Declarations {
public:
    Declarations() {
        const Type boolean = TypeKind::boolean;
        generic("_?_:_", {boolean, a, a}, a, 1);
        add("!_", {boolean}, boolean);
        generic("_==_", {a, a}, boolean, 1);
        generic("_!=_", {a, a}, boolean, 1);
        for (const std::string_view compare : {"_<_", "_<=_", "_>_", "_>=_"})
            for (const TypeKind kind :
                 {TypeKind::boolean, TypeKind::integer, TypeKind::unsigned_integer, TypeKind::real,
                  TypeKind::string, TypeKind::bytes, TypeKind::timestamp, TypeKind::duration})
                add(compare, {kind, kind}, boolean);
        arithmetic();
        collections();
        conversions();
        text();
        times();
        add("semver_compare", {TypeKind::any, TypeKind::any}, TypeKind::integer);
    }

    const Table& table() const { return table_; }

private:
    void add(std::string_view name, std::vector<Type> arguments, const Type& result) {
        table_[name].push_back({std::move(arguments), result, false, 0});
    }
    void add_member(std::string_view name, std::vector<Type> arguments, const Type& result) {
        table_[name].push_back({std::move(arguments), result, true, 0});
    }
    void generic(std::string_view name, std::vector<Type> arguments, const Type& result, uint32_t variables) {
        table_[name].push_back({std::move(arguments), result, false, variables});
    }

    void arithmetic() {
        for (const TypeKind kind : {TypeKind::bytes, TypeKind::real, TypeKind::duration})
            add("_+_", {kind, kind}, kind);
        add("_+_", {TypeKind::duration, TypeKind::timestamp}, TypeKind::timestamp);
        add("_+_", {TypeKind::timestamp, TypeKind::duration}, TypeKind::timestamp);
        add("_+_", {TypeKind::integer, TypeKind::integer}, TypeKind::integer);
        generic("_+_", {Type::list(a), Type::list(a)}, Type::list(a), 1);
        add("_+_", {TypeKind::string, TypeKind::string}, TypeKind::string);
        add("_+_", {TypeKind::unsigned_integer, TypeKind::unsigned_integer}, TypeKind::unsigned_integer);
        for (const TypeKind kind : {TypeKind::real, TypeKind::duration, TypeKind::integer})
            add("_-_", {kind, kind}, kind);
        add("_-_", {TypeKind::timestamp, TypeKind::duration}, TypeKind::timestamp);
        add("_-_", {TypeKind::timestamp, TypeKind::timestamp}, TypeKind::duration);
        add("_-_", {TypeKind::unsigned_integer, TypeKind::unsigned_integer}, TypeKind::unsigned_integer);
        for (const TypeKind kind : {TypeKind::real, TypeKind::integer, TypeKind::unsigned_integer}) {
            add("_*_", {kind, kind}, kind);
            add("_/_", {kind, kind}, kind);
        }
        add("_%_", {TypeKind::integer, TypeKind::integer}, TypeKind::integer);
        add("_%_", {TypeKind::unsigned_integer, TypeKind::unsigned_integer}, TypeKind::unsigned_integer);
        add("-_", {TypeKind::real}, TypeKind::real);
        add("-_", {TypeKind::integer}, TypeKind::integer);
    }

    void collections() {
        generic("_[_]", {Type::list(a), TypeKind::integer}, a, 1);
        generic("_[_]", {Type::map(a, b), a}, b, 2);
        generic("@in", {a, Type::list(a)}, TypeKind::boolean, 1);
        generic("@in", {a, Type::map(a, b)}, TypeKind::boolean, 2);
        for (const bool member : {false, true}) {
            auto& size = table_["size"];
            size.push_back({{TypeKind::bytes}, TypeKind::integer, member, 0});
            size.push_back({{Type::list(a)}, TypeKind::integer, member, 1});
            size.push_back({{Type::map(a, b)}, TypeKind::integer, member, 2});
            size.push_back({{TypeKind::string}, TypeKind::integer, member, 0});
        }
    }

    void conversions() {
        generic("type", {a}, Type::type_of(a), 1);
        generic("dyn", {a}, TypeKind::dyn, 1);
        const auto from = [this](std::string_view name, TypeKind to, std::initializer_list<TypeKind> kinds) {
            for (const TypeKind kind : kinds) add(name, {kind}, to);
        };
        from("bool", TypeKind::boolean, {TypeKind::boolean, TypeKind::string});
        from("bytes", TypeKind::bytes, {TypeKind::bytes, TypeKind::string});
        from("double", TypeKind::real,
             {TypeKind::real, TypeKind::integer, TypeKind::string, TypeKind::unsigned_integer});
        from("duration", TypeKind::duration, {TypeKind::duration, TypeKind::integer, TypeKind::string});
        from("int", TypeKind::integer,
             {TypeKind::integer, TypeKind::real, TypeKind::duration, TypeKind::string, TypeKind::timestamp,
              TypeKind::unsigned_integer});
        from("string", TypeKind::string,
             {TypeKind::string, TypeKind::boolean, TypeKind::bytes, TypeKind::real, TypeKind::duration,
              TypeKind::integer, TypeKind::timestamp, TypeKind::unsigned_integer});
        from("timestamp", TypeKind::timestamp, {TypeKind::timestamp, TypeKind::integer, TypeKind::string});
        from("uint", TypeKind::unsigned_integer,
             {TypeKind::unsigned_integer, TypeKind::real, TypeKind::integer, TypeKind::string});
    }

    void text() {
        for (const std::string_view name : {"contains", "endsWith", "startsWith"})
            add_member(name, {TypeKind::string, TypeKind::string}, TypeKind::boolean);
        add("matches", {TypeKind::string, TypeKind::string}, TypeKind::boolean);
        add_member("matches", {TypeKind::string, TypeKind::string}, TypeKind::boolean);
    }

    void times() {
        for (const std::string_view name :
             {"getFullYear", "getMonth", "getDayOfYear", "getDate", "getDayOfMonth", "getDayOfWeek",
              "getHours", "getMinutes", "getSeconds", "getMilliseconds"}) {
            add_member(name, {TypeKind::timestamp}, TypeKind::integer);
            add_member(name, {TypeKind::timestamp, TypeKind::string}, TypeKind::integer);
        }
        for (const std::string_view name : {"getHours", "getMinutes", "getSeconds", "getMilliseconds"})
            add_member(name, {TypeKind::duration}, TypeKind::integer);
    }

    Type a = Type::variable(0);
    Type b = Type::variable(1);
    Table table_;
};

// Nothing if there is no function of this name, as a member or otherwise. Includes semver_compare, which OLM
// adds.
std::span<const Overload> overloads_of(std::string_view function) {
    static const Declarations declarations;
    const auto found = declarations.table().find(function);
    return found == declarations.table().end() ? std::span<const Overload>() : found->second;
}

class Checker {
public:
    Checker(const Tree& tree, std::span<const Variable> variables, Issues& issues)
        : tree_(tree), issues_(issues), scope_(variables.begin(), variables.end()) {}

    Type run() {
        const Type type = check(tree_.root);
        return bindings_.substitute(type, true);
    }

private:
    Type check(NodeId id) {
        const Node& node = tree_[id];
        switch (node.kind) {
        case NodeKind::constant:
            return type_of(node.constant);
        case NodeKind::identifier:
            return identifier(node);
        case NodeKind::select:
            return select(node);
        case NodeKind::call:
            return call(node);
        case NodeKind::list:
            return list(node);
        case NodeKind::map:
            return map(node);
        case NodeKind::message:
            return undeclared(node.position, node.name);
        case NodeKind::comprehension:
            return comprehension(node);
        }
        return TypeKind::error;
    }

    static Type type_of(const Value& constant) {
        if (constant.get<bool>()) return TypeKind::boolean;
        if (constant.get<int64_t>()) return TypeKind::integer;
        if (constant.get<uint64_t>()) return TypeKind::unsigned_integer;
        if (constant.get<double>()) return TypeKind::real;
        if (constant.string()) return TypeKind::string;
        if (constant.bytes()) return TypeKind::bytes;
        return TypeKind::null;
    }

    Type undeclared(size_t position, std::string_view name) {
        issues_.add(position, fmt::format("undeclared reference to '{}' (in container '')", name));
        return TypeKind::error;
    }

    std::optional<Type> find(std::string_view name) const {
        if (name.starts_with('.')) name.remove_prefix(1);
        for (size_t i = scope_.size(); i > 0; --i)
            if (scope_[i - 1].name == name) return scope_[i - 1].type;
        Type type = TypeKind::error;
        if (type_named(name, &type)) return type;
        return std::nullopt;
    }

    Type identifier(const Node& node) {
        if (const auto type = find(node.name)) return *type;
        return undeclared(node.position, node.name.starts_with('.') ? node.name.substr(1) : node.name);
    }

    // "a.b.c" of nothing but names.
    std::optional<std::string> qualified_name(NodeId id) const {
        const Node& node = tree_[id];
        if (node.kind == NodeKind::identifier) return node.name;
        if (node.kind != NodeKind::select || node.test_only) return std::nullopt;
        auto prefix = qualified_name(node.children[0]);
        if (prefix) *prefix += '.' + node.name;
        return prefix;
    }

    Type select(const Node& node) {
        if (!node.test_only) {
            const auto prefix = qualified_name(node.children[0]);
            if (prefix)
                if (const auto type = find(*prefix + '.' + node.name)) return *type;
        }
        const Type operand = bindings_.substitute(check(node.children[0]), false);
        Type result = TypeKind::dyn;
        if (operand.kind() == TypeKind::map)
            result = operand.parameters()[1];
        else if (operand.kind() == TypeKind::variable)
            bindings_.assignable(TypeKind::dyn, operand);
        else if (!operand.is_dyn_or_error())
            issues_.add(node.position,
                        fmt::format("type '{}' does not support field selection", operand.to_string()));
        return node.test_only ? Type(TypeKind::boolean) : result;
    }

    Type call(const Node& node) {
        std::vector<Type> arguments(node.children.size(), TypeKind::error);
        const size_t first = node.member ? 1 : 0;
        for (size_t i = first; i < arguments.size(); ++i) arguments[i] = check(node.children[i]);
        if (node.member) arguments[0] = check(node.children[0]);
        if (node.name == "_&&_" || node.name == "_||_") {
            bool good = true;
            for (size_t i = 0; i < arguments.size(); ++i)
                good = require_boolean(node.children[i], arguments[i]) && good;
            return good ? TypeKind::boolean : TypeKind::error;
        }
        const auto overloads = overloads_of(node.name);
        if (overloads.empty()) return undeclared(node.position, node.name);
        return resolve(node.name, node.position, node.member, arguments);
    }

    // Checks operands of "and" and "or" separately. Whether the call is one.
    bool require_boolean(NodeId operand, const Type& type) {
        if (bindings_.assignable(type, TypeKind::boolean)) return true;
        issues_.add(tree_[operand].position, fmt::format("expected type 'bool' but found '{}'",
                                                         bindings_.substitute(type, true).to_string()));
        return false;
    }

    Type resolve(std::string_view function, size_t position, bool member,
                 const std::vector<Type>& arguments) {
        std::optional<Type> result;
        for (const Overload& overload : overloads_of(function)) {
            if (overload.member != member || overload.arguments.size() != arguments.size()) continue;
            std::vector<Type> fresh;
            for (uint32_t i = 0; i < overload.variables; ++i) fresh.push_back(bindings_.fresh());
            std::vector<Type> wanted;
            for (const Type& argument : overload.arguments) wanted.push_back(instantiate(argument, fresh));
            if (!bindings_.assignable(arguments, wanted)) continue;
            const Type found = bindings_.substitute(instantiate(overload.result, fresh), false);
            if (!result)
                result = found;
            else if (!result->is_dyn() && !(found == *result))
                result = TypeKind::dyn;
        }
        if (result) return *result;
        issues_.add(position, fmt::format("found no matching overload for '{}' applied to '{}'", function,
                                          signature(arguments, member)));
        return TypeKind::error;
    }

    static Type instantiate(const Type& type, const std::vector<Type>& variables) {
        switch (type.kind()) {
        case TypeKind::variable:
            return variables[type.number()];
        case TypeKind::list:
            return Type::list(instantiate(type.parameters()[0], variables));
        case TypeKind::map:
            return Type::map(instantiate(type.parameters()[0], variables),
                             instantiate(type.parameters()[1], variables));
        case TypeKind::type:
            return Type::type_of(instantiate(type.parameters()[0], variables));
        default:
            return type;
        }
    }

    std::string signature(const std::vector<Type>& arguments, bool member) const {
        std::string text;
        for (size_t i = 0; i < arguments.size(); ++i) {
            if (i == (member ? 1U : 0U)) text += '(';
            if (i > (member ? 1U : 0U)) text += ", ";
            text += bindings_.substitute(arguments[i], true).to_string();
            if (i == 0 && member) text += '.';
        }
        if (arguments.size() == (member ? 1U : 0U)) text += '(';
        return text + ')';
    }

    Type join(const std::optional<Type>& previous, const Type& current) {
        if (!previous) return current;
        if (bindings_.assignable(*previous, current)) return TypeBindings::most_general(*previous, current);
        return TypeKind::dyn;
    }

    Type list(const Node& node) {
        std::optional<Type> item;
        for (const NodeId child : node.children) item = join(item, check(child));
        return Type::list(item ? *item : bindings_.fresh());
    }

    Type map(const Node& node) {
        std::optional<Type> key;
        std::optional<Type> value;
        for (size_t i = 0; i + 1 < node.children.size(); i += 2) {
            key = join(key, check(node.children[i]));
            value = join(value, check(node.children[i + 1]));
        }
        if (!key) {
            key = bindings_.fresh();
            value = bindings_.fresh();
        }
        return Type::map(*key, *value);
    }

    // The types that cel-go finds by checking the expansion of the macro.
    Type comprehension(const Node& node) {
        const Type range = bindings_.substitute(check(node.children[0]), false);
        Type variable = TypeKind::dyn;
        if (range.kind() == TypeKind::list || range.kind() == TypeKind::map) {
            variable = range.parameters()[0];
        } else if (range.kind() == TypeKind::variable) {
            bindings_.assignable(TypeKind::dyn, range);
        } else if (range.kind() != TypeKind::dyn && range.kind() != TypeKind::error) {
            issues_.add(
                tree_[node.children[0]].position,
                fmt::format("expression of type '{}' cannot be range of a comprehension (must be list, "
                            "map, or dynamic)",
                            range.to_string()));
            variable = TypeKind::error;
        }
        scope_.push_back({node.name, variable});
        Type result = body(node, variable);
        scope_.pop_back();
        return result;
    }

    Type body(const Node& node, const Type& variable) {
        const Type first = check(node.children[1]);
        switch (node.macro) {
        case Macro::all:
        case Macro::exists:
            require_boolean(node.children[1], first);
            return TypeKind::boolean;
        case Macro::exists_one:
            resolve("_?_:_", node.position, false, {first, TypeKind::integer, TypeKind::integer});
            return TypeKind::boolean;
        case Macro::filter:
            resolve("_?_:_", node.position, false, {first, Type::list(variable), Type::list(variable)});
            return bindings_.substitute(Type::list(variable), false);
        case Macro::map:
            break;
        }
        if (node.children.size() == 2) return bindings_.substitute(Type::list(first), false);
        const Type result = Type::list(check(node.children[2]));
        resolve("_?_:_", node.position, false, {first, result, result});
        return bindings_.substitute(result, false);
    }

    const Tree& tree_;
    Issues& issues_;
    std::vector<Variable> scope_;
    TypeBindings bindings_;
};

} // namespace

const std::string_view* type_named(std::string_view name, Type* type) {
    struct Named {
        std::string_view name;
        Type type;
    };
    static const std::array<Named, 12> named = {{
        {"bool", TypeKind::boolean},
        {"bytes", TypeKind::bytes},
        {"double", TypeKind::real},
        {"google.protobuf.Duration", TypeKind::duration},
        {"google.protobuf.Timestamp", TypeKind::timestamp},
        {"int", TypeKind::integer},
        {"list", Type::list(TypeKind::dyn)},
        {"map", Type::map(TypeKind::dyn, TypeKind::dyn)},
        {"null_type", TypeKind::null},
        {"string", TypeKind::string},
        {"type", TypeKind::type},
        {"uint", TypeKind::unsigned_integer},
    }};
    for (const Named& known : named) {
        if (known.name != name) continue;
        if (type) *type = Type::type_of(known.type);
        return &known.name;
    }
    return nullptr;
}

Type check(const Tree& tree, std::span<const Variable> variables, Issues& issues) {
    return Checker(tree, variables, issues).run();
}

} // namespace opcat::cel
