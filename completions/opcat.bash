# Completion of opcat for bash, made by `opcat completion bash`.

# Sets `commands` to those of the command in $1.
_opcat_commands() {
    commands=()
    case $1 in
    'opcat') commands=(validate explain list graph diff render merge semver bundle schema config resolve init template filter compose migrate fmt generate lsp build copy mirror serve catalog search install upgrade approve uninstall status job cache link completion help version) ;;
    'opcat list') commands=(packages channels bundles images) ;;
    'opcat semver') commands=(match sort) ;;
    'opcat bundle') commands=(manifests validate) ;;
    'opcat schema') commands=(list show export) ;;
    'opcat config') commands=(show schema) ;;
    'opcat resolve') commands=(v1 ocp-upgrade classic) ;;
    'opcat template') commands=(render convert) ;;
    'opcat template convert') commands=(basic substitutes) ;;
    'opcat generate') commands=(dockerfile) ;;
    'opcat build') commands=(bundle files) ;;
    'opcat catalog') commands=(add list remove refresh) ;;
    'opcat cache') commands=(list clean) ;;
    'opcat completion') commands=(bash zsh fish) ;;
    esac
}

# Sets `flags` to those of the command in $1.
_opcat_flags() {
    flags=()
    case $1 in
    'opcat') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat validate') flags=(-h --help --refs --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --resolve-images --bundle-dir --format --report --strict --severity --all --summary --no-pager --baseline --write-baseline --prune-baseline --schema --config --no-config --rule --allow-empty --fix --diff --unsafe-fixes --changed-since --watch --shard --shard-output --color --progress -q --quiet -j --jobs) ;;
    'opcat explain') flags=(-h --help --markdown --html --color --progress -q --quiet -j --jobs) ;;
    'opcat list') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat list packages') flags=(-h --help -o --output --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --resolve-images --bundle-dir --color --progress -q --quiet -j --jobs) ;;
    'opcat list channels') flags=(-h --help -o --output --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --resolve-images --bundle-dir -p --package --color --progress -q --quiet -j --jobs) ;;
    'opcat list bundles') flags=(-h --help -o --output --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --resolve-images --bundle-dir -p --package -c --channel --sort-by --color --progress -q --quiet -j --jobs) ;;
    'opcat list images') flags=(-h --help -o --output --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --resolve-images --bundle-dir -p --package -c --channel --version -f --file --with-dependencies --color --progress -q --quiet -j --jobs) ;;
    'opcat graph') flags=(-h --help -p --package -c --channel -o --output --olm --from --to --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --resolve-images --bundle-dir --color --progress -q --quiet -j --jobs) ;;
    'opcat diff') flags=(-h --help -o --output --fail-on --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --resolve-images --bundle-dir --color --progress -q --quiet -j --jobs) ;;
    'opcat render') flags=(-h --help --refs -o --output --migrate-level --image-ref-template --allow-empty --output-dir --shard --shard-output --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --color --progress -q --quiet -j --jobs) ;;
    'opcat merge') flags=(-h --help --keep-going --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --allow-upload-host --max-unpacked-size --color --progress -q --quiet -j --jobs) ;;
    'opcat semver') flags=(-h --help --batch --color --progress -q --quiet -j --jobs) ;;
    'opcat semver match') flags=(-h --help --dialect -o --output --color --progress -q --quiet -j --jobs) ;;
    'opcat semver sort') flags=(-h --help --reverse --color --progress -q --quiet -j --jobs) ;;
    'opcat bundle') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat bundle manifests') flags=(-h --help -n --namespace --watch-namespace -o --output --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --color --progress -q --quiet -j --jobs) ;;
    'opcat bundle validate') flags=(-h --help --suite --kubernetes-version --categories --format --report --strict --severity --all --summary --no-pager --baseline --write-baseline --prune-baseline --config --no-config --rule --batch --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --color --progress -q --quiet -j --jobs) ;;
    'opcat schema') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat schema list') flags=(-h --help --schema --color --progress -q --quiet -j --jobs) ;;
    'opcat schema show') flags=(-h --help --schema --color --progress -q --quiet -j --jobs) ;;
    'opcat schema export') flags=(-h --help --schema --format --color --progress -q --quiet -j --jobs) ;;
    'opcat config') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat config show') flags=(-h --help --config --no-config --rule -o --output --color --progress -q --quiet -j --jobs) ;;
    'opcat config schema') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat resolve') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat resolve v1') flags=(-h --help --catalog --version --channel --selector --policy --installed --features -f --filename --from-cluster --kubectl --kubeconfig --context --as --request-timeout --explain --to-end --all-installed --against -o --output --batch --shard --shard-output --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --color --progress -q --quiet -j --jobs) ;;
    'opcat resolve ocp-upgrade') flags=(-h --help --cluster-version --installed --catalog --next-catalog --olm --from-cluster --kubectl --kubeconfig --context --as --request-timeout -o --output --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --color --progress -q --quiet -j --jobs) ;;
    'opcat resolve classic') flags=(-h --help -n --namespace --catalog --cluster --from-cluster --kubectl --kubeconfig --context --as --request-timeout --subscribe --global-namespace --fail-on --to-end --explain --objects -o --output --batch --shard --shard-output --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --color --progress -q --quiet -j --jobs) ;;
    'opcat init') flags=(-h --help -c --default-channel -d --description -i --icon -o --output --color --progress -q --quiet -j --jobs) ;;
    'opcat template') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat template render') flags=(-h --help -o --output --migrate-level --allow-empty --bundle-dir --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --color --progress -q --quiet -j --jobs) ;;
    'opcat template convert') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat template convert basic') flags=(-h --help -o --output --allow-empty --color --progress -q --quiet -j --jobs) ;;
    'opcat template convert substitutes') flags=(-h --help -o --output --allow-empty --color --progress -q --quiet -j --jobs) ;;
    'opcat filter') flags=(-h --help -p --package -c --channel --version -f --file --with-dependencies -o --output --allow-empty --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --color --progress -q --quiet -j --jobs) ;;
    'opcat compose') flags=(-h --help --update --allow-empty --locked --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --color --progress -q --quiet -j --jobs) ;;
    'opcat migrate') flags=(-h --help -o --output --migrate-level --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --color --progress -q --quiet -j --jobs) ;;
    'opcat fmt') flags=(-h --help --check --diff --color --progress -q --quiet -j --jobs) ;;
    'opcat generate') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat generate dockerfile') flags=(-h --help -i --base-image -b --builder-image -l --extra-labels --binary-less --serve -o --output --force --no-validate --color --progress -q --quiet -j --jobs) ;;
    'opcat lsp') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat build') flags=(-h --help -t --tag --platform --label --annotation --compression --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --allow-upload-host --max-unpacked-size --no-validate --allow-empty --base --color --progress -q --quiet -j --jobs) ;;
    'opcat build bundle') flags=(-h --help -t --tag --platform --label --annotation --compression --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --allow-upload-host --max-unpacked-size --no-validate --color --progress -q --quiet -j --jobs) ;;
    'opcat build files') flags=(-h --help -t --tag --platform --label --annotation --compression --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --allow-upload-host --max-unpacked-size --base --entrypoint --env --user --workdir --color --progress -q --quiet -j --jobs) ;;
    'opcat copy') flags=(-h --help --platform --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --allow-upload-host --max-unpacked-size --color --progress -q --quiet -j --jobs) ;;
    'opcat mirror') flags=(-h --help --to --config -p --package -c --channel --version -f --file --with-dependencies --dry-run --prune --keep-going --allow-empty --resources --shard --finish-shards --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --allow-upload-host --max-unpacked-size --color --progress -q --quiet -j --jobs) ;;
    'opcat serve') flags=(-h --help -p --port --address --grpc --no-grpc --http --watch --no-metas --no-web --export --no-metrics --check --log-requests --log --tls-cert --tls-key --tls-client-ca --max-connections --max-streams --idle --drain --cache-dir --cache-only --cache-enforce-integrity -t --termination-log --pprof-addr --pprof-capture-profiles --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --color --progress -q --quiet -j --jobs) ;;
    'opcat catalog') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat catalog add') flags=(-h --help --image-template --priority --poll -n --namespace --olm --kubectl --kubeconfig --context --as --request-timeout --timeout --no-wait -y --yes --dry-run --force --cleanup-on-failure --force-conflicts -o --output --color --progress -q --quiet -j --jobs) ;;
    'opcat catalog list') flags=(-h --help -n --namespace --olm --kubectl --kubeconfig --context --as --request-timeout -o --output --color --progress -q --quiet -j --jobs) ;;
    'opcat catalog remove') flags=(-h --help -n --namespace --olm --kubectl --kubeconfig --context --as --request-timeout --timeout --no-wait -y --yes --dry-run --color --progress -q --quiet -j --jobs) ;;
    'opcat catalog refresh') flags=(-h --help -n --namespace --olm --kubectl --kubeconfig --context --as --request-timeout --timeout --no-wait -y --yes --dry-run --color --progress -q --quiet -j --jobs) ;;
    'opcat search') flags=(-h --help -n --namespace --olm --kubectl --kubeconfig --context --as --request-timeout --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size -o --output --color --progress -q --quiet -j --jobs) ;;
    'opcat install') flags=(-h --help --channel --version --catalog --watch-namespace --all-namespaces --approval --pin --create-operator-group --rbac --rbac-for --service-account --self-certified -n --namespace --olm --kubectl --kubeconfig --context --as --request-timeout --timeout --no-wait -y --yes --dry-run --force --cleanup-on-failure --force-conflicts -o --output --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --color --progress -q --quiet -j --jobs) ;;
    'opcat upgrade') flags=(-h --help --to --channel --self-certified --keep-self-certified -n --namespace --olm --kubectl --kubeconfig --context --as --request-timeout --timeout --no-wait -y --yes --dry-run --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --platform --no-cache --max-unpacked-size --force --color --progress -q --quiet -j --jobs) ;;
    'opcat approve') flags=(-h --help -n --namespace --kubectl --kubeconfig --context --as --request-timeout --timeout --no-wait -y --yes --dry-run --color --progress -q --quiet -j --jobs) ;;
    'opcat uninstall') flags=(-h --help --delete-crds --delete-operator-groups --delete-operands --with-dependencies --force -n --namespace --olm --kubectl --kubeconfig --context --as --request-timeout --timeout --no-wait -y --yes --dry-run --color --progress -q --quiet -j --jobs) ;;
    'opcat status') flags=(-h --help -n --namespace --olm --kubectl --kubeconfig --context --as --request-timeout -o --output --color --progress -q --quiet -j --jobs) ;;
    'opcat job') flags=(-h --help --image --result --result-claim --shards --parallelism --retries --name --pull-secret --cpu --memory --keep --timeout -o --output --no-wait --keep-going --skip-tls-verify --use-http --cert-dir --authfile --registry-rps --allow-upload-host --max-unpacked-size -n --namespace --kubectl --kubeconfig --context --as --request-timeout --color --progress -q --quiet -j --jobs) ;;
    'opcat cache') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat cache list') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat cache clean') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat link') flags=(-h --help --force --color --progress -q --quiet -j --jobs) ;;
    'opcat completion') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat completion bash') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat completion zsh') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat completion fish') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat help') flags=(-h --help --color --progress -q --quiet -j --jobs) ;;
    'opcat version') flags=(-h --help -o --output --build-info --color --progress -q --quiet -j --jobs) ;;
    esac
}

