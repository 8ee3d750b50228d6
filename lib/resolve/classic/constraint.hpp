// The value of an olm.constraint property.
#pragma once

#include "base/error.hpp"
#include "document/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat::classic {

// What was given; of several kinds the first counts: gvk, package, all, any, not, cel.
struct ConstraintValue {
    std::string_view failure_message;
    bool has_gvk = false, has_package = false, has_all = false, has_any = false, has_not = false,
         has_cel = false;
    std::string_view group, version, kind;
    std::string_view package, range;
    std::string_view rule;
    std::vector<ConstraintValue> all, any, none;
};

// The error is what Go's strict decoder says about the first thing that does not fit.
Result<ConstraintValue, std::string> read_constraint(const Value& value);

} // namespace opcat::classic
