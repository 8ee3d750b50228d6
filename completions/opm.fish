# Completion of opm for fish, made by `opm completion fish`.

set -g __opm_commands \
    'opm' \
    'opm alpha' \
    'opm alpha list' \
    'opm alpha list packages' \
    'opm alpha list channels' \
    'opm alpha list bundles' \
    'opm alpha render-graph' \
    'opm alpha render-template' \
    'opm alpha convert-template' \
    'opm alpha convert-template basic' \
    'opm alpha convert-template substitutes' \
    'opm alpha bundle' \
    'opm alpha bundle validate' \
    'opm alpha bundle generate' \
    'opm alpha bundle build' \
    'opm alpha bundle extract' \
    'opm alpha bundle unpack' \
    'opm alpha diff' \
    'opm alpha generate' \
    'opm alpha render-veneer' \
    'opm render' \
    'opm validate' \
    'opm generate' \
    'opm generate dockerfile' \
    'opm init' \
    'opm migrate' \
    'opm serve' \
    'opm version' \
    'opm completion' \
    'opm completion bash' \
    'opm completion zsh' \
    'opm completion fish' \
    'opm help' \
    'opm index' \
    'opm index add' \
    'opm index rm' \
    'opm index delete' \
    'opm index prune' \
    'opm index prune-stranded' \
    'opm index deprecatetruncate' \
    'opm index deprecate' \
    'opm index export' \
    'opm registry' \
    'opm registry add' \
    'opm registry rm' \
    'opm registry prune' \
    'opm registry prune-stranded' \
    'opm registry deprecatetruncate' \
    'opm registry serve' \
    'opm registry mirror' \
    'opm http'
set -g __opm_value_flags --address --alpha-image-ref-template --authfile --base-image --binary-image --builder-image --cache-dir --cert-dir --default-channel --description --drain --export --extra-labels --grpc --http --icon --idle --image-builder --log --max-connections --max-streams --max-unpacked-size --migrate-level --minimum-edge --optional-validators --output --package-name --platform --port --pprof-addr --registries.d --registry-rps --signature-policy --tag --termination-log --tls-cert --tls-client-ca --tls-key --watch -b -c -d -i -l -o -p -t

# The command that the line has come to, then how many arguments it has got.
function __opm_state
    set -l command opm
    set -l count 0
    set -l words (commandline -opc)
    set -e words[1]
    set -l value no
    for word in $words
        if test $value = yes
            set value no
        else if string match -q -- '-*' $word
            contains -- $word $__opm_value_flags; and set value yes
        else if contains -- "$command $word" $__opm_commands
            set command "$command $word"
        else
            set count (math $count + 1)
        end
    end
    printf '%s\n' $command $count
end

# Whether the line is at the command $argv[1] and, if it is given, at its argument $argv[2].
function __opm_at
    set -l state (__opm_state)
    test "$state[1]" = "$argv[1]"; or return 1
    test (count $argv) -eq 1; or test "$state[2]" = "$argv[2]"
end

# Names out of the catalog on the line.
function __opm_names
    set -l words (commandline -opc)
    $words[1] complete-names $argv[1] $words[2..-1] 2>/dev/null | string replace -r '$' \t
end

complete -c opm -f