# Sets `kind` to that of the value of flag $2 of command $1; to nothing if it has none.
_opcat_value() {
    kind=()
    case "$1 $2" in
    'opcat --color') kind=(words always auto never) ;;
    'opcat --progress') kind=(words always auto never) ;;
    'opcat -j' | 'opcat --jobs') kind=(words ) ;;
    'opcat validate --refs') kind=(files) ;;
    'opcat validate --cert-dir') kind=(directories) ;;
    'opcat validate --authfile') kind=(files) ;;
    'opcat validate --registry-rps') kind=(words ) ;;
    'opcat validate --platform') kind=(words ) ;;
    'opcat validate --max-unpacked-size') kind=(words ) ;;
    'opcat validate --bundle-dir') kind=(directories) ;;
    'opcat validate --format') kind=(words concise github gitlab json junit sarif text) ;;
    'opcat validate --report') kind=(files) ;;
    'opcat validate --severity') kind=(words error note warning) ;;
    'opcat validate --baseline') kind=(files) ;;
    'opcat validate --write-baseline') kind=(files) ;;
    'opcat validate --schema') kind=(files) ;;
    'opcat validate --config') kind=(files) ;;
    'opcat validate --rule') kind=(words ) ;;
    'opcat validate --changed-since') kind=(words ) ;;
    'opcat validate --shard') kind=(words ) ;;
    'opcat validate --shard-output') kind=(files) ;;
    'opcat validate --color') kind=(words always auto never) ;;
    'opcat validate --progress') kind=(words always auto never) ;;
    'opcat validate -j' | 'opcat validate --jobs') kind=(words ) ;;
    'opcat explain --color') kind=(words always auto never) ;;
    'opcat explain --progress') kind=(words always auto never) ;;
    'opcat explain -j' | 'opcat explain --jobs') kind=(words ) ;;
    'opcat list --color') kind=(words always auto never) ;;
    'opcat list --progress') kind=(words always auto never) ;;
    'opcat list -j' | 'opcat list --jobs') kind=(words ) ;;
    'opcat list packages -o' | 'opcat list packages --output') kind=(words json name table wide yaml) ;;
    'opcat list packages --cert-dir') kind=(directories) ;;
    'opcat list packages --authfile') kind=(files) ;;
    'opcat list packages --registry-rps') kind=(words ) ;;
    'opcat list packages --platform') kind=(words ) ;;
    'opcat list packages --max-unpacked-size') kind=(words ) ;;
    'opcat list packages --bundle-dir') kind=(directories) ;;
    'opcat list packages --color') kind=(words always auto never) ;;
    'opcat list packages --progress') kind=(words always auto never) ;;
    'opcat list packages -j' | 'opcat list packages --jobs') kind=(words ) ;;
    'opcat list channels -o' | 'opcat list channels --output') kind=(words json name table wide yaml) ;;
    'opcat list channels --cert-dir') kind=(directories) ;;
    'opcat list channels --authfile') kind=(files) ;;
    'opcat list channels --registry-rps') kind=(words ) ;;
    'opcat list channels --platform') kind=(words ) ;;
    'opcat list channels --max-unpacked-size') kind=(words ) ;;
    'opcat list channels --bundle-dir') kind=(directories) ;;
    'opcat list channels -p' | 'opcat list channels --package') kind=(names package) ;;
    'opcat list channels --color') kind=(words always auto never) ;;
    'opcat list channels --progress') kind=(words always auto never) ;;
    'opcat list channels -j' | 'opcat list channels --jobs') kind=(words ) ;;
    'opcat list bundles -o' | 'opcat list bundles --output') kind=(words json name table wide yaml) ;;
    'opcat list bundles --cert-dir') kind=(directories) ;;
    'opcat list bundles --authfile') kind=(files) ;;
    'opcat list bundles --registry-rps') kind=(words ) ;;
    'opcat list bundles --platform') kind=(words ) ;;
    'opcat list bundles --max-unpacked-size') kind=(words ) ;;
    'opcat list bundles --bundle-dir') kind=(directories) ;;
    'opcat list bundles -p' | 'opcat list bundles --package') kind=(names package) ;;
    'opcat list bundles -c' | 'opcat list bundles --channel') kind=(names channel) ;;
    'opcat list bundles --sort-by') kind=(words name version) ;;
    'opcat list bundles --color') kind=(words always auto never) ;;
    'opcat list bundles --progress') kind=(words always auto never) ;;
    'opcat list bundles -j' | 'opcat list bundles --jobs') kind=(words ) ;;
    'opcat list images -o' | 'opcat list images --output') kind=(words json name table wide yaml) ;;
    'opcat list images --cert-dir') kind=(directories) ;;
    'opcat list images --authfile') kind=(files) ;;
    'opcat list images --registry-rps') kind=(words ) ;;
    'opcat list images --platform') kind=(words ) ;;
    'opcat list images --max-unpacked-size') kind=(words ) ;;
    'opcat list images --bundle-dir') kind=(directories) ;;
    'opcat list images -p' | 'opcat list images --package') kind=(names package) ;;
    'opcat list images -c' | 'opcat list images --channel') kind=(names package-channel) ;;
    'opcat list images --version') kind=(names package) ;;
    'opcat list images -f' | 'opcat list images --file') kind=(files) ;;
    'opcat list images --color') kind=(words always auto never) ;;
    'opcat list images --progress') kind=(words always auto never) ;;
    'opcat list images -j' | 'opcat list images --jobs') kind=(words ) ;;
    'opcat graph -p' | 'opcat graph --package') kind=(names package) ;;
    'opcat graph -c' | 'opcat graph --channel') kind=(names channel) ;;
    'opcat graph -o' | 'opcat graph --output') kind=(words dot html json mermaid svg text) ;;
    'opcat graph --olm') kind=(words classic v1) ;;
    'opcat graph --from') kind=(names bundle) ;;
    'opcat graph --to') kind=(names bundle) ;;
    'opcat graph --cert-dir') kind=(directories) ;;
    'opcat graph --authfile') kind=(files) ;;
    'opcat graph --registry-rps') kind=(words ) ;;
    'opcat graph --platform') kind=(words ) ;;
    'opcat graph --max-unpacked-size') kind=(words ) ;;
    'opcat graph --bundle-dir') kind=(directories) ;;
    'opcat graph --color') kind=(words always auto never) ;;
    'opcat graph --progress') kind=(words always auto never) ;;
    'opcat graph -j' | 'opcat graph --jobs') kind=(words ) ;;
    'opcat diff -o' | 'opcat diff --output') kind=(words json markdown text) ;;
    'opcat diff --fail-on') kind=(words ambiguous any default-channel deprecated removed skipped stranded z-stream) ;;
    'opcat diff --cert-dir') kind=(directories) ;;
    'opcat diff --authfile') kind=(files) ;;
    'opcat diff --registry-rps') kind=(words ) ;;
    'opcat diff --platform') kind=(words ) ;;
    'opcat diff --max-unpacked-size') kind=(words ) ;;
    'opcat diff --bundle-dir') kind=(directories) ;;
    'opcat diff --color') kind=(words always auto never) ;;
    'opcat diff --progress') kind=(words always auto never) ;;
    'opcat diff -j' | 'opcat diff --jobs') kind=(words ) ;;
    'opcat render --refs') kind=(files) ;;
    'opcat render -o' | 'opcat render --output') kind=(words json yaml) ;;
    'opcat render --migrate-level') kind=(words bundle-object-to-csv-metadata none) ;;
    'opcat render --image-ref-template') kind=(words ) ;;
    'opcat render --output-dir') kind=(directories) ;;
    'opcat render --shard') kind=(words ) ;;
    'opcat render --shard-output') kind=(files) ;;
    'opcat render --cert-dir') kind=(directories) ;;
    'opcat render --authfile') kind=(files) ;;
    'opcat render --registry-rps') kind=(words ) ;;
    'opcat render --platform') kind=(words ) ;;
    'opcat render --max-unpacked-size') kind=(words ) ;;
    'opcat render --color') kind=(words always auto never) ;;
    'opcat render --progress') kind=(words always auto never) ;;
    'opcat render -j' | 'opcat render --jobs') kind=(words ) ;;
    'opcat merge --cert-dir') kind=(directories) ;;
    'opcat merge --authfile') kind=(files) ;;
    'opcat merge --registry-rps') kind=(words ) ;;
    'opcat merge --allow-upload-host') kind=(words ) ;;
    'opcat merge --max-unpacked-size') kind=(words ) ;;
    'opcat merge --color') kind=(words always auto never) ;;
    'opcat merge --progress') kind=(words always auto never) ;;
    'opcat merge -j' | 'opcat merge --jobs') kind=(words ) ;;
    'opcat semver --batch') kind=(files) ;;
    'opcat semver --color') kind=(words always auto never) ;;
    'opcat semver --progress') kind=(words always auto never) ;;
    'opcat semver -j' | 'opcat semver --jobs') kind=(words ) ;;
    'opcat semver match --dialect') kind=(words blang masterminds) ;;
    'opcat semver match -o' | 'opcat semver match --output') kind=(words json text) ;;
    'opcat semver match --color') kind=(words always auto never) ;;
    'opcat semver match --progress') kind=(words always auto never) ;;
    'opcat semver match -j' | 'opcat semver match --jobs') kind=(words ) ;;
    'opcat semver sort --color') kind=(words always auto never) ;;
    'opcat semver sort --progress') kind=(words always auto never) ;;
    'opcat semver sort -j' | 'opcat semver sort --jobs') kind=(words ) ;;
    'opcat bundle --color') kind=(words always auto never) ;;
    'opcat bundle --progress') kind=(words always auto never) ;;
    'opcat bundle -j' | 'opcat bundle --jobs') kind=(words ) ;;
    'opcat bundle manifests -n' | 'opcat bundle manifests --namespace') kind=(words ) ;;
    'opcat bundle manifests --watch-namespace') kind=(words ) ;;
    'opcat bundle manifests -o' | 'opcat bundle manifests --output') kind=(words json yaml) ;;
    'opcat bundle manifests --cert-dir') kind=(directories) ;;
    'opcat bundle manifests --authfile') kind=(files) ;;
    'opcat bundle manifests --registry-rps') kind=(words ) ;;
    'opcat bundle manifests --platform') kind=(words ) ;;
    'opcat bundle manifests --max-unpacked-size') kind=(words ) ;;
    'opcat bundle manifests --color') kind=(words always auto never) ;;
    'opcat bundle manifests --progress') kind=(words always auto never) ;;
    'opcat bundle manifests -j' | 'opcat bundle manifests --jobs') kind=(words ) ;;
    'opcat bundle validate --suite') kind=(words all default operatorhub) ;;
    'opcat bundle validate --kubernetes-version') kind=(words ) ;;
    'opcat bundle validate --categories') kind=(files) ;;
    'opcat bundle validate --format') kind=(words concise github gitlab json junit sarif text) ;;
    'opcat bundle validate --report') kind=(files) ;;
    'opcat bundle validate --severity') kind=(words error note warning) ;;
    'opcat bundle validate --baseline') kind=(files) ;;
    'opcat bundle validate --write-baseline') kind=(files) ;;
    'opcat bundle validate --config') kind=(files) ;;
    'opcat bundle validate --rule') kind=(words ) ;;
    'opcat bundle validate --batch') kind=(files) ;;
    'opcat bundle validate --cert-dir') kind=(directories) ;;
    'opcat bundle validate --authfile') kind=(files) ;;
    'opcat bundle validate --registry-rps') kind=(words ) ;;
    'opcat bundle validate --platform') kind=(words ) ;;
    'opcat bundle validate --max-unpacked-size') kind=(words ) ;;
    'opcat bundle validate --color') kind=(words always auto never) ;;
    'opcat bundle validate --progress') kind=(words always auto never) ;;
    'opcat bundle validate -j' | 'opcat bundle validate --jobs') kind=(words ) ;;
    'opcat schema --color') kind=(words always auto never) ;;
    'opcat schema --progress') kind=(words always auto never) ;;
    'opcat schema -j' | 'opcat schema --jobs') kind=(words ) ;;
    'opcat schema list --schema') kind=(files) ;;
    'opcat schema list --color') kind=(words always auto never) ;;
    'opcat schema list --progress') kind=(words always auto never) ;;
    'opcat schema list -j' | 'opcat schema list --jobs') kind=(words ) ;;
    'opcat schema show --schema') kind=(files) ;;
    'opcat schema show --color') kind=(words always auto never) ;;
    'opcat schema show --progress') kind=(words always auto never) ;;
    'opcat schema show -j' | 'opcat schema show --jobs') kind=(words ) ;;
    'opcat schema export --schema') kind=(files) ;;
    'opcat schema export --format') kind=(words cue jsonschema) ;;
    'opcat schema export --color') kind=(words always auto never) ;;
    'opcat schema export --progress') kind=(words always auto never) ;;
    'opcat schema export -j' | 'opcat schema export --jobs') kind=(words ) ;;
    'opcat config --color') kind=(words always auto never) ;;
    'opcat config --progress') kind=(words always auto never) ;;
    'opcat config -j' | 'opcat config --jobs') kind=(words ) ;;
    'opcat config show --config') kind=(files) ;;
    'opcat config show --rule') kind=(words ) ;;
    'opcat config show -o' | 'opcat config show --output') kind=(words json text) ;;
    'opcat config show --color') kind=(words always auto never) ;;
    'opcat config show --progress') kind=(words always auto never) ;;
    'opcat config show -j' | 'opcat config show --jobs') kind=(words ) ;;
    'opcat config schema --color') kind=(words always auto never) ;;
    'opcat config schema --progress') kind=(words always auto never) ;;
    'opcat config schema -j' | 'opcat config schema --jobs') kind=(words ) ;;
    'opcat resolve --color') kind=(words always auto never) ;;
    'opcat resolve --progress') kind=(words always auto never) ;;
    'opcat resolve -j' | 'opcat resolve --jobs') kind=(words ) ;;
    'opcat resolve v1 --catalog') kind=(files) ;;
    'opcat resolve v1 --version') kind=(words ) ;;
    'opcat resolve v1 --channel') kind=(names channel) ;;
    'opcat resolve v1 --selector') kind=(words ) ;;
    'opcat resolve v1 --policy') kind=(words CatalogProvided SelfCertified) ;;
    'opcat resolve v1 --installed') kind=(names bundle) ;;
    'opcat resolve v1 --features') kind=(words BundleReleaseSupport) ;;
    'opcat resolve v1 -f' | 'opcat resolve v1 --filename') kind=(files) ;;
    'opcat resolve v1 --kubectl') kind=(files) ;;
    'opcat resolve v1 --kubeconfig') kind=(files) ;;
    'opcat resolve v1 --context') kind=(words ) ;;
    'opcat resolve v1 --as') kind=(words ) ;;
    'opcat resolve v1 --request-timeout') kind=(words ) ;;
    'opcat resolve v1 --against') kind=(files) ;;
    'opcat resolve v1 -o' | 'opcat resolve v1 --output') kind=(words json markdown text) ;;
    'opcat resolve v1 --batch') kind=(files) ;;
    'opcat resolve v1 --shard') kind=(words ) ;;
    'opcat resolve v1 --shard-output') kind=(files) ;;
    'opcat resolve v1 --cert-dir') kind=(directories) ;;
    'opcat resolve v1 --authfile') kind=(files) ;;
    'opcat resolve v1 --registry-rps') kind=(words ) ;;
    'opcat resolve v1 --platform') kind=(words ) ;;
    'opcat resolve v1 --max-unpacked-size') kind=(words ) ;;
    'opcat resolve v1 --color') kind=(words always auto never) ;;
    'opcat resolve v1 --progress') kind=(words always auto never) ;;
    'opcat resolve v1 -j' | 'opcat resolve v1 --jobs') kind=(words ) ;;
    'opcat resolve ocp-upgrade --cluster-version') kind=(words ) ;;
    'opcat resolve ocp-upgrade --installed') kind=(names bundle) ;;
    'opcat resolve ocp-upgrade --catalog') kind=(files) ;;
    'opcat resolve ocp-upgrade --next-catalog') kind=(files) ;;
    'opcat resolve ocp-upgrade --olm') kind=(words classic v1) ;;
    'opcat resolve ocp-upgrade --kubectl') kind=(files) ;;
    'opcat resolve ocp-upgrade --kubeconfig') kind=(files) ;;
    'opcat resolve ocp-upgrade --context') kind=(words ) ;;
    'opcat resolve ocp-upgrade --as') kind=(words ) ;;
    'opcat resolve ocp-upgrade --request-timeout') kind=(words ) ;;
    'opcat resolve ocp-upgrade -o' | 'opcat resolve ocp-upgrade --output') kind=(words json text) ;;
    'opcat resolve ocp-upgrade --cert-dir') kind=(directories) ;;
    'opcat resolve ocp-upgrade --authfile') kind=(files) ;;
    'opcat resolve ocp-upgrade --registry-rps') kind=(words ) ;;
    'opcat resolve ocp-upgrade --platform') kind=(words ) ;;
    'opcat resolve ocp-upgrade --max-unpacked-size') kind=(words ) ;;
    'opcat resolve ocp-upgrade --color') kind=(words always auto never) ;;
    'opcat resolve ocp-upgrade --progress') kind=(words always auto never) ;;
    'opcat resolve ocp-upgrade -j' | 'opcat resolve ocp-upgrade --jobs') kind=(words ) ;;
    'opcat resolve classic -n' | 'opcat resolve classic --namespace') kind=(words ) ;;
    'opcat resolve classic --catalog') kind=(files) ;;
    'opcat resolve classic --cluster') kind=(files) ;;
    'opcat resolve classic --kubectl') kind=(files) ;;
    'opcat resolve classic --kubeconfig') kind=(files) ;;
    'opcat resolve classic --context') kind=(words ) ;;
    'opcat resolve classic --as') kind=(words ) ;;
    'opcat resolve classic --request-timeout') kind=(words ) ;;
    'opcat resolve classic --subscribe') kind=(names package) ;;
    'opcat resolve classic --global-namespace') kind=(words ) ;;
    'opcat resolve classic --fail-on') kind=(words stranded) ;;
    'opcat resolve classic -o' | 'opcat resolve classic --output') kind=(words json text) ;;
    'opcat resolve classic --batch') kind=(files) ;;
    'opcat resolve classic --shard') kind=(words ) ;;
    'opcat resolve classic --shard-output') kind=(files) ;;
    'opcat resolve classic --cert-dir') kind=(directories) ;;
    'opcat resolve classic --authfile') kind=(files) ;;
    'opcat resolve classic --registry-rps') kind=(words ) ;;
    'opcat resolve classic --platform') kind=(words ) ;;
    'opcat resolve classic --max-unpacked-size') kind=(words ) ;;
    'opcat resolve classic --color') kind=(words always auto never) ;;
    'opcat resolve classic --progress') kind=(words always auto never) ;;
    'opcat resolve classic -j' | 'opcat resolve classic --jobs') kind=(words ) ;;
    'opcat init -c' | 'opcat init --default-channel') kind=(names channel) ;;
    'opcat init -d' | 'opcat init --description') kind=(files) ;;
    'opcat init -i' | 'opcat init --icon') kind=(files) ;;
    'opcat init -o' | 'opcat init --output') kind=(words json yaml) ;;
    'opcat init --color') kind=(words always auto never) ;;
    'opcat init --progress') kind=(words always auto never) ;;
    'opcat init -j' | 'opcat init --jobs') kind=(words ) ;;
    'opcat template --color') kind=(words always auto never) ;;
    'opcat template --progress') kind=(words always auto never) ;;
    'opcat template -j' | 'opcat template --jobs') kind=(words ) ;;
    'opcat template render -o' | 'opcat template render --output') kind=(words json mermaid yaml) ;;
    'opcat template render --migrate-level') kind=(words bundle-object-to-csv-metadata none) ;;
    'opcat template render --bundle-dir') kind=(directories) ;;
    'opcat template render --cert-dir') kind=(directories) ;;
    'opcat template render --authfile') kind=(files) ;;
    'opcat template render --registry-rps') kind=(words ) ;;
    'opcat template render --platform') kind=(words ) ;;
    'opcat template render --max-unpacked-size') kind=(words ) ;;
    'opcat template render --color') kind=(words always auto never) ;;
    'opcat template render --progress') kind=(words always auto never) ;;
    'opcat template render -j' | 'opcat template render --jobs') kind=(words ) ;;
    'opcat template convert --color') kind=(words always auto never) ;;
    'opcat template convert --progress') kind=(words always auto never) ;;
    'opcat template convert -j' | 'opcat template convert --jobs') kind=(words ) ;;
    'opcat template convert basic -o' | 'opcat template convert basic --output') kind=(words json yaml) ;;
    'opcat template convert basic --color') kind=(words always auto never) ;;
    'opcat template convert basic --progress') kind=(words always auto never) ;;
    'opcat template convert basic -j' | 'opcat template convert basic --jobs') kind=(words ) ;;
    'opcat template convert substitutes -o' | 'opcat template convert substitutes --output') kind=(words json yaml) ;;
    'opcat template convert substitutes --color') kind=(words always auto never) ;;
    'opcat template convert substitutes --progress') kind=(words always auto never) ;;
    'opcat template convert substitutes -j' | 'opcat template convert substitutes --jobs') kind=(words ) ;;
    'opcat filter -p' | 'opcat filter --package') kind=(names package) ;;
    'opcat filter -c' | 'opcat filter --channel') kind=(names package-channel) ;;
    'opcat filter --version') kind=(names package) ;;
    'opcat filter -f' | 'opcat filter --file') kind=(files) ;;
    'opcat filter -o' | 'opcat filter --output') kind=(words json yaml) ;;
    'opcat filter --cert-dir') kind=(directories) ;;
    'opcat filter --authfile') kind=(files) ;;
    'opcat filter --registry-rps') kind=(words ) ;;
    'opcat filter --platform') kind=(words ) ;;
    'opcat filter --max-unpacked-size') kind=(words ) ;;
    'opcat filter --color') kind=(words always auto never) ;;
    'opcat filter --progress') kind=(words always auto never) ;;
    'opcat filter -j' | 'opcat filter --jobs') kind=(words ) ;;
    'opcat compose --update') kind=(words ) ;;
    'opcat compose --cert-dir') kind=(directories) ;;
    'opcat compose --authfile') kind=(files) ;;
    'opcat compose --registry-rps') kind=(words ) ;;
    'opcat compose --platform') kind=(words ) ;;
    'opcat compose --max-unpacked-size') kind=(words ) ;;
    'opcat compose --color') kind=(words always auto never) ;;
    'opcat compose --progress') kind=(words always auto never) ;;
    'opcat compose -j' | 'opcat compose --jobs') kind=(words ) ;;
    'opcat migrate -o' | 'opcat migrate --output') kind=(words json yaml) ;;
    'opcat migrate --migrate-level') kind=(words bundle-object-to-csv-metadata none) ;;
    'opcat migrate --cert-dir') kind=(directories) ;;
    'opcat migrate --authfile') kind=(files) ;;
    'opcat migrate --registry-rps') kind=(words ) ;;
    'opcat migrate --platform') kind=(words ) ;;
    'opcat migrate --max-unpacked-size') kind=(words ) ;;
    'opcat migrate --color') kind=(words always auto never) ;;
    'opcat migrate --progress') kind=(words always auto never) ;;
    'opcat migrate -j' | 'opcat migrate --jobs') kind=(words ) ;;
    'opcat fmt --color') kind=(words always auto never) ;;
    'opcat fmt --progress') kind=(words always auto never) ;;
    'opcat fmt -j' | 'opcat fmt --jobs') kind=(words ) ;;
    'opcat generate --color') kind=(words always auto never) ;;
    'opcat generate --progress') kind=(words always auto never) ;;
    'opcat generate -j' | 'opcat generate --jobs') kind=(words ) ;;
    'opcat generate dockerfile -i' | 'opcat generate dockerfile --base-image') kind=(words ) ;;
    'opcat generate dockerfile -b' | 'opcat generate dockerfile --builder-image') kind=(words ) ;;
    'opcat generate dockerfile -l' | 'opcat generate dockerfile --extra-labels') kind=(words ) ;;
    'opcat generate dockerfile -o' | 'opcat generate dockerfile --output') kind=(files) ;;
    'opcat generate dockerfile --color') kind=(words always auto never) ;;
    'opcat generate dockerfile --progress') kind=(words always auto never) ;;
    'opcat generate dockerfile -j' | 'opcat generate dockerfile --jobs') kind=(words ) ;;
    'opcat lsp --color') kind=(words always auto never) ;;
    'opcat lsp --progress') kind=(words always auto never) ;;
    'opcat lsp -j' | 'opcat lsp --jobs') kind=(words ) ;;
    'opcat build -t' | 'opcat build --tag') kind=(files) ;;
    'opcat build --platform') kind=(words ) ;;
    'opcat build --label') kind=(words ) ;;
    'opcat build --annotation') kind=(words ) ;;
    'opcat build --compression') kind=(words gzip zstd) ;;
    'opcat build --cert-dir') kind=(directories) ;;
    'opcat build --authfile') kind=(files) ;;
    'opcat build --registry-rps') kind=(words ) ;;
    'opcat build --allow-upload-host') kind=(words ) ;;
    'opcat build --max-unpacked-size') kind=(words ) ;;
    'opcat build --base') kind=(words ) ;;
    'opcat build --color') kind=(words always auto never) ;;
    'opcat build --progress') kind=(words always auto never) ;;
    'opcat build -j' | 'opcat build --jobs') kind=(words ) ;;
    'opcat build bundle -t' | 'opcat build bundle --tag') kind=(files) ;;
    'opcat build bundle --platform') kind=(words ) ;;
    'opcat build bundle --label') kind=(words ) ;;
    'opcat build bundle --annotation') kind=(words ) ;;
    'opcat build bundle --compression') kind=(words gzip zstd) ;;
    'opcat build bundle --cert-dir') kind=(directories) ;;
    'opcat build bundle --authfile') kind=(files) ;;
    'opcat build bundle --registry-rps') kind=(words ) ;;
    'opcat build bundle --allow-upload-host') kind=(words ) ;;
    'opcat build bundle --max-unpacked-size') kind=(words ) ;;
    'opcat build bundle --color') kind=(words always auto never) ;;
    'opcat build bundle --progress') kind=(words always auto never) ;;
    'opcat build bundle -j' | 'opcat build bundle --jobs') kind=(words ) ;;
    'opcat build files -t' | 'opcat build files --tag') kind=(files) ;;
    'opcat build files --platform') kind=(words ) ;;
    'opcat build files --label') kind=(words ) ;;
    'opcat build files --annotation') kind=(words ) ;;
    'opcat build files --compression') kind=(words gzip zstd) ;;
    'opcat build files --cert-dir') kind=(directories) ;;
    'opcat build files --authfile') kind=(files) ;;
    'opcat build files --registry-rps') kind=(words ) ;;
    'opcat build files --allow-upload-host') kind=(words ) ;;
    'opcat build files --max-unpacked-size') kind=(words ) ;;
    'opcat build files --base') kind=(words ) ;;
    'opcat build files --entrypoint') kind=(words ) ;;
    'opcat build files --env') kind=(words ) ;;
    'opcat build files --user') kind=(words ) ;;
    'opcat build files --workdir') kind=(directories) ;;
    'opcat build files --color') kind=(words always auto never) ;;
    'opcat build files --progress') kind=(words always auto never) ;;
    'opcat build files -j' | 'opcat build files --jobs') kind=(words ) ;;
    'opcat copy --platform') kind=(words ) ;;
    'opcat copy --cert-dir') kind=(directories) ;;
    'opcat copy --authfile') kind=(files) ;;
    'opcat copy --registry-rps') kind=(words ) ;;
    'opcat copy --allow-upload-host') kind=(words ) ;;
    'opcat copy --max-unpacked-size') kind=(words ) ;;
    'opcat copy --color') kind=(words always auto never) ;;
    'opcat copy --progress') kind=(words always auto never) ;;
    'opcat copy -j' | 'opcat copy --jobs') kind=(words ) ;;
    'opcat mirror --to') kind=(files) ;;
    'opcat mirror --config') kind=(files) ;;
    'opcat mirror -p' | 'opcat mirror --package') kind=(names package) ;;
    'opcat mirror -c' | 'opcat mirror --channel') kind=(names package-channel) ;;
    'opcat mirror --version') kind=(names package) ;;
    'opcat mirror -f' | 'opcat mirror --file') kind=(files) ;;
    'opcat mirror --resources') kind=(directories) ;;
    'opcat mirror --shard') kind=(words ) ;;
    'opcat mirror --finish-shards') kind=(words ) ;;
    'opcat mirror --cert-dir') kind=(directories) ;;
    'opcat mirror --authfile') kind=(files) ;;
    'opcat mirror --registry-rps') kind=(words ) ;;
    'opcat mirror --allow-upload-host') kind=(words ) ;;
    'opcat mirror --max-unpacked-size') kind=(words ) ;;
    'opcat mirror --color') kind=(words always auto never) ;;
    'opcat mirror --progress') kind=(words always auto never) ;;
    'opcat mirror -j' | 'opcat mirror --jobs') kind=(words ) ;;
    'opcat serve -p' | 'opcat serve --port') kind=(words ) ;;
    'opcat serve --address') kind=(words ) ;;
    'opcat serve --grpc') kind=(words ) ;;
    'opcat serve --http') kind=(words ) ;;
    'opcat serve --watch') kind=(words ) ;;
    'opcat serve --export') kind=(directories) ;;
    'opcat serve --log') kind=(words json none text) ;;
    'opcat serve --tls-cert') kind=(files) ;;
    'opcat serve --tls-key') kind=(files) ;;
    'opcat serve --tls-client-ca') kind=(files) ;;
    'opcat serve --max-connections') kind=(words ) ;;
    'opcat serve --max-streams') kind=(words ) ;;
    'opcat serve --idle') kind=(words ) ;;
    'opcat serve --drain') kind=(words ) ;;
    'opcat serve --cache-dir') kind=(directories) ;;
    'opcat serve -t' | 'opcat serve --termination-log') kind=(files) ;;
    'opcat serve --pprof-addr') kind=(words ) ;;
    'opcat serve --cert-dir') kind=(directories) ;;
    'opcat serve --authfile') kind=(files) ;;
    'opcat serve --registry-rps') kind=(words ) ;;
    'opcat serve --platform') kind=(words ) ;;
    'opcat serve --max-unpacked-size') kind=(words ) ;;
    'opcat serve --color') kind=(words always auto never) ;;
    'opcat serve --progress') kind=(words always auto never) ;;
    'opcat serve -j' | 'opcat serve --jobs') kind=(words ) ;;
    'opcat catalog --color') kind=(words always auto never) ;;
    'opcat catalog --progress') kind=(words always auto never) ;;
    'opcat catalog -j' | 'opcat catalog --jobs') kind=(words ) ;;
    'opcat catalog add --image-template') kind=(words ) ;;
    'opcat catalog add --priority') kind=(words ) ;;
    'opcat catalog add --poll') kind=(words ) ;;
    'opcat catalog add -n' | 'opcat catalog add --namespace') kind=(words ) ;;
    'opcat catalog add --olm') kind=(words auto classic none v1) ;;
    'opcat catalog add --kubectl') kind=(files) ;;
    'opcat catalog add --kubeconfig') kind=(files) ;;
    'opcat catalog add --context') kind=(words ) ;;
    'opcat catalog add --as') kind=(words ) ;;
    'opcat catalog add --request-timeout') kind=(words ) ;;
    'opcat catalog add --timeout') kind=(words ) ;;
    'opcat catalog add -o' | 'opcat catalog add --output') kind=(words json yaml) ;;
    'opcat catalog add --color') kind=(words always auto never) ;;
    'opcat catalog add --progress') kind=(words always auto never) ;;
    'opcat catalog add -j' | 'opcat catalog add --jobs') kind=(words ) ;;
    'opcat catalog list -n' | 'opcat catalog list --namespace') kind=(words ) ;;
    'opcat catalog list --olm') kind=(words auto classic none v1) ;;
    'opcat catalog list --kubectl') kind=(files) ;;
    'opcat catalog list --kubeconfig') kind=(files) ;;
    'opcat catalog list --context') kind=(words ) ;;
    'opcat catalog list --as') kind=(words ) ;;
    'opcat catalog list --request-timeout') kind=(words ) ;;
    'opcat catalog list -o' | 'opcat catalog list --output') kind=(words json table) ;;
    'opcat catalog list --color') kind=(words always auto never) ;;
    'opcat catalog list --progress') kind=(words always auto never) ;;
    'opcat catalog list -j' | 'opcat catalog list --jobs') kind=(words ) ;;
    'opcat catalog remove -n' | 'opcat catalog remove --namespace') kind=(words ) ;;
    'opcat catalog remove --olm') kind=(words auto classic none v1) ;;
    'opcat catalog remove --kubectl') kind=(files) ;;
    'opcat catalog remove --kubeconfig') kind=(files) ;;
    'opcat catalog remove --context') kind=(words ) ;;
    'opcat catalog remove --as') kind=(words ) ;;
    'opcat catalog remove --request-timeout') kind=(words ) ;;
    'opcat catalog remove --timeout') kind=(words ) ;;
    'opcat catalog remove --color') kind=(words always auto never) ;;
    'opcat catalog remove --progress') kind=(words always auto never) ;;
    'opcat catalog remove -j' | 'opcat catalog remove --jobs') kind=(words ) ;;
    'opcat catalog refresh -n' | 'opcat catalog refresh --namespace') kind=(words ) ;;
    'opcat catalog refresh --olm') kind=(words auto classic none v1) ;;
    'opcat catalog refresh --kubectl') kind=(files) ;;
    'opcat catalog refresh --kubeconfig') kind=(files) ;;
    'opcat catalog refresh --context') kind=(words ) ;;
    'opcat catalog refresh --as') kind=(words ) ;;
    'opcat catalog refresh --request-timeout') kind=(words ) ;;
    'opcat catalog refresh --timeout') kind=(words ) ;;
    'opcat catalog refresh --color') kind=(words always auto never) ;;
    'opcat catalog refresh --progress') kind=(words always auto never) ;;
    'opcat catalog refresh -j' | 'opcat catalog refresh --jobs') kind=(words ) ;;
    'opcat search -n' | 'opcat search --namespace') kind=(words ) ;;
    'opcat search --olm') kind=(words auto classic none v1) ;;
    'opcat search --kubectl') kind=(files) ;;
    'opcat search --kubeconfig') kind=(files) ;;
    'opcat search --context') kind=(words ) ;;
    'opcat search --as') kind=(words ) ;;
    'opcat search --request-timeout') kind=(words ) ;;
    'opcat search --cert-dir') kind=(directories) ;;
    'opcat search --authfile') kind=(files) ;;
    'opcat search --registry-rps') kind=(words ) ;;
    'opcat search --platform') kind=(words ) ;;
    'opcat search --max-unpacked-size') kind=(words ) ;;
    'opcat search -o' | 'opcat search --output') kind=(words json table) ;;
    'opcat search --color') kind=(words always auto never) ;;
    'opcat search --progress') kind=(words always auto never) ;;
    'opcat search -j' | 'opcat search --jobs') kind=(words ) ;;
    'opcat install --channel') kind=(names channel) ;;
    'opcat install --version') kind=(words ) ;;
    'opcat install --catalog') kind=(words ) ;;
    'opcat install --watch-namespace') kind=(words ) ;;
    'opcat install --approval') kind=(words automatic manual) ;;
    'opcat install --rbac') kind=(words cluster-admin derived none) ;;
    'opcat install --rbac-for') kind=(words ) ;;
    'opcat install --service-account') kind=(words ) ;;
    'opcat install -n' | 'opcat install --namespace') kind=(words ) ;;
    'opcat install --olm') kind=(words auto classic none v1) ;;
    'opcat install --kubectl') kind=(files) ;;
    'opcat install --kubeconfig') kind=(files) ;;
    'opcat install --context') kind=(words ) ;;
    'opcat install --as') kind=(words ) ;;
    'opcat install --request-timeout') kind=(words ) ;;
    'opcat install --timeout') kind=(words ) ;;
    'opcat install -o' | 'opcat install --output') kind=(words json yaml) ;;
    'opcat install --cert-dir') kind=(directories) ;;
    'opcat install --authfile') kind=(files) ;;
    'opcat install --registry-rps') kind=(words ) ;;
    'opcat install --platform') kind=(words ) ;;
    'opcat install --max-unpacked-size') kind=(words ) ;;
    'opcat install --color') kind=(words always auto never) ;;
    'opcat install --progress') kind=(words always auto never) ;;
    'opcat install -j' | 'opcat install --jobs') kind=(words ) ;;
    'opcat upgrade --to') kind=(words ) ;;
    'opcat upgrade --channel') kind=(names channel) ;;
    'opcat upgrade -n' | 'opcat upgrade --namespace') kind=(words ) ;;
    'opcat upgrade --olm') kind=(words auto classic none v1) ;;
    'opcat upgrade --kubectl') kind=(files) ;;
    'opcat upgrade --kubeconfig') kind=(files) ;;
    'opcat upgrade --context') kind=(words ) ;;
    'opcat upgrade --as') kind=(words ) ;;
    'opcat upgrade --request-timeout') kind=(words ) ;;
    'opcat upgrade --timeout') kind=(words ) ;;
    'opcat upgrade --cert-dir') kind=(directories) ;;
    'opcat upgrade --authfile') kind=(files) ;;
    'opcat upgrade --registry-rps') kind=(words ) ;;
    'opcat upgrade --platform') kind=(words ) ;;
    'opcat upgrade --max-unpacked-size') kind=(words ) ;;
    'opcat upgrade --color') kind=(words always auto never) ;;
    'opcat upgrade --progress') kind=(words always auto never) ;;
    'opcat upgrade -j' | 'opcat upgrade --jobs') kind=(words ) ;;
    'opcat approve -n' | 'opcat approve --namespace') kind=(words ) ;;
    'opcat approve --kubectl') kind=(files) ;;
    'opcat approve --kubeconfig') kind=(files) ;;
    'opcat approve --context') kind=(words ) ;;
    'opcat approve --as') kind=(words ) ;;
    'opcat approve --request-timeout') kind=(words ) ;;
    'opcat approve --timeout') kind=(words ) ;;
    'opcat approve --color') kind=(words always auto never) ;;
    'opcat approve --progress') kind=(words always auto never) ;;
    'opcat approve -j' | 'opcat approve --jobs') kind=(words ) ;;
    'opcat uninstall -n' | 'opcat uninstall --namespace') kind=(words ) ;;
    'opcat uninstall --olm') kind=(words auto classic none v1) ;;
    'opcat uninstall --kubectl') kind=(files) ;;
    'opcat uninstall --kubeconfig') kind=(files) ;;
    'opcat uninstall --context') kind=(words ) ;;
    'opcat uninstall --as') kind=(words ) ;;
    'opcat uninstall --request-timeout') kind=(words ) ;;
    'opcat uninstall --timeout') kind=(words ) ;;
    'opcat uninstall --color') kind=(words always auto never) ;;
    'opcat uninstall --progress') kind=(words always auto never) ;;
    'opcat uninstall -j' | 'opcat uninstall --jobs') kind=(words ) ;;
    'opcat status -n' | 'opcat status --namespace') kind=(words ) ;;
    'opcat status --olm') kind=(words auto classic none v1) ;;
    'opcat status --kubectl') kind=(files) ;;
    'opcat status --kubeconfig') kind=(files) ;;
    'opcat status --context') kind=(words ) ;;
    'opcat status --as') kind=(words ) ;;
    'opcat status --request-timeout') kind=(words ) ;;
    'opcat status -o' | 'opcat status --output') kind=(words json prometheus table yaml) ;;
    'opcat status --color') kind=(words always auto never) ;;
    'opcat status --progress') kind=(words always auto never) ;;
    'opcat status -j' | 'opcat status --jobs') kind=(words ) ;;
    'opcat job --image') kind=(words ) ;;
    'opcat job --result') kind=(words ) ;;
    'opcat job --result-claim') kind=(words ) ;;
    'opcat job --shards') kind=(words ) ;;
    'opcat job --parallelism') kind=(words ) ;;
    'opcat job --retries') kind=(words ) ;;
    'opcat job --name') kind=(words ) ;;
    'opcat job --pull-secret') kind=(words ) ;;
    'opcat job --cpu') kind=(words ) ;;
    'opcat job --memory') kind=(words ) ;;
    'opcat job --keep') kind=(words ) ;;
    'opcat job --timeout') kind=(words ) ;;
    'opcat job -o' | 'opcat job --output') kind=(words json yaml) ;;
    'opcat job --cert-dir') kind=(directories) ;;
    'opcat job --authfile') kind=(files) ;;
    'opcat job --registry-rps') kind=(words ) ;;
    'opcat job --allow-upload-host') kind=(words ) ;;
    'opcat job --max-unpacked-size') kind=(words ) ;;
    'opcat job -n' | 'opcat job --namespace') kind=(words ) ;;
    'opcat job --kubectl') kind=(files) ;;
    'opcat job --kubeconfig') kind=(files) ;;
    'opcat job --context') kind=(words ) ;;
    'opcat job --as') kind=(words ) ;;
    'opcat job --request-timeout') kind=(words ) ;;
    'opcat job --color') kind=(words always auto never) ;;
    'opcat job --progress') kind=(words always auto never) ;;
    'opcat job -j' | 'opcat job --jobs') kind=(words ) ;;
    'opcat cache --color') kind=(words always auto never) ;;
    'opcat cache --progress') kind=(words always auto never) ;;
    'opcat cache -j' | 'opcat cache --jobs') kind=(words ) ;;
    'opcat cache list --color') kind=(words always auto never) ;;
    'opcat cache list --progress') kind=(words always auto never) ;;
    'opcat cache list -j' | 'opcat cache list --jobs') kind=(words ) ;;
    'opcat cache clean --color') kind=(words always auto never) ;;
    'opcat cache clean --progress') kind=(words always auto never) ;;
    'opcat cache clean -j' | 'opcat cache clean --jobs') kind=(words ) ;;
    'opcat link --color') kind=(words always auto never) ;;
    'opcat link --progress') kind=(words always auto never) ;;
    'opcat link -j' | 'opcat link --jobs') kind=(words ) ;;
    'opcat completion --color') kind=(words always auto never) ;;
    'opcat completion --progress') kind=(words always auto never) ;;
    'opcat completion -j' | 'opcat completion --jobs') kind=(words ) ;;
    'opcat completion bash --color') kind=(words always auto never) ;;
    'opcat completion bash --progress') kind=(words always auto never) ;;
    'opcat completion bash -j' | 'opcat completion bash --jobs') kind=(words ) ;;
    'opcat completion zsh --color') kind=(words always auto never) ;;
    'opcat completion zsh --progress') kind=(words always auto never) ;;
    'opcat completion zsh -j' | 'opcat completion zsh --jobs') kind=(words ) ;;
    'opcat completion fish --color') kind=(words always auto never) ;;
    'opcat completion fish --progress') kind=(words always auto never) ;;
    'opcat completion fish -j' | 'opcat completion fish --jobs') kind=(words ) ;;
    'opcat help --color') kind=(words always auto never) ;;
    'opcat help --progress') kind=(words always auto never) ;;
    'opcat help -j' | 'opcat help --jobs') kind=(words ) ;;
    'opcat version -o' | 'opcat version --output') kind=(words json text) ;;
    'opcat version --color') kind=(words always auto never) ;;
    'opcat version --progress') kind=(words always auto never) ;;
    'opcat version -j' | 'opcat version --jobs') kind=(words ) ;;
    esac
}

