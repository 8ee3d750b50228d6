// Commands with their options and arguments, as the files under commands/ declare them. Built on CLI11, which
// is too large a header to include in each of them.
// Command and Option are handles: copies refer to the same command, which lives as long as its CommandLine.
// So must the variables that options fill when the line is parsed.
#pragma once

#include "form.hpp"

#include <cstdint>
#include <functional>
#include <initializer_list>
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

class Session;
struct CommandDescription;

class Option {
public:
    Option required() const;
    // The name of its value in help texts: "FILE".
    Option value_name(const std::string& name) const;
    // Help texts show the current value of its variable.
    Option show_default() const;
    // Its heading in help texts.
    Option group(const std::string& title) const;
    // Not in help texts and completion.
    Option hide() const;

    Option one_of(const std::vector<std::string>& values) const;
    Option between(unsigned least, unsigned most) const;
    Option duration() const; // as duration_of() reads it; help texts call it DURATION
    Option existing_directory() const;
    Option output_file() const; // not "-"
    Option excludes(Option other) const;

    // For lists.
    Option comma_separated() const; // a value holds several of them
    Option optional_value() const;  // may be given without a value, which adds ""
    Option at_most(int count) const;

    // Returns true if it is on the command line, after parsing.
    bool given() const;

private:
    friend class Command;
    explicit Option(CLI::Option* option) : option_(option) {}

    CLI::Option* option_;
};

class Command {
public:
    std::string name() const;
    // Including those that help texts do not show.
    std::vector<Command> commands() const;
    // The subcommand of this name.
    std::optional<Command> find(std::string_view name) const;

    Command add_command(const std::string& name, const std::string& description) const;

    // `names` is "-o,--output" for an option, also with the name of its value in help texts: "-o,--output
    // FILE"; "REF" for a positional argument.
    Option add_option(const std::string& names, std::string& value, const std::string& description) const;
    // A list: an option may be given several times, with one value each; an argument takes all that follow.
    Option add_option(const std::string& names, std::vector<std::string>& values,
                      const std::string& description) const;
    Option add_option(const std::string& names, unsigned& value, const std::string& description) const;
    Option add_option(const std::string& names, std::optional<int64_t>& value,
                      const std::string& description) const;
    // An option without a value, which sets its variable; "--no-web{false}" clears it.
    Option add_flag(const std::string& names, bool& value, const std::string& description) const;
    // One that users of another program know, with or without a value: if the line has it, RequestError is
    // thrown. Not in help texts and completion.
    void add_refused(const std::string& names, const std::string& message, const std::string& hint) const;
    // In bytes; "4GiB" is understood.
    Option add_size(const std::string& names, uint64_t& bytes, const std::string& description) const;
    // For a value from a fixed set of names: {{"json", Format::json}, {"yaml", Format::yaml}}.
    template <class T>
    Option add_choice(const std::string& names, T& value,
                      const std::vector<std::pair<std::string, T>>& choices,
                      const std::string& description) const;
    // The same for a set whose names are those of to_string(): {Form::text, Form::json}. Value: a T, or
    // an optional one.
    template <class Value, class T>
    Option add_choice(const std::string& names, Value& value, std::initializer_list<T> choices,
                      const std::string& description) const;

    Command description(const std::string& text) const;
    // Examples and more, in lines: the end of its help text.
    Command footer(const std::string& lines) const;
    // Another name for it.
    Command alias(const std::string& name) const;
    // A handle whose options have this heading, of static duration, in help texts.
    Command under(const char* title) const;
    // Its heading in its parent's help text.
    Command group(const std::string& title) const;
    // Not in help texts and completion.
    Command hide() const;

    // It requires one of its subcommands.
    Command needs_command() const;
    // Ignores everything else on the line.
    Command ignore_others() const;
    // Words after its first argument are not options.
    Command keep_rest() const;

    // Its action. Runs after that of a subcommand on the line.
    void callback(std::function<void()> run) const;
    // The same, with the options of the command, which are to be filled.
    template <class Options>
    Options& action(void (*run)(const Options&, Session&), Session& session) const {
        const auto options = std::make_shared<Options>();
        callback([options, run, &session] { run(*options, session); });
        return *options;
    }
    bool command_given() const;
    std::vector<std::string> rest() const;

private:
    friend class CommandLine;
    friend CommandDescription describe(Command command);

    explicit Command(CLI::App* app) : app_(app) {}
    // `chosen`: the name of the current one; empty: there is none.
    Option add_choice(const std::string& names, std::function<void(size_t)> choose,
                      const std::function<std::string()>& chosen, const std::vector<std::string>& choices,
                      const std::string& description) const;

    // `add` gets the names without that of the value.
    template <class Add>
    Option add(const std::string& names, const Add& add) const;

    CLI::App* app_;
    const char* heading_ = nullptr; // of options; null: the usual one
};

// Commands for words that other programs use: "lint" for validate.
using MeantCommands = std::span<const std::string_view> (*)(std::string_view word);

// "did you mean validate?" for a word in place of a subcommand; nothing if none is similar.
std::string near_command(Command parent, std::string_view word, MeantCommands meant);

// All commands of a program.
class CommandLine {
public:
    // Where commands may stand.
    enum class Order : uint8_t {
        commands_first, // only options of the commands above may come before a command
        as_cobra,       // any options may: a command is the first word that is not the value of one
    };
    // `meant` may be null.
    explicit CommandLine(const std::string& program, Order order, MeantCommands meant = nullptr);
    ~CommandLine();

    Command root() const;

    // Executes the arguments. If they ask for the help of a command, that is returned instead. Throws
    // RequestError if they are wrong, and the exceptions of callbacks.
    std::optional<Command> run(int argc, const char* const* argv);

private:
    // The arguments in the order that CLI11 reads: each command before its options. Throws RequestError if
    // the first word in the place of a command is not one.
    std::vector<std::string> in_order(std::vector<std::string> words) const;

    std::unique_ptr<CLI::App> app_;
    Order order_;
    MeantCommands meant_;
};

template <class T>
Option Command::add_choice(const std::string& names, T& value,
                           const std::vector<std::pair<std::string, T>>& choices,
                           const std::string& description) const {
    std::vector<std::string> choice_names;
    choice_names.reserve(choices.size());
    for (const auto& choice : choices) choice_names.push_back(choice.first);
    const auto chosen = [&value, choices] {
        for (const auto& [name, choice] : choices)
            if (choice == value) return name;
        return std::string();
    };
    return add_choice(
        names, [&value, choices](size_t i) { value = choices[i].second; }, chosen, choice_names, description);
}

template <class Value, class T>
Option Command::add_choice(const std::string& names, Value& value, std::initializer_list<T> choices,
                           const std::string& description) const {
    std::vector<std::pair<std::string, Value>> named;
    named.reserve(choices.size());
    for (const T choice : choices) named.emplace_back(to_string(choice), choice);
    return add_choice(names, value, named, description);
}

} // namespace opcat
