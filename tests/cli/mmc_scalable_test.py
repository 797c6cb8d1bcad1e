# SPDX-License-Identifier: Apache-2.0
"""Maximum-margin clustering of many points as a user meets it."""

import json
import unittest

from tool import ToolTest

BLOBS = "builtin:gaussians,n=300,seed=2"
RINGS = "builtin:circles,n=200,inner=1,outer=2,noise=0.05,seed=3"


class Alternating(ToolTest):
    def cluster(self, data, *options):
        return self.json_of("cluster", data, "--method", "mmc-alternating", *options, "--verify")

    def test_linear_two_clusters_without_a_bound(self):
        report = self.cluster(BLOBS, "-k", "2", "--kernel", "linear", "-C", "1")
        self.assertEqual(report["status"], "local_optimum")
        self.assertTrue(report["verified"])
        self.assertLessEqual(report["metrics"]["misassignment"], 0.1)
        self.assertEqual(report["lower_bound"], 0)
        self.assertEqual(report["relaxation"]["bound"], "vacuous")
        alternation = report["alternation"]
        self.assertLessEqual(alternation["training_bound"], report["primal_objective"])
        self.assertGreaterEqual(alternation["starts"], 2)

    def test_relaxation_bounds_the_rings(self):
        report = self.cluster(
            RINGS, "-k", "2", "--gamma", "6", "--features", "nystroem:120", "--bound", "relaxation"
        )
        self.assertTrue(report["verified"])
        self.assertEqual(report["metrics"]["misassignment"], 0)
        self.assertEqual(report["relaxation"]["bound"], "certified")
        self.assertGreaterEqual(report["lower_bound"], 0.9 * report["primal_objective"])
        self.assertLessEqual(report["lower_bound"], report["primal_objective"])
        self.assertLessEqual(report["alternation"]["missed"], 1e-3)

    def test_bound_of_landmarks_is_below_the_kernel_s_own(self):
        # The kernel's own relaxation, with balance, is the larger bound.
        exact = self.json_of("cluster", RINGS, "--method", "mmc", "-k", "2", "--gamma", "6")
        few = self.cluster(
            RINGS, "-k", "2", "--gamma", "6", "--features", "nystroem:60", "--bound", "relaxation"
        )
        self.assertTrue(few["verified"])
        self.assertLessEqual(few["lower_bound"], exact["relaxation"]["value"])
        self.assertGreaterEqual(few["primal_objective"], exact["lower_bound"])

    def test_the_method_mmc_takes_features_too(self):
        report = self.json_of("cluster", RINGS, "--method", "mmc", "-k", "2", "--gamma", "6",
                              "--features", "nystroem:120", "--verify")  # fmt: skip
        self.assertTrue(report["verified"])
        self.assertEqual(report["metrics"]["misassignment"], 0)
        self.assertEqual(report["relaxation"]["bound"], "certified")

    def test_sdp_steps_give_starts(self):
        report = self.cluster("builtin:circles,n=80,seed=3", "-k", "2", "--gamma", "6",
                              "--steps", "sdp")  # fmt: skip
        self.assertTrue(report["verified"])
        self.assertLessEqual(report["metrics"]["misassignment"], 0.05)
        self.assertGreaterEqual(report["alternation"]["relaxed_steps"], 1)

    def test_many_points_are_sampled_first_and_threads_change_nothing(self):
        data = "builtin:gaussians,n=24000,seed=4"
        reports = [
            self.cluster(data, "-k", "2", "--kernel", "linear", "-C", "0.01", "--restarts", "3",
                         "--threads", threads)
            for threads in ["1", "2"]
        ]  # fmt: skip
        for report in reports:
            self.assertEqual(report["status"], "local_optimum")
            self.assertTrue(report["verified"])
            self.assertLessEqual(report["metrics"]["misassignment"], 0.06)
            self.assertTrue(report["alternation"]["winner"].startswith("sample"))
            gap = 1 - report["alternation"]["training_bound"] / report["primal_objective"]
            self.assertLessEqual(gap, 1.001e-3)
        self.assertEqual(reports[0]["primal_objective"], reports[1]["primal_objective"])

    def test_three_clusters_keep_their_sizes(self):
        report = self.cluster("builtin:iris", "-k", "3", "--kernel", "linear", "-C", "1",
                              "--restarts", "3")  # fmt: skip
        self.assertTrue(report["verified"])
        self.assertLessEqual(report["metrics"]["misassignment"], 0.2)

    def test_model_predicts_the_training_labels(self):
        for options in [["--kernel", "linear"], ["--features", "nystroem:40"], []]:
            self.run_tool("cluster", BLOBS, "--method", "mmc-alternating", "-k", "2", "-C", "1",
                          "--balance", "none", *options, "--model", "m.mm",
                          "-o", "labels.txt")  # fmt: skip
            predicted = self.run_tool("predict", "m.mm", BLOBS).stdout
            self.assertEqual(predicted, (self.folder / "labels.txt").read_text())

    def test_objective_of_the_trace_never_rises(self):
        self.run_tool("cluster", BLOBS, "--method", "mmc-alternating", "-k", "2", "--kernel",
                      "linear", "-C", "1", "--trace", "t.csv", "-o", "l.txt")  # fmt: skip
        lines = (self.folder / "t.csv").read_text().splitlines()
        column = lines[0].split(",").index("objective")
        values = [float(line.split(",")[column]) for line in lines[1:]]
        self.assertTrue(values)
        self.assertEqual(values, sorted(values, reverse=True))

    def test_bad_input_is_refused(self):
        for options, complaint in [
            (["-k", "1"], "two clusters"),
            (["-k", "3", "--bound", "relaxation"], "only for two"),
            (["-k", "3", "--steps", "sdp"], "only for two"),
            (["-k", "2", "--features", "fourier:10"], "--features fourier:10"),
            (["-k", "2", "--features", "nystroem:0"], "--features nystroem:0"),
            (["-k", "2", "--balance", "1"], "--balance 1"),
            (["-k", "2", "--kernel", "sigmoid"], "sigmoid"),
            (["-k", "2", "--memory-limit", "1k"], "nystroem:M"),
            (["-k", "400"], "distinct"),
        ]:
            done = self.run_tool(
                "cluster", BLOBS, "--method", "mmc-alternating", *options, code=1
            )
            self.assertIn(complaint, done.stderr)


