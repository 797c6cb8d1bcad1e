# SPDX-License-Identifier: Apache-2.0
"""Kernels as expressions, kernels of strings, and the check of a kernel's matrix."""

import collections
import csv
import math
import random

from tool import ToolTest

BLEND = "0.5*rbf(gamma=0.1) + normalize(poly(degree=2, coef0=1)) * linear"


def rows_of(path):
    with open(path) as file:
        return [[float(cell) for cell in row] for row in list(csv.reader(file))[1:]]


class Expressions(ToolTest):
    def train(self, kernel, *words, learner="svc", data="builtin:iris", model="m.mm", code=0):
        return self.json_of("train", data, "--learner", learner, "--kernel", kernel, *words,
                            "-o", model, code=code)  # fmt: skip

    def scores(self, model, data="builtin:iris"):
        self.run_tool("predict", model, data, "--scores", "-o", "scores.csv", "--quiet")
        return rows_of(self.folder / "scores.csv")

    def assert_same_scores(self, a, b, places=6):
        self.assertEqual(len(a), len(b))
        for x, z in zip(a, b):
            for left, right in zip(x, z):
                self.assertAlmostEqual(left, right, places=places)

    def refused(self, *words):
        done = self.run_tool(*words, code=1)
        return done.stderr.splitlines()[0]

    def test_are_trained_kept_and_verified_in_every_learner_of_kernels(self):
        for learner in ("svc", "nu-svc", "cs-svc", "lp-svc"):
            report = self.train(BLEND, "--verify", learner=learner)
            self.assertEqual(report["status"], "solved", learner)
            self.assertTrue(report["verified"], learner)
        canonical = ("0.5*rbf(gamma=0.1) + "
                     "normalize(poly(gamma=1, degree=2, coef0=1))*linear")  # fmt: skip
        self.assertEqual(report["options"]["kernel"], canonical)
        self.assertNotIn("gamma", report["options"])

    def test_read_back_from_text_and_binary_models(self):
        for kernel in (BLEND, "center(rbf(gamma=median))", "iterate(sigmoid(gamma=0.1))",
                       "center(linear)+normalize(center(laplace))^2"):  # fmt: skip
            self.train(kernel, "--verify")
            self.train(kernel, "--model-format", "binary", model="b.mm")
            self.assertEqual(self.scores("m.mm"), self.scores("b.mm"), kernel)
            checked = self.json_of("info", "m.mm", "--verify", "builtin:iris")
            self.assertTrue(checked["verified"], kernel)
            kept = self.json_of("info", "m.mm")["kernel"]
            again = self.train(kept, model="again.mm")
            self.assertEqual(self.scores("again.mm"), self.scores("m.mm"), kernel)

    def test_two_halves_are_the_whole(self):
        halves = self.train("0.5*rbf(gamma=0.1)+0.5*rbf(gamma=0.1)", "--tolerance", "1e-9")
        whole = self.train("rbf", "--gamma", "0.1", "--tolerance", "1e-9", model="w.mm")
        self.assertAlmostEqual(halves["primal_objective"], whole["primal_objective"], places=6)
        self.assert_same_scores(self.scores("m.mm"), self.scores("w.mm"), 5)

    def test_a_kernel_that_overflows_is_named(self):
        message = self.refused("train", "builtin:iris", "--learner", "svc", "--kernel",
                               "exp(300*linear)", "-o", "m.mm")  # fmt: skip
        self.assertIn("--kernel exp(300*linear): row 1 with itself is inf, must be finite", message)

    def test_a_single_kernel_is_its_name_and_options(self):
        written = self.train("rbf(gamma=0.25)")
        plain = self.train("rbf", "--gamma", "0.25", model="w.mm")
        self.assertEqual(written["options"], plain["options"])
        self.assertEqual((self.folder / "m.mm").read_bytes(), (self.folder / "w.mm").read_bytes())

    def test_parameters_of_an_expression_are_options_of_their_own(self):
        inside = self.train("rbf(gamma=0.25)+linear")
        outside = self.train("rbf + linear", "--rbf.gamma", "0.25", model="w.mm")
        self.assertEqual(inside["options"], outside["options"])
        message = self.refused("train", "builtin:iris", "--learner", "svc", "--kernel", "rbf",
                               "--poly.gamma", "1", "-o", "x.mm")  # fmt: skip
        self.assertIn("--poly.gamma: the learner svc does not take it", message)

    def test_a_product_is_the_precomputed_matrix_of_the_product(self):
        words = ["--mercer", "--kernel", "rbf(gamma=0.2)*linear", "-o", "k.npy"]
        self.run_tool("info", "builtin:iris", *words)
        self.run_tool("convert", "builtin:iris", "iris.csv")
        with open(self.folder / "iris.csv") as file:
            labels = [row[-1] for row in list(csv.reader(file))[1:]]
        self.write("labels.txt", "\n".join(labels) + "\n")
        matrix = self.train("precomputed", "--labels", "labels.txt", "--tolerance", "1e-9",
                            data="k.npy")  # fmt: skip
        product = self.train("rbf(gamma=0.2)*linear", "--tolerance", "1e-9", model="w.mm")
        ratio = matrix["primal_objective"] / product["primal_objective"]
        self.assertAlmostEqual(ratio, 1, places=7)
        self.assert_same_scores(self.scores("m.mm", "k.npy"), self.scores("w.mm"), 4)

    def test_centring_does_not_change_a_machine_with_a_bias(self):
        centred = self.train("center(rbf(gamma=0.2))", "--tolerance", "1e-9")
        plain = self.train("rbf(gamma=0.2)", "--tolerance", "1e-9", model="w.mm")
        self.assertAlmostEqual(centred["primal_objective"], plain["primal_objective"], places=5)
        self.assert_same_scores(self.scores("m.mm"), self.scores("w.mm"), 4)

    def test_work_in_clusterings_and_projections(self):
        words = ["builtin:iris", "--method", "kernel-kmeans", "-k", "3"]
        report = self.json_of("cluster", *words, "--kernel", "center(rbf(gamma=0.5))+linear",
                              "-o", "labels.txt", "--model", "c.mm")  # fmt: skip
        self.assertTrue(report["options"]["kernel"].startswith("center(rbf("))
        self.run_tool("predict", "c.mm", "builtin:iris", "-o", "again.txt", "--quiet")
        self.assertEqual((self.folder / "labels.txt").read_text(),
                         (self.folder / "again.txt").read_text())  # fmt: skip
        self.run_tool("convert", "builtin:iris", "p.csv", "--project", "kernel-pca", "--kernel",
                      "rbf(gamma=0.2)*linear", "--components", "2", "--model", "p.mm")  # fmt: skip
        self.run_tool("convert", "builtin:iris", "q.csv", "--project", "p.mm")
        self.assertEqual((self.folder / "p.csv").read_text(), (self.folder / "q.csv").read_text())

    def test_parameters_are_axes_of_a_grid(self):
        report = self.json_of("tune", "builtin:iris", "--learner", "svc", "--kernel", "rbf+linear",
                              "--grid", "rbf.gamma=0.01,0.1;C=1,10", "-o", "m.mm")  # fmt: skip
        self.assertEqual(len(report["table"]), 4)
        chosen = [row for row in report["table"] if row["chosen"]][0]
        self.assertEqual(report["options"]["kernel"],
                         f"rbf(gamma={chosen['rbf.gamma']:g}) + linear")  # fmt: skip
        alone = self.json_of("train", "builtin:iris", "--learner", "svc", "--folds", "5",
                             "--kernel", report["options"]["kernel"], "-C", chosen["C"])  # fmt: skip
        self.assertAlmostEqual(alone["metrics"]["accuracy"], chosen["accuracy"], places=12)
        grid = "kernel=rbf(gamma=1)+linear,poly(degree=2, coef0=1)*rbf"
        kernels = self.json_of("tune", "builtin:iris", "--learner", "svc", "--grid", grid)
        self.assertEqual(len(kernels["table"]), 2)

    def test_wrong_axes_are_refused(self):
        for grid, problem in (
            ("rbf.gamma=1,2", "more than one rbf"),
            ("rbf[3].gamma=1,2", "does not take it"),
            ("rbf[2].gama=1,2", "did you mean --rbf[2].gamma?"),
            ("rbf[2].gamma=1,0", "--rbf[2].gamma 0: must be a number > 0"),
        ):
            message = self.refused("tune", "builtin:iris", "--learner", "svc", "--kernel",
                                   "rbf+rbf(gamma=2)", "--grid", grid)  # fmt: skip
            self.assertIn(problem, message)

    def test_mistakes_are_refused_before_the_data_is_read(self):
        for kernel, problem in (
            ("rbf+", "character 5: expected a kernel"),
            ("rbf(gama=1)", "did you mean gamma?"),
            ("rbf+sigmoid", "not known to be positive semidefinite"),
            ("linear*precomputed", "precomputed stands alone"),
            ("spectrum*linear", "they do not go together"),
        ):
            message = self.refused("train", "absent.svm", "--learner", "svc", "--kernel", kernel)
            self.assertIn(problem, message)
        for option in ("--gamma", "--degree", "--coef0"):
            message = self.refused("train", "absent.svm", "--learner", "svc", "--kernel",
                                   "rbf+poly", option, "2")  # fmt: skip
            self.assertIn(f"{option}: --kernel holds its parameters itself", message)
        self.train("rbf+sigmoid(gamma=0.01)", "--allow-indefinite")

    def test_are_not_exported(self):
        self.train(BLEND)
        done = self.run_tool("convert", "m.mm", "m.libsvm", "--to", "libsvm", code=1)
        self.assertIn("is none of LIBSVM's", done.stderr)


