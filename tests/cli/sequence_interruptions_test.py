# SPDX-License-Identifier: Apache-2.0
"""Taggers whose training is killed, stopped or out of time."""

import json
import random
import signal
import subprocess
import time
import unittest

from tagged_text import sentence, text_of
from tool import TOOL, ToolTest

# Each takes some tenths of a second, so that a run can be killed in many places.
TOLERANCE = {"bcfw": 1e-4, "one-slack": 5e-3, "n-slack": 1e-4}


class Interruptions(ToolTest):
    """Runs that do not come to their end."""

    COMMON = ["--learner", "sequence", "-C", "0.3", "--checkpoint", "state", "--checkpoint-every",
              "0", "--resume"]  # fmt: skip
    ENDLESS = ["--learner", "sequence", "-C", "100", "--tolerance", "1e-13", "--max-iterations",
               "1000000000"]  # fmt: skip

    def setUp(self):
        super().setUp()
        rng = random.Random(2)
        noisy = []
        for _ in range(40):
            noisy.append([(w, t, c if rng.random() < 0.9 else "O") for w, t, c in sentence(rng)])
        self.data = self.write("noisy.conll", text_of(noisy))
        self.write("words.txt", "U0:%x[0,0]\nU1:%x[-1,0]\nB\n")

    def test_killed_runs_end_with_the_same_model(self):
        kills = 7
        for solver in ("bcfw", "one-slack", "n-slack"):
            words = ["train", self.data, *self.COMMON, "--template", "words.txt", "--tolerance",
                     TOLERANCE[solver], "--solver", solver]  # fmt: skip
            began = time.monotonic()
            self.run_tool(*words, "-o", "whole.mm")
            seconds = time.monotonic() - began
            whole = (self.folder / "whole.mm").read_bytes()
            (self.folder / "state").unlink()
            # At random moments, one of them early.
            moments = [seconds * (k + 0.5) / kills for k in range(kills)]
            random.Random(3).shuffle(moments)
            killed = gone_on = 0
            for moment in moments:
                gone_on += (self.folder / "state").exists()
                run = subprocess.Popen([TOOL, *map(str, words), "--quiet", "-o", "killed.mm"],
                                       cwd=self.folder, stderr=subprocess.PIPE)  # fmt: skip
                time.sleep(moment)
                run.send_signal(signal.SIGKILL)
                message = run.communicate()[1]
                self.assertIn(run.returncode, (0, -signal.SIGKILL), message)
                killed += run.returncode != 0
                # A model is whole or not there; behind it the next run begins anew.
                if (self.folder / "killed.mm").exists():
                    self.assertEqual((self.folder / "killed.mm").read_bytes(), whole, solver)
                    (self.folder / "killed.mm").unlink()
                    (self.folder / "state").unlink()
            self.assertGreater(killed, 0)
            self.assertGreater(gone_on, 0)
            self.run_tool(*words, "-o", "killed.mm")
            self.assertEqual((self.folder / "killed.mm").read_bytes(), whole, solver)
            (self.folder / "state").unlink()
            (self.folder / "killed.mm").unlink()

    def test_the_state_of_another_run_is_refused(self):
        self.run_tool("train", self.data, *self.COMMON, "-o", "a.mm")
        words = [word if word != "0.3" else "0.2" for word in self.COMMON]
        done = self.run_tool("train", self.data, *words, "-o", "b.mm", code=1)
        self.assertIn("another run", done.stderr)
        done = self.run_tool("train", self.data, *self.COMMON, "--min-count", 2, "-o", "b.mm", code=1)
        self.assertIn("another run", done.stderr)
        other = self.write("other.conll", self.data.read_text().replace("\tO\n", "\tB-VP\n", 1))
        done = self.run_tool("train", other, *self.COMMON, "-o", "b.mm", code=1)
        self.assertIn("another run", done.stderr)
        (self.folder / "state").write_bytes((self.folder / "state").read_bytes()[:-100])
        done = self.run_tool("train", self.data, *self.COMMON, "-o", "b.mm", code=1)
        self.assertIn("state", done.stderr)
        self.assertNotIn("b.mm", self.files())
        self.run_tool("train", self.data, "--learner", "sequence", "-o", "b.mm", "--resume", code=1)
        self.run_tool("train", self.data, "--learner", "sequence", "-o", "b.mm", "--solver", "mira",
                      "--checkpoint", "c", code=1)  # fmt: skip

    def test_a_checkpoint_that_cannot_be_written(self):
        words = ["train", self.data, "--learner", "sequence", "-C", 0.3, "--template", "words.txt",
                 "--checkpoint-every", 0]  # fmt: skip
        # Refused before anything is read.
        (self.folder / "taken").mkdir()
        for path in ("missing/state", "taken"):
            done = self.run_tool("train", "no.conll", *words[2:], "--checkpoint", path, "-o", "model.mm",
                                 code=1)  # fmt: skip
            self.assertIn(path, done.stderr)
        done = self.run_tool(*words, "--checkpoint", "model.mm", "-o", "model.mm", code=1)
        self.assertIn("--checkpoint", done.stderr)
        self.assertNotIn("model.mm", self.files())
        # A disk that is full later costs the checkpoints, not the model.
        self.run_tool(*words[:-2], "-o", "whole.mm")
        report = self.json_of(*words, "--checkpoint", "/dev/full", "-o", "model.mm")
        self.assertEqual(report["status"], "solved")
        self.assertEqual((self.folder / "model.mm").read_bytes(),
                         (self.folder / "whole.mm").read_bytes())  # fmt: skip
        warnings = [text for text in report["warnings"] if text.startswith("--checkpoint")]
        self.assertEqual(len(warnings), 1)
        self.assertIn("/dev/full", warnings[0])

    def test_interrupt_gives_a_model_with_its_gap(self):
        run = subprocess.Popen(
            [TOOL, "train", self.data, *self.ENDLESS, "--checkpoint", "state", "--checkpoint-every",
             "0", "-o", "model.mm", "--json", "report.json"],
            cwd=self.folder, stderr=subprocess.PIPE)  # fmt: skip
        while not (self.folder / "state").exists() and run.poll() is None:
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        message = run.communicate()[1]
        self.assertEqual(run.returncode, 2, message)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(report["status"], "stopped_by_callback")
        self.check_gap(report)

    def test_time_limit_gives_a_model_with_its_gap(self):
        report = self.json_of("train", self.data, *self.ENDLESS, "--time-limit", 1, "-o", "model.mm",
                              code=2)  # fmt: skip
        self.assertEqual(report["status"], "time_limit")
        self.check_gap(report)
        # No time at all: a model all the same.
        for solver in ("bcfw", "crf"):
            self.run_tool("train", self.data, "--learner", "sequence", "--solver", solver,
                          "--time-limit", 1e-9, "-o", "model.mm", code=2)  # fmt: skip
            self.run_tool("predict", "model.mm", self.data)

    def check_gap(self, report):
        self.assertGreater(report["relative_gap"], 1e-13)
        self.assertAlmostEqual(report["gap"], report["primal_objective"] - report["dual_objective"])
        self.run_tool("predict", "model.mm", self.data)


if __name__ == "__main__":
    unittest.main()
