#include "opcat/base/directories.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/thread_pool.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace opcat;

TEST_CASE("every task is run once, on any number of threads") {
    for (const unsigned threads : {1U, 2U, 8U}) {
        ThreadPool pool(threads);
        CHECK(pool.threads() == threads);
        for (const size_t count : {size_t{0}, size_t{1}, size_t{7}, size_t{10'000}}) {
            std::vector<std::atomic<int>> runs(count);
            pool.for_each(count, [&](size_t i) { ++runs[i]; });
            for (const auto& run : runs) REQUIRE(run == 1);
        }
    }
}

TEST_CASE("the calling thread takes part, and does everything if there is one thread") {
    ThreadPool alone(1);
    const auto caller = std::this_thread::get_id();
    alone.for_each(100, [&](size_t) { REQUIRE(std::this_thread::get_id() == caller); });
}

TEST_CASE("the exception of the lowest index is thrown after all started tasks have ended") {
    for (const unsigned threads : {1U, 4U}) {
        ThreadPool pool(threads);
        for (int round = 0; round < 50; ++round) {
            std::atomic<int> running{0};
            std::string caught;
            try {
                pool.for_each(200, [&](size_t i) {
                    ++running;
                    if (i % 2 == 1) {
                        --running;
                        throw std::runtime_error(std::to_string(i));
                    }
                    --running;
                });
            } catch (const std::runtime_error& error) {
                caught = error.what();
                CHECK(running == 0);
            }
            REQUIRE(caught == "1");
        }
        // And the pool still works.
        std::atomic<int> runs{0};
        pool.for_each(100, [&](size_t) { ++runs; });
        CHECK(runs == 100);
    }
}

TEST_CASE("tasks may use the pool themselves") {
    ThreadPool pool(4);
    std::atomic<int> runs{0};
    pool.for_each(20, [&](size_t) {
        const auto outer = std::this_thread::get_id();
        pool.for_each(20, [&](size_t) {
            CHECK(std::this_thread::get_id() == outer);
            pool.for_each(2, [&](size_t) { ++runs; });
        });
    });
    CHECK(runs == 800);
}

TEST_CASE("several threads may use one pool") {
    ThreadPool pool(3);
    std::atomic<int> runs{0};
    std::vector<std::thread> users;
    for (int i = 0; i < 4; ++i)
        users.emplace_back([&] {
            for (int round = 0; round < 50; ++round) pool.for_each(10, [&](size_t) { ++runs; });
        });
    for (std::thread& user : users) user.join();
    CHECK(runs == 2000);
}

TEST_CASE("two pools do not mistake each other's tasks for their own") {
    ThreadPool outer(2);
    ThreadPool inner(2);
    std::atomic<int> runs{0};
    outer.for_each(8, [&](size_t) { inner.for_each(8, [&](size_t) { ++runs; }); });
    CHECK(runs == 64);
}

namespace fs = std::filesystem;

TEST_CASE("the number of processors is the least that a control group or one above it allows") {
    struct Case {
        const char* what;
        std::vector<std::pair<const char*, const char*>> files;
        std::optional<double> quota;
    };
    const Case cases[] = {
        {"nothing can be read", {}, std::nullopt},
        {"no limit",
         {{"proc/self/cgroup", "0::/user\n"}, {"sys/fs/cgroup/user/cpu.max", "max 100000\n"}},
         std::nullopt},
        {"one and a half",
         {{"proc/self/cgroup", "0::/pods/a\n"}, {"sys/fs/cgroup/pods/a/cpu.max", "150000 100000\n"}},
         1.5},
        {"the group above allows less",
         {{"proc/self/cgroup", "0::/pods/a\n"},
          {"sys/fs/cgroup/pods/cpu.max", "50000 100000\n"},
          {"sys/fs/cgroup/pods/a/cpu.max", "400000 100000\n"}},
         0.5},
        {"a container that sees its own group as the topmost",
         {{"proc/self/cgroup", "0::/../pods/a\n"}, {"sys/fs/cgroup/cpu.max", "200000 100000\n"}},
         2},
        {"version 1",
         {{"proc/self/cgroup", "5:cpuset:/\n4:cpu,cpuacct:/pods/a\n0::/\n"},
          {"sys/fs/cgroup/cpu/pods/a/cpu.cfs_quota_us", "300000\n"},
          {"sys/fs/cgroup/cpu/pods/a/cpu.cfs_period_us", "100000\n"}},
         3},
        {"version 1, no limit",
         {{"proc/self/cgroup", "4:cpu:/\n"},
          {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
          {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}},
         std::nullopt},
        {"other controllers do not count",
         {{"proc/self/cgroup", "4:cpuacct:/\n"},
          {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n"},
          {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}},
         std::nullopt},
        {"nonsense",
         {{"proc/self/cgroup", "0\n::\nx:y\n0::/a\n"}, {"sys/fs/cgroup/a/cpu.max", "many 0\n"}},
         std::nullopt},
    };
    for (const Case& c : cases) {
        CAPTURE(c.what);
        const TemporaryDirectory root(fs::temp_directory_path());
        for (const auto& [name, text] : c.files) {
            fs::create_directories((root.path() / name).parent_path());
            write_file(root.path() / name, text);
        }
        CHECK(processor_quota(root.path()) == c.quota);
    }
}