def counts(text, length):
    return collections.Counter(text[i : i + length] for i in range(len(text) - length + 1))


def product(a, b):
    return sum(count * b[part] for part, count in a.items())


class Strings(ToolTest):
    def setUp(self):
        super().setUp()
        source = random.Random(3)
        self.strings, self.labels = [], []
        for i in range(40):
            motif = ("ACGA", "TTCA")[i % 2]
            text = "".join(source.choice("ACGT") for _ in range(source.randrange(8, 30)))
            place = source.randrange(len(text))
            self.strings.append(text[:place] + motif * 2 + text[place:])
            self.labels.append(("plus", "minus")[i % 2])
        rows = list(enumerate(zip(self.strings, self.labels)))
        entries = [f">s{i} x {label}\n{text[:9]}\n{text[9:]}\n" for i, (text, label) in rows]
        self.write("s.fasta", "".join(entries))
        lines = [f"{i},{text},{label}\n" for i, (text, label) in rows]
        self.write("s.csv", "id,text,label\n" + "".join(lines))
        self.write("labels.txt", "\n".join(self.labels) + "\n")

    def matrix(self, length, normalise, strings=None):
        rows = [counts(text, length) for text in self.strings]
        new = rows if strings is None else [counts(text, length) for text in strings]
        values = []
        for x in new:
            scale = math.sqrt(product(x, x)) if normalise else 1
            values.append([product(x, z) / (scale * math.sqrt(product(z, z)) if normalise else 1)
                           for z in rows])  # fmt: skip
        return values

    def write_matrix(self, name, values, labels):
        self.write(name, "".join(",".join(map(repr, row)) + f",{label}\n"
                                 for row, label in zip(values, labels)))  # fmt: skip

    def scores(self, model, data, *words):
        self.run_tool("predict", model, data, *words, "--scores", "-o", "scores.csv", "--quiet")
        return rows_of(self.folder / "scores.csv")

    def test_equal_the_matrix_of_brute_force_counts_also_for_new_substrings(self):
        new = ["GGGGGGACGAXYZXYZ", "TTCATTCA", "QQQQQQQ", "AC", self.strings[0]]
        self.write("new.fasta", "".join(f">n\n{text}\n" for text in new))
        longest = max(map(len, self.strings))
        new.append(self.strings[1] * 3 + "GATTACA" * longest)  # no string of the training is longer
        for length, normalise in ((2, False), (3, True), (5, True)):
            kernel = f"spectrum(length={length})"
            kernel = f"normalize({kernel})" if normalise else kernel
            report = self.json_of("train", "s.fasta", "--label", "last-word", "--learner", "svc",
                                  "--kernel", kernel, "--tolerance", "1e-9", "--verify",
                                  "-o", "m.mm")  # fmt: skip
            self.assertTrue(report["verified"])
            self.write_matrix("k.csv", self.matrix(length, normalise), self.labels)
            by_hand = self.json_of("train", "k.csv", "--learner", "svc", "--kernel", "precomputed",
                                   "--tolerance", "1e-9", "-o", "k.mm")  # fmt: skip
            self.assertAlmostEqual(
                report["primal_objective"], by_hand["primal_objective"], places=5
            )
            if normalise:
                new_here = [text for text in new if len(text) >= length]
            else:
                new_here = new
            self.write("n.fasta", "".join(f">n\n{text}\n" for text in new_here))
            self.write_matrix("n.csv", self.matrix(length, normalise, new_here),
                              ["?"] * len(new_here))  # fmt: skip
            for x, z in zip(self.scores("m.mm", "n.fasta"), self.scores("k.mm", "n.csv")):
                self.assertAlmostEqual(x[0], z[0], places=4)

    def test_fasta_tables_and_label_files_give_the_same_model(self):
        words = ["--learner", "svc", "--kernel", "normalize(spectrum(length=4))", "-o"]
        self.run_tool("train", "s.fasta", "--label", "last-word", *words, "a.mm")
        self.run_tool("train", "s.fasta", "--labels", "labels.txt", *words, "b.mm")
        self.run_tool("train", "s.csv", "--strings", "text", *words, "c.mm")
        self.run_tool("train", "s.fasta", "--label", "last-word", *words, "d.mm",
                      "--model-format", "binary")  # fmt: skip
        models = [(self.folder / name).read_bytes() for name in ("a.mm", "b.mm", "c.mm")]
        self.assertEqual(models[0], models[1])
        self.assertEqual(models[0], models[2])
        self.assertEqual(
            self.scores("a.mm", "s.fasta"), self.scores("d.mm", "s.csv", "--strings", "text")
        )
        report = self.json_of("predict", "a.mm", "s.csv", "--strings", "text")
        self.assertGreater(report["metrics"]["accuracy"], 0.9)
        self.assertEqual(report.get("warnings", []), [])
        checked = self.json_of("info", "a.mm", "--verify", "s.csv", "--strings", "2")
        self.assertTrue(checked["verified"])

    def test_are_clustered_tuned_and_projected(self):
        report = self.json_of("cluster", "s.fasta", "--label", "last-word", "--method",
                              "kernel-kmeans", "-k", "2", "--kernel", "normalize(spectrum)",
                              "--model", "c.mm")  # fmt: skip
        self.assertEqual(report["options"]["kernel"], "normalize(spectrum(length=3))")
        self.run_tool("predict", "c.mm", "s.fasta", "--quiet")
        tuned = self.json_of("tune", "s.fasta", "--label", "last-word", "--learner", "svc",
                             "--kernel", "normalize(spectrum)", "--grid",
                             "spectrum.length=2,4;C=1,10")  # fmt: skip
        self.assertEqual(len(tuned["table"]), 4)
        plain = self.json_of("tune", "s.fasta", "--label", "last-word", "--learner", "svc",
                             "--kernel", "spectrum", "--grid", "spectrum.length=2,3")  # fmt: skip
        self.assertEqual(len(plain["table"]), 2)
        self.run_tool("convert", "s.fasta", "p.csv", "--label", "last-word", "--project",
                      "kernel-pca", "--kernel", "spectrum", "--components", "2")  # fmt: skip
        self.assertEqual(len(rows_of_labels(self.folder / "p.csv")), 40)

    def test_are_drawn_by_their_kernel_and_have_no_measures_of_features(self):
        words = ["s.fasta", "--labels", "labels.txt", "-k", "2", "--kernel", "normalize(spectrum)"]
        self.run_tool("cluster", *words, "--method", "kernel-kmeans", "--plot", "s.svg", "-o", "c")
        self.assertIn("kernel principal component 1", (self.folder / "s.svg").read_text())
        report = self.json_of("cluster", *words, "--method", "relabeler", "-o", "c")
        self.assertNotIn("inertia", report["metrics"])

    def refused(self, problem, *words):
        done = self.run_tool(*words, code=1)
        self.assertIn(problem, done.stderr.splitlines()[0])

    def test_what_does_not_fit_is_refused(self):
        spectrum = ["--learner", "svc", "--kernel", "spectrum", "-o", "x.mm"]
        self.refused("holds numbers; strings come", "train", "builtin:iris", *spectrum)
        self.refused("holds strings: they need --kernel spectrum", "train", "s.fasta", "--labels",
                     "labels.txt", "--learner", "svc", "-o", "x.mm")  # fmt: skip
        self.refused("holds strings", "train", "s.fasta", "--labels", "labels.txt", "--learner",
                     "linear-svc", "-o", "x.mm")  # fmt: skip
        self.refused("holds strings", "cluster", "s.fasta", "--method", "kmeans", "-k", "2")
        self.refused("holds strings, a comparison of clusterings takes numbers", "cluster",
                     "s.fasta", "--compare", "kmeans,kernel-kmeans", "-k", "2")  # fmt: skip
        self.refused("holds strings, the learner rank takes numbers", "train", "s.fasta", "--format",
                     "fasta", "--label", "last-word", "--learner", "rank", "-o",
                     "x.mm")  # fmt: skip
        self.refused("there is nothing between strings", "cluster", "s.fasta", "--method",
                     "sv-clustering", "--kernel", "spectrum")  # fmt: skip
        self.refused("--scale: strings have no features", "train", "s.fasta", "--labels",
                     "labels.txt", *spectrum, "--scale", "standard")  # fmt: skip
        self.refused("length must be a whole number", "train", "s.fasta", "--learner", "svc",
                     "--kernel", "spectrum(length=0)")  # fmt: skip
        self.refused("holds strings", "convert", "s.fasta", "s.svm")
        self.run_tool("train", "s.fasta", "--labels", "labels.txt", *spectrum, "-o", "m.mm")
        self.run_tool("train", "builtin:iris", "--learner", "svc", "-o", "iris.mm")
        self.refused("holds numbers", "predict", "m.mm", "builtin:iris")
        self.refused("holds strings", "predict", "iris.mm", "s.fasta")
        self.run_tool("convert", "builtin:iris", "p.csv", "--project", "pca", "--model", "pca.mm")
        self.refused("holds strings", "convert", "s.fasta", "q.csv", "--label", "last-word",
                     "--project", "pca.mm")  # fmt: skip
        self.write("empty.fasta", ">a\n>b\nACG\n")
        done = self.run_tool("train", "empty.fasta", *spectrum, code=1)
        self.assertIn("empty.fasta:1:1: the sequence of this header is empty", done.stderr)
        self.write("plain.txt", "ACGT\n")
        done = self.run_tool("train", "plain.txt", "--format", "fasta", *spectrum, code=1)
        self.assertIn("plain.txt:1:1: \"ACGT\" stands before the first header", done.stderr)


