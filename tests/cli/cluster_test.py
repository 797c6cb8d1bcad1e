# SPDX-License-Identifier: Apache-2.0
"""The cluster, predict, eval and demo commands."""

import json
import re
import signal
import subprocess
import time

from tool import HERE, TOOL, ToolTest

IRIS = ["cluster", "builtin:iris", "--method", "kmeans", "-k", "3", "--seed", "1"]


def comparable(report):
    """A report without what may differ between runs."""
    report = dict(report, options=dict(report["options"]))
    report.pop("seconds")
    report["options"].pop("threads")
    return report


class Cluster(ToolTest):
    def test_iris_reaches_the_known_optimum(self):
        report = self.json_of(*IRIS)
        self.assertEqual(report["status"], "local_optimum")
        self.assertEqual(round(report["metrics"]["inertia"], 4), 78.8514)
        self.assertEqual(round(report["metrics"]["misassignment"] * 150), 16)
        self.assertEqual(report["primal_objective"], report["metrics"]["inertia"])
        self.assertLessEqual(report["lower_bound"], report["primal_objective"])
        self.assertEqual((report["n"], report["d"]), (150, 4))

    def test_report_has_the_keys_of_the_contract(self):
        self.assertEqual(
            list(self.json_of(*IRIS)),
            ["status", "method", "n", "d", "primal_objective", "dual_objective", "lower_bound",
             "bound", "gap", "relative_gap", "iterations", "seconds", "metrics", "warnings", "options",
             "version"],
        )  # fmt: skip

    def test_same_report_for_any_number_of_threads(self):
        one = comparable(self.json_of(*IRIS, "--threads", 1))
        for threads in (2, 4):
            self.assertEqual(comparable(self.json_of(*IRIS, "--threads", threads)), one)

    def test_labels_are_ordered_by_cluster_size(self):
        labels = self.run_tool(*IRIS).stdout.split()
        self.assertEqual(len(labels), 150)
        self.assertEqual([labels.count(c) for c in "012"], [62, 50, 38])

    def test_output_file_holds_what_stdout_would(self):
        shown = self.run_tool(*IRIS).stdout
        done = self.run_tool(*IRIS, "-o", "labels.txt")
        self.assertEqual(done.stdout, "")
        self.assertEqual((self.folder / "labels.txt").read_text(), shown)

    def test_json_on_stdout_stands_alone(self):
        done = self.run_tool(*IRIS, "--json", "-")
        json.loads(done.stdout)

    def test_verify_agrees(self):
        self.assertIs(self.json_of(*IRIS, "--verify")["verified"], True)

    def test_plot_is_an_svg(self):
        self.run_tool(*IRIS, "--plot", "picture.svg", "-o", "labels.txt")
        self.assertIn("<svg", (self.folder / "picture.svg").read_text())

    def test_quiet_says_nothing_on_stderr(self):
        self.assertEqual(self.run_tool(*IRIS, "--quiet").stderr, "")

    def test_kmedoids_runs(self):
        report = self.json_of("cluster", "builtin:iris", "--method", "kmedoids", "-k", 3)
        self.assertEqual(report["method"], "kmedoids")
        self.assertLess(report["metrics"]["misassignment"], 0.2)

    def test_defaults_are_those_of_the_guide(self):
        guide = (HERE.parent.parent / "docs/guide/options.md").read_text()
        for method in ("kmeans", "kmedoids"):
            used = self.json_of("cluster", "builtin:iris", "--method", method, "-k", 3)["options"]
            section = guide.split(f"\n## {method}\n")[1].split("\n## ")[0]
            for option in ("restarts", "max-iterations"):
                row = next(line for line in section.splitlines() if line.startswith(f"| `--{option} "))
                shown = row.rstrip(" |").split("|")[-1].strip()
                self.assertEqual(str(used[option.replace("-", "_")]), shown, (method, option))

    def test_option_of_another_method_is_refused(self):
        done = self.run_tool(*IRIS, "--distance", "cosine", code=1)
        self.assertIn("--distance", done.stderr)

    def test_degenerate_data(self):
        self.write("one.csv", "a,b\n1,2\n")
        self.assertEqual(self.run_tool("cluster", "one.csv", "-k", 1, "--quiet").stdout, "0\n")
        self.write("equal.csv", "a,b\n1,2\n1,2\n1,2\n")
        self.assertEqual(
            self.run_tool("cluster", "equal.csv", "-k", 1, "--quiet").stdout, "0\n0\n0\n"
        )
        done = self.run_tool("cluster", "equal.csv", "-k", 2, code=1)
        self.assertIn("distinct", done.stderr)
        done = self.run_tool("cluster", "builtin:iris", "-k", 151, code=1)
        self.assertIn("distinct", done.stderr)

    def test_model_predicts_its_own_clusters(self):
        for form in ("text", "binary"):
            with self.subTest(form):
                labels = self.run_tool(*IRIS, "--model", "m.mm", "--model-format", form).stdout
                self.assertEqual(self.run_tool("predict", "m.mm", "builtin:iris").stdout, labels)
                self.assertIn("kmeans", self.run_tool("info", "m.mm").stdout)

    def test_model_file_is_the_same_for_any_number_of_threads(self):
        models = []
        for threads in (1, 2):
            self.run_tool(*IRIS, "--model", "m.mm", "--threads", threads)
            models.append((self.folder / "m.mm").read_bytes())
        self.assertEqual(models[0], models[1])

    def test_damaged_model_is_refused(self):
        self.run_tool(*IRIS, "--model", "m.mm")
        whole = (self.folder / "m.mm").read_bytes()
        for name, damaged in (
            ("half", whole[: len(whole) // 2]),
            ("changed", whole.replace(b"5", b"6", 1)),
            ("newer", whole.replace(b"maxmargin-model 2", b"maxmargin-model 9", 1)),
        ):
            with self.subTest(name):
                self.write("damaged.mm", damaged)
                done = self.run_tool("predict", "damaged.mm", "builtin:iris", code=1)
                self.assertIn("damaged.mm", done.stderr)

    def test_labeled_rows_give_the_transductive_error(self):
        self.write("rows.txt", "0 1 2 50 51 100\n")
        report = self.json_of(*IRIS, "--labeled-rows", "rows.txt")
        self.assertIn("transductive_error", report["metrics"])

    def test_time_limit_returns_the_best_so_far_with_exit_code_2(self):
        report = self.json_of(
            "cluster", "builtin:gaussians,n=20000", "-k", 50, "--restarts", 1000,
            "--time-limit", 0.5, code=2,
        )  # fmt: skip
        self.assertEqual(report["status"], "time_limit")
        self.assertIsNotNone(report["primal_objective"])

    def test_ctrl_c_returns_the_best_so_far_with_exit_code_2(self):
        words = [TOOL, "cluster", "builtin:gaussians,n=20000", "-k", "50", "--restarts", "5000",
                 "--json", "report.json", "-o", "labels.txt"]  # fmt: skip
        process = subprocess.Popen(words, cwd=self.folder, stderr=subprocess.PIPE)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2, complaint)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(report["status"], "stopped_by_callback")
        self.assertEqual(len((self.folder / "labels.txt").read_text().split()), 20000)


    def test_a_second_ctrl_c_ends_at_once_and_leaves_nothing(self):
        words = [TOOL, "cluster", "builtin:gaussians,n=200000,d=20", "-k", "300",
                 "--json", "report.json", "-o", "labels.txt"]  # fmt: skip
        process = subprocess.Popen(words, cwd=self.folder, stderr=subprocess.PIPE)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(self.files(), [])

    def test_ctrl_c_while_reading_ends_the_command(self):
        words = [TOOL, "info", "-"]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=20), 130)
        process.stdin.close()
        process.stderr.close()

    def test_a_failed_output_leaves_no_other_behind(self):
        for words in (
            [*IRIS, "--json", "r.json", "-o", "/dev/full"],
            [*IRIS, "--model", "m.mm", "--json", "no/such/r.json"],
            ["convert", "builtin:iris", "no/x.csv", "--scale", "range", "--save-scaler", "s.mm"],
        ):
            with self.subTest(words):
                done = self.run_tool(*words, code=1)
                self.assertEqual(self.files(), [])
                self.assertEqual(done.stdout, "")
        done = self.run_tool(*IRIS, "--json", "/dev/full", code=1)
        self.assertEqual(done.stdout.count("\n") in (0, 150), True)

    def test_two_outputs_to_one_file_are_refused(self):
        for words in (
            [*IRIS, "-o", "same", "--json", "same"],
            [*IRIS, "-o", "-", "--json", "-"],
            [*IRIS, "--model", "./x", "-o", "x"],
        ):
            with self.subTest(words):
                self.assertIn("same file", self.run_tool(*words, code=1).stderr)
                self.assertEqual(self.files(), [])

    def test_a_model_applies_to_data_with_weights(self):
        self.write("w.csv", "a,b,w\n0,0,1\n0,1,2\n9,9,1\n9,8,3\n")
        words = ["w.csv", "--weight", "w"]
        labels = self.run_tool("cluster", *words, "-k", 2, "--model", "m.mm").stdout
        self.assertEqual(self.run_tool("predict", "m.mm", *words).stdout, labels)

    def test_sparse_medoids_need_no_dense_row(self):
        self.write("wide.svm", "1 2147483646:1\n1 1:1\n1 2:5\n")
        words = ["cluster", "wide.svm", "--method", "kmedoids", "-k", 2, "--model", "m.mm"]
        labels = self.run_tool(*words, "--verify").stdout
        self.assertEqual(self.run_tool("predict", "m.mm", "wide.svm").stdout, labels)

    def test_a_stop_does_not_walk_through_the_remaining_restarts(self):
        report = self.json_of(
            *IRIS, "--restarts", 10**12, "--time-limit", 0.3, code=2
        )
        self.assertEqual(report["status"], "time_limit")

    def test_a_model_refuses_dense_data_of_another_width(self):
        self.run_tool(*IRIS, "--model", "m.mm", "-o", "labels.txt")
        self.write("narrow.csv", "a,b,label\n1,2,x\n")
        done = self.run_tool("predict", "m.mm", "narrow.csv", code=1)
        self.assertIn("narrow.csv: has 2 features, the model 4", done.stderr)

    def test_messages_name_options_as_the_user_knows_them(self):
        done = self.run_tool("cluster", "builtin:iris", "-k", 151, code=1)
        self.assertNotIn("Options", done.stderr)
        self.assertIn("-k", done.stderr)


