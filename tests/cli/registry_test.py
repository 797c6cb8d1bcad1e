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
        return 0 if entry["status"] == "solved" else 2

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
                        refusal = self.run_tool(*words, code=1).stderr
                        self.assertIn(f"the learner {name} has no certificate", refusal)

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


if __name__ == "__main__":
    unittest.main()
