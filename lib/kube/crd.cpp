#include "opcat/kube/crd.hpp"

#include "opcat/base/text.hpp"
#include "opcat/document/json_writer.hpp"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace opcat::kube {
namespace {

constexpr int max_depth = 200; // of schemas

bool is_whole(const Value& value) {
    return value.is_number() && std::trunc(value.number()) == value.number();
}

bool is_of_type(const Value& value, std::string_view type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return is_whole(value);
    if (type == "number") return value.is_number();
    return true;
}

class Validation {
public:
    Validation(size_t most, Work& work, std::vector<SchemaViolation>& found)
        : most_(most), work_(work), found_(found) {}

    bool is_complete() const { return is_complete_; }

    void check(const Value& value, const Value& schema, const std::string& path, int depth) {
        if (found_.size() >= most_ || depth > max_depth || !schema.is_object()) return;
        // Each keyword is looked for among the schema's members.
        if (!take(8 * (1 + schema.members().size()) + path.size() / 16)) return;
        if (value.is_null() && Fields(schema).flag("nullable")) return;
        if (!check_type(value, schema, path)) return;
        check_values(value, schema, path);
        if (value.is_string()) check_string(value, schema, path);
        if (value.is_number()) check_number(value, schema, path);
        if (value.is_array()) check_array(value, schema, path, depth);
        if (value.is_object()) check_object(value, schema, path, depth);
        check_combinations(value, schema, path, depth);
    }

private:
    // After the first failure nothing more is checked.
    bool take(size_t steps) {
        is_complete_ = is_complete_ && work_.take(steps);
        return is_complete_;
    }

    void fail(const Value& value, const std::string& path, std::string what) {
        if (found_.size() < most_) found_.push_back({path, std::move(what), value.offset()});
    }

    static std::optional<double> number_in(const Value& schema, std::string_view key) {
        const Value* const found = schema.find(key);
        if (!found || !found->is_number()) return std::nullopt;
        return found->number();
    }

    bool check_type(const Value& value, const Value& schema, const std::string& path) {
        if (Fields(schema).flag("x-kubernetes-int-or-string")) {
            if (is_whole(value) || value.is_string()) return true;
            fail(value, path, "must be an integer or a string");
            return false;
        }
        const Value* const type = schema.find("type");
        if (!type || !type->is_string() || is_of_type(value, type->string())) return true;
        fail(value, path, fmt::format("must be of type {}, not {}", type->string(), describe(value.kind())));
        return false;
    }

    void check_values(const Value& value, const Value& schema, const std::string& path) {
        const Value* const allowed = schema.find("enum");
        if (!allowed || !allowed->is_array()) return;
        const auto items = allowed->items();
        if (!take(10 * items.size())) return;
        if (std::any_of(items.begin(), items.end(), [&](const Value& item) { return is_equal(item, value); }))
            return;
        std::string list;
        append_compact_json(list, *allowed);
        fail(value, path, "must be one of " + list);
    }

