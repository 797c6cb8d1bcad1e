# SPDX-License-Identifier: Apache-2.0
"""Kernel matrices as data: what is refused, what is warned of, LIBSVM's form in cluster."""

import math
import random
import unittest

from tool import ToolTest

SIZE = 12
TAKES_ANY = ("lp-svc", "loo-svc")
ALLOWED = ("svc", "nu-svc", "ramp-svc", "trimmed-svc", "centroid-svc")
NEVER = ("robust-svc", "outlier-svc", "cs-svc")


def good_kernel():
    points = [(3 * (i % 2) + 0.1 * i, 0.3 * (i % 5)) for i in range(SIZE)]
    return [[math.exp(-0.3 * math.dist(x, z) ** 2) for z in points] for x in points]


def bad_kernel():
    source = random.Random(1)
    matrix = [[0.0] * SIZE for _ in range(SIZE)]
    for i in range(SIZE):
        for j in range(i + 1):
            matrix[i][j] = matrix[j][i] = source.gauss(0, 1)
    return matrix


def serial_rows(matrix, labels):
    """LIBSVM's rows, of six digits."""
    return [
        f"{label} 0:{i + 1} " + " ".join(f"{j + 1}:{k:.6g}" for j, k in enumerate(row))
        for i, (label, row) in enumerate(zip(labels, matrix))
    ]


def table(matrix):
    header = ",".join(f"k{j}" for j in range(len(matrix[0])))
    return header + "\n" + "".join(",".join(f"{k:.6g}" for k in row) + "\n" for row in matrix)


class IndefiniteKernels(ToolTest):
    def setUp(self):
        super().setUp()
        labels = ["+1" if i % 2 else "-1" for i in range(SIZE)]
        some = [y if i < 6 else "?" for i, y in enumerate(labels)]
        self.write("good.svm", "\n".join(serial_rows(good_kernel(), labels)) + "\n")
        self.write("bad.svm", "\n".join(serial_rows(bad_kernel(), labels)) + "\n")
        self.write("semi.svm", "\n".join(serial_rows(bad_kernel(), some)) + "\n")
        self.write("good_semi.svm", "\n".join(serial_rows(good_kernel(), some)) + "\n")

    def train(self, data, learner, *words, code=0):
        return self.run_tool("train", data, "--learner", learner, "--kernel", "precomputed",
                             *words, "-o", "m.mm", code=code)  # fmt: skip

    def test_need_to_be_allowed(self):
        cases = [("bad.svm", learner) for learner in ALLOWED]
        cases += [("semi.svm", learner) for learner in ("tsvm", "s3vm-cccp")]
        for data, learner in cases:
            with self.subTest(learner=learner):
                done = self.train(data, learner, "--verify", code=1)
                self.assertIn("not positive semidefinite (an eigenvalue is -", done.stderr)
                self.assertIn("--allow-indefinite", done.stderr)
                self.assertNotIn("m.mm", self.files())
                self.train(data, learner, "--allow-indefinite")
                (self.folder / "m.mm").unlink()

    def test_are_refused_where_no_option_helps(self):
        for learner in NEVER:
            with self.subTest(learner=learner):
                done = self.train("bad.svm", learner, code=1)
                self.assertIn("not positive semidefinite (an eigenvalue is -", done.stderr)
        for words in ([], ["--multiclass", "direct"]):
            done = self.train("semi.svm", "s3vm", *words, code=1)
            self.assertIn("tsvm and s3vm-cccp take it with --allow-indefinite", done.stderr)
        done = self.train("bad.svm", "ramp-svc", "--multiclass", "direct", "--allow-indefinite",
                          code=1)  # fmt: skip
        self.assertIn("--multiclass direct needs one that is", done.stderr)

    def test_are_refused_in_folds_and_grids(self):
        words = ["bad.svm", "--learner", "svc", "--kernel", "precomputed", "--folds", 3]
        for command in (["train", *words], ["tune", *words, "--grid", "C=1,10"]):
            done = self.run_tool(*command, code=1)
            self.assertIn("--allow-indefinite", done.stderr)

    def test_good_ones_and_learners_that_take_any_are_trained(self):
        for learner in (*ALLOWED, *NEVER, *TAKES_ANY):
            with self.subTest(learner=learner):
                self.train("good.svm", learner)
        for learner in ("tsvm", "s3vm-cccp", "s3vm"):
            with self.subTest(learner=learner):
                self.train("good_semi.svm", learner)
        for learner in TAKES_ANY:
            with self.subTest(learner=learner):
                self.train("bad.svm", learner)

    def test_svm_train_takes_any(self):
        self.run_tool("train", "--libsvm", "-t", 4, "bad.svm", "m.model")

    def test_kernel_kmeans_warns(self):
        run = ["--method", "kernel-kmeans", "-k", 2, "--kernel", "precomputed"]
        warned = self.json_of("cluster", "bad.svm", *run)
        self.assertIn("positive semidefinite", " ".join(warned["warnings"]))
        self.assertEqual(self.json_of("cluster", "good.svm", *run)["warnings"], [])


class SerialRowsInCluster(ToolTest):
    def test_are_the_matrix(self):
        matrix = good_kernel()
        rows = serial_rows(matrix, ["?"] * SIZE)
        self.write("k.svm", "\n".join(rows) + "\n")
        self.write("k.csv", table(matrix))
        for method in ("kernel-kmeans", "mmc"):
            with self.subTest(method=method):
                run = ["--method", method, "-k", 2, "--kernel", "precomputed"]
                found = self.run_tool("cluster", "k.svm", *run, "--model", "m.mm").stdout
                self.assertEqual(found, self.run_tool("cluster", "k.csv", *run).stdout)
                self.assertEqual(sorted(set(found.split())), ["0", "1"])
                self.assertEqual(self.run_tool("predict", "m.mm", "k.svm").stdout, found)
                self.assertEqual(self.run_tool("predict", "m.mm", "k.csv").stdout, found)
        self.write("turned.svm", "\n".join(reversed(rows)) + "\n")
        done = self.run_tool("cluster", "turned.svm", *run, code=1)
        self.assertIn("turned.svm: the serial number 12 of row 1: must be the row's", done.stderr)

    def test_methods_of_points_say_so(self):
        self.write("k.csv", table(good_kernel()))
        for method in ("spectral", "normalized-cut", "min-cut", "relabeler", "mmc-alternating"):
            with self.subTest(method=method):
                done = self.run_tool("cluster", "k.csv", "--method", method, "-k", 2, "--kernel",
                                     "precomputed", code=1)  # fmt: skip
                self.assertIn("this method takes points", done.stderr)


if __name__ == "__main__":
    unittest.main()
