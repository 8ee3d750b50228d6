#include "base/processor_quota.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

namespace opcat {
namespace fs = std::filesystem;
namespace {

// Microseconds in each period of so many; "max" (version 2) and -1 (version 1) are no limit.
std::optional<double> quota_of(const fs::path& group) {
    double quota = 0;
    double period = 0;
    std::ifstream(group / "cpu.max") >> quota >> period;
    if (period == 0) {
        std::ifstream(group / "cpu.cfs_quota_us") >> quota;
        std::ifstream(group / "cpu.cfs_period_us") >> period;
    }
    return quota > 0 && period > 0 ? std::optional(quota / period) : std::nullopt;
}

bool lists(std::string_view controllers, std::string_view wanted) {
    return ("," + std::string(controllers) + ",").find("," + std::string(wanted) + ",") != std::string::npos;
}

} // namespace

std::optional<double> processor_quota(const fs::path& root) {
    std::optional<double> least;
    std::ifstream memberships(root / "proc/self/cgroup");
    // "0::/kubepods/pod7" in version 2, "4:cpu,cpuacct:/kubepods/pod7" in version 1.
    for (std::string line; std::getline(memberships, line);) {
        const size_t first = line.find(':');
        const size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
        if (second == line.npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (!controllers.empty() && !lists(controllers, "cpu")) continue;
        const fs::path groups = root / (controllers.empty() ? "sys/fs/cgroup" : "sys/fs/cgroup/cpu");
        // A container may see its own group as the topmost, and be told of another path.
        fs::path group = fs::path(line.substr(second + 1)).lexically_normal().relative_path();
        for (bool more = true; more; group = group.parent_path()) {
            more = !group.empty();
            if (const auto quota = quota_of(groups / group)) least = least ? std::min(*least, *quota) : quota;
        }
    }
    return least;
}

} // namespace opcat
