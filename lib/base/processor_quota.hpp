// What the control groups of a process (those of its container, above all) leave of the processors.
#pragma once

#include <filesystem>
#include <optional>

namespace opcat {

// How many processors' time this process may use, 1.5 for one and a half: the least that its control group
// and those above it allow, by cpu.max (version 2) or cpu.cfs_quota_us (version 1), which the kernel's
// documents on control groups and on CFS bandwidth control define. Nothing if they allow everything, or
// cannot be read. `root` is where /proc and /sys are.
std::optional<double> processor_quota(const std::filesystem::path& root = "/");

} // namespace opcat
