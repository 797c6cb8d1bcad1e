# SPDX-License-Identifier: Apache-2.0
"""Data far from the origin, narrow hard margins and indefinite kernels: certificates that hold, or
none."""

import json
import random

from tool import ToolTest

SIZE = 40


def table(rows, labels=None):
    lines = ["a,b,c" + ("" if labels is None else ",label")]
    for i, row in enumerate(rows):
        tail = [] if labels is None else [str(labels[i])]
        lines.append(",".join([repr(value) for value in row] + tail))
    return "\n".join(lines) + "\n"


class FarData(ToolTest):
    """Rows moved by t, and those very rows moved back, which is exact: the same problem."""

    def setUp(self):
        super().setUp()
        draw = random.Random(0)
        self.labels = [1 if i % 2 == 0 else -1 for i in range(SIZE)]
        self.rows = [
            [draw.gauss(0, 1) + 0.7 * y * side for side in (1, 0.5, 0)] for y in self.labels
        ]

    def write_both(self, t, labels):
        far = [[value + t for value in row] for row in self.rows]
        near = [[value - t for value in row] for row in far]
        self.write("far.csv", table(far, labels))
        self.write("near.csv", table(near, labels))

    def check(self, *words, labels=None, code=0, places=6):
        for t in (1e4, 1e8):
            with self.subTest(words=words, t=t):
                self.write_both(t, labels)
                output = ["-o", "out.mm" if words[0] == "train" else "out.txt"]
                near = self.json_of(words[0], "near.csv", *words[1:], *output, code=code)
                far = self.json_of(
                    words[0], "far.csv", *words[1:], *output, "--verify", code=code
                )
                self.assertEqual(far["status"], near["status"])
                self.assertIs(far["verified"], True, far.get("verify_reason"))
                objective = near["primal_objective"]
                self.assertAlmostEqual(far["primal_objective"] / objective, 1, delta=2e-5)
                for bound in ("dual_objective", "lower_bound"):
                    if near[bound] is None:
                        self.assertIsNone(far[bound])
                        continue
                    self.assertLessEqual(far[bound], objective * (1 + 1e-9))
                    self.assertLessEqual(far[bound], far["primal_objective"])
                    self.assertAlmostEqual(far[bound], near[bound], delta=2e-5 * objective)

    def test_kernel_machines_have_true_bounds(self):
        tight = ["--kernel", "linear", "--tolerance", "1e-5"]
        for learner in ("svc", "trimmed-svc", "centroid-svc"):
            self.check("train", "--learner", learner, *tight, labels=self.labels)
        self.check("train", "--learner", "robust-svc", "--bias", "center", *tight,
                   labels=self.labels)  # fmt: skip
        targets = [row[0] - row[1] for row in self.rows]
        self.check("train", "--learner", "svr", "--epsilon", 0, "-C", 0.1, *tight, labels=targets)

    def test_searches_over_labels_have_true_bounds(self):
        some = [y if i < 8 else "?" for i, y in enumerate(self.labels)]
        self.check("train", "--learner", "s3vm", "--kernel", "linear", "-C", 1, "--tolerance",
                   "1e-5", labels=some)  # fmt: skip
        self.check("cluster", "--method", "mmc", "-k", 2, "--kernel", "linear", "-C", 1,
                   "--tolerance", "1e-5")  # fmt: skip
        self.check("cluster", "--method", "mmc", "-k", 3, "--kernel", "linear", "-C", 1)

    def test_digits_that_are_gone_prove_nothing(self):
        self.write_both(1e6, self.labels)
        report = self.json_of("train", "far.csv", "--learner", "svc", "--kernel", "poly",
                              "-o", "m.mm", "--verify", code=2)  # fmt: skip
        self.assertEqual(report["status"], "numerical_failure")
        for key in ("primal_objective", "dual_objective", "lower_bound", "gap", "relative_gap"):
            self.assertIsNone(report[key])
        self.assertIsNone(report["verified"])

    def test_models_of_far_data_are_kept_and_predict(self):
        self.write_both(1e7, self.labels)
        report = self.json_of("train", "far.csv", "--learner", "svc", "--kernel", "linear",
                              "-o", "m.mm")  # fmt: skip
        self.assertEqual(report["options"]["kernel"], "linear")
        self.run_tool("predict", "m.mm", "far.csv", "-o", "far.txt", "--quiet")
        self.json_of("train", "near.csv", "--learner", "svc", "--kernel", "linear", "-o", "n.mm")
        self.run_tool("predict", "n.mm", "near.csv", "-o", "near.txt", "--quiet")
        self.assertEqual(
            (self.folder / "far.txt").read_text(), (self.folder / "near.txt").read_text()
        )
        self.assertIs(self.json_of("info", "m.mm", "--verify", "far.csv")["verified"], True)


