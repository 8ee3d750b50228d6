"""`opcat resolve v1` and `opcat resolve ocp-upgrade` as a user runs them.

    python3 -m unittest discover -s tests/cli -p test_resolve_v1.py
"""
import json
import pathlib
import shutil
import tempfile
import unittest

from opcat_case import CATALOGS, OpcatCase

MANIFEST = """\
apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata:
  name: {name}
spec:
  namespace: gizmo-system
  serviceAccount:
    name: installer
  source:
    sourceType: Catalog
    catalog:
      packageName: gizmo-operator
      version: "{version}"
"""


class ResolveCase(OpcatCase):
    def setUp(self):
        super().setUp()
        self.dir = CATALOGS  # this directory is read-only; a catalog is named by its bare name

    def temporary(self):
        directory = pathlib.Path(tempfile.mkdtemp(prefix="opcat-cli-"))
        self.addCleanup(shutil.rmtree, directory)
        return directory

    def resolve(self, *arguments, stdin=""):
        return self.opcat("resolve", "v1", *arguments, stdin=stdin, timeout=600)

    def ocp_upgrade(self, version, *arguments):
        return self.opcat("resolve", "ocp-upgrade", "--cluster-version", version, "--catalog", "gizmo", *arguments, timeout=600)


class Resolve(ResolveCase):
    def test_the_choice_comes_first_and_then_why(self):
        run = self.resolve("gizmo-operator", "--catalog", "gizmo", "--installed", "gizmo-operator.v1.0.0")
        self.assert_status(run, 0)
        lines = run.out.splitlines()
        self.assertEqual(lines[0], "gizmo-operator.v1.1.0 (version 1.1.0) from catalog gizmo")
        self.assertEqual(lines[1], "  replaces gizmo-operator.v1.0.0 (channel stable)")
        self.assertIn("1.0.0 loses data on restart", lines[2])
        self.assertIn("catalog gizmo: 2 candidates, 3 ruled out", run.out)
        self.assertEqual(run.err, "")

    def test_installed_may_be_a_version_or_a_bundle_no_longer_there(self):
        for installed in ("1.1.0", "gizmo-operator.v1.1.0", "gizmo-operator@1.1.0", "gizmo-operator.v1.1.0@1.1.0",
                          "gizmo-operator.v1.1.9@1.1.9"):
            run = self.resolve("gizmo-operator", "--catalog", "gizmo", "--installed", installed)
            self.assertTrue(run.out.startswith("gizmo-operator.v1.2.1 "), run.out)

    def test_every_command_reads_what_is_installed_alike(self):
        for installed, error in (
                ("gizmo-oprator@1.1.0", "gizmo-oprator is neither a bundle of package gizmo-operator nor that package\n"
                                        "  help: did you mean gizmo-operator?"),
                ("gizmo-operator.v1.1.0@1.2.0", "bundle gizmo-operator.v1.1.0 has version 1.1.0 in the catalog, not 1.2.0"),
                ("gizmo-operator", "gizmo-operator is a package, not the version of it that is installed")):
            line = json.dumps({"catalogs": [{"name": "c", "ref": "gizmo"}], "package": "gizmo-operator", "installed": installed})
            for run in (self.resolve("gizmo-operator", "--catalog", "gizmo", "--installed", installed),
                        self.opcat("graph", "gizmo", "--from", installed)):
                self.assert_status(run, 2)
                self.assertIn(error, run.err)
            self.assertIn("unknown " + installed + ": " + error.splitlines()[0], self.ocp_upgrade("4.18.3", "--installed", installed).out)
            self.assertEqual(self.resolve("--batch", "-", stdin=line + "\n").json(),
                             {"error": "line 1: " + error.splitlines()[0]})

    def test_a_failure_explains_itself_and_names_what_would_work(self):
        run = self.resolve("gizmo-operator", "--catalog", "gizmo", "--installed", "1.0.0", "--version", ">=2")
        self.assert_status(run, 1)
        self.assertTrue(run.out.startswith(
            'error upgrading from currently installed version "1.0.0": no bundles found for package '
            '"gizmo-operator" matching version ">=2"\n'))
        self.assertIn("no edge from gizmo-operator.v1.0.0", run.out)
        self.assertIn('go through gizmo-operator.v1.1.0 first: version "1.1.0"', run.out)
        self.assertIn("set upgradeConstraintPolicy to SelfCertified", run.out)

    def test_json_has_a_schema(self):
        run = self.resolve("gizmo-operator", "--catalog", "gizmo,priority=3,labels=env=prod", "-o", "json", "--to-end")
        answer = run.json()
        self.assertEqual(answer["schema"], "opcat.resolve-v1.v1")
        one = answer["resolutions"][0]
        self.assertEqual(one["choice"], {"bundle": "gizmo-operator.v2.0.0", "version": "2.0.0", "catalog": "gizmo"})
        self.assertEqual(one["catalogs"][0]["priority"], 3)
        self.assertEqual(len(one["catalogs"][0]["bundles"]), 5)
        self.assertEqual(one["journey"]["end"], "stays")

    def test_to_end_shows_the_whole_way(self):
        run = self.resolve("gizmo-operator", "--catalog", "gizmo", "--installed", "1.0.0", "--to-end")
        self.assertIn("  3.  gizmo-operator.v2.0.0  2.0.0  replaces gizmo-operator.v1.2.1 (channel fast)\n"
                      "  and there it stays\n", run.out)

    def test_catalogs_have_names_priorities_and_labels(self):
        two = ("gizmo-operator", "--catalog", "a=gizmo,labels=env=prod", "--catalog", "b=gizmo-last-week")
        self.assertIn("in multiple catalogs with the same priority [a b]", self.resolve(*two).out)
        self.assertIn("from catalog a", self.resolve(*two, "--selector", "env=prod").out)
        self.assertIn("from catalog b", self.resolve(*two[:-1], two[-1] + ",priority=1").out)
        self.assertIn("from catalog a", self.resolve(*two[:-1], two[-1] + ",unavailable").out)

    def test_wrong_usage(self):
        for arguments, message in (
                ((), "there is no package to resolve"),
                (("gizmo-operator",), "there is no catalog to resolve from"),
                (("gizmo-operator", "--catalog", "gizmo,prio=1"), '"prio=1" is not a setting'),
                (("gizmo-operator", "--catalog", "gizmo,priority=x"), '"x" is not an integer'),
                (("gizmo-operator", "--catalog", "gizmo", "--catalog", "gizmo"), "two catalogs are called gizmo"),
                (("gizmo-operator", "--catalog", "gizmo", "--installed", "gizmo-operator.v1.0.1"),
                 "package gizmo-operator has no bundle gizmo-operator.v1.0.1"),
                (("gizmo-operator", "--catalog", "gizmo", "-o", "markdown"), "-o markdown is for --all-installed"),
                (("gizmo", "--catalog", "gizmo", "--installed", "1.0.0"), "no catalog has package gizmo\n  help: did you mean gizmo-operator?"),
                (("other", "--catalog", "gizmo", "--installed", "1.0.0"), "write BUNDLE@VERSION"),
                (("gizmo-operator", "--catalog", "gizmo", "--against", "gizmo"), "--all-installed"),
                (("gizmo-operator", "--catalog", "gizmo", "--selector", "env"), "--selector env: this is not KEY=VALUE"),
                (("gizmo-operator", "--catalog", "gizmo", "--version", ">=1 nonsense"), "--version >=1 nonsense is not a range of versions: "),
                (("gizmo-operator", "--catalog", "gizmo", "--from-cluster"), "--from-cluster takes the catalogs from the cluster, not from --catalog"),
                (("gizmo-operator", "--catalog", "gizmo", "--all-installed", "--to-end"), "--all-installed cannot be combined with --installed, --to-end or --explain"),
                (("gizmo-operator", "--batch", "-"), "--batch reads its requests from the file"),
                (("gizmo-operator", "--shard", "0/2"), "--shard is for a part of --batch"),
                (("--batch", "-"), " has no lines to answer"),
                (("-f", "x.yaml", "gizmo-operator"), "-f reads the request from the manifest"),
                (("gizmo-operator", "--catalog", "gizmo", "--features", "Other"), "--features")):
            with self.subTest(arguments):
                run = self.resolve(*arguments)
                self.assert_status(run, 2)
                self.assertIn(message, run.err)
                self.assertEqual(run.out, "")

    def test_a_catalog_that_is_not_there(self):
        self.assert_status(self.resolve("gizmo-operator", "--catalog", "no-such-catalog"), 3)



