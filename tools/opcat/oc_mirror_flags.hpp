// Flags of oc-mirror that opcat mirror does not have: answered with what to write instead.
#pragma once

#include "command.hpp"

#include <string>
#include <vector>

namespace opcat {

struct OcMirrorFlags {
    std::vector<std::vector<std::string>> values; // which do not matter
    std::vector<Option> options;
};

// Not in help texts. `flags` is filled when the command line is parsed, and must live as long as the command.
void add_oc_mirror_flags(Command command, OcMirrorFlags& flags);

// Throws RequestError if one was given.
void refuse_oc_mirror_flags(const OcMirrorFlags& flags);

} // namespace opcat