def rows_of_labels(path):
    with open(path) as file:
        return list(csv.reader(file))[1:]


class Mercer(ToolTest):
    MATRIX = "2,3,0\n3,2,0\n0,0,1\n"  # eigenvalues 5, 1, -1

    def check(self, *words):
        self.write("k.csv", self.MATRIX)
        return self.json_of("info", "k.csv", "--mercer", "--kernel", "precomputed", "--label",
                            "none", *words)  # fmt: skip

    def test_measures_a_known_spectrum(self):
        report = self.check()
        self.assertAlmostEqual(report["least_eigenvalue"], -1, places=12)
        self.assertAlmostEqual(report["largest_eigenvalue"], 5, places=12)
        self.assertEqual(report["negative_eigenvalues"], 1)
        self.assertAlmostEqual(report["negative_mass"], 1, places=12)
        self.assertAlmostEqual(report["negative_share"], 1 / 7, places=12)
        self.assertFalse(report["positive_semidefinite"])
        self.assertEqual(report["asymmetry"], 0)

    def test_repairs_and_says_what_they_change(self):
        norm = math.sqrt(27)
        for repair, least, largest, change in (
            ("clip", 0, 5, 1 / norm),
            ("flip", 1, 5, 2 / norm),
            ("shift", 0, 6, math.sqrt(3) / norm),
        ):
            report = self.check("--repair", repair, "-o", f"{repair}.npy")
            self.assertEqual(report["repair"], repair)
            self.assertAlmostEqual(report["repaired_least_eigenvalue"], least, places=12)
            self.assertAlmostEqual(report["repaired_largest_eigenvalue"], largest, places=12)
            self.assertAlmostEqual(report["relative_change"], change, places=12)
            again = self.json_of("info", f"{repair}.npy", "--mercer", "--kernel", "precomputed")
            self.assertTrue(again["positive_semidefinite"])

    def test_a_repaired_matrix_trains_a_machine(self):
        words = ["--mercer", "--kernel", "sigmoid(gamma=0.01)"]
        bad = self.json_of("info", "builtin:iris", *words, "--repair", "clip", "-o", "k.npy")
        self.assertFalse(bad["positive_semidefinite"])
        self.write("labels.txt", "\n".join(str(i // 50) for i in range(150)) + "\n")
        report = self.json_of("train", "k.npy", "--learner", "svc", "--kernel", "precomputed",
                              "--labels", "labels.txt", "-o", "m.mm")  # fmt: skip
        self.assertEqual(report["status"], "solved")

    def test_kernels_that_are_sound(self):
        for kernel in ("rbf", "center(rbf)", "iterate(sentropic(gamma=1))", "rbf*linear+cosine"):
            report = self.json_of("info", "builtin:iris", "--mercer", "--kernel", kernel)
            self.assertTrue(report["positive_semidefinite"], kernel)
            self.assertEqual(report["negative_eigenvalues"], 0)

    def test_report_and_matrix_are_two_files(self):
        words = ["info", "builtin:iris", "--mercer", "-o", "both.out", "--json"]
        done = self.run_tool(*words, "both.out", code=1)
        self.assertIn("--output and --json must not write to the same file", done.stderr)
        self.assertEqual(self.files(), [])
        self.run_tool(*words, "nowhere/report.json", code=1)
        self.assertEqual(self.files(), [])

    def test_wrong_words_are_refused(self):
        for words in (["--repair", "clip"], ["--kernel", "rbf"], ["-o", "k.npy"]):
            done = self.run_tool("info", "builtin:iris", *words, code=1)
            self.assertIn("belongs to --mercer", done.stderr)
        done = self.run_tool("info", "builtin:iris", "--mercer", "--repair", "mend", code=1)
        self.assertIn("clip, flip, shift", done.stderr)
