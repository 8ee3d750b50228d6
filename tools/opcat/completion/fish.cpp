#include "completion/completion.hpp"
#include "opcat/base/text.hpp"

#include <fmt/format.h>

#include <set>

namespace opcat {
namespace {

// @ stands for the name of the program with '_' for '-', %% for the name itself.
constexpr std::string_view fish_engine = R"(
# The command that the line has come to, then how many arguments it has got.
function __@_state
    set -l command %%
    set -l count 0
    set -l words (commandline -opc)
    set -e words[1]
    set -l value no
    for word in $words
        if test $value = yes
            set value no
        else if string match -q -- '-*' $word
            contains -- $word $__@_value_flags; and set value yes
        else if contains -- "$command $word" $__@_commands
            set command "$command $word"
        else
            set count (math $count + 1)
        end
    end
    printf '%s\n' $command $count
end

# Whether the line is at the command $argv[1] and, if it is given, at its argument $argv[2].
function __@_at
    set -l state (__@_state)
    test "$state[1]" = "$argv[1]"; or return 1
    test (count $argv) -eq 1; or test "$state[2]" = "$argv[2]"
end

# Names out of the catalog on the line.
function __@_names
    set -l words (commandline -opc)
    $words[1] complete-names $argv[1] $words[2..-1] 2>/dev/null | string replace -r '$' \t
end

complete -c %% -f
)";

std::string in_fish_quotes(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

// An empty description after each: else fish shows that of the option for every value.
std::string words_of(const std::vector<std::string>& choices) {
    return in_fish_quotes(fmt::format("{}\\t''", fmt::join(choices, "\\t'' ")));
}

// Returns what to offer, as flags of fish's `complete`.
std::string offer(const OptionDescription& option) {
    const ValueKind kind = kind_of(option);
    switch (kind.source) {
    case ValueKind::Source::words:
        return option.choices.empty() ? "-f" : "-f -a " + words_of(option.choices);
    case ValueKind::Source::files:
        return "-F";
    case ValueKind::Source::directories:
        return "-f -a '(__fish_complete_directories)'";
    case ValueKind::Source::names:
        return fmt::format("-f -a '(__@_names {})'", kind.names);
    }
    return {};
}

std::string option_line(const CommandDescription& command, const OptionDescription& option) {
    std::string line = fmt::format("complete -c %% -n '__@_at \"{}\"'", command.path);
    for (const std::string& name : option.names)
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.value.empty()) line += " -r " + offer(option);
    return line + " -d " + in_fish_quotes(option.description) + "\n";
}

std::string argument_lines(const CommandDescription& command) {
    std::string lines;
    for (size_t i = 0; i < command.arguments.size(); ++i) {
        const OptionDescription& argument = command.arguments[i];
        const std::string position = argument.repeated ? "" : fmt::format(" {}", i);
        lines +=
            fmt::format("complete -c %% -n '__@_at \"{}\"{}' {}\n", command.path, position, offer(argument));
    }
    return lines;
}

} // namespace

std::string fish_completion(const CommandDescription& tree) {
    const std::vector<const CommandDescription*> all = all_commands(tree);
    std::set<std::string> value_flags;
    std::string text = "# Completion of %% for fish, made by `%% completion fish`.\n\nset -g __@_commands";
    for (const CommandDescription* command : all) {
        text += fmt::format(" \\\n    '{}'", command->path);
        for (const OptionDescription& option : command->options)
            if (!option.value.empty()) value_flags.insert(option.names.begin(), option.names.end());
    }
    text += fmt::format("\nset -g __@_value_flags {}\n", fmt::join(value_flags, " "));
    text += fish_engine;
    for (const CommandDescription* command : all) {
        text += '\n';
        for (const CommandDescription& sub : command->commands)
            text += fmt::format("complete -c %% -n '__@_at \"{}\"' -a {} -d {}\n", command->path, sub.name,
                                in_fish_quotes(sub.description));
        for (const OptionDescription& option : options_at(*command, tree))
            text += option_line(*command, option);
        text += argument_lines(*command);
    }
    return replace_all(replace_all(text, "__@", "__" + replace_all(tree.name, "-", "_")), "%%", tree.name);
}

} // namespace opcat