complete -c opm -n '__opm_at "opm"' -a alpha -d 'Run an alpha subcommand'
complete -c opm -n '__opm_at "opm"' -a render -d 'Print catalogs and bundles as one normalised stream'
complete -c opm -n '__opm_at "opm"' -a validate -d 'Check catalogs and report all mistakes at once'
complete -c opm -n '__opm_at "opm"' -a generate -d 'Write the files for building a catalog image'
complete -c opm -n '__opm_at "opm"' -a init -d 'Print an olm.package blob for a new catalog'
complete -c opm -n '__opm_at "opm"' -a migrate -d 'Write a catalog as a directory, one folder per package'
complete -c opm -n '__opm_at "opm"' -a serve -d 'Serve catalogs: over gRPC for OLM classic, and over HTTP as OLM v1\'s catalogd does'
complete -c opm -n '__opm_at "opm"' -a version -d 'Print the version'
complete -c opm -n '__opm_at "opm"' -a completion -d 'Print a completion script for a shell'
complete -c opm -n '__opm_at "opm"' -a help -d 'Explain a command or a topic'
complete -c opm -n '__opm_at "opm"' -a index -d 'file-based catalogs have replaced SQLite indexes: `opcat migrate INDEX DIR` converts an index, and `opcat build DIR -t IMAGE` makes its image'
complete -c opm -n '__opm_at "opm"' -a registry -d 'file-based catalogs have replaced SQLite indexes: `opcat migrate INDEX DIR` converts an index, and `opcat build DIR -t IMAGE` makes its image'
complete -c opm -n '__opm_at "opm"' -a http -d '`opm serve DIR --no-grpc --http :8080` serves catalogs over HTTP'
complete -c opm -n '__opm_at "opm"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm alpha"' -a list -d 'List contents of an index'
complete -c opm -n '__opm_at "opm alpha"' -a render-graph -d 'Generate mermaid-formatted view of upgrade graph of operators in an index'
complete -c opm -n '__opm_at "opm alpha"' -a render-template -d 'Print the catalog of a template'
complete -c opm -n '__opm_at "opm alpha"' -a convert-template -d 'Print the template of a catalog'
complete -c opm -n '__opm_at "opm alpha"' -a bundle -d 'Operator bundle commands'
complete -c opm -n '__opm_at "opm alpha"' -a diff -d '`opcat diff OLD NEW` shows what changed, and the regressions'
complete -c opm -n '__opm_at "opm alpha"' -a generate -d 'it is `opm generate` now'
complete -c opm -n '__opm_at "opm alpha"' -a render-veneer -d 'veneers are templates now: `opm alpha render-template`'
complete -c opm -n '__opm_at "opm alpha"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm alpha list"' -a packages -d 'List packages in an index'
complete -c opm -n '__opm_at "opm alpha list"' -a channels -d 'List package channels in an index'
complete -c opm -n '__opm_at "opm alpha list"' -a bundles -d 'List package bundles in an index'
complete -c opm -n '__opm_at "opm alpha list"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha list"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha list"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha list"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm alpha list packages"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha list packages"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha list packages"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha list packages"' -l skip-tls -d 'The same as --use-http (deprecated)'
complete -c opm -n '__opm_at "opm alpha list packages" 0' -F

complete -c opm -n '__opm_at "opm alpha list channels"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha list channels"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha list channels"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha list channels"' -l skip-tls -d 'The same as --use-http (deprecated)'
complete -c opm -n '__opm_at "opm alpha list channels" 0' -F
complete -c opm -n '__opm_at "opm alpha list channels" 1' -f -a '(__opm_names package)'

complete -c opm -n '__opm_at "opm alpha list bundles"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha list bundles"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha list bundles"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha list bundles"' -l skip-tls -d 'The same as --use-http (deprecated)'
complete -c opm -n '__opm_at "opm alpha list bundles" 0' -F
complete -c opm -n '__opm_at "opm alpha list bundles" 1' -f -a '(__opm_names package)'

complete -c opm -n '__opm_at "opm alpha render-graph"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha render-graph"' -s p -l package-name -r -f -d 'Only this package'
complete -c opm -n '__opm_at "opm alpha render-graph"' -l minimum-edge -r -F -d 'Only this bundle and newer ones of its package'
complete -c opm -n '__opm_at "opm alpha render-graph"' -l draw-v0-semantics -d 'Mark bundles and edges that OLM classic ignores: skipped bundles, and edges that lead to them'
complete -c opm -n '__opm_at "opm alpha render-graph"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha render-graph"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha render-graph"' -l skip-tls -d 'The same as --use-http (deprecated)'
complete -c opm -n '__opm_at "opm alpha render-graph"' -F

