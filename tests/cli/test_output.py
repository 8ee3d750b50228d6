"""Where output goes: pipes, full disks, terminals, colours; and what ends the program."""
import os
import re
import shutil
import signal
import subprocess
import unittest

from opcat_case import BINARY, CATALOGS, OPM, TESTDATA, OpcatCase


KNOWN = {'TERM': 'alacritty'}  # a terminal with hyperlinks


class Output(OpcatCase):
    def large_catalog(self):
        self.write('large/a.yaml', ''.join(f'---\nschema: olm.bundle\npackage: p\nname: b{i}\nimage: {"x" * 500}\n'
                                           for i in range(4000)))
        return 'large'

    def test_no_output_is_put_over_what_is_read(self):
        """Covers tools/opcat/outputs.cpp."""
        shutil.copytree(CATALOGS / 'hello', self.dir / 'c')
        file = next(str(path.relative_to(self.dir)) for path in (self.dir / 'c').rglob('*.yaml'))
        self.write('set.yaml', 'kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror: {}\n')
        self.write('notes.txt', 'mine\n')
        self.write('res/registries.conf', 'mine\n')
        self.write('run.sh', '#!/bin/sh\n').chmod(0o755)
        (self.dir / '.git').mkdir()
        (self.dir / 'layout').mkdir()
        (self.dir / 'usb').mkdir()
        over, inside = 'would be written over', 'would become a part of c'
        before = {path: path.read_bytes() for path in self.dir.rglob('*') if path.is_file()}
        for words, why in (
                (('query', 'c', '--save', file), inside), (('query', 'c', '--save', 'notes.txt'), 'notes.txt is not what opcat query saved, and is not replaced'),
                (('validate', 'c', '--report', f'sarif={file}'), inside), (('validate', file, '--write-baseline', file), over),
                (('validate', 'c', '--report', 'gitlab=c/r.json'), inside), (('validate', 'c', '--report', 'sarif=notes.txt'), 'another kind'),
                (('validate', 'c', '--report', 'text=run.sh'), 'run.sh is a program, and is not replaced'),
                (('validate', 'c', '--report', 'text=.git/HEAD'), "would be a file of git's own"),
                (('edit', 'deprecate', 'package', '--message', 'x', '--in', 'c', '-m', 'c/message'), inside),
                (('edit', 'deprecate', 'package', '--message', 'x', '--in', 'c', '-m', 'set.yaml'), 'another kind'),
                (('serve', 'c', '--no-grpc', '--http', 'unix:c/s.sock'), inside), (('serve', 'c', '-t', file), inside),
                (('render', 'c', '--output-dir', 'c/sub'), inside), (('render', 'c', '--shard', '0/1', '--shard-output', 'c/sh'), inside),
                (('copy', 'oci:layout:v1', 'oci:layout/sub'), 'would become a part of layout'),
                (('copy', 'oci:layout:v1', 'oci-archive:layout/x.tar'), 'would become a part of layout'),
                (('mirror', 'c', '--to', 'archive:usb/a', '--record', 'usb/a-000001.tar'), 'has a name of a file of the archive'),
                (('mirror', 'dir:layout', '--to', 'registry.example/m', '--mapping', 'layout/index.json'), 'would become a part of layout'),
                (('mirror', 'dir:layout', '--to', 'archive:layout/a'), 'would become a part of layout'),
                (('validate', 'c', '--write-baseline', 'notes.txt'), 'notes.txt is not a baseline, and is not replaced'),
                (('validate', 'c', '--policy', 'olm-v1', '--policy-report', file), inside),
                (('mirror', 'c', '--to', 'registry.example/m', '--mapping', file, '--dry-run'), inside),
                (('mirror', 'c', '--to', 'registry.example/m', '--mapping', 'x', '--record', './x'), '--record ./x is what --mapping writes, too'),
                (('mirror', 'c', '--to', 'registry.example/m', '--record', 'absent/x'), 'there is no directory '),
                (('mirror', 'c', '--to', 'registry.example/m', '--resources', 'notes.txt'), '--resources notes.txt is not a directory'),
                (('mirror', 'c', '--to', 'registry.example/m', '--resources', 'res'), 'registries.conf is not what opcat mirror wrote, and is not replaced'),
                (('mirror', 'c', '--to', 'dir:c/d'), inside), (('mirror', 'c', '--to', 'dir:notes.txt', '--dry-run'), '--to notes.txt is not a directory'),
                (('mirror', 'delete', 'registry.example/m', '--config', 'set.yaml', '--plan', 'set.yaml'), over),
                (('mirror', 'delete', 'registry.example/m', '--config', 'set.yaml', '--plan', 'notes.txt'), 'notes.txt is not a plan, and is not replaced'),
                (('build', 'c', '--base', 'scratch', '-t', 'oci:c/layout:v1'), inside), (('generate', 'dockerfile', 'c', '-o', 'c/Dockerfile'), inside),
                (('migrate', 'c', 'c/new'), inside), (('serve', 'c', '--export', 'c/pages'), inside)):
            with self.subTest(words):
                result = self.opcat(*words)
                self.assert_status(result, 2)
                self.assertIn(why, result.err)
        self.assertEqual({path: path.read_bytes() for path in self.dir.rglob('*') if path.is_file()}, before)
        # What .indexignore leaves out is no part of the catalog.
        self.write('c/.indexignore', 'out/\n*.sarif\n')
        self.assert_status(self.opcat('build', 'c', '--base', 'scratch', '-t', 'oci:c/out:v1'), 0)
        self.opcat('validate', 'c', '--report', 'sarif=c/report.sarif')
        self.assertTrue((self.dir / 'c/report.sarif').exists())

    def test_quiet_reads_images_too(self):
        self.assert_status(self.opcat('build', CATALOGS / 'hello', '--base', 'scratch', '-t', 'oci:layout:v1'), 0)
        result = self.opcat('validate', 'oci:layout', '-q')
        self.assert_status(result, 0)
        self.assertEqual(result.err, '')

    def test_a_lost_blob_of_a_layout_is_written_again(self):
        for _ in range(2):
            self.assert_status(self.opcat('build', CATALOGS / 'hello', '--base', 'scratch', '-t', 'oci:layout:v1'), 0)
            self.assert_status(self.opcat('copy', 'oci:layout:v1', 'oci:copy:v1'), 0)
            self.assert_status(self.opcat('render', 'oci:copy:v1'), 0)
            largest = max((self.dir / 'copy/blobs/sha256').iterdir(), key=lambda path: path.stat().st_size)
            largest.write_bytes(b'')
        self.assertIn('it was there already', self.opcat('copy', 'oci:layout:v1', 'oci:layout:v1').err + self.opcat('copy', 'oci:layout:v1', 'oci:layout:v1').out)

    def test_a_closed_pipe_ends_it_quietly(self):
        for binary in (BINARY, OPM):
            child = subprocess.Popen([binary, 'render', self.large_catalog()], cwd=self.dir, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE)
            child.stdout.read(10)
            child.stdout.close()
            self.assertEqual(child.stderr.read(), b'')
            child.stderr.close()
            self.assertEqual(child.wait(timeout=600), 0)

    def test_a_no_stays_one_when_nobody_reads_the_rest(self):
        self.write('bad/a.yaml', '---\nschema: olm.channel\nname: c\n' * 4000)
        child = subprocess.Popen([BINARY, 'validate', 'bad'], cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        child.stdout.read(10)
        child.stdout.close()
        self.assertEqual(child.wait(timeout=600), 1)

    def test_a_catalog_commands_no_terminal(self):
        name = '"g.v1\\e[31m"'
        self.write('c/a.yaml', f'---\nschema: olm.package\nname: g\ndefaultChannel: a\n---\nschema: olm.channel\nname: a\npackage: g\n'
                   f'entries: [{{name: {name}}}, {{name: g.v2, replaces: {name}}}]\n' + ''.join(
                       f'---\nschema: olm.bundle\nname: {bundle}\npackage: g\nimage: i.example/g:{version}\n'
                       f'properties: [{{type: olm.package, value: {{packageName: g, version: {version}}}}}]\n'
                       for bundle, version in ((name, '1.0.0'), ('g.v2', '2.0.0'))))
        for arguments in (['validate', 'c'], ['list', 'bundles', 'c'], ['list', 'bundles', 'c', '-o', 'name'], ['graph', 'c'],
                          ['graph', 'c', '-o', 'mermaid'], ['filter', 'c', '--version', 'g>1.0.0'],
                          ['resolve', 'v1', 'g', '--catalog', 'c', '--installed', 'g.v9@0.1.0'],
                          ['resolve', 'v1', 'g', '--catalog', 'c', '--version', '1.0.0', '--explain'],
                          ['resolve', 'v1', 'g', '--catalog', 'c', '--all-installed'],
                          ['resolve', 'v1', 'g', '--catalog', 'c', '--all-installed', '-o', 'markdown'],
                          ['resolve', 'ocp-upgrade', '--cluster-version', '4.18', '--catalog', 'c', '--installed', 'g@1.0.0'],
                          ['resolve', 'classic', '-n', 'n', '--catalog', 'n/c=c', '--subscribe', 'g', '--explain'],
                          ['graph', 'c', '-c', '\x1b[31m'], ['validate', 'c', '\x1b[31m']):
            with self.subTest(arguments):
                result = self.opcat(*arguments)
                self.assertNotIn('\x1b', result.out + result.err)

    def test_a_catalog_writes_no_lines_of_its_own(self):
        name = '"foo.v1\\n::error::forged\\n  ::error::forged"'
        (self.dir / 'c').mkdir()
        (self.dir / 'c/c.yaml').write_text('schema: olm.package\nname: foo\ndefaultChannel: "a\\n::error::forged"\n---\n'
                                           'schema: olm.channel\npackage: foo\nname: "a\\n::error::forged"\n'
                                           f'entries:\n- name: {name}\n---\nschema: olm.bundle\npackage: foo\nname: {name}\n'
                                           'image: x.example/foo:1\nproperties:\n- type: olm.package\n  value: {packageName: foo, version: 1.0.0}\n'
                                           '- type: olm.package.required\n  value: {packageName: "dep\\n::error::forged", versionRange: ">=1.0.0"}\n')
        plan = 'plan --cluster-version 4.16.1 --to 4.17 --catalog 4.16=c --catalog 4.17=c --installed foo@1.0.0'
        for command in ('list channels c', 'graph c', 'graph c -c ax', 'graph c --from 1.0.0', 'filter c -p foo -c foo/ax',
                        'list bundles c -p foo -c ax', 'resolve v1 foo --catalog c --channel ax', 'resolve v1 foo --catalog c --installed foo.v',
                        'filter c -p foo --with-dependencies -o yaml', plan):
            with self.subTest(command):
                result = self.opcat(*command.split())
                lines = result.err + (result.out if not command.endswith('yaml') else '')
                self.assertEqual([line for line in lines.splitlines() if line.strip().startswith('::')], [])

    def test_a_full_disk_is_a_failure(self):
        large = self.large_catalog()
        for arguments in (['render', large], ['render', str(CATALOGS / 'hello')], ['validate', str(CATALOGS / 'two-heads')],
                          ['version'], ['explain'], ['validate', '--format', 'json', str(CATALOGS / 'hello')]):
            with self.subTest(arguments), open('/dev/full', 'wb') as full:
                for binary, status in ((BINARY, 3), (OPM, 1)):
                    if binary == OPM and (arguments[0] == 'explain' or '--format' in arguments or arguments[0] == 'validate'):
                        continue
                    done = subprocess.run([binary, *arguments], cwd=self.dir, stdout=full, stderr=subprocess.PIPE)
                    self.assertEqual(done.returncode, status)
                    self.assertEqual(done.stderr, b'error: cannot write to standard output: no space left on device\n')

    def test_a_full_disk_ends_watching_with_one_error(self):
        with open('/dev/full', 'wb') as full:
            done = subprocess.run([BINARY, 'validate', '--watch', str(CATALOGS / 'two-heads')], cwd=self.dir, stdout=full, stderr=subprocess.PIPE,
                                  timeout=600)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr.count(b'cannot write to standard output'), 1, done.stderr)

    def test_a_file_that_is_opened_does_not_take_the_place_of_a_closed_stream(self):
        shutil.copytree(CATALOGS / 'hello', self.dir / 'c')
        result = subprocess.run(['sh', '-c', f'{BINARY} migrate c new/out >&- 2>&- <&-; echo $?'], cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(result.stdout, '0\n')
        written = ''.join(path.read_text() for path in (self.dir / 'new/out').rglob('*') if path.is_file())
        self.assertNotIn('written', written)
        self.assertEqual(self.opcat('render', 'new/out').out, self.opcat('render', 'c').out)
        result = subprocess.run(['sh', '-c', f'{BINARY} list packages c >&- <&-; echo $?'], cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(result.stdout, '3\n')

    def test_a_closed_standard_output_is_a_failure(self):
        done = subprocess.run(['sh', '-c', f'exec "{BINARY}" version >&-'], stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b'cannot write to standard output', done.stderr)

    def test_colours_are_for_terminals(self):
        two_heads = CATALOGS / 'two-heads'
        status, shown = self.on_terminal('validate', two_heads)
        self.assertEqual(status, 1)
        self.assertIn('\x1b[1;31merror:', shown)
        for env in ({'NO_COLOR': '1'}, {'TERM': 'dumb'}, {'CI': 'true'}):
            with self.subTest(env):
                self.assertNotIn('\x1b', self.on_terminal('validate', two_heads, env=env)[1])
        self.assertIn('\x1b', self.on_terminal('validate', two_heads, env={'NO_COLOR': ''})[1])
        self.assertNotIn('\x1b', self.on_terminal('--color', 'never', 'validate', two_heads)[1])
        self.assertNotIn('\x1b', self.opcat('validate', two_heads).out)
        self.assertIn('\x1b', self.opcat('--color', 'always', 'validate', two_heads).out)
        self.assertIn('\x1b', self.opcat('--color=always', 'validate', two_heads, env={'NO_COLOR': '1'}).out)

    def test_rules_are_links_where_their_page_is_installed(self):
        link = '\x1b]8;;file://'
        self.assertNotIn(link, self.on_terminal('validate', CATALOGS / 'two-heads')[1])
        for directory in ('bin', 'share/doc/opcat'):
            (self.dir / directory).mkdir(parents=True)
        installed = shutil.copy(BINARY, self.dir / 'bin/opcat')
        page = self.write('share/doc/opcat/rules.html', self.opcat('explain', '--html').out)
        self.assertIn('<h2 id="channel-heads">', page.read_text())
        shown = self.on_terminal('validate', CATALOGS / 'two-heads', binary=installed, env=KNOWN)[1]
        self.assertIn(f'[{link}{page}#unknown-field\x1b\\unknown-field\x1b]8;;\x1b\\]', shown)
        self.assertNotIn(link, self.on_terminal('validate', CATALOGS / 'two-heads', binary=installed)[1])
        self.assertNotIn(link, self.on_terminal('--color', 'never', 'validate', CATALOGS / 'two-heads', binary=installed, env=KNOWN)[1])
        self.assertNotIn(link, self.run_binary(installed, '--color', 'always', 'validate', CATALOGS / 'two-heads').out)

    def test_places_are_links_on_terminals_that_make_links(self):
        place = f'{CATALOGS}/two-heads/index.yaml'
        for known in ({'TERM': 'alacritty'}, {'TERM_PROGRAM': 'vscode'}, {'VTE_VERSION': '7200'}, {'KONSOLE_VERSION': '220400'}):
            for form in 'text', 'concise':
                shown = self.on_terminal('validate', '--format', form, CATALOGS / 'two-heads', env=known)[1]
                self.assertRegex(shown, f'\x1b]8;;file://[^/]*{place}\x1b\\\\{place}:14:5\x1b]8;;\x1b\\\\')
        for unknown in ({}, {'VTE_VERSION': '4000'}, {'TERM': 'tmux-256color', 'TERM_PROGRAM': 'vscode'}):
            self.assertNotIn('\x1b]8', self.on_terminal('validate', CATALOGS / 'two-heads', env=unknown)[1])

    def test_colour_can_be_forced(self):
        self.assertIn('\x1b', self.opcat('validate', CATALOGS / 'two-heads', env={'FORCE_COLOR': '1'}).out)
        self.assertIn('\x1b', self.opcat('validate', CATALOGS / 'two-heads', env={'FORCE_COLOR': '1', 'CI': 'true'}).out)
        self.assertNotIn('\x1b', self.opcat('validate', CATALOGS / 'two-heads', env={'FORCE_COLOR': '1', 'NO_COLOR': '1'}).out)
        self.assertNotIn('\x1b', self.on_terminal('validate', CATALOGS / 'two-heads', env={'FORCE_COLOR': '0'})[1])

    def test_long_text_goes_through_a_pager(self):
        self.write('c/a.yaml', '---\n'.join(f'schema: olm.package\nname: p{name}.\n' for name in range(30)))
        pager = self.write('pager', '#!/bin/sh\necho "begin $1"\nsed s/^/+/\n')
        pager.chmod(0o755)
        status, shown = self.on_terminal('validate', 'c', env={'OPCAT_PAGER': f'{pager} of-opcat', 'PAGER': 'cat'})
        self.assertEqual(status, 1)
        self.assertTrue(shown.startswith('begin of-opcat'))
        self.assertRegex(shown, r'\n\+60 errors in 1 file .*\r\n$')
        for arguments, env in ((['c'], {'PAGER': 'cat'}), (['c'], {'OPCAT_PAGER': ''}), (['--no-pager', 'c'], {'PAGER': str(pager)}),
                               (['c'], {'PAGER': 'absent-pager'}), ([CATALOGS / 'two-heads'], {'PAGER': str(pager)})):
            shown = self.on_terminal('validate', *arguments, env=env)[1]
            self.assertNotIn('begin', shown)
            self.assertIn('error', shown)

    def test_tables_fit_the_terminal(self):
        name = 'a-very-long-name-' * 4
        self.write('c/a.yaml', f'schema: olm.package\nname: p\ndefaultChannel: {name}\n---\nschema: olm.channel\npackage: p\nname: {name}\n'
                   f'entries: [{{name: p.{name}.v1}}, {{name: p.{name}.v2, replaces: p.{name}.v1}}]\n')
        for columns in (80, 140):
            shown = self.on_terminal('list', 'bundles', 'c', columns=columns)[1].splitlines()
            self.assertEqual(len(shown), 3)
            for line in shown:
                self.assertLessEqual(len(line), columns)
        self.assertIn(f'p.{name}.v2', self.opcat('list', 'bundles', 'c').out)  # nothing is cut in a pipe

    def test_tables_have_a_row_for_people_and_all_of_it_when_asked(self):
        many = [f'p.v25.{i}.0' for i in range(30)]
        self.write('c/a.yaml', 'schema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\n'
                   f'entries: [{{name: p.v25.31.0, skips: [{", ".join(many)}]}}]\n')
        lines = self.opcat('list', 'bundles', 'c').out.splitlines()
        self.assertEqual(lines[0].split(), ['PACKAGE', 'CHANNEL', 'BUNDLE', 'VERSION', 'SKIPS'])
        self.assertTrue(lines[1].endswith('p.v25.0.0,p.v25.1.0,p.v25.2.0,p.v25.3.0 and 26 more'), lines[1])
        wide = self.opcat('list', 'bundles', 'c', '-o', 'wide').out.splitlines()
        self.assertEqual(wide[0].split(), ['PACKAGE', 'CHANNEL', 'BUNDLE', 'VERSION', 'REPLACES', 'SKIPS', 'SKIP', 'RANGE', 'NOTE', 'IMAGE'])
        self.assertIn(','.join(many), wide[1])

    def test_bundles_are_listed_by_version_or_as_opm_does_by_name(self):
        versions = ('25.10.0', '25.2.0', '25.2.0-rc.1')
        self.write('c/a.yaml', 'schema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\nentries:\n'
                   '- {name: p.v25.10.0, replaces: p.v25.2.0}\n- {name: p.v25.2.0, replaces: p.v25.2.0-rc.1}\n- {name: p.v25.2.0-rc.1}\n'
                   + ''.join(f'---\nschema: olm.bundle\nname: p.v{v}\npackage: p\nimage: i.example/p:v{v}\n'
                             f'properties: [{{type: olm.package, value: {{packageName: p, version: {v}}}}}]\n' for v in versions))
        by_name = sorted(f'p.v{v}' for v in versions)
        by_version = [f'p.v{v}' for v in reversed(versions)]
        for arguments, order in (((), by_version), (('--sort-by', 'version'), by_version), (('--sort-by', 'name'), by_name)):
            with self.subTest(arguments):
                self.assertEqual(self.opcat('list', 'bundles', 'c', '-o', 'name', *arguments).out.split(), order)
        self.assertEqual([line.split()[2] for line in self.opm('alpha', 'list', 'bundles', 'c').out.splitlines()[1:]], by_name)

    def test_a_locale_without_utf8_gets_ascii(self):
        streams = CATALOGS / 'streams'
        long = 'p' * 60
        self.write('c/a.yaml', f'schema: olm.package\nname: {long}\ndefaultChannel: a\n')
        for env in ({'LC_ALL': 'C'}, {'LC_ALL': '', 'LC_CTYPE': '', 'LANG': ''}, {'LC_ALL': '', 'LANG': 'de_DE.ISO-8859-1'}):
            with self.subTest(env):
                for arguments in (['graph', streams], ['graph', streams, '--from', '1.0.1'], ['list', 'packages', 'c'], ['validate', streams]):
                    self.assertTrue(self.on_terminal(*arguments, env=env, columns=50)[1].isascii(), arguments)
        self.assertIn('|-o harbour.v1.1.0', self.opcat('graph', streams, env={'LC_ALL': 'C'}).out)
        self.assertIn('→ harbour.v2.0.0', self.opcat('graph', streams, '--from', '1.0.1', env={'LC_ALL': '', 'LANG': 'en_US.utf8'}).out)
        # Characters of a catalog are not replaced.
        self.write('d/a.yaml', 'schema: olm.package\nname: p\ndefaultChannel: a\ndescription: a → b\n')
        self.assertIn('a → b', self.opcat('render', 'd', env={'LC_ALL': 'C'}).out)

    def test_transfers_show_on_a_terminal_how_far_they_are(self):
        self.write_layout('image', TESTDATA / 'bundles/widgets')
        for columns in (80, 30):
            status, shown = self.on_terminal('copy', 'oci:image', f'oci:copy{columns}:v1', columns=columns)
            self.assertEqual(status, 0, shown)
            progress = re.search(r'\r\x1b\[K(0 of 1 image  .*?)\r\x1b\[K', shown).group(1)  # and then it is erased
            self.assertLess(len(progress), columns)
            if columns == 80:
                self.assertRegex(progress, r'^0 of 1 image  [\d.]+ (Ki)?B of [\d.]+ KiB  [\d.]+ (\wi)?B/s$')
            self.assertIn(f'copied oci:image to oci:copy{columns}:v1 (2 blobs', shown)
        self.assertNotIn('\x1b', self.opcat('copy', 'oci:image', 'oci:quiet:v1').err)
        # Where there is room, pulls have a rate, too.
        for columns, rate in ((65, False), (80, True)):
            shown = self.on_terminal('render', 'oci:image', columns=columns)[1]
            self.assertEqual(re.search(r'layers .* of +[\d.]+ KiB +[\d.]+ (\wi)?B/s', shown) is not None, rate, shown[:300])

    def test_errors_are_coloured_too(self):
        self.assertTrue(self.opcat('--color', 'always', 'render', 'absent').err.startswith('\x1b[1;31merror:\x1b[0m '))

    def test_signals_end_it_as_signals_do(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number):
                read_end, write_end = os.pipe()
                child = subprocess.Popen([BINARY, 'render', self.large_catalog()], cwd=self.dir, stdout=write_end,
                                         stderr=subprocess.PIPE)
                os.close(write_end)
                os.read(read_end, 1)  # it writes more than the pipe takes
                child.send_signal(number)
                self.assertEqual(child.wait(timeout=600), -number)
                self.assertEqual(child.stderr.read(), b'')
                child.stderr.close()
                os.close(read_end)

    def test_a_signal_that_was_ignored_stays_ignored(self):
        child = subprocess.Popen(['sh', '-c', f'trap "" HUP; exec "{BINARY}" render {self.large_catalog()}'], cwd=self.dir,
                                 stdout=subprocess.PIPE)
        first = os.read(child.stdout.fileno(), 1)
        child.send_signal(signal.SIGHUP)
        rest, _ = child.communicate(timeout=600)
        self.assertEqual(child.returncode, 0)
        self.assertGreater(len(first + rest), 2_000_000)


if __name__ == '__main__':
    unittest.main()