    void check_string(const Value& value, const Value& schema, const std::string& path) {
        if (!take(value.string().size())) return;
        const auto length = static_cast<double>(utf8_characters(value.string()).size());
        if (const auto least = number_in(schema, "minLength"); least && length < *least)
            fail(value, path, fmt::format("must have at least {} characters", *least));
        if (const auto most = number_in(schema, "maxLength"); most && length > *most)
            fail(value, path, fmt::format("must have at most {} characters", *most));
        const Value* const pattern = schema.find("pattern");
        if (!pattern || !pattern->is_string()) return;
        // Some microseconds, and up to milliseconds for repetitions of repetitions.
        if (!take(1000 + 10 * pattern->string().size())) return;
        RE2::Options options;
        options.set_log_errors(false);
        options.set_max_mem(int64_t{1} << 20);
        const RE2 expression(re2::StringPiece(pattern->string().data(), pattern->string().size()), options);
        const int size = expression.ProgramSize();
        if (!take(size > 0 ? 10 * static_cast<size_t>(size) : 100'000)) return;
        if (expression.ok() &&
            !RE2::PartialMatch(re2::StringPiece(value.string().data(), value.string().size()), expression))
            fail(value, path, fmt::format("must match {}", pattern->string()));
    }

    void check_number(const Value& value, const Value& schema, const std::string& path) {
        const double n = value.number();
        if (const auto least = number_in(schema, "minimum");
            least && (n < *least || (n == *least && Fields(schema).flag("exclusiveMinimum"))))
            fail(value, path, fmt::format("must not be less than {}", *least));
        if (const auto most = number_in(schema, "maximum");
            most && (n > *most || (n == *most && Fields(schema).flag("exclusiveMaximum"))))
            fail(value, path, fmt::format("must not be more than {}", *most));
        if (const auto unit = number_in(schema, "multipleOf"); unit && *unit > 0 && std::fmod(n, *unit) != 0)
            fail(value, path, fmt::format("must be a multiple of {}", *unit));
    }

    void check_array(const Value& value, const Value& schema, const std::string& path, int depth) {
        const auto items = value.items();
        const auto count = static_cast<double>(items.size());
        if (const auto least = number_in(schema, "minItems"); least && count < *least)
            fail(value, path, fmt::format("must have at least {} items", *least));
        if (const auto most = number_in(schema, "maxItems"); most && count > *most)
            fail(value, path, fmt::format("must have at most {} items", *most));
        // Not uniqueItems: the API server refuses definitions that set it.
        if (const Value* const each = schema.find("items"))
            for (size_t i = 0; i < items.size(); ++i)
                check(items[i], *each, fmt::format("{}[{}]", path, i), depth + 1);
    }

    void check_object(const Value& value, const Value& schema, const std::string& path, int depth) {
        const auto below = [&](std::string_view key) {
            return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
        };
        if (const Value* const required = schema.find("required"); required && required->is_array()) {
            if (!take(required->items().size() * value.members().size())) return;
            for (const Value& name : required->items())
                if (!value.find(name.string_or_empty()))
                    fail(value, below(name.string_or_empty()), "is required");
        }
        const auto count = static_cast<double>(value.members().size());
        if (const auto least = number_in(schema, "minProperties"); least && count < *least)
            fail(value, path, fmt::format("must have at least {} members", *least));
        if (const auto most = number_in(schema, "maxProperties"); most && count > *most)
            fail(value, path, fmt::format("must have at most {} members", *most));
        const Value* const properties = schema.find("properties");
        const Value* const others = schema.find("additionalProperties");
        if (properties && !take(value.members().size() * properties->members().size())) return;
        for (const Member& member : value.members()) {
            const Value* const known = properties ? properties->find(member.key.string()) : nullptr;
            // A field that the schema does not know is dropped when the object is stored, not refused.
            if (known)
                check(member.value, *known, below(member.key.string()), depth + 1);
            else if (others && others->is_object())
                check(member.value, *others, below(member.key.string()), depth + 1);
        }
    }

    bool is_valid(const Value& value, const Value& schema, const std::string& path, int depth) {
        std::vector<SchemaViolation> found;
        Validation inner(1, work_, found);
        inner.check(value, schema, path, depth);
        is_complete_ = is_complete_ && inner.is_complete();
        return found.empty();
    }

    void check_combinations(const Value& value, const Value& schema, const std::string& path, int depth) {
        // Alternatives within alternatives: each level is tried once per branch, so depth is bounded tighter.
        if (depth > max_depth / 4) return;
        const auto valid_of = [&](const Value& list) {
            return std::count_if(list.items().begin(), list.items().end(), [&](const Value& branch) {
                return is_complete_ && is_valid(value, branch, path, depth + 1);
            });
        };
        if (const Value* const all = schema.find("allOf"); all && all->is_array())
            for (const Value& branch : all->items()) check(value, branch, path, depth + 1);
        if (const Value* const any = schema.find("anyOf"); any && any->is_array() && valid_of(*any) == 0)
            fail(value, path, "must be valid against one of the schemas of anyOf");
        if (const Value* const one = schema.find("oneOf"); one && one->is_array() && valid_of(*one) != 1)
            fail(value, path, "must be valid against exactly one of the schemas of oneOf");
        if (const Value* const no = schema.find("not"); no && is_valid(value, *no, path, depth + 1))
            fail(value, path, "must not be valid against the schema of not");
    }

    size_t most_;
    Work& work_;
    bool is_complete_ = true;
    std::vector<SchemaViolation>& found_;
};

} // namespace

CrdVersions versions_of(const Fields& crd) {
    CrdVersions versions;
    const Fields common = crd.at("spec", "validation", "openAPIV3Schema");
    for (const Fields version : crd.items("spec", "versions")) {
        const Value name = version.at("name").value();
        if (!name.is_string()) continue;
        const Value served = version.at("served").value();
        const Fields schema = version.at("schema", "openAPIV3Schema");
        versions[name.string()] = {!served.is_boolean() || served.boolean(), schema ? schema : common};
    }
    if (const std::string_view only = crd.text("spec", "version"); versions.empty() && !only.empty())
        versions[only] = {true, common};
    return versions;
}

std::vector<std::string_view> removed_stored_versions(const Fields& current, const CrdVersions& wanted) {
    std::vector<std::string_view> removed;
    for (const Value& version : current.items("status", "storedVersions"))
        if (!wanted.contains(version.string_or_empty())) removed.push_back(version.string_or_empty());
    return removed;
}

namespace {

class Pruning {
public:
    Pruning(size_t most, Work& work) : most_(most), work_(work) {}