complete -c opm -n '__opm_at "opm alpha render-template"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha render-template"' -s o -l output -r -f -a 'json\\t\'\' mermaid\\t\'\' yaml\\t\'\'' -d 'Format: json, yaml or mermaid'
complete -c opm -n '__opm_at "opm alpha render-template"' -l migrate-level -r -f -a 'bundle-object-to-csv-metadata\\t\'\' none\\t\'\'' -d 'Last migration to run: none or bundle-object-to-csv-metadata'
complete -c opm -n '__opm_at "opm alpha render-template"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opm -n '__opm_at "opm alpha render-template"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opm -n '__opm_at "opm alpha render-template"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opm -n '__opm_at "opm alpha render-template"' -l authfile -r -F -d 'File with credentials, instead of those of podman and docker'
complete -c opm -n '__opm_at "opm alpha render-template"' -l signature-policy -r -F -d 'Policy that says which images are accepted (default: policy.json of container engines)'
complete -c opm -n '__opm_at "opm alpha render-template"' -l registries.d -r -f -a '(__fish_complete_directories)' -d 'Directory that says where signatures are (default: that of container engines)'
complete -c opm -n '__opm_at "opm alpha render-template"' -l require-signatures -d 'Refuse images that the policy accepts without a signature'
complete -c opm -n '__opm_at "opm alpha render-template"' -l registry-rps -r -f -d 'Maximum requests to registries per second (default: no limit)'
complete -c opm -n '__opm_at "opm alpha render-template"' -l platform -r -f -d 'Platform to choose from a multi-platform image (default: linux on this architecture)'
complete -c opm -n '__opm_at "opm alpha render-template"' -l no-cache -d 'Do not use the cache of layers'
complete -c opm -n '__opm_at "opm alpha render-template"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opm -n '__opm_at "opm alpha render-template"' -l skip-tls -d 'The same as --use-http (deprecated)'
complete -c opm -n '__opm_at "opm alpha render-template" 0' -f

complete -c opm -n '__opm_at "opm alpha convert-template"' -a basic -d 'Bundles become their images'
complete -c opm -n '__opm_at "opm alpha convert-template"' -a substitutes -d 'Keep the catalog unchanged, ready for substitutions'
complete -c opm -n '__opm_at "opm alpha convert-template"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha convert-template"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha convert-template"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha convert-template"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm alpha convert-template basic"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha convert-template basic"' -s o -l output -r -f -a 'json\\t\'\' yaml\\t\'\'' -d 'Format: json or yaml'
complete -c opm -n '__opm_at "opm alpha convert-template basic"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha convert-template basic"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha convert-template basic"' -l skip-tls -d 'The same as --use-http (deprecated)'
complete -c opm -n '__opm_at "opm alpha convert-template basic" 0' -F

complete -c opm -n '__opm_at "opm alpha convert-template substitutes"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha convert-template substitutes"' -s o -l output -r -f -a 'json\\t\'\' yaml\\t\'\'' -d 'Format: json or yaml'
complete -c opm -n '__opm_at "opm alpha convert-template substitutes"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha convert-template substitutes"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha convert-template substitutes"' -l skip-tls -d 'The same as --use-http (deprecated)'
complete -c opm -n '__opm_at "opm alpha convert-template substitutes" 0' -F

