#include "base/file.hpp"
#include "base/processor_quota.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

using namespace opcat;
namespace fs = std::filesystem;

TEST_CASE("the least that a control group or one above it allows is what there is") {
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
