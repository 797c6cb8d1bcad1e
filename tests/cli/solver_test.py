# SPDX-License-Identifier: Apache-2.0
"""The option --solver: machines on features as they are."""

import random

from tool import ToolTest


def unscaled_table(seed=3, rows=300):
    """Two columns around 50 and 50,000 that tell two classes, and a target to predict."""
    rng = random.Random(seed)
    lines = []
    for row in range(rows):
        side = 1 if row % 2 else -1
        small = 50 + 10 * rng.gauss(0, 1) + 5 * side
        large = 50_000 + 15_000 * rng.gauss(0, 1) + 9_000 * side
        lines.append(f"{small:.3f},{large:.1f},{side}")
    return "\n".join(lines) + "\n"


class Solver(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("raw.csv", unscaled_table())

    def train(self, *words):
        return self.json_of("train", "raw.csv", "-o", "m.mm", *words)

    def test_linear_machines_end_on_features_as_they_are(self):
        report = self.train("--learner", "linear-svc", "--verify", "--time-limit", 60)
        self.assertEqual(report["status"], "solved")
        self.assertLessEqual(report["relative_gap"], 1e-3)
        self.assertTrue(any("interior point" in line for line in report["warnings"]))
        self.assertEqual(report["options"]["solver"], "auto")
        self.assertTrue(report["verified"])

    def test_every_learner_that_has_it_takes_the_interior_point_method(self):
        for learner, words in {
            "linear-svc": [],
            "linear-svr": ["--loss", "squared-epsilon"],
            "svc": ["--kernel", "linear"],
            "nu-svc": [],
            "svr": ["--kernel", "linear"],
            "nu-svr": [],
            "one-class": [],
            "svdd": ["--kernel", "linear", "--nu", 0.1],
        }.items():
            with self.subTest(learner=learner):
                report = self.train(
                    "--learner", learner, *words, "--solver", "interior-point", "--verify"
                )
                self.assertEqual(report["status"], "solved")
                self.assertTrue(report["verified"])
                self.assertLessEqual(report["iterations"], 60)
                self.assertEqual(report["options"]["solver"], "interior-point")

    def test_both_methods_find_the_same_optimum(self):
        data = ["train", "builtin:iris", "--learner", "svc", "--tolerance", 1e-7, "-o", "m.mm"]
        one = self.json_of(*data, "--solver", "first-order")
        other = self.json_of(*data, "--solver", "interior-point")
        self.assertAlmostEqual(
            one["primal_objective"] / other["primal_objective"], 1, delta=2e-7
        )
        self.assertNotEqual(one["iterations"], other["iterations"])

    def test_what_the_method_cannot_do_is_refused(self):
        for words, hint in [
            (["--learner", "linear-svc", "--penalty", "l1"], "--penalty"),
            (["--learner", "linear-svc", "--loss", "logistic"], "loss"),
            (["--learner", "linear-svc", "--kkt-tolerance", 0.1], "--kkt-tolerance"),
            (["--learner", "svc", "--kkt-tolerance", 0.1], "--kkt-tolerance"),
            (["--learner", "svc", "-C", "inf"], "finite C"),
            (["--learner", "svc", "--memory-limit", "1M"], "memory"),
        ]:
            with self.subTest(words=words):
                refused = self.run_tool(
                    "train", "raw.csv", *words, "--solver", "interior-point", "-o", "m.mm", code=1
                )
                self.assertIn(hint, refused.stderr)
                self.assertEqual(self.files(), ["raw.csv"])
