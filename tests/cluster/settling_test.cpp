#include "cluster/settling.hpp"

#include <doctest/doctest.h>

using namespace opcat::cluster;
using namespace std::chrono_literals;

TEST_CASE("a state counts when it has lasted") {
    Settling settling;
    const Settling::Time start{};
    OperatorState ready;
    ready.health = Health::ready;
    ready.hold = 4s;
    OperatorState failing = ready;
    failing.health = Health::failing;
    failing.reason = "csv-failed";
    CHECK_FALSE(settling.settled(ready, start));
    CHECK_FALSE(settling.settled(ready, start + 3s));
    // Succeeded, Failed, Succeeded: the time begins anew.
    CHECK_FALSE(settling.settled(failing, start + 3500ms));
    CHECK_FALSE(settling.settled(ready, start + 5s));
    CHECK_FALSE(settling.settled(ready, start + 8s));
    CHECK(settling.settled(ready, start + 9s));
    // Another reason is another state.
    OperatorState other = failing;
    other.reason = "resolution-failed";
    CHECK_FALSE(settling.settled(failing, start + 10s));
    CHECK_FALSE(settling.settled(other, start + 14s));
    CHECK(settling.settled(other, start + 18s));
    // Work in progress never does.
    OperatorState working;
    CHECK_FALSE(settling.settled(working, start + 100s));
}
