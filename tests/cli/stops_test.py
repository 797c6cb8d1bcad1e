# SPDX-License-Identifier: Apache-2.0
"""A stop in each phase of a command: MAXMARGIN_TEST_STOP says in which, and whether time is up or an interrupt comes.
What the process works after it, reading and writing aside, is counted in seconds of processor time: that other programs
run beside it makes no difference."""

import json
import os
import re
import subprocess

from tool import TOOL, ToolTest

# What the issue allows beyond a limit.
MOST_WORK = 1.0

MANY_ROWS = "builtin:gaussians,n=20000,seed=1"
# phase -> a command that is far from done when the phase begins
COMMANDS = {
    "scale": ["train", MANY_ROWS, "--learner", "svc", "-C", 1e4, "--scale", "standard"],
    "kernel": ["cluster", "builtin:gaussians,n=6000,seed=1", "--method", "kernel-kmeans", "-k", 20],
    "smo": ["train", MANY_ROWS, "--learner", "svc", "-C", 1e4],
    "lower bound": ["cluster", "builtin:gaussians,n=3000,seed=1", "--method", "kmedoids", "-k", 20, "--restarts", 1],
    "calibration": ["train", MANY_ROWS, "--learner", "linear-svc", "--probabilities"],
    "cross-validation": ["train", MANY_ROWS, "--learner", "svc", "-C", 1e4, "--folds", 10],
    # Every row is a vector of the machine: each of them is looked at for each.
    "verify": ["train", MANY_ROWS, "--learner", "svc", "--gamma", 1e6, "-C", 1e-3, "--verify"],
}  # fmt: skip


class Phases(ToolTest):
    def stopped(self, phase, how, *words):
        """Exit code, what was said, and the seconds of work after the stop."""
        output = [] if "--folds" in words else ["-o", "out"]
        command = [TOOL, *map(str, words), "--threads", "1", "--json", "report.json", *output]
        for name in self.files():
            if name in ("out", "report.json"):
                (self.folder / name).unlink()
        with open(self.folder / "said.txt", "w+b") as said:
            process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=said,
                                       env={**os.environ, "MAXMARGIN_TEST_STOP": f"{phase}:{how}"})  # fmt: skip
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            text = said.read().decode("utf-8", "replace")
        came = re.search(rf"stop in {phase} after ([0-9.]+) s of work", text)
        self.assertIsNotNone(came, f"{words} was never in phase {phase}: {text}")
        return process.returncode, text, usage.ru_utime + usage.ru_stime - float(came.group(1))

    def report(self):
        return json.loads((self.folder / "report.json").read_text())

    def test_each_ends_within_a_second_of_work(self):
        for phase, words in COMMANDS.items():
            for how, status in (("limit", "time_limit"), ("interrupt", "stopped_by_callback")):
                with self.subTest(phase=phase, how=how):
                    code, text, work = self.stopped(phase, how, *words)
                    report = self.report()
                    self.assertLessEqual(work - report["seconds"].get("write", 0), MOST_WORK, text)
                    # What comes behind the answer may be less; the answer stands.
                    self.assertEqual(code, 0 if phase == "lower bound" else 2, text)
                    if phase == "verify":
                        self.assertEqual(report["status"], "solved")
                        self.assertIsNone(report["verified"])
                    elif phase != "lower bound":
                        self.assertEqual(report["status"], status)
                    if "--folds" not in words:
                        self.assertIn("out", self.files())

    def test_a_limit_that_passes_while_it_reads_ends_the_run_then(self):
        rows = b"1,0.5,0.1\n0,0.25,0.3\n1,-0.5,2\n" * 100_000
        self.write("rows.csv", b"y,x,z\n" + rows)
        words = ["train", "rows.csv", "--learner", "svc", "-C", 1e4]
        code, text, work = self.stopped("read", "limit", *words)
        report = self.report()
        seconds = report["seconds"]
        self.assertEqual((code, report["status"]), (2, "time_limit"), text)
        self.assertLessEqual(work - seconds["read"] - seconds["write"], MOST_WORK, text)

    def test_an_interrupt_while_it_reads_ends_the_command(self):
        code, text, work = self.stopped("read", "interrupt", "train", MANY_ROWS, "--learner", "svc")
        self.assertEqual(code, 130, text)
        self.assertEqual(self.files(), ["said.txt"])
        self.assertLessEqual(work, MOST_WORK)

    def test_a_stop_while_it_writes_loses_nothing(self):
        # Before, the first interrupt behind the last step of the solve ended the command without its answer.
        commands = [
            ["train", "builtin:iris", "--learner", "svc"],
            ["cluster", "builtin:iris", "-k", 3],
            ["tune", "builtin:iris", "--learner", "svc", "--grid", "C=1,10"],
        ]
        for words in commands:
            for how in ("limit", "interrupt"):
                with self.subTest(words=words, how=how):
                    code, text, _ = self.stopped("write", how, *words)
                    self.assertIn(code, (0, 2), text)
                    self.assertEqual(self.files(), ["out", "report.json", "said.txt"])
                    self.report()
