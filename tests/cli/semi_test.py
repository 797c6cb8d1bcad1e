# SPDX-License-Identifier: Apache-2.0
"""Learners that also learn from rows labelled `?`."""

import math
import random
import statistics

from tool import ToolTest

LEARNERS = ["tsvm", "s3vm-cccp"]
IRIS = "builtin:iris"
SMALL = ["-C", 1]


def rows(n, labelled, seed=1, shift=1.5):
    """Two Gaussian classes as svmlight lines, the first rows labelled, and the truth."""
    draw = random.Random(seed)
    lines, truth = [], []
    for i in range(n):
        sign = 1 if i % 2 == 0 else -1
        x = [draw.gauss(shift * sign, 1), draw.gauss(0, 1)]
        label = f"{sign}" if i < labelled else "?"
        lines.append(f"{label} 1:{x[0]:.6f} 2:{x[1]:.6f}\n")
        truth.append(str(sign))
    return "".join(lines), truth


class Semi(ToolTest):
    def setUp(self):
        super().setUp()
        text, self.truth = rows(80, 12)
        self.write("few.svm", text)
        self.write("split.txt", "0 1 2 51 52 53 101 102 103\n" + " ".join(map(str, range(0, 150, 4))))

    def train(self, learner, *words, data="few.svm", code=0):
        return self.json_of(
            "train", data, "--learner", learner, *SMALL, "-o", "m.mm", *words, code=code
        )

    def test_learns_from_question_marks(self):
        for learner in LEARNERS:
            report = self.train(learner)
            self.assertEqual(report["status"], "local_optimum")
            self.assertEqual(report["learner"], learner)
            metrics = report["metrics"]
            self.assertEqual((metrics["labelled"], metrics["unlabelled"]), (12, 68))
            self.run_tool("predict", "m.mm", "few.svm", "-o", "said.txt")
            said = (self.folder / "said.txt").read_text().split()
            right = sum(a == b for a, b in zip(said, self.truth))
            self.assertGreater(right, 64, learner)

    def test_report_has_a_bound_and_both_figures(self):
        for learner in LEARNERS:
            report = self.train(learner)
            self.assertIsNone(report["dual_objective"])
            self.assertLessEqual(report["lower_bound"], report["primal_objective"])
            self.assertAlmostEqual(report["gap"], report["primal_objective"] - report["lower_bound"])
            self.assertLessEqual(report["metrics"]["stationary_gap"], 1.001e-3)
            self.assertIn("cv_supervised", report["metrics"])
            self.assertIn("cv_semi_supervised", report["metrics"])
            metrics = report["metrics"]
            verdict = report["options"]["unlabelled_rows"]
            difference = abs(metrics["cv_semi_supervised"] - metrics["cv_supervised"])
            self.assertEqual(verdict == "cannot-tell", difference <= metrics["cv_standard_error"])
            self.assertEqual(report["options"]["machine"], "semi-supervised")

    def test_defaults_are_those_of_the_guide(self):
        for learner in LEARNERS:
            options = self.json_of("train", "few.svm", "--learner", learner, "-o", "m.mm")["options"]
            self.assertEqual((options["C"], options["unlabeled_cost"]), (100, 100))
            self.assertEqual((options["kernel"], options["solver"]), ("linear", "kernel"))
            self.assertEqual((options["multiclass"], options["safe"]), ("ovr", False))
        self.assertEqual((options["ramp"], options["continuation"]), (-0.3, False))

    def test_verify_agrees_on_every_way(self):
        ways = [
            [],
            ["--solver", "features"],
            ["--solver", "features", "--balance", "none"],
            ["--kernel", "rbf", "--gamma", 0.5],
            ["--balance", "none"],
            ["--kernel", "rbf", "--scale", "standard", "--class-weight", "balanced"],
            ["--unlabeled-cost", 0],
        ]
        for learner in LEARNERS:
            for way in ways:
                report = self.train(learner, "--verify", *way)
                self.assertIs(report["verified"], True, (learner, way, report["warnings"]))
                self.run_tool("info", "m.mm", "--verify", "few.svm")

    def test_verify_fails_on_other_data(self):
        text, _ = rows(80, 12, seed=2)
        self.write("other.svm", text)
        for learner in LEARNERS:
            self.train(learner, "--verify")
            self.run_tool("info", "m.mm", "--verify", "other.svm", code=3)

    def test_labeled_rows_give_the_transductive_error_of_both_machines(self):
        for learner in LEARNERS:
            report = self.train(learner, "--labeled-rows", "split.txt:1", data=IRIS)
            metrics = report["metrics"]
            self.assertEqual((metrics["labelled"], metrics["unlabelled"]), (9, 141))
            self.assertLess(metrics["transductive_error"], 0.4)
            self.assertLess(metrics["supervised_transductive_error"], 0.4)
            # By hand: predictions against the truth on the hidden rows.
            self.run_tool("predict", "m.mm", IRIS, "-o", "said.txt")
            said = (self.folder / "said.txt").read_text().split()
            names = ["setosa", "versicolor", "virginica"]
            wrong = [i for i in range(150) if names[i // 50] not in said[i]]
            shown = {0, 1, 2, 51, 52, 53, 101, 102, 103}
            error = len([i for i in wrong if i not in shown]) / 141
            self.assertAlmostEqual(metrics["transductive_error"], error, places=9)
            # The machine of the labelled rows alone: where unlabelled rows cost nothing.
            self.train(learner, "--labeled-rows", "split.txt:1", "--unlabeled-cost", 0, data=IRIS)
            self.run_tool("predict", "m.mm", IRIS, "-o", "other.txt")
            other = (self.folder / "other.txt").read_text().split()
            also = {i for i in range(150) if names[i // 50] not in other[i]}
            differences = [(i in set(wrong)) - (i in also) for i in range(150) if i not in shown]
            self.assertAlmostEqual(
                metrics["transductive_standard_error"],
                statistics.stdev(differences) / math.sqrt(len(differences)),
                places=9,
            )

    def test_unlabelled_cost_zero_is_the_supervised_machine(self):
        for learner in LEARNERS:
            metrics = self.train(
                learner, "--unlabeled-cost", 0, "--labeled-rows", "split.txt:2", data=IRIS
            )["metrics"]
            self.assertEqual(
                metrics["transductive_error"], metrics["supervised_transductive_error"]
            )
            self.assertEqual(metrics["transductive_standard_error"], 0)
            self.assertEqual(metrics["cv_supervised"], metrics["cv_semi_supervised"])

    def test_safe_returns_the_better_machine(self):
        # The gap in the data runs across the classes: costly unlabelled rows mislead.
        draw = random.Random(5)
        lines = []
        for i in range(240):
            sign = 1 if i % 2 == 0 else -1
            side = 4 if draw.random() < 0.5 else -4
            x = [draw.gauss(0.5 * sign, 0.5), side + draw.gauss(0, 0.4)]
            label = sign if i < 40 else "?"
            lines.append(f"{label} 1:{x[0]:.6f} 2:{x[1]:.6f}\n")
        self.write("across.svm", "".join(lines))
        for learner in LEARNERS:
            words = ["train", "across.svm", "--learner", learner, "-C", 0.05, "--unlabeled-cost", 1]
            plain = self.json_of(*words, "-o", "a.mm")
            self.assertGreater(
                plain["metrics"]["cv_supervised"], plain["metrics"]["cv_semi_supervised"]
            )
            self.assertTrue(any("do not help" in w for w in plain["warnings"]))
            self.assertEqual(plain["options"]["machine"], "semi-supervised")
            safe = self.json_of(*words, "--safe", "--verify", "-o", "b.mm")
            self.assertEqual(safe["options"]["machine"], "supervised")
            self.assertIs(safe["verified"], True)
            self.assertLessEqual(safe["relative_gap"], 1e-3)
            self.run_tool("info", "b.mm", "--verify", "across.svm")

    def test_trouble_in_the_comparison_is_no_trouble_of_the_machine(self):
        # As many steps as the machine needs; some fold needs more.
        text, _ = rows(40, 20, shift=0.5)
        self.write("f.svm", text)
        words = ["--unlabeled-cost", 0]
        steps = self.train("tsvm", *words, data="f.svm")["iterations"]
        report = self.train("tsvm", *words, "--max-iterations", steps, data="f.svm")
        # Nothing is asked of the rows without labels: the problem is convex, its gap closes.
        self.assertEqual(report["status"], "solved")
        self.assertLessEqual(report["metrics"]["stationary_gap"], 1e-3)
        said = "a machine of the cross-validation ended as iteration_limit"
        self.assertIn(said, report["warnings"])

    def test_machines_that_cannot_be_told_apart_only_warn(self):
        for learner in LEARNERS:
            report = self.train(learner, "--safe", "--unlabeled-cost", 0)
            self.assertEqual(report["options"]["machine"], "semi-supervised")
            self.assertEqual(report["options"]["unlabelled_rows"], "cannot-tell")
            self.assertTrue(any("--safe keeps" in w for w in report["warnings"]))

    def test_same_bytes_for_any_number_of_threads(self):
        for learner in LEARNERS:
            models = []
            for threads in (1, 2, 4):
                self.train(learner, "--kernel", "rbf", "--threads", threads)
                models.append((self.folder / "m.mm").read_bytes())
            self.assertEqual(models[0], models[1])
            self.assertEqual(models[0], models[2])

    def test_folds_and_tune_take_unlabelled_rows(self):
        text, _ = rows(60, 30)
        self.write("more.svm", text)
        for learner in LEARNERS:
            report = self.json_of("train", "more.svm", "--learner", learner, "--folds", 3, *SMALL)
            self.assertGreater(report["metrics"]["accuracy"], 0.7)
            self.json_of(
                "tune", "more.svm", "--learner", learner, "--grid", "C=0.1,1", "-o", "t.mm"
            )

    def test_tables_and_other_marks(self):
        self.write("t.csv", "a,b,label\n1,0,x\n2,0,x\n-1,0,y\n-2,0,y\n1.5,0,?\n-1.5,0,\n3,1,?\n")
        self.write("zero.svm", "1 1:2\n1 1:3\n-1 1:-2\n-1 1:-3\n0 1:2.5\n0 1:-2.5\n")
        for learner in LEARNERS:
            self.assertEqual(self.train(learner, data="t.csv")["metrics"]["unlabelled"], 3)
            said = self.run_tool("train", "zero.svm", "--learner", learner, "-o", "z.mm", code=1)
            self.assertIn("set --unlabeled to 0", said.stderr)
            report = self.train(learner, "--unlabeled", 0, data="zero.svm")
            self.assertEqual(report["metrics"]["unlabelled"], 2)

    def test_precomputed_kernel(self):
        self.write("k.csv", "4,-4,3,-3\n-4,4,-3,3\n3,-3,2.25,-2.25\n-3,3,-2.25,2.25\n")
        self.write("labels.txt", "1\n-1\n?\n?\n")
        for learner in LEARNERS:
            report = self.train(
                learner, "--kernel", "precomputed", "--label", "none", "--labels", "labels.txt",
                "--verify", data="k.csv",
            )  # fmt: skip
            self.assertIs(report["verified"], True)
            self.assertIsNone(report["lower_bound"])  # nobody knows that the matrix is definite
            self.assertIsNone(report["metrics"]["cv_supervised"])  # one row a class

    def test_clusters_without_a_labelled_row_take_the_larger_class(self):
        # Three far groups, two classes; no label in the third group.
        lines = [
            f"{label} 1:{centre + 0.01 * i}\n"
            for centre, label in ((0, "a"), (10, "b"), (20, "a"))
            for i in range(10)
        ]
        self.write("groups.svm", "".join(lines))
        self.write("shown.txt", "0 1 10\n0 10 20\n")
        for line in (1, 2):
            report = self.json_of(
                "cluster", "groups.svm", "--method", "kmeans", "-k", 3,
                "--labeled-rows", f"shown.txt:{line}",
            )  # fmt: skip
            self.assertEqual(report["metrics"]["transductive_error"], 0, line)

    def test_bad_input(self):
        self.write("all.svm", "1 1:1\n-1 1:-1\n")
        self.write("none.svm", "? 1:1\n? 1:-1\n")
        self.write("one.svm", "1 1:1\n? 1:-1\n")
        cases = [("all.svm", "every row has a label"), ("none.svm", "no row has a label"),
                 ("one.svm", "all labels are 1")]  # fmt: skip
        for learner in LEARNERS:
            for data, message in cases:
                done = self.run_tool("train", data, "--learner", learner, "-o", "m.mm", code=1)
                self.assertIn(message, done.stderr)
                self.assertIn(data, done.stderr)
                self.assertNotIn("--unlabeled", done.stderr)
            for words in (["--unlabeled-cost", -1], ["--balance", 1], ["--balance", "some"],
                          ["--solver", "features", "--kernel", "rbf"], ["-C", 0],
                          ["-C", "inf"], ["--kernel", "sigmoid"], ["--loss", "hinge"]):  # fmt: skip
                self.run_tool(
                    "train", "few.svm", "--learner", learner, "-o", "m.mm", *words, code=1
                )
        for words in (["--ramp", 0.5], ["--ramp", -1], ["--ramp", "x"]):
            self.run_tool(
                "train", "few.svm", "--learner", "s3vm-cccp", "-o", "m.mm", *words, code=1
            )
        self.run_tool("train", "few.svm", "--learner", "tsvm", "--ramp", 0, "-o", "m.mm", code=1)
        self.assertNotIn("m.mm", self.files())

    def test_supervised_learners_refuse_unlabelled_rows(self):
        for learner in ("svc", "linear-svc", "lda"):
            done = self.run_tool("train", "few.svm", "--learner", learner, "-o", "m.mm", code=1)
            self.assertIn("row 12 (from 0) has no label", done.stderr)

    def test_time_limit_returns_what_there_is(self):
        text, _ = rows(4000, 20, shift=0.3)
        self.write("long.svm", text)
        report = self.json_of(
            "train", "long.svm", "--learner", "tsvm", "--kernel", "rbf", "--tolerance", 1e-9,
            "--time-limit", 0.1, "-o", "m.mm", code=2,
        )  # fmt: skip
        self.assertEqual(report["status"], "time_limit")
        self.run_tool("predict", "m.mm", "long.svm", "-o", "said.txt")
