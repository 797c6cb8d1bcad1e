# SPDX-License-Identifier: Apache-2.0
"""cluster --compare, -k auto and --validate."""

import csv
import io

from tool import ToolTest

def without_seconds(report):
    report = dict(report, options=dict(report["options"]))
    report.pop("seconds")
    report["options"].pop("threads")
    for row in report.get("methods", []):
        row.pop("seconds")
    return report


class Blobs(ToolTest):
    """Three separated groups as a table."""

    def setUp(self):
        super().setUp()
        rows = ["x,y,class"]
        for i in range(60):
            g = i % 3
            rows.append(f"{10 * g + 0.37 * (i % 7)},{12 * (g == 2) + 0.29 * (i % 5)},{'abc'[g]}")
        self.write("blobs.csv", "\n".join(rows) + "\n")


class Compare(Blobs):
    def test_one_row_a_method(self):
        done = self.run_tool("cluster", "blobs.csv", "--compare", "kmeans,kmedoids", "-k", 3)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertEqual(
            lines[0].split(),
            ["method", "clusters", "outliers", "objective", "inertia", "kernel_sse", "silhouette",
             "misassignment", "ari", "nmi", "seconds", "status"],
        )  # fmt: skip
        self.assertEqual([line.split()[0] for line in lines[1:]], ["kmeans", "kmedoids"])
        for line in lines[1:]:
            self.assertIn(line.split()[-1], ("solved", "local_optimum"))

    def test_report_holds_the_table(self):
        words = ["cluster", "blobs.csv", "--compare", "kmeans,kmedoids", "-k", 3]
        report = self.json_of(*words)
        self.assertEqual(report["compare"], "kmeans,kmedoids")
        self.assertEqual(report["options"]["k"], 3)
        self.assertEqual(report["options"]["seed"], 0)
        self.assertEqual([row["method"] for row in report["methods"]], ["kmeans", "kmedoids"])
        for row in report["methods"]:
            self.assertEqual(row["misassignment"], 0)
            self.assertEqual(row["clusters"], 3)
        # The same partition has the same measures, whatever the method.
        a, b = report["methods"]
        self.assertEqual(a["kernel_sse"], b["kernel_sse"])
        self.assertEqual(a["inertia"], b["inertia"])
        self.assertEqual(a["silhouette"], b["silhouette"])
        alone = self.json_of("cluster", "blobs.csv", "--method", "kmeans", "-k", 3)
        self.assertAlmostEqual(alone["metrics"]["inertia"], a["inertia"], places=9)
        one = without_seconds(self.json_of(*words, "--threads", 1))
        self.assertEqual(without_seconds(self.json_of(*words, "--threads", 2)), one)

    def test_unlabelled_data_has_no_columns_of_agreement(self):
        self.write("bare.csv", "a,b\n0,0\n0,1\n9,9\n9,8\n")
        report = self.json_of("cluster", "bare.csv", "--compare", "kmeans", "-k", 2)
        self.assertNotIn("ari", report["methods"][0])

    def test_labels_go_to_a_column_a_method(self):
        words = ["cluster", "blobs.csv", "--compare", "kmeans,kmedoids", "-k", 3]
        self.run_tool(*words, "-o", "labels.csv")
        rows = list(csv.DictReader(io.StringIO((self.folder / "labels.csv").read_text())))
        self.assertEqual(len(rows), 60)
        for method in ("kmeans", "kmedoids"):
            alone = self.run_tool("cluster", "blobs.csv", "--method", method, "-k", 3).stdout
            self.assertEqual([row[method] for row in rows], alone.split())
        done = self.run_tool(*words, "-o", "-")
        self.assertTrue(done.stdout.startswith("kmeans,kmedoids\n"))
        self.assertIn("silhouette", done.stderr)

    def test_table_is_written_as_csv(self):
        words = ["cluster", "blobs.csv", "-k", 3, "--table", "t.csv"]
        self.run_tool(*words, "--compare", "kmeans,kmedoids")
        rows = list(csv.DictReader(io.StringIO((self.folder / "t.csv").read_text())))
        self.assertEqual([row["method"] for row in rows], ["kmeans", "kmedoids"])
        self.run_tool("cluster", "blobs.csv", "-k", "auto", "--table", "k.csv")
        rows = list(csv.DictReader(io.StringIO((self.folder / "k.csv").read_text())))
        self.assertEqual([row["k"] for row in rows if row["chosen"] == "1"], ["3"])

    def test_options_of_one_method_are_ignored_for_the_others(self):
        report = self.json_of(
            "cluster", "blobs.csv", "--compare", "kmeans,kmedoids", "-k", 3,
            "--distance", "manhattan",
        )  # fmt: skip
        self.assertEqual([row["status"] for row in report["methods"]], ["local_optimum", "solved"])
        done = self.run_tool(
            "cluster", "blobs.csv", "--compare", "kmeans", "-k", 3, "--distance", "manhattan",
            code=1,
        )  # fmt: skip
        self.assertIn("--distance", done.stderr)

    def test_k_is_ignored_where_it_is_not_taken(self):
        report = self.json_of(
            "cluster", "blobs.csv", "--compare", "kmeans,sv-clustering", "-k", 3, "--gamma", 1
        )
        self.assertEqual([row["status"] for row in report["methods"]], ["local_optimum", "solved"])
        done = self.run_tool("cluster", "blobs.csv", "--method", "sv-clustering", "-k", 3, code=1)
        self.assertIn("-k", done.stderr)

    def test_a_method_that_fails_has_its_message_and_the_others_go_on(self):
        report = self.json_of(
            "cluster", "blobs.csv", "--compare", "kmeans,spectral", "-k", 3,
            "--kernel", "sigmoid", "--coef0", -1, code=2,
        )  # fmt: skip
        first, second = report["methods"]
        self.assertEqual(first["status"], "local_optimum")
        self.assertIn("the similarity of points", second["status"])
        self.assertIsNone(second["inertia"])
        self.assertIn("spectral failed", report["warnings"][0])

    def test_a_value_that_breaks_its_rule_is_wrong_usage(self):
        for words in (["kmeans,kmedoids", "-k", 3, "--distance", "hamming"],
                      ["kmeans,hierarchical", "-k", 3, "--linkage", "wardx"]):  # fmt: skip
            done = self.run_tool("cluster", "blobs.csv", "--compare", *words, code=1)
            self.assertIn(f"maxmargin: {words[-2]} {words[-1]}: must be a known name", done.stderr)
            self.assertEqual(done.stdout, "")

    def test_an_empty_name_is_named(self):
        done = self.run_tool("cluster", "blobs.csv", "--compare", "kmeans,", "-k", 3, code=1)
        self.assertIn("--compare kmeans,: name 2 of the list is empty", done.stderr)

    def test_groups_are_of_no_use(self):
        self.write("groups", "60\n")
        for words in (["--compare", "kmeans,kmedoids"], ["--method", "kmeans"]):
            done = self.run_tool("cluster", "blobs.csv", *words, "-k", 3, "--groups", "groups", code=1)
            self.assertIn("--groups: ", done.stderr)

    def test_all_failing_is_wrong_input(self):
        done = self.run_tool("cluster", "blobs.csv", "--compare", "kmeans,kmedoids", "-k", 61,
                             "-o", "labels.csv", code=1)  # fmt: skip
        self.assertIn("distinct", done.stderr)
        self.assertNotIn("every method", done.stderr)  # said before any of them runs
        self.assertEqual(self.files(), ["blobs.csv"])

    def test_verify_and_validate_add_columns(self):
        report = self.json_of(
            "cluster", "blobs.csv", "--compare", "kmeans,kmedoids", "-k", 3, "--verify",
            "--validate",
        )  # fmt: skip
        self.assertIs(report["verified"], True)
        for row in report["methods"]:
            self.assertEqual(row["verified"], "yes")
            self.assertEqual(row["stability"], 1)
            self.assertEqual(row["refit_test_error"], 0)

    def test_wrong_usage(self):
        for words, part in (
            (["--compare", "kmeans,nonsense", "-k", 3], "nonsense"),
            (["--compare", "kmean", "-k", 3], "kmeans"),
            (["--compare", "", "-k", 3], "--compare"),
            (["--compare", "kmeans,kmeans", "-k", 3], "twice"),
            (["--compare", "kmeans", "--method", "kmeans", "-k", 3], "--method"),
            (["--compare", "kmeans"], "-k"),
            (["--compare", "kmeans", "-k", 0], "0"),
            (["--compare", "kmeans", "-k", 3, "--model", "m.mm"], "--model"),
            (["--compare", "kmeans", "-k", 3, "--plot", "p.svg"], "--plot"),
        ):
            with self.subTest(words):
                done = self.run_tool("cluster", "blobs.csv", *words, code=1)
                self.assertIn(part, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertEqual(self.files(), ["blobs.csv"])


class AutomaticK(Blobs):
    def test_three_groups_are_three(self):
        done = self.run_tool("cluster", "blobs.csv", "-k", "auto", "--json", "r.json")
        labels = done.stdout.split()
        self.assertEqual(sorted(set(labels)), ["0", "1", "2"])
        self.assertIn("stability", done.stderr)
        report = self.json_of("cluster", "blobs.csv", "-k", "auto")
        self.assertEqual(report["options"]["k"], 3)
        self.assertEqual([row["k"] for row in report["tried"]], list(range(2, 11)))
        self.assertEqual([row["k"] for row in report["tried"] if row["chosen"]], [3])
        self.assertEqual(report["metrics"]["misassignment"], 0)
        best = max(row["stability"] for row in report["tried"])
        self.assertEqual(report["tried"][1]["stability"], best)

    def test_is_what_the_chosen_number_gives(self):
        chosen = self.run_tool("cluster", "blobs.csv", "-k", "auto", "--model", "a.mm").stdout
        alone = self.run_tool("cluster", "blobs.csv", "-k", 3, "--model", "b.mm").stdout
        self.assertEqual(chosen, alone)
        self.assertEqual(
            (self.folder / "a.mm").read_bytes(), (self.folder / "b.mm").read_bytes()
        )

    def test_same_for_any_number_of_threads(self):
        reports = []
        for threads in (1, 2):
            report = self.json_of("cluster", "blobs.csv", "-k", "auto", "--threads", threads)
            reports.append(without_seconds(report))
        self.assertEqual(reports[0], reports[1])

    def test_rings_and_moons_are_two_under_spectral_clustering(self):
        for data in ("circles", "moons"):
            for seed in (0, 1):
                with self.subTest(data=data, seed=seed):
                    report = self.json_of(
                        "cluster", f"builtin:{data},seed={seed}", "--method", "spectral",
                        "-k", "auto", "--seed", seed,
                    )  # fmt: skip
                    self.assertEqual(report["options"]["k"], 2)

    def test_in_a_comparison(self):
        report = self.json_of("cluster", "blobs.csv", "--compare", "kmeans,kmedoids", "-k", "auto")
        self.assertEqual([row["clusters"] for row in report["methods"]], [3, 3])

    def test_few_different_points(self):
        self.write("two.csv", "a,b\n0,0\n0,0\n0,0\n9,9\n9,9\n9,9\n")
        report = self.json_of("cluster", "two.csv", "-k", "auto")
        self.assertEqual(report["options"]["k"], 2)
        self.write("one.csv", "a,b\n1,2\n1,2\n")
        done = self.run_tool("cluster", "one.csv", "-k", "auto", code=1)
        self.assertIn("-k auto", done.stderr)

    def test_a_time_limit_returns_what_there_is(self):
        report = self.json_of(
            "cluster", "builtin:gaussians,n=20000", "-k", "auto", "--time-limit", 1, code=2
        )
        self.assertEqual(report["status"], "time_limit")
        self.assertIsNotNone(report["primal_objective"])

    def test_wrong_numbers(self):
        for k in ("0", "-1", "automatic", "2.5", "many"):
            with self.subTest(k):
                done = self.run_tool("cluster", "blobs.csv", f"--clusters={k}", code=1)
                self.assertIn(k, done.stderr)


class Validate(Blobs):
    def test_adds_the_validators(self):
        report = self.json_of("cluster", "blobs.csv", "-k", 3, "--validate")
        metrics = report["metrics"]
        self.assertEqual(metrics["clusters"], 3)
        self.assertEqual(metrics["outliers"], 0)
        self.assertEqual(metrics["stability"], 1)
        self.assertEqual(metrics["refit_train_error"], 0)
        self.assertEqual(metrics["refit_test_error"], 0)
        self.assertGreater(metrics["fisher_ratio"], 1)
        self.assertLess(metrics["kernel_sse_p_value"], 1e-6)
        self.assertEqual([row["size"] for row in report["clusters"]], [20, 20, 20])
        self.assertAlmostEqual(
            sum(row["kernel_sse"] for row in report["clusters"]), metrics["kernel_sse"], places=9
        )
        mean = sum(row["silhouette"] for row in report["clusters"]) / 3
        self.assertAlmostEqual(mean, metrics["silhouette"], places=9)

    def test_a_width_found_by_a_sweep_is_kept_in_resamples(self):
        metrics = self.json_of(
            "cluster", "blobs.csv", "--method", "sv-clustering", "--gamma-sweep", 5, "--validate"
        )["metrics"]
        self.assertIsNotNone(metrics["stability"])

    def test_cheap_ones_come_without_it(self):
        metrics = self.json_of("cluster", "blobs.csv", "-k", 3)["metrics"]
        self.assertIn("silhouette", metrics)
        self.assertNotIn("stability", metrics)
        large = self.json_of("cluster", "builtin:gaussians,n=20000", "-k", 2, "--restarts", 1)
        self.assertNotIn("silhouette", large["metrics"])

    def test_one_cluster_has_no_separation(self):
        metrics = self.json_of("cluster", "blobs.csv", "-k", 1, "--validate")["metrics"]
        self.assertIsNone(metrics["silhouette"])
        self.assertIsNone(metrics["refit_test_error"])
        self.assertIsNone(metrics["kernel_sse_p_value"])
        self.assertEqual(metrics["stability"], 1)

    def test_a_kernel_matrix_is_measured_in_its_feature_space(self):
        points = [(10 * (i % 3) + 0.3 * i, 7 * (i % 3 == 2) + 0.1 * i) for i in range(18)]
        self.write("points.csv", "a,b\n" + "".join(f"{x},{y}\n" for x, y in points))
        lines = [",".join(repr(a * c + b * d) for c, d in points) for a, b in points]
        header = ",".join(f"k{j}" for j in range(len(points)))
        self.write("gram.csv", header + "\n" + "\n".join(lines) + "\n")
        words = ["--method", "kernel-kmeans", "-k", 3, "--validate"]
        given = self.json_of("cluster", "gram.csv", *words, "--kernel", "precomputed")
        alone = self.json_of("cluster", "points.csv", *words, "--kernel", "linear")
        for name in ("kernel_sse", "silhouette", "kernel_sse_p_value"):
            self.assertAlmostEqual(given["metrics"][name], alone["metrics"][name], places=6)
        self.assertEqual(len(given["clusters"]), 3)
        for name in ("stability", "refit_train_error", "refit_test_error", "fisher_ratio"):
            self.assertIsNone(given["metrics"][name])
        self.assertTrue(any("precomputed" in warning for warning in given["warnings"]))
        for more in (["-k", "auto"], ["-k", 3, "--plot", "p.svg"], ["-k", 3, "--scale", "range"]):
            with self.subTest(more):
                done = self.run_tool(
                    "cluster", "gram.csv", "--method", "kernel-kmeans", "--kernel", "precomputed",
                    *more, code=1,
                )  # fmt: skip
                self.assertIn("precomputed", done.stderr)
                self.assertEqual(self.files(), ["blobs.csv", "gram.csv", "points.csv"])

    def test_time_that_is_up_leaves_the_rest_without_value(self):
        report = self.json_of(
            "cluster", "blobs.csv", "-k", 3, "--validate", "--time-limit", 1e-6, code=2
        )
        self.assertEqual(report["status"], "time_limit")
        self.assertIsNotNone(report["primal_objective"])
        for name in ("stability", "kernel_sse_p_value", "refit_train_error", "refit_test_error",
                     "fisher_ratio"):  # fmt: skip
            self.assertIsNone(report["metrics"][name], name)

    def test_a_trace_of_a_method_without_one_is_refused(self):
        for option in ("--trace", "--table"):
            done = self.run_tool("cluster", "blobs.csv", "-k", 3, option, "t.csv", code=1)
            self.assertIn(option, done.stderr)
            self.assertEqual(self.files(), ["blobs.csv"])
            # Known before anything is read.
            done = self.run_tool("cluster", "no-such.csv", "-k", 3, option, "t.csv", code=1)
            self.assertIn(option, done.stderr)