complete -c opm -n '__opm_at "opm alpha bundle"' -a validate -d 'Validate the image of a bundle'
complete -c opm -n '__opm_at "opm alpha bundle"' -a generate -d 'operator-sdk makes bundles; `opcat bundle validate DIR` checks them'
complete -c opm -n '__opm_at "opm alpha bundle"' -a build -d '`opcat build bundle DIR -t IMAGE` makes the image of a bundle'
complete -c opm -n '__opm_at "opm alpha bundle"' -a extract -d '`opcat render IMAGE` prints the bundle\'s manifests as properties of its blob'
complete -c opm -n '__opm_at "opm alpha bundle"' -a unpack -d '`opcat render IMAGE` prints the bundle\'s manifests as properties of its blob'
complete -c opm -n '__opm_at "opm alpha bundle"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha bundle"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha bundle"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha bundle"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm alpha bundle validate"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha bundle validate"' -s t -l tag -r -f -d 'The image'
complete -c opm -n '__opm_at "opm alpha bundle validate"' -s b -l image-builder -r -f -a 'docker\\t\'\' none\\t\'\' podman\\t\'\'' -d 'Ignored: opcat pulls the image itself'
complete -c opm -n '__opm_at "opm alpha bundle validate"' -s o -l optional-validators -r -f -a 'bundle-objects\\t\'\' operatorhub\\t\'\'' -d 'Further checks: operatorhub, bundle-objects'
complete -c opm -n '__opm_at "opm alpha bundle validate"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha bundle validate"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha bundle validate"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm alpha bundle generate"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha bundle generate"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha bundle generate"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha bundle generate"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm alpha bundle build"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha bundle build"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha bundle build"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha bundle build"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm alpha bundle extract"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha bundle extract"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha bundle extract"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha bundle extract"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm alpha bundle unpack"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha bundle unpack"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha bundle unpack"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha bundle unpack"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm alpha diff"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha diff"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha diff"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha diff"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm alpha generate"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha generate"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha generate"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha generate"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm alpha render-veneer"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm alpha render-veneer"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm alpha render-veneer"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm alpha render-veneer"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm render"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm render"' -s o -l output -r -f -a 'json\\t\'\' yaml\\t\'\'' -d 'Format: json or yaml'
complete -c opm -n '__opm_at "opm render"' -l migrate-level -r -f -a 'bundle-object-to-csv-metadata\\t\'\' none\\t\'\'' -d 'Last migration to run: none or bundle-object-to-csv-metadata'
complete -c opm -n '__opm_at "opm render"' -l alpha-image-ref-template -r -f -d 'Image of bundles that are rendered from directories; {{.Package}}, {{.Name}} and {{.Version}} are replaced'
complete -c opm -n '__opm_at "opm render"' -l migrate -d 'Run all migrations'
complete -c opm -n '__opm_at "opm render"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opm -n '__opm_at "opm render"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opm -n '__opm_at "opm render"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opm -n '__opm_at "opm render"' -l authfile -r -F -d 'File with credentials, instead of those of podman and docker'
complete -c opm -n '__opm_at "opm render"' -l signature-policy -r -F -d 'Policy that says which images are accepted (default: policy.json of container engines)'
complete -c opm -n '__opm_at "opm render"' -l registries.d -r -f -a '(__fish_complete_directories)' -d 'Directory that says where signatures are (default: that of container engines)'
complete -c opm -n '__opm_at "opm render"' -l require-signatures -d 'Refuse images that the policy accepts without a signature'
complete -c opm -n '__opm_at "opm render"' -l registry-rps -r -f -d 'Maximum requests to registries per second (default: no limit)'
complete -c opm -n '__opm_at "opm render"' -l platform -r -f -d 'Platform to choose from a multi-platform image (default: linux on this architecture)'
complete -c opm -n '__opm_at "opm render"' -l no-cache -d 'Do not use the cache of layers'
complete -c opm -n '__opm_at "opm render"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opm -n '__opm_at "opm render"' -l skip-tls -d 'The same as --use-http (deprecated)'
complete -c opm -n '__opm_at "opm render"' -F

complete -c opm -n '__opm_at "opm validate"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm validate"' -s o -l output -r -f -a 'json\\t\'\' yaml\\t\'\'' -d 'Result as json or yaml, not as text'
complete -c opm -n '__opm_at "opm validate"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm validate"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm validate"' -l skip-tls -d 'The same as --use-http (deprecated)'
complete -c opm -n '__opm_at "opm validate" 0' -F

complete -c opm -n '__opm_at "opm generate"' -a dockerfile -d 'Write a Dockerfile for a catalog directory'
complete -c opm -n '__opm_at "opm generate"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm generate"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm generate"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm generate"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm generate dockerfile"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm generate dockerfile"' -s i -l base-image -r -f -d 'Image that the catalog image is based on'
complete -c opm -n '__opm_at "opm generate dockerfile"' -s b -l builder-image -r -f -d 'Image with /bin/opm to make the cache'
complete -c opm -n '__opm_at "opm generate dockerfile"' -s l -l extra-labels -r -f -d 'Labels for the image; the last of equal keys counts'
complete -c opm -n '__opm_at "opm generate dockerfile"' -l binary-image -r -f -d 'The same as --base-image and --builder-image (deprecated)'
complete -c opm -n '__opm_at "opm generate dockerfile"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm generate dockerfile"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm generate dockerfile"' -l skip-tls -d 'The same as --use-http (deprecated)'
complete -c opm -n '__opm_at "opm generate dockerfile" 0' -f -a '(__fish_complete_directories)'

complete -c opm -n '__opm_at "opm init"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm init"' -s c -l default-channel -r -f -a '(__opm_names channel)' -d 'Channel for subscriptions that do not name one'
complete -c opm -n '__opm_at "opm init"' -s d -l description -r -F -d 'File with the description, as Markdown'
complete -c opm -n '__opm_at "opm init"' -s i -l icon -r -F -d 'Image file with the icon'
complete -c opm -n '__opm_at "opm init"' -s o -l output -r -f -a 'json\\t\'\' yaml\\t\'\'' -d 'Format: json or yaml'
complete -c opm -n '__opm_at "opm init"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm init"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm init"' -l skip-tls -d 'The same as --use-http (deprecated)'
complete -c opm -n '__opm_at "opm init" 0' -f -a '(__opm_names package)'

