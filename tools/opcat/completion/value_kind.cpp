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

void collect(const CommandDescription& command, std::vector<const CommandDescription*>& all) {
    all.push_back(&command);
    for (const CommandDescription& sub : command.commands) collect(sub, all);
}

} // namespace

ValueKind kind_of(const OptionDescription& option) {
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
