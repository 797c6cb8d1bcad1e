# SPDX-License-Identifier: Apache-2.0
"""Files that are written: never over one that is read, all of them or none, no leftovers."""

import os
import resource
import signal
import stat
import subprocess
import time
import unittest

from tool import TOOL, ToolTest

IRIS = ["cluster", "builtin:iris", "-k", 3, "--method", "kmeans", "--seed", 1]
TABLE = "a,b,label\n0,0,1\n0,1,1\n1,0,1\n5,5,2\n5,6,2\n6,5,2\n"
TAGGED = "the DT B-NP\ndog NN I-NP\nruns VB O\n\na DT B-NP\ncat NN I-NP\nsits VB O\n"
# What an output that is read, too, must not become.
LOST = "which would be lost"


class InputsTest(ToolTest):
    """An output that is an input is refused before work, and the input is as it was."""

    def setUp(self):
        super().setUp()
        self.write("t.csv", TABLE)
        self.write("labels.txt", "1\n1\n1\n2\n2\n2\n")
        self.write("weights.txt", "1\n2\n1\n1\n2\n1\n")
        self.write("rows.txt", "0 1 3 4\n")
        self.write("x.csv", TABLE.replace(",label", "").replace(",1\n", "\n").replace(",2\n", "\n"))
        self.write("groups.txt", "3\n3\n")
        self.write("tags.conll", TAGGED)
        self.write("template", "U00:%x[0,0]\nB\n")
        self.write("costs.txt", "1 2 3\n2 1 1\n")
        self.write("cval.properties", "data.train.file = t.csv\ncval = 1\n")
        self.run_tool("train", "t.csv", "--learner", "svc", "-o", "m.mm")
        self.run_tool("convert", "t.csv", "s.csv", "--scale", "range", "--save-scaler", "s.mm")

    def refused(self, name, *words, stdin=None):
        before = (self.folder / name).read_bytes()
        here = self.files()
        stderr = self.run_tool(*words, code=1, stdin=stdin).stderr
        self.assertIn(LOST, stderr)
        self.assertEqual((self.folder / name).read_bytes(), before)
        self.assertEqual(self.files(), here)
        return stderr

    def test_every_file_that_a_command_reads(self):
        svc = ["train", "t.csv", "--learner", "svc"]
        for name, words in (
            ("t.csv", [*svc, "-o", "t.csv"]),
            ("t.csv", [*svc, "-o", "n.mm", "--json", "t.csv"]),
            ("labels.txt", ["train", "x.csv", "--learner", "svc", "--labels", "labels.txt",
                            "-o", "labels.txt"]),
            ("weights.txt", [*svc, "--weight", "weights.txt", "-o", "weights.txt"]),
            ("rows.txt", ["train", "t.csv", "--learner", "s3vm", "--labeled-rows", "rows.txt:1",
                          "-o", "rows.txt"]),
            ("t.csv", ["train", "t.csv", "--learner", "outlier-svc", "-o", "n.mm",
                       "--weights-output", "t.csv"]),
            ("groups.txt", ["train", "t.csv", "--learner", "rank", "--groups", "groups.txt",
                            "-o", "groups.txt"]),
            ("tags.conll", ["train", "tags.conll", "--learner", "sequence", "-o", "n.mm",
                            "--checkpoint", "tags.conll"]),
            ("template", ["train", "tags.conll", "--learner", "sequence", "--template", "template",
                          "-o", "template"]),
            ("costs.txt", ["train", "t.csv", "--learner", "multiclass", "--cost-matrix",
                           "costs.txt", "-o", "costs.txt"]),
            ("t.csv", ["tune", "t.csv", "--learner", "svc", "--grid", "C=1,2", "--table", "t.csv"]),
            ("t.csv", ["cluster", "t.csv", "-k", 2, "-o", "t.csv"]),
            ("t.csv", ["cluster", "t.csv", "-k", 2, "--compare", "kmeans", "--table", "t.csv"]),
            ("cval.properties", ["cluster", "--config", "cval.properties",
                                 "--model", "cval.properties"]),
            ("t.csv", ["cluster", "--config", "cval.properties", "--plot", "t.csv"]),
            ("m.mm", ["predict", "m.mm", "t.csv", "-o", "m.mm"]),
            ("t.csv", ["predict", "m.mm", "t.csv", "-o", "t.csv"]),
            ("t.csv", ["eval", "t.csv", "labels.txt", "--json", "t.csv"]),
            ("labels.txt", ["eval", "t.csv", "labels.txt", "--json", "labels.txt"]),
            ("tags.conll", ["eval", "tags.conll", "tags.conll", "--task", "sequence",
                            "--json", "tags.conll"]),
            ("m.mm", ["info", "m.mm", "--json", "m.mm"]),
            ("t.csv", ["info", "m.mm", "--verify", "t.csv", "--json", "t.csv"]),
            ("t.csv", ["info", "t.csv", "--mercer", "-o", "t.csv"]),
            ("t.csv", ["convert", "t.csv", "t.csv"]),
            ("m.mm", ["convert", "m.mm", "m.mm", "--to", "libsvm"]),
            ("s.mm", ["convert", "t.csv", "s.mm", "--scaler", "s.mm", "--to", "csv"]),
            ("t.csv", ["convert", "t.csv", "o.csv", "--scale", "range", "--save-scaler", "t.csv"]),
            ("t.csv", ["plot", "t.csv", "-o", "t.csv"]),
            ("m.mm", ["plot", "t.csv", "--model", "m.mm", "-o", "m.mm"]),
            ("labels.txt", ["plot", "t.csv", "--labels", "labels.txt", "-o", "labels.txt"]),
        ):
            with self.subTest(words):
                self.refused(name, *words)

    def test_libsvm_mode(self):
        self.write("d.svm", "1 1:1\n-1 1:-1\n")
        self.refused("d.svm", "train", "--libsvm", "d.svm", "d.svm")
        self.refused("d.svm", "train", "--libsvm", "--json", "d.svm", "d.svm", "m")

    def test_through_links_and_other_spellings(self):
        os.symlink("t.csv", self.folder / "soft.csv")
        os.symlink(".", self.folder / "here")
        os.link(self.folder / "t.csv", self.folder / "hard.csv")
        for other in ("soft.csv", "hard.csv", "here/t.csv", "./t.csv", self.folder / "t.csv"):
            for read, written in (("t.csv", other), (other, "t.csv")):
                with self.subTest(read=read, written=written):
                    stderr = self.refused("t.csv", "predict", "m.mm", read, "-o", written)
                    self.assertIn(f"--output {written}: is the file of DATA", stderr)

    def test_standard_input_and_output_are_files_too(self):
        with open(self.folder / "t.csv", "rb") as data:
            done = subprocess.run([TOOL, "predict", "m.mm", "-", "-o", "t.csv"], cwd=self.folder,
                                  stdin=data, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, LOST in done.stderr), (1, True))
        with open(self.folder / "t.csv", "ab") as data:
            done = subprocess.run([TOOL, "predict", "m.mm", "t.csv"], cwd=self.folder, text=True,
                                  stdout=data, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual((done.returncode, LOST in done.stderr), (1, True))
        self.assertEqual((self.folder / "t.csv").read_text(), TABLE)

    def test_a_run_is_resumed_from_the_checkpoint_that_it_writes(self):
        words = ["train", "tags.conll", "--learner", "sequence", "--template", "template",
                 "--checkpoint", "c.mm", "--checkpoint-every", 1e-9, "--solver", "one-slack"]
        self.run_tool(*words, "-o", "first.mm")
        self.assertIn("c.mm", self.files())
        self.run_tool(*words, "--resume", "-o", "second.mm")
        self.assertEqual((self.folder / "first.mm").read_bytes(),
                         (self.folder / "second.mm").read_bytes())

    def test_devices_are_not_lost(self):
        self.run_tool("info", "t.csv", "--json", "/dev/null", stdin=b"")
        self.run_tool("predict", "m.mm", "-", "-o", "/dev/null", stdin=TABLE.encode())


class TogetherTest(ToolTest):
    """All files or none, the report last."""

    def test_bad_paths_are_found_before_work(self):
        for words in (
            ["eval", "no-such-data", "no-such-labels", "--json", "no/r"],
            ["eval", "no-such-data", "no-such-labels", "--task", "sequence", "--json", "no/r"],
            ["info", "no-such-data", "--json", "no/r"],
            ["info", "no-such-data", "--mercer", "--json", "no/r"],
            ["convert", "no-such-data", "no/r"],
            ["convert", "no-such-data", "o", "--project", "pca", "--model", "no/r"],
            ["convert", "no-such-data", "o", "--scale", "range", "--save-scaler", "no/r"],
            ["plot", "no-such-data", "-o", "no/r"],
            ["train", "no-such-data", "--learner", "svc", "-o", "no/r"],
            ["predict", "no-such-model", "no-such-data", "-o", "no/r"],
            ["solve", "no-such-data", "-o", "no/r"],
            ["demo", "--plot", "no/r"],
        ):
            with self.subTest(words):
                stderr = self.run_tool(*words, code=1).stderr
                self.assertIn("no/r", stderr)
                self.assertNotIn("no-such", stderr)
                self.assertEqual(self.files(), [])

    def test_a_disk_that_fills_up_leaves_none_of_them(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

        # The model is small, the picture is not.
        words = [*IRIS, "--model", "m.mm", "--plot", "p.svg", "-o", "labels.txt"]
        done = subprocess.run([TOOL, *map(str, words)], cwd=self.folder, preexec_fn=limit,
                              restore_signals=False, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("p.svg", done.stderr)
        self.assertEqual(self.files(), [])

    def waiting_run(self, *words):
        """A run that waits for its data, with its outputs open."""
        process = subprocess.Popen([TOOL, *map(str, words)], cwd=self.folder, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        deadline = time.monotonic() + 60
        while not self.temporaries() and time.monotonic() < deadline:
            time.sleep(0.01)
        return process

    def temporaries(self):
        return sorted(path for path in self.folder.iterdir() if path.name.startswith(".maxmargin-"))

    def test_without_the_others_there_is_no_report(self):
        self.write("t.csv", TABLE)
        self.run_tool("train", "t.csv", "--learner", "svc", "-o", "m.mm")
        process = self.waiting_run("predict", "m.mm", "-", "--json", "r.json", "-o", "labels.txt")
        (self.folder / "labels.txt").mkdir()  # nothing can be renamed to it
        _, stderr = process.communicate(TABLE)
        self.assertEqual(process.returncode, 1)
        self.assertIn("labels.txt", stderr)
        self.assertEqual(self.files(), ["labels.txt", "m.mm", "t.csv"])

    def test_temporary_files_are_their_owners_alone(self):
        old = self.write("old.txt", "old\n")
        old.chmod(0o664)
        mask = os.umask(0o002)
        self.addCleanup(os.umask, mask)
        process = self.waiting_run(*["cluster", "-", "-k", 2, "-o", "old.txt", "--json", "r.json"])
        modes = {stat.S_IMODE(path.stat().st_mode) for path in self.temporaries()}
        process.communicate(TABLE)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(modes, {0o600})
        for name in ("old.txt", "r.json"):
            self.assertEqual(stat.S_IMODE((self.folder / name).stat().st_mode), 0o664)

    def test_leftovers_go_when_their_writer_is_dead(self):
        words = ["cluster", "-", "-k", 2, "-o"]
        alive = self.waiting_run(*words, "alive.txt")
        (own,) = self.temporaries()
        killed = subprocess.Popen([TOOL, *map(str, words), "killed.txt"], cwd=self.folder,
                                  stdin=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while len(self.temporaries()) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        killed.stdin.close()
        self.assertEqual(len(self.temporaries()), 2)
        self.write("t.csv", TABLE)
        self.run_tool("cluster", "t.csv", "-k", 2, "-o", "o.txt")
        self.assertEqual(self.temporaries(), [own])
        alive.communicate(TABLE)
        self.assertEqual(alive.returncode, 0)
        self.assertEqual(self.files(), ["alive.txt", "o.txt", "t.csv"])

    def test_an_interrupt_leaves_all_of_them_or_none(self):
        names = ["l", "m", "p", "r"]
        words = [TOOL, *map(str, IRIS), "--restarts", "1", "-o", "l", "--model", "m", "--plot",
                 "p", "--json", "r"]
        started = time.monotonic()
        subprocess.run(words, cwd=self.folder, check=True, capture_output=True)
        whole = time.monotonic() - started
        for step in range(80):
            for path in self.folder.iterdir():
                path.unlink()
            process = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(whole * (0.3 + 0.7 * step / 80))
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)
            found = self.files()
            if process.returncode == 0:
                self.assertEqual(found, names)
            else:
                self.assertIn(process.returncode, (2, 130, -signal.SIGTERM))
                self.assertIn(found, ([], names))


if __name__ == "__main__":
    unittest.main()