complete -c opm -n '__opm_at "opm migrate"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm migrate"' -s o -l output -r -f -a 'json\\t\'\' yaml\\t\'\'' -d 'Format: json or yaml'
complete -c opm -n '__opm_at "opm migrate"' -l migrate-level -r -f -a 'bundle-object-to-csv-metadata\\t\'\' none\\t\'\'' -d 'Last migration to run: none or bundle-object-to-csv-metadata'
complete -c opm -n '__opm_at "opm migrate"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opm -n '__opm_at "opm migrate"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opm -n '__opm_at "opm migrate"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opm -n '__opm_at "opm migrate"' -l authfile -r -F -d 'File with credentials, instead of those of podman and docker'
complete -c opm -n '__opm_at "opm migrate"' -l signature-policy -r -F -d 'Policy that says which images are accepted (default: policy.json of container engines)'
complete -c opm -n '__opm_at "opm migrate"' -l registries.d -r -f -a '(__fish_complete_directories)' -d 'Directory that says where signatures are (default: that of container engines)'
complete -c opm -n '__opm_at "opm migrate"' -l require-signatures -d 'Refuse images that the policy accepts without a signature'
complete -c opm -n '__opm_at "opm migrate"' -l registry-rps -r -f -d 'Maximum requests to registries per second (default: no limit)'
complete -c opm -n '__opm_at "opm migrate"' -l platform -r -f -d 'Platform to choose from a multi-platform image (default: linux on this architecture)'
complete -c opm -n '__opm_at "opm migrate"' -l no-cache -d 'Do not use the cache of layers'
complete -c opm -n '__opm_at "opm migrate"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opm -n '__opm_at "opm migrate"' -l skip-tls -d 'The same as --use-http (deprecated)'
complete -c opm -n '__opm_at "opm migrate" 0' -F
complete -c opm -n '__opm_at "opm migrate" 1' -f -a '(__fish_complete_directories)'

