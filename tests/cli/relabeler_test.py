# SPDX-License-Identifier: Apache-2.0
"""The relabeler and the property files of kernlib."""

from tool import ToolTest

IRIS = ["cluster", "builtin:iris", "--method", "relabeler", "-k", "2", "--kernel", "rbf",
        "--gamma", "0.125", "-C", "1.5", "--restarts", "40"]  # fmt: skip

# The example of Merat's thesis (M:1454-1482) with its typing errors put right.
KERNLIB = """\
# SVM engine configuration
engine = SMO
cval = 1.5
epsilon = 0.001
tolerance = 0.001
maxiter = 1000
random.seed = 1213654164793

# Data configuration
data.train.type = SINGLE_DNA_TRAIN
data.train.file = hairpin/8GC9GC.train
data.test.type = SINGLE_DNA_TEST
data.test.file = hairpin/8GC9GC.test

# Kernel configuration
class = ABSDIFF
sigma = 2

# SVM-Relabeler parameters
relabeler.proc = SYM_PERC_REL_PROC
relabeler.maxiter = 30
relabeler.relfactor=0.15
relabeler.sa.temp.proc = EXP_COOL
relabeler.sa.temp.init = 6.0
relabeler.sa.maxiter = 10.0
"""


def comparable(report):
    """A report without what may differ between runs."""
    report = dict(report, options=dict(report["options"]))
    report.pop("seconds")
    report["options"].pop("threads")
    return report


class Relabeler(ToolTest):
    def test_iris_is_setosa_against_the_rest(self):
        for seed in range(1, 21):
            report = self.json_of(*IRIS, "--seed", seed, "-o", "labels.txt")
            self.assertEqual(report["status"], "local_optimum")
            self.assertEqual(round(report["metrics"]["kernel_sse"], 6), 28.558999)
            self.assertEqual(round(report["metrics"]["purity"], 4), 0.6667)
            self.assertEqual(report["metrics"]["training_error"], 0)
            self.assertLess(report["metrics"]["p_value"], 1e-6)
            labels = (self.folder / "labels.txt").read_text().split()
            self.assertEqual((labels.count("0"), labels.count("1")), (100, 50))
            done = self.json_of("eval", "builtin:iris,positive=setosa", "labels.txt",
                                "--metric", "misassignment")  # fmt: skip
            self.assertEqual(done["metrics"]["misassignment"], 0)

    def test_model_predicts_its_own_clusters(self):
        for k, extra in ((2, []), (3, []), (3, ["--multiclass", "direct"])):
            words = ["cluster", "builtin:iris", "--method", "relabeler", "-k", k,
                     "--gamma", "0.125", "-C", "1.5", "--restarts", "20", *extra]  # fmt: skip
            labels = self.run_tool(*words, "--model", "m.mm").stdout
            self.assertEqual(self.run_tool("predict", "m.mm", "builtin:iris").stdout, labels)
            self.assertIn("relabeler", self.run_tool("info", "m.mm").stdout)

    def test_verify_agrees(self):
        self.assertIs(self.json_of(*IRIS, "--verify")["verified"], True)

    def test_same_report_and_model_for_any_number_of_threads(self):
        reports, models = [], []
        for threads in (1, 2):
            words = [*IRIS[:-1], "8", "--threads", threads, "--model", "m.mm"]
            reports.append(comparable(self.json_of(*words)))
            models.append((self.folder / "m.mm").read_bytes())
        self.assertEqual(reports[0], reports[1])
        self.assertEqual(models[0], models[1])

    def test_chains_and_engines_run(self):
        for extra in (
            ["--anneal", "--anneal-steps", 3, "--temperature", 6, "--perturb-law", "stall"],
            ["--anneal", "--anneal-steps", 3, "--cooling-schedule", "linear"],
            ["--perturb", 0.2, "--anneal-steps", 3],
        ):
            report = self.json_of(*IRIS[:-1], "2", *extra)
            self.assertEqual(report["metrics"]["runs"], 8)
        report = self.json_of("cluster", "builtin:iris", "--method", "relabeler", "-k", 2,
                              "--gamma", 0.125, "--engine", "nu-svc", "--nu", 0.3)  # fmt: skip
        self.assertEqual(report["options"]["engine"], "nu-svc")

    def test_collapse_is_said(self):
        done = self.run_tool("cluster", "builtin:iris", "--method", "relabeler", "-k", 2,
                             "--gamma", 0.125, "-C", 0.001, code=2)  # fmt: skip
        self.assertIn("no run was accepted", done.stderr)

    def test_wrong_options_are_refused(self):
        for words, said in (
            (["--nu", 0.3], "--nu"),
            (["--engine", "nu-svc"], "-C"),
            (["--engine", "smo"], "--engine"),
            (["--temperature", 5], "--anneal"),
            (["--anneal", "--cooling", 1.5], "--cooling"),
            (["--relabel-fraction", 0], "--relabel-fraction"),
            (["--p-value", 2], "--p-value"),
            (["--multiclass", "ovo"], "--multiclass"),
            (["--min-cluster", 0], "--min-cluster"),
            (["--perturb-law", "linear"], "--perturb-law"),
        ):
            with self.subTest(words):
                self.assertIn(said, self.run_tool(*IRIS, *words, code=1).stderr)
        done = self.run_tool("cluster", "builtin:iris", "-k", 2, "--anneal", code=1)
        self.assertIn("--anneal", done.stderr)

    def test_degenerate_data(self):
        self.write("one.csv", "a,b\n1,2\n")
        words = ["--method", "relabeler", "--quiet"]
        self.assertEqual(self.run_tool("cluster", "one.csv", "-k", 1, *words).stdout, "0\n")
        self.write("equal.csv", "a,b\n1,2\n1,2\n1,2\n")
        self.assertEqual(
            self.run_tool("cluster", "equal.csv", "-k", 1, *words).stdout, "0\n0\n0\n"
        )
        done = self.run_tool("cluster", "equal.csv", "-k", 2, *words, code=1)
        self.assertIn("distinct", done.stderr)


