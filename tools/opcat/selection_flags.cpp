#include "selection_flags.hpp"

#include "command.hpp"
#include "input.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

namespace opcat {

void add_selection_flags(Command command, SelectionFlags& flags) {
    const auto add = [&](const char* name, std::vector<std::string>& values, const char* type,
                         const char* help) { command.add_option(name, values, help).value_name(type); };
    add("-p,--package", flags.packages, "PACKAGE", "Keep this package");
    add("-c,--channel", flags.channels, "PACKAGE/CHANNEL", "Keep only this channel of a package");
    add("--version", flags.versions, "'PACKAGE RANGE'",
        "Keep only the versions of a package that are in a range");
    add("-f,--file", flags.files, "FILE", "Keep the selections of a YAML file (-: standard input)");
    command.add_flag(
        "--with-dependencies", flags.with_dependencies,
        "Also keep the packages that kept versions require, and those with the APIs that they require");
}

std::optional<Selection> selection_of(const SelectionFlags& flags, Session& session) {
    Selection selection;
    for (const std::string& package : flags.packages) selection.add_package(package);
    for (const std::string& channel : flags.channels) selection.add_channel(channel);
    for (const std::string& version : flags.versions) selection.add_version(version);
    for (const std::string& path : flags.files) {
        const auto file = read_input(path);
        Diagnostics diagnostics;
        selection.add_file(*file, diagnostics);
        if (!report_findings(diagnostics, session)) return std::nullopt;
    }
    return selection;
}

} // namespace opcat
