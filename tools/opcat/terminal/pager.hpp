// Long text on a terminal, shown by the user's pager, as git does it.
#pragma once

#include <string_view>

namespace opcat {

// Shows `text` with the program in $OPCAT_PAGER or $PAGER, or less, and waits for its end. False, and nothing
// is shown, if that is not wanted: standard output is not a terminal, the text fits on it, the variable is
// empty or "cat", or the program cannot be started.
bool show_in_pager(std::string_view text);

} // namespace opcat
