# SPDX-License-Identifier: Apache-2.0
"""convert --project: scores along principal components."""

import csv

from tool import ToolTest


class Projection(ToolTest):
    def scores(self, name):
        with open(self.folder / name) as file:
            rows = list(csv.DictReader(file))
        return [[float(row[key]) for key in row if key.startswith("pc")] for row in rows]

    def convert(self, data, out, *words, code=0):
        return self.run_tool("convert", data, out, "--quiet", *words, code=code)

    def test_pca_of_iris_has_the_known_variances(self):
        self.convert("builtin:iris", "s.csv", "--project", "pca", "--components", 4)
        rows = self.scores("s.csv")
        known = (4.22824171, 0.24267075, 0.07820950, 0.02383509)
        for column, variance in zip(zip(*rows), known):
            self.assertAlmostEqual(sum(column), 0, places=9)
            self.assertAlmostEqual(sum(x * x for x in column) / 149, variance, places=8)

    def test_linear_kernel_pca_is_pca_up_to_sign(self):
        self.convert("builtin:iris", "a.csv", "--project", "pca")
        self.convert("builtin:iris", "b.csv", "--project", "kernel-pca", "--kernel", "linear")
        for a, b in zip(zip(*self.scores("a.csv")), zip(*self.scores("b.csv"))):
            sign = 1 if a[0] * b[0] > 0 else -1
            for x, y in zip(a, b):
                self.assertAlmostEqual(x, sign * y, places=7)

    def test_saved_components_apply_to_other_rows(self):
        for kind in ("pca", "kernel-pca"):
            with self.subTest(kind):
                self.convert("builtin:iris", "a.csv", "--project", kind, "--model", "m.mm")
                self.convert("builtin:iris", "b.csv", "--project", "m.mm")
                for a, b in zip(self.scores("a.csv"), self.scores("b.csv")):
                    for x, y in zip(a, b):
                        self.assertAlmostEqual(x, y, places=10)

    def test_warnings_reach_the_user(self):
        words = ("--project", "kernel-pca", "--kernel", "sigmoid", "--gamma", 0.05, "--coef0", -1)
        words += ("--allow-indefinite",)
        done = self.run_tool("convert", "builtin:iris", "s.csv", *words)
        self.assertIn("warning: the kernel is not positive semidefinite", done.stderr)
        # --quiet leaves nothing else.
        quiet = self.convert("builtin:iris", "s.csv", *words).stderr
        self.assertEqual(quiet.splitlines(), [done.stderr.splitlines()[0]])

    def test_wrong_use_is_refused(self):
        for words, named in (
            (("--components", 2), "--components"),
            (("--project", "pca", "--kernel", "rbf"), "--kernel"),
            (("--project", "pca", "--components", 0), "--components"),
            (("--project", "kernel-pca", "--kernel", "sigmoid"), "--allow-indefinite"),
            (("--project", "missing.mm"), "missing.mm"),
        ):
            with self.subTest(words):
                done = self.convert("builtin:iris", "s.csv", *words, code=1)
                self.assertIn(named, done.stderr)
                self.assertNotIn("s.csv", self.files())
        self.write("equal.csv", "a,b\n1,2\n1,2\n")
        done = self.convert(
            "equal.csv", "s.csv", "--label", "none", "--project", "kernel-pca", code=1
        )
        self.assertIn("equal", done.stderr)