complete -c opm -n '__opm_at "opm serve"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm serve"' -s p -l port -r -f -d 'Port of gRPC'
complete -c opm -n '__opm_at "opm serve"' -l address -r -f -d 'Address of --port (default: all interfaces)'
complete -c opm -n '__opm_at "opm serve"' -l grpc -r -f -d 'Instead of --port: serve one of several catalogs by gRPC on [HOST]:PORT or unix:PATH'
complete -c opm -n '__opm_at "opm serve"' -l no-grpc -d 'Do not serve gRPC'
complete -c opm -n '__opm_at "opm serve"' -l http -r -f -d 'Serve catalogd\'s HTTP on [HOST]:PORT or unix:PATH'
complete -c opm -n '__opm_at "opm serve"' -l watch -r -f -d 'Reload a catalog when its files change, or when its tag names another image; checked every second, or every SECONDS'
complete -c opm -n '__opm_at "opm serve"' -l no-metas -d 'Do not answer queries for single blobs over HTTP'
complete -c opm -n '__opm_at "opm serve"' -l no-web -d 'Serve no pages for browsers'
complete -c opm -n '__opm_at "opm serve"' -l allow-query -d 'Answer SQL on a page of each catalog: it only reads, one query at a time, within limits'
complete -c opm -n '__opm_at "opm serve"' -l export -r -f -a '(__fish_complete_directories)' -d 'Serve nothing: write the pages for browsers to a directory, for any web server'
complete -c opm -n '__opm_at "opm serve"' -l no-metrics -d 'Do not answer /healthz, /readyz and /metrics'
complete -c opm -n '__opm_at "opm serve"' -l check -d 'Load the catalogs, print what would be served and the memory that it takes, and end'
complete -c opm -n '__opm_at "opm serve"' -l log-requests -d 'Log each request but those about health'
complete -c opm -n '__opm_at "opm serve"' -l log -r -f -a 'json\\t\'\' none\\t\'\' text\\t\'\'' -d 'Events on standard error: text, json or none'
complete -c opm -n '__opm_at "opm serve"' -l tls-cert -r -F -d 'Certificate of the server, PEM, with its intermediate CAs; all listeners then speak TLS'
complete -c opm -n '__opm_at "opm serve"' -l tls-key -r -F -d 'Key of the certificate, PEM'
complete -c opm -n '__opm_at "opm serve"' -l tls-client-ca -r -F -d 'CAs of clients, PEM: clients then need a certificate'
complete -c opm -n '__opm_at "opm serve"' -l max-connections -r -f -d 'Connections that ask for more than health and metrics; who needs one of others\' places may get it'
complete -c opm -n '__opm_at "opm serve"' -l max-streams -r -f -d 'Concurrent calls on a gRPC connection'
complete -c opm -n '__opm_at "opm serve"' -l idle -r -f -d 'Seconds until an inactive connection is closed'
complete -c opm -n '__opm_at "opm serve"' -l drain -r -f -d 'Seconds that running answers have after a signal to end'
complete -c opm -n '__opm_at "opm serve"' -l cache-dir -r -f -a '(__fish_complete_directories)' -d 'Accepted; there is no cache, and only --cache-only writes there'
complete -c opm -n '__opm_at "opm serve"' -l cache-only -d 'Load and check the catalog, make the directory of --cache-dir, and end'
complete -c opm -n '__opm_at "opm serve"' -l cache-enforce-integrity -d 'Accepted together with --cache-dir; there is no cache'
complete -c opm -n '__opm_at "opm serve"' -s t -l termination-log -r -F -d 'File for the reason if the start fails'
complete -c opm -n '__opm_at "opm serve"' -l pprof-addr -r -f -d 'Accepted without effect: opcat does not listen there'
complete -c opm -n '__opm_at "opm serve"' -l pprof-capture-profiles -d 'Accepted without effect'
complete -c opm -n '__opm_at "opm serve"' -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opm -n '__opm_at "opm serve"' -l use-http -d 'Talk to registries in plain HTTP'
complete -c opm -n '__opm_at "opm serve"' -l cert-dir -r -f -a '(__fish_complete_directories)' -d 'Directory with CAs (*.crt) and client certificates (*.cert, *.key)'
complete -c opm -n '__opm_at "opm serve"' -l authfile -r -F -d 'File with credentials, instead of those of podman and docker'
complete -c opm -n '__opm_at "opm serve"' -l signature-policy -r -F -d 'Policy that says which images are accepted (default: policy.json of container engines)'
complete -c opm -n '__opm_at "opm serve"' -l registries.d -r -f -a '(__fish_complete_directories)' -d 'Directory that says where signatures are (default: that of container engines)'
complete -c opm -n '__opm_at "opm serve"' -l require-signatures -d 'Refuse images that the policy accepts without a signature'
complete -c opm -n '__opm_at "opm serve"' -l registry-rps -r -f -d 'Maximum requests to registries per second (default: no limit)'
complete -c opm -n '__opm_at "opm serve"' -l platform -r -f -d 'Platform to choose from a multi-platform image (default: linux on this architecture)'
complete -c opm -n '__opm_at "opm serve"' -l no-cache -d 'Do not use the cache of layers'
complete -c opm -n '__opm_at "opm serve"' -l max-unpacked-size -r -f -d 'Largest image to unpack (default: 4GiB)'
complete -c opm -n '__opm_at "opm serve"' -l skip-tls -d 'The same as --use-http (deprecated)'
complete -c opm -n '__opm_at "opm serve"' -F

complete -c opm -n '__opm_at "opm version"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm version"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm version"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm version"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm completion"' -a bash -d 'For bash'
complete -c opm -n '__opm_at "opm completion"' -a zsh -d 'For zsh'
complete -c opm -n '__opm_at "opm completion"' -a fish -d 'For fish'
complete -c opm -n '__opm_at "opm completion"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm completion"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm completion"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm completion"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm completion bash"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm completion bash"' -l no-descriptions -d 'Accepted, and ignored'
complete -c opm -n '__opm_at "opm completion bash"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm completion bash"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm completion bash"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm completion zsh"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm completion zsh"' -l no-descriptions -d 'Accepted, and ignored'
complete -c opm -n '__opm_at "opm completion zsh"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm completion zsh"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm completion zsh"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm completion fish"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm completion fish"' -l no-descriptions -d 'Accepted, and ignored'
complete -c opm -n '__opm_at "opm completion fish"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm completion fish"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm completion fish"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm help"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm help"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm help"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm help"' -l skip-tls -d 'The same as --use-http (deprecated)'
complete -c opm -n '__opm_at "opm help"' -f -a '(__opm_names topic)'

