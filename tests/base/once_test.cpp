#include "opcat/base/error.hpp"
#include "opcat/base/once.hpp"
#include "opcat/base/thread_pool.hpp"

#include <doctest/doctest.h>

#include <atomic>

using namespace opcat;

TEST_CASE("a function that throws is called again, one that succeeds is not") {
    Once once;
    int tries = 0;
    const auto fail_first = [&] {
        if (++tries == 1) throw Error("not yet");
    };
    CHECK_THROWS_WITH_AS(once.run(fail_first), "not yet", Error);
    once.run(fail_first);
    once.run(fail_first);
    CHECK(tries == 2);
}

TEST_CASE("one of several threads calls it, and the others wait for it") {
    ThreadPool pool(4);
    Once once;
    std::atomic<int> runs = 0;
    int made = 0;
    std::atomic<int> seen = 0;
    pool.for_each(100, [&](size_t) {
        once.run([&] {
            ++runs;
            made = 7;
        });
        seen += made == 7 ? 1 : 0;
    });
    CHECK(runs == 1);
    CHECK(seen == 100);
}
