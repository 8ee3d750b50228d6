// The functions of the standard library, by the types they take.
#pragma once

#include "cel/type.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace opcat::cel {

// Type variables in it are numbered from 0 and stand for any types.
struct Overload {
    std::vector<Type> arguments; // of a member: the receiver first
    Type result;
    bool member = false;
    uint32_t variables = 0; // how many
};

// Nothing if there is no function of this name, as a member or otherwise. With semver_compare, which OLM
// adds.
std::span<const Overload> overloads_of(std::string_view function);

} // namespace opcat::cel
