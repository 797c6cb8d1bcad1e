# SPDX-License-Identifier: Apache-2.0
"""The train command and the models it writes."""

import json
import re
import signal
import struct
import subprocess
import time

from tool import HERE, TOOL, ToolTest

IRIS = ["train", "builtin:iris", "--learner", "svc"]
TWO_CLASSES = "builtin:iris,positive=setosa"
CLASSIFIERS = ["svc", "nu-svc", "linear-svc", "cs-svc", "lp-svc", "lda", "perceptron"]
REGRESSIONS = ["svr", "nu-svr", "linear-svr"]
ONE_CLASS = ["one-class", "svdd"]
# About a line: y = 2 x1 - x2 + noise-free bend.
CURVE = "".join(f"{2 * a - b + a * b / 10},{a},{b}\n" for a in range(6) for b in range(5))


def comparable(report):
    """A report without what may differ between runs."""
    report = dict(report, options=dict(report["options"]))
    report.pop("seconds")
    report["options"].pop("threads")
    return report


def npy(rows):
    """The bytes of a matrix of doubles in NumPy's format."""
    text = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % (
        len(rows),
        len(rows[0]),
    )
    text += " " * (63 - (len(text) + 10) % 64) + "\n"
    body = b"".join(struct.pack("<d", value) for row in rows for value in row)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + body


