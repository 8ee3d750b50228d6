#include "completion/value_kind.hpp"

#include <algorithm>
#include <array>

namespace opcat {
namespace {

struct Named {
    std::string_view value;
    std::string_view names;
};
constexpr Named named[] = {{"PACKAGE", "package"}, {"packageName", "package"}, {"CHANNEL", "channel"},
                           {"BUNDLE", "bundle"},   {"RULE", "rule"},           {"TOPIC", "topic"}};

void collect(const Command& command, std::vector<const Command*>& all) {
    all.push_back(&command);
    for (const Command& sub : command.commands) collect(sub, all);
}

} // namespace

ValueKind kind_of(const CommandOption& option) {
    if (!option.choices.empty()) return {ValueKind::Source::words, {}};
    for (const Named& known : named)
        if (option.value == known.value) return {ValueKind::Source::names, std::string(known.names)};
    if (option.value == "DIR") return {ValueKind::Source::directories, {}};
    static constexpr std::array<std::string_view, 8> free_text{"N",        "VERSION", "RANGE", "IMAGE",
                                                               "TEMPLATE", "SIZE",    "NAME",  "NAMESPACE"};
    if (std::find(free_text.begin(), free_text.end(), option.value) != free_text.end())
        return {ValueKind::Source::words, {}};
    return {ValueKind::Source::files, {}};
}

std::vector<CommandOption> options_at(const Command& command, const Command& root) {
    std::vector<CommandOption> options = command.options;
    if (&command == &root) return options;
    for (const CommandOption& global : root.options) {
        const bool hidden = std::any_of(options.begin(), options.end(), [&](const CommandOption& option) {
            return option.names.back() == global.names.back();
        });
        if (!hidden) options.push_back(global);
    }
    return options;
}

std::vector<const Command*> all_commands(const Command& root) {
    std::vector<const Command*> all;
    collect(root, all);
    return all;
}

} // namespace opcat
