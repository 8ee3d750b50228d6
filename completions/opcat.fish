# Completion of opcat for fish, made by `opcat completion fish`.

function _opcat
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

complete -c opcat -f -a '(_opcat)'
