# Completion of opm for bash, made by `opm completion bash`.

# Sets `commands` to those of the command in $1.
_opm_commands() {
    commands=()
    case $1 in
    'opm') commands=(alpha render validate generate init migrate serve version completion help index registry http) ;;
    'opm alpha') commands=(list render-graph render-template convert-template bundle diff generate render-veneer) ;;
    'opm alpha list') commands=(packages channels bundles) ;;
    'opm alpha convert-template') commands=(basic substitutes) ;;
    'opm alpha bundle') commands=(validate generate build extract unpack) ;;
    'opm generate') commands=(dockerfile) ;;
    'opm completion') commands=(bash zsh fish) ;;
    'opm index') commands=(add rm delete prune prune-stranded deprecatetruncate deprecate export) ;;
    'opm registry') commands=(add rm prune prune-stranded deprecatetruncate serve mirror) ;;
    esac
}

# Sets `flags` to those of the command in $1.
_opm_flags() {
    flags=()
    case $1 in
    'opm') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha list') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha list packages') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha list channels') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha list bundles') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha render-graph') flags=(-h --help -p --package-name --minimum-edge --draw-v0-semantics --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha render-template') flags=(-h --help -o --output --migrate-level --skip-tls-verify --use-http --cert-dir --authfile --signature-policy --registries.d --require-signatures --registry-rps --platform --no-cache --max-unpacked-size --skip-tls) ;;
    'opm alpha convert-template') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha convert-template basic') flags=(-h --help -o --output --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha convert-template substitutes') flags=(-h --help -o --output --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha bundle') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha bundle validate') flags=(-h --help -t --tag -b --image-builder -o --optional-validators --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha bundle generate') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha bundle build') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha bundle extract') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha bundle unpack') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha diff') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha generate') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm alpha render-veneer') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm render') flags=(-h --help -o --output --migrate-level --alpha-image-ref-template --migrate --skip-tls-verify --use-http --cert-dir --authfile --signature-policy --registries.d --require-signatures --registry-rps --platform --no-cache --max-unpacked-size --skip-tls) ;;
    'opm validate') flags=(-h --help -o --output --skip-tls-verify --use-http --skip-tls) ;;
    'opm generate') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm generate dockerfile') flags=(-h --help -i --base-image -b --builder-image -l --extra-labels --binary-image --skip-tls-verify --use-http --skip-tls) ;;
    'opm init') flags=(-h --help -c --default-channel -d --description -i --icon -o --output --skip-tls-verify --use-http --skip-tls) ;;
    'opm migrate') flags=(-h --help -o --output --migrate-level --skip-tls-verify --use-http --cert-dir --authfile --signature-policy --registries.d --require-signatures --registry-rps --platform --no-cache --max-unpacked-size --skip-tls) ;;
    'opm serve') flags=(-h --help -p --port --address --grpc --no-grpc --http --watch --no-metas --no-web --allow-query --export --no-metrics --check --log-requests --log --tls-cert --tls-key --tls-client-ca --max-connections --max-streams --idle --drain --cache-dir --cache-only --cache-enforce-integrity -t --termination-log --pprof-addr --pprof-capture-profiles --skip-tls-verify --use-http --cert-dir --authfile --signature-policy --registries.d --require-signatures --registry-rps --platform --no-cache --max-unpacked-size --skip-tls) ;;
    'opm version') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm completion') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm completion bash') flags=(-h --help --no-descriptions --skip-tls-verify --use-http --skip-tls) ;;
    'opm completion zsh') flags=(-h --help --no-descriptions --skip-tls-verify --use-http --skip-tls) ;;
    'opm completion fish') flags=(-h --help --no-descriptions --skip-tls-verify --use-http --skip-tls) ;;
    'opm help') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm index') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm index add') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm index rm') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm index delete') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm index prune') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm index prune-stranded') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm index deprecatetruncate') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm index deprecate') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm index export') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm registry') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm registry add') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm registry rm') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm registry prune') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm registry prune-stranded') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm registry deprecatetruncate') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm registry serve') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm registry mirror') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    'opm http') flags=(-h --help --skip-tls-verify --use-http --skip-tls) ;;
    esac
}

