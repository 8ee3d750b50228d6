"""opcat generate dockerfile: what it writes, and what it refuses."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from random import Random

import dockerfile_reader

OPCAT = os.environ["OPCAT"]
OPM = os.environ.get("OPM", os.path.join(os.path.dirname(OPCAT), "opm"))

CATALOG = """schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries: [{name: foo.v1.0.0}]
---
schema: olm.bundle
package: foo
name: foo.v1.0.0
image: quay.io/example/foo:v1.0.0
properties:
- {type: olm.package, value: {packageName: foo, version: 1.0.0}}
"""

SERVING = """# The builder image is expected to contain
# /bin/opm (with serve subcommand)
FROM quay.io/operator-framework/opm:latest as builder

# Copy FBC root into image at /configs and pre-populate serve cache
ADD catalog /configs
RUN ["/bin/opm", "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"]

FROM quay.io/operator-framework/opm:latest
# The base image is expected to contain
# /bin/opm (with serve subcommand) and /bin/grpc_health_probe

# Configure the entrypoint and command
ENTRYPOINT ["/bin/opm"]
CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]

COPY --from=builder /configs /configs
COPY --from=builder /tmp/cache /tmp/cache

# Set FBC-specific label for the location of the FBC root directory
# in the image
LABEL operators.operatorframework.io.index.configs.v1=/configs
"""


# What a Dockerfile, a shell, a pattern or JSON reads as something else than itself.
NASTY = "\"\\$'`*?[]^{}()#=,;:&|<>!~%@+-_./ \tax0é\u2028"


class GenerateDockerfile(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = directory.name
        self.make_catalog("catalog")

    def make_catalog(self, name, text=CATALOG):
        os.mkdir(os.path.join(self.root, name))
        with open(os.path.join(self.root, name, "catalog.yaml"), "w") as f:
            f.write(text)

    def run_as(self, program, *arguments, cwd=None):
        return subprocess.run([program, "generate", "dockerfile", *arguments], cwd=cwd or self.root,
                              capture_output=True, text=True)

    def read(self, name="catalog.Dockerfile"):
        with open(os.path.join(self.root, name)) as f:
            return f.read()

    def test_text_under_both_names(self):
        for program in (OPCAT, OPM):
            for directory in ("catalog", "catalog/", "./catalog", "x/../catalog"):
                with self.subTest(program=program, directory=directory):
                    result = self.run_as(program, directory)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertEqual(self.read(), SERVING)
                    os.remove(os.path.join(self.root, "catalog.Dockerfile"))

    def test_containerfile_is_an_alias(self):
        result = subprocess.run([OPCAT, "generate", "containerfile", "catalog"], cwd=self.root)
        self.assertEqual(result.returncode, 0)
        self.assertEqual(self.read(), SERVING)

    def test_images(self):
        self.run_as(OPM, "catalog", "-i", "base:1", "-b", "builder:1")
        froms = re.findall("^FROM .*", self.read(), re.M)
        self.assertEqual(froms, ["FROM builder:1 as builder", "FROM base:1"])

    def test_binary_image_is_both(self):
        self.run_as(OPM, "catalog", "--binary-image", "both:1")
        froms = re.findall("^FROM .*", self.read(), re.M)
        self.assertEqual(froms, ["FROM both:1 as builder", "FROM both:1"])

    def test_binary_less_is_scratch(self):
        self.run_as(OPCAT, "catalog", "--binary-less")
        without = self.read()
        os.remove(os.path.join(self.root, "catalog.Dockerfile"))
        self.run_as(OPM, "catalog", "-i", "scratch")
        self.assertEqual(without, self.read())
        self.assertIn("FROM scratch\n# OLMv0 CatalogSources that use binary-less images must set:\n", without)
        self.assertIn("#       cacheDir: /tmp/cache\n\nCOPY --from=builder", without)
        self.assertNotIn("ENTRYPOINT", without)

    def test_labels_are_sorted_and_the_last_of_equal_keys_counts(self):
        self.run_as(OPM, "catalog", "-l", "b=1,a=x=y", "--extra-labels", "b=2")
        self.assertTrue(self.read().endswith('\n\n# Set other custom labels\nLABEL "a"="x=y"\nLABEL "b"="2"\n'))

    def test_labels_mean_what_was_asked(self):
        values = ['say "hi"', "$HOME", "${x:-y}", "back\\slash", "end\\", "a, b", "# no comment", "é", "'", ""]
        arguments = []
        for i, value in enumerate(values):
            quoted = f"k{i}={value}".replace('"', '""')
            arguments += ["-l", f'"{quoted}"']
        result = self.run_as(OPCAT, "catalog", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = [rest for keyword, rest in dockerfile_reader.instructions(self.read()) if keyword == "LABEL"][1:]
        self.assertEqual([dockerfile_reader.labels(line) for line in lines],
                         [{f"k{i}": value} for i, value in enumerate(values)])

    def test_every_instruction_means_what_was_asked(self):
        random = Random(5)

        def text(characters, least=1):
            return "".join(random.choice(characters) for _ in range(random.randint(least, 12)))

        for i in range(60):
            # "-" and "." at the begin are other names, or options of the command itself.
            name = f"x{i}" + text(NASTY.replace("/", ""))
            wanted = {text(NASTY): text(NASTY, 0).strip() for _ in range(4)}
            wanted = {key.replace("=", "_"): value for key, value in wanted.items()}
            labels = []
            for key, value in wanted.items():
                labels += ["-l", '"' + f"{key}={value}".replace('"', '""') + '"']
            with self.subTest(name=name, labels=wanted):
                self.make_catalog(name)
                result = self.run_as(OPCAT, "./" + name, *labels, "--output", "F", "--force")
                self.assertEqual(result.returncode, 0, result.stderr)
                read = dockerfile_reader.instructions(self.read("F"))
                rests = [rest for _, rest in read]
                self.assertEqual([keyword for keyword, _ in read],
                                 ["FROM", "ADD", "RUN", "FROM", "ENTRYPOINT", "CMD", "COPY", "COPY", "LABEL"] +
                                 ["LABEL"] * len(wanted))
                self.assertEqual(rests[0], "quay.io/operator-framework/opm:latest as builder")
                source, destination = dockerfile_reader.added(rests[1])
                self.assertEqual((source.removeprefix("./"), destination), (name, "/configs"))
                self.assertEqual([json.loads(rests[i]) for i in (2, 4, 5)],
                                 [["/bin/opm", "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"],
                                  ["/bin/opm"], ["serve", "/configs", "--cache-dir=/tmp/cache"]])
                self.assertEqual(rests[6:8], ["--from=builder /configs /configs",
                                              "--from=builder /tmp/cache /tmp/cache"])
                found = {}
                for rest in rests[9:]:
                    found.update(dockerfile_reader.labels(rest))
                self.assertEqual(found, wanted)

    def test_paths_that_need_it_are_escaped(self):
        cases = {
            "my catalog": 'ADD ["./my catalog", "/configs"]',
            "a$b": 'ADD ["./a\\\\$b", "/configs"]',
            "a[1]*": 'ADD ["./a[[]1][*]", "/configs"]',
            'q"': 'ADD ["./q\\\\\\"", "/configs"]',
            "-x": 'ADD ["./-x", "/configs"]',
        }
        for name, line in cases.items():
            with self.subTest(name=name):
                self.make_catalog(name)
                result = self.run_as(OPCAT, "./" + name)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(line + "\n", self.read(name + ".Dockerfile"))

    def test_a_directory_without_a_name_gets_its_own(self):
        result = self.run_as(OPCAT, ".", cwd=os.path.join(self.root, "catalog"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.read(), SERVING)

    def test_refusals(self):
        cases = [
            (["catalog", "-l", "novalue"], "invalid label"),
            (["catalog", "-l", 'k="v"'], "quote"),
            (["catalog", "-l", '"k=a\nb"'], "line break"),
            (["catalog", "-b", "scratch"], "scratch"),
            (["catalog", "-i", ""], "no name"),
            (["catalog", "-i", "a b"], "no pull spec"),
            (["catalog", "-i", "a\nRUN evil"], "no pull spec"),
            (["missing"], "no directory"),
        ]
        for program in (OPCAT, OPM):
            for arguments, reason in cases:
                with self.subTest(program=program, arguments=arguments):
                    result = self.run_as(program, *arguments)
                    self.assertNotEqual(result.returncode, 0)
                    # opcat refuses empty arguments of any command.
                    self.assertIn("is empty" if program == OPCAT and "" in arguments else reason, result.stderr)
                    self.assertEqual(os.listdir(self.root), ["catalog"])

    def test_does_not_overwrite(self):
        path = os.path.join(self.root, "catalog.Dockerfile")
        with open(path, "w") as f:
            f.write("mine")
        for program in (OPCAT, OPM):
            result = self.run_as(program, "catalog")
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("exists", result.stderr)
            self.assertEqual(self.read(), "mine")
        self.assertEqual(self.run_as(OPCAT, "catalog", "--force").returncode, 0)
        self.assertEqual(self.read(), SERVING)

    def test_output_names_another_file(self):
        self.assertEqual(self.run_as(OPCAT, "catalog", "--output", "Containerfile").returncode, 0)
        self.assertEqual(self.read("Containerfile"), SERVING)

    def test_a_catalog_that_does_not_validate(self):
        self.make_catalog("bad", "schema: olm.package\nname: foo\ndefaultChannel: nope\n")
        result = self.run_as(OPCAT, "bad")
        self.assertEqual(result.returncode, 1)
        self.assertIn("--no-validate", result.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.root, "bad.Dockerfile")))
        self.assertEqual(self.run_as(OPCAT, "bad", "--no-validate").returncode, 0)
        os.remove(os.path.join(self.root, "bad.Dockerfile"))
        self.assertEqual(self.run_as(OPM, "bad").returncode, 0)


if __name__ == "__main__":
    unittest.main()
