# SPDX-License-Identifier: Apache-2.0
"""Every learner from C++ to the tool and back: the same models, the same bytes of predictions."""

import unittest

from registry import WalkTest


def chooser(entry):
    """The words that choose the learner, and the file that its model goes to."""
    if entry["task"] == "clustering":
        count = ["-k", "2"] if entry["needs_k"] else []
        return ["cluster"], ["--method", entry["learner"], *count, "-o", "clusters.txt", "--model"]
    return ["train"], ["--learner", entry["learner"], "-o"]


class BothWays(WalkTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.entries = cls.walk("train", cls.shared_folder)

    def setUp(self):
        super().setUp()
        self.folder = self.shared_folder

    def ended(self, entry):
        """The exit code of a training: 2 when it stopped at a limit."""
        return 0 if entry["status"] in ("solved", "local_optimum") else 2

    def lines(self, name):
        return (self.folder / name).read_bytes()

    def test_a_file_holds_what_was_in_memory(self):
        for entry in self.entries:
            self.assertTrue(entry["file_is_equal"], entry["learner"])

    def test_every_learner_is_walked(self):
        self.assertGreaterEqual(len(self.entries), 42)
        self.assertEqual(len({entry["learner"] for entry in self.entries}), len(self.entries))

    def test_the_tool_predicts_from_models_of_the_library(self):
        for entry in self.entries:
            name = entry["learner"]
            expected = self.lines(f"{name}.lines")
            self.assertTrue(expected, name)
            for model in (f"{name}.mm", f"{name}.bin"):
                with self.subTest(model=model):
                    self.run_tool("predict", model, f"{name}.data", "-o", "found.txt", "--quiet")
                    self.assertEqual(self.lines("found.txt"), expected)

    def test_the_tool_verifies_models_of_the_library(self):
        for entry in self.entries:
            name = entry["learner"]
            for model in (f"{name}.mm", f"{name}.bin"):
                with self.subTest(model=model):
                    words = ["info", model, "--verify", f"{name}.data"]
                    if entry["can_verify"]:
                        self.assertIs(self.json_of(*words)["verified"], True)
                    else:
                        found = self.json_of(*words)
                        self.assertIsNone(found["verified"])
                        self.assertIn(f"the learner {name} has no certificate", found["verify_reason"])

    def test_the_library_predicts_from_models_of_the_tool(self):
        for entry in self.entries:
            name = entry["learner"]
            command, choice = chooser(entry)
            self.run_tool(*command, f"{name}.data", *choice, f"{name}.tool.mm", "--quiet",
                          "--threads", 1, code=self.ended(entry))  # fmt: skip
            self.run_tool("predict", f"{name}.tool.mm", f"{name}.data", "-o", f"{name}.tool",
                          "--quiet")  # fmt: skip
        self.walk("predict", self.folder)
        for entry in self.entries:
            name = entry["learner"]
            with self.subTest(learner=name):
                self.assertEqual(self.lines(f"{name}.back"), self.lines(f"{name}.tool"))
                # The data and the options are the same, so the models answer the same.
                self.assertEqual(self.lines(f"{name}.back"), self.lines(f"{name}.lines"))


class FalsifiedFigures(WalkTest):
    def test_no_model_is_verified_whose_header_lies(self):
        entries = self.walk("figures")
        figures = {(entry["learner"], entry["figure"]) for entry in entries}
        self.assertGreaterEqual(len(figures), 70)
        for entry in entries:
            with self.subTest(**entry):
                self.assertTrue(entry["honest_agrees"])
                self.assertFalse(entry["agrees"])
                self.assertTrue(entry["reason"])

    def test_the_tool_refuses_it_too(self):
        self.run_tool("train", "builtin:iris", "--learner", "svc", "-o", "m.mm", "--quiet")
        self.run_tool("info", "m.mm", "--verify", "builtin:iris")
        field = rb"^field training.primal_objective number .*$"
        self.changed_model("m.mm", field, b"field training.primal_objective number 5.25")
        done = self.run_tool("info", "changed.mm", "--verify", "builtin:iris", code=3)
        self.assertIn("the model's header says 5.25", done.stdout)


if __name__ == "__main__":
    unittest.main()
