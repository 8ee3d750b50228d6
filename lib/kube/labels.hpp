// Kubernetes' rules for names and labels, its messages about violations, and label selectors.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/kube/object.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::kube {

constexpr size_t longest_label = 63;
constexpr size_t longest_subdomain = 253;

// Only by their characters: the API server checks lengths separately, and so must the caller.
bool is_dns1123_label(std::string_view text);
bool is_dns1123_subdomain(std::string_view text);

// Why a DNS-1123 subdomain, a label's key ("name" or "prefix/name"), a label's value is not valid; empty if
// it is.
std::vector<std::string> subdomain_errors(std::string_view text);
std::vector<std::string> label_key_errors(std::string_view text);
std::vector<std::string> label_value_errors(std::string_view text);

// Returns true if kubectl accepts this as the name of an object: names of RBAC objects may contain colons.
bool is_object_name(std::string_view text);
// The name of a namespace does not contain dots.
bool is_namespace_name(std::string_view text);

using Labels = std::map<std::string, std::string, std::less<>>;

// As written in an object: it may not be valid.
struct LabelSelectorSpec {
    struct Expression {
        std::string key;
        std::string op; // In, NotIn, Exists, DoesNotExist
        std::vector<std::string> values;
    };
    Labels match_labels;
    std::vector<Expression> match_expressions;
};

// Requirements that must all hold; an empty selector selects everything.
class LabelSelector {
public:
    // The error is that of Kubernetes' LabelSelectorAsSelector, word for word; of several wrong match labels,
    // the first by key.
    static Result<LabelSelector, std::string> compile(const LabelSelectorSpec& spec);

    bool matches(const Labels& labels) const { return first_failing(labels).empty(); }
    // The first requirement that does not hold, as "env in (prod)"; empty if all do.
    std::string first_failing(const Labels& labels) const;

private:
    enum class Operator : uint8_t { in, not_in, exists, does_not_exist };
    struct Requirement {
        std::string key;
        Operator op;
        std::vector<std::string> values;

        bool holds(const Labels& labels) const;
        std::string to_string() const;
    };

    static std::string error_in(const Requirement& requirement);

    std::vector<Requirement> requirements_;
};

Labels labels_of(const Fields& object);
// A selector as written in an object; values that are not strings are ignored.
LabelSelectorSpec selector_in(const Fields& selector);
// Returns true if a selector in an object selects another object; an invalid one selects nothing.
bool selects(const Fields& selector, const Fields& object);

} // namespace opcat::kube
