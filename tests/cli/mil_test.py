# SPDX-License-Identifier: Apache-2.0
"""Bags of rows as a user meets them."""

import csv
import io
import random
import unittest

from tool import ToolTest


def bags(seed, count=30, largest=4):
    """(bag, label, features) of every row; one row of a positive bag is moved."""
    rng = random.Random(seed)
    rows = []
    for bag in range(count):
        size = rng.randint(1, largest)
        witness = rng.randrange(size)
        for h in range(size):
            x = [round(rng.gauss(0, 1), 3) for _ in range(3)]
            if bag % 2 == 0 and h == witness:
                x[0] += 3
            rows.append((f"m{bag}", "yes" if bag % 2 == 0 else "no", x))
    return rows


def table_of(rows):
    lines = ["kind,molecule,a,b,c"]
    lines += [f"{label},{bag}," + ",".join(map(str, x)) for bag, label, x in rows]
    return "\n".join(lines) + "\n"


def svmlight_of(rows):
    return "".join(
        f"{1 if label == 'yes' else -1} qid:{bag[1:]} "
        + " ".join(f"{j + 1}:{value}" for j, value in enumerate(x)) + "\n"
        for bag, label, x in rows
    )  # fmt: skip


class Mil(ToolTest):
    def setUp(self):
        super().setUp()
        self.rows = bags(1)
        self.data = self.write("bags.csv", table_of(self.rows))
        self.columns = ["--label", "kind", "--bag", "molecule"]

    def train(self, *words, data=None, columns=None):
        columns = self.columns if columns is None else columns
        words = words if "-o" in words else (*words, "-o", "model.mm")
        return self.json_of("train", data or self.data, "--learner", "mil", *columns, *words)

    def answer(self, *words):
        return self.run_tool("predict", *words, "-o", "answer").stdout, (
            self.folder / "answer"
        ).read_text()

    def test_trains_predicts_and_verifies(self):
        model = self.folder / "m.mm"
        report = self.train("-o", model, "--verify", "--restarts", "3")
        self.assertEqual(report["status"], "local_optimum")
        self.assertTrue(report["verified"])
        self.assertEqual(report["metrics"]["bags"], 30)
        self.assertGreater(report["metrics"]["accuracy"], 0.8)
        self.assertEqual(len(report["runs"]), 3)
        falling = [step["objective"] for step in report["trace"]]
        self.assertEqual(falling, sorted(falling, reverse=True))
        self.assertIn(report["bound"], ("certified", "vacuous"))
        labels = self.answer(model, self.data, *self.columns)[1].split()
        self.assertEqual(len(labels), 30)
        self.assertLessEqual(set(labels), {"yes", "no"})
        answers = self.write("answers.txt", "\n".join(labels) + "\n")
        measured = self.json_of("eval", self.data, answers, "--task", "mil", *self.columns)
        self.assertEqual(measured["metrics"]["accuracy"], report["metrics"]["accuracy"])

    def test_instances_name_the_witness(self):
        model = self.folder / "m.mm"
        self.train("-o", model)
        text = self.answer(model, self.data, *self.columns, "--instances")[1]
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual(len(rows), len(self.rows))
        best = {}
        for row in rows:
            best[row["bag"]] = max(best.get(row["bag"], float("-inf")), float(row["score"]))
        for row in rows:
            self.assertEqual(row["witness"] == "1", float(row["score"]) == best[row["bag"]])
        bags_text = self.answer(model, self.data, *self.columns, "--scores")[1]
        for row in csv.DictReader(io.StringIO(bags_text)):
            self.assertEqual(float(row["score"]), best[row["bag"]])
            self.assertEqual(row["label"] == "yes", float(row["score"]) > 0)

    def test_three_ways_to_name_bags_agree(self):
        sizes = {}
        for bag, _, _ in self.rows:
            sizes[bag] = sizes.get(bag, 0) + 1
        svm = self.write("bags.svm", svmlight_of(self.rows))
        plain = self.write("plain.csv", "".join(
            f"{label}," + ",".join(map(str, x)) + "\n" for _, label, x in self.rows))  # fmt: skip
        listed = self.write("sizes.txt", "".join(f"{n}\n" for n in sizes.values()))
        objectives = [
            self.train()["primal_objective"],
            self.train(data=svm, columns=[])["primal_objective"],
            self.train(data=plain, columns=["--label", "1", "--bag", listed])["primal_objective"],
        ]
        self.assertEqual(len(set(objectives)), 1, objectives)

    def test_names_of_bags_are_text(self):
        numbers = "bag,kind,x\n1,yes,3\n1,yes,1\n01,no,-1\n01,no,-2\n2,no,0\n"
        report = self.train(data=self.write("numbers.csv", numbers), columns=["--label", "kind", "--bag", "bag"])
        self.assertEqual(report["metrics"]["bags"], 3)

    def test_starts_from_the_weights_of_a_model(self):
        first = self.train("--tolerance", "1e-5", "-o", "first.mm")
        again = ["--start", "weights", "--start-model", "first.mm"]
        # From a stationary point nothing is gained, whatever the scale of the features.
        for scale in ("none", "standard", "range"):
            with self.subTest(scale):
                self.train("--tolerance", "1e-5", "--scale", scale, "-o", "own.mm")
                report = self.train("--scale", scale, "--start", "weights", "--start-model", "own.mm")
                self.assertLessEqual(report["iterations"], 1)
        report = self.train(*again, "--verify")
        self.assertLessEqual(report["primal_objective"], first["primal_objective"] * (1 + 1e-6))
        self.assertTrue(report["verified"])
        # Weights of other scales are those of the same function.
        other = self.train("--scale", "standard", *again)
        self.assertGreater(other["metrics"]["accuracy"], 0.8)
        self.json_of("train", "builtin:iris", "--learner", "linear-svc", "-o", "svc.mm")
        for file, problem in (("svc.mm", "is a model of linear-svc, not of mil"), ("none.mm", "none.mm")):
            done = self.run_tool("train", self.data, "--learner", "mil", *self.columns, "--start", "weights",
                                 "--start-model", file, "-o", "x.mm", code=1)  # fmt: skip
            self.assertIn(problem, done.stderr)

    def test_is_tuned_and_measured_on_folds(self):
        common = [self.data, "--learner", "mil", *self.columns, "--folds", 3]
        found = self.json_of("train", *common, "-C", 1)
        self.assertEqual(len(found["folds"]), 3)
        mean = sum(row["accuracy"] for row in found["folds"]) / 3
        self.assertAlmostEqual(found["metrics"]["accuracy"], mean)
        tuned = self.json_of("tune", *common, "--grid", "C=1e-9,1", "-o", "best.mm", "--verify")
        self.assertEqual(tuned["options"]["chosen"], "C=1")
        self.assertTrue(tuned["verified"])
        self.assertEqual([row["chosen"] for row in tuned["table"]], [False, True])
        self.assertAlmostEqual(tuned["table"][1]["accuracy"], mean)
        for words, problem in ((["--metric", "mse"], "--metric mse"),
                               (["--checkpoint", "c"], "--checkpoint has no use"),
                               (["-o", "x.mm"], "-o has no use")):  # fmt: skip
            self.assertIn(problem, self.run_tool("train", *common, *words, code=1).stderr)
        done = self.run_tool("train", *common[:-1], 1000, code=1)
        self.assertIn("--folds 1000: more than there are bags (30)", done.stderr)

    def test_killed_runs_end_with_the_same_model(self):
        words = ["-C", "10", "--restarts", "3", "--tolerance", "1e-4"]
        for margin in ("bag", "instance"):
            with self.subTest(margin):
                self.check_that_killed_runs_end_alike(
                    "train", self.data, "--learner", "mil", *self.columns, "--margin", margin, *words)  # fmt: skip

    def test_bad_input(self):
        def refused(words, *parts):
            problem = self.run_tool(
                "train", *words, "--learner", "mil", "-o", "x.mm", code=1
            ).stderr
            for part in parts:
                self.assertIn(part, problem)

        numbers = self.write("numbers.csv", "1,2,0.5\n-1,3,0.25\n")
        refused([numbers, "--label", "1"], "numbers.csv", "--bag")
        refused([self.data, "--label", "kind", "--bag", "molekule"], "molekule")
        refused([self.data, "--label", "kind", "--bag", "kind"], "same column")
        mixed = table_of(self.rows[:1] + [(self.rows[0][0], "no", [0, 0, 0])] + self.rows[1:])
        refused([self.write("mixed.csv", mixed), *self.columns], "mixed.csv", "row 2", "label")
        again = table_of(self.rows + [self.rows[0]])
        refused([self.write("again.csv", again), *self.columns], "again.csv", f"row {len(self.rows) + 1} (from 1)",
                "bag")  # fmt: skip
        empty = table_of(self.rows).replace("m3,", ",", 1)
        refused([self.write("empty.csv", empty), *self.columns], "empty.csv", "bag")
        sizes = self.write("sizes.txt", f"0\n{len(self.rows)}\n")
        refused([numbers, "--label", "1", "--bag", sizes], "sizes.txt:1", "a whole number >= 1, found \"0\"")
        refused([self.data, *self.columns, "--margin", "row"], "--margin")
        refused([self.data, *self.columns, "--kernel", "sigmoid"], "--kernel")
        refused([self.data, *self.columns, "--restarts", "0"], "--restarts")
        refused([self.data, *self.columns, "--bias-scale", "0"], "--bias-scale 0")
        refused([self.data, *self.columns, "--start", "weights"], "--start weights: needs --start-model FILE")
        refused([self.data, *self.columns, "--start-model", "m.mm"], "--start-model: belongs to --start weights")
        refused([self.data, *self.columns, "--start", "weights", "--start-model", "m.mm", "--kernel", "rbf"],
                "with a kernel there are no weights")  # fmt: skip
        refused([self.data, *self.columns, "--solver", "mira", "--checkpoint", "x"], "mira")


if __name__ == "__main__":
    unittest.main()
