# Completion of opcat for fish, made by `opcat completion fish`.

set -g __opcat_commands \
    'opcat' \
    'opcat validate' \
    'opcat explain' \
    'opcat list' \
    'opcat list packages' \
    'opcat list channels' \
    'opcat list bundles' \
    'opcat graph' \
    'opcat diff' \
    'opcat render' \
    'opcat semver' \
    'opcat semver match' \
    'opcat semver sort' \
    'opcat schema' \
    'opcat schema list' \
    'opcat schema show' \
    'opcat schema export' \
    'opcat resolve' \
    'opcat resolve v1' \
    'opcat resolve ocp-upgrade' \
    'opcat resolve classic' \
    'opcat init' \
    'opcat template' \
    'opcat template render' \
    'opcat template convert' \
    'opcat template convert basic' \
    'opcat template convert substitutes' \
    'opcat filter' \
    'opcat compose' \
    'opcat migrate' \
    'opcat fmt' \
    'opcat generate' \
    'opcat generate dockerfile' \
    'opcat catalog' \
    'opcat catalog add' \
    'opcat catalog list' \
    'opcat catalog remove' \
    'opcat catalog refresh' \
    'opcat search' \
    'opcat install' \
    'opcat upgrade' \
    'opcat approve' \
    'opcat uninstall' \
    'opcat status' \
    'opcat bundle' \
    'opcat bundle manifests' \
    'opcat cache' \
    'opcat cache list' \
    'opcat cache clean' \
    'opcat link' \
    'opcat completion' \
    'opcat completion bash' \
    'opcat completion zsh' \
    'opcat completion fish' \
    'opcat help' \
    'opcat version'
set -g __opcat_value_flags --against --approval --as --authfile --base-image --batch --builder-image --catalog --cert-dir --channel --cluster --cluster-version --color --context --default-channel --description --dialect --extra-labels --fail-on --features --file --filename --format --from --global-namespace --icon --image-ref-template --image-template --installed --jobs --kubeconfig --kubectl --max-unpacked-size --migrate-level --namespace --olm --output --output-dir --package --platform --policy --poll --priority --progress --rbac --report --request-timeout --schema --selector --service-account --sort-by --subscribe --timeout --to --update --version --watch-namespace -b -c -d -f -i -j -l -n -o -p

# The command that the line has come to, then how many arguments it has got.
function __opcat_state
    set -l command opcat
    set -l count 0
    set -l words (commandline -opc)
    set -e words[1]
    set -l value no
    for word in $words
        if test $value = yes
            set value no
        else if string match -q -- '-*' $word
            contains -- $word $__opcat_value_flags; and set value yes
        else if contains -- "$command $word" $__opcat_commands
            set command "$command $word"
        else
            set count (math $count + 1)
        end
    end
    printf '%s\n' $command $count
end

# Whether the line is at the command $argv[1] and, if it is given, at its argument $argv[2].
function __opcat_at
    set -l state (__opcat_state)
    test "$state[1]" = "$argv[1]"; or return 1
    test (count $argv) -eq 1; or test "$state[2]" = "$argv[2]"
end

# Names out of the catalog on the line.
function __opcat_names
    set -l words (commandline -opc)
    $words[1] complete-names $argv[1] $words[2..-1] 2>/dev/null | string replace -r '$' \t
end

complete -c opcat -f

complete -c opcat -n '__opcat_at "opcat"' -a validate -d 'Check catalogs: all mistakes at once, each with its place'
complete -c opcat -n '__opcat_at "opcat"' -a explain -d 'Tell what a rule means, why it is there and how to follow it'
complete -c opcat -n '__opcat_at "opcat"' -a list -d 'List packages, channels or bundles'
complete -c opcat -n '__opcat_at "opcat"' -a graph -d 'Draw upgrade graphs, or explain the way from one version to another'
complete -c opcat -n '__opcat_at "opcat"' -a diff -d 'Show what changed between two catalogs, and the regressions for users'
complete -c opcat -n '__opcat_at "opcat"' -a render -d 'Print catalogs and bundles as one normalised stream'
complete -c opcat -n '__opcat_at "opcat"' -a semver -d 'Compare versions and try ranges, as OLM does it'
complete -c opcat -n '__opcat_at "opcat"' -a schema -d 'Show and export the schemas that blobs are checked by'
complete -c opcat -n '__opcat_at "opcat"' -a resolve -d 'Predict what OLM would install or upgrade to'
complete -c opcat -n '__opcat_at "opcat"' -a init -d 'Print an olm.package blob to begin a catalog with'
complete -c opcat -n '__opcat_at "opcat"' -a template -d 'Render templates to catalogs, and the other way'
complete -c opcat -n '__opcat_at "opcat"' -a filter -d 'Print the part of a catalog that is asked for'
complete -c opcat -n '__opcat_at "opcat"' -a compose -d 'Make one catalog directory of the catalogs that a file names'
complete -c opcat -n '__opcat_at "opcat"' -a migrate -d 'Write a catalog as a directory, one folder per package'
complete -c opcat -n '__opcat_at "opcat"' -a fmt -d 'Rewrite the files of a catalog in the normalised form; print their names'
complete -c opcat -n '__opcat_at "opcat"' -a generate -d 'Write what it takes to build a catalog image'
complete -c opcat -n '__opcat_at "opcat"' -a catalog -d 'Add, list, remove and refresh the catalogs of a cluster'
complete -c opcat -n '__opcat_at "opcat"' -a search -d 'Find packages in the catalogs of a cluster'
complete -c opcat -n '__opcat_at "opcat"' -a install -d 'Install an operator from a catalog of the cluster'
complete -c opcat -n '__opcat_at "opcat"' -a upgrade -d 'Upgrade an operator'
complete -c opcat -n '__opcat_at "opcat"' -a approve -d 'Approve the InstallPlan that an operator waits for'
complete -c opcat -n '__opcat_at "opcat"' -a uninstall -d 'Uninstall an operator'
complete -c opcat -n '__opcat_at "opcat"' -a status -d 'How the operators and catalogs of a cluster are'
complete -c opcat -n '__opcat_at "opcat"' -a bundle -d 'Look into bundles'
complete -c opcat -n '__opcat_at "opcat"' -a cache -d 'List or remove the layers of images that are kept'
complete -c opcat -n '__opcat_at "opcat"' -a link -d 'Make links to opcat under its other names'
complete -c opcat -n '__opcat_at "opcat"' -a completion -d 'Print a script that completes command lines'
complete -c opcat -n '__opcat_at "opcat"' -a help -d 'Explain a command or a topic'
complete -c opcat -n '__opcat_at "opcat"' -a version -d 'Print the version'
complete -c opcat -n '__opcat_at "opcat"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat validate"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat validate"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat validate"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat validate"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat validate"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat validate"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat validate"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat validate"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat validate"' -l format -r -f -a 'github\\t\'\' json\\t\'\' junit\\t\'\' sarif\\t\'\' text\\t\'\'' -d 'What to print'
complete -c opcat -n '__opcat_at "opcat validate"' -l report -r -F -d 'Write the findings to a file, too, in a format of --format; for several files, several times'
complete -c opcat -n '__opcat_at "opcat validate"' -l schema -r -F -d 'A file of CUE definitions that blobs and properties must fit, too'
complete -c opcat -n '__opcat_at "opcat validate"' -l strict -d 'Let warnings be errors'
complete -c opcat -n '__opcat_at "opcat validate"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat validate"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat validate"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat validate"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat validate"' -F

