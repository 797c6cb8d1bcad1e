# SPDX-License-Identifier: Apache-2.0
"""Runs the built tool the way a user does. MAXMARGIN_TOOL names it."""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

TOOL = os.environ.get("MAXMARGIN_TOOL", "maxmargin")
HERE = pathlib.Path(__file__).resolve().parent
# How often trainings are killed; 10 before a release.
KILLS = int(os.environ.get("MAXMARGIN_KILLS", "2"))
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

    def killed_after_progress(self, words, state):
        """Runs a training and kills it as soon as its checkpoint is another; was it killed?"""
        before = state.read_bytes() if state.exists() else b""
        run = subprocess.Popen([TOOL, *map(str, words)], cwd=self.folder, stderr=subprocess.PIPE)
        while run.poll() is None and (not state.exists() or state.read_bytes() == before):
            time.sleep(0.001)
        run.send_signal(signal.SIGKILL)
        message = run.communicate()[1]
        self.assertIn(run.returncode, (0, -signal.SIGKILL), message)
        return run.returncode != 0

    def check_that_killed_runs_end_alike(self, *words, kills=KILLS):
        """A training (all words but the model's) that is killed again and again, each time further
        on, ends with the bytes of one that was left alone."""
        state = self.folder / "killed.state"
        state.unlink(missing_ok=True)
        words = [*words, "--checkpoint", state, "--checkpoint-every", 0, "--resume", "--quiet"]
        self.run_tool(*words, "-o", "whole.mm")
        whole = (self.folder / "whole.mm").read_bytes()
        state.unlink()
        (self.folder / "killed.mm").unlink(missing_ok=True)
        killed = runs = 0
        while killed < kills and runs < 20 * kills:
            runs += 1
            if self.killed_after_progress([*words, "-o", "killed.mm"], state):
                killed += 1
                continue
            # It was quicker than the signal: once more from the start.
            self.assertEqual((self.folder / "killed.mm").read_bytes(), whole)
            state.unlink()
        self.assertEqual(killed, kills)
        self.run_tool(*words, "-o", "killed.mm")
        self.assertEqual((self.folder / "killed.mm").read_bytes(), whole)

    def files(self):
        """Names of all files in the folder."""
        return sorted(path.name for path in self.folder.iterdir())
