# SPDX-License-Identifier: Apache-2.0
"""Aligners of protein sequences as a user meets them."""

import random
import unittest

from tool import ToolTest

RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
# What a residue becomes in a relative.
GROUPS = ["AGPST", "DENQ", "FWY", "HKR", "ILMV", "C"]


def relative(rng, residue):
    if rng.random() < 0.5:
        return residue
    return rng.choice(next(group for group in GROUPS if residue in group))


def rows(rng, length=25):
    """An aligned pair: relatives with a run of gaps on either side."""
    target, known = [], []
    while len(target) < length:
        residue = rng.choice(RESIDUES)
        target.append(residue)
        known.append(relative(rng, residue))
        if rng.random() < 0.06:
            run = rng.randrange(1, 4)
            extra = [rng.choice(RESIDUES) for _ in range(run)]
            one, other = (target, known) if rng.random() < 0.5 else (known, target)
            one += extra
            other += "-" * run
    return "".join(target), "".join(known)


def fasta(pairs, tracks=False):
    lines = []
    for number, pair in enumerate(pairs):
        for name, row in zip("ab", pair):
            lines += [f">{name}{number} family={number // 2}", row]
            if tracks:
                letters = [c for c in row if c != "-"]
                lines += [">@structure", "".join("H" if c in "AEKLMQR" else "E" for c in letters)]
                lines += [">@surface", "".join("0" if c in "ACFILMVW" else "7" for c in letters)]
    return "\n".join(lines) + "\n"


def bare(text):
    """Without gaps."""
    return "".join(line if line.startswith(">") else line.replace("-", "")
                   for line in text.splitlines(keepends=True))  # fmt: skip