class Reasons(OpcatCase):
    """The kinds of reasons in JSON: those of docs/resolve-json.md and of the schema."""

    PACKAGE = 'schema: olm.package\nname: p\ndefaultChannel: a\n'
    DEPENDENCY = '- {type: olm.gvk.required, value: {group: g, kind: K, version: v1}}\n'

    @staticmethod
    def bundle(name, version, more=''):
        return (f'---\nschema: olm.bundle\npackage: p\nname: {name}\nimage: i\nproperties:\n'
                f'- {{type: olm.package, value: {{packageName: p, version: "{version}"}}}}\n{more}')

    @staticmethod
    def channel(name, entries):
        return f'---\nschema: olm.channel\npackage: p\nname: {name}\nentries: [{entries}]\n'

    @staticmethod
    def deprecations(*references):
        entries = ''.join(f'- {{reference: {{{reference}}}, message: old}}\n' for reference in references)
        return f'---\nschema: olm.deprecations\npackage: p\nentries:\n{entries}'

    def explained(self, *arguments):
        (answer,) = self.opcat('resolve', 'v1', 'p', *arguments, '--explain', '-o', 'json').json()['resolutions']
        reasons = {f'{catalog["name"]}/{bundle["name"]}': [reason['kind'] for reason in bundle['reasons']]
                   for catalog in answer['catalogs'] for bundle in catalog.get('bundles', [])}
        return answer, reasons

    def test_of_one_catalog(self):
        self.write('c/c.yaml', self.PACKAGE + self.channel('a', '{name: p.v1}, {name: p.v2, replaces: p.v1}, {name: p.v3, replaces: p.v2}') +
                   self.bundle('p.v1', '1.0.0') + self.bundle('p.v2', '2.0.0') + self.bundle('p.again', '2.0.0') + self.bundle('p.bad', '1.x') +
                   self.bundle('p.v3', '3.0.0') +
                   self.deprecations('schema: olm.package', 'schema: olm.channel, name: a', 'schema: olm.bundle, name: p.v3'))
        answer, reasons = self.explained('--catalog', 'c')
        self.assertEqual(answer['choice']['bundle'], 'p.v2')
        self.assertEqual(answer['choice']['equals'], ['p.again'])
        self.assertEqual(answer['deprecation'], {'catalog': 'c', 'package': 'old', 'channels': {'a': 'old'}})
        self.assertEqual(reasons, {'c/p.v2': [], 'c/p.again': ['later-in-catalog'], 'c/p.v1': ['lower-version'],
                                   'c/p.bad': ['version-not-comparable'], 'c/p.v3': ['deprecated']})
        answer, reasons = self.explained('--catalog', 'c', '--channel', 'a', '--version', '<3', '--installed', 'p.v2')
        self.assertEqual(reasons, {'c/p.v2': [], 'c/p.again': ['not-in-channel'], 'c/p.v3': ['outside-range'], 'c/p.v1': ['no-edge'],
                                   'c/p.bad': ['not-in-channel', 'unreadable-version', 'no-edge']})
        answer, _ = self.explained('--catalog', 'c', '--version', '3.0.0', '--installed', 'p.v3')
        self.assertEqual(answer['deprecation']['bundle'], 'old')
        self.assertEqual(answer['deprecation']['installed'], 'old')

    def test_lines_of_a_deprecation_are_indented(self):
        self.write('c/c.yaml', self.PACKAGE + self.channel('a', '{name: p.v1}') + self.bundle('p.v1', '1.0.0') +
                   self.deprecations('schema: olm.package').replace('message: old', 'message: "old\\nOLM chooses p.v2"'))
        done = self.opcat('resolve', 'v1', 'p', '--catalog', 'c')
        self.assertIn('  deprecated: the package: old\n    OLM chooses p.v2\n', done.out)

    def test_of_several_catalogs(self):
        self.write('one/c.yaml', self.PACKAGE + self.bundle('p.v1', '1.0.0'))
        self.write('two/c.yaml', self.PACKAGE + self.bundle('p.v9', '9.0.0', self.DEPENDENCY))
        self.write('old/c.yaml', self.PACKAGE + self.bundle('p.v5', '5.0.0') + self.deprecations('schema: olm.bundle, name: p.v5'))
        one, two, old = ('--catalog', 'one'), ('--catalog', 'two'), ('--catalog', 'old')
        for arguments, expected in (
                (two, {'two/p.v9': ['unsupported-dependency']}),
                (one + two, {'one/p.v1': ['ambiguous'], 'two/p.v9': ['ambiguous']}),
                (one + old, {'one/p.v1': [], 'old/p.v5': ['deprecated-elsewhere-not']}),
                (('--catalog', 'one,priority=1') + two, {'one/p.v1': [], 'two/p.v9': ['lower-priority']})):
            with self.subTest(arguments):
                self.assertEqual(self.explained(*arguments)[1], expected)

    def test_a_long_list_is_cut_unless_it_is_explained(self):
        self.write('c/c.yaml', self.PACKAGE + ''.join(self.bundle(f'p.v{i}', f'{i}.0.0') for i in range(1, 13)))
        short, long = (self.opcat('resolve', 'v1', 'p', '--catalog', 'c', *more).out for more in ((), ('--explain',)))
        self.assertTrue(short.endswith('\n  10.  p.v3   3.0.0   lower than 12.0.0\n  and 2 more: --explain shows all\n'), short)
        self.assertTrue(long.endswith('\n  12.  p.v1   1.0.0   lower than 12.0.0\n'), long)

    def test_the_path_to_an_upgrade_that_fails_is_shown_with_the_failure(self):
        self.write('c/c.yaml', self.PACKAGE + self.channel('a', '{name: p.v1}, {name: p.v2, replaces: p.v1}, {name: p.v3, replaces: p.v2}') +
                   self.bundle('p.v1', '1.0.0') + self.bundle('p.v2', '2.0.0') + self.bundle('p.v3', '3.0.0', self.DEPENDENCY))
        run = self.opcat('resolve', 'v1', 'p', '--catalog', 'c', '--installed', 'p.v1', '--to-end')
        self.assert_status(run, 0)
        self.assertIn('  1.  p.v2  2.0.0  replaces p.v1 (channel a)\n  and there it fails: ', run.out)
        self.assertIn('"olm.gvk.required" which is currently not supported', run.out)

    def test_a_catalog_that_is_wrong_is_reported_and_not_resolved_from(self):
        self.write('wrong/c.yaml', 'schema: 1\n')
        self.write('c/c.yaml', self.PACKAGE + self.channel('a', '{name: p.v1}') + self.bundle('p.v1', '1.0.0'))
        for arguments in (('v1', 'p', '--catalog', 'wrong'), ('v1', 'p', '--catalog', 'c', '--all-installed', '--against', 'wrong'),
                          ('ocp-upgrade', '--cluster-version', '4.18', '--catalog', 'wrong', '--installed', 'p.v1')):
            with self.subTest(arguments):
                run = self.opcat('resolve', *arguments)
                self.assert_status(run, 1)
                self.assertEqual(run.out, '')
                self.assertIn('wrong/c.yaml:1:9: error: ', run.err)

    def test_of_a_skip_range_that_crashes_olm(self):
        self.write('c/c.yaml', self.PACKAGE + self.channel('a', '{name: p.v1}, {name: p.v2, skipRange: ">=3.0.0 || || <1.0.0"}') +
                   self.bundle('p.v1', '1.0.0') + self.bundle('p.v2', '2.0.0'))
        _, reasons = self.explained('--catalog', 'c', '--installed', 'p.v1')
        self.assertEqual(reasons, {'c/p.v2': ['crash'], 'c/p.v1': ['aborted']})


