#include "opcat/kube/object.hpp"

#include "opcat/base/error.hpp"
#include "opcat/document/json_reader.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/value.hpp"
#include "opcat/document/yaml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::kube {
namespace {

constexpr int deepest = 500;

bool is_deeper(const Value& value, int levels) {
    if (!value.is_array() && !value.is_object()) return false;
    if (levels == 0) return true;
    if (value.is_array())
        return std::any_of(value.items().begin(), value.items().end(),
                           [&](const Value& item) { return is_deeper(item, levels - 1); });
    return std::any_of(value.members().begin(), value.members().end(),
                       [&](const Member& member) { return is_deeper(member.value, levels - 1); });
}

// The text and memory from which an object was parsed.
struct Parsed {
    explicit Parsed(std::string_view text) : file("object", text) {}
    SourceFile file;
    Arena arena;
};

bool is_empty(const Value& value) {
    return value.is_null() || (value.is_array() && value.items().empty()) ||
           (value.is_object() && value.members().empty());
}

bool is_noted_by_server(std::string_view field) {
    constexpr std::string_view notes[] = {"managedFields", "resourceVersion", "generation", "uid",
                                          "creationTimestamp"};
    return std::find(std::begin(notes), std::end(notes), field) != std::end(notes);
}

// Returns true if the members of two objects are equal, but for those of some keys.
template <typename Ignore, typename Equal>
bool equal_members(const Value& one, const Value& other, Ignore ignore, Equal equal) {
    const auto counted = [&](const Value& object) {
        return std::count_if(object.members().begin(), object.members().end(),
                             [&](const Member& member) { return !ignore(member.key.string()); });
    };
    if (counted(one) != counted(other)) return false;
    return std::all_of(one.members().begin(), one.members().end(), [&](const Member& member) {
        if (ignore(member.key.string())) return true;
        const Value* const found = other.find(member.key.string());
        return found && equal(member.key.string(), member.value, *found);
    });
}

} // namespace

// ---- reading

Fields Fields::find(std::initializer_list<std::string_view> path) const {
    const Value* found = &value_;
    for (const std::string_view key : path) {
        found = found->find(key);
        if (!found) return {};
    }
    return *found;
}

int64_t Fields::as_number(int64_t otherwise) const {
    constexpr double most = 1e15; // of either sign, and exact
    return value_.is_number() ? static_cast<int64_t>(std::clamp(value_.number(), -most, most)) : otherwise;
}

std::vector<std::string> Fields::as_strings() const {
    std::vector<std::string> all;
    for (const Value& item : items())
        if (item.is_string()) all.emplace_back(item.string());
    return all;
}

std::string_view Fields::group() const {
    const std::string_view version = text("apiVersion");
    const size_t slash = version.find('/');
    return slash == version.npos ? std::string_view() : version.substr(0, slash);
}

Fields Fields::of_type(std::span<const Value> items, std::string_view type) {
    for (const Fields item : items)
        if (item.text("type") == type) return item;
    return {};
}

Condition Fields::condition(std::string_view type) const {
    const Fields found = of_type(items("status", "conditions"), type);
    return {std::string(found.text("status")), std::string(found.text("reason")),
            std::string(found.text("message")), found.number("observedGeneration")};
}

bool Fields::is_terminating() const {
    return at("metadata", "deletionTimestamp") || text("status", "phase") == "Terminating";
}

// ---- objects

Object::Object(const Value& value, std::shared_ptr<const void> owner, const SourceFile* from)
    : Fields(value), name(text("metadata", "name")), ns(text("metadata", "namespace")), file(from),
      memory(std::move(owner)) {}

std::string Object::describe() const {
    return fmt::format("{} {}{}{}", kind(), ns, ns.empty() ? "" : "/", name);
}

bool Object::is_same_as(const Object& other) const {
    return kind() == other.kind() && group() == other.group() && name == other.name && ns == other.ns;
}

