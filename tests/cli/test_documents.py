"""The command lines in README, docs and man/prose behave as documented.

`python3 tests/cli/test_documents.py --update FILE...` writes what the commands print into the documents.
"""
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import console_blocks
from opcat_case import BINARY, ROOT, OpcatCase

DOCUMENTS = [ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md')), *sorted((ROOT / 'man/prose').glob('*.md'))]


class Documents(OpcatCase):
    def test_every_command_prints_what_the_document_says(self):
        count = 0
        for path in DOCUMENTS:
            blocks = console_blocks.commands(path.read_text())
            if not blocks:
                continue
            # Commands of one document may build on each other.
            directory = console_blocks.prepare(self.dir / path.stem, path.read_text())
            for command in (command for block in blocks for command in block):
                with self.subTest(f'{path.relative_to(ROOT)}:{command.line}: {command.text}'):
                    shown = console_blocks.run(command, directory, pathlib.Path(BINARY).parent)
                    expected = [line.rstrip() for line in command.expected]
                    if not console_blocks.matches(expected, shown):
                        self.assertEqual('\n'.join(expected), '\n'.join(shown))
                    count += 1
        self.assertGreater(count, 20)

    def test_the_architecture_names_every_room(self):
        text = (ROOT / 'docs/architecture.md').read_text()
        for path in (ROOT / 'lib').rglob('CMakeLists.txt'):
            if 'opcat_library' in path.read_text():
                self.assertIn(f'`{path.parent.relative_to(ROOT / "lib")}`', text)

    def test_commands_that_need_more_than_is_here_exist_with_their_flags(self):
        """Other lines that begin with opcat, such as those that pull from a registry: their commands and flags exist."""
        tree = {name: self.run_binary(str(pathlib.Path(BINARY).with_name(name)), 'describe-commands').json() for name in ('opcat', 'opm')}
        count = 0
        for path in DOCUMENTS:
            text = re.sub(r'```console.*?```', '', path.read_text(), flags=re.S)
            for line in re.findall(r'^ {2,}(?:- )?(?:run: )?((?:opcat|opm) .*)$', text, re.M):
                with self.subTest(f'{path.relative_to(ROOT)}: {line}'):
                    self.check(tree[line.split()[0]], line)
                    count += 1
        self.assertGreater(count, 10)

    def test_hooks_for_pre_commit_run_commands_that_exist(self):
        tree = self.opcat('describe-commands').json()
        hooks = re.findall(r'^- id: (\S+)\n(?:  .*\n)*?  entry: scripts/pre-commit-hook (.*)$', (ROOT / '.pre-commit-hooks.yaml').read_text(), re.M)
        self.assertEqual([name for name, _ in hooks], ['opcat-validate', 'opcat-validate-fix', 'opcat-validate-policy', 'opcat-fmt'])
        for _, entry in hooks:
            self.check(tree, 'opcat ' + entry + (' olm-v1' if entry.endswith('--policy') else ''))
            # As pre-commit calls it: the arguments of the user after the entry.
            self.write('catalog/catalog.json', self.opcat('render', ROOT / 'testdata/catalogs/hello').out)
            arguments = ['olm-v1', 'catalog'] if entry.endswith('--policy') else ['catalog']
            self.assert_status(self.opcat(*entry.split(), *arguments), 0)

    def test_all_files_that_name_the_version_agree(self):
        version = (ROOT / 'VERSION').read_text().strip()
        self.assertEqual(self.opcat('version').out.split()[1], version)
        for name, pattern in (('CHANGELOG.md', r'^## (\S+)'), ('debian/changelog', r'^opcat \((\S+)\)'), ('packaging/changelog.rpm', r' - (\S+)-1$'),
                              ('editors/vscode/package.json', r'^  "version": "(\S+)"'), ('templates/validate.yml', r'The release to install\n +default: (\S+)'),
                              ('man/opcat.1', r'^\.TH \S+ \S+ \S+ "opcat (\S+)"')):
            self.assertEqual(re.search(pattern, (ROOT / name).read_text(), re.M)[1], version, name)
        named = re.findall(r'(?:opcat@v|/validate@|rev: v)([0-9.]+)$', (ROOT / 'docs/validating-in-ci.md').read_text(), re.M)
        self.assertEqual(set(named), {version})

    def test_the_task_of_tekton_has_a_verdict_or_fails(self):
        text = (ROOT / 'packaging/tekton/opcat-validate-fbc.yaml').read_text()
        script = re.sub('^        ', '', re.search(r'script: \|\n((?: {8}.*\n)+)', text).group(1), flags=re.M)
        for line in re.findall(r'^opcat .*$', script, re.M):
            self.check(self.opcat('describe-commands').json(), re.sub(r'"?\$\S*"?|tekton=|\|\|.*', '', line).replace('--report "', '--report '))
        for url, index, result, status, name in (('quay.io/a/b:v1', '', '{}', 1, 'quay.io/a/b@sha256:1'), ('quay.io:443/a/b', 'quay.io/i:v4.18', '{}', 0, 'quay.io:443/a/b@sha256:1'),
                                                 ('quay.io/a/b', '', '', 3, 'quay.io/a/b@sha256:1')):
            with self.subTest(url):
                self.write('bin/opcat', f'#!/bin/sh\necho "$@" > args\nprintf %s "{result}" > "$RESULT"\nexit {status}\n').chmod(0o755)
                env = {**self.environment(), 'IMAGE_URL': url, 'IMAGE_DIGEST': 'sha256:1', 'TARGET_INDEX': index, 'RESULT': str(self.dir / 'result')}
                env['PATH'] = f'{self.dir}/bin:' + env['PATH']
                done = subprocess.run(['sh', '-c', script, 'script', '--allowed-registry', 'quay.io'], env=env, cwd=self.dir, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0 if result else status, done)
                words = (self.dir / 'args').read_text().split()
                self.assertEqual(words[-1], name)
                self.assertEqual('--target-index' in words, bool(index))
                self.assertIn('--allowed-registry quay.io', ' '.join(words))

    def write_release(self, root, version):
        """The files of a release below `root`, whose program is the one under test but for its version; returns their directory."""
        arch = {'x86_64': 'amd64', 'aarch64': 'arm64'}.get(os.uname().machine, os.uname().machine)
        archive = f'opcat-{version}-linux-{arch}'
        self.write(f'packed/{archive}/bin/opcat', f'#!/bin/sh\n[ "$1" = version ] && exec echo opcat {version}\nexec {BINARY} "$@"\n').chmod(0o755)
        release = root / f'releases/download/v{version}'
        release.mkdir(parents=True)
        subprocess.run(['tar', '-czf', release / f'{archive}.tar.gz', '-C', self.dir / 'packed', archive], check=True)
        subprocess.run(f'sha256sum {archive}.tar.gz > SHA256SUMS', shell=True, check=True, cwd=release)
        return release

    @unittest.skipUnless(shutil.which('pre-commit') and shutil.which('curl'), 'pre-commit is not installed')
    def test_hooks_for_pre_commit_install_the_release_that_they_belong_to(self):
        hooks, project = self.dir / 'hooks', self.dir / 'project'
        env = {**self.environment(), 'PRE_COMMIT_HOME': str(self.dir / 'cache'), 'XDG_CACHE_HOME': str(self.dir / 'cache'), 'HOME': str(self.dir),
               'GIT_CONFIG_GLOBAL': str(self.write('gitconfig', '[user]\nname = a\nemail = a@b.example\n[init]\ndefaultBranch = main\n'))}

        def run(directory, *command, status=0):
            done = subprocess.run(command, cwd=directory, env=env, capture_output=True, text=True)
            self.assertEqual(done.returncode, status, (command, done))
            return done.stdout + done.stderr
        for name in '.pre-commit-hooks.yaml', 'scripts/pre-commit-hook', 'scripts/install-release':
            (hooks / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, hooks / name)
        self.write('hooks/VERSION', '9.9.9\n')
        shutil.copytree(ROOT / 'testdata/catalogs/two-heads', project / 'catalog')
        for directory in hooks, project:
            run(directory, 'git', 'init', '-q')
            run(directory, 'git', 'add', '.')
            run(directory, 'git', 'commit', '-q', '-m', 'all')
        run(hooks, 'git', 'tag', 'v9.9.9')
        self.write('project/.pre-commit-config.yaml', f'repos:\n- repo: file://{hooks}\n  rev: v9.9.9\n  hooks:\n'
                   '  - {id: opcat-validate, args: [catalog]}\n')
        self.assertIn('help: install opcat 9.9.9', run(project, 'pre-commit', 'run', '--all-files', status=1))
        # Git's variables, which a hook gets from git, name the project, whose origin is anywhere.
        env['GIT_DIR'] = str(project / '.git')
        run(project, 'git', 'remote', 'add', 'origin', f'file://{self.dir}/elsewhere')
        release = self.write_release(hooks, '9.9.9')
        self.assertIn('catalog/index.yaml:14:5: error: a channel entry has no field "replces"', run(project, 'pre-commit', 'run', '--all-files', status=1))
        shutil.rmtree(release)  # once is enough
        shutil.copy(ROOT / 'testdata/catalogs/hello/catalog.yaml', project / 'catalog/index.yaml')
        run(project, 'git', 'add', '.')
        run(project, 'pre-commit', 'run', '--all-files')

    def test_a_release_is_installed_from_the_address_of_a_clone(self):
        script = (ROOT / 'scripts/install-release').read_text()
        part = re.search(r'^repository=.*?^esac$', script, re.M | re.S).group()
        for origin, address in (('git@r.example:a/b.git', 'https://r.example/a/b'), ('ssh://git@r.example:2222/g/a/b.git', 'https://r.example/g/a/b'),
                                ('https://r.example/a/b.git', 'https://r.example/a/b'), ('https://r.example/a/b/', 'https://r.example/a/b'),
                                ('https://r.example/a.git-tools', 'https://r.example/a.git-tools'), ('file:///a/b', 'file:///a/b')):
            done = subprocess.run(['bash', '-uc', part + '\necho "$repository"', 'script', origin], capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout.strip(), address)

    def test_the_component_verifies_the_checksum_of_the_archive(self):
        text = (ROOT / 'templates/validate.yml').read_text()
        check = re.search(r"^    - '(.* sha256sum .*)'$", text, re.M).group(1)
        directory = self.dir / 'downloads'
        directory.mkdir()
        archive = self.write('downloads/opcat-1.tar.gz', 'an archive')
        sums = subprocess.run(['sha256sum', archive.name], cwd=directory, capture_output=True, text=True, check=True).stdout
        self.write('downloads/SHA256SUMS', sums)
        command = ['bash', '-ec', check.replace('/tmp', str(directory))]
        env = {**self.environment(), 'archive': archive.name}
        self.assertEqual(subprocess.run(command, env=env).returncode, 0)
        self.write('downloads/opcat-1.tar.gz', 'another archive')
        self.assertNotEqual(subprocess.run(command, env=env, capture_output=True).returncode, 0)

    def test_the_action_and_the_component_run_what_exists(self):
        tree = self.opcat('describe-commands').json()
        for name in 'action.yml', 'templates/validate.yml':
            lines = re.findall(r'^ +(?:- )?(opcat validate .*)$', (ROOT / name).read_text(), re.M)
            self.assertEqual(len(lines), 1)
            self.check(tree, re.sub(r'"?\$\S*', '', lines[0]))

    def test_the_action_installs_the_archive_of_a_release(self):
        text = (ROOT / 'action.yml').read_text()
        install, validate, _ = (re.sub('^        ', '', block, flags=re.M) for block in re.findall(r'run: \|\n((?: {8}.*\n)+)', text))
        release = self.write_release(self.dir / 'served', '9.9.9')
        self.write('action/VERSION', '9.9.9\n')
        self.write('action/scripts/install-release', (ROOT / 'scripts/install-release').read_text()).chmod(0o755)
        env = {**self.environment(), 'REPOSITORY': f'file://{self.dir}/served', 'VERSION': '', 'ACTION': str(self.dir / 'action'), 'SHA256': '',
               'RUNNER_TEMP': str(self.dir / 'runner'), 'GITHUB_PATH': str(self.dir / 'path')}
        if not shutil.which('curl'):
            self.skipTest('curl is not installed')
        subprocess.run(['bash', '-c', install], check=True, env=env, cwd=self.dir)
        env['PATH'] = (self.dir / 'path').read_text().strip() + ':' + env['PATH']
        env.update({'CATALOGS': str(ROOT / 'testdata/catalogs/two-heads'), 'ARGUMENTS': '--strict', 'CHANGED_SINCE': '',
                    'POLICIES': '', 'OPENSHIFT': '', 'TARGET_INDEX': '', 'POLICY_REPORT': '',
                    'SARIF': 'out.sarif', 'GITHUB_STEP_SUMMARY': str(self.dir / 'summary.md')})
        done = subprocess.run(['bash', '-c', validate], env=env, cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn('::error file=', done.stdout)
        self.assertTrue((self.dir / 'out.sarif').exists())
        self.assertIn('| error | unknown-field | `greeter` |', (self.dir / 'summary.md').read_text())
        policies = {'CATALOGS': str(ROOT / 'testdata/catalogs/gizmo'), 'POLICIES': 'konflux olm-v1', 'OPENSHIFT': '4.18', 'POLICY_REPORT': 'policy.json', 'SARIF': ''}
        done = subprocess.run(['bash', '-c', validate], env={**env, **policies}, cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn('validate-fbc', done.stdout)
        self.assertTrue((self.dir / 'policy.json').exists())
        # Patterns are expanded; without names, the catalogs of the checkout are found.
        shutil.copytree(ROOT / 'testdata/catalogs/hello', self.dir / 'checkout/catalogs/hello')
        shutil.copytree(ROOT / 'testdata/catalogs/two-heads', self.dir / 'checkout/catalogs/two heads')
        for command in ('init', '-q'), ('add', '.'):
            subprocess.run(['git', *command], check=True, cwd=self.dir / 'checkout', env=env)
        # A pull request that names a directory like an option changes no option.
        shutil.copytree(ROOT / 'testdata/catalogs/hello', self.dir / 'checkout/--no-such=option')
        subprocess.run(['git', 'add', '.'], check=True, cwd=self.dir / 'checkout', env=env)
        for catalogs, status in (('catalogs/h*', 0), ('catalogs/*', 1), ('', 1), ('catalogs/nothing*', 1)):
            env.update(CATALOGS=catalogs, SARIF='', ARGUMENTS='')
            done = subprocess.run(['bash', '-c', validate], env=env, cwd=self.dir / 'checkout', capture_output=True, text=True)
            self.assertEqual(done.returncode, status, (catalogs, done))
            self.assertEqual('unknown-field' in done.stdout, catalogs in ('catalogs/*', ''), done)
        for change in {'SHA256': '0' * 64}, {'VERSION': 'v1.0.0'}:
            shutil.rmtree(self.dir / 'runner')
            self.assertNotEqual(subprocess.run(['bash', '-c', install], env={**env, **change}, cwd=self.dir, capture_output=True).returncode, 0)
        sums = (release / 'SHA256SUMS').read_text()
        (release / 'SHA256SUMS').write_text('0' * 64 + sums[64:])
        shutil.rmtree(self.dir / 'runner')
        done = subprocess.run(['bash', '-c', install], env=env, cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn('is not the file that the release', done.stdout)

    @unittest.skipUnless(shutil.which('jq') and shutil.which('curl') and shutil.which('git'), 'jq, curl or git is not installed')
    def test_the_action_reviews_a_pull_request_in_one_comment(self):
        review = re.sub('^        ', '', re.findall(r'run: \|\n((?: {8}.*\n)+)', (ROOT / 'action.yml').read_text())[2], flags=re.M)
        comments, may_write = [], [True]

        class Forge(http.server.BaseHTTPRequestHandler):
            def answer(self, status, value):
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(value).encode())

            def do_GET(self):
                page = int(self.path.rsplit('=', 1)[1])
                self.answer(200, comments[100 * (page - 1):100 * page])

            def write(self):
                body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))['body']
                if not may_write[0] or self.headers['Authorization'] != 'Bearer secret':
                    return self.answer(403, {})
                if self.command == 'POST':
                    comments.append({'id': len(comments), 'user': {'type': 'Bot'}, 'body': body})
                else:
                    comments[int(self.path.rsplit('/', 1)[1])]['body'] = body
                return self.answer(200, {})
            do_POST = do_PATCH = write

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Forge)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        shutil.copytree(ROOT / 'testdata/catalogs/gizmo-last-week', self.dir / 'checkout/catalog')
        identity = {f'GIT_{who}_{what}': 'a@example.com' for who in ('AUTHOR', 'COMMITTER') for what in ('NAME', 'EMAIL')}
        env = {**self.environment(), **identity, 'PATH': f'{pathlib.Path(BINARY).parent}:{os.environ["PATH"]}', 'REVIEW_SINCE': 'HEAD', 'FAIL_ON': '',
               'ALLOW': '', 'GH_TOKEN': 'secret', 'API': f'http://127.0.0.1:{server.server_port}', 'REPOSITORY': 'a/b', 'PULL': '7',
               'RUNNER_TEMP': str(self.dir), 'GITHUB_STEP_SUMMARY': str(self.dir / 'summary'), 'GITHUB_OUTPUT': str(self.dir / 'output')}
        for command in ('init', '-q'), ('add', '.'), ('commit', '-qm', 'x'):
            subprocess.run(['git', *command], check=True, cwd=self.dir / 'checkout', env=env)
        shutil.rmtree(self.dir / 'checkout/catalog')
        shutil.copytree(ROOT / 'testdata/catalogs/gizmo', self.dir / 'checkout/catalog')
        # More comments than a page has, and one of a user who imitates the review's.
        comments.extend({'id': i, 'user': {'type': 'User'}, 'body': '<!-- opcat review -->'} for i in range(120))

        def run(**change):
            for name in 'summary', 'output':
                self.write(name, '')
            return subprocess.run(['bash', '-c', review], env={**env, **change}, cwd=self.dir / 'checkout', capture_output=True, text=True)
        for _ in range(2):
            done = run()
            self.assertEqual(done.returncode, 0, done)
            self.assertEqual(len(comments), 121)
            self.assertTrue(comments[120]['body'].startswith('<!-- opcat review -->\n## Catalog changes'), comments[120])
        self.assertRegex(done.stdout, r'(?m)^::warning file=catalog/gizmo-operator/catalog.yaml,line=11,col=11::gizmo-operator: .*\[skipped-again\]$')
        self.assertEqual((self.dir / 'summary').read_text(), comments[120]['body'])
        self.assertEqual((self.dir / 'output').read_text(), f'changed=true\nregressions=1\nreport={self.dir}/opcat-review.md\n')
        # A pull request from a fork may not write.
        may_write[0] = False
        done = run()
        self.assertEqual(done.returncode, 0, done)
        self.assertIn('::notice::this job may not comment', done.stdout)
        self.assertIn('## Catalog changes', (self.dir / 'summary').read_text())
        for change, status in ({'FAIL_ON': 'any'}, 1), ({'FAIL_ON': 'stranded'}, 0), ({'FAIL_ON': 'any', 'ALLOW': 'fast stab*'}, 0), ({'PULL': ''}, 0):
            self.assertEqual(run(**change).returncode, status, change)

    def check(self, root, line):
        command, flags = root, {name for option in root['options'] for name in option['names']}
        for word in re.split(r'[|>#]', line)[0].split()[1:]:
            if word.startswith('-') and word not in ('-', '--') and not re.match(r'-\d', word):
                self.assertIn(word.split('=')[0], flags)
                continue
            for sub in command['commands']:
                if sub['path'].split()[-1] == word:
                    command = sub
                    flags |= {name for option in sub['options'] for name in option['names']}
                    break
        self.assertTrue(command is not root, 'no such command')
        # build can also make an image alone.
        self.assertTrue(not command['commands'] or command['path'] in ('opcat build', 'opcat mirror'), 'a command is missing')

    @unittest.skipUnless(shutil.which('stty'), 'stty is not installed')
    def test_the_demo_shows_what_the_commands_print(self):
        done = subprocess.run([ROOT / 'scripts/make-demo', BINARY], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, (ROOT / 'docs/demo.svg').read_text(), 'run: scripts/generate')

    def test_links_lead_to_files(self):
        for path in DOCUMENTS:
            for target in re.findall(r'\]\((?!https?://|#)([^)#\s]+)', path.read_text()):
                with self.subTest(f'{path.relative_to(ROOT)}: {target}'):
                    self.assertTrue((path.parent / target).exists())


class TheRunner(unittest.TestCase):
    def test_it_sees_differences(self):
        block, = console_blocks.commands('```console\n$ echo a; echo b; echo c\na\n…\n$ true\n```\n')
        self.assertEqual([c.text for c in block], ['echo a; echo b; echo c', 'true'])
        for expected, wanted in ((['a', '…'], True), (['a', 'b', 'c'], True), (['…', 'c'], True), (['a', 'c'], False), (['a', '…', 'd'], False)):
            self.assertEqual(console_blocks.matches(expected, ['a', 'b', 'c']), wanted)


def main():
    if sys.argv[1:2] != ['--update']:
        unittest.main()
    for name in sys.argv[2:] or DOCUMENTS:
        directory = pathlib.Path(tempfile.mkdtemp(prefix='opcat-docs-'))
        try:
            here = console_blocks.prepare(directory, pathlib.Path(name).read_text())
            changed = console_blocks.update(pathlib.Path(name), here, pathlib.Path(BINARY).parent)
            print(f'{name}: {changed} changed')
        finally:
            shutil.rmtree(directory)


if __name__ == '__main__':
    main()
