"""Versions that leave a mirror by a plan. Covers lib/mirror/deletion.cpp."""
import json
import pathlib

from registries import main
from oci_layout import make_layer
from mirror_case import MirrorTest


class Deletes(MirrorTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.signature = "sha256-" + cls.digests["bundle-100"][7:] + ".sig"
        cls.work.layout.tag(cls.work.layout.image([make_layer({"s": b"signed"})], {"is": "signature"}), cls.signature)
        cls.work.fill(cls.origin, cls.signature, f"org/bundle-100:{cls.signature}")

    def setUp(self):
        self.target = self.work.registry()
        self.to = f"{self.target.address}/mirror"
        self.mirror(self.catalog, "--to", self.to)
        self.plan = pathlib.Path(self.work.path("plan.json"))

    def config(self, low="1.0.0", high="1.0.0"):
        return self.work.write("delete.yaml", f"""apiVersion: mirror.openshift.io/v2alpha1
kind: ImageSetConfiguration
mirror:
  operators:
  - catalog: {self.catalog}
    packages:
    - name: foo
      channels: [{{name: stable, minVersion: {low}, maxVersion: {high}}}]
""")

    def delete(self, *args, status=0):
        code, out, err = self.opcat("mirror", "delete", "--use-http", *map(str, args))
        self.assertEqual(code, status, out + err)
        return err

    def test_a_plan_has_what_nothing_else_needs_and_its_signatures(self):
        err = self.delete(self.to, "--config", self.config(), "--plan", self.plan)
        self.assertIn("stays org/operand:", err)
        self.assertIn("needed by foo.v1.1.0", err)
        plan = json.loads(self.plan.read_text())
        self.assertEqual({one["image"] for one in plan["images"]},
                         {f"org/bundle-100:sha256-{self.digests['bundle-100'][7:]}", f"org/bundle-100:{self.signature}"})
        before = self.names(self.target)
        err = self.delete("--plan", self.plan, "--dry-run")
        self.assertEqual(self.names(self.target), before)
        self.assertEqual(self.delete("--plan", self.plan), err.replace("would remove", "removed"))
        self.assertEqual(before - self.names(self.target), {"mirror/" + one["image"] for one in plan["images"]})
        # What is left is whole, but for the version that is gone.
        report = json.loads(self.opcat("mirror", "check", "--use-http", self.to, "-o", "json")[1])
        self.assertEqual([one["bundles"] for one in report["faulty"]], [["foo.v1.0.0"]])
        # A second time there is nothing to do.
        self.assertIn("is not there", self.delete("--plan", self.plan, status=1))

    def test_a_configuration_of_oc_mirror_for_deletion_gives_the_same_plan(self):
        self.delete(self.to, "--config", self.config(), "--plan", self.plan)
        usual = self.plan.read_text()
        text = pathlib.Path(self.config()).read_text().replace("kind: Image", "kind: DeleteImage").replace("\nmirror:", "\ndelete:")
        self.delete(self.to, "--config", self.work.write("remove.yaml", text), "--plan", self.plan)
        self.assertEqual(self.plan.read_text(), usual)

    def test_lines_can_be_taken_out_of_a_plan_but_not_added(self):
        self.delete(self.to, "--config", self.config(), "--plan", self.plan)
        plan = json.loads(self.plan.read_text())
        operand = {"image": f"org/operand:sha256-{self.digests['operand'][7:]}", "digest": self.digests["operand"], "bundles": []}
        bundle = {"image": f"org/bundle-200:sha256-{self.digests['bundle-200'][7:]}", "digest": self.digests["bundle-200"], "bundles": []}
        wrong = {**plan["images"][0], "digest": self.digests["operand"]}
        before = self.names(self.target)
        for images, words in (([operand], "needed by foo.v1.1.0"), ([bundle], "not one of these bundles"), ([wrong], "it has the digest"),
                              ([{"image": "../x:y", "digest": "z"}], "not one of these bundles")):
            with self.subTest(words):
                self.plan.write_text(json.dumps({**plan, "images": images}))
                self.assertIn(words, self.delete("--plan", self.plan, status=1))
                self.assertEqual(self.names(self.target), before)
        self.plan.write_text(json.dumps({**plan, "images": plan["images"][:1]}))
        self.delete("--plan", self.plan)
        self.assertEqual(before - self.names(self.target), {"mirror/" + plan["images"][0]["image"]})

    def test_what_no_run_has_put_there_stays(self):
        target = self.work.registry()
        to = f"{target.address}/mirror"
        image = f"bundle-100:sha256-{self.digests['bundle-100'][7:]}"
        self.work.fill(target, "bundle-100", f"mirror/org/{image}")
        self.mirror(self.catalog, "--to", to, "--attachments", "none")
        err = self.delete(to, "--config", self.config(), "--plan", self.plan)
        self.assertIn("no run has put it there", err)
        self.assertEqual(json.loads(self.plan.read_text())["images"], [])

    def test_what_somebody_else_has_tagged_is_in_no_plan_nor_are_its_signatures(self):
        image = f"docker://{self.target.address}/mirror/org/bundle-100"
        self.skopeo("copy", "-q", "--src-tls-verify=false", "--dest-tls-verify=false", f"{image}@{self.digests['bundle-100']}", f"{image}:mine")
        err = self.delete(self.to, "--config", self.config(), "--plan", self.plan)
        self.assertRegex(err, r"stays org/bundle-100:\S+: somebody else has tagged it: org/bundle-100:mine")
        self.assertEqual(json.loads(self.plan.read_text())["images"], [])

    def test_wrong_use(self):
        empty = self.work.registry()
        for args, status, words in ((("--plan", "/nonexistent"), 3, "cannot read"), ((self.to, "--config", self.config()), 2, "--plan"),
                                    (("--config", self.config(), "--plan", "x"), 2, "no mirror is named"),
                                    ((f"{empty.address}/x", "--config", self.config(), "--plan", "x"), 3, "no record of a mirror"),
                                    (("dir:x", "--plan", "x"), 2, "only images in a registry")):
            self.assertIn(words, self.delete(*args, status=status))


if __name__ == "__main__":
    main()