class Manifests(ResolveCase):
    def test_several_are_resolved_one_by_one(self):
        manifests = MANIFEST.format(name="one", version="1.x") + "---\n" + MANIFEST.format(name="two", version="2.x")
        run = self.resolve("-f", "-", "--catalog", "gizmo", stdin=manifests)
        self.assert_status(run, 0)
        self.assertIn("ClusterExtension one\ngizmo-operator.v1.2.1", run.out)
        self.assertIn("ClusterExtension two\ngizmo-operator.v2.0.0", run.out)

    def test_what_the_api_server_refuses_is_shown_with_its_place_and_the_rest_goes_on(self):
        manifests = MANIFEST.format(name="one", version="1.x.x-") + "---\n" + MANIFEST.format(name="two", version="2.x")
        run = self.resolve("-f", "-", "--catalog", "gizmo", stdin=manifests)
        self.assert_status(run, 1)
        self.assertIn('stdin:13:16: error: spec.source.catalog.version: Invalid value: "1.x.x-": '
                      'invalid version expression', run.err)
        self.assertIn("gizmo-operator.v2.0.0", run.out)

    def test_what_is_being_deleted_is_not_resolved(self):
        manifest = MANIFEST.format(name="one", version="1.x").replace("metadata: {", 'metadata: {deletionTimestamp: "2026-01-01T00:00:00Z", ')
        manifest = manifest.replace("metadata:\n", 'metadata:\n  deletionTimestamp: "2026-01-01T00:00:00Z"\n')
        self.assertIn("deletionTimestamp", manifest)
        run = self.resolve("-f", "-", "--catalog", "gizmo", stdin=manifest)
        self.assert_status(run, 1)
        self.assertIn("the ClusterExtension is being deleted", run.err)

    def test_what_is_installed_belongs_to_one(self):
        manifests = MANIFEST.format(name="one", version="1.x") + "---\n" + MANIFEST.format(name="two", version="2.x")
        run = self.resolve("-f", "-", "--catalog", "gizmo", "--installed", "1.0.0", stdin=manifests)
        self.assert_status(run, 2)
        self.assertEqual((run.out, run.err), ("", "error: --installed is for one ClusterExtension, and there are several\n"))

    def test_a_file_without_one(self):
        run = self.resolve("-f", "-", "--catalog", "gizmo", stdin="kind: Namespace\napiVersion: v1\n")
        self.assert_status(run, 2)