complete -c opcat -n '__opcat_at "opcat explain"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat explain"' -l markdown -d 'All rules as a page of documentation'
complete -c opcat -n '__opcat_at "opcat explain"' -l html -d 'All rules as a page for browsers'
complete -c opcat -n '__opcat_at "opcat explain"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat explain"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat explain"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat explain"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat explain" 0' -f -a '(__opcat_names rule)'

complete -c opcat -n '__opcat_at "opcat list"' -a packages -d 'Packages with their default channels'
complete -c opcat -n '__opcat_at "opcat list"' -a channels -d 'Channels with their heads'
complete -c opcat -n '__opcat_at "opcat list"' -a bundles -d 'Bundles, once for each channel'
complete -c opcat -n '__opcat_at "opcat list"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat list"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat list"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat list"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat list"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat list packages"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat list packages"' -s o -l output -r -f -a 'json\\t\'\' name\\t\'\' table\\t\'\' wide\\t\'\' yaml\\t\'\'' -d 'table, wide (whole cells, every column), json, yaml or name'
complete -c opcat -n '__opcat_at "opcat list packages"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat list packages"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat list packages"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat list packages"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat list packages"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat list packages"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat list packages"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat list packages"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat list packages"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat list packages"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat list packages"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat list packages" 0' -F

complete -c opcat -n '__opcat_at "opcat list channels"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat list channels"' -s o -l output -r -f -a 'json\\t\'\' name\\t\'\' table\\t\'\' wide\\t\'\' yaml\\t\'\'' -d 'table, wide (whole cells, every column), json, yaml or name'
complete -c opcat -n '__opcat_at "opcat list channels"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat list channels"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat list channels"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat list channels"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat list channels"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat list channels"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat list channels"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat list channels"' -s p -l package -r -f -a '(__opcat_names package)' -d 'Only this package'
complete -c opcat -n '__opcat_at "opcat list channels"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat list channels"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat list channels"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat list channels"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat list channels" 0' -F

complete -c opcat -n '__opcat_at "opcat list bundles"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat list bundles"' -s o -l output -r -f -a 'json\\t\'\' name\\t\'\' table\\t\'\' wide\\t\'\' yaml\\t\'\'' -d 'table, wide (whole cells, every column), json, yaml or name'
complete -c opcat -n '__opcat_at "opcat list bundles"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat list bundles"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat list bundles"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat list bundles"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat list bundles"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat list bundles"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat list bundles"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat list bundles"' -s p -l package -r -f -a '(__opcat_names package)' -d 'Only this package'
complete -c opcat -n '__opcat_at "opcat list bundles"' -s c -l channel -r -f -a '(__opcat_names channel)' -d 'Only channels of this name'
complete -c opcat -n '__opcat_at "opcat list bundles"' -l sort-by -r -f -a 'name\\t\'\' version\\t\'\'' -d 'Order in a channel: by version, the lowest first (default), or by name'
complete -c opcat -n '__opcat_at "opcat list bundles"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat list bundles"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat list bundles"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat list bundles"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat list bundles" 0' -F

complete -c opcat -n '__opcat_at "opcat graph"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat graph"' -s p -l package -r -f -a '(__opcat_names package)' -d 'Only this package'
complete -c opcat -n '__opcat_at "opcat graph"' -s c -l channel -r -f -a '(__opcat_names channel)' -d 'Only channels of this name'
complete -c opcat -n '__opcat_at "opcat graph"' -s o -l output -r -f -a 'dot\\t\'\' html\\t\'\' json\\t\'\' mermaid\\t\'\' svg\\t\'\' text\\t\'\'' -d 'text, mermaid, dot, svg, html or json'
complete -c opcat -n '__opcat_at "opcat graph"' -l olm -r -f -a 'classic\\t\'\' v1\\t\'\'' -d 'As this OLM sees it: classic or v1'
complete -c opcat -n '__opcat_at "opcat graph"' -l from -r -f -a '(__opcat_names bundle)' -d 'What is installed: BUNDLE, BUNDLE@VERSION, PACKAGE@VERSION or VERSION'
complete -c opcat -n '__opcat_at "opcat graph"' -l to -r -f -a '(__opcat_names bundle)' -d 'Where to go, written like --from (default: as far as it goes)'
complete -c opcat -n '__opcat_at "opcat graph"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat graph"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat graph"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat graph"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat graph"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat graph"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat graph"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat graph"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat graph"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat graph"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat graph"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat graph" 0' -F

complete -c opcat -n '__opcat_at "opcat diff"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat diff"' -s o -l output -r -f -a 'json\\t\'\' markdown\\t\'\' text\\t\'\'' -d 'text, json or markdown'
complete -c opcat -n '__opcat_at "opcat diff"' -l fail-on -r -f -a 'ambiguous\\t\'\' any\\t\'\' default-channel\\t\'\' deprecated\\t\'\' removed\\t\'\' skipped\\t\'\' stranded\\t\'\' z-stream\\t\'\'' -d 'Exit with 1 if there are regressions of these kinds'
complete -c opcat -n '__opcat_at "opcat diff"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat diff"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat diff"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat diff"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat diff"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat diff"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat diff"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat diff"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat diff"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat diff"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat diff"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat diff" 0' -F
complete -c opcat -n '__opcat_at "opcat diff" 1' -F

