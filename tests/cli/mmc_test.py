# SPDX-License-Identifier: Apache-2.0
"""Maximum-margin clustering as a user meets it."""

import unittest

from tool import ToolTest

RINGS = ["--method", "mmc", "-k", "2", "--kernel", "rbf", "--gamma", "6", "-C", "100",
         "--balance", "0.1"]  # fmt: skip


class Mmc(ToolTest):
    def test_two_rings_are_found_proved_and_verified(self):
        data = "builtin:circles,n=200,inner=1,outer=2,noise=0.05,seed=3"
        report = self.json_of("cluster", data, *RINGS, "--verify")
        self.assertEqual(report["status"], "local_optimum")
        self.assertEqual(report["relaxation"]["status"], "solved")
        self.assertEqual(report["metrics"]["misassignment"], 0)
        self.assertGreaterEqual(report["lower_bound"], 0.97 * report["primal_objective"])
        self.assertTrue(report["verified"])
        relaxation = report["relaxation"]
        self.assertEqual(
            list(relaxation),
            ["value", "lower_bound", "relative_gap", "rank", "roundings", "winner", "bound",
             "status"],
        )
        self.assertEqual(relaxation["bound"], "certified")
        self.assertEqual(relaxation["status"], "solved")
        self.assertEqual(relaxation["lower_bound"], report["lower_bound"])
        self.assertLessEqual(relaxation["relative_gap"], 1e-3)
        self.assertEqual(report["warnings"], [])

    def test_rings_of_all_seeds_are_found_and_nearly_proved(self):
        for seed in range(1, 11):
            data = f"builtin:circles,n=200,inner=1,outer=2,noise=0.05,seed={seed}"
            report = self.json_of("cluster", data, *RINGS, "--verify")
            self.assertEqual(report["metrics"]["misassignment"], 0, seed)
            self.assertGreaterEqual(report["lower_bound"], 0.97 * report["primal_objective"], seed)
            self.assertTrue(report["verified"], seed)

    def test_uncentred_kernel_with_active_balance_converges(self):
        data = "builtin:circles,n=100,inner=1,outer=2,noise=0.05,seed=3"
        report = self.json_of("cluster", data, *RINGS, "--bias", "none", "--verify")
        self.assertEqual(report["status"], "solved")
        self.assertEqual(report["relaxation"]["status"], "solved")
        self.assertTrue(report["verified"])

    def test_wide_kernel_has_a_weak_bound_and_says_so(self):
        data = "builtin:circles,n=100,inner=1,outer=2,noise=0.05,seed=3"
        report = self.json_of(
            "cluster", data, "--method", "mmc", "-k", "2", "--gamma", "median", "--verify"
        )
        self.assertTrue(report["verified"])
        self.assertGreater(report["relative_gap"], 0.1)
        self.assertTrue(any("bound is weak" in warning for warning in report["warnings"]))

    def test_model_predicts_the_training_labels(self):
        data = "builtin:circles,n=60,seed=1"
        self.run_tool("cluster", data, *RINGS, "--model", "m.mm", "-o", "labels.txt")
        predicted = self.run_tool("predict", "m.mm", data).stdout
        self.assertEqual(predicted, (self.folder / "labels.txt").read_text())

    def test_bad_input_is_refused(self):
        data = "builtin:circles,n=20"
        for options, complaint in [
            (["-k", "1"], "two clusters"),
            (["-k", "2", "--balance", "1"], "--balance 1"),
            (["-k", "2", "--balance", "x"], "--balance x"),
            (["-k", "2", "--bias", "x"], "--bias"),
            (["-k", "2", "--kernel", "sigmoid"], "sigmoid"),
            (["-k", "2", "-C", "0"], "-C 0: must be a finite number > 0"),
            (["-k", "2", "-C", "inf"], "-C inf: must be a finite number > 0"),
            (["-k", "2", "--memory-limit", "1k"], "a sample of the points"),
        ]:
            done = self.run_tool("cluster", data, "--method", "mmc", *options, code=1)
            self.assertIn(complaint, done.stderr)


if __name__ == "__main__":
    unittest.main()
