# SPDX-License-Identifier: Apache-2.0
"""robust-svc and outlier-svc, the relaxations for data with outliers, as a user meets them."""

import json

from tool import ToolTest

# Golden example R of the specification: the last row is the outlier.
GOLDEN = "".join(
    f"{x},{y},{label}\n"
    for x, y, label in [
        (1, 0.5, 1), (2, 0, 1), (1.5, -0.5, 1), (-1, 0, -1), (-2, 0.5, -1), (-1.5, -0.5, -1),
        (-6, 1, 1),
    ]  # fmt: skip
)
RING = "builtin:ring-outliers,n=50,outliers=10,radius=55,seed=3"
SMALL = "builtin:gaussians,n=24,seed=2"
LINEAR = ["--kernel", "linear", "--bias", "none"]
LEARNERS = {"robust-svc": [], "outlier-svc": ["--rho", "0.8"]}


def comparable(report):
    report = dict(report, options=dict(report["options"]))
    report.pop("seconds")
    report["options"].pop("threads")
    return report


class RobustSdp(ToolTest):
    def train(self, data, learner, *words, code=0):
        return self.json_of("train", data, "--learner", learner, *words, "-o", "m.mm", code=code)

    def golden(self, learner, *words):
        self.write("golden.csv", GOLDEN)
        return self.train("golden.csv", learner, *LINEAR, "--tolerance", "1e-6", "--verify", *words)

    def check_relaxation(self, report):
        relaxation = report["relaxation"]
        self.assertEqual(report["lower_bound"], relaxation["lower_bound"])
        self.assertAlmostEqual(report["gap"], report["primal_objective"] - report["lower_bound"])
        self.assertLessEqual(relaxation["lower_bound"], relaxation["value"] * (1 + 1e-9))
        self.assertIsNone(report["dual_objective"])
        self.assertIn(relaxation["bound"], ("certified", "vacuous"))
        self.assertGreaterEqual(relaxation["roundings"], 1)
        self.assertTrue(relaxation["winner"])

    def test_golden_values_of_the_robust_hinge(self):
        report = self.golden("robust-svc")
        self.assertEqual(report["status"], "local_optimum")
        self.assertEqual(report["relaxation"]["status"], "solved")
        self.assertTrue(report["verified"])
        self.check_relaxation(report)
        self.assertAlmostEqual(report["relaxation"]["value"], 1.273492707, places=4)
        self.assertAlmostEqual(report["primal_objective"], 1.5, places=4)
        (outlier,) = report["outliers"]
        self.assertEqual((outlier["row"], outlier["eta"]), (6, 0))
        self.assertAlmostEqual(outlier["relaxed_eta"], 0.5636, places=2)
        self.assertLess(outlier["margin"], 0)

    def test_golden_values_of_outlier_detection(self):
        for rho, relaxed, exact in [("0.857142857142857", 0.427174464, 0.5),
                                    ("0.714285714285714", 0.226813387, 0.4)]:  # fmt: skip
            report = self.golden("outlier-svc", "--rho", rho)
            self.assertTrue(report["verified"])
            self.check_relaxation(report)
            self.assertAlmostEqual(report["relaxation"]["value"], relaxed, places=4)
            self.assertAlmostEqual(report["primal_objective"], exact, places=4)
            self.assertEqual(report["options"]["rho_rule"], "given")

    def test_rho_one_is_the_plain_machine(self):
        report = self.golden("outlier-svc", "--rho", 1)
        self.assertTrue(report["verified"])
        self.assertAlmostEqual(report["primal_objective"], 5.25, places=4)
        self.assertAlmostEqual(report["lower_bound"], 5.25, places=4)
        self.assertEqual(report["metrics"]["outliers"], 0)

    def test_rho_is_chosen_at_the_phase_transition(self):
        report = self.golden("outlier-svc", "--rho", "auto")
        self.assertEqual(report["options"]["rho_rule"], "auto")
        self.assertTrue(0.5 < report["options"]["rho"] <= 5 / 7)
        self.assertTrue(report["verified"])
        self.assertIn("--rho auto", " ".join(report["warnings"]))
        # The default tolerance of the machine does not change the choice.
        rough = self.train("golden.csv", "outlier-svc", *LINEAR, "--rho", "auto")
        self.assertEqual(rough["options"]["rho"], report["options"]["rho"])
        # Relaxations that are not solved are named.
        cut = self.train("golden.csv", "outlier-svc", *LINEAR, "--rho", "auto",
                         "--max-iterations", 1, code=2)  # fmt: skip
        self.assertIn("rests on relaxations", " ".join(cut["warnings"]))

    def test_models_are_models_like_any_other(self):
        for learner, words in LEARNERS.items():
            for bias in ("center", "constant", "none"):
                with self.subTest(learner=learner, bias=bias):
                    report = self.train(SMALL, learner, *words, "--bias", bias, "--verify")
                    is_closed = report["relative_gap"] <= report["options"]["tolerance"]
                    self.assertEqual(report["status"], "solved" if is_closed else "local_optimum")
                    self.assertEqual(report["relaxation"]["status"], "solved")
                    self.assertTrue(report["verified"])
                    self.check_relaxation(report)
                    self.assertGreater(report["metrics"]["accuracy"], 0.8)
                    self.run_tool("predict", "m.mm", SMALL, "-o", "labels.txt")
                    self.assertEqual(len((self.folder / "labels.txt").read_text().split()), 24)
                    self.run_tool("info", "m.mm")
                    again = self.json_of("info", "m.mm", "--verify", SMALL)
                    self.assertTrue(again["verified"])

    def test_a_changed_model_is_not_verified(self):
        self.train(SMALL, "robust-svc", "--verify")
        other = SMALL.replace("seed=2", "seed=9")
        self.assertFalse(self.json_of("info", "m.mm", "--verify", other, code=3)["verified"])

    def test_scaled_and_precomputed_data(self):
        report = self.train(SMALL, "robust-svc", "--scale", "standard", "--verify")
        self.assertTrue(report["verified"])
        self.write("k.csv", "2,1,0\n1,2,0\n0,0,1\n")
        self.write("y.txt", "1\n1\n-1\n")
        report = self.train("k.csv", "robust-svc", "--kernel", "precomputed", "--labels", "y.txt",
                            "--label", "none", "--verify")  # fmt: skip
        self.assertTrue(report["verified"])

    def test_several_classes(self):
        report = self.train("builtin:iris", "outlier-svc", "--verify", "--rho", "0.95")
        self.assertEqual(report["status"], "local_optimum")
        self.assertEqual(report["relaxation"]["status"], "solved")
        self.assertTrue(report["verified"])
        self.assertGreater(report["metrics"]["accuracy"], 0.9)
        self.assertEqual(len(report["relaxation"]["winner"].split(";")), 3)

    def test_every_row_has_a_relaxed_eta(self):
        report = self.golden("outlier-svc", "--rho", "0.857142857142857", "--weights-output", "w.csv")
        lines = (self.folder / "w.csv").read_text().splitlines()
        self.assertEqual(lines[0], "row,function,relaxed_eta")
        rows = [line.split(",") for line in lines[1:]]
        self.assertEqual([(row[0], row[1]) for row in rows], [(str(i), "0") for i in range(7)])
        eta = [float(row[2]) for row in rows]
        self.assertGreaterEqual(sum(eta), 6 - 1e-3)
        for outlier in report["outliers"]:
            self.assertEqual(eta[outlier["row"]], outlier["relaxed_eta"])
        # Each of the functions of three classes sees two of them.
        self.train("builtin:iris", "robust-svc", "--tolerance", 1e-2, "--weights-output", "w.csv")
        self.assertEqual(len((self.folder / "w.csv").read_text().splitlines()), 1 + 3 * 100)
        for words in (["--learner", "ramp-svc"], ["--learner", "robust-svc", "--folds", 3]):
            target = [] if "--folds" in words else ["-o", "x.mm"]
            done = self.run_tool("train", SMALL, *words, *target, "--weights-output", "x.csv", code=1)
            self.assertIn("--weights-output", done.stderr)
            self.assertNotIn("x.csv", self.files())

    def test_folds_and_tuning(self):
        report = self.json_of("train", RING, "--learner", "robust-svc", *LINEAR, "--folds", 3)
        self.assertIn("accuracy", report["metrics"])
        report = self.json_of("tune", SMALL, "--learner", "outlier-svc", "--folds", 3,
                              "--grid", "rho=0.8,0.95,auto", "-o", "t.mm")  # fmt: skip
        self.assertEqual(report["learner"], "outlier-svc")
        self.assertEqual([row["rho"] for row in report["table"]], [0.8, 0.95, "auto"])
        (chosen,) = [row["rho"] for row in report["table"] if row["chosen"]]
        self.assertEqual(report["options"]["rho_rule"], "auto" if chosen == "auto" else "given")
        if chosen != "auto":
            self.assertEqual(report["options"]["rho"], chosen)

    def test_reports_do_not_depend_on_threads(self):
        # Three functions of 100 rows each, trained side by side.
        for learner, words in LEARNERS.items():
            one = self.train("builtin:iris", learner, *words, "--threads", 1)
            model = (self.folder / "m.mm").read_bytes()
            two = self.train("builtin:iris", learner, *words, "--threads", 2)
            self.assertEqual(comparable(one), comparable(two))
            self.assertEqual(model, (self.folder / "m.mm").read_bytes())

    def test_wrong_use_is_refused(self):
        self.write("one.csv", "1,2,1\n2,1,1\n")
        self.write("k.csv", "0,1\n1,0\n")
        self.write("y.txt", "1\n-1\n")
        self.write("weights.txt", "".join(f"{1 + i % 2}\n" for i in range(24)))
        precomputed = ["--kernel", "precomputed", "--labels", "y.txt", "--label", "none"]
        cases = [
            (SMALL, "outlier-svc", ["--rho", 0], "--rho 0"),
            (SMALL, "outlier-svc", ["--rho", 1.5], "--rho 1.5"),
            (SMALL, "outlier-svc", ["--rho", "some"], "--rho some"),
            (SMALL, "robust-svc", ["--rho", 0.5], "--rho"),
            (SMALL, "robust-svc", ["-C", "inf"], "-C inf"),
            (SMALL, "robust-svc", ["--bias", "free"], "--bias"),
            (SMALL, "robust-svc", ["--no-bias"], "--no-bias"),
            (SMALL, "robust-svc", ["--kernel", "sigmoid"], "sigmoid"),
            (SMALL, "robust-svc", ["--multiclass", "direct"], "--multiclass"),
            (SMALL, "robust-svc", ["--memory-limit", "10K"], "ramp-svc"),
            (SMALL, "outlier-svc", ["--memory-limit", "10K"], "trimmed-svc"),
            (SMALL, "robust-svc", ["--weight", "weights.txt"], "equal weight"),
            ("one.csv", "robust-svc", [], "class"),
            ("k.csv", "robust-svc", precomputed, "positive semidefinite"),
            (SMALL, "svc", ["--bias", "none"], "--bias"),
        ]
        for data, learner, words, named in cases:
            with self.subTest(learner=learner, words=words):
                done = self.run_tool("train", data, "--learner", learner, *words, "-o", "bad.mm",
                                     code=1)  # fmt: skip
                self.assertIn(named, done.stderr)
                self.assertNotIn("bad.mm", self.files())

    def test_a_time_limit_leaves_a_model(self):
        report = self.train("builtin:gaussians,n=400,seed=1", "robust-svc", "--tolerance", 1e-9,
                            "--time-limit", 0.2, code=2)  # fmt: skip
        self.assertEqual(report["status"], "time_limit")
        self.assertLessEqual(report["lower_bound"], report["primal_objective"])
        self.run_tool("predict", "m.mm", SMALL, "-o", "labels.txt")

    def test_the_report_is_json_with_the_relaxation(self):
        self.run_tool("train", SMALL, "--learner", "robust-svc", "-o", "m.mm", "--json", "r.json")
        report = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(
            list(report["relaxation"]),
            ["value", "lower_bound", "relative_gap", "rank", "roundings", "winner", "bound",
             "status"],
        )
