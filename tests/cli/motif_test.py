# SPDX-License-Identifier: Apache-2.0
"""Motifs in sequences of DNA as a user meets them."""

import csv
import io
import random
import unittest
import xml.etree.ElementTree

from tool import SHARED, ToolTest

MOTIF = "ACATTAGCCG"
TURN = str.maketrans("ACGT", "TGCA")


def turned(sequence):
    return sequence[::-1].translate(TURN)


def planted(seed, count=60, length=60):
    """Sequences, every second one with the motif on either strand: (sequence, label)."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        sequence = "".join(rng.choice("ACGT") for _ in range(length))
        if number % 2 == 0:
            site = MOTIF if rng.random() < 0.5 else turned(MOTIF)
            place = rng.randrange(length - len(site) + 1)
            sequence = sequence[:place] + site + sequence[place + len(site) :]
        found.append((sequence, 1 if number % 2 == 0 else -1))
    return found


def fasta(records, labels=True):
    return "".join(
        f">s{number}{f' label={label}' if labels else ''}\n{sequence}\n"
        for number, (sequence, label) in enumerate(records)
    )


MODEL = ["-o", "m.mm"]
OPTIONS = ["--learner", "motif", "--motif-length", 10, "-C", 0.1, "--seed", 3]


class Motifs(ToolTest):
    def setUp(self):
        super().setUp()
        self.train = self.write("train.fa", fasta(planted(1)))
        self.test = self.write("test.fa", fasta(planted(2, 200)))

    def test_train_predict_and_verify(self):
        report = self.json_of(
            "train", self.train, *OPTIONS, "-o", "m.mm", "--verify", "--meme", "m.meme", "--logo", "m.svg"
        )
        self.assertIs(report["verified"], True)
        self.assertEqual(report["status"], "local_optimum")
        self.assertIn(report["options"]["consensus"], (MOTIF, turned(MOTIF)))
        self.assertEqual(len(report["runs"]), 10)
        objectives = [step["objective"] for step in report["trace"]]
        self.assertEqual(objectives, sorted(objectives, reverse=True))
        self.assertLessEqual(report["lower_bound"], report["primal_objective"])
        self.assertNotIn("meme", report["options"])
        self.assertIn("letter-probability matrix: alength= 4 w= 10", (self.folder / "m.meme").read_text())
        xml.etree.ElementTree.parse(self.folder / "m.svg")

        found = self.json_of("predict", "m.mm", self.test, "-o", "labels.txt")
        self.assertGreater(found["metrics"]["accuracy"], 0.85)
        self.assertGreater(found["metrics"]["auc"], 0.9)
        labels = (self.folder / "labels.txt").read_text().split()
        self.assertEqual(set(labels), {"1", "-1"})
        same = self.json_of("eval", self.test, "labels.txt", "--task", "motif")
        self.assertEqual(same["metrics"]["accuracy"], found["metrics"]["accuracy"])

        self.run_tool("predict", "m.mm", self.test, "--positions", "-o", "places.csv")
        rows = list(csv.DictReader(io.StringIO((self.folder / "places.csv").read_text())))
        self.assertEqual([row["label"] for row in rows], labels)
        records = planted(2, 200)
        right = 0
        for row, (sequence, label) in zip(rows, records):
            if row["label"] == "-1":
                self.assertEqual((row["start"], row["site"]), ("", ""))
                continue
            window = sequence[int(row["start"]) - 1 : int(row["end"])]
            self.assertEqual(row["site"], window if row["strand"] == "+" else turned(window))
            right += row["site"] in (MOTIF, turned(MOTIF))
        self.assertGreater(right, 90)
        for what, start in (("meme", "MEME version 4"), ("logo", "<svg"), ("positions", "name,label")):
            text = self.run_tool("predict", "m.mm", self.test, "--answer", what).stdout
            self.assertIn(start, text[:200])
        info = self.json_of("info", "m.mm", "--verify", self.train)
        self.assertIs(info["verified"], True)
        self.assertEqual(info["consensus"], report["options"]["consensus"])

    def test_equal_bytes_for_threads(self):
        self.run_tool("train", self.train, *OPTIONS, "--threads", 1, "-o", "one.mm")
        self.run_tool("train", self.train, *OPTIONS, "--threads", 3, "-o", "three.mm")
        whole = (self.folder / "one.mm").read_bytes()
        self.assertEqual(whole, (self.folder / "three.mm").read_bytes())

    def test_killed_runs_end_with_the_same_model(self):
        self.check_that_killed_runs_end_alike("train", self.train, *OPTIONS)

    def test_starts_from_the_weights_of_a_model(self):
        first = self.json_of("train", self.train, *OPTIONS, "--tolerance", 1e-5, "-o", "first.mm")
        start = ["--restarts", 1, "--start", "weights", "--start-model", "first.mm"]
        report = self.json_of("train", self.train, *OPTIONS, *start, "-o", "again.mm")
        self.assertLessEqual(report["iterations"], 1)
        self.assertEqual(report["options"]["consensus"], first["options"]["consensus"])
        # The sampler's places, better by margins.
        self.run_tool("train", self.train, *OPTIONS, "--search", "gibbs", "-o", "gibbs.mm")
        start[-1] = "gibbs.mm"
        report = self.json_of("train", self.train, *OPTIONS, *start, "-o", "again.mm", "--verify")
        self.assertTrue(report["verified"])
        for words, problem in ((["--start", "weights"], "--start weights: needs --start-model FILE"),
                               (["--start-model", "first.mm"], "--start-model: belongs to --start weights"),
                               ([*start, "--background-order", 2], "with another background"),
                               ([*start, "--search", "gibbs"], "belongs to --search margin")):  # fmt: skip
            done = self.run_tool("train", self.train, *OPTIONS, *words, *MODEL, code=1)
            self.assertIn(problem, done.stderr)

    def test_files_of_the_motif_are_no_part_of_the_run(self):
        words = ["train", self.train, *OPTIONS, "--checkpoint", "c.ckpt"]
        self.run_tool(*words, "-o", "one.mm", "--meme", "one.meme")
        self.run_tool(*words, "-o", "two.mm", "--meme", "two.meme", "--logo", "two.svg", "--resume")
        for kind in ("mm", "meme"):
            one, two = (self.folder / f"{name}.{kind}" for name in ("one", "two"))
            self.assertEqual(one.read_bytes(), two.read_bytes())

    def test_positives_alone_are_shuffled(self):
        positives = [record for record in planted(1, 120) if record[1] > 0]
        self.write("pos.fa", fasta(positives, labels=False))
        words = ["train", "pos.fa", *OPTIONS, "-o", "m.mm"]
        error = self.run_tool(*words, code=1).stderr
        self.assertIn("no sequence (of weight > 0) is a negative", error)
        report = self.json_of(*words, "--shuffles", 2, "--verify")
        self.assertIs(report["verified"], True)
        self.assertEqual(report["metrics"]["shuffled_negatives"], 120)
        self.assertIn(report["options"]["consensus"], (MOTIF, turned(MOTIF)))
        self.assertIs(self.json_of("info", "m.mm", "--verify", "pos.fa")["verified"], True)
        longer = self.json_of(*words, "--shuffles", 2, "--shuffle-words", 3, "--verify")
        self.assertIs(longer["verified"], True)
        self.assertNotEqual(longer["primal_objective"], report["primal_objective"])
        self.assertIs(self.json_of("info", "m.mm", "--verify", "pos.fa")["verified"], True)
        error = self.run_tool(*words, "--shuffle-words", 9, code=1).stderr
        self.assertIn("--shuffle-words 9", error)

    def test_negatives_weights_and_labels_from_files(self):
        records = planted(1)
        self.write("pos.fa", fasta([r for r in records if r[1] > 0], labels=False))
        self.write("neg.fa", fasta([r for r in records if r[1] < 0], labels=False))
        one = self.json_of("train", "pos.fa", *OPTIONS, "--negatives", "neg.fa", "--negatives-weight", 0.5, *MODEL)
        self.write("all.fa", fasta([r for r in records if r[1] > 0] + [r for r in records if r[1] < 0], labels=False))
        self.write("labels.txt", "1\n" * 30 + "-1\n" * 30)
        self.write("weights.txt", "1\n" * 30 + "0.5\n" * 30)
        two = self.json_of("train", "all.fa", *OPTIONS, "--labels", "labels.txt", "--weight", "weights.txt", *MODEL)
        self.assertEqual(one["primal_objective"], two["primal_objective"])
        plain = self.json_of("train", "all.fa", *OPTIONS, "--labels", "labels.txt", *MODEL)
        self.assertNotEqual(plain["primal_objective"], two["primal_objective"])
        self.write("short.txt", "1\n-1\n")
        error = self.run_tool("train", "all.fa", *OPTIONS, "--labels", "short.txt", *MODEL, code=1).stderr
        self.assertIn("short.txt: holds 2 labels, but all.fa holds 60 sequences", error)

    def test_gibbs(self):
        words = ["train", self.train, *OPTIONS, "--search", "gibbs", "-o", "g.mm"]
        report = self.json_of(*words)
        self.assertIn(report["options"]["consensus"], (MOTIF, turned(MOTIF)))
        self.assertIsNone(report.get("primal_objective"))
        verified = self.json_of("info", "g.mm", "--verify", self.train)
        self.assertIsNone(verified.get("verified"))
        found = self.json_of("predict", "g.mm", self.test, "-o", "labels.txt")
        self.assertGreater(found["metrics"]["accuracy"], 0.85)
        error = self.run_tool(*words, "--checkpoint", "c", code=1).stderr
        self.assertIn("gibbs", error)

    def test_wrong_input(self):
        def complaint(text, *more):
            self.write("bad.fa", text)
            return self.run_tool("train", "bad.fa", *OPTIONS, *MODEL, *more, code=1).stderr

        self.assertIn("bad.fa:2:3: \"-\" is no base", complaint(">a label=1\nAC-T\n"))
        self.assertIn("shorter than --motif-length 10", complaint(">a label=1\nACGT\n>b label=-1\nACGT\n"))
        self.assertIn("is a positive, so there is no motif", complaint(">a label=-1\nACGTACGTACGT\n"))
        self.assertIn("holds no sequence", complaint(""))
        self.assertIn("--motif-length 0", complaint(fasta(planted(1)), "--motif-length", 0))
        # A short negative is none that could hold it.
        self.write("short.fa", fasta([*planted(1), ("ACG", -1)]))
        self.run_tool("train", "short.fa", *OPTIONS, "-o", "m.mm")
        self.write("new.fa", ">a\nACG\n>b\nNNNNNNNNNNNNNNN\n")
        done = self.run_tool("predict", "m.mm", "new.fa")
        self.assertEqual(done.stdout.split()[0], "-1")
        self.assertIn("shorter than the motif of 10 bases", done.stderr)

    def test_memory_limit(self):
        error = self.run_tool("train", self.train, *OPTIONS, "--memory-limit", "10K", *MODEL, code=1).stderr
        self.assertIn("memory limit", error)


class Yeast(ToolTest):
    """MET: CACGTG, its own reverse complement; PHO: CACGTG or CACGTT."""

    def consensus(self, name, *words):
        path = SHARED / "structured" / "yeast-promoters" / f"{name}_up800-noorf.fasta"
        if not path.exists():
            self.skipTest(f"{path} is not there")
        return self.json_of("train", path, "--learner", "motif", *words, "-o", "m.mm")["options"]["consensus"]

    def test_the_box_of_met_is_found(self):
        for seed in range(2):
            words = ["--motif-length", 8, "--shuffles", 10, "-C", 1, "--restarts", 3, "--seed", seed]
            self.assertIn("CACGTG", self.consensus("MET", *words))

    def test_repeats_hide_the_box_of_pho_unless_words_of_three_are_kept(self):
        words = ["--motif-length", 10, "--shuffles", 10, "-C", 0.3, "--background-order", 0, "--tolerance", 0.01,
                 "--restarts", 10, "--seed", 0]  # fmt: skip
        self.assertNotIn("CACGT", self.consensus("PHO", *words))
        self.assertIn("CACGTG", self.consensus("PHO", *words, "--shuffle-words", 3))


if __name__ == "__main__":
    unittest.main()