class Installing(ResolveCase):
    """Whether OLM v1 installs what it chooses."""

    CATALOG = ('schema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\n'
               'entries: [{name: p.v1}, {name: p.v2, replaces: p.v1}]\n')
    EXTENSION = (MANIFEST.format(name="p", version="2.x").replace("gizmo-operator", "p").replace("gizmo-system", "shop") + "{more}")

    @staticmethod
    def bundle(version, mode, more=""):
        return (f'---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: i\nproperties:\n'
                f'- {{type: olm.package, value: {{packageName: p, version: {version}.0.0}}}}\n'
                f'- {{type: olm.csv.metadata, value: {{installModes: [{{type: {mode}, supported: true}}], '
                f'apiServiceDefinitions: {{}}{more}}}}}\n')

    def setUp(self):
        super().setUp()
        self.dir = self.temporary()
        (self.dir / "c").mkdir()
        (self.dir / "c/c.yaml").write_text(self.CATALOG + self.bundle(1, "AllNamespaces") + self.bundle(2, "OwnNamespace"))

    def test_a_choice_that_is_not_installed_is_a_finding(self):
        run = self.resolve("p", "--catalog", "c")
        self.assert_status(run, 1)
        self.assertEqual(run.out.splitlines()[:3], [
            "OLM chooses p.v2 (version 2.0.0) from catalog c; installing it fails: unsupported bundle: bundle does not support AllNamespaces install mode",
            "  this is about OLM v1 1.11 (standard feature set); --olm-release and --feature-set name another",
            "  OLM v1 1.11 (experimental feature set) needs the namespace to watch: spec.config.inline.watchNamespace"])
        self.assertIn('what would work:\n  - ask for version "1.0.0"\n      gives p.v1 ', run.out)
        answer = self.resolve("p", "--catalog", "c", "-o", "json").json()["resolutions"][0]
        self.assertEqual(answer["choice"]["bundle"], "p.v2")
        self.assertEqual(answer["install"], {
            "olmRelease": "1.11", "featureSet": "standard",
            "error": 'error for resolved bundle "p.v2" with version "2.0.0": unsupported bundle: bundle does not support AllNamespaces install mode'})
        self.assertEqual(answer["suggestions"][0]["gives"]["bundle"], "p.v1")

    def test_what_the_catalog_does_not_hold_is_not_checked(self):
        run = self.resolve("p", "--catalog", "c", "--version", "1.0.0")
        self.assert_status(run, 0)
        self.assertIn("\n  not checked: webhooks, which also decide whether OLM v1 1.11 (standard feature set) installs it\n", run.out)
        answer = self.resolve("p", "--catalog", "c", "--version", "1.0.0", "-o", "json", "--olm-release", "v1.5").json()["resolutions"][0]
        self.assertEqual(answer["install"], {"olmRelease": "1.5", "featureSet": "standard", "unknown": ["webhooks"]})

    def test_a_manifest_is_judged_by_its_release_and_feature_set(self):
        config = "  config: {configType: Inline, inline: {watchNamespace: shop}}\n"
        late = "  progressDeadlineMinutes: 721\n"
        for more, arguments, status, out, err in (
                (config, (), 1, "installing it fails: unsupported bundle", 'warning: unknown field "spec.config": with OLM v1 1.11 (standard feature set) the API server drops it'),
                (config, ("--feature-set", "experimental"), 0, "p.v2 (version 2.0.0) from catalog c\n", ""),
                (config, ("--olm-release", "1.8"), 0, "p.v2 (version 2.0.0) from catalog c\n", ""),
                (config.replace("shop", "other"), ("--feature-set", "experimental"), 1, 'must be "shop" (the namespace where the operator is installed)', ""),
                ("", ("--feature-set", "experimental"), 1, 'required field "watchNamespace" is missing', ""),
                (config + late, ("--feature-set", "experimental"), 1, "", "spec.progressDeadlineMinutes in body should be less than or equal to 720"),
                (late, ("--feature-set", "experimental", "--olm-release", "1.7"), 1, "required field", 'warning: unknown field "spec.progressDeadlineMinutes"')):
            with self.subTest(more=more, arguments=arguments):
                run = self.resolve("-f", "-", "--catalog", "c", *arguments, stdin=self.EXTENSION.format(more=more))
                self.assert_status(run, status)
                self.assertIn(out, run.out)
                self.assertIn(err, run.err) if err else self.assertEqual(run.err, "")

    def test_paths_and_tables_end_at_what_is_not_installed(self):
        failure = "OLM chooses p.v2; installing it fails: unsupported bundle: bundle does not support AllNamespaces install mode"
        run = self.resolve("p", "--catalog", "c", "--installed", "1.0.0", "--to-end")
        self.assert_status(run, 1)
        self.assertIn("and there it fails: " + failure, run.out)
        run = self.resolve("p", "--catalog", "c", "--all-installed")
        self.assert_status(run, 1)
        self.assertIn("stuck         " + failure, run.out)

    def test_a_line_of_a_batch_may_ask_for_it(self):
        request = {"catalogs": [{"name": "c", "ref": "c"}], "package": "p"}
        lines = [request, dict(request, olmRelease="1.11"), dict(request, featureSet="experimental", version="1.0.0"), dict(request, featureSet="any"), dict(request, olmRelease="1.12")]
        run = self.resolve("--batch", "-", stdin="".join(json.dumps(line) + "\n" for line in lines))
        plain, refused, unknown, set_error, release_error = (json.loads(line) for line in run.out.splitlines())
        self.assertNotIn("install", plain)
        self.assertIn("AllNamespaces", refused["install"]["error"])
        self.assertEqual(unknown["install"], {"olmRelease": "1.11", "featureSet": "experimental", "unknown": ["webhooks"]})
        self.assertEqual(set_error["error"], 'line 4: "featureSet" must be standard or experimental')
        self.assertEqual(release_error["error"], "line 5: OLM v1 has no release 1.12 that opcat knows")

    def test_a_misspelt_member_of_a_line_is_refused_and_other_members_are_the_users(self):
        request = {"catalogs": [{"name": "c", "ref": "c"}], "package": "p"}
        lines = [dict(request, ticket=7), dict(request, channel=["x"]), dict(request, Installed="1.0.0"), dict(request, catalogs=[{"name": "c", "ref": "c", "label": {}}]),
                 dict(request, installed={"name": "p.v1", "version": "1.0.0", "relaese": "1"})]
        run = self.resolve("--batch", "-", stdin="".join(json.dumps(line) + "\n" for line in lines))
        self.assertEqual([json.loads(line).get("error") for line in run.out.splitlines()],
                         [None, *(f'line {number}: there is no member "{name}"' for number, name in ((2, "channel"), (3, "Installed"), (4, "label"), (5, "relaese")))])
        self.assert_status(run, 1)

    def test_a_cluster_is_not_freed_by_what_is_not_installed(self):
        blocking = ", annotations: {olm.properties: '[{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"4.18\"}]'}"
        (self.dir / "c/c.yaml").write_text(self.CATALOG + self.bundle(1, "AllNamespaces", blocking) + self.bundle(2, "OwnNamespace"))
        ask = ("resolve", "ocp-upgrade", "--cluster-version", "4.18.3", "--catalog", "c", "--installed", "p.v1", "--olm", "v1")
        self.assertIn("OLM v1: no upgrade in the catalog ends the block", self.opcat(*ask).out)
        run = self.opcat(*ask, "--feature-set", "experimental")
        self.assertIn("OLM v1: upgrade it to p.v2 (with spec.config.inline.watchNamespace)", run.out)
        (self.dir / "c/c.yaml").write_text(self.CATALOG + self.bundle(1, "AllNamespaces", blocking) + self.bundle(2, "AllNamespaces"))
        run = self.opcat(*ask)
        self.assertIn("OLM v1: upgrade it to p.v2\n", run.out)
        self.assertIn("not checked: webhooks of these upgrades, which also decide whether OLM v1 installs them\n", run.out)
        self.assertEqual(self.opcat(*ask, "-o", "json").json()["unknown"], ["webhooks"])

    def test_releases_and_sets_that_do_not_exist(self):
        for arguments, message in ((("--olm-release", "1.12"), "OLM v1 has no release 1.12 that opcat knows\n  help: 1.0 to 1.11 are known"),
                                   (("--olm-release", "1.3", "--feature-set", "experimental"), "OLM v1 1.3 has no experimental feature set\n  help: there is one since 1.4"),
                                   (("--feature-set", "all"), "--feature-set")):
            run = self.resolve("p", "--catalog", "c", *arguments)
            self.assert_status(run, 2)
            self.assertIn(message, run.err)


