# SPDX-License-Identifier: Apache-2.0
"""kernel-kmeans, hierarchical and mixture on the command line."""

import csv

from tool import ToolTest

KERNEL = ["cluster", "builtin:iris", "--method", "kernel-kmeans", "--gamma", "0.125"]
TREE = ["cluster", "builtin:iris", "--method", "hierarchical", "-k", "3"]
MIXTURE = ["cluster", "builtin:iris", "--method", "mixture", "-k", "3", "--restarts", "1"]


def comparable(report):
    """A report without what may differ between runs."""
    report = dict(report, options=dict(report["options"]))
    report.pop("seconds")
    report["options"].pop("threads")
    return report


class EveryMethod(ToolTest):
    def test_verify_agrees_and_threads_do_not_matter(self):
        for command in (
            [*KERNEL, "-k", 3],
            [*KERNEL, "-k", 2, "--start", "sequential"],
            [*KERNEL[:4], "-k", 3, "--kernel", "sigmoid", "--gamma", 0.01],
            TREE,
            [*TREE, "--linkage", "average", "--distance", "cosine"],
            [*TREE, "--linkage", "single"],
            [*TREE, "--linkage", "complete", "--distance", "manhattan"],
            MIXTURE,
            [*MIXTURE, "--covariance", "tied"],
            [*MIXTURE, "--covariance", "spherical", "--scale", "standard"],
            [*MIXTURE, "--covariance", "diagonal"],
        ):
            with self.subTest(command):
                one = self.json_of(*command, "--verify", "--threads", 1)
                self.assertIs(one["verified"], True)
                self.assertIn(one["status"], ("solved", "local_optimum"))
                two = self.json_of(*command, "--verify", "--threads", 2)
                self.assertEqual(comparable(one), comparable(two))

    def test_models_predict_their_own_clusters(self):
        for command in ([*KERNEL, "-k", 3], [*TREE, "--linkage", "single"], MIXTURE):
            for form in ("text", "binary"):
                with self.subTest(command=command, form=form):
                    labels = self.run_tool(*command, "--model", "m.mm", "--model-format", form)
                    predicted = self.run_tool("predict", "m.mm", "builtin:iris")
                    self.assertEqual(predicted.stdout, labels.stdout)
                    self.assertIn(command[3], self.run_tool("info", "m.mm").stdout)

    def test_weights_count_as_repeated_rows(self):
        rows = ["0,0", "1,0", "9,1", "10,1", "5,9"]
        self.write("once.csv", "a,b,w\n" + "".join(f"{row},{2 - i % 2}\n" for i, row in enumerate(rows)))
        self.write("twice.csv", "a,b\n" + "".join(f"{row}\n" * (2 - i % 2) for i, row in enumerate(rows)))
        for method in ("kernel-kmeans", "hierarchical", "mixture"):
            with self.subTest(method):
                extra = ["--kernel", "linear"] if method == "kernel-kmeans" else []
                extra += ["--covariance", "tied"] if method == "mixture" else []
                once = self.json_of(
                    "cluster", "once.csv", "--weight", "w", "--method", method, "-k", 2, *extra,
                    "--verify",
                )  # fmt: skip
                twice = self.json_of("cluster", "twice.csv", "--method", method, "-k", 2, *extra)
                self.assertIs(once["verified"], True)
                self.assertAlmostEqual(
                    once["primal_objective"], twice["primal_objective"], places=9
                )

    def test_degenerate_data(self):
        self.write("one.csv", "a,b\n1,2\n")
        self.write("equal.csv", "a,b\n1,2\n1,2\n1,2\n")
        for method in ("kernel-kmeans", "hierarchical", "mixture"):
            with self.subTest(method):
                run = ["--method", method, "--quiet"]
                self.assertEqual(self.run_tool("cluster", "one.csv", "-k", 1, *run).stdout, "0\n")
                self.assertEqual(
                    self.run_tool("cluster", "equal.csv", "-k", 1, *run).stdout, "0\n" * 3
                )
                done = self.run_tool("cluster", "equal.csv", "-k", 2, *run, code=1)
                self.assertIn("distinct", done.stderr)
                self.run_tool("cluster", "builtin:iris", "-k", 151, *run, code=1)
                self.run_tool("cluster", "builtin:iris", "-k", 0, *run, code=1)
                self.run_tool("cluster", "builtin:iris", *run, code=1)


