# SPDX-License-Identifier: Apache-2.0
"""The semi-supervised machine by convex relaxation: certificates, balance, bad input."""

import random

from tool import ToolTest

SMALL = ["-C", 1, "--kernel", "rbf", "--gamma", 0.5, "--quiet"]


def rows(n, labelled, seed=1, shift=1.5, classes=2):
    """Gaussian classes in turns as svmlight lines, the first rows labelled, and the truth."""
    draw = random.Random(seed)
    lines, truth = [], []
    for i in range(n):
        label = i % classes
        x = [draw.gauss(shift * (2 * label - 1), 1), draw.gauss(0, 1)]
        lines.append(f"{label if i < labelled else '?'} 1:{x[0]:.6f} 2:{x[1]:.6f}\n")
        truth.append(str(label))
    return "".join(lines), truth


class S3vm(ToolTest):
    def setUp(self):
        super().setUp()
        text, self.truth = rows(40, 8)
        self.write("few.svm", text)

    def train(self, *words, data="few.svm", code=0):
        return self.json_of(
            "train", data, "--learner", "s3vm", *SMALL, "-o", "m.mm", *words, code=code
        )

    def test_reports_objective_bound_and_relaxation(self):
        report = self.train()
        self.assertEqual(report["status"], "local_optimum")
        self.assertEqual(report["learner"], "s3vm")
        self.assertLessEqual(report["lower_bound"], report["primal_objective"])
        self.assertAlmostEqual(report["gap"], report["primal_objective"] - report["lower_bound"])
        relaxation = report["relaxation"]
        self.assertAlmostEqual(relaxation["lower_bound"], report["lower_bound"])
        self.assertLessEqual(relaxation["relative_gap"], 1e-3)
        self.assertGreaterEqual(relaxation["roundings"], 1)
        self.assertGreaterEqual(relaxation["rank"], 1)
        self.assertTrue(relaxation["winner"])
        self.assertEqual(relaxation["bound"], "certified")
        self.assertEqual(relaxation["status"], "solved")
        self.assertEqual(report["options"]["balance_form"], "total")
        self.assertEqual(report["options"]["bias"], "center")
        metrics = report["metrics"]
        self.assertEqual((metrics["labelled"], metrics["unlabelled"]), (8, 32))
        self.assertIn("cv_supervised", metrics)
        self.assertIn("cv_semi_supervised", metrics)
        for phase in ("supervised", "kernel", "relaxation", "rounding", "compare"):
            self.assertIn(phase, report["seconds"])

    def test_predicts_the_unlabelled_rows(self):
        self.train()
        self.run_tool("predict", "m.mm", "few.svm", "-o", "said.txt")
        said = (self.folder / "said.txt").read_text().split()
        self.assertGreater(sum(a == b for a, b in zip(said, self.truth)), 34)

    def test_verifies_at_once_and_later(self):
        for words in ([], ["--bias", "constant"], ["--bias", "none", "--balance-form", "rows"],
                      ["--balance", "none"], ["--safe"]):
            report = self.train("--verify", *words)
            self.assertTrue(report["verified"], words)
            info = self.json_of("info", "m.mm", "--verify", "few.svm")
            self.assertTrue(info["verified"], words)
            # The eigenvalues prove a little more than the training's factorisation.
            self.assertGreaterEqual(info["verified_dual"], report["lower_bound"] * (1 - 1e-8))
            self.assertLessEqual(info["verified_dual"], info["verified_primal"])

    def test_a_changed_label_does_not_verify(self):
        self.train("--verify")
        text = (self.folder / "few.svm").read_text().splitlines(keepends=True)
        text[0] = "1" + text[0][1:]
        text[1] = "0" + text[1][1:]
        self.write("other.svm", "".join(text))
        result = self.run_tool("info", "m.mm", "--verify", "other.svm", "--json", "-", code=3)
        self.assertIn("false", result.stdout)

    def test_safe_returns_the_supervised_machine_where_that_is_better(self):
        # The gap in the data runs across the classes: the unlabelled rows mislead.
        draw = random.Random(5)
        lines = []
        for i in range(120):
            sign = 1 if i % 2 == 0 else -1
            side = 4 if draw.random() < 0.5 else -4
            x = [draw.gauss(0.5 * sign, 0.5), side + draw.gauss(0, 0.4)]
            lines.append(f"{sign if i < 40 else '?'} 1:{x[0]:.6f} 2:{x[1]:.6f}\n")
        self.write("across.svm", "".join(lines))
        words = ["train", "across.svm", "--learner", "s3vm", "-C", 1, "--quiet", "-o", "m.mm"]
        report = self.json_of(*words, "--safe", "--verify")
        self.assertEqual(report["options"]["machine"], "supervised")
        self.assertTrue(report["verified"])
        self.assertLessEqual(report["relative_gap"], 1e-3)
        self.assertNotIn("relaxation", report)
        self.assertTrue(self.json_of("info", "m.mm", "--verify", "across.svm")["verified"])

    def test_time_limit_returns_what_there_is(self):
        text, _ = rows(400, 20, shift=0.3)
        self.write("long.svm", text)
        report = self.train("--tolerance", 1e-9, "--time-limit", 0.2, "--verify", data="long.svm",
                            code=2)  # fmt: skip
        self.assertEqual(report["status"], "time_limit")
        self.assertTrue(report["verified"])
        self.assertTrue(any("before the cross-validation" in w for w in report["warnings"]))

    def test_several_classes(self):
        text, _ = rows(30, 9, classes=3)
        self.write("three.svm", text)
        report = self.train("--verify", data="three.svm")
        self.assertTrue(report["verified"])
        self.assertEqual(len(report["relaxations"]), 3)

    def test_bad_input(self):
        for text, said in (
            (rows(10, 10)[0], "every row has a label"),
            (rows(10, 0)[0], "no row has a label"),
            (rows(10, 1)[0], "at least two classes"),
        ):
            self.write("bad.svm", text)
            result = self.run_tool(
                "train", "bad.svm", "--learner", "s3vm", "-o", "m.mm", code=1
            )
            self.assertIn(said, result.stderr)
        for words, said in (
            (["--balance", "1"], "--balance"),
            (["--balance-form", "none"], "balance-form"),
            (["--bias", "some"], "--bias"),
            (["--kernel", "sigmoid"], "sigmoid: not positive semidefinite, the relaxation"),
            (["--memory-limit", "20K"], "tsvm or s3vm-cccp"),
        ):
            result = self.run_tool(
                "train", "few.svm", "--learner", "s3vm", "-o", "m.mm", *words, code=1
            )
            self.assertIn(said, result.stderr, words)
