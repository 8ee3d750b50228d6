#include "manifest/go_type.hpp"

#include "base/base64.hpp"
#include "document/go_bytes.hpp"
#include "document/go_keys.hpp"
#include "document/normalise.hpp"
#include "manifest/scalars.hpp"

#include <fmt/core.h>

#include <cassert>
#include <cmath>
#include <limits>

namespace opcat::manifest {
namespace {

using Kind = GoType::Kind;

struct BasicType {
    std::string_view name;
    Kind kind;
    std::string_view wanted; // in messages
};

constexpr BasicType basic_types[] = {
    {"string", Kind::string, "a string"},
    {"bool", Kind::boolean, "true or false"},
    {"int32", Kind::int32, "a 32-bit integer"},
    {"int64", Kind::int64, "a 64-bit integer"},
    {"float", Kind::real, "a number"},
    {"any", Kind::any, ""},
    {"base64", Kind::base64, "a string of base64"},
    {"time", Kind::time, "a time as in RFC 3339"},
    {"quantity", Kind::quantity, "a quantity"},
    {"int_or_string", Kind::int_or_string, "a 32-bit integer or a string"},
    {"version", Kind::version, "a semver version"},
    {"release", Kind::release, "a release"},
    {"schema_or_list", Kind::schema_or_list, "a schema"},
    {"schema_or_bool", Kind::schema_or_boolean, "a schema or a boolean"},
    {"schema_or_strings", Kind::schema_or_strings, "a schema or a list of strings"},
};

std::string_view wanted(Kind kind) {
    if (kind == Kind::list) return "a list";
    if (kind == Kind::map || kind == Kind::structure) return "an object";
    for (const BasicType& basic : basic_types)
        if (basic.kind == kind) return basic.wanted;
    return {};
}

// Numbers reach Go as the JSON text that Go itself made of them, so 1.0 is an integer.
template <typename Integer>
bool is_integer(const Value& value) {
    constexpr Integer low = std::numeric_limits<Integer>::min();
    constexpr Integer high = std::numeric_limits<Integer>::max();
    if (value.kind() == Value::Kind::integer) return value.integer() >= low && value.integer() <= high;
    if (value.kind() != Value::Kind::real) return false;
    const double real = value.real();
    return std::trunc(real) == real && real >= static_cast<double>(low) && real < static_cast<double>(high);
}

class Checker {
public:
    Checker(KeyMatch match, std::string path) : match_(match), path_(std::move(path)) {}

    bool fits(const Value& value, const GoType& type) {
        if (value.is_null()) return type.kind != Kind::version || misfit(value, type.kind);
        switch (type.kind) {
        case Kind::list:
            return value.is_array() ? items_fit(value, type) : misfit(value, type.kind);
        case Kind::map:
        case Kind::structure:
            return value.is_object() ? members_fit(value, type) : misfit(value, type.kind);
        case Kind::schema_or_list:
            if (value.is_array()) return items_fit(value, type);
            return !value.is_object() || fits(value, *type.element);
        case Kind::schema_or_boolean:
            if (value.is_boolean()) return true;
            return value.is_object() ? fits(value, *type.element) : misfit(value, type.kind);
        case Kind::schema_or_strings:
            if (value.is_array()) {
                for (const Value& item : value.items())
                    if (!item.is_string() && !item.is_null()) return misfit(item, Kind::string);
                return true;
            }
            return !value.is_object() || fits(value, *type.element); // Go passes over anything else
        default:
            return basic_fits(value, type.kind) || misfit(value, type.kind);
        }
    }

    Misfit take_misfit() { return std::move(misfit_); }

private:
    static bool basic_fits(const Value& value, Kind kind) {
        const std::string_view text = value.string_or_empty();
        switch (kind) {
        case Kind::string:
            return value.is_string();
        case Kind::boolean:
            return value.is_boolean();
        case Kind::int32:
            return is_integer<int32_t>(value);
        case Kind::int64:
            return is_integer<int64_t>(value);
        case Kind::real:
            return value.is_number();
        case Kind::base64:
            return go_bytes(value).has_value();
        case Kind::time:
            return value.is_string() && is_time(text);
        case Kind::quantity:
            return value.is_number() || (value.is_string() && is_quantity(text));
        case Kind::int_or_string:
            return value.is_string() || is_integer<int32_t>(value);
        case Kind::version:
            return value.is_string() && is_lenient_version(text);
        case Kind::release:
            return value.is_string() && is_release(text);
        default:
            return true; // any
        }
    }

