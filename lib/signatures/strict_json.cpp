#include "opcat/signatures/strict_json.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/document/json_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

namespace opcat::signatures {

StrictJson::StrictJson(std::string name, std::string_view text) : file_(std::move(name), text) {
    Diagnostic problem;
    uint32_t end = 0;
    const std::optional<Value> value = read_json(file_, 0, arena_, end, problem);
    if (!value) fail_at(problem.where.offset, problem.message);
    if (skip_json_space(file_, end) != file_.bytes().size())
        fail_at(skip_json_space(file_, end), "there is more text after the JSON object");
    root_ = *value;
}

std::span<const Member> StrictJson::members(const Value& object) const {
    if (!object.is_object())
        fail(object, fmt::format("an object is needed, not {}", describe(object.kind())));
    std::set<std::string_view> seen;
    for (const Member& member : object.members())
        if (!seen.insert(member.key.string()).second)
            fail(member.key, fmt::format("the key \"{}\" is there twice", printable(member.key.string())));
    return object.members();
}

void StrictJson::require_keys(const Value& object, std::initializer_list<std::string_view> required,
                              std::initializer_list<std::string_view> allowed) const {
    const auto has = [](const std::initializer_list<std::string_view>& keys, std::string_view key) {
        return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    for (const Member& member : members(object))
        if (const std::string_view key = member.key.string(); !has(required, key) && !has(allowed, key))
            fail(member.key, fmt::format("the key \"{}\" is unknown here", printable(key)));
    for (const std::string_view key : required)
        if (!object.find(key)) fail(object, fmt::format("the key \"{}\" is missing", key));
}

std::span<const Value> StrictJson::items(const Value& list) const {
    if (!list.is_array()) fail(list, fmt::format("a list is needed, not {}", describe(list.kind())));
    return list.items();
}

std::string StrictJson::text(const Value& string) const {
    if (!string.is_string()) fail(string, fmt::format("a string is needed, not {}", describe(string.kind())));
    return std::string(string.string());
}

std::string StrictJson::text(const Value& object, std::string_view key) const {
    return text(*object.find(key));
}

void StrictJson::fail(const Value& at, std::string_view why) const {
    fail_at(at.offset(), why);
}

void StrictJson::fail_at(uint32_t offset, std::string_view why) const {
    throw Error(fmt::format("{}:{}: {}", file_.path(), file_.position(offset).line, why));
}

} // namespace opcat::signatures