class NarrowMargins(ToolTest):
    WORDS = ("--learner", "svc", "--kernel", "linear", "-C", "inf")

    def rows(self, margin):
        draw = random.Random(1)
        labels = [1 if i % 2 == 0 else -1 for i in range(SIZE)]
        # Along the diagonal, so that no feature shows the margin by itself.
        rows = []
        for i, y in enumerate(labels):
            u = draw.gauss(0, 1)
            v = y * margin * (1 if i < SIZE // 2 else 2)
            rows.append([u + v, u - v, draw.gauss(0, 1)])
        return rows, labels

    def test_are_solved_down_to_the_digits_of_the_data(self):
        for margin in (1e-5, 1e-7, 1e-9):
            with self.subTest(margin=margin):
                rows, labels = self.rows(margin)
                self.write("narrow.csv", table(rows, labels))
                report = self.json_of("train", "narrow.csv", *self.WORDS, "-o", "m.mm", "--verify")
                self.assertEqual(report["status"], "solved")
                self.assertIs(report["verified"], True, report.get("verify_reason"))
                self.assertEqual(report["metrics"]["error"], 0)
                # The planes are 2 margin sqrt(2) apart.
                wanted = 0.25 / margin**2
                self.assertAlmostEqual(report["primal_objective"] / wanted, 1, delta=2e-3)
                shown = self.json_of("info", "m.mm", "--verify", "narrow.csv")
                self.assertIs(shown["verified"], True)
                self.run_tool("predict", "m.mm", "narrow.csv", "-o", "p.txt", "--quiet")
                said = [int(line) for line in (self.folder / "p.txt").read_text().split()]
                self.assertEqual(said, labels)

    def test_that_do_not_exist_are_refused_with_a_proof(self):
        rows, labels = self.rows(1e-7)
        rows[1] = rows[0]
        self.write("narrow.csv", table(rows, labels))
        report = self.json_of("train", "narrow.csv", *self.WORDS, "-o", "m.mm", code=2)
        self.assertEqual(report["status"], "primal_infeasible")


class IndefiniteKernels(ToolTest):
    KERNEL = ("--kernel", "sigmoid", "--gamma", 0.5, "--coef0", -0.5, "--allow-indefinite")

    def setUp(self):
        super().setUp()
        draw = random.Random(2)
        labels = [1 if i % 2 == 0 else -1 for i in range(SIZE)]
        rows = [[draw.gauss(0, 1) + 0.7 * y for _ in range(3)] for y in labels]
        self.write("classes.csv", table(rows, labels))
        self.write("targets.csv", table(rows, [row[0] - row[1] for row in rows]))
        self.write("some.csv", table(rows, [y if i < 8 else "?" for i, y in enumerate(labels)]))

    def check(self, report):
        for key in ("dual_objective", "lower_bound", "gap", "relative_gap"):
            self.assertIsNone(report[key], key)
        self.assertIsNotNone(report["primal_objective"])
        self.assertIsNone(report["verified"])
        self.assertIn("not positive semidefinite", report["verify_reason"])
        said = [line for line in report["warnings"] if "not positive semidefinite" in line]
        self.assertEqual(len(said), 1)

    def test_prove_nothing(self):
        cases = [("classes.csv", name)
                 for name in ("svc", "nu-svc", "ramp-svc", "trimmed-svc", "centroid-svc")]  # fmt: skip
        cases += [("targets.csv", name) for name in ("svr", "nu-svr", "one-class", "svdd")]
        cases += [("some.csv", name) for name in ("tsvm", "s3vm-cccp")]
        for data, learner in cases:
            with self.subTest(learner=learner):
                self.check(self.tool_report(data, learner, self.KERNEL))
                if learner in ("svc", "svr"):
                    shown = self.json_of("info", "m.mm", "--verify", data)
                    self.assertIsNone(shown["verified"])

    def tool_report(self, data, learner, words):
        for code in (0, 2):
            try:
                return json.loads(
                    self.run_tool("train", data, "--learner", learner, *words, "-o", "m.mm",
                                  "--verify", "--max-iterations", 100000, "--json", "-",
                                  code=code).stdout
                )  # fmt: skip
            except AssertionError:
                if code == 2:
                    raise

    def test_of_a_matrix_are_measured(self):
        good = [[1.0 if i == j else 0.2 for j in range(12)] for i in range(12)]
        bad = [[0.1 if i == j else 0.9 - 0.05 * abs(i - j) for j in range(12)] for i in range(12)]
        for name, matrix in (("good", good), ("bad", bad)):
            lines = []
            for i, row in enumerate(matrix):
                values = " ".join(f"{j + 1}:{value}" for j, value in enumerate(row))
                lines.append(f"{1 if i % 3 else -1} 0:{i + 1} {values}")
            self.write(name + ".svm", "\n".join(lines) + "\n")
        words = ("--kernel", "precomputed", "--allow-indefinite")
        report = self.tool_report("good.svm", "svc", words)
        self.assertIsNotNone(report["dual_objective"])
        self.assertIs(report["verified"], True)
        self.check(self.tool_report("bad.svm", "svc", words))

    def test_learners_that_need_none_keep_their_certificates(self):
        report = self.tool_report("classes.csv", "lp-svc", self.KERNEL[:-1])
        self.assertIsNotNone(report["dual_objective"])
