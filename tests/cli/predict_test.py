# SPDX-License-Identifier: Apache-2.0
"""The predict and info commands on supervised models, and conversion between model files."""

import csv
import io

from tool import ToolTest

IRIS = ["train", "builtin:iris", "--learner", "svc", "-o", "m.mm"]
# y = 2 x1 - x2 and a bend.
CURVE = "".join(f"{2 * a - b + a * b / 10},{a},{b}\n" for a in range(6) for b in range(5))


def table(text):
    """The header and the rows of a CSV of numbers."""
    rows = list(csv.reader(io.StringIO(text)))
    return rows[0], [[float(cell) for cell in row] for row in rows[1:]]


class Predict(ToolTest):
    def test_labels_one_a_line_in_input_order(self):
        self.run_tool(*IRIS)
        lines = self.run_tool("predict", "m.mm", "builtin:iris").stdout.split()
        self.assertEqual(len(lines), 150)
        self.assertEqual(lines[:50], ["setosa"] * 50)
        self.run_tool("predict", "m.mm", "builtin:iris", "-o", "labels.txt")
        self.assertEqual((self.folder / "labels.txt").read_text().split(), lines)

    def test_scores_name_the_classes_and_decide(self):
        self.run_tool(*IRIS)
        lines = self.run_tool("predict", "m.mm", "builtin:iris").stdout.split()
        header, rows = table(self.run_tool("predict", "m.mm", "builtin:iris", "--scores").stdout)
        self.assertEqual(header, ["setosa", "versicolor", "virginica"])
        self.assertEqual([header[row.index(max(row))] for row in rows], lines)

    def test_scores_of_two_classes_are_those_of_the_larger(self):
        data = "builtin:iris,positive=setosa"
        self.run_tool("train", data, "--learner", "svc", "-o", "m.mm")
        header, rows = table(self.run_tool("predict", "m.mm", data, "--scores").stdout)
        self.assertEqual(header, ["1"])
        lines = self.run_tool("predict", "m.mm", data).stdout.split()
        self.assertEqual(["1" if row[0] >= 0 else "-1" for row in rows], lines)

    def test_probabilities_agree_with_predictions(self):
        # Overlapping classes, several reductions, both kinds of curve.
        for data in ("builtin:gaussians,n=80,seed=3", "builtin:iris"):
            for kind in ("platt", "isotonic"):
                for extra in ([], ["--multiclass", "ovr"]):
                    with self.subTest(data=data, kind=kind, extra=extra):
                        self.run_tool("train", data, "--learner", "svc", *extra,
                                      f"--probabilities={kind}", "-o", "m.mm")  # fmt: skip
                        shown = self.run_tool("predict", "m.mm", data, "--probabilities").stdout
                        header, rows = table(shown)
                        lines = self.run_tool("predict", "m.mm", data).stdout.split()
                        self.assertEqual([header[row.index(max(row))] for row in rows], lines)
                        for row in rows:
                            self.assertAlmostEqual(sum(row), 1, places=9)
        self.assertIn("largest probability", self.run_tool("info", "m.mm").stdout)

    def test_probabilities_leave_scores_as_they_are(self):
        self.run_tool(*IRIS)
        plain = self.run_tool("predict", "m.mm", "builtin:iris", "--scores").stdout
        self.run_tool(*IRIS, "--probabilities")
        self.assertEqual(self.run_tool("predict", "m.mm", "builtin:iris", "--scores").stdout, plain)

    def test_probabilities_need_a_calibrated_model(self):
        self.run_tool(*IRIS)
        done = self.run_tool("predict", "m.mm", "builtin:iris", "--probabilities", code=1)
        self.assertIn("train", done.stderr)
        self.assertEqual(done.stdout, "")
        self.run_tool("predict", "m.mm", "builtin:iris", "--probabilities", "--scores", code=1)

    def test_labels_that_were_never_seen_are_errors_named_once(self):
        self.write("train.svm", "1 1:1\n2 1:5\n1 1:2\n2 1:6\n")
        self.write("test.svm", "1 1:1\n7 1:1\n2 1:6\n7 1:6\n")
        self.run_tool("train", "train.svm", "--learner", "svc", "-o", "m.mm")
        report = self.json_of("predict", "m.mm", "test.svm")
        self.assertEqual(report["metrics"]["accuracy"], 0.5)
        self.assertEqual(len(report["warnings"]), 1)
        self.assertIn("7", report["warnings"][0])

    def test_numbers_are_labels_by_value(self):
        self.write("train.svm", "+1.0 1:1\n-1.0 1:5\n+1.0 1:2\n-1.0 1:6\n")
        self.write("test.svm", "1 1:1\n-1 1:6\n")
        self.run_tool("train", "train.svm", "--learner", "svc", "-o", "m.mm")
        report = self.json_of("predict", "m.mm", "test.svm")
        self.assertEqual(report["metrics"]["accuracy"], 1)
        self.assertEqual(self.run_tool("predict", "m.mm", "test.svm").stdout, "1\n-1\n")

    def test_sparse_data_may_have_other_features_and_says_so(self):
        self.write("train.svm", "1 1:1 2:1\n-1 1:5 2:2\n1 1:2 2:1\n-1 1:6 2:2\n")
        self.run_tool("train", "train.svm", "--learner", "svc", "-o", "m.mm")
        self.write("more.svm", "1 1:1 2:1 9:100\n-1 1:6 2:2\n")
        self.write("fewer.svm", "1 1:1\n-1 1:6\n")
        more = self.json_of("predict", "m.mm", "more.svm")
        self.assertIn("ignored", more["warnings"][0])
        self.assertEqual(more["metrics"]["accuracy"], 1)
        self.assertIn("missing", self.json_of("predict", "m.mm", "fewer.svm")["warnings"][0])

    def test_tables_with_exactly_the_features_are_unlabelled(self):
        self.write("train.csv", "a,b,label\n1,1,x\n5,2,y\n2,1,x\n6,2,y\n")
        self.run_tool("train", "train.csv", "--learner", "svc", "-o", "m.mm")
        self.write("test.csv", "a,b\n1,1\n6,2\n")
        self.assertEqual(self.run_tool("predict", "m.mm", "test.csv").stdout, "x\ny\n")
        self.assertEqual(self.json_of("predict", "m.mm", "test.csv")["metrics"], {})
        self.write("wide.csv", "a,b,c,label\n1,1,1,x\n")
        done = self.run_tool("predict", "m.mm", "wide.csv", code=1)
        self.assertIn("3 features, the model 2", done.stderr)

    def test_precomputed_kernels_have_a_column_for_every_training_row(self):
        points = [-2.0, -1.0, -0.5, 1.0, 1.5, 2.0]
        labels = ["a" if x < 0 else "b" for x in points]

        def rows(new):
            return [",".join(str(x * z) for z in points) for x in new]

        header = ",".join(f"k{i}" for i in range(len(points)))
        with_labels = [f"{row},{y}" for row, y in zip(rows(points), labels)]
        self.write("train.csv", "\n".join([header + ",label", *with_labels]) + "\n")
        self.run_tool(
            "train", "train.csv", "--learner", "svc", "--kernel", "precomputed", "-o", "m.mm"
        )
        self.write("new.csv", "\n".join([header, *rows([3.0, -3.0])]) + "\n")
        self.assertEqual(self.run_tool("predict", "m.mm", "new.csv").stdout, "b\na\n")
        self.assertEqual(self.json_of("predict", "m.mm", "train.csv")["metrics"]["accuracy"], 1)
        self.write("narrow.csv", "k0,k1,k2,k3\n1,2,3,4\n")
        done = self.run_tool("predict", "m.mm", "narrow.csv", code=1)
        self.assertIn("the training had 6 rows", done.stderr)

    def test_feature_names_must_agree(self):
        self.write("train.csv", "a,b,label\n1,1,x\n5,2,y\n2,1,x\n6,2,y\n")
        self.run_tool("train", "train.csv", "--learner", "svc", "-o", "m.mm")
        self.write("swapped.csv", "b,a,label\n1,1,x\n2,6,y\n")
        done = self.run_tool("predict", "m.mm", "swapped.csv", code=1)
        self.assertIn("feature 1 is b, the model has a", done.stderr)

    def test_clusters_have_no_scores(self):
        self.run_tool("cluster", "builtin:iris", "-k", 3, "--model", "c.mm", "--quiet")
        done = self.run_tool("predict", "c.mm", "builtin:iris", "--scores", code=1)
        self.assertIn("--scores: a model of kmeans does not take it", done.stderr)

    def test_options_of_structured_models_are_refused(self):
        self.run_tool("train", "builtin:iris,positive=setosa", "--learner", "svc", "-o", "m.mm")
        self.run_tool("convert", "m.mm", "m.model", "--to", "libsvm")
        for model in ("m.mm", "m.model"):
            for words in (("--n-best", 2), ("--margins",), ("--columns", "x"), ("-k", 3)):
                done = self.run_tool("predict", model, "builtin:iris", *words, code=1)
                self.assertIn(f"{words[0]}: a model of svc does not take it", done.stderr)