complete -c opm -n '__opm_at "opm index"' -a add -d 'add the output of `opcat render BUNDLE` to the catalog and an entry to a channel, or list the bundle in a template and run `opcat template render`; then `opcat build DIR -t IMAGE` makes the image'
complete -c opm -n '__opm_at "opm index"' -a rm -d 'a package is a folder of the catalog that `opcat migrate INDEX DIR` writes: remove the folder'
complete -c opm -n '__opm_at "opm index"' -a delete -d 'a package is a folder of the catalog that `opcat migrate INDEX DIR` writes: remove the folder'
complete -c opm -n '__opm_at "opm index"' -a prune -d '`opcat filter REF -p PACKAGE` keeps only the named packages'
complete -c opm -n '__opm_at "opm index"' -a prune-stranded -d '`opcat validate REF` reports bundles without a channel: remove their blobs'
complete -c opm -n '__opm_at "opm index"' -a deprecatetruncate -d 'remove the old entries from the channels and declare deprecations in an olm.deprecations blob; `opcat diff OLD NEW` shows which installed versions it strands'
complete -c opm -n '__opm_at "opm index"' -a deprecate -d 'remove the old entries from the channels and declare deprecations in an olm.deprecations blob; `opcat diff OLD NEW` shows which installed versions it strands'
complete -c opm -n '__opm_at "opm index"' -a export -d '`opcat render INDEX` prints the content of an index'
complete -c opm -n '__opm_at "opm index"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm index"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm index"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm index"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm index add"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm index add"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm index add"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm index add"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm index rm"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm index rm"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm index rm"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm index rm"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm index delete"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm index delete"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm index delete"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm index delete"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm index prune"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm index prune"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm index prune"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm index prune"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm index prune-stranded"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm index prune-stranded"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm index prune-stranded"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm index prune-stranded"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm index deprecatetruncate"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm index deprecatetruncate"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm index deprecatetruncate"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm index deprecatetruncate"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm index deprecate"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm index deprecate"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm index deprecate"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm index deprecate"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm index export"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm index export"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm index export"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm index export"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm registry"' -a add -d 'add the output of `opcat render BUNDLE` to the catalog and an entry to a channel, or list the bundle in a template and run `opcat template render`; then `opcat build DIR -t IMAGE` makes the image'
complete -c opm -n '__opm_at "opm registry"' -a rm -d 'a package is a folder of the catalog that `opcat migrate INDEX DIR` writes: remove the folder'
complete -c opm -n '__opm_at "opm registry"' -a prune -d '`opcat filter REF -p PACKAGE` keeps only the named packages'
complete -c opm -n '__opm_at "opm registry"' -a prune-stranded -d '`opcat validate REF` reports bundles without a channel: remove their blobs'
complete -c opm -n '__opm_at "opm registry"' -a deprecatetruncate -d 'remove the old entries from the channels and declare deprecations in an olm.deprecations blob; `opcat diff OLD NEW` shows which installed versions it strands'
complete -c opm -n '__opm_at "opm registry"' -a serve -d '`opm migrate INDEX DIR` makes a catalog directory of the index, which `opm serve DIR` serves'
complete -c opm -n '__opm_at "opm registry"' -a mirror -d '`opcat mirror CATALOG --to REGISTRY` mirrors a catalog with the images of its bundles'
complete -c opm -n '__opm_at "opm registry"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm registry"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm registry"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm registry"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm registry add"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm registry add"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm registry add"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm registry add"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm registry rm"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm registry rm"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm registry rm"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm registry rm"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm registry prune"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm registry prune"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm registry prune"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm registry prune"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm registry prune-stranded"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm registry prune-stranded"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm registry prune-stranded"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm registry prune-stranded"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm registry deprecatetruncate"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm registry deprecatetruncate"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm registry deprecatetruncate"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm registry deprecatetruncate"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm registry serve"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm registry serve"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm registry serve"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm registry serve"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm registry mirror"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm registry mirror"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm registry mirror"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm registry mirror"' -l skip-tls -d 'The same as --use-http (deprecated)'

complete -c opm -n '__opm_at "opm http"' -s h -l help -d 'Print this help message and exit'
complete -c opm -n '__opm_at "opm http"' -l skip-tls-verify -d 'Do not verify certificates of registries'
complete -c opm -n '__opm_at "opm http"' -l use-http -d 'Use plain HTTP for registries'
complete -c opm -n '__opm_at "opm http"' -l skip-tls -d 'The same as --use-http (deprecated)'
