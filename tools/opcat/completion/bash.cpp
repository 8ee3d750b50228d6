#include "completion/completion.hpp"
#include "opcat/base/text.hpp"

#include <fmt/format.h>

namespace opcat {
namespace {

// @ stands for the name of the program, with '_' for '-'; %% for the name itself.
constexpr std::string_view bash_engine = R"(
# Offers what a value of the kind in `kind` may be.
_@_offer() {
    local name
    case ${kind[0]} in
    words) COMPREPLY=($(compgen -W "${kind[*]:1}" -- "$cur")) ;;
    directories)
        compopt -o filenames
        COMPREPLY=($(compgen -d -- "$cur"))
        ;;
    files)
        compopt -o filenames
        COMPREPLY=($(compgen -f -- "$cur"))
        ;;
    names)
        while IFS= read -r name; do
            [[ $name == "$cur"* ]] && COMPREPLY+=("$name")
        done < <("${COMP_WORDS[0]}" complete-names "${kind[1]}" "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
        ;;
    esac
}

_@() {
    local IFS=$' \t\n' word option='' last='' joined='' command='%%' i position=0
    local cur=${COMP_WORDS[COMP_CWORD]} commands=() flags=() kind=()
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; ++i)); do
        word=${COMP_WORDS[i]}
        if [[ -n $word && -z ${word//[=:@]/} ]]; then
            # Bash cuts words at these: what follows goes on with the word before, which may be a flag's value.
            option=$last joined=yes
        elif [[ -n $option ]]; then
            option='' joined=''
        elif [[ -n $joined ]]; then
            joined=''
        elif [[ $word == -* ]]; then
            last=''
            _@_value "$command" "$word"
            [[ ${#kind[@]} -gt 0 ]] && option=$word last=$word
        else
            last=''
            _@_commands "$command"
            if [[ " ${commands[*]} " == *" $word "* ]]; then
                command+=" $word"
                position=0
            else
                ((++position))
            fi
        fi
    done
    [[ -n $cur && -z ${cur//[=:@]/} ]] && option=$last cur=''
    if [[ -n $option ]]; then
        _@_value "$command" "$option"
        _@_offer
    elif [[ $cur == -* ]]; then
        _@_flags "$command"
        COMPREPLY=($(compgen -W "${flags[*]}" -- "$cur"))
    else
        _@_commands "$command"
        if [[ ${#commands[@]} -gt 0 ]]; then
            COMPREPLY=($(compgen -W "${commands[*]}" -- "$cur"))
        else
            _@_argument "$command" "$position"
            _@_offer
        fi
    fi
}

complete -F _@ %%
)";

// The name opm has the commands of another program, whose script is as long again.
constexpr std::string_view loader_for_opm = R"(
# The name opm completes by a script of its own, which is loaded when it is first needed.
if ! complete -p opm >/dev/null 2>&1; then
    _@_load_opm() {
        complete -r opm
        source <("$1" completion bash) && return 124
    }
    complete -F _@_load_opm opm
fi
)";

std::string kind_words(const OptionDescription& option) {
    const ValueKind kind = kind_of(option);
    switch (kind.source) {
    case ValueKind::Source::words:
        return fmt::format("words {}", fmt::join(option.choices, " "));
    case ValueKind::Source::files:
        return "files";
    case ValueKind::Source::directories:
        return "directories";
    case ValueKind::Source::names:
        return "names " + kind.names;
    }
    return {};
}

std::string function(std::string_view name, std::string_view comment, std::string_view setup,
                     std::string_view subject, std::string_view cases) {
    return fmt::format("\n# {}\n_@_{}() {{\n    {}\n    case {} in\n{}    esac\n}}\n", comment, name, setup,
                       subject, cases);
}

std::string commands_cases(const std::vector<const CommandDescription*>& all) {
    std::string cases;
    for (const CommandDescription* command : all) {
        if (command->commands.empty()) continue;
        std::vector<std::string> names;
        for (const CommandDescription& sub : command->commands) names.push_back(sub.name);
        cases += fmt::format("    '{}') commands=({}) ;;\n", command->path, fmt::join(names, " "));
    }
    return cases;
}

std::string flags_cases(const std::vector<const CommandDescription*>& all, const CommandDescription& root) {
    std::string cases;
    for (const CommandDescription* command : all) {
        std::vector<std::string> names;
        for (const OptionDescription& option : options_at(*command, root))
            names.insert(names.end(), option.names.begin(), option.names.end());
        cases += fmt::format("    '{}') flags=({}) ;;\n", command->path, fmt::join(names, " "));
    }
    return cases;
}

std::string value_cases(const std::vector<const CommandDescription*>& all, const CommandDescription& root) {
    std::string cases;
    for (const CommandDescription* command : all)
        for (const OptionDescription& option : options_at(*command, root)) {
            if (option.value.empty()) continue;
            std::vector<std::string> patterns;
            for (const std::string& name : option.names)
                patterns.push_back(fmt::format("'{} {}'", command->path, name));
            cases += fmt::format("    {}) kind=({}) ;;\n", fmt::join(patterns, " | "), kind_words(option));
        }
    return cases;
}

std::string argument_cases(const std::vector<const CommandDescription*>& all) {
    std::string cases;
    for (const CommandDescription* command : all)
        for (size_t i = 0; i < command->arguments.size(); ++i) {
            const OptionDescription& argument = command->arguments[i];
            const std::string position = argument.repeated ? "*" : fmt::format("{}", i);
            cases +=
                fmt::format("    '{} '{}) kind=({}) ;;\n", command->path, position, kind_words(argument));
        }
    return cases;
}

} // namespace

std::string bash_completion(const CommandDescription& tree) {
    const std::vector<const CommandDescription*> all = all_commands(tree);
    std::string text = "# Completion of %% for bash, made by `%% completion bash`.\n";
    text += function("commands", "Sets `commands` to those of the command in $1.", "commands=()", "$1",
                     commands_cases(all));
    text += function("flags", "Sets `flags` to those of the command in $1.", "flags=()", "$1",
                     flags_cases(all, tree));
    text += function("value",
                     "Sets `kind` to that of the value of flag $2 of command $1; to nothing if it has none.",
                     "kind=()", "\"$1 $2\"", value_cases(all, tree));
    text += function("argument", "Sets `kind` to that of the argument at position $2 of command $1.",
                     "kind=()", "\"$1 $2\"", argument_cases(all));
    text += bash_engine;
    if (tree.name == "opcat") text += loader_for_opm;
    return replace_all(replace_all(text, "_@", "_" + replace_all(tree.name, "-", "_")), "%%", tree.name);
}

} // namespace opcat