class Info(ToolTest):
    def test_a_kernel_machine(self):
        self.run_tool(*IRIS)
        report = self.json_of("info", "m.mm")
        self.assertEqual((report["learner"], report["kernel"]), ("svc", "rbf"))
        self.assertEqual(report["examples"], 150)
        self.assertEqual(
            sum(report["support_vectors_by_class"].values()), report["support_vectors"]
        )
        for kind in ("ovr", "ecoc"):
            self.run_tool(*IRIS, "--multiclass", kind)
            several = self.json_of("info", "m.mm")
            by_class = several["support_vectors_by_class"]
            self.assertEqual(set(by_class), {"setosa", "versicolor", "virginica"})
            self.assertEqual(sum(by_class.values()), several["support_vectors"])
        self.assertAlmostEqual(report["leave_one_out_bound"], report["support_vectors"] / 150)
        # Other sums of kernel values are no machines that these bounds are about.
        for learner in ("lp-svc", "loo-svc", "nu-svc", "one-class"):
            self.run_tool("train", "builtin:iris", "--learner", learner, "-o", "other.mm")
            other = self.json_of("info", "other.mm")
            for bound in ("leave_one_out_bound", "radius_margin", "vc_dimension_bound"):
                self.assertNotIn(bound, other, learner)
        self.assertGreater(report["margin"], 0)
        self.assertLessEqual(report["relative_gap"], 1e-3)
        self.assertEqual(report["options"]["C"], 1)
        self.assertEqual(report["predicts"], "the class of largest score")

    def test_radius_and_margin_bound_a_single_machine_without_losses_alone(self):
        bounds = ("radius_margin", "radius_margin_bound", "vc_dimension_bound")
        for data, c, holds in (
            ("builtin:iris,positive=setosa", "1000", True),
            ("builtin:iris,positive=setosa", "1e-3", False),
            ("builtin:iris,positive=virginica", "1", False),
            ("builtin:iris", "1000", False),
        ):
            for kernel in ("linear", "rbf"):
                self.run_tool(
                    "train", data, "--learner", "svc", "--kernel", kernel, "-C", c, "-o", "m.mm"
                )
                shown = self.json_of("info", "m.mm")
                for bound in bounds:
                    self.assertEqual(bound in shown, holds, (data, c, kernel, bound))

    def test_top_features_of_linear_machines_have_names(self):
        for learner in (["linear-svc"], ["lda"], ["svc", "--kernel", "linear"]):
            with self.subTest(learner):
                self.run_tool("train", "builtin:iris,positive=setosa", "--learner", *learner,
                              "-o", "m.mm")  # fmt: skip
                top = self.json_of("info", "m.mm")["top_features"]
                self.assertIn("petal_length", top)
                sizes = [abs(weight) for weight in top.values()]
                self.assertEqual(sizes, sorted(sizes, reverse=True))

    def test_verify_recomputes_the_certificate(self):
        self.run_tool(*IRIS)
        report = self.json_of("info", "m.mm", "--verify", "builtin:iris")
        self.assertIs(report["verified"], True)
        # Another data set is not what the certificate speaks of.
        self.run_tool("convert", "builtin:iris", "moved.csv", "--scale", "range")
        report = self.json_of("info", "m.mm", "--verify", "moved.csv", code=3)
        self.assertIs(report["verified"], False)

    def test_verify_knows_every_learner_with_a_certificate(self):
        self.write("curve.csv", "y,a,b\n" + CURVE)
        for learner, data, *extra in (
            ("linear-svc", "builtin:iris"),
            ("linear-svc", "builtin:iris", "--loss", "squared-hinge", "--scale", "standard"),
            ("linear-svc", "builtin:iris", "--loss", "logistic", "--class-weight", "balanced"),
            ("linear-svc", "builtin:iris", "--penalty", "l1", "--no-bias"),
            ("linear-svc", "builtin:iris", "--probabilities", "--multiclass", "ecoc"),
            ("linear-svr", "curve.csv"),
            ("linear-svr", "curve.csv", "--loss", "squared-epsilon", "--no-bias"),
            ("cs-svc", "builtin:iris", "--kernel", "linear"),
            ("cs-svc", "builtin:iris", "--kernel", "rbf", "--class-weight", "setosa=2"),
            ("lp-svc", "builtin:iris"),
            ("lp-svc", "builtin:iris", "--form", "l1-norm", "--no-bias", "--multiclass", "ovr"),
        ):
            with self.subTest(learner=learner, extra=extra):
                train = ["train", data, "--learner", learner, *extra, "-o", "m.mm"]
                self.assertIs(self.json_of(*train, "--verify")["verified"], True)
                found = self.json_of("info", "m.mm", "--verify", data)
                self.assertIs(found["verified"], True)
                self.assertLessEqual(found["verified_dual"], found["verified_primal"])
                changes = 0
                for section in ("offsets", "weights", "coefficients", "dual"):
                    if self.tamper("m.mm", section, "changed.mm"):
                        found = self.json_of("info", "changed.mm", "--verify", data, code=3)
                        self.assertIs(found["verified"], False)
                        changes += 1
                self.assertGreaterEqual(changes, 2)
                self.run_tool(*train, "--verify", "--model-format", "binary")
                found = self.json_of("info", "m.mm", "--verify", data)
                self.assertIs(found["verified"], True)

    def test_verify_wants_the_dual_point(self):
        for learner in (["linear-svc"], ["cs-svc", "--kernel", "linear"], ["lp-svc"]):
            with self.subTest(learner):
                self.run_tool("train", "builtin:iris", "--learner", *learner, "-o", "m.mm")
                found = self.json_of("info", "m.mm", "--verify", "builtin:iris")
                self.assertIsNone(found["verified"])
                self.assertEqual(found["verify_reason"],
                                 "the model was written without its dual point; train with "
                                 "--verify to keep it")  # fmt: skip

    def tamper(self, name, section, changed):
        """Moves one number of a section and mends the checksum; False without such a number."""
        lines = (self.folder / name).read_bytes().splitlines(keepends=True)[:-1]
        for i, words in self.numbers_of(section.encode(), lines):
            index, colon, value = words[-1].rpartition(b":")
            if value and float(value) != 0:
                words[-1] = index + colon + repr(2.5 * float(value)).encode()
                lines[i] = b" ".join(words) + b"\n"
                break
        else:
            return False
        self.write_model(changed, b"".join(lines))
        return True

    @staticmethod
    def numbers_of(section, lines):
        """Number and words of the lines of a section of a text model."""
        inside = False
        for i, line in enumerate(lines):
            words = line.split()
            if words and words[0] in (b"section", b"field"):
                inside = words[0] == b"section" and words[1] == section
            elif inside and words:
                yield i, words


