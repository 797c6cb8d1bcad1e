# SPDX-License-Identifier: Apache-2.0
"""Files that are written: never over one that is read, all of them or none, no leftovers."""

import os
import pty
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


class NamesTest(ToolTest):
    """What stands in files reaches eval whole, and a terminal as text."""

    def test_eval_reads_labels_with_line_breaks(self):
        names = ['"two\nlines"', "plain", '"a ""quote"""', '"x, y"', '" blank "']
        rows = [f"{10 * c + r},{r},{name}" for c, name in enumerate(names) for r in range(3)]
        self.write("t.csv", "a,b,label\n" + "\n".join(rows) + "\n")
        for learner, more in (("svc", ["--gamma", 1]), ("multiclass", ["-C", 1000])):
            with self.subTest(learner):
                self.run_tool("train", "t.csv", "--learner", learner, *more, "-o", "m.mm")
                report = self.json_of("predict", "m.mm", "t.csv", "-o", "p.txt")
                told = self.json_of("eval", "t.csv", "p.txt")
                self.assertEqual(told["n"], 15)
                self.assertEqual(told["metrics"]["accuracy"], report["metrics"]["accuracy"])
                self.assertEqual(report["metrics"]["accuracy"], 1)
        # The same file beside features.
        self.write("x.csv", "a,b\n" + "\n".join(row.rsplit(",")[0] + ",0" for row in rows) + "\n")
        self.assertEqual(self.json_of("info", "x.csv", "--label", "none", "--labels", "p.txt")
                         ["labels"], 5)

    def test_scores_that_are_not_finite_are_an_error(self):
        self.write("t.csv", TABLE.replace(",2\n", ",3\n") + "9,0,2\n9,1,2\n")
        self.write("far.csv", "a,b\n1,1\n1e308,1e308\n")
        self.write("far.svm", "1 1:1\n1 1:1e308 2:1e308\n")
        for learner, more in (
            ("svc", ["--kernel", "poly"]),
            ("linear-svc", []),
            ("linear-svc", ["--multiclass", "ovo"]),
            ("linear-svr", ["-C", 100]),
            ("lda", []),
            ("multiclass", []),
        ):
            with self.subTest(learner):
                self.run_tool("train", "t.csv", "--learner", learner, *more, "-o", "m.mm")
                # Weights of a hundred, so that sums leave the range of numbers.
                words = ["predict", "m.mm", "far.csv", "-o", "p.txt"]
                if learner in ("linear-svc", "linear-svr", "multiclass"):
                    self.changed_model("m.mm", rb"^(section weights dense \d+ \d+\n)\S+ \S+",
                                       rb"\g<1>99 99")
                    words[1] = "changed.mm"
                stderr = self.run_tool(*words, code=1).stderr
                self.assertIn("far.csv: row 1 (from 0) has no finite score", stderr)
                self.assertNotIn("p.txt", self.files())

    def terminal_text(self, *words):
        """What a terminal is sent, on both streams."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([TOOL, *map(str, words)], cwd=self.folder, stdout=theirs,
                                   stderr=theirs, stdin=subprocess.DEVNULL)
        os.close(theirs)
        text = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
        os.close(ours)
        process.wait(timeout=60)
        return text.replace(b"\r\x1b[K", b"")  # the line of progress is wiped

    def test_a_terminal_is_sent_no_control_characters_of_names(self):
        evil = "\x1b]0;owned\x07\u009b31m"
        # Behind what is looked at to tell text from binary data.
        filler = "".join(f"0,{i},fine\n" for i in range(12000))
        self.write("t.csv", "a,b,label\n" + filler + f"5,1,{evil}\n5,2,{evil}\n")
        self.write("few.csv", f"a,b\n5,1\n0,1\n")
        self.run_tool("train", "t.csv", "--learner", "centroid-svc", "-o", "m.mm", "--scale",
                      "range", "--time-limit", 20)
        self.write("l.txt", "a\n" * 20)
        for words in (
            ["info", "t.csv"],
            ["info", "m.mm"],
            ["predict", "m.mm", "few.csv"],
            ["predict", "m.mm", "few.csv", "--scores"],
            ["eval", "t.csv", "l.txt"],
            ["info", evil],
            ["train", "few.csv", "--learner", evil],
        ):
            with self.subTest(words):
                text = self.terminal_text(*words)
                for bad in (b"\x1b", b"\x07", b"\xc2\x9b"):
                    self.assertNotIn(bad, text)
        self.assertIn(b"\\x1b]0;owned\\x07\\xc2\\x9b31m", self.terminal_text("info", "t.csv"))
        # Files and pipes get the bytes as they are.
        self.assertIn(evil, self.run_tool("predict", "m.mm", "few.csv").stdout)

    def test_warnings_stay_when_it_is_quiet(self):
        self.write("t.csv", TABLE)
        self.write("new.csv", TABLE.replace(",2\n", ",3\n"))
        self.run_tool("train", "t.csv", "--learner", "svc", "-o", "m.mm")
        done = self.run_tool("predict", "m.mm", "new.csv", "--quiet")
        self.assertEqual(done.stderr, "warning: labels that the model never saw count as errors: 3\n")
        self.assertEqual(self.run_tool("predict", "m.mm", "t.csv", "--quiet").stderr, "")

    def test_seconds_are_those_that_passed(self):
        # 45 machines, on all cores.
        rows = [f"{(7 * i) % 31},{(11 * i) % 29},{(13 * i) % 23},{i % 10}" for i in range(2000)]
        self.write("t.csv", "a,b,c,label\n" + "\n".join(rows) + "\n")
        started = time.monotonic()
        report = self.json_of("train", "t.csv", "--learner", "svc", "-o", "m.mm", "--threads", 8)
        passed = time.monotonic() - started
        self.assertLessEqual(sum(report["seconds"].values()), passed)


class MissingTest(ToolTest):
    """Labels that say that there is none, and numbers of features from 0."""

    def test_words_of_missing_values_are_no_class(self):
        for word in ("NaN", "nan", "NULL", "NA", "N/A"):
            with self.subTest(word):
                self.write("t.csv", TABLE + f"9,9,{word}\n")
                self.assertEqual(self.json_of("info", "t.csv")["unlabelled"], 1)
                stderr = self.run_tool("train", "t.csv", "--learner", "svc", "-o", "m.mm",
                                       code=1).stderr
                self.assertIn("row 6 (from 0) has no label", stderr)
                self.run_tool("train", "t.csv", "--learner", "s3vm-cccp", "-o", "m.mm")
                answers = self.run_tool("predict", "m.mm", "t.csv").stdout.split()
                self.assertLessEqual(set(answers), {"1", "2"})

    def test_numbers_of_features_from_zero(self):
        self.write("zero.svm", "1 0:1\n2 0:-1 1:2\n1 0:2 1:1\n")
        self.write("one.svm", "1 1:1\n2 1:-1 2:2\n1 1:2 2:1\n")
        self.assertIn("--zero-based", self.run_tool("info", "zero.svm", code=1).stderr)
        self.run_tool("convert", "zero.svm", "same.svm", "--zero-based")
        self.assertEqual((self.folder / "same.svm").read_bytes(),
                         (self.folder / "one.svm").read_bytes())
        self.run_tool("train", "zero.svm", "--zero-based", "--learner", "svc", "-o", "z.mm")
        self.run_tool("train", "one.svm", "--learner", "svc", "-o", "o.mm")
        self.assertEqual((self.folder / "z.mm").read_bytes(), (self.folder / "o.mm").read_bytes())
        self.assertEqual(self.run_tool("predict", "z.mm", "zero.svm", "--zero-based").stdout,
                         self.run_tool("predict", "o.mm", "one.svm").stdout)
        self.write("t.csv", TABLE)
        self.assertIn("svmlight", self.run_tool("info", "t.csv", "--zero-based", code=1).stderr)


if __name__ == "__main__":
    unittest.main()
