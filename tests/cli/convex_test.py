# SPDX-License-Identifier: Apache-2.0
"""What every method by convex relaxation owes: honest bounds where they are weak, clear refusals."""

import math

from tool import ToolTest

RINGS = "builtin:circles,n=200,inner=1,outer=2,noise=0.05,seed=3"
METHODS = ["mmc", "mmc-alternating", "mmc-cutting-plane"]
FEW_LABELS = ["s3vm", "tsvm", "s3vm-cccp"]
BAD_LABELS = ["robust-svc", "outlier-svc", "ramp-svc", "trimmed-svc"]
SHARE_KEPT = ["outlier-svc", "trimmed-svc"]


def centred_gram(points, gamma):
    n = len(points)
    gram = [[math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, z))) for z in points]
            for x in points]  # fmt: skip
    means = [sum(row) / n for row in gram]
    mean = sum(means) / n
    return [[gram[i][j] - (means[i] + means[j]) + mean for j in range(n)] for i in range(n)]


class Convex(ToolTest):
    def known(self, command, names):
        """Those of the names that this tool lists."""
        listed = {line.split()[0] for line in self.run_tool(command, "--help").stdout.splitlines()
                  if line.startswith("  ") and line.split()}  # fmt: skip
        found = [name for name in names if name in listed]
        self.assertTrue(found, f"{command} knows none of {names}")
        return found

    def objective_of_the_truth(self, data, gamma, c):
        """1/2 |w|^2 + C sum of hinges of the machine on the true labels, centred kernel, no bias."""
        self.run_tool("convert", data, "points.svm", "--to", "svmlight")
        labels, points = [], []
        for line in (self.folder / "points.svm").read_text().splitlines():
            label, *entries = line.split()
            labels.append(label)
            point = {int(entry.split(":")[0]): float(entry.split(":")[1]) for entry in entries}
            points.append([point.get(1, 0.0), point.get(2, 0.0)])
        rows = centred_gram(points, gamma)
        self.write("gram.csv", "".join(",".join(map(repr, row)) + "\n" for row in rows))
        self.write("labels.txt", "\n".join(labels) + "\n")
        report = self.json_of("train", "gram.csv", "--learner", "svc", "--kernel", "precomputed",
                              "--label", "none", "--labels", "labels.txt", "--no-bias", "-C", c,
                              "--tolerance", 1e-5, "-o", "truth.mm")  # fmt: skip
        self.assertEqual(report["status"], "solved")
        return report["primal_objective"]

    def test_median_width_has_a_weak_bound_and_labels_no_worse_than_the_truth(self):
        report = self.json_of("cluster", RINGS, "--method", "mmc", "-k", 2, "--kernel", "rbf",
                              "--gamma", "median", "-C", 100, "--balance", 0.1,
                              "--verify")  # fmt: skip
        self.assertIs(report["verified"], True)
        self.assertEqual(report["status"], "local_optimum")
        self.assertEqual(report["relaxation"]["status"], "solved")
        self.assertGreater(report["relative_gap"], 0.3)
        self.assertTrue(any("bound is weak" in warning for warning in report["warnings"]))
        truth = self.objective_of_the_truth(RINGS, report["options"]["gamma"], 100)
        self.assertLessEqual(report["primal_objective"], truth * (1 + 1e-6))
        self.assertGreaterEqual(truth, report["lower_bound"])

    def test_few_labels_need_some_of_both_classes_and_some_missing(self):
        self.write("all.svm", "1 1:1\n-1 1:-1\n1 1:2\n")
        self.write("none.svm", "? 1:1\n? 1:-1\n? 1:2\n")
        self.write("one.svm", "1 1:1\n? 1:-1\n1 1:2\n")
        for learner in self.known("train", FEW_LABELS):
            for data in ("all.svm", "none.svm", "one.svm"):
                with self.subTest(learner=learner, data=data):
                    done = self.run_tool("train", data, "--learner", learner, "-o", "m.mm", code=1)
                    self.assertIn(data, done.stderr)
                    self.assertIn("label", done.stderr)
        self.assertNotIn("m.mm", self.files())

    def test_shares_kept_are_in_their_range(self):
        for learner in self.known("train", SHARE_KEPT):
            for rho in ("0", "-0.5", "1.01", "nan", "most"):
                with self.subTest(learner=learner, rho=rho):
                    done = self.run_tool("train", "builtin:ring-outliers", "--learner", learner,
                                         "--rho", rho, "-o", "m.mm", code=1)  # fmt: skip
                    self.assertIn(f"--rho {rho}", done.stderr)
        self.assertNotIn("m.mm", self.files())

    def test_kernels_that_are_not_positive_semidefinite_are_refused(self):
        self.write("gram.csv", "1,2\n2,1\n")
        done = self.run_tool("cluster", "gram.csv", "--method", "mmc", "-k", 2, "--kernel",
                             "precomputed", "--bias", "none", "--label", "none", code=1)  # fmt: skip
        self.assertIn("positive semidefinite", done.stderr)
        for method in self.known("cluster", METHODS):
            with self.subTest(method=method):
                done = self.run_tool("cluster", "builtin:circles,n=20", "--method", method, "-k", 2,
                                     "--kernel", "sigmoid", code=1)  # fmt: skip
                self.assertIn("kernel", done.stderr)
        for learner in self.known("train", FEW_LABELS + BAD_LABELS):
            with self.subTest(learner=learner):
                self.write("rows.txt", "0 1 2 3 4 5\n")
                some = ["--labeled-rows", "rows.txt"] if learner in FEW_LABELS else []
                done = self.run_tool("train", "builtin:gaussians,n=20", "--learner", learner,
                                     "--kernel", "sigmoid", "-o", "m.mm", *some, code=1)  # fmt: skip
                self.assertIn("sigmoid", done.stderr)

    def test_too_many_points_are_answered_with_a_way(self):
        done = self.run_tool("cluster", "builtin:circles,n=3000", "--method", "mmc", "-k", 2,
                             "--memory-limit", "10M", code=1)  # fmt: skip
        self.assertIn("3000 points", done.stderr)
        self.assertRegex(done.stderr, "mmc-alternating|mmc-cutting-plane|a sample of the points")

    def test_balances_out_of_range_are_refused(self):
        for method in self.known("cluster", METHODS):
            for balance in ("1", "-0.1", "nan", "some"):
                with self.subTest(method=method, balance=balance):
                    done = self.run_tool("cluster", "builtin:circles,n=20", "--method", method,
                                         "-k", 2, "--balance", balance, code=1)  # fmt: skip
                    self.assertIn(f"--balance {balance}", done.stderr)