    bool items_fit(const Value& list, const GoType& type) {
        const size_t length = path_.size();
        for (size_t i = 0; i < list.items().size(); ++i) {
            path_ += fmt::format("[{}]", i);
            if (!fits(list.items()[i], *type.element)) return false;
            path_.resize(length);
        }
        return true;
    }

    bool members_fit(const Value& object, const GoType& type) {
        const size_t length = path_.size();
        for (const Member& member : object.members()) {
            const GoType* member_type = type.element;
            if (type.kind == Kind::structure) {
                const GoField* const field = find_field(type, member.key.string(), match_);
                if (!field) continue;
                member_type = field->type;
            }
            if (!path_.empty()) path_ += '.';
            path_ += member.key.string();
            if (!fits(member.value, *member_type)) return false;
            path_.resize(length);
        }
        return true;
    }

    bool misfit(const Value& value, Kind kind) {
        misfit_.offset = value.offset();
        const std::string_view what = wanted(kind);
        if (value.is_string() && kind != Kind::boolean && kind != Kind::list && kind != Kind::map &&
            kind != Kind::structure)
            misfit_.message =
                fmt::format("{} must be {}, which \"{}\" is not", path_, what, value.string().substr(0, 80));
        else
            misfit_.message = fmt::format("{} must be {}, not {}", path_, what, describe(value.kind()));
        return false;
    }

    KeyMatch match_;
    std::string path_;
    Misfit misfit_;
};

class Recoder {
public:
    explicit Recoder(Arena& arena) : arena_(arena) {}