class Aligning(ToolTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(1)
        self.pairs = [rows(rng) for _ in range(30)]
        self.train = self.write("train.fasta", fasta(self.pairs))
        self.fresh = [rows(rng) for _ in range(20)]
        self.test = self.write("test.fasta", fasta(self.fresh))

    def train_model(self, *words, code=0, data=None):
        return self.json_of("train", data or self.train, "--learner", "align", "-o", "model.mm",
                            *words, code=code)  # fmt: skip

    def refused(self, *words):
        """What a training that must fail says; it leaves no file."""
        done = self.run_tool("train", *words, "--learner", "align", "-o", "m.mm", code=1)
        self.assertNotIn("m.mm", self.files())
        return done.stderr

    def test_learns_to_align_and_writes_pairs(self):
        report = self.train_model("-C", 300, "--gaps", "affine", "--end-gaps", "free")
        self.assertEqual(report["status"], "solved")
        self.assertLessEqual(report["relative_gap"], 1e-2)
        self.assertEqual(report["n"], 30)
        self.assertEqual(report["d"], 22 * 22 + 2)
        self.assertGreater(report["metrics"]["q"], 0.9)
        self.assertEqual(report["options"]["loss"], "q")
        answer = self.json_of("predict", "model.mm", self.test, "-o", "found.fasta")
        self.assertGreater(answer["metrics"]["q"], 0.8)
        self.assertGreaterEqual(answer["metrics"]["q4"], answer["metrics"]["q"])
        self.assertEqual(len(answer["families"]), 10)
        self.assertEqual(sum(row["pairs"] for row in answer["families"]), 20)
        # What was written measures the same, and holds the same sequences.
        measured = self.json_of("eval", self.test, "found.fasta", "--task", "align")
        self.assertEqual(measured["metrics"]["q"], answer["metrics"]["q"])
        self.assertEqual(measured["metrics"]["q4"], answer["metrics"]["q4"])
        self.assertEqual(bare((self.folder / "found.fasta").read_text()), bare(self.test.read_text()))
        # Sequences alone give the same answers, unmeasured.
        self.write("bare.fasta", bare(self.test.read_text()))
        blind = self.json_of("predict", "model.mm", "bare.fasta", "-o", "blind.fasta")
        self.assertNotIn("q", blind["metrics"])
        self.assertEqual((self.folder / "blind.fasta").read_bytes(),
                         (self.folder / "found.fasta").read_bytes())  # fmt: skip

    def test_the_truth_measures_one(self):
        measured = self.json_of("eval", self.test, self.test, "--task", "align")
        self.assertEqual(measured["metrics"], {"q": 1, "q4": 1})
        self.assertIn("q4", self.run_tool("eval", self.test, self.test, "--task", "align").stdout)

    def test_solvers_agree_within_their_gaps(self):
        objectives, bounds = [], []
        for solver in ("bcfw", "one-slack", "n-slack"):
            report = self.train_model("-C", 30, "--solver", solver, "--tolerance", 1e-3, "--verify")
            self.assertEqual(report["status"], "solved", solver)
            self.assertTrue(report["verified"], solver)
            objectives.append(report["primal_objective"])
            bounds.append(report["dual_objective"])
        self.assertLessEqual(max(bounds), min(objectives))
        self.assertLessEqual(max(objectives), min(objectives) * (1 + 1.1e-3))

    def test_threads_give_the_same_bytes(self):
        models = []
        for threads in (1, 3):
            self.train_model("--threads", threads, "--loss", "q4", "--symmetric")
            models.append((self.folder / "model.mm").read_bytes())
        self.assertEqual(models[0], models[1])

    def test_tables_are_baselines(self):
        tuned = self.train_model("--substitution", "blosum62", "--end-gaps", "free")
        self.assertEqual(tuned["status"], "solved")
        self.assertIsNone(tuned["primal_objective"])
        cost = tuned["metrics"]["gap_cost"]
        given = self.train_model("--substitution", "blosum62", "--end-gaps", "free",
                                 "--gap-costs", cost)  # fmt: skip
        self.assertEqual(given["metrics"], tuned["metrics"])
        for other in (0.5, 3, 8):
            worse = self.train_model("--substitution", "blosum62", "--end-gaps", "free",
                                     "--gap-costs", other)  # fmt: skip
            self.assertLessEqual(worse["metrics"]["q"], tuned["metrics"]["q"])
        report = self.train_model("--substitution", "blosum62", "--gaps", "affine",
                                  "--gap-costs", "1,10")  # fmt: skip
        self.assertEqual(report["metrics"]["opening_cost"], 10)
        answer = self.json_of("predict", "model.mm", self.test)
        self.assertGreater(answer["metrics"]["q"], 0.5)
        report = self.json_of("train", self.train, "--learner", "align", "--substitution", "blosum62",
                              "--verify", "-o", "m.mm")  # fmt: skip
        self.assertIsNone(report["verified"])
        self.assertIn("--substitution blosum62", report["verify_reason"])
        # Out of time: the best of those that were tried.
        stopped = self.train_model("--substitution", "blosum62", "--time-limit", 1e-9, code=2)
        self.assertEqual((stopped["status"], stopped["iterations"]), ("time_limit", 1))
        self.assertEqual(stopped["metrics"]["gap_cost"], 0.5)
        self.run_tool("predict", "model.mm", self.test)
        report = self.train_model("--substitution", "log-odds", "--gaps", "affine")
        self.assertGreater(report["metrics"]["opening_cost"], 0)

    def test_local_alignments_leave_ends_alone(self):
        framed = [("WWWWWWW" + a + "-------", "-------" + b + "CCCCCCC") for a, b in self.pairs]
        data = self.write("framed.fasta", fasta(framed))
        report = self.train_model("-C", 300, "--mode", "local", data=data)
        self.assertEqual(report["options"]["mode"], "local")
        answer = self.json_of("predict", "model.mm", data, "-o", "found.fasta")
        self.assertGreater(answer["metrics"]["q"], 0.8)
        self.assertEqual(answer["metrics"]["q"], report["metrics"]["q"])
        measured = self.json_of("eval", data, "found.fasta", "--task", "align")
        self.assertEqual(measured["metrics"]["q"], answer["metrics"]["q"])

    def test_models_of_tracks(self):
        data = self.write("tracks.fasta", fasta(self.pairs, tracks=True))
        for model, weights in (("simple", 986), ("anova2", 49634), ("tensor", 203280)):
            report = self.train_model("--substitution", model, "--tolerance", 0.1, data=data)
            self.assertEqual(report["d"], weights + 1)
        report = self.train_model("--substitution", "simple", "--gap-features", "context", data=data)
        self.assertEqual(report["d"], 986 + 201 + 1259)
        # Tracks are needed again, and the message says of which sequence.
        done = self.run_tool("predict", "model.mm", self.test, code=1)
        self.assertIn("test.fasta", done.stderr)
        self.assertIn("a0", done.stderr)
        self.assertIn("train.fasta", self.refused(self.train, "--substitution", "window"))
        # They are written back.
        self.run_tool("predict", "model.mm", data, "-o", "found.fasta")
        self.assertEqual(bare((self.folder / "found.fasta").read_text()), bare(data.read_text()))

    def test_a_reference_that_disagrees_with_its_sequence_is_named(self):
        text = ">s family=1\nACDE\n>@aligned\nAC-DF\n>t\nACWDE\n>@aligned\nACWDE\n"
        message = self.refused(self.write("wrong.fasta", text))
        self.assertIn("wrong.fasta:3", message)
        self.assertIn("residue 4", message)
        good = self.write("good.fasta", text.replace("AC-DF", "AC-DE"))
        self.train_model(data=good)
        self.run_tool("predict", "model.mm", self.folder / "wrong.fasta", code=1)

    def test_bad_files_name_the_place(self):
        for text, place in (
            (">s\n>t\nAC\n", "1"),  # an empty sequence
            (">s\n--\n>t\nAC\n", "1"),  # one of gaps alone
            (">s\nAC-D\n>t\nAC\n", "3"),  # rows of two lengths
            (">s\nAC\n>t\nA7\n", "4"),  # no residue
            (">s\nAC\n>t\nAC\n>u\nAC\n", "5"),  # no partner
            (">s\nA-C\n>@structure\nHHH\n>t\nAAC\n", "3"),  # a track of columns
        ):
            message = self.refused(self.write("bad.fasta", text))
            self.assertIn(f"bad.fasta:{place}", message, text)
        self.assertIn("bad.fasta", self.refused(self.write("bad.fasta", "")))
        message = self.refused(self.write("bare.fasta", ">s\nACD\n>t\nAC\n"))
        self.assertIn("bare.fasta", message)
        self.assertIn("no alignments", message)
        # Aligned, but nothing with anything.
        message = self.refused(self.write("none.fasta", ">s\nAC--\n>t\n--DE\n"))
        self.assertIn("no alignment has a match", message)
        self.assertEqual(message.count("none.fasta"), 1)

    def test_pairs_without_matches_are_left_out(self):
        data = self.write("more.fasta", self.train.read_text() + ">s\nAC--\n>t\n--DE\n")
        report = self.train_model(data=data)
        self.assertIn("1 pairs without a match", report["warnings"][0])
        answer = self.json_of("predict", "model.mm", data, "-o", "found.fasta")
        self.assertEqual(len(answer["warnings"]), 1)
        self.assertEqual(answer["metrics"]["q"], report["metrics"]["q"])
        measured = self.json_of("eval", data, "found.fasta", "--task", "align")
        self.assertEqual(len(measured["warnings"]), 1)
        done = self.run_tool("eval", data, "found.fasta", "--task", "align")
        self.assertEqual(done.stderr, f"warning: {measured['warnings'][0]}\n")

    def test_files_of_other_sequences_are_not_compared(self):
        short = self.write("short.fasta", fasta(self.fresh[:3]))
        done = self.run_tool("eval", self.test, short, "--task", "align", code=1)
        self.assertIn("holds 3 pairs", done.stderr)
        other = self.write("other.fasta", fasta([self.pairs[0], *self.fresh[1:]]))
        done = self.run_tool("eval", self.test, other, "--task", "align", code=1)
        self.assertIn("pair 1", done.stderr)

    def test_options_that_do_not_fit_are_refused(self):
        for words in (
            ["--gap-costs", 3],
            ["--substitution", "blosum62", "-C", 3],
            ["--substitution", "blosum62", "--gap-features", "residues"],
            ["--substitution", "blosum62", "--gap-costs", "1,10"],
            ["--substitution", "blosum62", "--gaps", "affine", "--gap-costs", "1"],
            ["--substitution", "blosum62", "--gap-costs", "x"],
            ["--substitution", "blosum63"],
            ["--substitution", "simple", "--symmetric"],
            ["--loss", "hinge"],
            ["--loss", "q-4"],
            ["--format", "csv"],
            ["--order", 2],
            ["--mode", "both"],
        ):
            message = self.refused(self.train, *words)
            self.assertIn(words[-2] if len(words) > 1 and words[-1] != "--symmetric" else words[-1],
                          message, words)  # fmt: skip
        self.run_tool("train", self.train, "--learner", "svc", "-o", "m.mm", "--gaps", "affine", code=1)
        self.train_model()
        for words in (["--n-best", 3], ["--margins"], ["--scores"], ["--header", "no"]):
            done = self.run_tool("predict", "model.mm", self.test, *words, code=1)
            self.assertIn(f"{words[0]}: a model of align does not take it", done.stderr)
        done = self.run_tool("plot", "builtin:iris", "--model", "model.mm", code=1)
        self.assertIn("a model of the learner align has no rows of features", done.stderr)
        done = self.run_tool("predict", "model.mm", self.test, "--label", "first", code=1)
        self.assertIn("--label first", done.stderr)
        # Rows of one length without a gap are not always an alignment.
        plain = self.write("plain.fasta", ">s\nACDEF\n>t\nCDEFA\n")
        self.assertIn("q", self.json_of("predict", "model.mm", plain)["metrics"])
        self.assertNotIn("q", self.json_of("predict", "model.mm", plain, "--label", "none")["metrics"])

    def test_a_stopped_training_goes_on_to_the_same_model(self):
        words = ["train", self.train, "--learner", "align", "-C", 300, "--tolerance", 1e-4,
                 "--checkpoint", "state", "--checkpoint-every", 0, "--quiet"]  # fmt: skip
        self.run_tool(*words, "-o", "whole.mm")
        # Whether a look at the gap is due behind these passes or not.
        for passes in range(2, 8):
            (self.folder / "state").unlink()
            self.run_tool(*words, "--max-iterations", passes, "-o", "part.mm", code=2)
            self.run_tool(*words, "--resume", "-o", "resumed.mm")
            self.assertEqual((self.folder / "resumed.mm").read_bytes(),
                             (self.folder / "whole.mm").read_bytes())  # fmt: skip
        done = self.run_tool(*words, "--resume", "--gaps", "affine", "-o", "other.mm", code=1)
        self.assertIn("another run", done.stderr)


if __name__ == "__main__":
    unittest.main()