class Train(ToolTest):
    def test_iris(self):
        report = self.json_of(*IRIS, "-C", 10, "-o", "m.mm")
        self.assertEqual(report["status"], "solved")
        self.assertEqual((report["learner"], report["n"], report["d"]), ("svc", 150, 4))
        self.assertLessEqual(report["relative_gap"], 1e-3)
        self.assertLessEqual(report["dual_objective"], report["primal_objective"])
        self.assertGreater(report["metrics"]["accuracy"], 0.95)
        self.assertEqual(report["options"]["C"], 10)
        self.assertEqual(report["options"]["kernel"], "rbf")
        self.assertEqual(report["options"]["multiclass"], "ovo")

    def test_report_has_the_keys_of_the_contract(self):
        self.assertEqual(
            list(self.json_of(*IRIS, "-o", "m.mm")),
            ["status", "learner", "n", "d", "primal_objective", "dual_objective", "lower_bound",
             "gap", "relative_gap", "iterations", "seconds", "metrics", "warnings", "options",
             "version"],
        )  # fmt: skip

    def test_defaults_are_those_of_the_guide(self):
        guide = (HERE.parent.parent / "docs/guide/options.md").read_text()

        def shown(option, learner="svc"):
            section = guide.split(f"\n## {learner}\n")[1].split("\n## ")[0]
            if option == "--seed":
                section = guide.split("\n## maxmargin train\n")[1].split("\n## ")[0]
            row = next(line for line in section.splitlines() if re.match(rf"\| `{option}\b", line))
            return row.rstrip(" |").split("|")[-1].strip()

        used = self.json_of(*IRIS, "-o", "m.mm")["options"]
        self.assertEqual(used["C"], float(shown("-C")))
        self.assertEqual(used["tolerance"], float(shown("--tolerance")))
        self.assertEqual(used["kernel"], shown("--kernel"))
        self.assertEqual(used["seed"], int(shown("--seed")))
        self.write("curve.csv", "y,a,b\n" + CURVE)
        used = self.json_of("train", "curve.csv", "--learner", "svr", "-o", "m.mm")["options"]
        self.assertEqual(used["epsilon"], float(shown("--epsilon", "svr")))
        used = self.json_of(*IRIS[:2], "--learner", "one-class", "-o", "m.mm")["options"]
        self.assertEqual(used["nu"], float(shown("--nu", "one-class")))

    def test_a_class_has_one_weight(self):
        done = self.run_tool(*IRIS, "--class-weight", "setosa=1,virginica=2,setosa=2", "-o", "m.mm", code=1)
        self.assertIn("setosa has several", done.stderr)

    def test_options_without_effect_are_refused(self):
        for learner, words in (("lda", ["--tolerance", 1]), ("lda", ["--max-iterations", 3]),
                               ("perceptron", ["--tolerance", 1])):  # fmt: skip
            done = self.run_tool(*IRIS[:2], "--learner", learner, *words, "-o", "m.mm", code=1)
            self.assertIn(f"{words[0]}: the learner {learner} does not take it", done.stderr)

    def test_whole_numbers_have_no_sign(self):
        for words in (["--max-iterations", "+3"], ["--kernel", "poly", "--degree", "+3"], ["--seed=+1"],
                      ["--folds", "+3"]):  # fmt: skip
            self.run_tool(*IRIS, *words, "-o", "m.mm", code=1)
        self.run_tool("cluster", "builtin:iris", "-k", "+3", code=1)
        largest = 2**64 - 1
        self.assertIn(self.json_of(*IRIS, "--seed", largest, "-o", "m.mm")["options"]["seed"],
                      (largest, str(largest)))  # fmt: skip
        self.run_tool(*IRIS, "--seed", largest + 1, "-o", "m.mm", code=1)

    def test_every_classifier_trains_and_predicts_its_training_data(self):
        for learner in CLASSIFIERS:
            with self.subTest(learner):
                # The perceptron ends where the classes can be parted.
                data = TWO_CLASSES if learner == "perceptron" else "builtin:iris"
                report = self.json_of("train", data, "--learner", learner, "-o", "m.mm")
                self.assertEqual(report["learner"], learner)
                self.assertGreater(report["metrics"]["accuracy"], 0.9)
                self.assertEqual(
                    self.json_of("predict", "m.mm", data)["metrics"]["accuracy"],
                    report["metrics"]["accuracy"],
                )
                self.assertIn(learner, self.run_tool("info", "m.mm").stdout)

    def test_every_regression_trains_and_predicts(self):
        self.write("curve.csv", "y,a,b\n" + CURVE)
        for learner in REGRESSIONS:
            with self.subTest(learner):
                words = ["train", "curve.csv", "--learner", learner, "-C", 10, "-o", "m.mm"]
                metrics = self.json_of(*words)["metrics"]
                self.assertGreater(metrics["r2"], 0.9)
                again = self.json_of("predict", "m.mm", "curve.csv")["metrics"]
                self.assertAlmostEqual(again["mse"], metrics["mse"], places=5)

    def test_one_class_machines_leave_a_share_outside(self):
        for learner in ONE_CLASS:
            with self.subTest(learner):
                words = ["train", "builtin:iris", "--learner", learner, "--nu", 0.2]
                metrics = self.json_of(*words, "-o", "m.mm")["metrics"]
                self.assertLess(metrics["outlier_share"], 0.25)
                lines = self.run_tool("predict", "m.mm", "builtin:iris").stdout.split()
                self.assertLessEqual(set(lines), {"1", "-1"})
                self.assertEqual(lines.count("-1"), round(150 * metrics["outlier_share"]))

    def test_model_file_is_the_same_for_any_number_of_threads(self):
        for extra in (
            [],
            ["--probabilities"],
            # Little enough for the share of a fold to decide how it computes.
            ["--probabilities", "--memory-limit", "200K"],
            ["--multiclass", "ovr", "--scale", "standard"],
        ):
            models, reports = [], []
            for threads in (1, 2, 4):
                reports.append(
                    comparable(self.json_of(*IRIS, *extra, "-o", "m.mm", "--threads", threads))
                )
                models.append((self.folder / "m.mm").read_bytes())
            self.assertEqual(models[0], models[1])
            self.assertEqual(models[0], models[2])
            self.assertEqual(reports[0], reports[1])
            self.assertEqual(reports[0], reports[2])

    def test_binary_models_predict_the_same(self):
        self.run_tool(*IRIS, "-o", "text.mm")
        self.run_tool(*IRIS, "-o", "binary.mm", "--model-format", "binary")
        self.assertEqual(
            self.run_tool("predict", "text.mm", "builtin:iris").stdout,
            self.run_tool("predict", "binary.mm", "builtin:iris").stdout,
        )

    def test_folds_print_the_metric_and_write_no_model(self):
        done = self.run_tool(*IRIS, "--folds", 5)
        self.assertIn("accuracy", done.stdout)
        self.assertEqual(self.files(), [])
        report = self.json_of(*IRIS, "--folds", 5, "--metric", "macro_f1")
        self.assertGreater(report["metrics"]["macro_f1"], 0.9)
        self.assertEqual(len(report["folds"]), 5)
        same = self.json_of(*IRIS, "--folds", 5, "--metric", "macro_f1", "--threads", 1)
        self.assertEqual(comparable(same), comparable(report))
        self.run_tool(*IRIS, "--folds", 5, "-o", "m.mm", code=1)
        self.run_tool(*IRIS, "--folds", 5, "--metric", "mse", code=1)

    def test_folds_that_do_not_converge_are_told(self):
        stuck = ["builtin:iris", "--learner", "svc", "--max-iterations", 2, "--tolerance", 1e-9]
        report = self.json_of("train", *stuck, "--folds", 5, code=2)
        self.assertEqual(report["status"], "iteration_limit")
        self.assertIn("5 of 5 trainings did not converge", report["warnings"][0])
        report = self.json_of("tune", *stuck, "--grid", "C=1,2", code=2)
        self.assertEqual(report["status"], "iteration_limit")
        self.assertIn("10 of 10 trainings did not converge", report["warnings"][0])
        report = self.json_of("train", *stuck, "--probabilities", "-o", "m.mm", code=2)
        self.assertIn("calibration: 5 of 5 trainings", " ".join(report["warnings"]))

    def test_folds_report_the_options_as_used(self):
        words = [*IRIS, "-C", 10, "--gamma", 0.1]
        trained = self.json_of(*words, "-o", "m.mm")["options"]
        folds = self.json_of(*words, "--folds", 5)["options"]
        self.assertEqual(folds.pop("folds"), 5)
        self.assertEqual(folds, trained)

    def test_seconds_name_scaling_and_calibration(self):
        seconds = self.json_of(*IRIS, "--scale", "range", "--probabilities", "-o", "m.mm")
        self.assertLessEqual({"scale", "calibrate"}, set(seconds["seconds"]))

    def test_one_class_machines_are_measured_on_their_sides_alone(self):
        for learner in ONE_CLASS:
            words = ["builtin:iris", "--learner", learner]
            for command in (["train", *words], ["tune", *words, "--grid", "nu=0.1,0.2"]):
                done = self.run_tool(*command, "--folds", 3, code=1)
                self.assertIn("labels must be 1 and -1", done.stderr)
        report = self.json_of("train", TWO_CLASSES, "--learner", "one-class", "--folds", 3)
        self.assertIsNotNone(report["metrics"]["accuracy"])

    def test_metrics_of_scores_need_two_classes(self):
        done = self.run_tool(*IRIS, "--folds", 3, "--metric", "auc", code=1)
        self.assertIn("two classes", done.stderr)
        words = ["train", TWO_CLASSES, "--learner", "svc", "--folds", 3, "--metric", "auc"]
        self.assertEqual(self.json_of(*words)["metrics"]["auc"], 1)

    def test_hard_margin(self):
        words = ["train", TWO_CLASSES, "--learner", "svc", "--kernel", "linear", "-C", "inf"]
        report = self.json_of(*words, "-o", "m.mm")
        self.assertEqual(report["metrics"]["error"], 0)
        self.write("mixed.svm", "1 1:1\n-1 1:1\n1 1:2\n-1 1:0\n")
        report = self.json_of("train", "mixed.svm", *words[2:], "-o", "m.mm", code=2)
        self.assertEqual(report["status"], "primal_infeasible")
        self.assertEqual(report["options"]["C"], "inf")
        self.assertIsNone(report["relative_gap"])
        done = self.run_tool("train", "mixed.svm", *words[2:], "-o", "m.mm", "--verify", code=2)
        self.assertNotIn("nan", done.stderr)
        self.assertNotRegex(done.stderr, r"objective +inf")
        self.assertIn("nothing to verify: the status is primal_infeasible", done.stderr)
        shown = self.json_of("info", "m.mm", "--verify", "mixed.svm")
        self.assertIsNone(shown["verified"])
        self.assertIn("primal_infeasible", shown["verify_reason"])

    def test_a_learner_without_a_certificate_has_nothing_to_verify(self):
        report = self.json_of("train", "builtin:iris", "--learner", "lda", "-o", "m.mm", "--verify")
        shown = self.json_of("info", "m.mm", "--verify", "builtin:iris")
        for each in (report, shown):
            self.assertIsNone(each["verified"])
            self.assertEqual(each["verify_reason"],
                             "the learner lda has no certificate to recompute")  # fmt: skip
        self.assertEqual(report["warnings"], [])

    def test_a_false_certificate_has_its_reason_in_the_report(self):
        self.run_tool(*IRIS, "-o", "m.mm")
        self.changed_model("m.mm", rb"^field training.dual_objective number .*$",
                           b"field training.dual_objective number 1")  # fmt: skip
        shown = self.json_of("info", "changed.mm", "--verify", "builtin:iris", code=3)
        self.assertIs(shown["verified"], False)
        self.assertIn("the dual objective is", shown["verify_reason"])
        self.assertNotIn("complaint", shown)

    def test_solved_is_said_of_gaps_within_the_tolerance_alone(self):
        words = ["train", "builtin:iris", "--learner", "svc", "-o", "m.mm", "--quiet"]
        self.run_tool(*words, "--max-iterations", 2, code=2)
        self.assertIs(self.json_of("info", "m.mm", "--verify", "builtin:iris")["verified"], True)
        self.changed_model("m.mm", rb"^field training.status string .*$",
                           b'field training.status string "solved"')  # fmt: skip
        shown = self.json_of("info", "changed.mm", "--verify", "builtin:iris", code=3)
        self.assertIn("the model's header says solved to 0.001", shown["verify_reason"])
        # A violation is a looser rule, which the report names.
        self.run_tool(*words, "--kkt-tolerance", 0.5, "--json", "r.json", code=2)
        report = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(report["status"], "solved_inaccurate")
        self.assertRegex(report["message"], "^the violation is within 0.5; the relative gap is ")
        self.assertIs(self.json_of("info", "m.mm", "--verify", "builtin:iris")["verified"], True)

    def test_ranges_are_spoken_of_before_the_work(self):
        rows = "".join(f"{i % 7},{1000 * ((3 * i) % 11)},{i % 2}\n" for i in range(60))
        self.write("wide.csv", "a,b,y\n" + rows)
        words = ["train", "wide.csv", "--learner", "linear-svc", "-o", "m.mm"]
        done = self.run_tool(*words, "--json", "r.json")
        remark = "feature ranges differ by a factor of "
        self.assertIn(remark, done.stderr.splitlines()[0])
        report = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(sum(remark in warning for warning in report["warnings"]), 1)
        self.assertNotIn(remark, self.run_tool(*words, "--scale", "range").stderr)
        self.assertEqual(self.run_tool(*words, "--quiet").stderr.count(remark), 1)
        # In the same words before and after, whatever the kernel.
        for kernel in ("rbf", "rbf(gamma=0.1)", "rbf(gamma=0.1) + linear", "linear"):
            done = self.run_tool("train", "wide.csv", "--learner", "svc", "--kernel", kernel,
                                 "-o", "m.mm", "--json", "r.json")  # fmt: skip
            warnings = json.loads((self.folder / "r.json").read_text())["warnings"]
            said = [warning for warning in warnings if remark in warning]
            self.assertEqual(len(said), 1)
            lines = {line for line in done.stderr.splitlines() if remark in line}
            self.assertEqual(lines, {"warning: " + said[0]})
            self.assertEqual("an rbf kernel" in said[0], kernel in ("rbf", "rbf(gamma=0.1)"))

    def test_rows_without_labels_have_the_numbers_of_the_file_under_folds(self):
        self.write("holes.csv", "a,y\n" + "".join(f"{i},{'?' if i == 2 else i % 2}\n" for i in range(9)))
        words = ["holes.csv", "--learner", "svc", "--folds", 3]
        for command in (["train"], ["tune", "--grid", "C=1,10"]):
            done = self.run_tool(command[0], *words, *command[1:], code=1)
            self.assertIn("row 2 (from 0) has no label", done.stderr)

    def test_a_tolerance_is_a_share(self):
        done = self.run_tool(*IRIS, "-o", "m.mm", "--tolerance", 2, code=1)
        self.assertIn("--tolerance 2: must be a number in (0, 1)", done.stderr)

    def test_features_of_huge_numbers_take_no_memory(self):
        self.write("wide.svm", "1 1:1\n-1 2:2\n1 2147483646:3\n-1 100000000:1\n")
        report = self.json_of("train", "wide.svm", "--learner", "svc", "-o", "m.mm",
                              "--memory-limit", "50M")  # fmt: skip
        self.assertEqual(report["d"], 2147483646)

    def test_losses_and_penalties_of_linear_machines(self):
        words = ["train", "builtin:gaussians,n=100", "--learner", "linear-svc", "-o", "m.mm"]
        for extra in (
            ["--loss", "squared-hinge"],
            ["--loss", "logistic"],
            ["--penalty", "l1"],
            ["--no-bias"],
        ):
            with self.subTest(extra):
                report = self.json_of(*words, *extra)
                self.assertLessEqual(report["relative_gap"], 1e-3)
                self.assertGreater(report["metrics"]["accuracy"], 0.85)
        done = self.run_tool(*words, "--penalty", "l1", "--loss", "hinge", code=1)
        self.assertIn("squared-hinge", done.stderr)
        done = self.run_tool(*words, "--kernel", "rbf", code=1)
        self.assertIn("--kernel", done.stderr)

    def test_direct_is_the_machine_of_all_classes(self):
        direct = ["--multiclass", "direct", "-o", "m.mm"]
        for learner, kernel in (("svc", "rbf"), ("linear-svc", "linear")):
            with self.subTest(learner):
                report = self.json_of("train", "builtin:iris", "--learner", learner, *direct)
                same = self.json_of("train", "builtin:iris", "--learner", "cs-svc", "--kernel",
                                    kernel, "-o", "n.mm")  # fmt: skip
                self.assertEqual(comparable(report), comparable(same))
                self.assertEqual(report["options"]["multiclass"], "direct")
        done = self.run_tool(*IRIS, *direct, "--loss", "squared-hinge", code=1)
        self.assertIn("--loss: svc with --multiclass direct does not take it", done.stderr)
        cs_svc = ["train", "builtin:iris", "--learner", "cs-svc", "-o", "m.mm"]
        self.run_tool(*cs_svc, "--multiclass", "ovo", code=1)
        done = self.run_tool(*cs_svc, "--kernel", "sigmoid", code=1)
        self.assertIn("semidefinite", done.stderr)

    def test_class_weights(self):
        words = ["train", "builtin:gaussians,n=100", "--learner", "svc", "-o", "m.mm"]
        plain = self.run_tool(*words) and self.run_tool("predict", "m.mm", words[1]).stdout
        self.run_tool(*words, "--class-weight", "2=100")
        heavy = self.run_tool("predict", "m.mm", words[1]).stdout
        self.assertGreater(heavy.split().count("2"), plain.split().count("2"))
        for wrong in ("2", "2=x", "7=1", "2=-1"):
            self.run_tool(*words, "--class-weight", wrong, code=1)

    def test_wide_ranges_are_warned_of(self):
        self.write("wide.csv", "a,b,label\n0,0,1\n1,1000,2\n0.5,20,1\n1,900,2\n")
        words = ["train", "wide.csv", "--learner", "svc", "-o", "m.mm"]
        self.assertIn("--scale", " ".join(self.json_of(*words)["warnings"]))
        self.assertEqual(self.json_of(*words, "--scale", "range")["warnings"], [])
        # Whatever the kernel, and of linear machines, too; not where units do not matter.
        for other in (["--kernel", "linear"], ["--kernel", "laplace"]):
            self.assertIn("--scale", " ".join(self.json_of(*words, *other)["warnings"]))
        linear = [word if word != "svc" else "linear-svc" for word in words]
        self.assertIn("--scale", " ".join(self.json_of(*linear)["warnings"]))
        lda = [word if word != "svc" else "lda" for word in words]
        self.assertNotIn("--scale", " ".join(self.json_of(*lda)["warnings"]))

    def test_scaling_is_kept_in_the_model(self):
        self.run_tool("convert", "builtin:iris", "scaled.csv", "--scale", "range")
        scaled = self.json_of("train", "scaled.csv", "--learner", "svc", "-o", "a.mm")
        inside = self.json_of(*IRIS, "--scale", "range", "-o", "b.mm")
        self.assertAlmostEqual(scaled["primal_objective"], inside["primal_objective"], places=6)
        self.assertEqual(
            self.run_tool("predict", "b.mm", "builtin:iris").stdout,
            self.run_tool("predict", "a.mm", "scaled.csv").stdout,
        )

    def test_precomputed_kernel_equals_its_kernel(self):
        points = [(a, b) for a in range(-3, 4) for b in range(-2, 3)]
        labels = ["1" if a + b * b > 1 else "-1" for a, b in points]
        gram = [[float(a * c + b * d) for c, d in points] for a, b in points]
        self.write("gram.npy", npy(gram))
        self.write("labels.txt", "\n".join(labels) + "\n")
        self.write(
            "points.svm", "".join(f"{y} 1:{a} 2:{b}\n" for y, (a, b) in zip(labels, points))
        )
        serial = [
            f"{y} 0:{i + 1} " + " ".join(f"{j + 1}:{k}" for j, k in enumerate(row))
            for i, (y, row) in enumerate(zip(labels, gram))
        ]
        self.write("serial.svm", "\n".join(serial) + "\n")
        self.write("turned.svm", "\n".join(reversed(serial)) + "\n")
        plain = self.json_of(
            "train", "points.svm", "--learner", "svc", "--kernel", "linear", "-o", "p.mm"
        )
        expected = self.run_tool("predict", "p.mm", "points.svm").stdout.split()
        given = ["--learner", "svc", "--kernel", "precomputed", "-o", "m.mm"]
        for words in (
            ["gram.npy", *given, "--labels", "labels.txt"],
            ["serial.svm", *given],
            ["turned.svm", *given],
        ):
            with self.subTest(words[0]):
                report = self.json_of("train", *words)
                self.assertAlmostEqual(
                    report["primal_objective"], plain["primal_objective"], delta=0.02
                )
                found = self.run_tool("predict", "m.mm", "serial.svm").stdout.split()
                self.assertGreaterEqual(sum(a == b for a, b in zip(found, expected)), 33)
        folds = self.json_of("train", "serial.svm", *given[:-2], "--folds", 3)
        self.assertGreater(folds["metrics"]["accuracy"], 0.5)
        self.write("wide.npy", npy([row[:-1] for row in gram]))
        done = self.run_tool("train", "wide.npy", *given, "--labels", "labels.txt", code=1)
        self.assertIn("square", done.stderr)
        gram[3][1] += 1
        self.write("skew.npy", npy(gram))
        done = self.run_tool("train", "skew.npy", *given, "--labels", "labels.txt", code=1)
        self.assertIn("skew.npy", done.stderr)
        self.assertIn("example 4 with example 2", done.stderr)

    def test_verify_agrees(self):
        report = self.json_of(*IRIS, "-o", "m.mm", "--verify")
        self.assertIs(report["verified"], True)

    def test_quiet_says_nothing(self):
        done = self.run_tool(*IRIS, "-o", "m.mm", "--quiet")
        self.assertEqual(done.stdout + done.stderr, "")

    def test_output_codes(self):
        for extra in (
            ["--multiclass", "ovr"],
            ["--multiclass", "ecoc"],
            ["--multiclass", "ecoc", "--code", "exhaustive", "--decoding", "hamming"],
            ["--multiclass", "ecoc", "--code", "random:3"],
        ):
            with self.subTest(extra):
                metrics = self.json_of(*IRIS, *extra, "-o", "m.mm")["metrics"]
                self.assertGreater(metrics["accuracy"], 0.9)
        self.write("code.csv", "1,-1,0\n-1,1,1\n-1,-1,-1\n")
        words = [*IRIS, "--multiclass", "ecoc", "--code", "code.csv", "-o", "m.mm"]
        self.assertGreater(self.json_of(*words)["metrics"]["accuracy"], 0.9)
        self.run_tool(*IRIS, "--code", "exhaustive", "-o", "m.mm", code=1)

    def test_wrong_codes_are_told_by_their_option(self):
        ecoc = [*IRIS, "--multiclass", "ecoc", "-o", "m.mm", "--code"]
        done = self.run_tool(*ecoc, "random:9", code=1)
        self.assertIn("maxmargin: --code random:9: must be from random:1 to random:3, as 3", done.stderr)
        self.write("moons.csv", "x,label\n1,1\n2,1\n3,2\n4,2\n")
        done = self.run_tool("train", "moons.csv", *ecoc[2:], "exhaustive", code=1)
        self.assertIn("maxmargin: --code exhaustive: wants from 3 to 11 classes, there are 2", done.stderr)
        for code, problem in (("1,-1\n1,-1\n-1,1\n", "code.csv: classes 0 and 1"),
                              ("1,-1\n1,2\n-1,1\n", "code.csv: row 1, column 1 (from 0) = 2"),
                              ("1,1\n1,-1\n1,1\n", "code.csv: function 0 ")):  # fmt: skip
            self.write("code.csv", code)
            self.assertIn(f"maxmargin: {problem}", self.run_tool(*ecoc, "code.csv", code=1).stderr)

    def test_groups_without_folds_are_of_no_use(self):
        self.write("groups", "75\n75\n")
        done = self.run_tool(*IRIS, "--groups", "groups", "-o", "m.mm", code=1)
        self.assertIn("--groups: ", done.stderr)
        self.run_tool(*IRIS, "--groups", "groups", "--folds", 2)
        self.write("short.csv", "1,-1\n-1,1\n")
        done = self.run_tool(*IRIS, "--multiclass", "ecoc", "--code", "short.csv", "-o", "m.mm",
                             code=1)  # fmt: skip
        self.assertIn("short.csv", done.stderr)


