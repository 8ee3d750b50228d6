"""opm's commands and flags, from its public documentation: the opm CLI reference of OpenShift and OKD (4.5 to 4.21), and
the help texts quoted in operator-framework's guides. They include hidden and removed commands that scripts still call.

COMMANDS: words after "opm" -> its flags, each as (flag, value); a value of None is a switch.
"""

GLOBAL = [('--skip-tls-verify', None), ('--use-http', None), ('--skip-tls', None)]

CONTAINER_TOOLS = [('--build-tool', 'podman'), ('-u', 'podman'), ('--container-tool', 'podman'), ('-c', 'podman'),
                   ('--pull-tool', 'none'), ('-p', 'none')]
INDEX = [('--binary-image', 'IMAGE'), ('-i', 'IMAGE'), ('--from-index', 'IMAGE'), ('-f', 'IMAGE'), ('--generate', None),
         ('--out-dockerfile', 'FILE'), ('-d', 'FILE'), ('--permissive', None), ('--tag', 'IMAGE'), ('-t', 'IMAGE')]
DATABASE = [('--database', 'FILE'), ('-d', 'FILE'), ('--permissive', None), ('--debug', None)]
BUNDLE = [('--directory', 'DIR'), ('-d', 'DIR'), ('--package', 'p'), ('-p', 'p'), ('--channels', 'a,b'), ('-c', 'a,b'),
          ('--default', 'a'), ('-e', 'a'), ('--output-dir', 'DIR'), ('-u', 'DIR')]
SERVE = [('--cache-dir', 'DIR'), ('--cache-enforce-integrity', None), ('--cache-only', None), ('--debug', None), ('--port', '50051'),
         ('-p', '50051'), ('--pprof-addr', 'ADDR:6060'), ('--pprof-capture-profiles', None), ('--termination-log', 'FILE'),
         ('-t', 'FILE')]

SERVED = {
    'serve': SERVE,
    'render': [('--output', 'yaml'), ('-o', 'json'), ('--migrate', None), ('--migrate-level', 'none'),
               ('--alpha-image-ref-template', 'r.example/{{.Package}}')],
    'validate': [('--output', 'json'), ('-o', 'yaml')],
    'init': [('--default-channel', 'c'), ('-c', 'c'), ('--description', 'FILE'), ('-d', 'FILE'), ('--icon', 'FILE'), ('-i', 'FILE'),
             ('--output', 'yaml'), ('-o', 'json')],
    'migrate': [('--output', 'yaml'), ('-o', 'json'), ('--migrate-level', 'none')],
    'generate dockerfile': [('--base-image', 'IMAGE'), ('-i', 'IMAGE'), ('--builder-image', 'IMAGE'), ('-b', 'IMAGE'),
                            ('--binary-image', 'IMAGE'), ('--extra-labels', 'a=b'), ('-l', 'a=b')],
    'alpha list packages': [],
    'alpha list channels': [],
    'alpha list bundles': [],
    'alpha render-graph': [('--package-name', 'p'), ('-p', 'p'), ('--minimum-edge', 'b'), ('--draw-v0-semantics', None)],
    'alpha render-template': [('--output', 'mermaid'), ('-o', 'yaml'), ('--migrate-level', 'none')],
    'alpha convert-template basic': [('--output', 'yaml'), ('-o', 'json')],
    'alpha convert-template substitutes': [('--output', 'yaml'), ('-o', 'json')],
    'alpha bundle validate': [('--image-builder', 'podman'), ('-b', 'none'), ('--tag', 'oci:layout'), ('-t', 'oci:layout'),
                              ('--optional-validators', 'operatorhub'), ('-o', 'bundle-objects,operatorhub')],
    'version': [],
}

ANSWERED = {
    'index': [],
    'index add': INDEX + CONTAINER_TOOLS + [('--bundles', 'a,b'), ('-b', 'a,b'), ('--mode', 'semver'), ('--overwrite-latest', None)],
    'index rm': INDEX + CONTAINER_TOOLS + [('--operators', 'a,b'), ('-o', 'a,b')],
    'index delete': INDEX + CONTAINER_TOOLS + [('--operators', 'a,b'), ('-o', 'a,b')],
    'index prune': INDEX + [('--container-tool', 'docker'), ('-c', 'docker'), ('--packages', 'a,b'), ('-p', 'a,b')],
    'index prune-stranded': INDEX + [('--container-tool', 'docker'), ('-c', 'docker'), ('--packages', 'a,b'), ('-p', 'a,b')],
    'index deprecatetruncate': INDEX + CONTAINER_TOOLS + [('--bundles', 'a,b'), ('-b', 'a,b'), ('--allow-package-removal', None)],
    'index export': [('--index', 'IMAGE'), ('-i', 'IMAGE'), ('--package', 'p'), ('-p', 'p'), ('--operator', 'p'), ('-o', 'p'),
                     ('--download-folder', 'DIR'), ('-f', 'DIR'), ('--container-tool', 'podman'), ('-c', 'podman')],
    'registry': [],
    'registry add': DATABASE + [('--bundle-images', 'a,b'), ('-b', 'a,b'), ('--mode', 'replaces'), ('--container-tool', 'none'),
                                ('-c', 'none'), ('--ca-file', 'FILE')],
    'registry rm': DATABASE + [('--packages', 'a,b'), ('-o', 'a,b')],
    'registry prune': DATABASE + [('--packages', 'a,b'), ('-p', 'a,b')],
    'registry prune-stranded': DATABASE,
    'registry deprecatetruncate': DATABASE + [('--bundle-images', 'a,b'), ('-b', 'a,b'), ('--allow-package-removal', None)],
    'registry serve': DATABASE + [('--port', '50051'), ('-p', '50051'), ('--termination-log', 'FILE'), ('-t', 'FILE'),
                                  ('--skip-migrate', None), ('--timeout-seconds', 'infinite')],
    'registry mirror': [('--to-manifests', 'DIR'), ('--debug', None)],
    'http': [('--addr', '127.0.0.1:8080')],
    'alpha bundle generate': BUNDLE,
    'alpha bundle build': BUNDLE + [('--image-builder', 'podman'), ('-b', 'podman'), ('--overwrite', None), ('-o', None),
                                    ('--tag', 'IMAGE'), ('-t', 'IMAGE')],
    'alpha bundle extract': [('--configmapname', 'c'), ('-c', 'c'), ('--datalimit', '1000'), ('-l', '1000'), ('--debug', None),
                             ('--kubeconfig', 'FILE'), ('-k', 'FILE'), ('--manifestsdir', 'DIR'), ('-m', 'DIR'), ('--namespace', 'n'),
                             ('-n', 'n'), ('--gzip', None), ('-z', None)],
    'alpha bundle unpack': [('--debug', None), ('--out', 'DIR'), ('-o', 'DIR'), ('--root-ca', 'FILE'), ('-c', 'FILE')],
    'alpha diff': [('--output', 'json'), ('-o', 'yaml'), ('--ca-file', 'FILE'), ('--debug', None), ('--heads-only', None),
                   ('--include-file', 'FILE'), ('-i', 'FILE'), ('--include-additive', None), ('--skip-deps', None)],
    'alpha generate': [],
    'alpha generate dockerfile': [('--binary-image', 'IMAGE'), ('-i', 'IMAGE'), ('--extra-labels', 'a=b'), ('-l', 'a=b')],
    'alpha render-veneer': [],
    'alpha render-veneer basic': [('--output', 'yaml'), ('-o', 'yaml')],
    'alpha render-veneer semver': [('--output', 'yaml'), ('-o', 'yaml')],
}