# Sets `kind` to that of the value of flag $2 of command $1; to nothing if it has none.
_opm_value() {
    kind=()
    case "$1 $2" in
    'opm alpha render-graph -p' | 'opm alpha render-graph --package-name') kind=(words ) ;;
    'opm alpha render-graph --minimum-edge') kind=(files) ;;
    'opm alpha render-template -o' | 'opm alpha render-template --output') kind=(words json mermaid yaml) ;;
    'opm alpha render-template --migrate-level') kind=(words bundle-object-to-csv-metadata none) ;;
    'opm alpha render-template --cert-dir') kind=(directories) ;;
    'opm alpha render-template --authfile') kind=(files) ;;
    'opm alpha render-template --signature-policy') kind=(files) ;;
    'opm alpha render-template --registries.d') kind=(directories) ;;
    'opm alpha render-template --registry-rps') kind=(words ) ;;
    'opm alpha render-template --platform') kind=(words ) ;;
    'opm alpha render-template --max-unpacked-size') kind=(words ) ;;
    'opm alpha convert-template basic -o' | 'opm alpha convert-template basic --output') kind=(words json yaml) ;;
    'opm alpha convert-template substitutes -o' | 'opm alpha convert-template substitutes --output') kind=(words json yaml) ;;
    'opm alpha bundle validate -t' | 'opm alpha bundle validate --tag') kind=(words ) ;;
    'opm alpha bundle validate -b' | 'opm alpha bundle validate --image-builder') kind=(words docker none podman) ;;
    'opm alpha bundle validate -o' | 'opm alpha bundle validate --optional-validators') kind=(words bundle-objects operatorhub) ;;
    'opm render -o' | 'opm render --output') kind=(words json yaml) ;;
    'opm render --migrate-level') kind=(words bundle-object-to-csv-metadata none) ;;
    'opm render --alpha-image-ref-template') kind=(words ) ;;
    'opm render --cert-dir') kind=(directories) ;;
    'opm render --authfile') kind=(files) ;;
    'opm render --signature-policy') kind=(files) ;;
    'opm render --registries.d') kind=(directories) ;;
    'opm render --registry-rps') kind=(words ) ;;
    'opm render --platform') kind=(words ) ;;
    'opm render --max-unpacked-size') kind=(words ) ;;
    'opm validate -o' | 'opm validate --output') kind=(words json yaml) ;;
    'opm generate dockerfile -i' | 'opm generate dockerfile --base-image') kind=(words ) ;;
    'opm generate dockerfile -b' | 'opm generate dockerfile --builder-image') kind=(words ) ;;
    'opm generate dockerfile -l' | 'opm generate dockerfile --extra-labels') kind=(words ) ;;
    'opm generate dockerfile --binary-image') kind=(words ) ;;
    'opm init -c' | 'opm init --default-channel') kind=(names channel) ;;
    'opm init -d' | 'opm init --description') kind=(files) ;;
    'opm init -i' | 'opm init --icon') kind=(files) ;;
    'opm init -o' | 'opm init --output') kind=(words json yaml) ;;
    'opm migrate -o' | 'opm migrate --output') kind=(words json yaml) ;;
    'opm migrate --migrate-level') kind=(words bundle-object-to-csv-metadata none) ;;
    'opm migrate --cert-dir') kind=(directories) ;;
    'opm migrate --authfile') kind=(files) ;;
    'opm migrate --signature-policy') kind=(files) ;;
    'opm migrate --registries.d') kind=(directories) ;;
    'opm migrate --registry-rps') kind=(words ) ;;
    'opm migrate --platform') kind=(words ) ;;
    'opm migrate --max-unpacked-size') kind=(words ) ;;
    'opm serve -p' | 'opm serve --port') kind=(words ) ;;
    'opm serve --address') kind=(words ) ;;
    'opm serve --grpc') kind=(words ) ;;
    'opm serve --http') kind=(words ) ;;
    'opm serve --watch') kind=(words ) ;;
    'opm serve --export') kind=(directories) ;;
    'opm serve --log') kind=(words json none text) ;;
    'opm serve --tls-cert') kind=(files) ;;
    'opm serve --tls-key') kind=(files) ;;
    'opm serve --tls-client-ca') kind=(files) ;;
    'opm serve --max-connections') kind=(words ) ;;
    'opm serve --max-streams') kind=(words ) ;;
    'opm serve --idle') kind=(words ) ;;
    'opm serve --drain') kind=(words ) ;;
    'opm serve --cache-dir') kind=(directories) ;;
    'opm serve -t' | 'opm serve --termination-log') kind=(files) ;;
    'opm serve --pprof-addr') kind=(words ) ;;
    'opm serve --cert-dir') kind=(directories) ;;
    'opm serve --authfile') kind=(files) ;;
    'opm serve --signature-policy') kind=(files) ;;
    'opm serve --registries.d') kind=(directories) ;;
    'opm serve --registry-rps') kind=(words ) ;;
    'opm serve --platform') kind=(words ) ;;
    'opm serve --max-unpacked-size') kind=(words ) ;;
    esac
}

# Sets `kind` to that of the argument at position $2 of command $1.
_opm_argument() {
    kind=()
    case "$1 $2" in
    'opm alpha list packages '0) kind=(files) ;;
    'opm alpha list channels '0) kind=(files) ;;
    'opm alpha list channels '1) kind=(names package) ;;
    'opm alpha list bundles '0) kind=(files) ;;
    'opm alpha list bundles '1) kind=(names package) ;;
    'opm alpha render-graph '*) kind=(files) ;;
    'opm alpha render-template '0) kind=(words ) ;;
    'opm alpha convert-template basic '0) kind=(files) ;;
    'opm alpha convert-template substitutes '0) kind=(files) ;;
    'opm render '*) kind=(files) ;;
    'opm validate '0) kind=(files) ;;
    'opm generate dockerfile '0) kind=(directories) ;;
    'opm init '0) kind=(names package) ;;
    'opm migrate '0) kind=(files) ;;
    'opm migrate '1) kind=(directories) ;;
    'opm serve '*) kind=(files) ;;
    'opm help '*) kind=(names topic) ;;
    esac
}

# Offers what a value of the kind in `kind` may be.
_opm_offer() {
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

_opm() {
    local IFS=$' \t\n' word option='' last='' joined='' command='opm' i position=0
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
            _opm_value "$command" "$word"
            [[ ${#kind[@]} -gt 0 ]] && option=$word last=$word
        else
            last=''
            _opm_commands "$command"
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
        _opm_value "$command" "$option"
        _opm_offer
    elif [[ $cur == -* ]]; then
        _opm_flags "$command"
        COMPREPLY=($(compgen -W "${flags[*]}" -- "$cur"))
    else
        _opm_commands "$command"
        if [[ ${#commands[@]} -gt 0 ]]; then
            COMPREPLY=($(compgen -W "${commands[*]}" -- "$cur"))
        else
            _opm_argument "$command" "$position"
            _opm_offer
        fi
    fi
}

complete -F _opm opm
