# SPDX-License-Identifier: Apache-2.0
"""The methods that cut the similarity graph: spectral, normalized-cut, ratio-cut, min-cut."""

from tool import ToolTest

METHODS = ("spectral", "normalized-cut", "ratio-cut", "min-cut")


def comparable(report):
    """A report without what may differ between runs."""
    report = dict(report, options=dict(report["options"]))
    report.pop("seconds")
    report["options"].pop("threads")
    return report


class Spectral(ToolTest):
    def cluster(self, data, method, *words):
        return self.json_of("cluster", data, "--method", method, *words)

    def test_default_width_parts_rings_and_moons(self):
        for data in ("builtin:circles", "builtin:moons"):
            for method in ("spectral", "normalized-cut"):
                with self.subTest(data=data, method=method):
                    report = self.cluster(data, method, "-k", 2)
                    self.assertEqual(report["metrics"]["misassignment"], 0)
                    # Proven to within 1e-3; its tolerance is of eigenvectors, not of the gap.
                    self.assertLessEqual(report["relative_gap"], 1e-3)
                    self.assertEqual(report["status"], "solved")

    def test_table_of_the_thesis(self):
        for data, least in (("builtin:circles", 0.4), ("builtin:ai", 0.3)):
            with self.subTest(data):
                median = self.cluster(data, "spectral", "-k", 2, "--gamma", "median")
                gamma = median["options"]["gamma"]
                errors = [
                    self.cluster(data, "spectral", "-k", 2, "--gamma", m * gamma)
                    ["metrics"]["misassignment"]
                    for m in (1, 4, 16, 64, 256)
                ]  # fmt: skip
                self.assertEqual(min(errors), 0)
                centres = self.cluster(data, "kmeans", "-k", 2)
                self.assertGreater(centres["metrics"]["misassignment"], least)

    def test_report_holds_the_cut_and_its_bound(self):
        names = {"spectral": "normalized_cut", "normalized-cut": "normalized_cut",
                 "ratio-cut": "ratio_cut", "min-cut": "cut"}  # fmt: skip
        for method, name in names.items():
            with self.subTest(method):
                report = self.cluster("builtin:iris", method, "-k", 3, "--verify")
                self.assertEqual(report["primal_objective"], report["metrics"][name])
                self.assertLessEqual(report["lower_bound"], report["primal_objective"])
                self.assertIs(report["verified"], True)
                self.assertEqual(report["options"]["kernel"], "rbf")

    def test_neighbour_graphs_are_verified_too(self):
        report = self.cluster("builtin:iris", "spectral", "-k", 3, "--neighbours", 10, "--verify")
        self.assertIs(report["verified"], True)
        self.assertEqual(report["options"]["neighbours"], 10)

    def test_same_report_for_any_number_of_threads(self):
        for method in METHODS:
            one = comparable(self.cluster("builtin:iris", method, "-k", 3, "--threads", 1))
            two = comparable(self.cluster("builtin:iris", method, "-k", 3, "--threads", 2))
            self.assertEqual(one, two)

    def test_sweep_is_never_worse_than_sign(self):
        for method in ("normalized-cut", "ratio-cut"):
            costs = [
                self.cluster("builtin:gaussians", method, "-k", 2, "--threshold", rule)
                ["primal_objective"]
                for rule in ("sweep", "sign")
            ]  # fmt: skip
            self.assertLessEqual(costs[0], costs[1] * (1 + 1e-12))

    def test_model_predicts_its_own_clusters(self):
        for method in METHODS:
            with self.subTest(method):
                words = ("cluster", "builtin:iris", "--method", method, "-k", 3)
                labels = self.run_tool(*words, "--model", "m.mm").stdout
                self.assertEqual(self.run_tool("predict", "m.mm", "builtin:iris").stdout, labels)
                self.assertIn(method, self.run_tool("info", "m.mm").stdout)

    def test_new_points_of_rings_go_to_their_ring(self):
        self.run_tool("cluster", "builtin:circles,n=300", "--method", "spectral", "-k", 2,
                      "--model", "m.mm", "-o", "l.txt")  # fmt: skip
        report = self.json_of("predict", "m.mm", "builtin:circles,n=300,seed=7")
        self.assertEqual(report["metrics"]["misassignment"], 0)

    def test_points_without_similarity_are_outliers(self):
        self.write("far.csv", "a\n0\n1\n2\n10\n11\n12\n100000\n")
        done = self.run_tool("cluster", "far.csv", "--method", "spectral", "-k", 2,
                             "--gamma", 0.1, "--model", "m.mm")  # fmt: skip
        self.assertEqual(done.stdout.split(), ["0", "0", "0", "1", "1", "1", "outlier"])
        self.assertIn("outlier", done.stderr)
        self.write("new.csv", "a\n0.5\n-500000\n")
        self.assertEqual(
            self.run_tool("predict", "m.mm", "new.csv", "--label", "none").stdout.split(),
            ["0", "outlier"],
        )

    def test_degenerate_data(self):
        self.write("one.csv", "a,b\n1,2\n")
        self.write("equal.csv", "a,b\n1,2\n1,2\n1,2\n")
        for method in METHODS:
            one = ("cluster", "one.csv", "--method", method, "--quiet")
            self.assertEqual(self.run_tool(*one, "-k", 1).stdout, "0\n")
            equal = ("cluster", "equal.csv", "--method", method, "--quiet")
            self.assertEqual(self.run_tool(*equal, "-k", 1).stdout, "0\n0\n0\n")
            self.assertIn("distinct", self.run_tool(*equal, "-k", 2, code=1).stderr)
            self.assertIn("whole number", self.run_tool(*equal, "-k", 0, code=1).stderr)

    def test_negative_similarities_are_refused_by_name(self):
        self.write("signs.csv", "a\n1\n-1\n2\n")
        done = self.run_tool("cluster", "signs.csv", "--method", "spectral", "-k", 2,
                             "--kernel", "linear", code=1)  # fmt: skip
        self.assertIn("the similarity of points 1 and 0 = -1", done.stderr)

    def test_options_of_other_methods_are_refused(self):
        words = ("cluster", "builtin:iris", "-k", 2)
        for method, option in (("kmeans", "--threshold"), ("min-cut", "--threshold"),
                               ("spectral", "--distance")):  # fmt: skip
            done = self.run_tool(*words, "--method", method, option, "sign", code=1)
            self.assertIn(option, done.stderr)
        done = self.run_tool(*words, "--method", "ratio-cut", "--threshold", "best", code=1)
        self.assertIn("sweep", done.stderr)
