# Completion of opcat for bash, made by `opcat completion bash`.

_opcat() {
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

complete -F _opcat opcat
complete -p opm >/dev/null 2>&1 || complete -F _opcat opm
