#include "cluster/json.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "document/yaml_writer.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat::cluster {
namespace {

constexpr int deepest = 500;

// A copy; bytes that are not UTF-8 are replaced as in JSON text.
std::string_view utf8_in(Arena& arena, const std::string& text) {
    if (is_valid_utf8(text)) return arena.copy(text);
    return arena.copy(Json::parse(to_text(Json(text))).get<std::string>());
}

const Json& nothing() {
    static const Json empty = Json::array();
    return empty;
}

} // namespace

Json parse_json(std::string_view text, std::string_view what) {
    bool too_deep = false;
    const auto limit = [&](int depth, Json::parse_event_t, Json&) {
        too_deep = too_deep || depth > deepest;
        return !too_deep;
    };
    Json json = Json::parse(text, limit, false);
    if (too_deep) throw Error(fmt::format("cannot read {}: it is nested too deep", what));
    if (json.is_discarded()) throw Error(fmt::format("cannot read {}: it is no JSON", what));
    return json;
}

std::string to_text(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_yaml(const Json& json) {
    Arena arena;
    std::string out;
    if (append_yaml(out, to_value(json, arena)))
        throw Error("cannot write an object as YAML: it has control characters");
    return out;
}

Value to_value(const Json& json, Arena& arena) {
    switch (json.type()) {
    case Json::value_t::boolean:
        return Value::of(json.get<bool>());
    case Json::value_t::number_integer:
        return Value::of(json.get<int64_t>());
    case Json::value_t::number_unsigned: {
        const auto number = json.get<uint64_t>();
        return number <= uint64_t{INT64_MAX} ? Value::of(static_cast<int64_t>(number))
                                             : Value::of_large(number);
    }
    case Json::value_t::number_float:
        return Value::of(json.get<double>());
    case Json::value_t::string:
        return Value::of(utf8_in(arena, json.get_ref<const std::string&>()));
    case Json::value_t::array: {
        std::vector<Value> items;
        items.reserve(json.size());
        for (const Json& item : json) items.push_back(to_value(item, arena));
        return Value::of(std::span<const Value>(arena.copy(std::span<const Value>(items))));
    }
    case Json::value_t::object: {
        std::vector<Member> members;
        members.reserve(json.size());
        for (const auto& member : json.items())
            members.push_back({Value::of(utf8_in(arena, member.key())), to_value(member.value(), arena)});
        return Value::of(std::span<const Member>(arena.copy(std::span<const Member>(members))));
    }
    case Json::value_t::null:
    case Json::value_t::binary:
    case Json::value_t::discarded:
        break;
    }
    return Value::of_null();
}

const Json* find(const Json& json, Path path) {
    const Json* at = &json;
    for (const std::string_view key : path) {
        if (!at->is_object()) return nullptr;
        const auto member = at->find(key);
        if (member == at->end() || member->is_null()) return nullptr;
        at = &*member;
    }
    return at;
}

std::string text(const Json& json, Path path) {
    const Json* const found = find(json, path);
    return found && found->is_string() ? found->get<std::string>() : std::string();
}

bool flag(const Json& json, Path path) {
    const Json* const found = find(json, path);
    return found && found->is_boolean() && found->get<bool>();
}

int64_t number(const Json& json, Path path, int64_t otherwise) {
    const Json* const found = find(json, path);
    return found && found->is_number() ? found->get<int64_t>() : otherwise;
}

const Json& array(const Json& json, Path path) {
    const Json* const found = find(json, path);
    return found && found->is_array() ? *found : nothing();
}

std::vector<std::string> strings(const Json& json, Path path) {
    std::vector<std::string> all;
    for (const Json& item : array(json, path))
        if (item.is_string()) all.push_back(item.get<std::string>());
    return all;
}

std::string kind_of(const Json& object) {
    return text(object, {"kind"});
}

std::string name_of(const Json& object) {
    return text(object, {"metadata", "name"});
}

std::string namespace_of(const Json& object) {
    return text(object, {"metadata", "namespace"});
}

std::string label(const Json& object, std::string_view key) {
    return text(object, {"metadata", "labels", key});
}

std::string describe(const Json& object) {
    const std::string ns = namespace_of(object);
    return kind_of(object) + " " + (ns.empty() ? "" : ns + "/") + name_of(object);
}

std::string group_of(const Json& object) {
    const std::string version = text(object, {"apiVersion"});
    const size_t slash = version.find('/');
    return slash == std::string::npos ? std::string() : version.substr(0, slash);
}

bool is_terminating(const Json& object) {
    return find(object, {"metadata", "deletionTimestamp"}) != nullptr ||
           text(object, {"status", "phase"}) == "Terminating";
}

Condition condition(const Json& object, std::string_view type) {
    for (const Json& one : array(object, {"status", "conditions"}))
        if (text(one, {"type"}) == type)
            return {text(one, {"status"}), text(one, {"reason"}), text(one, {"message"}),
                    number(one, {"observedGeneration"})};
    return {};
}

bool satisfies(const Json& object, const Json& wanted) {
    if (wanted.is_object()) {
        if (!object.is_object()) return false;
        return std::all_of(wanted.items().begin(), wanted.items().end(), [&](const auto& member) {
            const auto found = object.find(member.key());
            if (found != object.end()) return satisfies(*found, member.value());
            // The server leaves out what is empty.
            return member.value().is_null() || (member.value().is_structured() && member.value().empty());
        });
    }
    if (wanted.is_array()) {
        return object.is_array() && object.size() == wanted.size() &&
               std::equal(wanted.begin(), wanted.end(), object.begin(),
                          [](const Json& want, const Json& have) { return satisfies(have, want); });
    }
    return object == wanted;
}

bool says_the_same(Json one, Json other) {
    for (Json* object : {&one, &other}) {
        if (!object->is_object()) continue;
        object->erase("status");
        const auto metadata = object->find("metadata");
        if (metadata == object->end() || !metadata->is_object()) continue;
        for (const char* note :
             {"managedFields", "resourceVersion", "generation", "uid", "creationTimestamp"})
            metadata->erase(note);
    }
    return one == other;
}

} // namespace opcat::cluster
