// The rules that Kubernetes has for names and labels, its words for breaking them, and label selectors.
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

// By their characters only: lengths are for the caller, as the API server checks them apart.
bool is_dns1123_label(std::string_view text);
bool is_dns1123_subdomain(std::string_view text);

// What is wrong with a DNS-1123 subdomain, a label's key ("name" or "prefix/name"), a label's value; empty if
// nothing is.
std::vector<std::string> subdomain_errors(std::string_view text);
std::vector<std::string> label_key_errors(std::string_view text);
std::vector<std::string> label_value_errors(std::string_view text);

// Whether kubectl can be given this as the name of an object: those of RBAC objects may have colons, too.
bool is_object_name(std::string_view text);
// The name of a namespace has no dots.
bool is_namespace_name(std::string_view text);

using Labels = std::map<std::string, std::string, std::less<>>;

// As it is written in an object: what it says may make no sense.
struct LabelSelectorSpec {
    struct Expression {
        std::string key;
        std::string op; // In, NotIn, Exists, DoesNotExist
        std::vector<std::string> values;
    };
    Labels match_labels;
    std::vector<Expression> match_expressions;
};

// Requirements that all must hold; without any, everything is selected.
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
// A selector as it is written in an object; what is not a string in it is passed over.
LabelSelectorSpec selector_in(const Fields& selector);
// Whether a selector that is written in an object selects another; one that makes no sense selects nothing.
bool selects(const Fields& selector, const Fields& object);

} // namespace opcat::kube
