#include "base/text.hpp"
#include "filter/filter.hpp"

#include <fmt/format.h>

namespace opcat {
namespace {

std::string listed(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

void describe_channel(const FilteredPackage& package, const FilteredPackage::Channel& channel,
                      std::string& out) {
    if (channel.old_head != channel.new_head)
        out += fmt::format("{}/{}: OLM classic now installs {}, not {}\n", package.name, channel.name,
                           channel.new_head, channel.old_head);
    if (!channel.still_skipped.empty())
        out += fmt::format("{}/{}: OLM classic still leaves out {}, which a dropped version skipped\n",
                           package.name, channel.name, listed(channel.still_skipped));
}

void describe_package(const FilteredPackage& package, std::string& out) {
    if (package.is_dependency) out += fmt::format("{}: kept, as a kept version requires it\n", package.name);
    if (!package.dropped_channels.empty())
        out += fmt::format("{}: dropped {}: {}\n", package.name,
                           counted(package.dropped_channels.size(), "channel"),
                           listed(package.dropped_channels));
    if (!package.dropped_versions.empty())
        out +=
            fmt::format("{}: dropped {} of {} versions: {}\n", package.name, package.dropped_versions.size(),
                        package.dropped_versions.size() + package.versions, listed(package.dropped_versions));
    if (!package.given_up.empty())
        out += fmt::format(
            "{}: of these {} could not stay: no graph without the others gives OLM v1 the way on and "
            "not OLM classic, too\n",
            package.name, listed(package.given_up));
    if (package.old_default_channel != package.new_default_channel)
        out += fmt::format("{}: the default channel is now {}, as {} is dropped\n", package.name,
                           package.new_default_channel, package.old_default_channel);
    for (const FilteredPackage::Channel& channel : package.channels) describe_channel(package, channel, out);
}

} // namespace

std::string to_text(const FilterReport& report) {
    std::string out;
    if (!report.dropped_packages.empty())
        out += fmt::format("dropped {}: {}\n", counted(report.dropped_packages.size(), "package"),
                           listed(report.dropped_packages));
    for (const FilteredPackage& package : report.kept) describe_package(package, out);
    for (const std::string& missing : report.missing_dependencies) out += missing + '\n';
    if (out.empty()) out = "nothing was dropped\n";
    return escape_controls_in_lines(out);
}

} // namespace opcat