class CuttingPlane(ToolTest):
    def test_blobs_are_found_and_steps_certified(self):
        report = self.json_of("cluster", BLOBS, "--method", "mmc-cutting-plane", "-k", "2",
                              "-C", "1", "--verify")  # fmt: skip
        self.assertEqual(report["status"], "local_optimum")
        self.assertTrue(report["verified"])
        self.assertLessEqual(report["metrics"]["misassignment"], 0.1)
        self.assertLessEqual(report["cutting_plane"]["step_gap"], 1e-3)
        self.assertEqual(report["relaxation"]["bound"], "vacuous")

    def test_many_points(self):
        report = self.json_of("cluster", "builtin:gaussians,n=24000,seed=4", "--method",
                              "mmc-cutting-plane", "-k", "2", "-C", "0.01", "--restarts", "3",
                              "--verify")  # fmt: skip
        self.assertEqual(report["status"], "local_optimum")
        self.assertTrue(report["verified"])
        self.assertLessEqual(report["metrics"]["misassignment"], 0.06)

    def test_methods_are_compared_by_one_objective(self):
        done = self.run_tool("cluster", BLOBS, "--compare", "mmc-alternating,mmc-cutting-plane",
                             "-k", "2", "--kernel", "linear", "-C", "1",
                             "--json", "-")  # fmt: skip
        rows = json.loads(done.stdout)["methods"]
        self.assertEqual(
            [row["method"] for row in rows], ["mmc-alternating", "mmc-cutting-plane"]
        )
        objectives = [row["objective"] for row in rows]
        # The labels of both are settled under the same objective, on sets as easy as this one.
        self.assertGreater(min(objectives), 0)
        self.assertLessEqual(max(objectives), 1.01 * min(objectives))

    def test_bad_input_is_refused(self):
        for options, complaint in [
            (["-k", "3"], "two clusters"),
            (["-k", "2", "--kernel", "rbf"], "--kernel"),
            (["-k", "2", "--features", "nystroem:5"], "does not take it"),
        ]:
            done = self.run_tool(
                "cluster", BLOBS, "--method", "mmc-cutting-plane", *options, code=1
            )
            self.assertIn(complaint, done.stderr)


if __name__ == "__main__":
    unittest.main()