class Tables(ResolveCase):
    def test_every_version_is_installed_in_turn(self):
        run = self.resolve("gizmo-operator", "--catalog", "gizmo", "--all-installed")
        self.assert_status(run, 0)
        lines = run.out.splitlines()
        self.assertEqual(len(lines), 6)
        self.assertRegex(lines[1], r"^gizmo-operator\.v1\.0\.0 +1\.0\.0 +moves to gizmo-operator\.v1\.1\.0 ")
        self.assertRegex(lines[5], r"^gizmo-operator\.v2\.0\.0 +2\.0\.0 +stays$")

    def test_stuck_versions_are_findings(self):
        run = self.resolve("gizmo-operator", "--catalog", "gizmo", "--all-installed", "--version", ">=2")
        self.assert_status(run, 1)
        self.assertIn("stuck", run.out)

    def test_a_package_without_versions_that_can_be_read_is_a_finding(self):
        directory = self.temporary()
        (directory / "c.yaml").write_text(Reasons.PACKAGE + Reasons.channel("a", "{name: p.v1}") + Reasons.bundle("p.v1", "1.x"))
        for package, catalog, error in (("gizmo", "gizmo", 'no bundles found for package "gizmo"'),
                                        ("p", f"c={directory}", 'error getting resolved bundle version for bundle "p.v1": No Major.Minor.Patch elements found')):
            with self.subTest(package):
                run = self.resolve(package, "--catalog", catalog, "--all-installed")
                self.assert_status(run, 1)
                self.assertEqual((run.out, run.err), ("", f"error: {error}\n"))

    def test_what_is_the_same_in_both_catalogs_is_not_a_change(self):
        run = self.resolve("gizmo-operator", "--catalog", "gizmo", "--all-installed", "--against", "gizmo")
        self.assert_status(run, 0)
        for row in run.out.splitlines()[1:]:
            self.assertRegex(row, r" (stays|moves to \S+) +(stays|moves to \S+)$")
        run = self.resolve("gizmo-operator", "--catalog", "gizmo", "--all-installed", "--against", "gizmo", "-o", "json")
        self.assertEqual({row["change"] for row in run.json()["installed"]}, {"same"})

    def test_json_and_markdown(self):
        table = ("gizmo-operator", "--catalog", "gizmo", "--all-installed")
        answer = self.resolve(*table, "-o", "json").json()
        self.assertEqual(answer["schema"], "opcat.resolve-v1-all-installed.v1")
        self.assertEqual(answer["installed"][0]["what"], "moves")
        self.assertTrue(self.resolve(*table, "-o", "markdown").out.startswith("| INSTALLED |"))

    def test_compared_with_another_catalog(self):
        run = self.resolve("gizmo-operator", "--catalog", "gizmo", "--all-installed", "--against", "gizmo-last-week")
        self.assert_status(run, 0)
        self.assertRegex(run.out, r"gizmo-operator\.v2\.0\.0 +2\.0\.0 +- +stays +added")
        run = self.resolve("gizmo-operator", "--catalog", "gizmo-last-week", "--all-installed", "--against", "gizmo", "-o", "json")
        self.assert_status(run, 1)
        changes = {row["version"]: row["change"] for row in run.json()["installed"]}
        self.assertEqual(changes, {"1.0.0": "changed", "1.1.0": "changed", "1.2.0": "worse", "1.2.1": "worse",
                                   "2.0.0": "worse"})

    def test_users_of_a_bundle_that_is_gone_still_want_upgrades(self):
        self.dir = self.temporary()

        def catalog(name, first):
            self.write(f"{name}/c.yaml", "schema: olm.package\nname: p\n---\nschema: olm.channel\npackage: p\nname: a\nentries:\n" +
                       ("- name: p.v1.0.0\n- name: p.v1.1.0\n  replaces: p.v1.0.0\n" if first else "- name: p.v1.1.0\n") + "".join(
                           f"---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: r.example/p:{version}\nproperties:\n- type: olm.package\n"
                           f"  value: {{packageName: p, version: {version}}}\n" for version in (["1.0.0"] if first else []) + ["1.1.0"]))
        catalog("old", True)
        catalog("new", False)
        run = self.resolve("p", "--catalog", "new", "--all-installed", "--against", "old")
        self.assert_status(run, 1)
        self.assertRegex(run.out, r"p\.v1\.0\.0 +1\.0\.0 +moves to p\.v1\.1\.0 +stuck +worse")
        run = self.resolve("p", "--catalog", "new", "--all-installed", "--against", "old", "--channel", "misspelt")
        self.assert_status(run, 1)
        self.write("empty/c.yaml", "")
        run = self.resolve("p", "--catalog", "new", "--all-installed", "--against", "empty")
        self.assert_status(run, 2)
        self.assertIn("empty has no version of package p to compare with", run.err)


