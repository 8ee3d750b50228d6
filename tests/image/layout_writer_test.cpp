#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/image/layout_writer.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <atomic>
#include <thread>

using namespace opcat;
namespace fs = std::filesystem;

TEST_CASE("several writers make a new layout together") {
    for (int round = 0; round < 100; ++round) {
        const TemporaryDirectory parent(fs::temp_directory_path());
        image::LayoutBatch batch(parent.path() / "layout");
        std::atomic<int> failures = 0;
        std::atomic<int> ready = 0;
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&, i] {
                ++ready;
                while (ready < 8) {
                }
                try {
                    image::write_to_oci_layout(batch, fmt::format("v{}", i), {})
                        ->put_manifest(fmt::format("{}", i));
                } catch (const Error&) {
                    ++failures;
                }
            });
        for (std::thread& thread : threads) thread.join();
        CHECK(failures == 0);
    }
}