Object parse_object(std::string_view text, std::string_view what) {
    const auto parsed = std::make_shared<Parsed>(text);
    uint32_t end = 0;
    Diagnostic problem;
    const auto value = read_json(parsed->file, 0, parsed->arena, end, problem);
    if (!value || skip_json_space(parsed->file, end) != parsed->file.bytes().size())
        throw Error(fmt::format("cannot read {}: it is not JSON", what));
    if (is_deeper(*value, deepest)) throw Error(fmt::format("cannot read {}: it is nested too deep", what));
    return {*value, parsed};
}

Object parse_object(std::string_view text) {
    try {
        return parse_object(text, "JSON");
    } catch (const Error&) {
        return {};
    }
}

std::vector<Object> objects_in(const Object& list) {
    if (list.kind() != "List") return {list};
    std::vector<Object> objects;
    for (const Value& item : list.items("items")) objects.emplace_back(item, list.memory);
    return objects;
}

const Object* find_same(const std::vector<Object>& objects, const Object& object) {
    const auto found = std::find_if(objects.begin(), objects.end(),
                                    [&](const Object& other) { return other.is_same_as(object); });
    return found == objects.end() ? nullptr : &*found;
}

const Object* find_named(const std::vector<Object>& objects, std::string_view name, std::string_view ns) {
    const auto found = std::find_if(objects.begin(), objects.end(), [&](const Object& object) {
        return object.name == name && object.ns == ns;
    });
    return found == objects.end() ? nullptr : &*found;
}

// ---- writing

std::string to_text(const Value& value) {
    std::string text;
    append_compact_json(text, value);
    return text;
}

std::string to_text(const std::vector<Object>& objects) {
    std::string text = R"({"apiVersion":"v1","kind":"List","items":[)";
    for (const Object& object : objects) {
        if (text.back() != '[') text += ',';
        append_compact_json(text, object.value());
    }
    return text + "]}";
}

std::string to_yaml(const Value& value) {
    std::string text;
    if (append_yaml(text, value)) throw Error("cannot write an object as YAML: it has control characters");
    return text;
}

// ---- comparing

bool is_equal(const Value& one, const Value& other) {
    if (one.kind() == Value::Kind::integer && other.kind() == Value::Kind::integer)
        return one.integer() == other.integer();
    if (one.is_number() && other.is_number()) return one.number() == other.number();
    if (one.kind() != other.kind()) return false;
    switch (one.kind()) {
    case Value::Kind::string:
        return one.string() == other.string();
    case Value::Kind::boolean:
        return one.boolean() == other.boolean();
    case Value::Kind::array:
        return std::equal(one.items().begin(), one.items().end(), other.items().begin(), other.items().end(),
                          is_equal);
    case Value::Kind::object:
        return equal_members(
            one, other, [](std::string_view) { return false; },
            [](std::string_view, const Value& a, const Value& b) { return is_equal(a, b); });
    default:
        return true;
    }
}

bool satisfies(const Value& object, const Value& wanted) {
    if (wanted.is_object())
        return object.is_object() &&
               std::all_of(wanted.members().begin(), wanted.members().end(), [&](const Member& member) {
                   const Value* const found = object.find(member.key.string());
                   // The server leaves out what is empty.
                   return found ? satisfies(*found, member.value) : is_empty(member.value);
               });
    if (wanted.is_array())
        return object.is_array() && std::equal(object.items().begin(), object.items().end(),
                                               wanted.items().begin(), wanted.items().end(), satisfies);
    return is_equal(object, wanted);
}

bool is_unchanged(const Value& before, const Value& after) {
    if (!before.is_object() || !after.is_object()) return is_equal(before, after);
    return equal_members(
        before, after, [](std::string_view key) { return key == "status"; },
        [](std::string_view key, const Value& a, const Value& b) {
            if (key != "metadata" || !a.is_object() || !b.is_object()) return is_equal(a, b);
            return equal_members(
                a, b, is_noted_by_server,
                [](std::string_view, const Value& x, const Value& y) { return is_equal(x, y); });
        });
}

} // namespace opcat::kube
