# SPDX-License-Identifier: Apache-2.0
"""Learners for data with outliers, as a user meets them."""

from tool import ToolTest

# Golden example R of the specification: the last row is the outlier.
GOLDEN = "".join(
    f"{x},{y},{label}\n"
    for x, y, label in [
        (1, 0.5, 1), (2, 0, 1), (1.5, -0.5, 1), (-1, 0, -1), (-2, 0.5, -1), (-1.5, -0.5, -1),
        (-6, 1, 1),
    ]  # fmt: skip
)
RING = "builtin:ring-outliers,n=50,outliers=10,radius=75,seed=3"
CLEAN = "builtin:ring-outliers,n=1000,outliers=0,seed=4"
LINEAR = ["--kernel", "linear", "--no-bias"]
LEARNERS = {
    "ramp-svc": [],
    "linear-ramp-svc": [],
    "trimmed-svc": ["--rho", "0.8"],
    "centroid-svc": [],
    "loo-svc": ["-C", "5"],
}


def comparable(report):
    report = dict(report, options=dict(report["options"]))
    report.pop("seconds")
    report["options"].pop("threads")
    return report


class Robust(ToolTest):
    def train(self, data, learner, *words, code=0):
        return self.json_of("train", data, "--learner", learner, *words, "-o", "m.mm", code=code)

    def test_the_golden_outlier_is_named(self):
        self.write("golden.csv", GOLDEN)
        for solver in ("cccp", "alternating"):
            report = self.train("golden.csv", "ramp-svc", *LINEAR, "--tolerance", "1e-8",
                                "--solver", solver, "--verify")  # fmt: skip
            self.assertEqual(report["status"], "local_optimum")
            self.assertAlmostEqual(report["primal_objective"], 1.5, places=6)
            self.assertIsNone(report["dual_objective"])
            self.assertGreater(report["lower_bound"], 0)
            self.assertLessEqual(report["lower_bound"], 1.5)
            self.assertEqual(report["metrics"]["outliers"], 1)
            self.assertEqual([row["row"] for row in report["outliers"]], [6])
            self.assertEqual(report["outliers"][0]["eta"], 0)
            self.assertLess(report["outliers"][0]["margin"], 0)
            self.assertTrue(report["verified"])

    def test_rho_one_is_the_plain_machine(self):
        self.write("golden.csv", GOLDEN)
        report = self.train("golden.csv", "trimmed-svc", *LINEAR, "--rho", 1, "--tolerance", 1e-8)
        self.assertAlmostEqual(report["primal_objective"], 5.25, places=6)
        self.assertEqual(report["metrics"]["outliers"], 0)
        self.assertNotIn("outliers", report)

    def test_models_are_models_like_any_other(self):
        for learner, words in LEARNERS.items():
            with self.subTest(learner=learner):
                report = self.train("builtin:iris", learner, *words, "--verify",
                                    "--class-weight", "balanced")  # fmt: skip
                is_search = learner not in ("centroid-svc", "loo-svc")
                self.assertEqual(report["status"], "local_optimum" if is_search else "solved")
                self.assertTrue(report["verified"])
                self.assertGreater(report["metrics"]["accuracy"], 0.6)
                self.run_tool("predict", "m.mm", "builtin:iris", "-o", "labels.txt")
                self.assertEqual(len((self.folder / "labels.txt").read_text().split()), 150)
                self.run_tool("info", "m.mm")
                again = self.json_of("info", "m.mm", "--verify", "builtin:iris")
                self.assertTrue(again["verified"])

    def test_reports_do_not_depend_on_threads(self):
        for learner, words in LEARNERS.items():
            one = self.train("builtin:iris", learner, *words, "--threads", 1)
            model = (self.folder / "m.mm").read_bytes()
            two = self.train("builtin:iris", learner, *words, "--threads", 2)
            self.assertEqual(comparable(one), comparable(two))
            self.assertEqual(model, (self.folder / "m.mm").read_bytes())

    def test_far_outliers_do_not_turn_it(self):
        errors = {"svc": 0, "ramp-svc": 0}
        for seed in range(1, 6):
            for learner in errors:
                self.train(RING.replace("seed=3", f"seed={seed}"), learner, *LINEAR)
                found = self.json_of("predict", "m.mm", CLEAN, "-o", "labels.txt")
                errors[learner] += found["metrics"]["error"]
        self.assertLess(3 * errors["ramp-svc"], errors["svc"])

    def test_folds_and_tuning(self):
        report = self.json_of("train", RING, "--learner", "ramp-svc", *LINEAR, "--folds", 3)
        self.assertIn("accuracy", report["metrics"])
        report = self.json_of("tune", RING, "--learner", "trimmed-svc", *LINEAR, "--folds", 3,
                              "--grid", "C=0.1,1;rho=0.7,0.9", "-o", "t.mm")  # fmt: skip
        self.assertIn(report["options"]["rho"], (0.7, 0.9))

    def test_several_classes_at_once(self):
        for kernel in ("linear", "rbf"):
            report = self.train("builtin:iris", "ramp-svc", "--multiclass", "direct", "--verify",
                                "--kernel", kernel, "--restarts", 2)  # fmt: skip
            self.assertEqual(report["options"]["solver"], "alternating")
            self.assertGreater(report["metrics"]["accuracy"], 0.9)
            self.assertGreater(report["lower_bound"], 0)
            self.assertTrue(report["verified"])
            self.assertTrue(self.json_of("info", "m.mm", "--verify", "builtin:iris")["verified"])

    def test_wrong_use_is_refused(self):
        cases = [
            ("ramp-svc", ["--ramp", 1], "--ramp 1"),
            ("ramp-svc", ["--ramp", "low"], "--ramp low"),
            ("ramp-svc", ["-C", "inf"], "-C inf"),
            ("ramp-svc", ["--rho", 0.5], "--rho"),
            ("ramp-svc", ["--solver", "smo"], "--solver"),
            ("ramp-svc", ["--restarts", 0], "--restarts"),
            ("ramp-svc", ["--multiclass", "direct", "--solver", "cccp"], "--solver"),
            ("ramp-svc", ["--kernel", "sigmoid"], "sigmoid"),
            ("ramp-svc", ["--multiclass", "direct", "--kernel", "sigmoid", "--allow-indefinite"],
             "--multiclass direct"),
            ("trimmed-svc", ["--rho", 0], "--rho 0"),
            ("trimmed-svc", ["--rho", 1.5], "--rho 1.5"),
            ("centroid-svc", ["--lambda", -1], "--lambda -1"),
            ("loo-svc", ["--lambda", "nan"], "--lambda nan"),
            ("loo-svc", ["--restarts", 3], "--restarts"),
            ("svc", ["--lambda", 1], "--lambda"),
        ]
        for learner, words, named in cases:
            with self.subTest(learner=learner, words=words):
                done = self.run_tool("train", "builtin:iris", "--learner", learner, *words,
                                     "-o", "m.mm", code=1)  # fmt: skip
                self.assertIn(named, done.stderr)
                self.assertNotIn("m.mm", self.files())

    def test_a_time_limit_leaves_a_model(self):
        report = self.train("builtin:gaussians,n=6000,seed=1", "ramp-svc", "-C", 1e5, "--gamma", 4,
                            "--tolerance", 1e-10, "--time-limit", 0.3, code=2)  # fmt: skip
        self.assertEqual(report["status"], "time_limit")
        self.run_tool("predict", "m.mm", "builtin:gaussians,n=100,seed=2", "-o", "labels.txt")

    def test_weights_of_examples_count(self):
        self.write("golden.csv", GOLDEN)
        self.write("weights.txt", "1\n1\n1\n1\n1\n1\n0\n")
        report = self.train("golden.csv", "ramp-svc", *LINEAR, "--weight", "weights.txt",
                            "--tolerance", "1e-8")  # fmt: skip
        self.assertAlmostEqual(report["primal_objective"], 0.5, places=6)
        self.assertEqual(report["metrics"]["outliers"], 0)
