// What is wrong, or worth knowing, about the ways through an upgrade graph that passes the checks of
// checks.hpp: those look at one entry or chain, these at what happens to installed versions.
#pragma once

#include "base/diagnostic.hpp"
#include "graph/graph_view.hpp"

namespace opcat {

// By place. One finding per channel and subject, which names the affected versions. Near-linear.
//
//   graph-no-way         warning  entries, or versions that edges name, from which their channel's head
//                                 cannot be reached by OLM classic
//   graph-loop           warning  OLM classic or v1 upgrades in a circle
//   graph-ambiguous      warning  two bundles that OLM v1 likes equally well lead on from one version
//   graph-skip-range-gap warning  a skipRange leaves out a version between those that it covers, which has no
//                                 other way to the entry
//   graph-unreachable    note     an entry that no version of the catalog can be upgraded to
//   graph-channel-switch note     versions of another channel, older than the default channel's head, that
//                                 have no way on there
Diagnostics check_health(const GraphView& view);

} // namespace opcat
