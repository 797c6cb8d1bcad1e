# SPDX-License-Identifier: Apache-2.0
"""The tune command."""

import csv

from tool import ToolTest
from train_test import comparable

GRID = ["tune", "builtin:iris", "--learner", "svc", "--grid", "C=0.1,1,10;gamma=0.01,0.1,1"]


class Tune(ToolTest):
    def test_finds_a_good_point_and_trains_with_it(self):
        report = self.json_of(*GRID, "-o", "m.mm", "--table", "t.csv")
        self.assertEqual(report["status"], "solved")
        self.assertEqual(len(report["table"]), 9)
        self.assertEqual(report["metrics"]["trainings"], 45)
        best = max(row["accuracy"] for row in report["table"])
        chosen = [row for row in report["table"] if row["chosen"]]
        self.assertEqual([row["accuracy"] for row in chosen], [best])
        self.assertEqual(report["metrics"]["cross_validated_accuracy"], best)
        self.assertEqual(report["options"]["C"], chosen[0]["C"])
        self.assertEqual(report["options"]["gamma"], chosen[0]["gamma"])
        self.assertGreater(best, 0.95)
        with open(self.folder / "t.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([float(row["accuracy"]) for row in rows],
                         [row["accuracy"] for row in report["table"]])  # fmt: skip
        accuracy = self.json_of("predict", "m.mm", "builtin:iris")["metrics"]["accuracy"]
        self.assertEqual(accuracy, report["metrics"]["accuracy"])

    def test_equals_train_with_folds_at_every_point(self):
        report = self.json_of(*GRID, "--tolerance", 1e-6)
        for row in report["table"][::4]:
            alone = self.json_of(
                "train", "builtin:iris", "--learner", "svc", "-C", row["C"], "--gamma",
                row["gamma"], "--folds", 5, "--tolerance", 1e-6,
            )  # fmt: skip
            self.assertAlmostEqual(alone["metrics"]["accuracy"], row["accuracy"], places=12)

    def test_is_the_same_for_any_number_of_threads(self):
        reports, models = [], []
        for threads in (1, 2, 4):
            reports.append(comparable(self.json_of(*GRID, "-o", "m.mm", "--threads", threads)))
            models.append((self.folder / "m.mm").read_bytes())
        self.assertEqual(reports[0], reports[1])
        self.assertEqual(reports[0], reports[2])
        self.assertEqual(len(set(models)), 1)

    def test_switches_aliases_and_values_with_commas_are_axes(self):
        words = ["tune", "builtin:iris", "--learner", "svc", "--folds", 3]
        def tried(grid, *more):
            return [row for row in self.json_of(*words, "--grid", grid, *more)["table"]]
        self.assertEqual([row["no-shrinking"] for row in tried("no-shrinking=true,false")], ["true", "false"])
        self.assertEqual([row["C"] for row in tried("c=1,2")], [1, 2])
        rows = tried("scale=none,{range:0,1}")
        self.assertEqual([row["scale"] for row in rows], ["none", "range:0,1"])
        weights = "{setosa=2,versicolor=3}"
        self.assertEqual([row["class-weight"] for row in tried("class-weight=balanced," + weights)],
                         ["balanced", weights[1:-1]])  # fmt: skip
        kernels = "linear,poly(degree=2, coef0=1)"
        self.assertEqual(len(tried("kernel=" + kernels)), 2)
        report = self.json_of(*words, "--grid", "scale={range:0,1}", "-o", "m.mm")
        self.assertEqual(report["options"]["chosen"], "scale={range:0,1}")
        self.assertEqual(report["options"]["scale"], "range:0,1")
        for grid, problem in (("scale={range:0,1", "bracket"), ("c=1;C=2", '"C" is given twice'),
                              ("scale=range:0,1", "--scale range:0: must be")):  # fmt: skip
            self.assertIn(problem, self.run_tool(*words, "--grid", grid, code=1).stderr)

    def test_learners_that_cannot_be_tuned_are_said_so(self):
        done = self.run_tool("tune", "x", "--learner", "kmeans", "--grid", "C=1,2", code=1)
        self.assertIn("--learner kmeans: belongs to cluster", done.stderr)

    def test_searches_that_try_less(self):
        few = self.json_of(*GRID, "--search", "random:4")
        self.assertEqual(len(few["table"]), 4)
        words = ["tune", "builtin:gaussians,n=400", *GRID[2:]]
        halving = self.json_of(*words, "--search", "halving")
        self.assertLess(min(row["train_share"] for row in halving["table"]), 1)

    def test_one_standard_error_takes_the_first_point_near_the_best(self):
        best = self.json_of(*GRID)["table"]
        near = self.json_of(*GRID, "--one-se")["table"]

        def chosen(rows):
            return next(i for i, row in enumerate(rows) if row["chosen"])

        self.assertLessEqual(chosen(near), chosen(best))

    def test_other_learners_and_metrics(self):
        for words in (
            ["--learner", "linear-svc", "--grid", "C=10,0.1,1", "--metric", "macro_f1"],
            ["--learner", "nu-svc", "--grid", "nu=0.1,0.3;kernel=linear,rbf"],
            ["--learner", "svc", "--grid", "scale=none,standard;C=1,10", "--folds", 3],
        ):
            with self.subTest(words):
                self.assertIsNotNone(self.json_of("tune", "builtin:iris", *words)["options"])

    def test_options_are_those_of_the_chosen_point_without_a_model_too(self):
        alone = self.json_of(*GRID)
        written = self.json_of(*GRID, "-o", "m.mm")
        self.assertEqual(alone["options"], written["options"])

    def test_learners_without_a_hard_margin_refuse_an_infinite_cost(self):
        words = ["tune", "builtin:iris", "--grid", "C=1,inf", "--learner"]
        self.assertIn("C inf", self.run_tool(*words, "linear-svc", code=1).stderr)
        table = self.json_of(*words, "svc", "--kernel", "rbf", "--gamma", 100)["table"]
        self.assertEqual([row["C"] for row in table], [1, "inf"])

    def test_listing_goes_to_standard_output_and_nothing_is_written_without_o(self):
        done = self.run_tool(*GRID)
        self.assertIn("C=10;gamma=0.1", done.stdout)
        self.assertEqual(self.files(), [])

    def test_axes_of_several_grids_add_up(self):
        words = ("tune", "builtin:iris", "--learner", "svc", "--seed", 3)
        together = self.run_tool(*words, "--grid", "C=1,10;gamma=0.1,1", "--quiet").stdout
        apart = self.run_tool(*words, "--grid", "C=1,10", "--grid", "gamma=0.1,1", "--quiet").stdout
        self.assertEqual(apart, together)
        done = self.run_tool(*words, "--grid", "C=1,10", "--grid", "C=2", code=1)
        self.assertIn("given twice", done.stderr)
        self.assertIn("Try maxmargin tune --learner svc --help.", done.stderr)

    def test_wrong_usage(self):
        words = ["tune", "builtin:iris", "--learner", "svc"]
        for extra in (
            [],
            ["--grid", "C"],
            ["--grid", "C=1,1.0"],
            ["--grid", "cc=1,2"],
            ["--grid", "C=0,1"],
            ["--grid", "gamma=0,1"],
            ["--grid", "C=1,2", "-C", 1],
            ["--grid", "C=1,2", "--search", "wild"],
            ["--grid", "C=1,2", "--search", "random:0"],
            ["--grid", "C=1,2", "--metric", "mse"],
            ["--grid", "C=1,2", "--folds", 1],
        ):
            with self.subTest(extra):
                done = self.run_tool(*words, *extra, "-o", "m.mm", code=1)
                self.assertEqual(self.files(), [])
                self.assertRegex(done.stderr, "maxmargin: --?[A-Za-z-]+")

    def test_a_measure_that_no_fold_has_is_an_error(self):
        # States without names have no accuracy.
        hidden = ["builtin:weather", "--learner", "hmm", "--label", "none", "--states", 2, "--folds", 2]
        for words in (["tune", *hidden, "--grid", "smoothing=0,1", "-o", "tu.mm", "--table", "t.csv"],
                      ["train", *hidden]):  # fmt: skip
            done = self.run_tool(*words, code=1)
            self.assertIn("no fold has the measure accuracy", done.stderr)
        self.assertEqual(self.files(), [])

    def test_points_are_compared_by_one_measure(self):
        rows = "".join(f"{i % 3} qid:{i // 6} 1:{i % 5} 2:{i % 3}\n" for i in range(36))
        common = ["tune", self.write("q.svm", rows), "--learner", "rank", "--loss", "precision-at-k", "--folds", 2]
        for metric, axis, code in (("map", "relevant-from=1,2", 1), ("ndcg_at", "k=1,2", 1),
                                   ("recall_at", "relevant-from=1,2", 1), ("precision_at", "C=1;k=1,2", 1),
                                   ("map", "k=1,2", 0), ("ndcg_at", "relevant-from=1,2", 0)):  # fmt: skip
            with self.subTest(metric=metric, axis=axis):
                done = self.run_tool(*common, "--metric", metric, "--grid", axis, code=code)
                if code:
                    self.assertIn(f"says what {metric} measures", done.stderr)

    def test_verify_needs_a_model(self):
        done = self.run_tool(*GRID, "--verify", code=1)
        self.assertIn("--verify: needs -o", done.stderr)
        self.assertIs(self.json_of(*GRID, "--verify", "-o", "m.mm")["verified"], True)

    def test_verify_asks_the_learner_that_the_grid_led_to(self):
        report = self.json_of("tune", "builtin:iris", "--learner", "svc", "--grid",
                              "multiclass=direct;C=1", "--verify", "-o", "m.mm")  # fmt: skip
        self.assertEqual(report["learner"], "cs-svc")
        self.assertIs(report["verified"], True)

    def test_a_metric_of_probabilities_wants_them_at_every_point(self):
        words = ["tune", "builtin:iris,positive=setosa", "--learner", "svc", "--folds", 2,
                 "--metric", "log_loss", "--grid"]  # fmt: skip
        report = self.json_of(*words, "probabilities=platt,isotonic")
        self.assertEqual([row["probabilities"] for row in report["table"]], ["platt", "isotonic"])
        self.assertTrue(all(row["log_loss"] > 0 for row in report["table"]))
        for grid in ("C=1,2", "probabilities=platt,false"):
            done = self.run_tool(*words, grid, code=1)
            self.assertIn("--metric log_loss: is of probabilities, which --probabilities alone",
                          done.stderr)  # fmt: skip

    def test_a_time_limit_keeps_the_table_and_writes_no_model(self):
        report = self.json_of(
            "tune", "builtin:checkers,n=20000", "--learner", "svc", "--grid",
            "C=100,1000;gamma=10,50", "-o", "m.mm", "--time-limit", 1, code=2,
        )  # fmt: skip
        self.assertEqual(report["status"], "time_limit")
        self.assertEqual(len(report["table"]), 4)
        self.assertEqual(self.files(), [])
