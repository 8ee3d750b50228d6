#include "opcat/go/encode.hpp"

#include "opcat/document/normalise.hpp"
#include "opcat/document/number.hpp"

#include <map>
#include <vector>

namespace opcat::go {
namespace {

using Kind = Type::Kind;

class Recoder {
public:
    Recoder(Route route, Arena& arena) : route_(route), arena_(arena) {}

    Value recode(const Value& value, const Type& type) {
        switch (type.kind) {
        case Kind::list:
            return value.is_array() ? list(value, type) : Value::of_null();
        case Kind::map:
            return value.is_object() ? map(value, type) : Value::of_null();
        case Kind::structure:
            return structure(value, type);
        case Kind::any:
            return copy(value);
        case Kind::boolean:
            return value.is_null() ? Value::of(false) : value;
        case Kind::int32:
        case Kind::int64:
            if (value.kind() == Value::Kind::real) return Value::of(static_cast<int64_t>(value.real()));
            return value.is_null() ? Value::of(int64_t{0}) : value;
        default:
            return Value::of(arena_.copy(value.string_or_empty()));
        }
    }

private:
    static bool is_empty(const Value& value, const Type& type) {
        switch (type.kind) {
        case Kind::structure:
            return false;
        case Kind::list:
            return value.is_null() || value.items().empty();
        case Kind::map:
            return value.is_null() || value.members().empty();
        case Kind::boolean:
            return !value.boolean();
        case Kind::int32:
        case Kind::int64:
            return value.integer() == 0;
        case Kind::any:
            return false;
        default:
            return value.string().empty();
        }
    }

    Value list(const Value& value, const Type& type) {
        std::vector<Value> items;
        for (const Value& item : value.items()) items.push_back(recode(item, *type.element));
        return Value::of(std::span<const Value>(arena_.copy(std::span<const Value>(items))));
    }

    Value map(const Value& value, const Type& type) {
        std::vector<Member> members;
        for (const Member& member : value.members())
            members.push_back({text(member.key), recode(member.value, *type.element)});
        return object(ordered(members)); // as Go writes a map
    }

    Value structure(const Value& value, const Type& type) {
        std::vector<Member> members;
        for (const Field& field : type.fields) {
            if (field.written == Written::never) continue;
            const Value* const found = find_field(value, field.name, route_);
            if (!found && field.type->kind == Kind::any) continue;
            const Value recoded = recode(found ? *found : Value::of_null(), *field.type);
            if (field.written == Written::always || !is_empty(recoded, *field.type))
                members.push_back({Value::of(field.name), recoded});
        }
        return object(members);
    }

    Value copy(const Value& value) {
        if (value.is_string()) return text(value);
        if (value.is_array()) {
            std::vector<Value> items;
            for (const Value& item : value.items()) items.push_back(copy(item));
            return Value::of(std::span<const Value>(arena_.copy(std::span<const Value>(items))));
        }
        if (!value.is_object()) return value;
        std::vector<Member> members;
        for (const Member& member : value.members())
            members.push_back({text(member.key), copy(member.value)});
        return object(members);
    }

    Value text(const Value& value) { return Value::of(arena_.copy(value.string()), value.offset()); }
    Value object(const std::vector<Member>& members) {
        return Value::of(std::span<const Member>(arena_.copy(std::span<const Member>(members))));
    }

    Route route_;
    Arena& arena_;
};

} // namespace

Value recode(const Value& value, const Type& type, Route route, Arena& arena) {
    return Recoder(route, arena).recode(value, type);
}

Value with_field_names(const Value& value, const Type& type, Route route, Arena& arena) {
    if (value.is_array() && type.kind == Type::Kind::list) {
        std::vector<Value> items;
        for (const Value& item : value.items())
            items.push_back(with_field_names(item, *type.element, route, arena));
        return Value::of(std::span<const Value>(arena.copy(std::span<const Value>(items))), value.offset());
    }
    const bool is_map = type.kind == Type::Kind::map;
    if (!value.is_object() || (!is_map && type.kind != Type::Kind::structure)) return value;
    std::map<const Field*, const Value*> counts; // of several spellings of a field one counts
    std::vector<Member> members;
    for (const Member& member : value.members()) {
        const Field* const field = is_map ? nullptr : type.field_in_any_case(member.key.string());
        if (field) {
            const auto [known, is_new] = counts.try_emplace(field, nullptr);
            if (is_new) known->second = find_field(value, field->name, route);
            if (known->second != &member.value) continue;
        }
        const Type* const inner = is_map ? type.element : field ? field->type : nullptr;
        members.push_back({field ? Value::of(field->name, member.key.offset()) : member.key,
                           inner ? with_field_names(member.value, *inner, route, arena) : member.value});
    }
    return Value::of(std::span<const Member>(arena.copy(std::span<const Member>(members))), value.offset());
}

std::string text_of_scalar(const Value& value) {
    switch (value.kind()) {
    case Value::Kind::string:
        return std::string(value.string());
    case Value::Kind::boolean:
        return value.boolean() ? "true" : "false";
    case Value::Kind::integer:
        return std::to_string(value.integer());
    case Value::Kind::large_integer:
        return std::to_string(value.large_integer());
    case Value::Kind::real: {
        std::string text;
        append_g_float(text, static_cast<float>(value.real()));
        return text;
    }
    default:
        return {};
    }
}

Value with_strings(const Value& value, const Type& type, Arena& arena) {
    if (type.kind == Kind::string && (value.is_boolean() || value.is_number()))
        return Value::of(arena.copy(text_of_scalar(value)), value.offset());
    if (type.kind == Kind::list && value.is_array()) {
        std::vector<Value> items;
        for (const Value& item : value.items()) items.push_back(with_strings(item, *type.element, arena));
        return Value::of(std::span<const Value>(arena.copy(std::span<const Value>(items))), value.offset());
    }
    if ((type.kind != Kind::structure && type.kind != Kind::map) || !value.is_object()) return value;
    std::vector<Member> members(value.members().begin(), value.members().end());
    for (Member& member : members) {
        const Field* const field =
            type.kind == Kind::structure ? type.field_in_any_case(member.key.string()) : nullptr;
        const Type* const inner = field ? field->type : type.element;
        if (inner) member.value = with_strings(member.value, *inner, arena);
    }
    return Value::of(std::span<const Member>(arena.copy(std::span<const Member>(members))), value.offset());
}

} // namespace opcat::go
