# SPDX-License-Identifier: Apache-2.0
"""Maximum-margin clustering into more than two clusters as a user meets it."""

import math
import random
import unittest

from tool import ToolTest


class MulticlassMmc(ToolTest):
    def groups(self, n, spread, name="groups.csv"):
        """n points around three centres in turn, with their class."""
        draw = random.Random(1)
        lines = ["x,y,label"]
        for i in range(n):
            angle = 2 * math.pi / 3 * (i % 3)
            x = 3 * math.cos(angle) + spread * draw.gauss(0, 1)
            y = 3 * math.sin(angle) + spread * draw.gauss(0, 1)
            lines.append(f"{x!r},{y!r},{i % 3}")
        (self.folder / name).write_text("\n".join(lines) + "\n")
        return name

    def cluster(self, data, *options):
        return self.json_of(
            "cluster", data, "--method", "mmc", "-k", "3", "--gamma", "0.3", "--verify", *options
        )

    def test_three_groups_are_found_with_a_vacuous_bound(self):
        report = self.cluster(self.groups(45, 0.5))
        self.assertEqual(report["status"], "local_optimum")
        self.assertEqual(report["relaxation"]["status"], "solved")
        self.assertEqual(report["metrics"]["misassignment"], 0)
        self.assertTrue(report["verified"])
        relaxation = report["relaxation"]
        self.assertEqual(
            list(relaxation),
            [
                "value",
                "lower_bound",
                "relative_gap",
                "rank",
                "roundings",
                "winner",
                "bound",
                "status",
                "bound_from",
            ],
        )
        self.assertLess(relaxation["value"], 0)
        self.assertEqual(relaxation["bound"], "vacuous")
        self.assertEqual(report["lower_bound"], 0)
        self.assertEqual(report["gap"], report["primal_objective"])
        self.assertTrue(any("vacuous" in warning for warning in report["warnings"]))
        self.assertLessEqual(relaxation["relative_gap"], 1e-3)

    def test_small_costs_have_a_certified_bound(self):
        report = self.cluster(self.groups(15, 0.5), "-C", "0.1")
        relaxation = report["relaxation"]
        self.assertEqual(relaxation["bound"], "certified")
        self.assertIn(relaxation["bound_from"], ("relaxation", "symmetry-broken"))
        self.assertGreater(report["lower_bound"], 0)
        self.assertLessEqual(report["lower_bound"], report["primal_objective"])
        self.assertTrue(report["verified"])

    def test_model_predicts_the_training_labels(self):
        data = self.groups(30, 0.5)
        for bias in ("center", "constant", "none"):
            self.run_tool(
                "cluster", data, "--method", "mmc", "-k", "3", "--gamma", "0.3", "--bias", bias,
                "--model", "m.mm", "-o", "labels.txt",
            )  # fmt: skip
            predicted = self.run_tool("predict", "m.mm", data).stdout
            self.assertEqual(predicted, (self.folder / "labels.txt").read_text())

    def test_threads_do_not_matter(self):
        data = self.groups(24, 1.0)
        answers = [
            self.run_tool(
                "cluster", data, "--method", "mmc", "-k", "4", "--threads", threads, "-o", "-"
            ).stdout
            for threads in ("1", "3")
        ]
        self.assertEqual(answers[0], answers[1])

    def test_few_labels_teach_all_classes_at_once(self):
        lines = (self.folder / self.groups(30, 0.5)).read_text().splitlines()
        hidden = [lines[0]] + [
            line if i < 6 else line.rsplit(",", 1)[0] + ",?" for i, line in enumerate(lines[1:])
        ]
        (self.folder / "few.csv").write_text("\n".join(hidden) + "\n")
        train = ["train", "few.csv", "--learner", "s3vm", "--multiclass", "direct"]
        train += ["-C", "10", "-o", "m.mm"]
        report = self.json_of(*train)
        self.assertEqual(report["status"], "local_optimum")
        self.assertEqual(report["relaxation"]["status"], "solved")
        relaxation = report["relaxation"]
        self.assertEqual(relaxation["bound"], "certified")
        self.assertIn(relaxation["bound_from"], ("supervised", "relaxation"))
        self.assertLessEqual(report["lower_bound"], report["primal_objective"])
        self.assertEqual(report["options"]["multiclass"], "direct")
        predicted = self.run_tool("predict", "m.mm", "groups.csv", "-o", "-").stdout.split()
        self.assertEqual([int(float(label)) for label in predicted], [i % 3 for i in range(30)])
        done = self.run_tool(*train, "--balance-form", "total", code=1)
        self.assertIn("--balance-form", done.stderr)

    def test_direct_machine_of_few_labels_is_verified(self):
        lines = (self.folder / self.groups(24, 1.0)).read_text().splitlines()
        lines[7:] = [line.rsplit(",", 1)[0] + ",?" for line in lines[7:]]
        (self.folder / "few.csv").write_text("\n".join(lines) + "\n")
        train = ["train", "few.csv", "--learner", "s3vm", "--multiclass", "direct", "-o", "m.mm"]
        train += ["--kernel", "rbf", "--gamma", "0.3", "--restarts", "2"]
        for cost, bound in (("0.05", "relaxation"), ("10", "supervised")):
            report = self.json_of(*train, "-C", cost, "--verify")
            self.assertTrue(report["verified"])
            self.assertEqual(report["relaxation"]["bound_from"], bound)
            self.assertEqual(report["options"]["bound_from"], bound)
            self.run_tool("info", "m.mm", "--verify", "few.csv")
            # A label that changes class: rows 1 and 2 are of classes 0 and 1.
            changed = lines[:]
            changed[1] = lines[1][:-1] + "1"
            changed[2] = lines[2][:-1] + "0"
            (self.folder / "changed.csv").write_text("\n".join(changed) + "\n")
            self.run_tool("info", "m.mm", "--verify", "changed.csv", code=3)
        self.run_tool(*train)
        found = self.json_of("info", "m.mm", "--verify", "few.csv")
        self.assertIsNone(found["verified"])
        self.assertIn("train with --verify", found["verify_reason"])

    def test_the_safe_machine_is_verified_too(self):
        # All rows without a label are of one class, which the balance does not know.
        draw = random.Random(3)
        lines = ["x,y,label"]
        for i in range(66):
            kind = i % 3 if i < 36 else 0
            angle = 2 * math.pi / 3 * kind
            x = 2 * math.cos(angle) + 0.9 * draw.gauss(0, 1)
            y = 2 * math.sin(angle) + 0.9 * draw.gauss(0, 1)
            lines.append(f"{x!r},{y!r},{kind if i < 36 else '?'}")
        (self.folder / "misleading.csv").write_text("\n".join(lines) + "\n")
        report = self.json_of(
            "train", "misleading.csv", "--learner", "s3vm", "--multiclass", "direct", "-C", "10",
            "--restarts", "2", "--bias", "constant", "--safe", "--verify", "-o", "m.mm",
        )  # fmt: skip
        self.assertEqual(report["options"]["machine"], "supervised")
        self.assertTrue(report["verified"])
        self.assertNotIn("relaxation", report)

    def test_anchors(self):
        data = self.groups(15, 0.5)
        none = self.cluster(data, "-C", "0.1", "--anchors", "0")
        self.assertEqual(none["options"]["anchors"], 0)
        self.assertNotEqual(none["relaxation"]["bound_from"], "symmetry-broken")
        some = self.cluster(data, "-C", "0.1", "--anchors", "2")
        self.assertEqual(some["options"]["anchors"], 2)
        self.assertTrue(some["verified"])
        self.assertGreaterEqual(some["lower_bound"], none["lower_bound"] * (1 - 1e-3))
        self.assertEqual(self.cluster(data)["options"]["anchors"], 3)

    def test_bad_input_is_refused(self):
        data = self.groups(9, 0.5)
        for options, complaint in [
            (["-k", "10"], "distinct points"),
            (["-k", "3", "--balance", "1"], "--balance 1"),
            (["-k", "3", "--balance-form", "total"], "--balance-form"),
            (["-k", "3", "--kernel", "sigmoid"], "sigmoid"),
            (["-k", "3", "--anchors", "7"], "--anchors 7"),
            (["-k", "2", "--anchors", "2"], "--anchors"),
            (["-k", "2", "--features", "nystroem:4", "--anchors", "2"], "--anchors"),
            (["-k", "2", "--features", "nystroem:4", "--balance-form", "rows"], "--balance-form"),
            (["-k", "3", "-C", "0"], "-C"),
            (["-k", "3", "-C", "inf"], "-C inf: must be a finite number > 0"),
            (["-k", "3", "--memory-limit", "1k"], "a sample of the points"),
        ]:
            done = self.run_tool("cluster", data, "--method", "mmc", *options, code=1)
            self.assertIn(complaint, done.stderr)


if __name__ == "__main__":
    unittest.main()