    // False if the work is used up.
    bool find(const Fields& value, const Fields& schema, const std::string& path, int depth) {
        if (depth > max_depth || found.size() >= most_) return true;
        const size_t properties = schema.members("properties").size();
        if (!work_.take(8 * (1 + schema.members().size()) + path.size() / 16 +
                        value.members().size() * properties))
            return false;
        const bool keeps_unknown = schema.flag("x-kubernetes-preserve-unknown-fields");
        if (keeps_unknown && value.value().is_array()) return true;
        for (const Value& item : value.items())
            if (!find(item, schema.at("items"), path, depth + 1)) return false;
        const Fields others = schema.at("additionalProperties");
        const bool is_object = depth == 0 || schema.flag("x-kubernetes-embedded-resource");
        for (const Member& member : value.members()) {
            const std::string_view name = member.key.string();
            // Every object has these.
            if (is_object && (name == "apiVersion" || name == "kind" || name == "metadata")) continue;
            const std::string below = path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
            const Fields known = schema.at("properties", name);
            if (known || others) {
                if (!find(member.value, known ? known : others, below, depth + 1)) return false;
            } else if (!keeps_unknown && found.size() < most_ &&
                       std::find(found.begin(), found.end(), below) == found.end()) {
                found.push_back(below);
            }
        }
        return true;
    }

    std::vector<std::string> found;

private:
    size_t most_;
    Work& work_;
};

} // namespace

std::optional<std::vector<std::string>> pruned_fields(const Value& object, const Value& schema, Work& work,
                                                      size_t most) {
    Pruning pruning(most, work);
    if (!pruning.find(object, schema, {}, 0)) return std::nullopt;
    return std::move(pruning.found);
}

std::optional<std::vector<SchemaViolation>> violations(const Value& object, const Value& schema, Work& work,
                                                       size_t most) {
    std::vector<SchemaViolation> found;
    Validation validation(most, work, found);
    validation.check(object, schema, {}, 0);
    if (!validation.is_complete()) return std::nullopt;
    return found;
}

} // namespace opcat::kube
