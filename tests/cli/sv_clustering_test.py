# SPDX-License-Identifier: Apache-2.0
"""cluster --method sv-clustering."""

import csv

from tool import ToolTest

IRIS = ["cluster", "builtin:iris", "--method", "sv-clustering"]
SPHERE = [*IRIS, "--gamma", "0.5", "--tolerance", "1e-9"]
RINGS = ["builtin:circles,n=300,noise=0.03,seed=2"]


class SvClustering(ToolTest):
    def test_iris_sphere_has_its_known_radius_and_two_clusters(self):
        for graph in ("complete", "knn", "mst", "support-vectors"):
            report = self.json_of(*SPHERE, "--graph", graph)
            metrics = report["metrics"]
            self.assertEqual(report["status"], "solved")
            self.assertEqual(round(metrics["squared_radius"], 8), 0.83311698)
            self.assertEqual(metrics["support_vectors"], 18)
            self.assertEqual((metrics["clusters"], metrics["outliers"]), (2, 0))
            self.assertLessEqual(report["relative_gap"], 1e-9)
            labels = self.run_tool(*SPHERE, "--graph", graph, "--quiet").stdout.split()
            self.assertEqual(labels, ["1"] * 50 + ["0"] * 100)

    def test_defaults_are_those_of_the_docs(self):
        options = self.json_of(*IRIS)["options"]
        self.assertEqual(
            {name: options[name] for name in ("nu", "graph", "neighbours", "samples", "tolerance")},
            {"nu": 0, "graph": "knn", "neighbours": 10, "samples": 19, "tolerance": 1e-6},
        )

    def test_outliers_are_named(self):
        report = self.json_of(*SPHERE, "--nu", "0.1", "-o", "labels.txt")
        self.assertEqual(report["metrics"]["outliers"], 9)
        self.assertEqual((self.folder / "labels.txt").read_text().split().count("outlier"), 9)
        self.assertEqual(round(report["primal_objective"], 7), 0.8304864)

    def test_verify_agrees(self):
        for extra in ([], ["--nu", "0.2"], ["--kernel", "linear", "--nu", "0.05"]):
            words = [*IRIS, *extra, "--verify"]
            self.assertIs(self.json_of(*words)["verified"], True, words)

    def test_verify_knows_what_rounding_leaves(self):
        # R^2 is a difference of kernel values: 0 for equal points, 1e-8 of K_ii for far ones.
        self.write("equal.csv", "1.1,2.3\n" * 7)
        self.write("far.csv", "".join(f"{10000 + i / 7},{10000 - i * i / 50}\n" for i in range(40)))
        for words in (
            ["equal.csv", "--nu", 0.3],
            ["equal.csv", "--nu", 0.3, "--kernel", "linear"],
            ["far.csv", "--kernel", "linear"],
            ["far.csv", "--kernel", "linear", "--nu", 0.2],
            ["far.csv", "--kernel", "poly", "--degree", 2, "--nu", 0.2],
        ):
            report = self.json_of("cluster", *words, "--label", "none", "--method",
                                  "sv-clustering", "--verify", "-o", "labels.txt")  # fmt: skip
            self.assertIs(report["verified"], True, words)

    def test_a_numerical_failure_writes_no_model(self):
        self.write("huge.csv", "1e200\n-1e200\n3\n")
        done = self.run_tool("cluster", "huge.csv", "--label", "none", "--method", "sv-clustering",
                             "--kernel", "poly", "--model", "huge.mm", code=2)  # fmt: skip
        self.assertIn("overflow", done.stderr)
        self.assertNotIn("--model", done.stderr)
        self.assertNotIn("huge.mm", self.files())

    def test_memory_may_be_limited(self):
        words = [*SPHERE, "--nu", "0.1"]
        limited = self.run_tool(*words, "--memory-limit", "64K").stdout
        self.assertEqual(limited, self.run_tool(*words).stdout)

    def test_a_time_limit_still_answers(self):
        done = self.run_tool("cluster", "builtin:circles,n=3000,noise=0.1,seed=1", "--method",
                             "sv-clustering", "--graph", "complete", "--gamma", 50,
                             "--time-limit", "1e-9", code=2)  # fmt: skip
        self.assertIn("512 points", done.stderr)
        self.assertEqual(len(done.stdout.split()), 3000)

    def test_weights_reach_the_sphere(self):
        self.write("points.csv", "x,w\n0,1\n2,1\n100,0\n1,1\n")
        words = ["cluster", "points.csv", "--method", "sv-clustering", "--kernel", "linear",
                 "--label", "none", "--weight", "w", "--verify"]  # fmt: skip
        report = self.json_of(*words, "-o", "labels.txt")
        self.assertAlmostEqual(report["metrics"]["squared_radius"], 1, places=5)
        self.assertEqual((self.folder / "labels.txt").read_text().split(), ["0", "0", "outlier", "0"])
        self.assertIs(report["verified"], True)

    def test_two_rings_are_two_clusters(self):
        for graph in ("complete", "knn", "mst", "delaunay", "support-vectors"):
            report = self.json_of("cluster", *RINGS, "--method", "sv-clustering", "--gamma", 2.4,
                                  "--graph", graph)  # fmt: skip
            self.assertEqual(report["metrics"]["clusters"], 2, graph)
            self.assertEqual(report["metrics"]["misassignment"], 0, graph)

    def test_same_answer_for_any_number_of_threads(self):
        answers = [
            self.run_tool("cluster", *RINGS, "--method", "sv-clustering", "--gamma", 2, "--nu",
                          0.05, "--threads", threads, "--model", f"{threads}.mm").stdout
            for threads in (1, 2, 4)
        ]  # fmt: skip
        self.assertEqual(len(set(answers)), 1)
        models = [(self.folder / f"{threads}.mm").read_bytes() for threads in (1, 2, 4)]
        self.assertEqual(len(set(models)), 1)

    def test_predict_gives_training_rows_their_labels(self):
        for form in ("text", "binary"):
            shown = self.run_tool(*SPHERE, "--nu", "0.1", "--model", "sphere.mm",
                                  "--model-format", form).stdout  # fmt: skip
            predicted = self.run_tool("predict", "sphere.mm", "builtin:iris").stdout
            self.assertEqual(predicted, shown)

    def test_predict_scales_as_the_training_did(self):
        words = [*IRIS, "--gamma", "3", "--scale", "range", "--model", "sphere.mm"]
        shown = self.run_tool(*words).stdout
        self.assertEqual(self.run_tool("predict", "sphere.mm", "builtin:iris").stdout, shown)

    def test_predict_calls_far_points_outliers(self):
        self.run_tool(*SPHERE, "--model", "sphere.mm", "-o", "labels.txt")
        self.write("far.csv", "100,100,100,100\n")
        done = self.run_tool("predict", "sphere.mm", "far.csv", "--label", "none")
        self.assertEqual(done.stdout, "outlier\n")

    def test_sweep_writes_its_table(self):
        report = self.json_of("cluster", *RINGS, "--method", "sv-clustering", "--gamma-sweep", 10,
                              "--table", "sweep.csv", "-o", "labels.txt")  # fmt: skip
        with open(self.folder / "sweep.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 10)
        self.assertEqual(rows[0]["clusters"], "1")
        self.assertEqual({row["solved"] for row in rows}, {"1"})
        gammas = [float(row["gamma"]) for row in rows]
        self.assertEqual(gammas, sorted(gammas))
        chosen = [row for row in rows if row["chosen"] == "1"]
        self.assertEqual(len(chosen), 1)
        self.assertEqual(float(chosen[0]["gamma"]), report["options"]["gamma"])
        self.assertEqual(float(chosen[0]["clusters"]), report["metrics"]["clusters"])
        self.assertEqual(report["metrics"]["clusters"], 2)
        self.assertEqual(report["metrics"]["misassignment"], 0)

    def test_one_cluster_draws_a_warning(self):
        self.assertIn("--gamma-sweep", self.json_of(*IRIS, "--gamma", "0.01")["warnings"][0])

    def test_one_point_and_equal_points(self):
        self.write("one.csv", "1,2\n")
        self.write("equal.csv", "1,2\n" * 5)
        for name, n in (("one.csv", 1), ("equal.csv", 5)):
            done = self.run_tool("cluster", name, "--label", "none", "--method", "sv-clustering")
            self.assertEqual(done.stdout, "0\n" * n)

    def test_wrong_calls_are_refused(self):
        for words, part in (
            (["-k", 2], "-k"),
            (["--nu", 1], "--nu"),
            (["--nu", "x"], "--nu"),
            (["--graph", "delaunay"], "Delaunay"),
            (["--graph", "tree"], "--graph"),
            (["--neighbours", 0], "--neighbours"),
            (["--samples", 0], "--samples"),
            (["--samples", 10001], "samples"),
            (["--neighbours", 1001], "neighbours"),
            (["--memory-limit", "much"], "--memory-limit"),
            (["--kernel", "poly", "--gamma-sweep", 5], "poly"),
            (["--distance", "cosine"], "--distance"),
            (["--kernel", "sigmoid"], "--allow-indefinite"),
            (["--kernel", "precomputed"], "precomputed"),
            (["--kernel", "linear", "--gamma-sweep", 5], "--gamma-sweep"),
            (["--gamma", 1, "--gamma-sweep", 5], "--gamma-sweep"),
            (["--gamma-sweep", 1], "--gamma-sweep"),
            (["--table", "t.csv"], "--table"),
            (["--trace", "t.csv"], "--trace"),
        ):
            done = self.run_tool(*IRIS, *words, "-o", "labels.txt", code=1)
            self.assertIn(part, done.stderr, words)
            self.assertEqual(self.files(), [], words)

    def test_its_options_are_not_for_others(self):
        done = self.run_tool("cluster", "builtin:iris", "-k", 3, "--samples", 5, code=1)
        self.assertIn("--samples", done.stderr)
