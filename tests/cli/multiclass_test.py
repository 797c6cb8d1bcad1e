# SPDX-License-Identifier: Apache-2.0
"""Classes by the structural machine, with trees and costs, as a user meets them."""

import unittest

from tool import ToolTest

TREE = "versicolor late\nvirginica late\nlate iris\nsetosa iris\n"
#: Half the edges between two leaves.
TREE_LOSS = {("versicolor", "virginica"): 1, ("setosa", "versicolor"): 1.5, ("setosa", "virginica"): 1.5}


def tree_loss(a, b):
    return 0 if a == b else TREE_LOSS[min(a, b), max(a, b)]


class Multiclass(ToolTest):
    def train_model(self, *words, code=0, data="builtin:iris"):
        return self.json_of("train", data, "--learner", "multiclass", "-o", "m.mm", *words, code=code)

    def predicted(self, *words, data="builtin:iris"):
        return self.run_tool("predict", "m.mm", data, "--quiet", *words).stdout.split()

    def truth(self):
        table = self.run_tool("convert", "builtin:iris", "iris.csv")
        self.assertEqual(table.stdout, "")
        return [line.split(",")[-1] for line in (self.folder / "iris.csv").read_text().splitlines()[1:]]

    def test_is_the_machine_of_crammer_and_singer(self):
        for words in ((), ("--no-bias",), ("--class-weight", "virginica=3")):
            for c in (0.03, 1):
                twin = self.json_of("train", "builtin:iris", "--learner", "cs-svc", "--kernel", "linear",
                                    "-C", c, "--tolerance", 1e-5, "-o", "twin.mm", *words)  # fmt: skip
                for solver in ("bcfw", "one-slack", "n-slack"):
                    report = self.train_model("-C", c, "--solver", solver, "--verify", *words)
                    self.assertEqual(report["status"], "solved")
                    self.assertTrue(report["verified"])
                    self.assertLessEqual(report["dual_objective"], twin["primal_objective"])
                    self.assertLessEqual(twin["dual_objective"], report["primal_objective"])
                    self.assertLessEqual(report["relative_gap"], 1e-3)

    def test_reads_what_the_others_read(self):
        report = self.train_model("-C", 1)
        self.assertGreater(report["metrics"]["accuracy"], 0.93)
        self.truth()
        again = self.train_model("-C", 1, "--label", "target" if "target" in self.header() else "5",
                                 data="iris.csv")  # fmt: skip
        self.assertEqual(again["primal_objective"], report["primal_objective"])
        self.assertIn("multiclass", self.run_tool("info", "m.mm").stdout)
        scores = self.run_tool("predict", "m.mm", "builtin:iris", "--scores", "--quiet").stdout.splitlines()
        self.assertEqual(scores[0], "setosa,versicolor,virginica")
        best = [max(zip(map(float, row.split(",")), scores[0].split(",")))[1] for row in scores[1:]]
        self.assertEqual(best, self.predicted())
        margins = self.run_tool("predict", "m.mm", "builtin:iris", "--margins", "--quiet").stdout.splitlines()
        top = self.run_tool("predict", "m.mm", "builtin:iris", "--n-best", 2, "--quiet").stdout.splitlines()
        for i, row in enumerate(scores[1:]):
            first, second = sorted(map(float, row.split(",")), reverse=True)[:2]
            margin, label = margins[i].split("\t")
            self.assertEqual(label, best[i])
            self.assertAlmostEqual(float(margin), first - second, 12)
            self.assertEqual(top[4 * i + 1], best[i])
            self.assertEqual(float(top[4 * i + 2].split("= ")[1]), second)
        self.run_tool("predict", "m.mm", "builtin:iris", "--margins", "--scores", code=1)
        scaled = self.train_model("-C", 1, "--scale", "range")
        self.assertEqual(
            self.json_of("predict", "m.mm", "builtin:iris")["metrics"]["accuracy"],
            scaled["metrics"]["accuracy"],
        )

    def header(self):
        return (self.folder / "iris.csv").read_text().splitlines()[0]

    def test_a_tree_has_its_loss(self):
        tree = self.write("tree.txt", TREE)
        for words in ((), ("--rescaling", "slack"), ("--solver", "one-slack")):
            report = self.train_model("--taxonomy", tree, "--verify", *words)
            self.assertEqual(report["status"], "solved")
            self.assertTrue(report["verified"])
        truth = self.truth()
        answer = self.json_of("predict", "m.mm", "builtin:iris", "-o", "labels.txt")
        labels = (self.folder / "labels.txt").read_text().split()
        expected = sum(tree_loss(a, b) for a, b in zip(truth, labels)) / len(truth)
        self.assertAlmostEqual(answer["metrics"]["tree_loss"], expected, 12)
        self.assertEqual([row["label"] for row in answer["labels"]], ["setosa", "versicolor", "virginica"])
        found = self.json_of("eval", "builtin:iris", "labels.txt", "--task", "multiclass", "--taxonomy", tree)
        self.assertEqual(found["metrics"], answer["metrics"])
        # By hand: setosa called virginica costs three halves.
        self.write("wrong.txt", "virginica\n" * 50 + "versicolor\n" * 50 + "virginica\n" * 50)
        self.write("right.txt", "\n".join(sorted(truth)) + "\n")
        found = self.json_of("eval", "right.txt", "wrong.txt", "--task", "multiclass", "--taxonomy", tree)
        self.assertAlmostEqual(found["metrics"]["tree_loss"], 0.5, 12)

    def test_classes_at_the_top_are_no_tree(self):
        flat = self.train_model("-C", 0.1)
        tree = self.write("tree.txt", "setosa\nversicolor\nvirginica\n")
        report = self.train_model("-C", 0.1, "--taxonomy", tree)
        self.assertLessEqual(report["dual_objective"], flat["primal_objective"])
        self.assertLessEqual(flat["dual_objective"], report["primal_objective"])

    def test_inner_nodes_can_be_classes(self):
        tree = self.write("tree.txt", TREE)
        self.truth()
        text = (self.folder / "iris.csv").read_text().replace("virginica", "late")
        data = self.write("inner.csv", text)
        done = self.run_tool("train", data, "--learner", "multiclass", "--taxonomy", tree, "-o", "n.mm", code=1)
        self.assertIn("late", done.stderr)
        self.train_model("--taxonomy", tree, "--inner-nodes", data=data)
        self.assertIn("late", self.predicted(data=data))

    def test_dear_mistakes_become_rare(self):
        costs = self.write("costs.txt", "# true predicted cost\nversicolor virginica 50\n")
        counts = []
        truth = self.truth()
        for words in ((), ("--cost-matrix", costs)):
            report = self.train_model("-C", 0.05, *words)
            labels = self.predicted()
            counts.append(sum(a == "versicolor" and b == "virginica" for a, b in zip(truth, labels)))
        self.assertLess(counts[1], counts[0])
        wrong = sum(a != b for a, b in zip(truth, labels))
        self.assertAlmostEqual(report["metrics"]["mean_cost"], (wrong + 49 * counts[1]) / 150, 12)
        self.assertEqual(self.json_of("predict", "m.mm", "builtin:iris")["metrics"]["mean_cost"],
                         report["metrics"]["mean_cost"])  # fmt: skip

    def test_costs_of_a_model_are_costs(self):
        costs = self.write("costs.txt", "versicolor virginica 50\n")
        self.train_model("-C", 0.05, "--cost-matrix", costs)
        for wrong in (b"nan", b"inf", b"-1"):
            self.changed_model("m.mm", rb"\b50\b", wrong)
            done = self.run_tool("predict", "changed.mm", "builtin:iris", code=1)
            self.assertIn("changed.mm: costs holds a number that is no cost", done.stderr)

    def test_a_new_label_is_an_error_counted(self):
        tree = self.write("tree.txt", TREE)
        self.train_model("--taxonomy", tree)
        self.truth()
        data = self.write("new.csv", (self.folder / "iris.csv").read_text().replace("setosa", "lily"))
        report = self.json_of("predict", "m.mm", data)
        self.assertGreaterEqual(report["metrics"]["error"], 1 / 3)
        self.assertTrue(any("lily" in warning for warning in report["warnings"]))
        self.assertTrue(any("leaves out 50 rows" in warning for warning in report["warnings"]))

    def test_bad_input_names_the_place(self):
        good = self.write("tree.txt", TREE)
        twice = self.write("twice.txt", TREE + "setosa late\n")
        less = self.write("less.txt", "setosa\nversicolor\n")
        other = self.write("costs.txt", "setosa versicolor 2\nlily setosa 2\n")
        odd = self.write("odd.txt", "setosa versicolor -2\n")
        for words, message in (
            (("--taxonomy", twice), "twice.txt:5"),
            (("--taxonomy", less), "virginica"),
            (("--taxonomy", "none.txt"), "none.txt"),
            (("--cost-matrix", other), "costs.txt:2"),
            (("--cost-matrix", odd), "odd.txt:1"),
            (("--cost-matrix", odd, "--taxonomy", good), "exclude"),
            (("--inner-nodes",), "--taxonomy"),
            (("--rescaling", "both"), "--rescaling"),
            (("--kernel", "rbf"), "--kernel"),
            (("--class-weight", "lily=2"), "lily"),
        ):
            done = self.run_tool("train", "builtin:iris", "--learner", "multiclass", "-o", "n.mm", *words,
                                 code=1)  # fmt: skip
            self.assertIn(message, done.stderr)
        one = self.write("one.svm", "1 1:1\n1 1:2\n")
        self.run_tool("train", one, "--learner", "multiclass", "-o", "n.mm", code=1)
        self.assertNotIn("n.mm", self.files())
        self.run_tool("eval", "builtin:iris", "builtin:iris", "--taxonomy", good, code=1)

    def test_a_checkpoint_of_another_tree_is_refused(self):
        tree = self.write("tree.txt", TREE)
        words = ("--taxonomy", tree, "--checkpoint", "state", "--checkpoint-every", 0, "--resume")
        self.train_model(*words)
        first = (self.folder / "m.mm").read_bytes()
        self.train_model(*words)
        self.assertEqual((self.folder / "m.mm").read_bytes(), first)
        self.write("tree.txt", "setosa\nversicolor\nvirginica\n")
        done = self.run_tool("train", "builtin:iris", "--learner", "multiclass", "-o", "n.mm", *words, code=1)
        self.assertIn("another run", done.stderr)


if __name__ == "__main__":
    unittest.main()
