// Commands and options, as their files declare them.
#include "command.hpp"

#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace opcat {

Option Option::required() const {
    option_->required();
    return *this;
}

Option Option::value_name(const std::string& name) const {
    option_->type_name(name);
    return *this;
}

Option Option::show_default() const {
    option_->capture_default_str();
    return *this;
}

Option Option::group(const std::string& title) const {
    option_->group(title);
    return *this;
}

Option Option::hide() const {
    return group("");
}

Option Option::one_of(const std::vector<std::string>& values) const {
    const auto complain = [option = option_, values](const std::string& given) {
        const std::vector<std::string_view> known(values.begin(), values.end());
        if (std::find(known.begin(), known.end(), given) != known.end()) return std::string();
        std::string message = fmt::format("{} is not one of {}", given, fmt::join(known, ", "));
        const std::string near = did_you_mean(given, known);
        if (!near.empty()) throw RequestError(option->get_name() + ": " + message, near);
        return message;
    };
    // describe_command.cpp knows the values by these braces.
    option_->check(complain, fmt::format("{{{}}}", fmt::join(values, ",")));
    return *this;
}

Option Option::between(unsigned least, unsigned most) const {
    option_->check(CLI::Range(least, most));
    return *this;
}

Option Option::duration() const {
    option_->check([](const std::string& text) {
        return duration_of(text) ? std::string()
                                 : text + " is not a duration of up to 1000h: write 90s, 10m or 1h30m";
    });
    return value_name("DURATION");
}

Option Option::existing_directory() const {
    option_->check([](const std::string& path) {
        std::error_code ignored;
        return std::filesystem::is_directory(path, ignored) ? std::string() : "there is no directory " + path;
    });
    return *this;
}

Option Option::output_file() const {
    option_->check([](const std::string& text) {
        return text == "-" ? std::string("it must be a file, not -") : std::string();
    });
    return value_name("FILE");
}

Option Option::excludes(Option other) const {
    option_->excludes(other.option_);
    return *this;
}

Option Option::comma_separated() const {
    option_->delimiter(',');
    return *this;
}

Option Option::optional_value() const {
    option_->expected(0, 1)->take_all();
    return *this;
}

Option Option::at_most(int count) const {
    option_->expected(0, count);
    return *this;
}

bool Option::given() const {
    return option_->count() > 0;
}

std::string Command::name() const {
    return app_->get_name();
}

std::vector<Command> Command::commands() const {
    std::vector<Command> commands;
    // Without a filter CLI11 returns those on the line.
    const auto all = [](const CLI::App* /*app*/) { return true; };
    for (CLI::App* app : app_->get_subcommands(all)) commands.push_back(Command(app));
    return commands;
}

std::optional<Command> Command::find(std::string_view name) const {
    for (const Command command : commands())
        if (command.app_->check_name(std::string(name))) return command;
    return std::nullopt;
}

Command Command::add_command(const std::string& name, const std::string& description) const {
    // CLI11 would pass on the footer, whose examples are of the other command.
    return Command(app_->add_subcommand(name, description)->require_subcommand(0, 1)->footer(""));
}

template <class Add>
Option Command::add(const std::string& names, const Add& add) const {
    const size_t blank = names.starts_with('-') ? names.find(' ') : names.npos;
    CLI::Option* const option = add(names.substr(0, blank));
    if (blank != names.npos) option->type_name(names.substr(blank + 1));
    if (heading_) option->group(heading_);
    return Option(option);
}

Option Command::add_option(const std::string& names, std::string& value,
                           const std::string& description) const {
    return add(names, [&](const std::string& own) { return app_->add_option(own, value, description); });
}

Option Command::add_option(const std::string& names, std::vector<std::string>& values,
                           const std::string& description) const {
    const bool is_argument = !names.starts_with('-');
    return add(names, [&](const std::string& own) {
        return app_->add_option(own, values, description)->allow_extra_args(is_argument);
    });
}

Option Command::add_option(const std::string& names, unsigned& value, const std::string& description) const {
    return add(names, [&](const std::string& own) { return app_->add_option(own, value, description); });
}

Option Command::add_option(const std::string& names, std::optional<int64_t>& value,
                           const std::string& description) const {
    return add(names, [&](const std::string& own) { return app_->add_option(own, value, description); });
}

Option Command::add_flag(const std::string& names, bool& value, const std::string& description) const {
    return add(names, [&](const std::string& own) { return app_->add_flag(own, value, description); });
}

void Command::add_refused(const std::string& names, const std::string& message,
                          const std::string& hint) const {
    const auto refuse = [message, hint](const std::vector<std::string>& /*values*/) {
        throw RequestError(message, hint);
    };
    Option(app_->add_option_function<std::vector<std::string>>(names, refuse, hint)).optional_value().hide();
}

Option Command::add_size(const std::string& names, uint64_t& bytes, const std::string& description) const {
    // CLI11 would take a sign, no number at all, and a number that 64 bits cannot hold.
    const auto to_bytes = [](std::string& text) {
        uint64_t number = 0;
        const auto failed = std::from_chars(text.data(), text.data() + text.size(), number).ec;
        return failed == std::errc() ? CLI::AsSizeValue(false)(text)
                                     : text + " is not a size: write 500MiB or 4GiB";
    };
    return add(names, [&](const std::string& own) {
        return app_->add_option(own, bytes, description)->transform(CLI::Validator(to_bytes, ""));
    });
}

Option Command::add_choice(const std::string& names, std::function<void(size_t)> choose,
                           const std::function<std::string()>& chosen,
                           const std::vector<std::string>& choices, const std::string& description) const {
    const auto choose_by_name = [choose = std::move(choose), choices](const std::string& name) {
        choose(static_cast<size_t>(std::find(choices.begin(), choices.end(), name) - choices.begin()));
    };
    return add(names,
               [&](const std::string& own) {
                   return app_->add_option_function<std::string>(own, choose_by_name, description)
                       ->default_function(chosen);
               })
        .one_of(choices);
}

Command Command::description(const std::string& text) const {
    app_->description(text);
    return *this;
}

Command Command::footer(const std::string& lines) const {
    app_->footer(lines);
    return *this;
}

Command Command::alias(const std::string& name) const {
    app_->alias(name);
    return *this;
}

Command Command::under(const char* title) const {
    Command handle = *this;
    handle.heading_ = title;
    return handle;
}

Command Command::group(const std::string& title) const {
    app_->group(title);
    return *this;
}

Command Command::hide() const {
    return group("");
}

Command Command::needs_command() const {
    app_->require_subcommand(1);
    return *this;
}

Command Command::ignore_others() const {
    app_->fallthrough(false)->allow_extras();
    return *this;
}

Command Command::keep_rest() const {
    app_->fallthrough(false)->prefix_command();
    return *this;
}

void Command::callback(std::function<void()> run) const {
    app_->callback(std::move(run));
}

bool Command::command_given() const {
    return !app_->get_subcommands().empty();
}

std::vector<std::string> Command::rest() const {
    return app_->remaining();
}

} // namespace opcat
