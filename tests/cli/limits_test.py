# SPDX-License-Identifier: Apache-2.0
"""Limits of time and memory, and signals, as a user meets them. Nothing here depends on how fast the machine is."""

import gzip
import json
import os
import signal
import subprocess
import time

from tool import TOOL, ToolTest

ENDLESS = ["cluster", "builtin:gaussians,n=20000", "-k", "50", "--restarts", "1000000000",
           "--json", "report.json", "-o", "labels.txt"]  # fmt: skip


def work(process, seconds):
    """Waits until the process has worked so long."""
    ticks = os.sysconf("SC_CLK_TCK")
    while process.poll() is None:
        with open(f"/proc/{process.pid}/stat") as about:
            fields = about.read().rsplit(")", 1)[1].split()
        if int(fields[11]) >= seconds * ticks:
            return
        time.sleep(0.02)


class Signals(ToolTest):
    def run_ignoring(self, *ignored):
        def ignore():
            for number in ignored:
                signal.signal(number, signal.SIG_IGN)

        return subprocess.Popen([TOOL, *ENDLESS], cwd=self.folder, stderr=subprocess.PIPE, preexec_fn=ignore)

    def test_a_signal_that_was_ignored_at_the_start_stays_ignored(self):
        # As nohup does, and shells for jobs in the background.
        for ignored, other in ((signal.SIGHUP, signal.SIGTERM), (signal.SIGINT, signal.SIGTERM)):
            with self.subTest(ignored=ignored):
                process = self.run_ignoring(ignored)
                work(process, 0.3)
                process.send_signal(ignored)
                work(process, 0.5)
                # Had the first one counted, this would be the second, which ends without an answer.
                process.send_signal(other)
                _, complaint = process.communicate(timeout=120)
                self.assertEqual(process.returncode, 2, complaint)
                report = json.loads((self.folder / "report.json").read_text())
                self.assertEqual(report["status"], "stopped_by_callback")


    def test_a_verification_stops_and_says_so(self):
        # Every row is a vector of the machine: each of them is looked at for each.
        data = "builtin:gaussians,n=12000,seed=1"
        self.run_tool("train", data, "--learner", "svc", "--gamma", 1e6, "-C", 1e-3, "-o", "m.mm")
        process = subprocess.Popen([TOOL, "info", "m.mm", "--verify", data, "--json", "-"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
        work(process, 0.8)
        process.send_signal(signal.SIGINT)
        said, complaint = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 2, complaint)
        shown = json.loads(said)
        self.assertIsNone(shown["verified"])
        self.assertEqual(shown["verify_reason"], "stopped before the certificate was recomputed")
        shown = self.json_of("info", "m.mm", "--verify", data, "--time-limit", 1e-9, code=2)
        self.assertIsNone(shown["verified"])
        self.assertEqual(shown["verify_reason"], "the time was up before the certificate was recomputed")


class Progress(ToolTest):
    def test_a_file_gets_a_line_now_and_then(self):
        process = subprocess.Popen([TOOL, *ENDLESS], cwd=self.folder, stderr=subprocess.PIPE)
        work(process, 0.3)
        # Twenty seconds pass on the clock, and no work is done.
        process.send_signal(signal.SIGSTOP)
        time.sleep(20.5)
        process.send_signal(signal.SIGCONT)
        line = process.stderr.readline().decode()
        process.send_signal(signal.SIGTERM)
        _, rest = process.communicate(timeout=120)
        self.assertRegex(line, r"^kmeans \d+.* objective .* \d+(\.\d+)? s$")
        self.assertNotIn("\n" + line.split()[0] + " ", rest.decode(), "one line, not one a step")
        self.assertEqual(process.returncode, 2)


class Time(ToolTest):
    def test_a_comparison_shares_its_time(self):
        # The first method would take all of it and much more.
        report = self.json_of("cluster", "builtin:gaussians,n=4000", "-k", 20, "--compare", "kmedoids,kmeans",
                              "--restarts", 100000, "--time-limit", 4, code=2)  # fmt: skip
        by_name = {row["method"]: row for row in report["methods"]}
        self.assertEqual(by_name["kmedoids"]["status"], "time_limit")
        self.assertIsNotNone(by_name["kmeans"]["objective"])
        self.assertGreater(by_name["kmeans"]["seconds"], 0)

    def test_many_classes_still_give_a_model(self):
        rows = [f"{c} 1:{(c * 7 + i) % 11} 2:{(c * 3 + i * i) % 13}\n" for i in range(40) for c in range(26)]
        self.write("letters.svm", "".join(rows))
        for learner in ("robust-svc", "outlier-svc", "lp-svc", "loo-svc", "svc", "linear-svc", "cs-svc"):
            with self.subTest(learner=learner):
                report = self.json_of("train", "letters.svm", "--learner", learner, "--time-limit", 1e-9,
                                      "-o", "m.mm", "--verify", code=2)  # fmt: skip
                self.assertEqual(report["status"], "time_limit")
                self.assertIsNot(report["verified"], False)
                self.run_tool("predict", "m.mm", "letters.svm", "-o", "answers.txt")


class Memory(ToolTest):
    """Sizes, not seconds: the peak that the system counts is held to the limit + 10 % + 32 MiB."""

    MIB = 1 << 20

    def peak_of(self, *words, limit):
        """Runs at the limit (MiB); exit code, what was said, peak in MiB."""
        command = [TOOL, *map(str, words), "--memory-limit", f"{limit}M"]
        with open(self.folder / "said.txt", "w+b") as said:
            process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=said)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            text = said.read().decode("utf-8", "replace")
        peak = usage.ru_maxrss * 1024 / self.MIB
        self.assertLessEqual(peak, 1.1 * limit + 32, f"{words}: {text}")
        self.assertIn(process.returncode, (0, 1, 2), f"{words}: {text}")
        return process.returncode, text

    def test_wide_sparse_rows_are_refused_or_fit(self):
        # Four rows of one entry each, and weights for a hundred million features.
        self.write("wide.svm", "1 1:1\n2 100000000:1\n1 5:1\n2 7:1\n")
        for learner in ("linear-svc", "svc", "cs-svc", "linear-ramp-svc", "lda", "perceptron", "centroid-svc",
                        "multiclass", "linear-svr", "svr"):  # fmt: skip
            with self.subTest(learner=learner):
                code, said = self.peak_of("train", "wide.svm", "--learner", learner, "-o", "m.mm", limit=40)
                if code == 1:
                    self.assertIn("memory", said)
        self.write("sets.svm", "1,2 1:1\n2 100000000:1\n1 5:1\n3 7:1\n")
        code, said = self.peak_of("train", "sets.svm", "--learner", "multilabel", "-o", "m.mm", limit=40)
        self.assertEqual(code, 1, said)
        self.assertIn("memory limit", said)
        for method in ("kmeans", "kmedoids", "mixture", "hierarchical", "spectral", "mmc-cutting-plane", "mmc",
                       "mmc-alternating", "kernel-kmeans", "relabeler", "sv-clustering"):  # fmt: skip
            with self.subTest(method=method):
                words = ["cluster", "wide.svm", "--method", method, "-o", "labels.txt"]
                words += [] if method == "sv-clustering" else ["-k", 2]
                code, said = self.peak_of(*words, limit=40)
                if code == 1:
                    self.assertIn("memory", said)

    def test_what_is_refused_says_what_it_needs(self):
        for method in ("spectral", "hierarchical", "kmedoids", "relabeler"):
            with self.subTest(method=method):
                more = ["--linkage", "average"] if method == "hierarchical" else []
                code, said = self.peak_of("cluster", "builtin:gaussians,n=20000", "--method", method, "-k", 2,
                                          "-o", "labels.txt", *more, limit=64)  # fmt: skip
                self.assertEqual(code, 1, said)
                self.assertRegex(said, r"needs 3\.2 GB, more than the memory limit of 64 MiB")

    def test_data_counts(self):
        # 3 million rows of two numbers are 48 MB in memory.
        rows = b"1,0.5\n0,0.25\n" * 1_500_000
        self.write("rows.csv", b"y,x\n" + rows)
        code, said = self.peak_of("train", "rows.csv", "--learner", "linear-svc", "-o", "m.mm", limit=32)
        self.assertEqual(code, 1, said)

    def test_small_files_that_ask_for_much_are_refused_with_their_name(self):
        with gzip.open(self.folder / "bomb.svm.gz", "wb", compresslevel=6) as file:
            for _ in range(300):
                file.write(b"1 1:1 2:1 3:1\n" * 70_000)
        with gzip.open(self.folder / "bomb.mm.gz", "wb", compresslevel=6) as file:
            file.write(b"maxmargin-model 2\nlearner svc\nfield a string \"")
            for _ in range(300):
                file.write(b"x" * 1_000_000)
        self.write("bomb.dat-s", "1\n1\n2000000\n1.0\n0 1 1 1 1.0\n1 1 2000000 2000000 1.0\n")
        for words, name in (
            (["info", "bomb.svm.gz"], "bomb.svm.gz"),
            (["train", "bomb.svm.gz", "--learner", "linear-svc", "-o", "m.mm"], "bomb.svm.gz"),
            (["convert", "bomb.svm.gz", "out.csv"], "bomb.svm.gz"),
            (["predict", "bomb.mm.gz", "builtin:iris", "-o", "out.txt"], "bomb.mm.gz"),
            (["info", "bomb.mm.gz"], "bomb.mm.gz"),
            (["solve", "bomb.dat-s"], "bomb.dat-s"),
        ):
            with self.subTest(words=words):
                code, said = self.peak_of(*words, limit=64)
                self.assertEqual(code, 1, said)
                self.assertIn(name, said)
