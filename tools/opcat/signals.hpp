// The signals that ask the program to end.
#pragma once

namespace opcat {

// From now on SIGINT, SIGTERM and SIGHUP remove temporary files before they end the program, in the way that
// they end programs. To be called once, before other threads are made. A signal that was ignored stays
// ignored.
void clean_up_on_signals();

} // namespace opcat
