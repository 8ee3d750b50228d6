#include "help/command_description.hpp"

#include <fmt/format.h>

namespace opcat {
namespace {

// Values are shown in place of the name of a value if they fit.
constexpr size_t most_shown_choices = 34;

bool shows_choices(const OptionDescription& option) {
    return !option.choices.empty() &&
           fmt::format("{}", fmt::join(option.choices, "|")).size() <= most_shown_choices;
}

} // namespace

std::string signature(const OptionDescription& option) {
    if (option.names.empty()) return option.value + (option.repeated ? "..." : "");
    std::string text = fmt::format("{}", fmt::join(option.names, ", "));
    if (shows_choices(option))
        text += fmt::format(" {}", fmt::join(option.choices, "|"));
    else if (!option.value.empty())
        text += " " + option.value;
    return text;
}

std::string synopsis(const CommandDescription& command) {
    std::string text = command.path + " [OPTIONS]";
    for (const OptionDescription& argument : command.arguments)
        text += argument.required ? " " + signature(argument) : " [" + signature(argument) + "]";
    if (!command.commands.empty()) text += command.needs_command ? " COMMAND" : " [COMMAND]";
    return text;
}

std::string full_description(const OptionDescription& option) {
    std::vector<std::string> notes;
    if (!option.choices.empty() && !shows_choices(option))
        notes.push_back(fmt::format("one of {}", fmt::join(option.choices, ", ")));
    if (!option.default_value.empty()) notes.push_back("default: " + option.default_value);
    if (!option.names.empty() && option.required) notes.emplace_back("required");
    if (!option.names.empty() && option.repeated) notes.emplace_back("may be repeated");
    if (!option.excludes.empty())
        notes.push_back(fmt::format("not with {}", fmt::join(option.excludes, ", ")));
    std::string text = option.description;
    if (!notes.empty()) text += fmt::format(" ({})", fmt::join(notes, "; "));
    return text;
}

} // namespace opcat