class KernelKmeans(ToolTest):
    def test_iris_reaches_the_known_values(self):
        two = self.json_of(*KERNEL, "-k", 2)
        self.assertEqual(round(two["metrics"]["kernel_sse"], 6), 28.554916)
        self.assertEqual(two["primal_objective"], two["metrics"]["kernel_sse"])
        self.assertLess(two["lower_bound"], two["primal_objective"])
        self.assertGreater(two["lower_bound"], 0)
        three = self.json_of(*KERNEL, "-k", 3)
        self.assertEqual(round(three["metrics"]["kernel_sse"], 6), 17.305608)
        self.assertEqual(three["options"]["gamma"], 0.125)

    def test_indefinite_kernel_warns_and_runs(self):
        report = self.json_of(
            *KERNEL[:4], "-k", 3, "--kernel", "sigmoid", "--gamma", 0.01
        )  # fmt: skip
        self.assertIn("positive semidefinite", " ".join(report["warnings"]))

    def test_precomputed_kernel_is_a_square_table(self):
        rows = [[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]]
        self.write("gram.csv", "a,b,c\n" + "".join(",".join(map(str, r)) + "\n" for r in rows))
        run = ["cluster", "gram.csv", "--method", "kernel-kmeans", "--kernel", "precomputed"]
        labels = self.run_tool(*run, "-k", 2, "--model", "m.mm").stdout
        self.assertEqual(labels, "0\n0\n1\n")
        self.write("new.csv", "a,b,c\n0.8,0.8,0.3\n0,0.1,0.7\n")
        self.assertEqual(self.run_tool("predict", "m.mm", "new.csv").stdout, "0\n1\n")
        done = self.run_tool(*run[:1], "builtin:iris", *run[2:], "-k", 2, code=1)
        self.assertIn("square", done.stderr)

    def test_verify_knows_how_far_rounding_goes(self):
        # The sum of squares is 0, or small beside the kernel values it is a difference of.
        self.write("places.csv", "a,b\n" + "0.1,0.7\n3.3,1.9\n0.1,0.7\n9.7,2.3\n3.3,1.9\n" * 4)
        self.write("far.csv", "a,b\n" + "".join(f"{1e6 + i},{1e6 - i % 7}\n" for i in range(40)))
        run = ["--method", "kernel-kmeans", "--verify"]
        for command in (
            ["cluster", "places.csv", "-k", 3, "--kernel", "poly", "--gamma", 1, *run],
            ["cluster", "places.csv", "-k", 3, "--kernel", "rbf", *run],
            ["cluster", "far.csv", "-k", 40, "--kernel", "rbf", *run],
            ["cluster", "far.csv", "-k", 40, "--kernel", "linear", *run],
            ["cluster", "far.csv", "-k", 3, "--kernel", "linear", *run],
        ):
            with self.subTest(command):
                self.assertIs(self.json_of(*command)["verified"], True)

    def test_a_small_memory_limit_changes_no_cluster(self):
        plain = self.run_tool(*KERNEL, "-k", 3).stdout
        small = self.run_tool(*KERNEL, "-k", 3, "--memory-limit", "10K").stdout
        self.assertEqual(plain, small)
        self.assertIsNone(self.json_of(*KERNEL, "-k", 3, "--memory-limit", "10K")["lower_bound"])

    def test_wrong_start_is_refused_with_the_choices(self):
        done = self.run_tool(*KERNEL, "-k", 2, "--start", "sequentiel", code=1)
        self.assertIn("sequential", done.stderr)


class Hierarchical(ToolTest):
    def test_iris_trees(self):
        report = self.json_of(*TREE)
        self.assertEqual(report["options"]["linkage"], "ward")
        self.assertEqual(report["metrics"]["inertia"], report["primal_objective"])
        self.assertLessEqual(report["lower_bound"], report["primal_objective"])
        self.assertGreater(report["metrics"]["next_height"], report["metrics"]["cut_height"])
        single = self.json_of(*TREE[:-1], 2, "--linkage", "single")
        self.assertAlmostEqual(single["metrics"]["purity"], 100 / 150)
        self.assertEqual(round(single["metrics"]["misassignment"] * 150), 50)

    def test_stopped_tree_still_has_k_clusters_and_a_model(self):
        rows = [f"{i % 2 * 50 + (i * 37 % 101) / 101},{(i * 53 % 97) / 97}\n" for i in range(600)]
        self.write("two.csv", "a,b\n" + "".join(rows))
        for linkage in ("ward", "average", "single"):
            with self.subTest(linkage):
                done = self.run_tool(
                    "cluster", "two.csv", "--method", "hierarchical", "-k", 2, "--linkage", linkage,
                    "--time-limit", "1e-9", "--model", "m.mm", "--verify", "--json", "r.json", code=2,
                )  # fmt: skip
                self.assertEqual(set(done.stdout.split()), {"0", "1"})
                self.run_tool("predict", "m.mm", "two.csv")

    def test_ward_wants_euclidean_distances(self):
        done = self.run_tool(*TREE, "--distance", "cosine", code=1)
        self.assertIn("euclidean", done.stderr)

    def test_options_of_other_methods_are_refused(self):
        self.assertIn("--gamma", self.run_tool(*TREE, "--gamma", 1, code=1).stderr)
        self.assertIn("--linkage", self.run_tool(*MIXTURE, "--linkage", "ward", code=1).stderr)
        self.assertIn("--covariance", self.run_tool(*TREE, "--covariance", "full", code=1).stderr)


class Mixture(ToolTest):
    def test_iris_has_its_known_likelihood(self):
        report = self.json_of(*MIXTURE, "--tolerance", "1e-9")
        self.assertEqual(round(report["metrics"]["log_likelihood"], 2), -180.19)
        self.assertEqual(report["primal_objective"], -report["metrics"]["log_likelihood"])
        self.assertIsNone(report["lower_bound"])
        self.assertEqual(round(report["metrics"]["misassignment"] * 150), 5)
        self.assertGreater(report["metrics"]["bic"], report["metrics"]["aic"])

    def test_probabilities_are_a_table_of_the_clusters(self):
        labels = self.run_tool(*MIXTURE, "--model", "m.mm").stdout.split()
        done = self.run_tool("predict", "m.mm", "builtin:iris", "--probabilities")
        table = list(csv.reader(done.stdout.splitlines()))
        self.assertEqual(table[0], ["0", "1", "2"])
        self.assertEqual(len(table), 151)
        for label, row in zip(labels, table[1:]):
            row = [float(cell) for cell in row]
            self.assertAlmostEqual(sum(row), 1)
            self.assertEqual(row.index(max(row)), int(label))

    def test_other_models_have_no_probabilities(self):
        self.run_tool(*TREE, "--model", "m.mm")
        done = self.run_tool("predict", "m.mm", "builtin:iris", "--probabilities", code=1)
        self.assertIn("hierarchical", done.stderr)
        self.run_tool("predict", "m.mm", "builtin:iris", "--scores", code=1)

    def test_bad_floor_is_refused(self):
        self.assertIn(
            "variance-floor", self.run_tool(*MIXTURE, "--variance-floor", 0, code=1).stderr
        )