class PropertyFile(ToolTest):
    def setUp(self):
        super().setUp()
        (self.folder / "run").mkdir()
        (self.folder / "run" / "hairpin").mkdir()
        # The thesis' data is not public: Iris takes its place.
        self.run_tool("convert", "builtin:iris", "run/hairpin/8GC9GC.train", "--to", "csv")

    def configured(self, text, *words, code=0):
        self.write("run/iris.properties", text)
        return self.run_tool("cluster", "--config", "run/iris.properties", *words, code=code)

    def report(self, text, *words):
        self.write("run/iris.properties", text)
        return self.json_of("cluster", "--config", "run/iris.properties", *words)

    # seed-merat fact 63
    def test_example_of_the_thesis_runs_and_repeats(self):
        report = self.report(KERNLIB)
        options = report["options"]
        self.assertEqual(report["method"], "relabeler")
        for name, value in {
            "k": 2, "kernel": "absdiff", "gamma": 0.125, "engine": "svc", "C": 1.5,
            "tolerance": 0.001, "relabel_fraction": 0.15, "max_iterations": 30,
            "search": "annealing", "temperature": 6, "cooling": 0.96, "anneal_steps": 10,
            "cooling_schedule": "geometric", "seed": 1213654164793,
        }.items():  # fmt: skip
            self.assertEqual(options[name], value, name)
        # The table of golden values: setosa | rest under Absdiff, sigma = 2.
        self.assertEqual(round(report["metrics"]["kernel_sse"], 6), 22.956488)
        self.assertAlmostEqual(report["metrics"]["svm_objective"] / 11.32919212, 1, delta=1e-3)
        self.assertEqual(round(report["metrics"]["purity"], 4), 0.6667)
        for key in ("epsilon", "maxiter", "data.test.file"):
            self.assertTrue(any(key in warning for warning in report["warnings"]), key)
        self.assertEqual(comparable(self.report(KERNLIB)), comparable(report))

    def test_the_largest_seed_is_taken(self):
        largest = KERNLIB.replace("1213654164793", "18446744073709551615")
        self.assertEqual(self.report(largest)["options"]["seed"], "18446744073709551615")
        for seed in ("18446744073709551616", "-1", "0.5"):
            done = self.configured(KERNLIB.replace("1213654164793", seed), code=1)
            self.assertIn(f"random.seed = {seed}: must be a whole number >= 0", done.stderr)

    def test_both_spellings_of_the_procedure_are_one(self):
        quick = KERNLIB.replace("sa.maxiter = 10.0", "sa.maxiter = 1\nrelabeler.restarts = 2")
        other = quick.replace("SYM_PERC_REL_PROC", "SYM_PERC_RELPROC")
        self.assertEqual(self.configured(quick).stdout, self.configured(other).stdout)

    def test_keys_that_kernlib_lacks(self):
        options = self.report(
            "svm.C = 1.5\nkernel.class = GAUSSIAN\nkernel.sigma = 2\n"
            "data.train.file = builtin:iris\nrelabeler.clusters = 2\nrelabeler.restarts = 2\n"
            "relabeler.mincluster = 3\nrelabeler.sa.maxiter = 2\nrelabeler.sa.temp.rate = 0.9\n"
            "relabeler.sa.pert.proc = STALL_PERT\nrelabeler.sa.pert.prob = 0.2\n"
        )["options"]
        for name, value in {
            "kernel": "rbf", "gamma": 0.125, "C": 1.5, "restarts": 2, "min_cluster": 3,
            "cooling": 0.9, "perturb_law": "stall", "perturb": 0.2, "data": "builtin:iris",
        }.items():  # fmt: skip
            self.assertEqual(options[name], value, name)

    def test_the_call_wins_over_the_file(self):
        text = "cval = 1.5\nsigma = 2\nrelabeler.restarts = 3\ndata.train.file = no-such-file\n"
        self.write("run/iris.properties", text)
        options = self.json_of("cluster", "builtin:iris", "--config", "run/iris.properties",
                               "-C", 2, "--gamma", 0.25)["options"]  # fmt: skip
        self.assertEqual((options["C"], options["gamma"], options["restarts"]), (2, 0.25, 3))

    def test_what_the_call_chose_leaves_the_file_s_other_values_out(self):
        text = ("cval = 1.5\nsigma = 2\nrelabeler.restarts = 2\n"
                "data.train.file = hairpin/8GC9GC.train\ndata.train.type = csv\n")  # fmt: skip
        report = self.report(text, "--engine", "nu-svc", "--nu", 0.6)
        self.assertEqual((report["options"]["engine"], report["options"]["nu"]), ("nu-svc", 0.6))
        self.assertTrue(any("cval: without effect" in w for w in report["warnings"]))
        report = self.report(text, "--kernel", "linear")
        self.assertEqual(report["options"]["kernel"], "linear")
        self.assertTrue(any("sigma: without effect" in w for w in report["warnings"]))
        report = self.report(text.replace("cval = 1.5", "nu = 0.5\nengine = NU_SMO"),
                             "--engine", "svc", "-C", 1.5)  # fmt: skip
        self.assertEqual((report["options"]["engine"], report["options"]["C"]), ("svc", 1.5))
        # The file's type is of the file's data.
        self.write("run/iris.properties", text)
        self.run_tool("convert", "builtin:iris", "other.svm", "--to", "svmlight")
        report = self.json_of("cluster", "other.svm", "--config", "run/iris.properties")
        self.assertEqual(report["options"]["data"], "other.svm")

    def test_wrong_files_are_refused_with_the_line(self):
        for text, said in (
            (KERNLIB.replace("cval", "cvall"), "iris.properties:3: unknown key cvall; did you mean cval?"),
            (KERNLIB + "cval = 2\n", "iris.properties:26: the key cval is there already, in line 3"),
            (KERNLIB + "svm.C = 2\n", "iris.properties:26: the key svm.C means cval"),
            (KERNLIB.replace("data.train", "data.test"), "iris.properties:12: the key data.test.type"),
            (KERNLIB.replace("ABSDIFF", "ABSDIF"), "did you mean ABSDIFF?"),
            (KERNLIB.replace("cval = 1.5", "cval = -1"), "cval = -1: must be a number > 0"),
            (KERNLIB.replace("maxiter = 30", "maxiter = 1.5"), "must be a whole number"),
            (KERNLIB.replace("class = ABSDIFF", "class = LINEAR"), "has no width"),
            (KERNLIB + "nu = 0.5\n", "iris.properties:26: nu: the engine svc takes cval"),
            (KERNLIB.replace("= SMO", "= NU_SMO"), "iris.properties:3: cval: the engine nu-svc"),
            (KERNLIB + "relabeler.restarts = 0\n", "iris.properties:26: relabeler.restarts = 0: must be a whole number >= 1"),
            (KERNLIB + "relabeler.clusters = 0\n", "iris.properties:26: relabeler.clusters = 0"),
            (KERNLIB + "relabeler.mincluster = 0\n", "iris.properties:26: relabeler.mincluster = 0"),
            (KERNLIB.replace("maxiter = 30", "maxiter = 0"), "iris.properties:21: relabeler.maxiter = 0"),
            (KERNLIB.replace("=0.15", "=5"), "iris.properties:22: relabeler.relfactor = 5: must be a number in (0, 1]"),
            (KERNLIB + "relabeler.sa.pert.prob = 2\n", "iris.properties:26: relabeler.sa.pert.prob = 2: must be a number in [0, 1]"),
            (KERNLIB + "relabeler.sa.temp.rate = 3\n", "iris.properties:26: relabeler.sa.temp.rate = 3: must be a number in (0, 1)"),
            (KERNLIB + "relabeler.pvalue = 2\n", "iris.properties:26: relabeler.pvalue = 2"),
            (KERNLIB + "svm.nu = 4\n", "iris.properties:26: svm.nu = 4: must be a number in (0, 1]"),
            ("cval = 1\n", "DATA is required"),
        ):  # fmt: skip
            with self.subTest(said):
                done = self.configured(text, code=1)
                self.assertIn(said, done.stderr)
                self.assertEqual(done.stdout, "")
        done = self.configured(KERNLIB, "--method", "kmeans", code=1)
        self.assertIn("--config", done.stderr)
        done = self.run_tool("cluster", "--config", "nowhere.properties", code=1)
        self.assertIn("nowhere.properties", done.stderr)