complete -c opcat -n '__opcat_at "opcat render"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat render"' -s o -l output -r -f -a 'json\\t\'\' yaml\\t\'\'' -d 'Format: json or yaml'
complete -c opcat -n '__opcat_at "opcat render"' -l migrate-level -r -f -a 'bundle-object-to-csv-metadata\\t\'\' none\\t\'\'' -d 'Last migration to run: none or bundle-object-to-csv-metadata'
complete -c opcat -n '__opcat_at "opcat render"' -l image-ref-template -r -f -d 'Image of bundles that are rendered from directories; {{.Package}}, {{.Name}} and {{.Version}} are replaced'
complete -c opcat -n '__opcat_at "opcat render"' -l output-dir -r -f -a '(__fish_complete_directories)' -d 'Write DIR/PACKAGE/catalog.json or .yaml for each package instead of one stream; DIR is new, or empty'
complete -c opcat -n '__opcat_at "opcat render"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat render"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat render"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat render"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat render"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat render"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat render"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat render"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat render"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat render"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat render"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat render"' -F

complete -c opcat -n '__opcat_at "opcat semver"' -a match -d 'Tell which versions are in a range; exit 1 if some are not'
complete -c opcat -n '__opcat_at "opcat semver"' -a sort -d 'Sort versions as OLM orders bundles: build metadata that makes a release counts'
complete -c opcat -n '__opcat_at "opcat semver"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat semver"' -l batch -r -F -d 'Answer the questions in FILE, one JSON object a line; - is standard input'
complete -c opcat -n '__opcat_at "opcat semver"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat semver"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat semver"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat semver"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat semver match"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat semver match"' -l dialect -r -f -a 'blang\\t\'\' masterminds\\t\'\'' -d 'blang: skipRange in catalogs; masterminds: the version of a ClusterExtension'
complete -c opcat -n '__opcat_at "opcat semver match"' -s o -l output -r -f -a 'json\\t\'\' text\\t\'\'' -d 'text or json'
complete -c opcat -n '__opcat_at "opcat semver match"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat semver match"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat semver match"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat semver match"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat semver match" 0' -f
complete -c opcat -n '__opcat_at "opcat semver match"' -f

complete -c opcat -n '__opcat_at "opcat semver sort"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat semver sort"' -l reverse -d 'The highest first'
complete -c opcat -n '__opcat_at "opcat semver sort"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat semver sort"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat semver sort"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat semver sort"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat semver sort"' -f

complete -c opcat -n '__opcat_at "opcat schema"' -a list -d 'List the definitions, and what each is for'
complete -c opcat -n '__opcat_at "opcat schema"' -a show -d 'Show one definition as it is written'
complete -c opcat -n '__opcat_at "opcat schema"' -a export -d 'Write definitions for other programs'
complete -c opcat -n '__opcat_at "opcat schema"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat schema"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat schema"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat schema"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat schema"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat schema list"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat schema list"' -l schema -r -F -d 'A file of CUE definitions to add'
complete -c opcat -n '__opcat_at "opcat schema list"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat schema list"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat schema list"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat schema list"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat schema show"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat schema show"' -l schema -r -F -d 'A file of CUE definitions to add'
complete -c opcat -n '__opcat_at "opcat schema show"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat schema show"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat schema show"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat schema show"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat schema show" 0' -f

complete -c opcat -n '__opcat_at "opcat schema export"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat schema export"' -l schema -r -F -d 'A file of CUE definitions to add'
complete -c opcat -n '__opcat_at "opcat schema export"' -l format -r -f -a 'cue\\t\'\' jsonschema\\t\'\'' -d 'jsonschema (2020-12) or cue'
complete -c opcat -n '__opcat_at "opcat schema export"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat schema export"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat schema export"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat schema export"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat schema export" 0' -f

complete -c opcat -n '__opcat_at "opcat resolve"' -a v1 -d 'Predict what OLM v1 would install or upgrade to'
complete -c opcat -n '__opcat_at "opcat resolve"' -a ocp-upgrade -d 'Tell which installed operators keep OpenShift from its next minor version'
complete -c opcat -n '__opcat_at "opcat resolve"' -a classic -d 'What OLM classic would do in a namespace'
complete -c opcat -n '__opcat_at "opcat resolve"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat resolve"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat resolve"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat resolve"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat resolve"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat resolve v1"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l catalog -r -F -d 'A catalog that the cluster has: [NAME=]REF[,priority=N][,labels=KEY=VALUE][,unavailable]'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l version -r -f -d 'Range of versions, as in spec.source.catalog.version'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l channel -r -f -a '(__opcat_names channel)' -d 'Channel'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l selector -r -f -d 'Label that a catalog must have'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l policy -r -f -a 'CatalogProvided\\t\'\' SelfCertified\\t\'\'' -d 'CatalogProvided or SelfCertified'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l installed -r -f -a '(__opcat_names bundle)' -d 'What is installed: BUNDLE, BUNDLE@VERSION, PACKAGE@VERSION or VERSION, and then ,release=R if it has one'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l features -r -f -a 'BundleReleaseSupport\\t\'\'' -d 'Feature gate: BundleReleaseSupport'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -s f -l filename -r -F -d 'File with ClusterExtension manifests; - is standard input'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l from-cluster -d 'Take the catalogs and what is installed from a cluster, through kubectl'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l kubectl -r -F -d 'The kubectl to run'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l kubeconfig -r -F -d 'The kubeconfig to use'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l context -r -f -d 'The kubeconfig\'s context to use'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l as -r -f -d 'The user to act as'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l request-timeout -r -f -d 'How long to wait for one answer of the cluster'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l explain -d 'Show every bundle with what stands against it'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l to-end -d 'Follow automatic upgrades until nothing moves any more'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l all-installed -d 'Take every version in turn as installed, and tell what becomes of it'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l against -r -F -d 'With --all-installed: what is different from this catalog'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -s o -l output -r -f -a 'json\\t\'\' markdown\\t\'\' text\\t\'\'' -d 'text, json, or markdown (with --all-installed)'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l batch -r -F -d 'Answer the requests in FILE, one JSON object a line; - is standard input'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat resolve v1"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat resolve v1" 0' -f -a '(__opcat_names package)'