    Value recode(const Value& value, const GoType& type) {
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
        case Kind::base64:
            return Value::of(arena_.copy(encode_base64(*go_bytes(value))));
        default:
            return Value::of(arena_.copy(value.string_or_empty()));
        }
    }

private:
    static bool is_empty(const Value& value, const GoType& type) {
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

    Value list(const Value& value, const GoType& type) {
        std::vector<Value> items;
        for (const Value& item : value.items()) items.push_back(recode(item, *type.element));
        return Value::of(std::span<const Value>(arena_.copy(std::span<const Value>(items))));
    }

    Value map(const Value& value, const GoType& type) {
        std::vector<Member> members;
        for (const Member& member : value.members())
            members.push_back({text(member.key), recode(member.value, *type.element)});
        return object(ordered(members)); // as Go writes a map
    }

    Value structure(const Value& value, const GoType& type) {
        std::vector<Member> members;
        for (const GoField& field : type.fields) {
            const Value* const found = find_field(value, field.name);
            if (!found && field.type->kind == Kind::any) continue;
            const Value recoded = recode(found ? *found : Value::of_null(), *field.type);
            if (!field.omit_empty || !is_empty(recoded, *field.type))
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

    Arena& arena_;
};

} // namespace

class GoTypes::Parser {
public:
    Parser(std::string_view text, GoTypes& types) : text_(text), types_(types) {}

    void parse() {
        while (!next().empty()) {
            GoType& type = named(take());
            fill(type);
        }
    }

private:
    // "(", ")", ":", "?", "[]", "<>" or a name; empty at the end.
    std::string_view next() {
        const size_t begin = text_.find_first_not_of(" \n", at_);
        if (begin == text_.npos) return {};
        const size_t end = text_.find_first_of(" \n():?[]<>", begin);
        if (end != begin) return text_.substr(begin, std::min(end, text_.size()) - begin);
        return text_.substr(begin, text_[begin] == '[' || text_[begin] == '<' ? 2 : 1);
    }

    std::string_view take() {
        const std::string_view token = next();
        at_ = static_cast<size_t>(token.data() - text_.data()) + token.size();
        return token;
    }

    bool skip(std::string_view token) {
        if (next() != token) return false;
        take();
        return true;
    }

    void fill(GoType& type) {
        type.kind = Kind::structure;
        [[maybe_unused]] const bool opened = skip("(");
        assert(opened);
        while (!skip(")")) {
            GoField field{.name = take()};
            field.omit_empty = skip("?");
            field.type = skip(":") ? parse_type() : basic("string");
            type.fields.push_back(field);
        }
    }

    const GoType* parse_type() {
        if (next() == "(") {
            GoType& type = types_.types_.emplace_back();
            fill(type);
            return &type;
        }
        for (const auto& [mark, kind] : {std::pair("[]", Kind::list), std::pair("<>", Kind::map)}) {
            if (!skip(mark)) continue;
            GoType& type = types_.types_.emplace_back();
            type.kind = kind;
            type.element = parse_type();
            return &type;
        }
        const std::string_view name = take();
        const GoType* const type = basic(name);
        return type ? type : &named(name);
    }

    const GoType* basic(std::string_view name) {
        for (const BasicType& candidate : basic_types) {
            if (candidate.name != name) continue;
            GoType& type = types_.types_.emplace_back();
            type.kind = candidate.kind;
            if (candidate.kind >= Kind::schema_or_list) type.element = &named("JSONSchemaProps");
            return &type;
        }
        return nullptr;
    }

    GoType& named(std::string_view name) {
        GoType*& type = types_.by_name_[name];
        if (!type) type = &types_.types_.emplace_back();
        return *type;
    }

    std::string_view text_;
    GoTypes& types_;
    size_t at_ = 0;
};

GoTypes::GoTypes(std::string_view text) {
    Parser(text, *this).parse();
}

const GoType& GoTypes::operator[](std::string_view name) const {
    const auto found = by_name_.find(name);
    assert(found != by_name_.end());
    return *found->second;
}

std::optional<Misfit> find_misfit(const Value& value, const GoType& type, KeyMatch match, std::string path) {
    Checker checker(match, std::move(path));
    if (checker.fits(value, type)) return std::nullopt;
    return checker.take_misfit();
}

const GoField* find_field(const GoType& type, std::string_view key, KeyMatch match) {
    for (const GoField& field : type.fields)
        if (field.name == key) return &field;
    if (match == KeyMatch::exact) return nullptr;
    for (const GoField& field : type.fields)
        if (means_field(key, field.name)) return &field;
    return nullptr;
}

std::span<const Value> items_of(const Value* list) {
    return list && list->is_array() ? list->items() : std::span<const Value>();
}

Value recode(const Value& value, const GoType& type, Arena& arena) {
    return Recoder(arena).recode(value, type);
}

Value with_field_names(const Value& value, const GoType& type, Arena& arena) {
    if (value.is_array() && type.kind == GoType::Kind::list) {
        std::vector<Value> items;
        for (const Value& item : value.items()) items.push_back(with_field_names(item, *type.element, arena));
        return Value::of(std::span<const Value>(arena.copy(std::span<const Value>(items))), value.offset());
    }
    const bool is_map = type.kind == GoType::Kind::map;
    if (!value.is_object() || (!is_map && type.kind != GoType::Kind::structure)) return value;
    std::map<const GoField*, const Value*> counts; // of several spellings of a field one counts
    std::vector<Member> members;
    for (const Member& member : value.members()) {
        const GoField* const field = is_map ? nullptr : find_field(type, member.key.string());
        if (field) {
            const auto [known, is_new] = counts.try_emplace(field, nullptr);
            if (is_new) known->second = opcat::find_field(value, field->name);
            if (known->second != &member.value) continue;
        }
        const GoType* const inner = is_map ? type.element : field ? field->type : nullptr;
        members.push_back({field ? Value::of(field->name, member.key.offset()) : member.key,
                           inner ? with_field_names(member.value, *inner, arena) : member.value});
    }
    return Value::of(std::span<const Member>(arena.copy(std::span<const Member>(members))), value.offset());
}

} // namespace opcat::manifest
