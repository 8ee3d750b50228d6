#include "completion/completion.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opcat {
namespace {

// In single quotes.
std::string in_zsh_quotes(std::string_view text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

// Special characters in a specification of _arguments or _describe.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string program_of(const CommandDescription& root) {
    std::string name = "_" + root.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

// "_opcat__list_packages"; two underscores separate the functions of commands from others.
std::string function_of(const CommandDescription& command) {
    std::string name = "_" + command.path;
    for (char& c : name)
        if (c == ' ' || c == '-') c = '_';
    const size_t program = std::min(command.path.find(' '), command.path.size()) + 1;
    return name.insert(program, program == name.size() ? "__all" : "_");
}

std::string action_of(const OptionDescription& option, const std::string& program) {
    const ValueKind kind = kind_of(option);
    switch (kind.source) {
    case ValueKind::Source::words:
        return option.choices.empty() ? " " : fmt::format("({})", fmt::join(option.choices, " "));
    case ValueKind::Source::files:
        return kind.behind_name ? "{compset -P \"*=\"; _files}" : "_files";
    case ValueKind::Source::directories:
        return "_files -/";
    case ValueKind::Source::names:
        // A blank: no flags of compadd between the function and its argument.
        return fmt::format(" {}_names {}", program, kind.names);
    }
    return {};
}

std::string option_spec(const OptionDescription& option, const std::string& program) {
    std::vector<std::string> spellings;
    for (const std::string& name : option.names) {
        const bool is_long = name.starts_with("--");
        spellings.push_back(name + (option.value.empty() ? "" : is_long ? "=" : "+"));
    }
    std::string rest = fmt::format("[{}]", escaped(option.description));
    if (!option.value.empty())
        rest += fmt::format(":{}:{}", escaped(option.value), action_of(option, program));
    const std::string excluded =
        option.repeated ? "'*'" : fmt::format("'({})'", fmt::join(option.names, " "));
    if (spellings.size() == 1) return fmt::format("{}{}{}", excluded, spellings[0], in_zsh_quotes(rest));
    return fmt::format("{}{{{}}}{}", excluded, fmt::join(spellings, ","), in_zsh_quotes(rest));
}

std::string arguments_of(const CommandDescription& command, const CommandDescription& root) {
    const std::string program = program_of(root);
    std::string text;
    for (const OptionDescription& option : options_at(command, root))
        text += " \\\n        " + option_spec(option, program);
    for (size_t i = 0; i < command.arguments.size(); ++i) {
        const OptionDescription& argument = command.arguments[i];
        const std::string position = argument.repeated ? "*" : fmt::format("{}", i + 1);
        text += fmt::format(" \\\n        {}",
                            in_zsh_quotes(fmt::format("{}:{}:{}", position, escaped(argument.value),
                                                      action_of(argument, program))));
    }
    return text;
}

std::string group_function(const CommandDescription& command, const CommandDescription& root) {
    std::string text = fmt::format("\n{}() {{\n", function_of(command));
    text += "    local curcontext=$curcontext state line\n";
    text += fmt::format("    _arguments -C -s{} \\\n        '1: :->command' '*:: :->rest'\n",
                        arguments_of(command, root));
    text += "    case $state in\n    command)\n        local -a commands=(\n";
    for (const CommandDescription& sub : command.commands)
        text += fmt::format("            {}\n", in_zsh_quotes(escaped(sub.name) + ":" + sub.description));
    text +=
        "        )\n        _describe command commands\n        ;;\n    rest)\n        case $line[1] in\n";
    for (const CommandDescription& sub : command.commands)
        text += fmt::format("        {}) {} ;;\n", sub.name, function_of(sub));
    return text + "        esac\n        ;;\n    esac\n}\n";
}

} // namespace

std::string zsh_completion(const CommandDescription& tree) {
    std::string text =
        fmt::format("#compdef {0}\n# Completion of {0} for zsh, made by `{0} completion zsh`.\n", tree.name);
    for (const CommandDescription* command : all_commands(tree)) {
        if (!command->commands.empty()) {
            text += group_function(*command, tree);
        } else {
            text += fmt::format("\n{}() {{\n    _arguments -s{}\n}}\n", function_of(*command),
                                arguments_of(*command, tree));
        }
    }
    text += fmt::format(
        "\n# Names out of the catalog on the line.\n"
        "{0}_names() {{\n    local -a names\n"
        "    names=(${{(f)\"$(${{(Q){0}_words[1]}} complete-names $1 ${{(Q){0}_words[2,-1]}} "
        "2>/dev/null)\"}})\n    compadd -a names\n}}\n\n"
        "# _arguments changes `words` on its way: this is the line as it was.\n"
        "{0}() {{\n    local -a {0}_words=(\"${{(@)words[1,CURRENT-1]}}\")\n    {1}\n}}\n\n{0} \"$@\"\n",
        program_of(tree), function_of(tree));
    return text;
}

} // namespace opcat