complete -c opcat -n '__opcat_at "opcat resolve ocp-upgrade"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat resolve ocp-upgrade"' -l cluster-version -r -f -d 'The version that the cluster runs'
complete -c opcat -n '__opcat_at "opcat resolve ocp-upgrade"' -l installed -r -f -a '(__opcat_names bundle)' -d 'What is installed: BUNDLE, BUNDLE@VERSION, PACKAGE@VERSION or VERSION'
complete -c opcat -n '__opcat_at "opcat resolve ocp-upgrade"' -l catalog -r -F -d 'Where the bundles are: [NAME=]REF'
complete -c opcat -n '__opcat_at "opcat resolve ocp-upgrade"' -s o -l output -r -f -a 'json\\t\'\' text\\t\'\'' -d 'text or json'
complete -c opcat -n '__opcat_at "opcat resolve ocp-upgrade"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat resolve ocp-upgrade"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat resolve ocp-upgrade"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat resolve ocp-upgrade"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat resolve ocp-upgrade"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat resolve ocp-upgrade"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat resolve ocp-upgrade"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat resolve ocp-upgrade"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat resolve ocp-upgrade"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat resolve ocp-upgrade"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat resolve ocp-upgrade"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat resolve classic"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -s n -l namespace -r -f -d 'The namespace to resolve'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l catalog -r -F -d 'A catalog, as the CatalogSource of this name serves it: NAMESPACE/NAME=REF[,priority=N]'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l cluster -r -F -d 'Manifests of the cluster as kubectl get -o yaml prints them; a directory, or - for standard input'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l from-cluster -d 'Read the namespace and its catalogs from a cluster, through kubectl'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l kubectl -r -F -d 'The kubectl to run'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l kubeconfig -r -F -d 'The kubeconfig to use'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l context -r -f -d 'The kubeconfig\'s context to use'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l as -r -f -d 'The user to act as'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l request-timeout -r -f -d 'How long to wait for one answer of the cluster'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l subscribe -r -f -a '(__opcat_names package)' -d 'What if there were a Subscription: PACKAGE[/CHANNEL][@STARTING_CSV]'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l global-namespace -r -f -d 'Where the catalogs are that all namespaces see (default: a usual one that has some, such as openshift-marketplace or olm)'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l to-end -d 'Go on as if all went well, until nothing moves any more'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l explain -d 'Tell what would have been preferred, and why it could not be'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l objects -d 'Tell the annotations, cluster roles and copied CSVs, too, that OLM would make'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -s o -l output -r -f -a 'json\\t\'\' text\\t\'\'' -d 'Output format: text or json'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l batch -r -F -d 'Answer the scenarios in FILE, one JSON object a line; - is standard input'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat resolve classic"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat init"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat init"' -s c -l default-channel -r -f -a '(__opcat_names channel)' -d 'Channel that subscriptions get if they name none'
complete -c opcat -n '__opcat_at "opcat init"' -s d -l description -r -F -d 'File with the description, as Markdown'
complete -c opcat -n '__opcat_at "opcat init"' -s i -l icon -r -F -d 'Image file with the icon'
complete -c opcat -n '__opcat_at "opcat init"' -s o -l output -r -f -a 'json\\t\'\' yaml\\t\'\'' -d 'Format: json or yaml'
complete -c opcat -n '__opcat_at "opcat init"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat init"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat init"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat init"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat init" 0' -f -a '(__opcat_names package)'

complete -c opcat -n '__opcat_at "opcat template"' -a render -d 'Print the catalog that a template stands for'
complete -c opcat -n '__opcat_at "opcat template"' -a convert -d 'Print a template that stands for a catalog'
complete -c opcat -n '__opcat_at "opcat template"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat template"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat template"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat template"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat template"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat template render"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat template render"' -s o -l output -r -f -a 'json\\t\'\' mermaid\\t\'\' yaml\\t\'\'' -d 'Format: json, yaml or mermaid'
complete -c opcat -n '__opcat_at "opcat template render"' -l migrate-level -r -f -a 'bundle-object-to-csv-metadata\\t\'\' none\\t\'\'' -d 'Last migration to run: none or bundle-object-to-csv-metadata'
complete -c opcat -n '__opcat_at "opcat template render"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat template render"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat template render"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat template render"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat template render"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat template render"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat template render"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat template render"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat template render"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat template render"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat template render"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat template render" 0' -f

complete -c opcat -n '__opcat_at "opcat template convert"' -a basic -d 'Bundles become their images'
complete -c opcat -n '__opcat_at "opcat template convert"' -a substitutes -d 'The catalog as it is, ready for substitutions'
complete -c opcat -n '__opcat_at "opcat template convert"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat template convert"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat template convert"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat template convert"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat template convert"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat template convert basic"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat template convert basic"' -s o -l output -r -f -a 'json\\t\'\' yaml\\t\'\'' -d 'Format: json or yaml'
complete -c opcat -n '__opcat_at "opcat template convert basic"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat template convert basic"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat template convert basic"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat template convert basic"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat template convert basic" 0' -F

complete -c opcat -n '__opcat_at "opcat template convert substitutes"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat template convert substitutes"' -s o -l output -r -f -a 'json\\t\'\' yaml\\t\'\'' -d 'Format: json or yaml'
complete -c opcat -n '__opcat_at "opcat template convert substitutes"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat template convert substitutes"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat template convert substitutes"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat template convert substitutes"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat template convert substitutes" 0' -F

complete -c opcat -n '__opcat_at "opcat filter"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat filter"' -s p -l package -r -f -a '(__opcat_names package)' -d 'Keep this package'
complete -c opcat -n '__opcat_at "opcat filter"' -s c -l channel -r -f -a '(__opcat_names package-channel)' -d 'Keep this channel of a package, and none but those named'
complete -c opcat -n '__opcat_at "opcat filter"' -l version -r -f -a '(__opcat_names package)' -d 'Keep the versions of a package that are in a range, and none but those named'
complete -c opcat -n '__opcat_at "opcat filter"' -s f -l file -r -F -d 'Keep what a YAML file says (-: standard input)'
complete -c opcat -n '__opcat_at "opcat filter"' -l with-dependencies -d 'Keep also the packages that kept versions require, and those that have the APIs they require'
complete -c opcat -n '__opcat_at "opcat filter"' -s o -l output -r -f -a 'json\\t\'\' yaml\\t\'\'' -d 'Format: json or yaml'
complete -c opcat -n '__opcat_at "opcat filter"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat filter"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat filter"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat filter"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat filter"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat filter"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat filter"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat filter"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat filter"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat filter"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat filter"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat filter" 0' -F

