"""opcat generate dockerfile: what it writes, and what it refuses. Covers lib/authoring/dockerfile.cpp."""
import json
import os
import re
import unittest
from random import Random

import dockerfile_reader
from opcat_case import BINARY, OPM, OpcatCase

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


# Characters with a special meaning in a Dockerfile, a shell, a pattern or JSON.
NASTY = "\"\\$'`*?[]^{}()#=,;:&|<>!~%@+-_./ \tax0é\u2028"


class GenerateDockerfile(OpcatCase):
    def setUp(self):
        super().setUp()
        self.write("catalog/catalog.yaml", CATALOG)

    def generate(self, binary, *arguments):
        return self.run_binary(binary, "generate", "dockerfile", *arguments)

    def read(self, name="catalog.Dockerfile"):
        return (self.dir / name).read_text()

    def test_text_under_both_names(self):
        for binary in (BINARY, OPM):
            for directory in ("catalog", "catalog/", "./catalog", "x/../catalog"):
                with self.subTest(binary=binary, directory=directory):
                    result = self.generate(binary, directory)
                    self.assert_status(result, 0)
                    self.assertEqual(self.read(), SERVING)
                    (self.dir / "catalog.Dockerfile").unlink()

    def test_containerfile_is_an_alias(self):
        self.assert_status(self.opcat("generate", "containerfile", "catalog"), 0)
        self.assertEqual(self.read(), SERVING)

    def test_images(self):
        self.generate(OPM, "catalog", "-i", "base:1", "-b", "builder:1")
        froms = re.findall("^FROM .*", self.read(), re.M)
        self.assertEqual(froms, ["FROM builder:1 as builder", "FROM base:1"])

    def test_binary_image_is_both(self):
        self.generate(OPM, "catalog", "--binary-image", "both:1")
        froms = re.findall("^FROM .*", self.read(), re.M)
        self.assertEqual(froms, ["FROM both:1 as builder", "FROM both:1"])

    def test_binary_less_is_scratch(self):
        self.generate(BINARY, "catalog", "--binary-less")
        without = self.read()
        (self.dir / "catalog.Dockerfile").unlink()
        self.generate(OPM, "catalog", "-i", "scratch")
        self.assertEqual(without, self.read())
        self.assertIn("FROM scratch\n# OLMv0 CatalogSources that use binary-less images must set:\n", without)
        self.assertIn("#       cacheDir: /tmp/cache\n\nCOPY --from=builder", without)
        self.assertNotIn("ENTRYPOINT", without)

    def test_serve_is_an_image_of_opcat_that_checks_the_catalog_when_it_is_built(self):
        self.assert_status(self.generate(BINARY, "catalog", "--serve", "-l", "a=b"), 0)
        self.assertEqual(dockerfile_reader.instructions(self.read()), [
            ("FROM", "localhost/opcat:latest"),
            ("USER", "0"),
            ("RUN", '["ln", "-s", "/usr/bin/opcat", "/bin/grpc_health_probe"]'),
            ("USER", "1001"),
            ("ADD", "catalog /configs"),
            ("RUN", '["opcat", "serve", "/configs", "--check"]'),
            ("EXPOSE", "50051"),
            ("ENTRYPOINT", '["opcat"]'),
            ("CMD", '["serve", "/configs", "--termination-log", "/dev/termination-log"]'),
            ("LABEL", "operators.operatorframework.io.index.configs.v1=/configs"),
            ("LABEL", '"a"="b"')])
        for arguments in (["--binary-less"], ["-b", "builder:1"]):
            self.assert_status(self.generate(BINARY, "catalog", "--serve", "--force", *arguments), 2)
        result = self.generate(BINARY, "catalog", "--serve", "--force", "-i", "scratch")
        self.assert_status(result, 2)
        self.assertIn("the base image cannot be scratch: it must have opcat", result.err)
        self.assert_status(self.generate(BINARY, "catalog", "--serve", "--force", "-i", "mine:2"), 0)
        self.assertIn("FROM mine:2\n", self.read())

    def test_labels_are_sorted_and_the_last_of_equal_keys_counts(self):
        self.generate(OPM, "catalog", "-l", "b=1,a=x=y", "--extra-labels", "b=2")
        self.assertTrue(self.read().endswith('\n\n# Set other custom labels\nLABEL "a"="x=y"\nLABEL "b"="2"\n'))

    def test_labels_mean_what_was_asked(self):
        refused = self.generate(BINARY, "catalog", "-l", '"a=b"c')
        self.assert_status(refused, 2)
        self.assertIn("a list has text after a quoted value: a quote inside of quotes is written twice", refused.err)
        values = ['say "hi"', "$HOME", "${x:-y}", "back\\slash", "end\\", "a, b", "# no comment", "é", "'", ""]
        arguments = []
        for i, value in enumerate(values):
            quoted = f"k{i}={value}".replace('"', '""')
            arguments += ["-l", f'"{quoted}"']
        result = self.generate(BINARY, "catalog", *arguments)
        self.assert_status(result, 0)
        lines = [rest for keyword, rest in dockerfile_reader.instructions(self.read()) if keyword == "LABEL"][1:]
        self.assertEqual([dockerfile_reader.labels(line) for line in lines],
                         [{f"k{i}": value} for i, value in enumerate(values)])

    def test_every_instruction_means_what_was_asked(self):
        random = Random(5)

        def text(characters, least=1):
            return "".join(random.choice(characters) for _ in range(random.randint(least, 12)))

        for i in range(60):
            # Names that begin with "-" or "." have another meaning, or are options of the command itself.
            name = f"x{i}" + text(NASTY.replace("/", ""))
            wanted = {text(NASTY): text(NASTY, 0).strip() for _ in range(4)}
            wanted = {key.replace("=", "_"): value for key, value in wanted.items()}
            labels = []
            for key, value in wanted.items():
                labels += ["-l", '"' + f"{key}={value}".replace('"', '""') + '"']
            with self.subTest(name=name, labels=wanted):
                self.write(f"{name}/catalog.yaml", CATALOG)
                result = self.generate(BINARY, "./" + name, *labels, "--output", "F", "--force")
                self.assert_status(result, 0)
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
                self.write(f"{name}/catalog.yaml", CATALOG)
                result = self.generate(BINARY, "./" + name)
                self.assert_status(result, 0)
                self.assertIn(line + "\n", self.read(name + ".Dockerfile"))

    def test_a_directory_without_a_name_gets_its_own(self):
        self.dir /= "catalog"
        self.assert_status(self.generate(BINARY, "."), 0)
        self.assertEqual(self.read("../catalog.Dockerfile"), SERVING)

    def test_a_catalog_that_offers_nothing_is_refused(self):
        (self.dir / 'nothing').mkdir()
        result = self.opcat('generate', 'dockerfile', 'nothing')
        self.assert_status(result, 1)
        self.assertIn('nothing has no package', result.err)
        self.assertFalse((self.dir / 'nothing.Dockerfile').exists())
        self.assert_status(self.opcat('generate', 'dockerfile', 'nothing', '--no-validate'), 0)

    def test_refusals(self):
        cases = [
            (["catalog", "-l", "novalue"], "invalid label"),
            (["catalog", "-l", 'k="v"'], "quote"),
            (["catalog", "-l", '"k=a\nb"'], "line break"),
            (["catalog", "-b", "scratch"], "scratch"),
            (["catalog", "-i", ""], "no name"),
            (["catalog", "-i", "a b"], "not a pull spec"),
            (["catalog", "-i", "a\nRUN evil"], "not a pull spec"),
            (["missing"], "not a directory"),
        ]
        for binary in (BINARY, OPM):
            for arguments, reason in cases:
                with self.subTest(binary=binary, arguments=arguments):
                    result = self.generate(binary, *arguments)
                    self.assertNotEqual(result.status, 0, result)
                    # opcat refuses empty arguments of any command.
                    self.assertIn("is empty" if binary == BINARY and "" in arguments else reason, result.err)
                    self.assertEqual(os.listdir(self.dir), ["catalog"])

    def test_does_not_overwrite(self):
        self.write("catalog.Dockerfile", "mine")
        for binary in (BINARY, OPM):
            result = self.generate(binary, "catalog")
            self.assertNotEqual(result.status, 0, result)
            self.assertIn("exists", result.err)
            self.assertEqual(self.read(), "mine")
        self.assert_status(self.generate(BINARY, "catalog", "--force"), 0)
        self.assertEqual(self.read(), SERVING)

    def test_output_names_another_file(self):
        self.assert_status(self.generate(BINARY, "catalog", "--output", "Containerfile"), 0)
        self.assertEqual(self.read("Containerfile"), SERVING)

    def test_a_catalog_that_does_not_validate(self):
        self.write("bad/catalog.yaml", "schema: olm.package\nname: foo\ndefaultChannel: nope\n")
        result = self.generate(BINARY, "bad")
        self.assert_status(result, 1)
        self.assertIn("--no-validate", result.err)
        self.assertFalse((self.dir / "bad.Dockerfile").exists())
        self.assert_status(self.generate(BINARY, "bad", "--no-validate"), 0)
        (self.dir / "bad.Dockerfile").unlink()
        self.assert_status(self.generate(OPM, "bad"), 0)


if __name__ == "__main__":
    unittest.main()
