// yaml-cpp as a judge of the YAML that opcat writes.
#pragma once

#include "opcat/document/value.hpp"

#include <yaml-cpp/yaml.h>

#include <string>
#include <string_view>

namespace opcat::test {

// A scalar without quotes has a type by its form; the tag "!" says that it is a string.
inline bool is_plain(const YAML::Node& node) {
    return node.Tag() == "?";
}

inline bool reads_as_string(const YAML::Node& node) {
    bool boolean = false;
    double number = 0;
    return !is_plain(node) ||
           (!YAML::convert<bool>::decode(node, boolean) && !YAML::convert<double>::decode(node, number));
}

template <typename Number>
bool reads_as(const YAML::Node& node, Number number) {
    Number read{};
    return node.IsScalar() && is_plain(node) && YAML::convert<Number>::decode(node, read) && read == number;
}

// Where the two trees differ first; empty if they are the same.
inline std::string difference(const YAML::Node& node, const Value& value, const std::string& path) {
    const auto unless = [&](bool same) { return same ? std::string() : path + " is another value"; };
    switch (value.kind()) {
    case Value::Kind::null:
        return unless(node.IsNull());
    case Value::Kind::boolean:
        return unless(reads_as(node, value.boolean()));
    case Value::Kind::integer:
        return unless(reads_as(node, value.integer()));
    case Value::Kind::large_integer:
        return unless(reads_as(node, value.large_integer()));
    case Value::Kind::real:
        return unless(reads_as(node, value.real()));
    case Value::Kind::string:
        return unless(node.IsScalar() && reads_as_string(node) && node.Scalar() == value.string());
    case Value::Kind::array: {
        if (!node.IsSequence() || node.size() != value.items().size()) return unless(false);
        size_t i = 0;
        for (const YAML::Node& item : node) {
            if (auto found = difference(item, value.items()[i], path + "[" + std::to_string(i) + "]");
                !found.empty())
                return found;
            ++i;
        }
        return {};
    }
    case Value::Kind::object: {
        if (!node.IsMap() || node.size() != value.members().size()) return unless(false);
        for (const auto& member : node) {
            const Value* const same = value.find(member.first.Scalar());
            if (!same || !reads_as_string(member.first))
                return path + " has another key: " + member.first.Scalar();
            if (auto found = difference(member.second, *same, path + "." + member.first.Scalar());
                !found.empty())
                return found;
        }
        return {};
    }
    }
    return unless(false);
}

// U+2028 and U+2029 break lines in YAML 1.1, by whose rules opm writes, but not in YAML 1.2, by whose rules
// yaml-cpp reads: it takes the indentation after them for text. And yaml-cpp 0.7 reads "\\_", the no-break
// space, as a byte that is not UTF-8.
inline bool is_beyond_yaml_cpp(std::string_view yaml) {
    for (const std::string_view part : {"\u2028", "\u2029", "\\_"})
        if (yaml.find(part) != yaml.npos) return true;
    return false;
}

} // namespace opcat::test