complete -c opcat -n '__opcat_at "opcat compose"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat compose"' -l update -r -f -d 'Follow the tag of this reference, or of all, where it has moved'
complete -c opcat -n '__opcat_at "opcat compose"' -l locked -d 'Refuse to make anything but what the lock says'
complete -c opcat -n '__opcat_at "opcat compose"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat compose"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat compose"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat compose"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat compose"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat compose"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat compose"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat compose"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat compose"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat compose"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat compose"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat compose" 0' -F

complete -c opcat -n '__opcat_at "opcat migrate"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat migrate"' -s o -l output -r -f -a 'json\\t\'\' yaml\\t\'\'' -d 'Format: json or yaml'
complete -c opcat -n '__opcat_at "opcat migrate"' -l migrate-level -r -f -a 'bundle-object-to-csv-metadata\\t\'\' none\\t\'\'' -d 'Last migration to run: none or bundle-object-to-csv-metadata'
complete -c opcat -n '__opcat_at "opcat migrate"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat migrate"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat migrate"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat migrate"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat migrate"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat migrate"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat migrate"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat migrate"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat migrate"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat migrate"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat migrate"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat migrate" 0' -F
complete -c opcat -n '__opcat_at "opcat migrate" 1' -f -a '(__fish_complete_directories)'

complete -c opcat -n '__opcat_at "opcat fmt"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat fmt"' -l check -d 'Change nothing; exit with status 1 if a file is not normalised'
complete -c opcat -n '__opcat_at "opcat fmt"' -l drop-comments -d 'Format files that have comments, too; the comments are lost'
complete -c opcat -n '__opcat_at "opcat fmt"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat fmt"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat fmt"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat fmt"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat fmt" 0' -f -a '(__fish_complete_directories)'

complete -c opcat -n '__opcat_at "opcat generate"' -a dockerfile -d 'Write a Dockerfile for a catalog directory, beside it'
complete -c opcat -n '__opcat_at "opcat generate"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat generate"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat generate"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat generate"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat generate"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat generate dockerfile"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat generate dockerfile"' -s i -l base-image -r -f -d 'Image that the catalog image is based on'
complete -c opcat -n '__opcat_at "opcat generate dockerfile"' -s b -l builder-image -r -f -d 'Image with /bin/opm to make the cache'
complete -c opcat -n '__opcat_at "opcat generate dockerfile"' -s l -l extra-labels -r -f -d 'Labels for the image; the last of equal keys counts'
complete -c opcat -n '__opcat_at "opcat generate dockerfile"' -l binary-less -d 'Image without /bin/opm: only the catalog and its cache (--base-image scratch)'
complete -c opcat -n '__opcat_at "opcat generate dockerfile"' -s o -l output -r -F -d 'File to write (default: DIR.Dockerfile beside DIR)'
complete -c opcat -n '__opcat_at "opcat generate dockerfile"' -l force -d 'Replace the file if it exists'
complete -c opcat -n '__opcat_at "opcat generate dockerfile"' -l no-validate -d 'Do not check the catalog'
complete -c opcat -n '__opcat_at "opcat generate dockerfile"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat generate dockerfile"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat generate dockerfile"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat generate dockerfile"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat generate dockerfile" 0' -f -a '(__fish_complete_directories)'

complete -c opcat -n '__opcat_at "opcat catalog"' -a add -d 'Add a catalog and wait until it is served'
complete -c opcat -n '__opcat_at "opcat catalog"' -a list -d 'The catalogs and whether they are served'
complete -c opcat -n '__opcat_at "opcat catalog"' -a remove -d 'Remove a catalog'
complete -c opcat -n '__opcat_at "opcat catalog"' -a refresh -d 'Let the cluster look for a newer image of a catalog now'
complete -c opcat -n '__opcat_at "opcat catalog"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat catalog"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat catalog"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat catalog"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat catalog"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat catalog add"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l image-template -r -f -d 'OLM classic: the image by the cluster\'s version, with {kube_major_version}, {kube_minor_version}, {kube_patch_version}'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l priority -r -f -d 'Which catalog wins where several have a package; higher wins'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l poll -r -f -d 'How often to look for a newer image'
complete -c opcat -n '__opcat_at "opcat catalog add"' -s n -l namespace -r -f -d 'The namespace (default: where all namespaces see it)'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l olm -r -f -a 'auto\\t\'\' classic\\t\'\' none\\t\'\' v1\\t\'\'' -d 'Which OLM to work with: classic, v1, none, or auto (the one that is there)'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l kubectl -r -F -d 'The kubectl to run'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l kubeconfig -r -F -d 'The kubeconfig to use'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l context -r -f -d 'The kubeconfig\'s context to use'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l as -r -f -d 'The user to act as'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l request-timeout -r -f -d 'How long to wait for one answer of the cluster'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l timeout -r -f -d 'How long to wait for the cluster'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l no-wait -d 'Do not wait until it is done'
complete -c opcat -n '__opcat_at "opcat catalog add"' -s y -l yes -d 'Answer questions with yes'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l dry-run -d 'Change nothing, show what would be done'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l force -d 'Go on although it is predicted to fail'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l cleanup-on-failure -d 'If it fails, delete what this command created'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l force-conflicts -d 'Take over fields that somebody else manages'
complete -c opcat -n '__opcat_at "opcat catalog add"' -s o -l output -r -f -a 'json\\t\'\' yaml\\t\'\'' -d 'Print the objects alone, and change nothing: yaml or json'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat catalog add"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat catalog add"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat catalog add"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat catalog add" 0' -f
complete -c opcat -n '__opcat_at "opcat catalog add" 1' -f

