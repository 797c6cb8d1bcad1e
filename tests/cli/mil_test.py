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

    def test_resumes_to_the_same_bytes(self):
        whole, rest, state = (self.folder / name for name in ("whole.mm", "rest.mm", "state"))
        words = ["-C", "10", "--restarts", "3", "--tolerance", "1e-4"]
        self.train(*words, "-o", whole)
        self.train(*words, "-o", self.folder / "first.mm", "--checkpoint", state,
                   "--checkpoint-every", "0")  # fmt: skip
        self.train(*words, "-o", rest, "--checkpoint", state, "--resume")
        with open(whole, "rb") as a, open(rest, "rb") as b:
            self.assertEqual(a.read(), b.read())

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
        refused([self.write("again.csv", again), *self.columns], "again.csv")
        empty = table_of(self.rows).replace("m3,", ",", 1)
        refused([self.write("empty.csv", empty), *self.columns], "empty.csv", "bag")
        sizes = self.write("sizes.txt", f"0\n{len(self.rows)}\n")
        refused([numbers, "--label", "1", "--bag", sizes], "sizes.txt:1", "a whole number >= 1, found \"0\"")
        refused([self.data, *self.columns, "--margin", "row"], "--margin")
        refused([self.data, *self.columns, "--kernel", "sigmoid"], "--kernel")
        refused([self.data, *self.columns, "--restarts", "0"], "--restarts")
        refused([self.data, *self.columns, "--bias-scale", "0"], "--bias-scale 0")
        refused([self.data, *self.columns, "--start", "weights"], "--start")
        refused([self.data, *self.columns, "--solver", "mira", "--checkpoint", "x"], "mira")


if __name__ == "__main__":
    unittest.main()
