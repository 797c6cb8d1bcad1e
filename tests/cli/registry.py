# SPDX-License-Identifier: Apache-2.0
"""The program that walks the table of learners in C++. MAXMARGIN_REGISTRY_WALK names it."""

import json
import os
import pathlib
import subprocess
import tempfile

from tool import ToolTest

WALK = os.environ.get("MAXMARGIN_REGISTRY_WALK", "registry_walk")


class WalkTest(ToolTest):
    """A test with a folder that all tests of the class share."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.shared_folder = pathlib.Path(scratch.name)

    @staticmethod
    def walk(*words):
        """What the program prints: a list with an object for every learner, or value."""
        done = subprocess.run([WALK, *map(str, words)], capture_output=True, timeout=300)
        if done.returncode != 0:
            raise AssertionError(f"{words}: {done.stderr.decode()}")
        return json.loads(done.stdout)
