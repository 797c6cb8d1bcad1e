# SPDX-License-Identifier: Apache-2.0
"""Broken files of every format and kind of model: no crash, no hang, no gigabytes."""

import pathlib
import subprocess
import sys
import unittest

from tool import TOOL

MUTATE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "mutate_files.py"


class MutatedFilesTest(unittest.TestCase):
    def test_the_first_300_files(self):
        words = [sys.executable, MUTATE, TOOL, "--count", "300", "--seed", "1"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=1800)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
