#include "opcat/cluster/follow.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "simulated_time.hpp"

#include <doctest/doctest.h>

using namespace opcat;
using namespace opcat::cluster;
using namespace std::chrono_literals;

namespace {

WaitOptions ten_seconds() {
    return {.timeout = 10s, .interval = 1s, .clock = simulated_clock()};
}

OperatorState in(Health health) {
    OperatorState state;
    state.health = health;
    return state;
}

KubectlError failure(FailureKind kind) {
    Failure what;
    what.kind = kind;
    what.message = "try later";
    return {"look", what};
}

} // namespace

TEST_CASE("waiting ends with the first final state") {
    int looks = 0;
    int reported = 0;
    const Waited waited = wait_for([&] { return in(++looks < 3 ? Health::working : Health::ready); },
                                   [](const OperatorState&) { return true; },
                                   [&](const OperatorState&) { ++reported; }, ten_seconds());
    CHECK_FALSE(waited.timed_out);
    CHECK(waited.state.health == Health::ready);
    CHECK(looks == 3);
    CHECK(reported == 3);
}

TEST_CASE("a briefly unavailable server is waited for, and a missing right is not") {
    int looks = 0;
    const Waited waited = wait_for(
        [&] {
            if (++looks < 3) throw failure(looks == 1 ? FailureKind::unreachable : FailureKind::server);
            return in(Health::ready);
        },
        [](const OperatorState&) { return true; }, [](const OperatorState&) {}, ten_seconds());
    CHECK(waited.state.health == Health::ready);
    CHECK(waited.trouble.empty());
    CHECK_THROWS_AS(wait_for([]() -> OperatorState { throw failure(FailureKind::forbidden); },
                             [](const OperatorState&) { return true; }, [](const OperatorState&) {},
                             ten_seconds()),
                    KubectlError);
    looks = 0;
    CHECK(wait_until(
        [&] {
            if (++looks < 3) throw failure(FailureKind::unreachable);
            return true;
        },
        ten_seconds()));
    CHECK(looks == 3);
    CHECK_THROWS_AS(wait_until([]() -> bool { throw failure(FailureKind::forbidden); }, ten_seconds()),
                    KubectlError);
}

TEST_CASE("waiting has an end, after as many looks as there is time for") {
    int looks = 0;
    const Waited waited = wait_for(
        [&] {
            ++looks;
            return in(Health::working);
        },
        [](const OperatorState&) { return true; }, [](const OperatorState&) {}, ten_seconds());
    CHECK(waited.timed_out);
    CHECK(looks == 11);
    CHECK_FALSE(wait_until([] { return false; }, ten_seconds()));
    CHECK(wait_until([] { return true; }, ten_seconds()));
}

TEST_CASE("a state counts when it has lasted") {
    StateDebouncer debouncer;
    const StateDebouncer::Time start{};
    OperatorState ready;
    ready.health = Health::ready;
    ready.hold = 4s;
    OperatorState failing = ready;
    failing.health = Health::failing;
    failing.reason = "csv-failed";
    CHECK_FALSE(debouncer.is_stable(ready, start));
    CHECK_FALSE(debouncer.is_stable(ready, start + 3s));
    // Succeeded, Failed, Succeeded: the time starts again.
    CHECK_FALSE(debouncer.is_stable(failing, start + 3500ms));
    CHECK_FALSE(debouncer.is_stable(ready, start + 5s));
    CHECK_FALSE(debouncer.is_stable(ready, start + 8s));
    CHECK(debouncer.is_stable(ready, start + 9s));
    // Another reason is another state.
    OperatorState other = failing;
    other.reason = "resolution-failed";
    CHECK_FALSE(debouncer.is_stable(failing, start + 10s));
    CHECK_FALSE(debouncer.is_stable(other, start + 14s));
    CHECK(debouncer.is_stable(other, start + 18s));
    // Work in progress never counts.
    OperatorState working;
    CHECK_FALSE(debouncer.is_stable(working, start + 100s));
}