complete -c opcat -n '__opcat_at "opcat catalog list"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat catalog list"' -s n -l namespace -r -f -d 'The namespace (default: all)'
complete -c opcat -n '__opcat_at "opcat catalog list"' -l olm -r -f -a 'auto\\t\'\' classic\\t\'\' none\\t\'\' v1\\t\'\'' -d 'Which OLM to work with: classic, v1, none, or auto (the one that is there)'
complete -c opcat -n '__opcat_at "opcat catalog list"' -l kubectl -r -F -d 'The kubectl to run'
complete -c opcat -n '__opcat_at "opcat catalog list"' -l kubeconfig -r -F -d 'The kubeconfig to use'
complete -c opcat -n '__opcat_at "opcat catalog list"' -l context -r -f -d 'The kubeconfig\'s context to use'
complete -c opcat -n '__opcat_at "opcat catalog list"' -l as -r -f -d 'The user to act as'
complete -c opcat -n '__opcat_at "opcat catalog list"' -l request-timeout -r -f -d 'How long to wait for one answer of the cluster'
complete -c opcat -n '__opcat_at "opcat catalog list"' -s o -l output -r -f -a 'json\\t\'\' table\\t\'\'' -d 'table or json'
complete -c opcat -n '__opcat_at "opcat catalog list"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat catalog list"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat catalog list"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat catalog list"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat catalog remove"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat catalog remove"' -s n -l namespace -r -f -d 'The namespace (default: all)'
complete -c opcat -n '__opcat_at "opcat catalog remove"' -l olm -r -f -a 'auto\\t\'\' classic\\t\'\' none\\t\'\' v1\\t\'\'' -d 'Which OLM to work with: classic, v1, none, or auto (the one that is there)'
complete -c opcat -n '__opcat_at "opcat catalog remove"' -l kubectl -r -F -d 'The kubectl to run'
complete -c opcat -n '__opcat_at "opcat catalog remove"' -l kubeconfig -r -F -d 'The kubeconfig to use'
complete -c opcat -n '__opcat_at "opcat catalog remove"' -l context -r -f -d 'The kubeconfig\'s context to use'
complete -c opcat -n '__opcat_at "opcat catalog remove"' -l as -r -f -d 'The user to act as'
complete -c opcat -n '__opcat_at "opcat catalog remove"' -l request-timeout -r -f -d 'How long to wait for one answer of the cluster'
complete -c opcat -n '__opcat_at "opcat catalog remove"' -l timeout -r -f -d 'How long to wait for the cluster'
complete -c opcat -n '__opcat_at "opcat catalog remove"' -l no-wait -d 'Do not wait until it is done'
complete -c opcat -n '__opcat_at "opcat catalog remove"' -s y -l yes -d 'Answer questions with yes'
complete -c opcat -n '__opcat_at "opcat catalog remove"' -l dry-run -d 'Change nothing, show what would be done'
complete -c opcat -n '__opcat_at "opcat catalog remove"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat catalog remove"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat catalog remove"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat catalog remove"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat catalog remove" 0' -f

complete -c opcat -n '__opcat_at "opcat catalog refresh"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat catalog refresh"' -s n -l namespace -r -f -d 'The namespace (default: all)'
complete -c opcat -n '__opcat_at "opcat catalog refresh"' -l olm -r -f -a 'auto\\t\'\' classic\\t\'\' none\\t\'\' v1\\t\'\'' -d 'Which OLM to work with: classic, v1, none, or auto (the one that is there)'
complete -c opcat -n '__opcat_at "opcat catalog refresh"' -l kubectl -r -F -d 'The kubectl to run'
complete -c opcat -n '__opcat_at "opcat catalog refresh"' -l kubeconfig -r -F -d 'The kubeconfig to use'
complete -c opcat -n '__opcat_at "opcat catalog refresh"' -l context -r -f -d 'The kubeconfig\'s context to use'
complete -c opcat -n '__opcat_at "opcat catalog refresh"' -l as -r -f -d 'The user to act as'
complete -c opcat -n '__opcat_at "opcat catalog refresh"' -l request-timeout -r -f -d 'How long to wait for one answer of the cluster'
complete -c opcat -n '__opcat_at "opcat catalog refresh"' -l timeout -r -f -d 'How long to wait for the cluster'
complete -c opcat -n '__opcat_at "opcat catalog refresh"' -l no-wait -d 'Do not wait until it is done'
complete -c opcat -n '__opcat_at "opcat catalog refresh"' -s y -l yes -d 'Answer questions with yes'
complete -c opcat -n '__opcat_at "opcat catalog refresh"' -l dry-run -d 'Change nothing, show what would be done'
complete -c opcat -n '__opcat_at "opcat catalog refresh"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat catalog refresh"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat catalog refresh"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat catalog refresh"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat catalog refresh" 0' -f

complete -c opcat -n '__opcat_at "opcat search"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat search"' -s n -l namespace -r -f -d 'The namespace (default: that of the kubeconfig\'s context)'
complete -c opcat -n '__opcat_at "opcat search"' -l olm -r -f -a 'auto\\t\'\' classic\\t\'\' none\\t\'\' v1\\t\'\'' -d 'Which OLM to work with: classic, v1, none, or auto (the one that is there)'
complete -c opcat -n '__opcat_at "opcat search"' -l kubectl -r -F -d 'The kubectl to run'
complete -c opcat -n '__opcat_at "opcat search"' -l kubeconfig -r -F -d 'The kubeconfig to use'
complete -c opcat -n '__opcat_at "opcat search"' -l context -r -f -d 'The kubeconfig\'s context to use'
complete -c opcat -n '__opcat_at "opcat search"' -l as -r -f -d 'The user to act as'
complete -c opcat -n '__opcat_at "opcat search"' -l request-timeout -r -f -d 'How long to wait for one answer of the cluster'
complete -c opcat -n '__opcat_at "opcat search"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat search"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat search"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat search"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat search"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat search"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat search"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat search"' -s o -l output -r -f -a 'json\\t\'\' table\\t\'\'' -d 'table or json'
complete -c opcat -n '__opcat_at "opcat search"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat search"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat search"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat search"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat search" 0' -f