class Demo(ToolTest):
    def test_demo_shows_the_measures_and_draws(self):
        done = self.run_tool("demo", "--plot", "demo.svg")
        self.assertIn("78.8514", done.stdout)
        gaps = [float(gap) for gap in re.findall(r"(?m)^relative gap +(\S+)$", done.stdout)]
        self.assertEqual(len(gaps), 2)
        self.assertLess(gaps[1], 1e-3)
        self.assertIn("train builtin:iris --learner svc", done.stdout)
        self.assertIn("<svg", (self.folder / "demo.svg").read_text())


class Eval(ToolTest):
    def test_options_beside_labels_are_refused(self):
        for words in (["--weight", "w"], ["--groups", "g"], ["--strings", "s"]):
            done = self.run_tool("eval", "builtin:iris", "builtin:iris", *words, code=1)
            self.assertRegex(done.stderr, f"maxmargin: {words[0]}: (no option of eval|eval without --task does not take it)")
        self.assertNotIn("--weight", self.run_tool("help", "eval").stdout)

    def test_clusters_against_classes(self):
        self.run_tool(*IRIS, "-o", "labels.txt")
        report = self.json_of("eval", "builtin:iris", "labels.txt", "--metric", "misassignment")
        self.assertAlmostEqual(report["metrics"]["misassignment"], 16 / 150)

    def test_labels_against_labels(self):
        self.write("truth.txt", "a\na\nb\nb\n")
        self.write("said.txt", "a\nb\nb\nb\n")
        metrics = self.json_of("eval", "truth.txt", "said.txt")["metrics"]
        self.assertEqual(metrics["accuracy"], 0.75)
        self.assertEqual(metrics["error"], 0.25)

    def test_targets_against_numbers(self):
        self.write("truth.txt", "1\n2\n3\n")
        self.write("said.txt", "1\n2\n5\n")
        metrics = self.json_of("eval", "truth.txt", "said.txt", "--metric", "mse,mae")["metrics"]
        self.assertAlmostEqual(metrics["mse"], 4 / 3)
        self.assertAlmostEqual(metrics["mae"], 2 / 3)

    def test_metrics_are_named_once_each(self):
        self.write("truth.txt", "1\n2\n")
        for names in ("accuracy,accuracy", "accuracy,", ",accuracy", ","):
            done = self.run_tool("eval", "truth.txt", "truth.txt", "--metric", names, code=1)
            self.assertIn("--metric", done.stderr)

    def test_lengths_must_agree(self):
        self.write("truth.txt", "1\n2\n")
        self.write("said.txt", "1\n")
        done = self.run_tool("eval", "truth.txt", "said.txt", code=1)
        self.assertIn("said.txt", done.stderr)