class OpenShift(ResolveCase):
    def test_blocking_operators_and_what_unblocks_them(self):
        run = self.ocp_upgrade("4.18.3", "--installed", "gizmo-operator@1.0.0", "--installed", "gizmo-operator.v1.2.1")
        self.assert_status(run, 1)
        self.assertIn("blocks  gizmo-operator.v1.0.0 (1.0.0): olm.maxOpenShiftVersion is 4.17\n"
                      "        OLM classic: upgrade it to gizmo-operator.v1.1.0, then to gizmo-operator.v1.2.1 (channel stable)\n"
                      "        OLM v1: upgrade it to gizmo-operator.v1.1.0, then to gizmo-operator.v1.2.1\n", run.out)
        self.assertIn("ok      gizmo-operator.v1.2.1", run.out)

    def test_each_olm_is_asked_unless_one_is_named(self):
        for olm, asked in (((), {"classic", "v1"}), (("--olm", "classic"), {"classic"}), (("--olm", "v1"), {"v1"})):
            (row,) = self.ocp_upgrade("4.18.3", "--installed", "gizmo-operator@1.0.0", "-o", "json", *olm).json()["operators"]
            self.assertEqual((set(row["olms"]), {way["olm"] for way in row["ways"]}), (asked, asked))

    def test_an_operator_that_no_catalog_has_is_unknown_and_the_others_are_answered(self):
        run = self.ocp_upgrade("4.16.0", "--installed", "nope.v1", "--installed", "gizmo-operator.v1.0.0@1.0.0")
        self.assert_status(run, 1)
        self.assertIn("unknown nope.v1: ", run.out)
        self.assertIn("ok      gizmo-operator.v1.0.0 (1.0.0): up to OpenShift 4.17\n", run.out)
        self.assertIn("1 of 2 operators is not known to be fit for OpenShift 4.17\n", run.out)
        self.assertNotIn("no installed operator", run.out)

    def test_the_catalogs_of_the_next_version_should_have_the_operator(self):
        ask = ("4.16.0", "--installed", "gizmo-operator.v1.0.0", "--next-catalog")
        self.assertIn("not checked: whether the catalogs of OpenShift 4.17 have these operators (--next-catalog)\n",
                      self.ocp_upgrade(*ask[:-1]).out)
        self.assert_status(self.ocp_upgrade(*ask, "next=gizmo"), 0)
        run = self.ocp_upgrade(*ask, "hello")
        self.assert_status(run, 1)
        self.assertIn("gone    gizmo-operator.v1.0.0 (1.0.0): the catalogs of OpenShift 4.17 do not have its package\n", run.out)

    def test_what_no_upgrade_unblocks(self):
        def bundle(name, version, maximum):
            more = f'- {{type: olm.maxOpenShiftVersion, value: {maximum}}}\n' if maximum else ''
            return Reasons.bundle(name, version, more)
        directory = self.temporary()
        text = Reasons.PACKAGE + Reasons.channel('a', '{name: p.v1}, {name: p.v2, skips: [p.v0]}')
        for bundles, way in (([('p.v1', '1.0.0', '"4.18"'), ('p.v2', '2.0.0', '')],
                              'no edge leads to a version that does not block; p.v2 does not, and only upgradeConstraintPolicy: SelfCertified '
                              'allows it: verify the consequences first'),
                             ([('p.v1', '1.0.0', '"4.18"'), ('p.v2', '2.0.0', '"4.17"')],
                              'no upgrade in the catalog ends the block: wait for one, or uninstall the operator first')):
            with self.subTest(way):
                (directory / 'c.yaml').write_text(text + ''.join(bundle(*one) for one in bundles))
                ask = ('resolve', 'ocp-upgrade', '--cluster-version', '4.18.3', '--catalog', f'c={directory}', '--installed', 'p.v1')
                run = self.opcat(*ask)
                self.assert_status(run, 1)
                self.assertTrue(run.out.startswith(
                    'blocks  p.v1 (1.0.0): olm.maxOpenShiftVersion is 4.18\n'
                    '        OLM classic: no upgrade in the catalog ends the block: wait for one, or uninstall the operator first\n'
                    f'        OLM v1: {way}\n\n1 of 1 operator keeps OpenShift 4.18 from 4.19\n'), run.out)
                (row,) = self.opcat(*ask, '-o', 'json').json()['operators']
                self.assertEqual(row.get('selfCertified'), 'p.v2' if 'p.v2' in way else None)

    def test_a_maximum_that_openshift_cannot_read_blocks(self):
        directory = self.temporary()
        (directory / 'c.yaml').write_text(Reasons.PACKAGE + Reasons.channel('a', '{name: p.v1}') +
                                          Reasons.bundle('p.v1', '1.0.0', '- {type: olm.maxOpenShiftVersion, value: "next"}\n'))
        run = self.opcat('resolve', 'ocp-upgrade', '--cluster-version', '4.18.3', '--catalog', f'c={directory}', '--installed', 'p.v1')
        self.assert_status(run, 1)
        self.assertTrue(run.out.startswith('blocks  p.v1 (1.0.0): error in bundle p.v1: error converting to semver for version "next": '), run.out)

    def test_of_two_catalogs_the_one_with_the_obstacle_answers(self):
        directories = [self.temporary(), self.temporary()]
        for directory, maximum in zip(directories, ('', '- {type: olm.maxOpenShiftVersion, value: "4.18"}\n')):
            (directory / 'c.yaml').write_text(Reasons.PACKAGE + Reasons.channel('a', '{name: p.v1}') + Reasons.bundle('p.v1', '1.0.0', maximum))
        for order in (directories, directories[::-1]):
            catalogs = [word for at, directory in enumerate(order) for word in ('--catalog', f'c{at}={directory}')]
            run = self.opcat('resolve', 'ocp-upgrade', '--cluster-version', '4.18.3', *catalogs, '--installed', 'p.v1')
            self.assert_status(run, 1)
            self.assertTrue(run.out.startswith('blocks  p.v1 (1.0.0): olm.maxOpenShiftVersion is 4.18\n'), run.out)

    def test_the_path_ends_where_olm_v1_does_not_install(self):
        directory = self.temporary()
        modes = '- {type: olm.csv.metadata, value: {apiServiceDefinitions: {}, installModes: [{type: AllNamespaces, supported: %s}]}}\n'
        (directory / 'c.yaml').write_text(Reasons.PACKAGE + Reasons.channel('a', '{name: p.v1}, {name: p.v2, replaces: p.v1}') +
                                          Reasons.bundle('p.v1', '1.0.0', modes % 'true') + Reasons.bundle('p.v2', '2.0.0', modes % 'false'))
        run = self.opcat('graph', str(directory), '--from', '1.0.0', '--olm', 'v1')
        self.assert_status(run, 1)
        self.assertIn('OLM v1 does not install p.v2: unsupported bundle: bundle does not support AllNamespaces install mode', run.out)
        self.assert_status(self.opcat('graph', str(directory), '--from', '1.0.0', '--olm', 'classic'), 0)

    def test_nothing_blocks(self):
        run = self.ocp_upgrade("4.16.0-rc.1", "--installed", "gizmo-operator.v1.0.0", "-o", "json")
        self.assert_status(run, 0)
        answer = run.json()
        self.assertEqual((answer["schema"], answer["next"]), ("opcat.resolve-ocp-upgrade.v1", "4.17"))
        self.assertFalse(answer["operators"][0]["blocks"])

    def test_wrong_usage(self):
        for arguments in (("four", "--installed", "gizmo-operator.v1.0.0"), ("4", "--installed", "gizmo-operator.v1.0.0"), ("4.18.0",)):
            self.assert_status(self.ocp_upgrade(*arguments), 2)


