#include "filter/selection.hpp"

#include "base/error.hpp"
#include "base/go_quote.hpp"
#include "catalog/field_reader.hpp"
#include "catalog/finding.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace opcat {
namespace {

constexpr std::string_view rule = "filter";
constexpr std::array<std::string_view, 1> file_fields{"packages"};
constexpr std::array<std::string_view, 3> package_fields{"name", "channels", "versions"};

bool is_in_package_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

void add_channel_to(PackageSelection& selection, std::string_view channel) {
    auto& channels = selection.channels;
    if (std::find(channels.begin(), channels.end(), channel) == channels.end())
        channels.emplace_back(channel);
}

} // namespace

void Selection::add_package(std::string_view text) {
    packages[std::string(text)];
}

void Selection::add_channel(std::string_view text) {
    const size_t slash = text.find('/');
    if (slash == text.npos || slash == 0 || slash + 1 == text.size())
        throw UsageError(fmt::format("{} names no channel of a package", go_quote(text)),
                         "write PACKAGE/CHANNEL, as in foo/stable");
    add_channel_to(packages[std::string(text.substr(0, slash))], text.substr(slash + 1));
}

void Selection::add_version(std::string_view text) {
    const auto behind = std::find_if_not(text.begin(), text.end(), is_in_package_name);
    const std::string package(text.begin(), behind);
    const std::string range(behind, text.end());
    const size_t begin = range.find_first_not_of(" \t@:");
    const auto constraints = semver::Constraints::parse(begin == range.npos ? "" : range.substr(begin));
    if (package.empty() || begin == range.npos || !constraints)
        throw UsageError(fmt::format("{} is no package with a range of its versions{}", go_quote(text),
                                     package.empty() || begin == range.npos || constraints
                                         ? std::string()
                                         : ": " + constraints.error().message),
                         "write PACKAGE and a range, as in 'foo>=1.2 <2' or 'foo ~1.4 || 2.0.0'");
    packages[package].versions.push_back({range.substr(begin), *constraints});
}

void Selection::add_file(const SourceFile& file, Diagnostics& diagnostics) {
    Arena arena;
    const auto root = read_object(file, arena, "a selection", rule, diagnostics);
    if (!root) return;
    const FieldReader fields(&file, *root, "the selection", diagnostics);
    fields.refuse_all_but(file_fields, rule);
    const Value* const list = fields.array("packages");
    if (!list) return;
    for (const Value& item : list->items()) {
        if (!item.is_object()) {
            diagnostics.push_back(error(rule, {&file, item.offset(), 1}, "a package must be an object",
                                        "write {name: PACKAGE, channels: [CHANNEL], versions: [RANGE]}"));
            continue;
        }
        const FieldReader package(&file, item, "a package of the selection", diagnostics);
        package.refuse_all_but(package_fields, rule);
        const Text name = package.string("name");
        if (name.empty())
            diagnostics.push_back(error(rule, {&file, name.offset, 1}, "a package needs a name"));
        PackageSelection& selection = packages[std::string(name)];
        for (const Text& channel : package.strings("channels", arena)) add_channel_to(selection, channel);
        for (const Text& range : package.strings("versions", arena)) {
            const auto constraints = semver::Constraints::parse(range);
            if (constraints)
                selection.versions.push_back({std::string(range), *constraints});
            else
                diagnostics.push_back(error(rule, {&file, range.offset, 1},
                                            fmt::format("{} is no range of versions: {}", go_quote(range),
                                                        constraints.error().message)));
        }
    }
}

} // namespace opcat