complete -c opcat -n '__opcat_at "opcat install"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat install"' -l channel -r -f -a '(__opcat_names channel)' -d 'The channel (default: the package\'s); several only with OLM v1'
complete -c opcat -n '__opcat_at "opcat install"' -l version -r -f -d 'The version, or the bundle\'s name; with OLM v1 a range of versions'
complete -c opcat -n '__opcat_at "opcat install"' -l catalog -r -f -d 'The catalog on the cluster, if several have the package; with --olm none any catalog REF'
complete -c opcat -n '__opcat_at "opcat install"' -l watch-namespace -r -f -d 'A namespace for the operator to watch'
complete -c opcat -n '__opcat_at "opcat install"' -l all-namespaces -d 'Let the operator watch all namespaces'
complete -c opcat -n '__opcat_at "opcat install"' -l approval -r -f -a 'automatic\\t\'\' manual\\t\'\'' -d 'OLM classic: who approves installs and upgrades, automatic or manual'
complete -c opcat -n '__opcat_at "opcat install"' -l create-operator-group -d 'OLM classic: make an OperatorGroup if the namespace, which exists, has none'
complete -c opcat -n '__opcat_at "opcat install"' -l rbac -r -f -a 'cluster-admin\\t\'\' derived\\t\'\' none\\t\'\'' -d 'OLM v1: rights of the account that installs: derived (the least that the bundle needs), cluster-admin, or none (it has them)'
complete -c opcat -n '__opcat_at "opcat install"' -l service-account -r -f -d 'OLM v1: the account that installs (default: PACKAGE-installer)'
complete -c opcat -n '__opcat_at "opcat install"' -l self-certified -d 'OLM v1: allow any version, whatever the catalog\'s upgrade edges say'
complete -c opcat -n '__opcat_at "opcat install"' -s n -l namespace -r -f -d 'The namespace (default: that of the kubeconfig\'s context)'
complete -c opcat -n '__opcat_at "opcat install"' -l olm -r -f -a 'auto\\t\'\' classic\\t\'\' none\\t\'\' v1\\t\'\'' -d 'Which OLM to work with: classic, v1, none, or auto (the one that is there)'
complete -c opcat -n '__opcat_at "opcat install"' -l kubectl -r -F -d 'The kubectl to run'
complete -c opcat -n '__opcat_at "opcat install"' -l kubeconfig -r -F -d 'The kubeconfig to use'
complete -c opcat -n '__opcat_at "opcat install"' -l context -r -f -d 'The kubeconfig\'s context to use'
complete -c opcat -n '__opcat_at "opcat install"' -l as -r -f -d 'The user to act as'
complete -c opcat -n '__opcat_at "opcat install"' -l request-timeout -r -f -d 'How long to wait for one answer of the cluster'
complete -c opcat -n '__opcat_at "opcat install"' -l timeout -r -f -d 'How long to wait for the cluster'
complete -c opcat -n '__opcat_at "opcat install"' -l no-wait -d 'Do not wait until it is done'
complete -c opcat -n '__opcat_at "opcat install"' -s y -l yes -d 'Answer questions with yes'
complete -c opcat -n '__opcat_at "opcat install"' -l dry-run -d 'Change nothing, show what would be done'
complete -c opcat -n '__opcat_at "opcat install"' -l force -d 'Go on although it is predicted to fail'
complete -c opcat -n '__opcat_at "opcat install"' -l cleanup-on-failure -d 'If it fails, delete what this command created'
complete -c opcat -n '__opcat_at "opcat install"' -l force-conflicts -d 'Take over fields that somebody else manages'
complete -c opcat -n '__opcat_at "opcat install"' -s o -l output -r -f -a 'json\\t\'\' yaml\\t\'\'' -d 'Print the objects alone, and change nothing: yaml or json'
complete -c opcat -n '__opcat_at "opcat install"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat install"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat install"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat install"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat install"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat install"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat install"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat install"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat install"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat install"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat install"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat install" 0' -f -a '(__opcat_names package)'

complete -c opcat -n '__opcat_at "opcat upgrade"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l to -r -f -d 'The version to end at, or its bundle\'s name; with OLM v1 a range of versions'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l channel -r -f -a '(__opcat_names channel)' -d 'Go to this channel; several only with OLM v1'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l self-certified -d 'OLM v1: allow any version, whatever the catalog\'s upgrade edges say'
complete -c opcat -n '__opcat_at "opcat upgrade"' -s n -l namespace -r -f -d 'The namespace (default: that of the kubeconfig\'s context)'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l olm -r -f -a 'auto\\t\'\' classic\\t\'\' none\\t\'\' v1\\t\'\'' -d 'Which OLM to work with: classic, v1, none, or auto (the one that is there)'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l kubectl -r -F -d 'The kubectl to run'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l kubeconfig -r -F -d 'The kubeconfig to use'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l context -r -f -d 'The kubeconfig\'s context to use'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l as -r -f -d 'The user to act as'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l request-timeout -r -f -d 'How long to wait for one answer of the cluster'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l timeout -r -f -d 'How long to wait for the cluster'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l no-wait -d 'Do not wait until it is done'
complete -c opcat -n '__opcat_at "opcat upgrade"' -s y -l yes -d 'Answer questions with yes'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l dry-run -d 'Change nothing, show what would be done'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l force -d 'Go on although it is predicted to fail'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat upgrade"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat upgrade"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat upgrade"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat upgrade" 0' -f -a '(__opcat_names package)'

complete -c opcat -n '__opcat_at "opcat approve"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat approve"' -s n -l namespace -r -f -d 'The namespace (default: that of the kubeconfig\'s context)'
complete -c opcat -n '__opcat_at "opcat approve"' -l kubectl -r -F -d 'The kubectl to run'
complete -c opcat -n '__opcat_at "opcat approve"' -l kubeconfig -r -F -d 'The kubeconfig to use'
complete -c opcat -n '__opcat_at "opcat approve"' -l context -r -f -d 'The kubeconfig\'s context to use'
complete -c opcat -n '__opcat_at "opcat approve"' -l as -r -f -d 'The user to act as'
complete -c opcat -n '__opcat_at "opcat approve"' -l request-timeout -r -f -d 'How long to wait for one answer of the cluster'
complete -c opcat -n '__opcat_at "opcat approve"' -l timeout -r -f -d 'How long to wait for the cluster'
complete -c opcat -n '__opcat_at "opcat approve"' -l no-wait -d 'Do not wait until it is done'
complete -c opcat -n '__opcat_at "opcat approve"' -s y -l yes -d 'Answer questions with yes'
complete -c opcat -n '__opcat_at "opcat approve"' -l dry-run -d 'Change nothing, show what would be done'
complete -c opcat -n '__opcat_at "opcat approve"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat approve"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat approve"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat approve"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat approve" 0' -f -a '(__opcat_names package)'

