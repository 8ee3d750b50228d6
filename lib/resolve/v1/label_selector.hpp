// Kubernetes label selectors.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::olmv1 {

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

} // namespace opcat::olmv1