class BadInput(ToolTest):
    def refuse(self, *words, says):
        before = self.files()
        done = self.run_tool(*words, code=1)
        self.assertIn(says, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.files(), before)

    def test_data_that_cannot_be_learned_from(self):
        self.write("one-class.csv", "a,label\n1,x\n2,x\n")
        self.write("one-row.csv", "a,label\n1,x\n")
        self.write("nan.svm", "1 1:0\n-1 1:nan\n")
        self.write("unlabelled.svm", "1 1:0\n? 1:1\n-1 1:2\n")
        self.write("no-labels.npy", npy([[1.0], [2.0]]))
        self.write("names.csv", "a,label\n1,x\n2,y\n")
        out = ["-o", "m.mm", "--json", "r.json"]
        for learner in CLASSIFIERS:
            for name, says in (
                ("one-class.csv", "two classes"),
                ("one-row.csv", "two classes"),
                ("nan.svm", "nan.svm:2"),
                ("unlabelled.svm", "unlabelled.svm"),
                ("no-labels.npy", "no labels"),
            ):
                with self.subTest(learner=learner, name=name):
                    self.refuse("train", name, "--learner", learner, *out, says=says)
        for learner in REGRESSIONS:
            with self.subTest(learner):
                self.refuse("train", "names.csv", "--learner", learner, *out, says="number")

    def test_one_class_can_be_allowed(self):
        self.write("one-class.csv", "a,label\n1,x\n2,x\n")
        words = ["train", "one-class.csv", "--learner", "svc", "-o", "m.mm", "--allow-one-class"]
        self.assertEqual(self.json_of(*words)["metrics"]["accuracy"], 1)
        self.assertEqual(self.run_tool("predict", "m.mm", "one-class.csv").stdout, "x\nx\n")

    def test_options_outside_their_range(self):
        for option, value in (
            ("-C", "0"), ("-C", "-1"), ("-C", "nan"), ("-C", "one"), ("--gamma", "0"),
            ("--gamma", "-1"), ("--gamma", "inf"), ("--gamma", "wide"), ("--gamma", "quantile:2"),
            ("--tolerance", "0"), ("--kernel", "rfb"), ("--multiclass", "none"),
            ("--max-iterations", "0"), ("--memory-limit", "much"), ("--scale", "some"),
            ("--threads", "0"), ("--time-limit", "0"), ("--loss", "huge"), ("--folds", "1"),
            ("--probabilities=maybe", None),
        ):  # fmt: skip
            with self.subTest(option=option, value=value):
                words = [option] if value is None else [option, value]
                self.refuse(*IRIS, *words, "-o", "m.mm", says=option.split("=")[0])
        self.refuse(*IRIS[:2], "--learner", "nu-svc", "--nu", "0", "-o", "m.mm", says="--nu")
        self.refuse(*IRIS[:2], "--learner", "nu-svc", "--nu", "1.5", "-o", "m.mm", says="--nu")
        self.refuse(*IRIS[:2], "--learner", "svr", "--epsilon", "-1", "-o", "m.mm", says="--eps")

    def test_wrong_usage(self):
        self.refuse(*IRIS[:2], "-o", "m.mm", says="--learner")
        self.refuse(*IRIS[:2], "--learner", "scv", "-o", "m.mm", says="svc?")
        self.refuse(*IRIS, says="-o")
        self.refuse(*IRIS, "--nu", 0.5, "-o", "m.mm", says="--nu")
        self.refuse(*IRIS, "--degree", 2, "-o", "m.mm", says="--degree")
        self.refuse(*IRIS[:2], "--learner", "lda", "-C", 1, "-o", "m.mm", says="-C")
        self.refuse(*IRIS, "--kernel", "sigmoid", "-o", "m.mm", says="--allow-indefinite")

    def test_probabilities_need_two_examples_of_every_class(self):
        self.write("lonely.csv", "a,label\n1,x\n2,x\n3,x\n4,y\n5,y\n6,z\n")
        self.refuse(
            "train", "lonely.csv", "--learner", "svc", "--probabilities", "-o", "m.mm", says="z"
        )

    def test_damaged_models_are_refused(self):
        self.run_tool(*IRIS, "-o", "m.mm")
        whole = (self.folder / "m.mm").read_bytes()
        for name, damaged in (
            ("half", whole[: len(whole) // 2]),
            ("changed", whole.replace(b"5", b"6", 1)),
            ("newer", whole.replace(b"maxmargin-model 2", b"maxmargin-model 9", 1)),
        ):
            self.write("damaged.mm", damaged)
            for words in (
                ["predict", "damaged.mm", "builtin:iris", "-o", "labels.txt"],
                ["info", "damaged.mm"],
                ["convert", "damaged.mm", "out.model"],
            ):
                with self.subTest(name=name, words=words[0]):
                    self.refuse(*words, says="damaged.mm")


class Stopping(ToolTest):
    # Long enough to be stopped on any machine.
    LONG = ["builtin:checkers,n=30000", "--learner", "svc", "-C", "1000", "--gamma", "50",
            "--tolerance", "1e-9", "-o", "m.mm", "--json", "report.json"]  # fmt: skip

    def check_model(self, status):
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(report["status"], status)
        self.assertGreater(report["gap"], 0)
        predicted = self.json_of("predict", "m.mm", "builtin:checkers,n=200")
        self.assertGreater(predicted["metrics"]["accuracy"], 0.4)

    def test_time_limit_writes_a_usable_model(self):
        self.run_tool("train", *self.LONG, "--time-limit", 1, code=2)
        self.check_model("time_limit")

    def test_ctrl_c_writes_a_usable_model(self):
        process = subprocess.Popen(
            [TOOL, "train", *self.LONG], cwd=self.folder, stderr=subprocess.PIPE
        )
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 2, complaint)
        self.check_model("stopped_by_callback")

    def test_max_iterations_ends_without_converging(self):
        report = self.json_of(*IRIS, "-C", 1000, "--max-iterations", 1, "-o", "m.mm", code=2)
        self.assertEqual(report["status"], "iteration_limit")
        self.assertGreater(report["gap"], 0)
