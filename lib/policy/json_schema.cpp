#include "opcat/policy/json_schema.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/policy/python_yaml.hpp"
#include "policy_schemas.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>

namespace opcat::policy {
namespace {

using PlainJson = nlohmann::json;

bool is_of_type(const PythonValue& value, std::string_view type) {
    if (type == "object") return value.dict() != nullptr;
    if (type == "array") return value.list() != nullptr;
    if (type == "string") return value.text() != nullptr;
    if (type == "boolean") return value.boolean() != nullptr;
    assert(false && "a type that the schemas do not use");
    return true;
}

// Here, unlike elsewhere in Python, true is not 1.
bool is_same_item(const PythonValue& a, const PythonValue& b) {
    return (a.boolean() != nullptr) == (b.boolean() != nullptr) && python_equal(a, b);
}

constexpr size_t most_items = 10'000; // that are compared with each other

bool has_unique_items(const PythonList& list) {
    if (list.size() > most_items)
        throw Error(fmt::format("cannot compare the items of a list in a YAML file: there are more than {}",
                                most_items));
    for (size_t i = 0; i < list.size(); ++i)
        for (size_t k = 0; k < i; ++k)
            if (is_same_item(list[i], list[k])) return false;
    return true;
}

class Validator {
public:
    std::vector<SchemaError> errors;

    void check(const PlainJson& schema, const PythonValue& value) {
        for (const auto& [keyword, rule] : schema.items()) {
            if (keyword == "type")
                check_type(rule, value);
            else if (keyword == "enum")
                check_enum(rule, value);
            else if (keyword == "items")
                check_items(rule, value);
            else if (keyword == "minItems")
                check_count(rule.get<size_t>(), value);
            else if (keyword == "uniqueItems")
                check_unique(value);
            else if (keyword == "required")
                check_required(rule, value);
            else if (keyword == "properties")
                check_properties(rule, value);
            else if (keyword == "additionalProperties")
                check_others(rule, schema.at("properties"), value);
            else
                assert(keyword == "title" || keyword == "description");
        }
    }

private:
    void add(const PythonValue& value, std::string message) {
        errors.push_back({std::move(message), value.offset()});
    }

    void check_type(const PlainJson& type, const PythonValue& value) {
        const std::string name = type.get<std::string>();
        if (!is_of_type(value, name))
            add(value, fmt::format("{} is not of type {}", value.repr(), python_repr(name)));
    }

    void check_enum(const PlainJson& choices, const PythonValue& value) {
        const auto names = choices.get<std::vector<std::string>>();
        if (!value.text() || std::find(names.begin(), names.end(), *value.text()) == names.end())
            add(value, fmt::format("{} is not one of {}", value.repr(), python_repr(names)));
    }

    void check_items(const PlainJson& schema, const PythonValue& value) {
        if (!value.list()) return;
        for (const PythonValue& item : *value.list()) check(schema, item);
    }

    void check_count(size_t least, const PythonValue& value) {
        if (value.list() && value.list()->size() < least)
            add(value,
                fmt::format("{} {}", value.repr(), least == 1 ? "should be non-empty" : "is too short"));
    }

    void check_unique(const PythonValue& value) {
        if (value.list() && !has_unique_items(*value.list()))
            add(value, value.repr() + " has non-unique elements");
    }

    void check_required(const PlainJson& names, const PythonValue& value) {
        if (!value.dict()) return;
        for (const PlainJson& name : names)
            if (!value.find(name.get<std::string>()))
                add(value, python_repr(name.get<std::string>()) + " is a required property");
    }

    void check_properties(const PlainJson& schemas, const PythonValue& value) {
        if (!value.dict()) return;
        for (const auto& [name, schema] : schemas.items())
            if (const PythonValue* const member = value.find(name)) check(schema, *member);
    }

    void check_others(const PlainJson& allowed, const PlainJson& known, const PythonValue& value) {
        if (!value.dict() || allowed.get<bool>()) return;
        std::vector<const PythonValue*> extra;
        for (const auto& [key, member] : *value.dict())
            if (!key.text() || !known.contains(*key.text())) extra.push_back(&key);
        if (extra.empty()) return;
        std::sort(extra.begin(), extra.end(),
                  [](const PythonValue* a, const PythonValue* b) { return a->str() < b->str(); });
        std::vector<std::string> names;
        for (const PythonValue* const key : extra) names.push_back(key->repr());
        add(*extra.front(), fmt::format("Additional properties are not allowed ({} {} unexpected)",
                                        fmt::join(names, ", "), names.size() == 1 ? "was" : "were"));
    }
};

} // namespace

std::string_view ci_schema() {
    return embedded::ci_json;
}

std::string_view release_config_schema() {
    return embedded::release_config_json;
}

Diagnostics check_by_schema(const SourceFile& file, std::string_view schema) {
    constexpr std::string_view rule = "policy";
    Diagnostics found;
    try {
        const PythonValue value = load_python_yaml(file, file.path());
        // The pipelines compare nothing with the schema of release-config.yaml if it is empty.
        if (value.is_none() && schema == release_config_schema()) return found;
        for (SchemaError& problem : schema_errors(schema, value))
            found.push_back(error(rule, {&file, problem.offset, 1}, std::move(problem.message),
                                  "the pipeline of the repository refuses it"));
    } catch (const PythonError& refused) {
        found.push_back(error(rule, {&file, 0, 0}, on_one_line(refused.message())));
    }
    return found;
}

std::vector<SchemaError> schema_errors(std::string_view schema, const PythonValue& value) {
    Validator validator;
    validator.check(parse_json<PlainJson>(schema), value);
    std::stable_sort(validator.errors.begin(), validator.errors.end(),
                     [](const SchemaError& a, const SchemaError& b) { return a.message < b.message; });
    return std::move(validator.errors);
}

} // namespace opcat::policy
