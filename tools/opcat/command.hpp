// Commands with their options and arguments, as the files under commands/ declare them. It is built on CLI11,
// which is too large a header for each of them.
//
// Command and Option are handles: a copy stands for the same command, which lives as long as its CommandLine.
// So must the variables that options fill when the line is parsed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace opcat {

struct CommandDescription;

class Option {
public:
    Option required() const;
    // What help texts call its value: "FILE".
    Option value_name(const std::string& name) const;
    // Help texts tell the value that its variable has now.
    Option show_default() const;
    // Its heading in help texts.
    Option group(const std::string& title) const;
    // Help texts and completion do not show it.
    Option hide() const;

    Option one_of(const std::vector<std::string>& values) const;
    Option between(unsigned least, unsigned most) const;
    Option duration() const; // as duration_of() reads it; help texts call it DURATION
    Option existing_directory() const;
    Option existing_file() const;
    Option excludes(Option other) const;

    // For lists.
    Option comma_separated() const; // a value holds several of them
    Option optional_value() const;  // may be given without a value, which adds ""
    Option at_most(int count) const;

    // Whether it is on the line, once that is parsed.
    bool given() const;

private:
    friend class Command;
    explicit Option(CLI::Option* option) : option_(option) {}

    CLI::Option* option_;
};

class Command {
public:
    std::string name() const;
    // With those that help texts do not show.
    std::vector<Command> commands() const;
    // The one of its commands that is called so.
    std::optional<Command> find(std::string_view name) const;

    Command add_command(const std::string& name, const std::string& description) const;

    // `names` is "-o,--output" for an option, "REF" for an argument, which has its place in the line.
    Option add_option(const std::string& names, std::string& value, const std::string& description) const;
    // A list: an option may be given several times, with one value each; an argument takes all that follow.
    Option add_option(const std::string& names, std::vector<std::string>& values,
                      const std::string& description) const;
    Option add_option(const std::string& names, unsigned& value, const std::string& description) const;
    Option add_option(const std::string& names, std::optional<int64_t>& value,
                      const std::string& description) const;
    // An option without a value.
    Option add_flag(const std::string& names, bool& value, const std::string& description) const;
    // In bytes; "4GiB" is understood.
    Option add_size(const std::string& names, uint64_t& bytes, const std::string& description) const;
    // For a value that has a name on the line: {{"json", Format::json}, {"yaml", Format::yaml}}.
    template <class T>
    Option add_choice(const std::string& names, T& value,
                      const std::vector<std::pair<std::string, T>>& choices,
                      const std::string& description) const;

    Command description(const std::string& text) const;
    // Examples and more, in lines: the end of its help text.
    Command footer(const std::string& lines) const;
    // Another name for it.
    Command alias(const std::string& name) const;
    // Its heading in its parent's help text.
    Command group(const std::string& title) const;
    // Help texts and completion do not show it.
    Command hide() const;

    // It does nothing without one of its commands.
    Command needs_command() const;
    // Anything else on the line is ignored.
    Command ignore_others() const;
    // What follows its arguments is not an option of it, whatever it looks like.
    Command keep_rest() const;

    // What it does. If one of its commands is on the line, that has run before.
    void callback(std::function<void()> run) const;
    bool command_given() const;
    std::vector<std::string> rest() const;

private:
    friend class CommandLine;
    friend CommandDescription describe(Command command);

    explicit Command(CLI::App* app) : app_(app) {}
    Option add_choice(const std::string& names, std::function<void(size_t)> choose,
                      const std::vector<std::string>& choices, const std::string& description) const;

    CLI::App* app_;
};

// The commands that people mean by a word that is the name of none: "lint" for validate.
using MeantCommands = std::span<const std::string_view> (*)(std::string_view word);

// "did you mean validate?" for a word in place of one of the parent's commands; nothing if it is like none.
std::string near_command(Command parent, std::string_view word, MeantCommands meant);

// All commands of a program.
class CommandLine {
public:
    // `meant` may be null.
    explicit CommandLine(const std::string& program, MeantCommands meant = nullptr);
    ~CommandLine();

    Command root() const;

    // Runs what the arguments say. If they ask for the help of a command, that is returned instead. Throws
    // RequestError if they make no sense, and whatever the callbacks throw.
    std::optional<Command> run(int argc, const char* const* argv);

private:
    std::unique_ptr<CLI::App> app_;
    MeantCommands meant_;
};

template <class T>
Option Command::add_choice(const std::string& names, T& value,
                           const std::vector<std::pair<std::string, T>>& choices,
                           const std::string& description) const {
    std::vector<std::string> choice_names;
    std::vector<T> values;
    for (const auto& [name, choice] : choices) {
        choice_names.push_back(name);
        values.push_back(choice);
    }
    return add_choice(
        names, [&value, values](size_t i) { value = values[i]; }, choice_names, description);
}

} // namespace opcat
