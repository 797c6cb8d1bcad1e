# SPDX-License-Identifier: Apache-2.0
"""Sets of labels as a user meets them."""

import random
import unittest

from tool import ToolTest

FEATURES = 3


def rows(seed, count=80):
    """(set of labels, features): each label follows a column, with noise."""
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        x = [round(rng.gauss(0, 1), 3) for _ in range(FEATURES)]
        labels = [label for label, value in zip((1, 5, 7), x) if value + rng.gauss(0, 0.3) > 0.2]
        made.append((labels, x))
    return made


def text_of(made):
    return "".join(
        ",".join(map(str, labels)) + " " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x)) + "\n"
        for labels, x in made
    )


class Multilabel(ToolTest):
    def setUp(self):
        super().setUp()
        self.made = rows(1)
        self.train = self.write("train.svm", text_of(self.made))
        self.new = rows(2)
        self.test = self.write("test.svm", text_of(self.new))

    def train_model(self, *words, code=0, data=None):
        return self.json_of("train", data or self.train, "--learner", "multilabel", "-o", "m.mm", *words,
                            code=code)  # fmt: skip

    def test_learns_sets_and_writes_them(self):
        report = self.train_model("--verify")
        self.assertEqual(report["status"], "solved")
        self.assertTrue(report["verified"])
        answer = self.json_of("predict", "m.mm", self.test, "-o", "sets.txt")
        lines = (self.folder / "sets.txt").read_text().split("\n")[:-1]
        self.assertEqual(len(lines), 80)
        sets = [[int(label) for label in line.split(",") if label] for line in lines]
        wrong = sum(len(set(a) ^ set(b)) for (a, _), b in zip(self.new, sets))
        self.assertAlmostEqual(answer["metrics"]["hamming_loss"], wrong / 240, 12)
        self.assertLess(wrong / 240, 0.2)
        right = sum(a == b for (a, _), b in zip(self.new, sets))
        self.assertAlmostEqual(answer["metrics"]["subset_accuracy"], right / 80, 12)
        row = answer["labels"][1]
        self.assertEqual(row["label"], "5")
        said = sum(5 in b for b in sets)
        both = sum(5 in a and 5 in b for (a, _), b in zip(self.new, sets))
        self.assertAlmostEqual(row["precision"], both / said, 12)
        self.assertAlmostEqual(row["recall"], both / sum(5 in a for a, _ in self.new), 12)
        found = self.json_of("eval", self.test, "sets.txt", "--task", "multilabel", "--format", "svmlight")
        self.assertEqual(found["metrics"], answer["metrics"])
        self.assertIn("multilabel", self.run_tool("info", "m.mm").stdout)
        scores = self.run_tool("predict", "m.mm", self.test, "--scores", "--quiet").stdout.splitlines()
        self.assertEqual(scores[0], "1,5,7")
        by_sign = [[label for label, s in zip((1, 5, 7), row.split(",")) if float(s) >= 0]
                   for row in scores[1:]]  # fmt: skip
        self.assertEqual(by_sign, sets)

    def test_is_a_linear_machine_for_each_label(self):
        report = self.train_model("-C", 0.3, "--tolerance", 1e-4)
        primal = dual = 0
        for label in (1, 5, 7):
            one = self.write("one.svm", text_of([([1 if label in labels else -1], x) for labels, x in self.made]))
            twin = self.json_of("train", one, "--learner", "linear-svc", "-C", 0.3, "--tolerance", 1e-5,
                                "-o", "twin.mm")  # fmt: skip
            primal += twin["primal_objective"]
            dual += twin["dual_objective"]
        self.assertLessEqual(report["dual_objective"], primal)
        self.assertLessEqual(dual, report["primal_objective"])

    def test_solvers_and_rescalings(self):
        for words in ((), ("--rescaling", "slack"), ("--interactions",), ("--no-bias",)):
            primals, duals = [], []
            for solver in ("bcfw", "one-slack", "n-slack"):
                report = self.train_model("--solver", solver, "-C", 0.2, "--verify", *words)
                self.assertEqual(report["status"], "solved", (solver, words))
                self.assertTrue(report["verified"])
                primals.append(report["primal_objective"])
                duals.append(report["dual_objective"])
            self.assertLessEqual(max(duals), min(primals))

    def test_interactions_tell_what_single_labels_cannot(self):
        # Label 2 is there just when label 1 is not, whatever the features say.
        rng = random.Random(3)
        made = [([1] if rng.random() < 0.5 else [2], [1, 0, 0]) for _ in range(40)]
        data = self.write("pairs.svm", text_of(made))
        self.train_model("--interactions", "-C", 10, data=data)
        sets = self.run_tool("predict", "m.mm", data, "--quiet").stdout.split()
        self.assertTrue(all(line in ("1", "2") for line in sets), sets[:3])
        self.assertEqual(len(sets), 40)

    def test_new_and_missing_labels(self):
        self.train_model()
        new = self.write("new.svm", "1,9 1:1\n 2:1\n7 3:1\n")
        report = self.json_of("predict", "m.mm", new)
        self.assertTrue(any("9" in warning and "errors" in warning for warning in report["warnings"]))
        self.assertEqual([row["label"] for row in report["labels"]], ["1", "5", "7", "9"])
        bare = self.write("bare.svm", "1:1\n2:1\n")
        self.assertEqual(self.json_of("predict", "m.mm", bare)["metrics"], {})
        # One label a row is a set as well.
        single = self.write("single.svm", "1 1:1\n2 2:1\n1 1:2\n")
        self.train_model(data=single)

    def test_scale_threads_and_checkpoints(self):
        report = self.train_model("--scale", "range")
        again = self.json_of("predict", "m.mm", self.train)
        self.assertEqual(again["metrics"]["hamming_loss"], report["metrics"]["hamming_loss"])
        models = []
        for threads in (1, 3):
            self.train_model("--threads", threads, "--checkpoint", "state", "--checkpoint-every", 0, "--resume")
            models.append((self.folder / "m.mm").read_bytes())
        self.assertEqual(models[0], models[1])
        self.assertIn("state", self.files())

    def test_bad_input_names_the_place(self):
        broken = self.write("broken.svm", "1,2 1:1\n1,,2 1:1\n")
        done = self.run_tool("train", broken, "--learner", "multilabel", "-o", "n.mm", code=1)
        self.assertIn("broken.svm:2", done.stderr)
        for data, message in ((self.write("bare.svm", "1:1\n2:1\n"), "no labels"),
                              ("builtin:iris", "svmlight"), (self.write("empty.svm", ""), "empty.svm")):  # fmt: skip
            done = self.run_tool("train", data, "--learner", "multilabel", "-o", "n.mm", code=1)
            self.assertIn(message, done.stderr)
        many = self.write("many.svm", "".join(f"{i},{i + 1} 1:{i}\n" for i in range(30)))
        done = self.run_tool("train", many, "--learner", "multilabel", "--interactions", "-o", "n.mm", code=1)
        self.assertIn("at most 20", done.stderr)
        self.run_tool("train", self.train, "--learner", "multilabel", "-o", "n.mm", "--groups", "x", code=1)
        # An online solver has no objective to compare with, whatever it learns.
        for learner in ("multilabel", "multiclass"):
            report = self.json_of("train", "builtin:iris" if learner == "multiclass" else self.train, "--learner",
                                  learner, "-o", "n.mm", "--solver", "mira", "--verify", code=2)  # fmt: skip
            self.assertIsNone(report["verified"])
            self.assertIn("--solver mira", report["verify_reason"])
        short = self.write("short.txt", "1\n\n")
        done = self.run_tool("eval", self.test, short, "--task", "multilabel", code=1)
        self.assertIn("holds 2 sets", done.stderr)
        self.train_model()
        self.run_tool("predict", "m.mm", self.test, "--n-best", 2, code=1)
        self.run_tool("predict", "m.mm", self.test, "--probabilities", code=1)
        damaged = (self.folder / "m.mm").read_bytes()
        self.write("m.mm", damaged[:-20])
        self.run_tool("predict", "m.mm", self.test, code=1)


if __name__ == "__main__":
    unittest.main()
