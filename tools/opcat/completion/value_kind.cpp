#include "completion/value_kind.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace opcat {
namespace {

struct Named {
    std::string_view value; // or option
    std::string_view names;
};
constexpr Named named[] = {{"PACKAGE", "package"},
                           {"packageName", "package"},
                           {"'PACKAGE RANGE'", "package"},
                           {"CHANNEL", "channel"},
                           {"BUNDLE", "bundle"},
                           {"--installed", "bundle"},
                           {"RULE", "rule"},
                           {"PACKAGE/CHANNEL", "package-channel"},
                           {"TOPIC", "topic"}};

// Files of which a name may be given.
constexpr std::array<std::string_view, 2> behind_names{"CATALOG", "FORMAT=FILE"};

// What nothing is known of.
constexpr std::array<std::string_view, 18> free_text{"N",
                                                     "VERSION",
                                                     "RANGE",
                                                     "IMAGE",
                                                     "TEMPLATE",
                                                     "SIZE",
                                                     "NAME",
                                                     "NAMESPACE",
                                                     "DURATION",
                                                     "USER",
                                                     "WORD",
                                                     "KEY=VALUE",
                                                     "KEY=VALUE[,…]",
                                                     "OS/ARCH[/VARIANT]",
                                                     "[NAMESPACE/]NAME",
                                                     "[NAME]",
                                                     "TO",
                                                     "PREFIX"};

bool contains(std::span<const std::string_view> values, std::string_view value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

void collect(const CommandDescription& command, std::vector<const CommandDescription*>& all) {
    all.push_back(&command);
    for (const CommandDescription& sub : command.commands) collect(sub, all);
}

} // namespace

ValueKind kind_of(const OptionDescription& option) {
    if (!option.choices.empty()) return {ValueKind::Source::words, {}};
    for (const Named& known : named)
        if (option.value == known.value || (!option.names.empty() && option.names.back() == known.value))
            return {ValueKind::Source::names, std::string(known.names)};
    if (option.value == "DIR") return {ValueKind::Source::directories, {}};
    if (contains(free_text, option.value)) return {ValueKind::Source::words, {}};
    return {ValueKind::Source::files, {}, contains(behind_names, option.value)};
}

std::vector<OptionDescription> options_at(const CommandDescription& command, const CommandDescription& root) {
    std::vector<OptionDescription> options = command.options;
    if (&command == &root) return options;
    for (const OptionDescription& global : root.options) {
        const bool hidden = std::any_of(options.begin(), options.end(), [&](const OptionDescription& option) {
            return option.names.back() == global.names.back();
        });
        if (!hidden) options.push_back(global);
    }
    return options;
}

std::vector<const CommandDescription*> all_commands(const CommandDescription& root) {
    std::vector<const CommandDescription*> all;
    collect(root, all);
    return all;
}

} // namespace opcat