# Sets `kind` to that of the argument at position $2 of command $1.
_opcat_argument() {
    kind=()
    case "$1 $2" in
    'opcat validate '*) kind=(files) ;;
    'opcat explain '0) kind=(names rule) ;;
    'opcat list packages '0) kind=(files) ;;
    'opcat list channels '0) kind=(files) ;;
    'opcat list bundles '0) kind=(files) ;;
    'opcat list images '0) kind=(files) ;;
    'opcat graph '0) kind=(files) ;;
    'opcat diff '0) kind=(files) ;;
    'opcat diff '1) kind=(files) ;;
    'opcat render '*) kind=(files) ;;
    'opcat merge '*) kind=(files) ;;
    'opcat semver match '0) kind=(words ) ;;
    'opcat semver match '*) kind=(words ) ;;
    'opcat semver sort '*) kind=(words ) ;;
    'opcat bundle manifests '0) kind=(files) ;;
    'opcat bundle validate '*) kind=(files) ;;
    'opcat schema show '0) kind=(words ) ;;
    'opcat schema export '0) kind=(words ) ;;
    'opcat config show '0) kind=(files) ;;
    'opcat resolve v1 '0) kind=(names package) ;;
    'opcat init '0) kind=(names package) ;;
    'opcat template render '0) kind=(words ) ;;
    'opcat template convert basic '0) kind=(files) ;;
    'opcat template convert substitutes '0) kind=(files) ;;
    'opcat filter '0) kind=(files) ;;
    'opcat compose '0) kind=(files) ;;
    'opcat migrate '0) kind=(files) ;;
    'opcat migrate '1) kind=(directories) ;;
    'opcat fmt '*) kind=(files) ;;
    'opcat generate dockerfile '0) kind=(directories) ;;
    'opcat build '0) kind=(directories) ;;
    'opcat build bundle '0) kind=(directories) ;;
    'opcat build files '*) kind=(directories) ;;
    'opcat copy '0) kind=(files) ;;
    'opcat copy '1) kind=(files) ;;
    'opcat mirror '*) kind=(files) ;;
    'opcat serve '*) kind=(files) ;;
    'opcat catalog add '0) kind=(words ) ;;
    'opcat catalog add '1) kind=(words ) ;;
    'opcat catalog remove '0) kind=(words ) ;;
    'opcat catalog refresh '0) kind=(words ) ;;
    'opcat search '0) kind=(words ) ;;
    'opcat install '0) kind=(names package) ;;
    'opcat upgrade '0) kind=(names package) ;;
    'opcat approve '0) kind=(names package) ;;
    'opcat uninstall '0) kind=(names package) ;;
    'opcat status '0) kind=(names package) ;;
    'opcat job '*) kind=(files) ;;
    'opcat link '0) kind=(directories) ;;
    'opcat help '*) kind=(names topic) ;;
    esac
}

# Offers what a value of the kind in `kind` may be.
_opcat_offer() {
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

_opcat() {
    local IFS=$' \t\n' word option='' last='' joined='' command='opcat' i position=0
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
            _opcat_value "$command" "$word"
            [[ ${#kind[@]} -gt 0 ]] && option=$word last=$word
        else
            last=''
            _opcat_commands "$command"
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
        _opcat_value "$command" "$option"
        _opcat_offer
    elif [[ $cur == -* ]]; then
        _opcat_flags "$command"
        COMPREPLY=($(compgen -W "${flags[*]}" -- "$cur"))
    else
        _opcat_commands "$command"
        if [[ ${#commands[@]} -gt 0 ]]; then
            COMPREPLY=($(compgen -W "${commands[*]}" -- "$cur"))
        else
            _opcat_argument "$command" "$position"
            _opcat_offer
        fi
    fi
}

complete -F _opcat opcat

# The name opm completes by a script of its own, which is loaded when it is first needed.
if ! complete -p opm >/dev/null 2>&1; then
    _opcat_load_opm() {
        complete -r opm
        source <("$1" completion bash) && return 124
    }
    complete -F _opcat_load_opm opm
fi
