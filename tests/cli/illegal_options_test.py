# SPDX-License-Identifier: Apache-2.0
"""Illegal values of every option of every learner: the tool, C++ and model files say the same."""

import concurrent.futures
import os
import re
import subprocess
import unittest

from registry import WalkTest
from tool import TOOL

# A name of C++ in a message: a struct, a scope, a function.
CPP_NAME = re.compile(r"\w+Options\b|\w::\w|\w+_\w+\(")


def run(words):
    """Exit code and lines on standard error; nothing is read, so a second is long."""
    done = subprocess.run([TOOL, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode().splitlines()


def run_all(calls):
    with concurrent.futures.ThreadPoolExecutor(max(2, os.cpu_count() or 1)) as pool:
        return list(pool.map(run, calls))


def call_of(entry):
    """The command line with the illegal value; there is no such data, which is not looked at."""
    command = ["cluster", "--method"] if entry["is_method"] else ["train", "--learner"]
    count = ["-k", "2"] if entry["needs_k"] else []
    return [*command, entry["learner"], "no-such-data", *count, f"{entry['flag']}={entry['value']}",
            "-o", "no-such-folder/x"]  # fmt: skip


class IllegalOptions(WalkTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.entries = cls.walk("illegal")

    def of_kind(self, what):
        found = [entry for entry in self.entries if entry["what"] == what]
        self.assertTrue(found)
        return found

    def test_every_message_names_option_value_and_rule(self):
        for entry in self.of_kind("value"):
            with self.subTest(**entry):
                start = f"{entry['flag']} {entry['value']}: must be "
                self.assertTrue(entry["message"].startswith(start))
                rule = entry["message"][len(start) :]
                # The upper end of numbers without one is said of a value above it.
                rule = re.sub(r"from (\d+) to 18446744073709551615", r">= \1", rule)
                if not rule.startswith(("a known name", "one weight a")):
                    # -k is named with auto in lists, where it may be asked for.
                    self.assertIn(rule, (entry["rule"], entry["rule"].removesuffix(", or auto")))

    def test_no_message_holds_a_name_of_c(self):
        for entry in self.entries:
            self.assertIsNone(CPP_NAME.search(entry["message"]), entry["message"])

    def test_the_tool_says_the_same(self):
        entries = self.of_kind("value")
        for entry, (code, out, lines) in zip(entries, run_all(map(call_of, entries))):
            with self.subTest(**entry):
                self.assertEqual(code, 1)
                self.assertEqual(out, b"")
                self.assertEqual(lines[0], f"maxmargin: {entry['message']}")
                self.assertTrue(all(line.startswith("Try maxmargin ") for line in lines[1:]), lines)

    def test_options_of_other_learners_are_refused(self):
        entries = self.of_kind("option of another")
        for entry, (code, out, lines) in zip(entries, run_all(map(call_of, entries))):
            with self.subTest(**entry):
                kind = "method" if entry["is_method"] else "learner"
                # What follows may be a reason, or another option that is meant.
                refusal = f"{entry['flag']}: the {kind} {entry['learner']} "
                self.assertTrue(entry["message"].startswith(refusal))
                self.assertEqual(code, 1)
                self.assertEqual(out, b"")
                self.assertEqual(lines[0], f"maxmargin: {entry['message']}")

    def test_unknown_options_are_refused(self):
        entries = self.of_kind("unknown option")
        for entry, (code, _, lines) in zip(entries, run_all(map(call_of, entries))):
            with self.subTest(**entry):
                self.assertIn("--no-such-option: the ", entry["message"])
                self.assertIn("does not take it", entry["message"])
                self.assertEqual(code, 1)
                self.assertEqual(lines[0], f"maxmargin: {entry['message']}")

    def test_a_model_that_keeps_an_illegal_value_is_refused(self):
        entries = self.walk("models", self.shared_folder)
        self.assertGreater(len(entries), 3000)
        for entry in entries:
            with self.subTest(**entry):
                self.assertEqual(entry["message"], f"{entry['model']}: {entry['by_name']}")
        # The tool shows what the library throws: one value of each option will do.
        some = list({(entry["learner"], entry["option"]): entry for entry in entries}.values())
        calls = [["info", entry["model"]] for entry in some]
        for entry, (code, out, lines) in zip(some, run_all(calls)):
            with self.subTest(**entry):
                self.assertEqual(code, 1)
                self.assertEqual(out, b"")
                self.assertEqual(lines, [f"maxmargin: {entry['message']}"])


if __name__ == "__main__":
    unittest.main()