class Batches(ResolveCase):
    REQUEST = {"catalogs": [{"name": "c", "ref": "gizmo"}], "package": "gizmo-operator"}

    def answers(self, *lines):
        run = self.resolve("--batch", "-", stdin="\n".join(lines) + "\n")
        answers = [json.loads(line) for line in run.out.splitlines()]
        refused = any(answer.get("error", "").startswith("line ") for answer in answers)
        self.assert_status(run, 1 if refused else 0)
        self.assertEqual("could not be answered" in run.err, refused)
        return answers

    def test_answers_come_in_order_and_a_bad_line_gets_an_error(self):
        asked = [dict(self.REQUEST, version=f"1.{i % 3}.0") for i in range(5000)]
        lines = [json.dumps(request) for request in asked]
        lines[7] = "{"
        lines[8] = json.dumps(dict(self.REQUEST, channels="stable"))
        answers = self.answers(*lines)
        self.assertEqual(answers[7]["error"], "line 8: the line is not a JSON object")
        self.assertEqual(answers[8]["error"], 'line 9: "channels" must be a list of strings')
        for i in (*range(7), *range(9, 5000)):
            self.assertEqual(answers[i]["version"], f"1.{i % 3}.0")

    def test_lines_that_are_not_requests(self):
        for line in ("[]", "1", "null", '"x"', "[" * 100000, '{"package": "p"}', '{"catalogs": [], "package": 1}',
                     json.dumps(dict(self.REQUEST, policy="Any")), json.dumps(dict(self.REQUEST, features=["F"])),
                     json.dumps(dict(self.REQUEST, installed={"name": "x"})),
                     json.dumps(dict(self.REQUEST, catalogs=[{"name": "c", "ref": "gizmo", "priority": 2**31}])),
                     json.dumps(dict(self.REQUEST, candidates=-1)), "\x00", "\xff"):
            self.assertTrue(self.answers(line)[0]["error"].startswith("line 1: "), line[:50])

    def test_what_is_installed_may_be_written_as_on_the_command_line(self):
        cluster = {"name": "gizmo-operator.v1.0.0", "version": "1.0.0"}
        for installed in (cluster, "gizmo-operator.v1.0.0", "gizmo-operator@1.0.0", "1.0.0"):
            answer = self.answers(json.dumps(dict(self.REQUEST, channels=["stable"], installed=installed)))[0]
            self.assertEqual(answer["bundle"], "gizmo-operator.v1.1.0")

    def test_candidates_and_what_is_deprecated(self):
        answer = self.answers(json.dumps(dict(self.REQUEST, candidates=2, channels=["stable"],
                                              installed={"name": "gizmo-operator.v1.0.0", "version": "1.0.0"})))[0]
        self.assertEqual(answer, {
            "bundle": "gizmo-operator.v1.1.0", "version": "1.1.0", "catalog": "c",
            "deprecation": {"catalog": "c", "entries": 1,
                            "installed": "1.0.0 loses data on restart. Upgrade to 1.1.0 or later."},
            "candidates": {"c": ["gizmo-operator.v1.1.0", "gizmo-operator.v1.0.0"]}})

    def test_a_catalog_that_cannot_be_read_is_an_answer(self):
        answer = self.answers(json.dumps({"catalogs": [{"name": "c", "ref": "no-such"}], "package": "p"}))[0]
        self.assertEqual(answer["error"], 'error walking catalogs: error getting package "p" from catalog "c": '
                                          'stat .: no such file or directory')
        index = self.temporary() / "index.db"
        index.write_bytes(b"SQLite format 3\0 and nothing of a database")
        answer = self.answers(json.dumps({"catalogs": [{"name": "c", "ref": str(index)}], "package": "p"}))[0]
        self.assertEqual(answer["error"], f'error walking catalogs: error getting package "p" from catalog "c": cannot query {index}: '
                                          'file is not a database')


if __name__ == "__main__":
    unittest.main()