complete -c opcat -n '__opcat_at "opcat uninstall"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat uninstall"' -l delete-crds -d 'Delete its CustomResourceDefinitions, too'
complete -c opcat -n '__opcat_at "opcat uninstall"' -l delete-operator-groups -d 'OLM classic: delete the namespace\'s OperatorGroups, too, if no other operator needs them'
complete -c opcat -n '__opcat_at "opcat uninstall"' -l delete-operands -d 'Delete the custom resources that users have made, too'
complete -c opcat -n '__opcat_at "opcat uninstall"' -s n -l namespace -r -f -d 'The namespace (default: that of the kubeconfig\'s context)'
complete -c opcat -n '__opcat_at "opcat uninstall"' -l olm -r -f -a 'auto\\t\'\' classic\\t\'\' none\\t\'\' v1\\t\'\'' -d 'Which OLM to work with: classic, v1, none, or auto (the one that is there)'
complete -c opcat -n '__opcat_at "opcat uninstall"' -l kubectl -r -F -d 'The kubectl to run'
complete -c opcat -n '__opcat_at "opcat uninstall"' -l kubeconfig -r -F -d 'The kubeconfig to use'
complete -c opcat -n '__opcat_at "opcat uninstall"' -l context -r -f -d 'The kubeconfig\'s context to use'
complete -c opcat -n '__opcat_at "opcat uninstall"' -l as -r -f -d 'The user to act as'
complete -c opcat -n '__opcat_at "opcat uninstall"' -l request-timeout -r -f -d 'How long to wait for one answer of the cluster'
complete -c opcat -n '__opcat_at "opcat uninstall"' -l timeout -r -f -d 'How long to wait for the cluster'
complete -c opcat -n '__opcat_at "opcat uninstall"' -l no-wait -d 'Do not wait until it is done'
complete -c opcat -n '__opcat_at "opcat uninstall"' -s y -l yes -d 'Answer questions with yes'
complete -c opcat -n '__opcat_at "opcat uninstall"' -l dry-run -d 'Change nothing, show what would be done'
complete -c opcat -n '__opcat_at "opcat uninstall"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat uninstall"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat uninstall"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat uninstall"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat uninstall" 0' -f -a '(__opcat_names package)'

complete -c opcat -n '__opcat_at "opcat status"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat status"' -s n -l namespace -r -f -d 'The namespace (default: all)'
complete -c opcat -n '__opcat_at "opcat status"' -l olm -r -f -a 'auto\\t\'\' classic\\t\'\' none\\t\'\' v1\\t\'\'' -d 'Which OLM to work with: classic, v1, none, or auto (the one that is there)'
complete -c opcat -n '__opcat_at "opcat status"' -l kubectl -r -F -d 'The kubectl to run'
complete -c opcat -n '__opcat_at "opcat status"' -l kubeconfig -r -F -d 'The kubeconfig to use'
complete -c opcat -n '__opcat_at "opcat status"' -l context -r -f -d 'The kubeconfig\'s context to use'
complete -c opcat -n '__opcat_at "opcat status"' -l as -r -f -d 'The user to act as'
complete -c opcat -n '__opcat_at "opcat status"' -l request-timeout -r -f -d 'How long to wait for one answer of the cluster'
complete -c opcat -n '__opcat_at "opcat status"' -s o -l output -r -f -a 'json\\t\'\' prometheus\\t\'\' table\\t\'\' yaml\\t\'\'' -d 'table, json, yaml, or prometheus (the figures of OLM classic\'s metrics)'
complete -c opcat -n '__opcat_at "opcat status"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat status"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat status"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat status"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat status" 0' -f -a '(__opcat_names package)'

complete -c opcat -n '__opcat_at "opcat bundle"' -a manifests -d 'The objects that installing a bundle makes'
complete -c opcat -n '__opcat_at "opcat bundle"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat bundle"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat bundle"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat bundle"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat bundle"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat bundle manifests"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat bundle manifests"' -s n -l namespace -r -f -d 'The namespace to install into'
complete -c opcat -n '__opcat_at "opcat bundle manifests"' -l watch-namespace -r -f -d 'A namespace to watch (default: all)'
complete -c opcat -n '__opcat_at "opcat bundle manifests"' -s o -l output -r -f -a 'json\\t\'\' yaml\\t\'\'' -d 'yaml or json'
complete -c opcat -n '__opcat_at "opcat bundle manifests"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opcat -n '__opcat_at "opcat bundle manifests"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opcat -n '__opcat_at "opcat bundle manifests"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opcat -n '__opcat_at "opcat bundle manifests"' -l authfile -r -F -d 'File with credentials, in place of those of podman and docker'
complete -c opcat -n '__opcat_at "opcat bundle manifests"' -l platform -r -f -d 'Image to take of several (default: linux on this architecture)'
complete -c opcat -n '__opcat_at "opcat bundle manifests"' -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opcat -n '__opcat_at "opcat bundle manifests"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opcat -n '__opcat_at "opcat bundle manifests"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat bundle manifests"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat bundle manifests"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat bundle manifests"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat bundle manifests" 0' -F

complete -c opcat -n '__opcat_at "opcat cache"' -a list -d 'Print what is in the cache: digest, size, last use, and the images that it is part of'
complete -c opcat -n '__opcat_at "opcat cache"' -a clean -d 'Remove all of it'
complete -c opcat -n '__opcat_at "opcat cache"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat cache"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat cache"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat cache"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat cache"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat cache list"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat cache list"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat cache list"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat cache list"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat cache list"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat cache clean"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat cache clean"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat cache clean"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat cache clean"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat cache clean"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat link"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat link"' -l force -d 'Replace other programs of these names'
complete -c opcat -n '__opcat_at "opcat link"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat link"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat link"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat link"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat link" 0' -f -a '(__fish_complete_directories)'

complete -c opcat -n '__opcat_at "opcat completion"' -a bash -d 'For bash'
complete -c opcat -n '__opcat_at "opcat completion"' -a zsh -d 'For zsh'
complete -c opcat -n '__opcat_at "opcat completion"' -a fish -d 'For fish'
complete -c opcat -n '__opcat_at "opcat completion"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat completion"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat completion"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat completion"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat completion"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat completion bash"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat completion bash"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat completion bash"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat completion bash"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat completion bash"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat completion zsh"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat completion zsh"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat completion zsh"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat completion zsh"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat completion zsh"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat completion fish"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat completion fish"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat completion fish"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat completion fish"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat completion fish"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'

complete -c opcat -n '__opcat_at "opcat help"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat help"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat help"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat help"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat help"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
complete -c opcat -n '__opcat_at "opcat help"' -f -a '(__opcat_names topic)'

complete -c opcat -n '__opcat_at "opcat version"' -s h -l help -d 'Print this help message and exit'
complete -c opcat -n '__opcat_at "opcat version"' -s o -l output -r -f -a 'json\\t\'\' text\\t\'\'' -d 'text, or json with the versions of the libraries, too'
complete -c opcat -n '__opcat_at "opcat version"' -l color -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Colour: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat version"' -l progress -r -f -a 'always\\t\'\' auto\\t\'\' never\\t\'\'' -d 'Progress display: auto (on a terminal), always, never'
complete -c opcat -n '__opcat_at "opcat version"' -s q -l quiet -d 'Print nothing but errors'
complete -c opcat -n '__opcat_at "opcat version"' -s j -l jobs -r -f -d 'Threads and parallel transfers (default: one per core that may be used)'
