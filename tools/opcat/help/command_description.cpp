#include "help/command_description.hpp"

#include "command.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

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

// From CLI11 to plain values.
namespace {

// CLI11 describes the validators of an option in its type's name: "TEXT:{a,b}" for a set.
std::vector<std::string> choices_of(const std::string& type) {
    const size_t open = type.find('{');
    const size_t close = type.find('}', open);
    if (open == type.npos || close == type.npos || type.substr(0, open).find(':') == type.npos) return {};
    std::vector<std::string> choices = CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
    std::sort(choices.begin(), choices.end());
    return choices;
}

// "DIR" for --output-dir: the default name of a value.
std::string value_from_name(const CLI::Option& option) {
    const std::string& name =
        option.get_lnames().empty() ? option.get_snames().front() : option.get_lnames().front();
    const size_t dash = name.rfind('-');
    std::string value = dash == name.npos ? name : name.substr(dash + 1);
    for (char& c : value) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return value;
}

std::string value_of(const CLI::Option& option) {
    if (option.get_items_expected_max() == 0) return {};
    const std::string& type = option.get_type_name();
    // Validators add text after a colon to the name of the type.
    const std::string value = type.substr(0, type.find(':'));
    if (value == "UINT" || value == "INT") return "N";
    if (value != "TEXT") return value;
    return value_from_name(option);
}

std::vector<std::string> names_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

OptionDescription describe(const CLI::Option& option) {
    OptionDescription described;
    described.names = names_of(option);
    described.value = option.nonpositional() ? value_of(option) : option.get_name(true, false);
    described.choices = choices_of(option.get_type_name());
    described.description = option.get_description();
    if (!described.value.empty()) described.default_value = option.get_default_str();
    described.group = option.get_group();
    for (const CLI::Option* other : option.get_excludes())
        if (const auto names = names_of(*other); !names.empty()) described.excludes.push_back(names.back());
    std::sort(described.excludes.begin(), described.excludes.end());
    described.required = option.get_required();
    described.repeated = option.get_items_expected_max() >= CLI::detail::expected_max_vector_size ||
                         option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    return described;
}

CommandDescription describe(const CLI::App& app, const std::string& parent_path) {
    CommandDescription command;
    command.name = app.get_name();
    command.path = parent_path.empty() ? command.name : parent_path + " " + command.name;
    command.aliases = app.get_aliases();
    command.group = app.get_group();
    command.description = app.get_description();
    command.footer = app.get_footer();
    command.needs_command = app.get_require_subcommand_min() > 0;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty()) continue;
        (option->nonpositional() ? command.options : command.arguments).push_back(describe(*option));
    }
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!sub->get_group().empty()) command.commands.push_back(describe(*sub, command.path));
    return command;
}

} // namespace

CommandDescription describe(Command command) {
    const CLI::App& app = *command.app_;
    std::string parent;
    for (const CLI::App* up = app.get_parent(); up; up = up->get_parent())
        parent.insert(0, up->get_name() + (parent.empty() ? "" : " "));
    return describe(app, parent);
}

} // namespace opcat
