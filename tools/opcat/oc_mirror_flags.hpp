// Flags of oc-mirror that opcat mirror does not have: answered with what to write instead.
#pragma once

#include "command.hpp"

namespace opcat {

void add_oc_mirror_flags(Command command);

} // namespace opcat
