// Long text on a terminal, shown by the user's pager, as git does it.
#pragma once

#include <string_view>

namespace opcat {

// Shows `text` with the program that $OPCAT_PAGER or $PAGER names, or less, and waits for its end; false, and
// nothing is shown, where that is not wanted: standard output is not a terminal, the text fits on it, the
// variable is empty or "cat", or the program cannot be started.
bool show_in_pager(std::string_view text);

} // namespace opcat
