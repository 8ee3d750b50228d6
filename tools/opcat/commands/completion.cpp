#include "command.hpp"
#include "opcat/base/text.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>

namespace opcat {
namespace {

// Each script asks `PROGRAM __complete WORD...` (completion/completion.hpp). %% stands for the name of the
// program, _@ for that of its function.

constexpr std::string_view for_bash = R"(_@() {
    local IFS=$' \t\n' word joined='' words=() cur=${COMP_WORDS[COMP_CWORD]} line directive=:4
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        # Bash cuts words at these: what follows goes on with the word before.
        if [[ ${#words[@]} -gt 0 && -n $word && -z ${word//[=:@]/} ]]; then
            words[-1]+=$word joined=yes
        elif [[ -n $joined ]]; then
            words[-1]+=$word joined=''
        else
            words+=("$word")
        fi
    done
    [[ -z ${cur//[=:@]/} ]] && cur=''
    COMPREPLY=()
    while IFS= read -r line; do
        directive=$line
        [[ $line == :* ]] && break
        line=${line%$'\t'*}
        COMPREPLY+=("${line#"${words[-1]%"$cur"}"}")
    done < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
    if [[ $directive == :0 ]]; then
        compopt -o filenames
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$cur")
    elif [[ $directive == :16 ]]; then
        compopt -o filenames
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$cur")
    fi
}

complete -F _@ %%
)";

// For those who load the script by themselves.
constexpr std::string_view for_opm_in_bash = "complete -p opm >/dev/null 2>&1 || complete -F _opcat opm\n";

constexpr std::string_view for_zsh = R"(_@() {
    local -a lines offers
    local line directive tab=$'\t'
    lines=("${(@f)$(${(Q)words[1]} __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    directive=$lines[-1]
    for line in "${(@)lines[1,-2]}"; do
        offers+=("${${line//:/\\:}/$tab/:}") # as _describe takes them: NAME:DESCRIPTION
    done
    (( $#offers )) && _describe value offers
    case $directive in
    # A file may come after "NAME=".
    :0) _files || { compset -P '*=' && _files } ;;
    :16) _files -/ || { compset -P '*=' && _files -/ } ;;
    esac
}

_@ "$@"
)";

constexpr std::string_view for_fish = R"(function _@
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l token (commandline -ct)
    set -l lines ($program __complete $words $token 2>/dev/null)
    set -l directive $lines[-1]
    set -e lines[-1]
    string join -- \n $lines
    # A file may come after "NAME=".
    set -l before (string match -r -- '^.*=|^' $token)
    set -l begun (string replace -r -- '^.*=' '' $token)
    switch $directive
        case :0
            printf '%s\n' $before(__fish_complete_path $begun)
        case :16
            printf '%s\n' $before(__fish_complete_directories $begun)
    end
end

complete -c %% -f -a '(_@)'
)";

struct Shell {
    std::string_view name, script;
    const char* example; // {0}: our name
};
constexpr Shell shells[] = {
    {"bash", for_bash, "  source <({0} completion bash)"},
    {"zsh", for_zsh, "  {0} completion zsh > ~/.zfunc/_{0}"},
    {"fish", for_fish, "  {0} completion fish > ~/.config/fish/completions/{0}.fish"}};

std::string script_of(const Shell& shell, const std::string& program) {
    std::string text = fmt::format("# Completion of {0} for {1}, made by `{0} completion {1}`.\n\n{2}",
                                   program, shell.name, shell.script);
    if (shell.name == "zsh") text.insert(0, "#compdef " + program + "\n");
    if (shell.name == "bash" && program == "opcat") text += for_opm_in_bash;
    return replace_all(replace_all(text, "_@", "_" + program), "%%", program);
}

} // namespace

void add_completion(Command tree, Session& session) {
    const Command command = tree.add_command("completion", "Print a completion script for a shell");
    command.needs_command();
    const std::string name = tree.name();
    std::string examples;
    for (const Shell& shell : shells) {
        const Command one = command.add_command(std::string(shell.name), fmt::format("For {}", shell.name));
        // As in opm, which would omit descriptions.
        const auto ignored = std::make_shared<bool>(false);
        if (session.as_opm()) one.add_flag("--no-descriptions", *ignored, "Accepted, and ignored");
        one.callback([name, &shell, &session, ignored] { session.out.write(script_of(shell, name)); });
        const std::string example = fmt::format(fmt::runtime(shell.example), name);
        one.footer("Example:\n" + example);
        examples += example + "\n";
    }
    command.footer(
        "Examples:\n" + examples +
        "\n"
        "Packages install them where the shells look. kubectl completes `kubectl opcat` by itself where "
        "kubectl_complete-opcat is installed; it needs its own script: see kubectl completion --help.");
}

} // namespace opcat
