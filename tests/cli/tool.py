# SPDX-License-Identifier: Apache-2.0
"""Runs the built tool the way a user does. MAXMARGIN_TOOL names it."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

TOOL = os.environ.get("MAXMARGIN_TOOL", "maxmargin")
HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parent.parent.parent / "shared" / "data"


class ToolTest(unittest.TestCase):
    """A test with an empty folder of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_tool(self, *words, code=0, stdin=None):
        """Runs the tool in the test's folder and checks its exit code."""
        done = subprocess.run(
            [TOOL, *map(str, words)],
            cwd=self.folder,
            input=stdin,
            capture_output=True,
            timeout=300,
        )
        done.stdout = done.stdout.decode("utf-8", "replace")
        done.stderr = done.stderr.decode("utf-8", "replace")
        self.assertEqual(
            done.returncode, code, f"{words}\nstdout: {done.stdout}\nstderr: {done.stderr}"
        )
        return done

    def json_of(self, *words, code=0):
        """Runs the tool with --json - and returns the report."""
        return json.loads(self.run_tool(*words, "--json", "-", code=code).stdout)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def write_model(self, name, body):
        """A text model without its last line, whose checksum is made here."""
        value = 0xCBF29CE484222325
        for byte in body:
            value = ((value ^ byte) * 0x100000001B3) % 2**64
        return self.write(name, body + b"checksum fnv1a64 %016x\n" % value)

    def changed_model(self, name, pattern, replacement, changed="changed.mm"):
        """A text model with one change."""
        body = (self.folder / name).read_bytes()
        body = body[: body.rindex(b"checksum ")]
        body, count = re.subn(pattern, replacement, body, count=1, flags=re.MULTILINE)
        self.assertEqual(count, 1, pattern)
        return self.write_model(changed, body)

    def files(self):
        """Names of all files in the folder."""
        return sorted(path.name for path in self.folder.iterdir())