class Convert(ToolTest):
    def test_models_go_to_libsvm_and_back(self):
        data = "builtin:gaussians,n=60"
        self.run_tool("train", data, "--learner", "svc", "-o", "m.mm")
        self.run_tool("convert", "m.mm", "m.model", "--to", "libsvm")
        self.assertTrue((self.folder / "m.model").read_text().startswith("svm_type c_svc"))
        self.run_tool("convert", "m.model", "back.mm")
        labels = self.run_tool("predict", "m.mm", data).stdout
        for model in ("m.model", "back.mm"):
            self.assertEqual(self.run_tool("predict", model, data).stdout, labels)
        self.assertEqual(self.json_of("info", "m.model")["learner"], "svc")

    def test_linear_models_go_to_liblinear(self):
        data = "builtin:gaussians,n=60"
        self.run_tool("train", data, "--learner", "linear-svc", "-o", "m.mm")
        self.run_tool("convert", "m.mm", "m.model")
        self.assertIn("solver_type", (self.folder / "m.model").read_text())
        self.assertEqual(
            self.run_tool("predict", "m.model", data).stdout,
            self.run_tool("predict", "m.mm", data).stdout,
        )

    def test_options_of_data_are_not_for_models(self):
        self.run_tool(*IRIS)
        done = self.run_tool("convert", "m.mm", "m.model", "--label", "3", code=1)
        self.assertIn("--label: a model does not take it", done.stderr)
        self.assertEqual(self.files(), ["m.mm"])

    def test_what_their_format_cannot_hold_is_refused(self):
        self.run_tool(*IRIS)
        self.run_tool("convert", "m.mm", "m.model", "--to", "libsvm", code=1)
        self.assertEqual(self.files(), ["m.mm"])
