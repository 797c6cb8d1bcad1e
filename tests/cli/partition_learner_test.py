# SPDX-License-Identifier: Apache-2.0
"""Learning to divide items into clusters, as a user meets it."""

import random
import unittest

from tool import ToolTest

LEARN = ["--learner", "partition"]


def clusters_of(rng, items, clusters):
    """Cluster numbers by first items."""
    numbers = {}
    return [numbers.setdefault(rng.randrange(clusters), len(numbers)) for _ in range(items)]


def document(rng, name, items, error=0.0, labelled=True, clusters=None):
    """Feature 1 is constant, 2 says whether two items look alike, 3 is noise."""
    kinds = clusters_of(rng, items, clusters or 1 + items // 4)
    lines = [f"document {name}"]
    lines += [f"item {name}.{i} c{kind}" if labelled else f"item {name}.{i}"
              for i, kind in enumerate(kinds)]  # fmt: skip
    for i in range(items):
        for j in range(i + 1, items):
            alike = (kinds[i] == kinds[j]) != (rng.random() < error)
            lines.append(f"{i + 1} {j + 1} 1:1 2:{int(alike)} 3:{rng.gauss(0, 0.3):.4f}")
    return "\n".join(lines) + "\n", kinds


def documents(seed, count, items, error=0.0, labelled=True, clusters=None):
    rng = random.Random(seed)
    made = [document(rng, f"d{k}", items, error, labelled, clusters) for k in range(count)]
    return "".join(text for text, _ in made), [kinds for _, kinds in made]


def answer(kinds):
    """What predict writes for documents of these clusters."""
    return "".join(
        f"document d{k}\n" + "".join(f"item d{k}.{i} {c}\n" for i, c in enumerate(clusters))
        for k, clusters in enumerate(kinds)
    )


class PairFiles(ToolTest):
    def setUp(self):
        super().setUp()
        text, _ = documents(1, 20, 7)
        self.train = self.write("train.pairs", text)
        text, self.kinds = documents(2, 8, 10)
        self.test = self.write("test.pairs", text)

    def train_model(self, *words, code=0, data=None):
        return self.json_of("train", data or self.train, *LEARN, "-C", 10, "-o", "model.mm", *words,
                            code=code)  # fmt: skip

    def test_learns_a_rule_and_writes_clusters(self):
        report = self.train_model()
        self.assertEqual(report["status"], "solved")
        self.assertEqual(report["oracle"], "exact")
        self.assertEqual(report["warnings"], [])
        self.assertLessEqual(report["relative_gap"], 1e-2)
        self.assertEqual(report["n"], 20)
        self.assertEqual(report["d"], 3)
        self.assertEqual(report["options"]["format"], "pairs")
        self.assertEqual(report["metrics"]["oracle_misses"], 0)
        self.assertEqual(report["metrics"]["listed_pairs"], 1)
        found = self.json_of("predict", "model.mm", self.test, "-o", "found.pairs")
        self.assertEqual((self.folder / "found.pairs").read_text(), answer(self.kinds))
        for name, value in {"pair_loss": 0, "muc_loss": 0, "muc_f1": 1, "b_cubed_f1": 1,
                            "ceaf_mention_f1": 1, "ceaf_entity_f1": 1, "conll_average": 1,
                            "document_accuracy": 1}.items():  # fmt: skip
            self.assertEqual(found["metrics"][name], value, name)
        done = self.json_of("eval", self.test, "found.pairs", "--task", "partition")
        self.assertEqual(done["metrics"], found["metrics"])
        self.assertEqual([row["score"] for row in done["scores"]],
                         ["pairs", "muc", "b_cubed", "ceaf_mention", "ceaf_entity"])  # fmt: skip
        self.assertIn("muc_f1", self.run_tool("eval", self.test, "found.pairs", "--task",
                                              "partition").stdout)  # fmt: skip

    def test_unknown_clusters_are_predicted_and_not_measured(self):
        self.train_model()
        for mark in ("", " ?"):
            text, kinds = documents(3, 4, 6, labelled=False)
            text = "\n".join(line + mark if line.startswith("item") else line
                             for line in text.split("\n"))  # fmt: skip
            found = self.json_of("predict", "model.mm", self.write("bare.pairs", text), "-o", "f")
            self.assertEqual(found["metrics"], {})
            self.assertEqual((self.folder / "f").read_text(), answer(kinds))
        done = self.run_tool("train", "bare.pairs", *LEARN, "-o", "m.mm", code=1)
        self.assertIn("bare.pairs: has no clusters to learn from", done.stderr)

    def test_an_inexact_oracle_is_named_and_its_gap_called_an_estimate(self):
        # Clusters large enough for their pairs to outvote those that lie.
        text, _ = documents(4, 6, 18, error=0.1, clusters=2)
        large = self.write("large.pairs", text)
        report = self.train_model(data=large)
        self.assertEqual(report["oracle"], "inexact")
        self.assertIsNotNone(report["relative_gap"])
        self.assertIn("the gap is an estimate", " ".join(report["warnings"]))
        # The search begins at the truth, too.
        self.assertEqual(report["metrics"]["oracle_misses"], 0)
        self.assertLessEqual(report["metrics"]["pair_loss"], 0.02)
        done = self.run_tool("train", large, *LEARN, "-o", "m.mm", "-C", 10)
        self.assertIn("relative gap (an estimate)", done.stderr)
        self.assertIn("the gap is an estimate", done.stderr)
        # Greedy search is never exact, a method without a gap says so, too.
        report = self.train_model("--inference", "greedy")
        self.assertEqual(report["oracle"], "inexact")
        report = self.train_model("--inference", "greedy", "--solver", "mira", "--max-iterations", 5,
                                  code=2)  # fmt: skip
        self.assertEqual(report["oracle"], "inexact")
        self.assertIsNone(report["relative_gap"])
        # Exact inference refuses what it cannot do.
        self.assertEqual(self.train_model("--inference", "exact")["oracle"], "exact")
        done = self.run_tool("train", large, *LEARN, "--inference", "exact", "-o", "x.mm", code=1)
        self.assertIn("large.pairs: document 1 has 18 items", done.stderr)
        self.assertNotIn("x.mm", self.files())

    def test_solvers_agree_within_their_gaps(self):
        text, _ = documents(5, 15, 7, error=0.15)
        data = self.write("noisy.pairs", text)
        for loss in (["--loss", "pairs"], ["--loss", "links", "--wrong-link", 0.5]):
            objectives, bounds = [], []
            for solver in ("bcfw", "one-slack", "n-slack"):
                report = self.train_model("--solver", solver, "--tolerance", 1e-3, *loss, data=data)
                self.assertEqual(report["status"], "solved", solver)
                objectives.append(report["primal_objective"])
                bounds.append(report["dual_objective"])
            self.assertLessEqual(max(bounds), min(objectives))
            self.assertLessEqual(max(objectives), min(objectives) * (1 + 1.1e-3))

    def test_losses_and_their_options(self):
        report = self.train_model("--loss", "links", "--wrong-link", 0.01)
        self.assertEqual(report["options"]["loss"], "links")
        self.assertEqual(report["options"]["wrong_link"], 0.01)
        for words in (["--wrong-link", 2], ["--loss", "hinge"], ["--loss", "links", "--wrong-link", -1],
                      ["--inference", "beam"], ["--max-mentions-between", 3], ["--order", 2],
                      ["--format", "csv"], ["--gamma", 1]):  # fmt: skip
            with self.subTest(words):
                done = self.run_tool("train", self.train, *LEARN, *words, "-o", "x.mm", code=1)
                self.assertIn(str(words[-2]), done.stderr)
        self.run_tool("train", self.train, "--learner", "svc", "--inference", "exact", "-o", "x.mm",
                      code=1)  # fmt: skip
        self.assertNotIn("x.mm", self.files())

    def test_threads_give_the_same_bytes(self):
        text, _ = documents(6, 8, 14, error=0.2)
        data = self.write("large.pairs", text)
        models, answers = [], []
        for threads in (1, 3):
            self.train_model("--threads", threads, data=data)
            models.append((self.folder / "model.mm").read_bytes())
            self.run_tool("predict", "model.mm", data, "-o", "a", "--threads", threads)
            answers.append((self.folder / "a").read_bytes())
        self.assertEqual(models[0], models[1])
        self.assertEqual(answers[0], answers[1])

    def test_a_stopped_run_goes_on_to_the_same_model(self):
        text, _ = documents(7, 12, 9, error=0.2)
        data = self.write("noisy.pairs", text)
        state = ["--checkpoint", "state", "--checkpoint-every", 0, "--resume"]
        # (bcfw looks at all documents once more in its last pass, so a limit changes its way.)
        for solver in ("one-slack", "n-slack"):
            words = ["train", data, *LEARN, "-C", 10, "--tolerance", 1e-4, "--quiet", "--solver", solver]
            self.run_tool(*words, "-o", "whole.mm")
            self.run_tool(*words, *state, "--max-iterations", 3, "-o", "part.mm", code=2)
            self.run_tool(*words, *state, "-o", "part.mm")
            self.assertEqual((self.folder / "part.mm").read_bytes(),
                             (self.folder / "whole.mm").read_bytes(), solver)  # fmt: skip
            if solver == "one-slack":
                (self.folder / "state").unlink()
        # Other data is another run.
        done = self.run_tool("train", self.test, *words[2:], *state, "-o", "x.mm", code=1)
        self.assertIn("another run", done.stderr)
        done = self.run_tool(*words, *state, "--loss", "links", "-o", "x.mm", code=1)
        self.assertIn("another run", done.stderr)
        self.assertNotIn("x.mm", self.files())

    def test_a_pair_that_is_missing_has_score_zero(self):
        lines = self.train.read_text().split("\n")
        without = [line for line in lines if not line.startswith("1 2 ")]
        report = self.train_model(data=self.write("less.pairs", "\n".join(without)))
        self.assertAlmostEqual(report["metrics"]["listed_pairs"], 20 / 21)
        # Two items without features belong to nothing.
        bare = self.write("bare.pairs", "document d0\nitem d0.0\nitem d0.1\n")
        self.run_tool("predict", "model.mm", bare, "-o", "f")
        self.assertEqual((self.folder / "f").read_text(), answer([[0, 1]]))

    def test_small_and_empty_documents(self):
        self.train_model()
        one = self.write("one.pairs", "document d0\nitem d0.0 a\n")
        found = self.json_of("predict", "model.mm", one, "-o", "f")
        self.assertEqual((self.folder / "f").read_text(), answer([[0]]))
        self.assertIsNone(found["metrics"]["pair_loss"])
        self.assertIsNone(found["metrics"]["muc_f1"])
        self.assertEqual(found["metrics"]["b_cubed_f1"], 1)
        self.run_tool("predict", "model.mm", self.write("none.pairs", "document d0\n"), "-o", "f")
        self.assertEqual((self.folder / "f").read_text(), "document d0\n")
        self.run_tool("predict", "model.mm", self.write("empty.pairs", ""), "-o", "f")
        self.assertEqual((self.folder / "f").read_text(), "")
        # Beside others they do no harm, alone there is nothing to learn.
        both = self.write("both.pairs", self.train.read_text() + "document\nitem x a\ndocument\n")
        self.assertEqual(self.train_model(data=both)["n"], 22)
        for file, what in ((one, "no document has two items"), ("none.pairs", "two items"),
                           ("empty.pairs", "no document to learn from")):  # fmt: skip
            done = self.run_tool("train", file, *LEARN, "-o", "x.mm", code=1)
            self.assertIn(what, done.stderr)
        self.assertNotIn("x.mm", self.files())

    def test_other_features_than_the_model_has(self):
        self.train_model()
        more = self.write("more.pairs", self.test.read_text().replace(" 3:", " 3:0 9:"))
        found = self.json_of("predict", "model.mm", more, "-o", "f")
        self.assertIn("further ones are ignored", found["warnings"][0])
        self.assertEqual((self.folder / "f").read_text(), answer(self.kinds))
        less = self.write("less.pairs", "document d0\nitem d0.0 a\nitem d0.1 a\n1 2 1:1 2:1\n")
        found = self.json_of("predict", "model.mm", less, "-o", "f")
        self.assertEqual(len(found["warnings"]), 1)
        self.assertIn("has 2 features, the model 3: missing ones count as 0", found["warnings"][0])

    def test_verify_recomputes_the_objective(self):
        for words in ([], ["--solver", "one-slack"], ["--loss", "links", "--wrong-link", 0.5],
                      ["--inference", "exact"]):  # fmt: skip
            report = self.train_model("--verify", *words)
            self.assertTrue(report["verified"], words)
            self.assertAlmostEqual(report["verification"]["primal_objective"] / report["primal_objective"],
                                   1, places=9)  # fmt: skip
        # An estimate is no certificate.
        for words in (["--inference", "greedy"], ["--solver", "mira"]):
            code = 2 if "mira" in words else 0
            report = self.json_of("train", self.train, *LEARN, "--verify", "-o", "x.mm", *words, code=code)
            self.assertIsNone(report["verified"], words)
            self.assertTrue(report["verify_reason"], words)
        large = self.write("large.pairs", documents(4, 2, 13)[0])
        report = self.json_of("train", large, *LEARN, "--verify", "-o", "x.mm")
        self.assertIsNone(report["verified"])
        self.assertIn("--inference exact", report["verify_reason"])
        self.assertTrue(self.train_model("--verify", "--inference", "exact", data=large)["verified"])

    def test_bad_files_name_the_place(self):
        head = "document d\nitem a x\nitem b x\nitem c y\n"
        for text, place in (
            ("item a x\n", "bad.pairs:1"),
            ("document d\nitem a x\nitem a y\n", "bad.pairs:3"),
            ("document d\nitem a x\nitem b\n", "bad.pairs:3"),
            (head + "1 4 1:1\n", "bad.pairs:5"),
            (head + "2 1 1:1\n", "bad.pairs:5"),
            (head + "1 3 1:1\n1 2 1:1\n", "bad.pairs:6"),
            (head + "1 2 1:1\n1 2 1:1\n", "bad.pairs:6"),
            (head + "1 2 1:1\nitem d x\n", "bad.pairs:6"),
            (head + "1 2 2:1 1:1\n", "bad.pairs:5"),
            (head + "1 2 1:nan\n", "bad.pairs:5"),
            # Cut short.
            (head + "1 2 1:1\n1 3 1:", "bad.pairs:6"),
            (head + "1 2 1:1\n1", "bad.pairs:6"),
        ):
            with self.subTest(text):
                bad = self.write("bad.pairs", text)
                done = self.run_tool("train", bad, *LEARN, "-o", "x.mm", code=1)
                self.assertIn(place, done.stderr)
                self.assertNotIn("x.mm", self.files())
        self.train_model()
        bad = self.write("bad.pairs", head + "1 2 1:")
        self.run_tool("predict", "model.mm", bad, "-o", "x", code=1)
        self.run_tool("predict", "model.mm", "missing.pairs", "-o", "x", code=1)
        for words in (["--n-best", 2], ["--scores"], ["--label", 1], ["--unlabeled", 0]):
            done = self.run_tool("predict", "model.mm", self.test, "-o", "x", *words, code=1)
            self.assertIn(f"{words[0]}: a model of partition does not take it", done.stderr)
            if words[0] not in ("--n-best", "--scores"):
                done = self.run_tool("eval", self.test, self.test, "--task", "partition", *words, code=1)
                self.assertIn(f"{words[0]}: --task partition does not take it", done.stderr)
        self.assertNotIn("x", self.files())
        cut = self.write("cut.mm", (self.folder / "model.mm").read_bytes()[:-40])
        self.run_tool("predict", cut, self.test, "-o", "x", code=1)

    def test_eval_aligns_items_by_name(self):
        truth = self.write("t", "document d\nitem a 1\nitem b 1\nitem c 2\nitem d 2\n")
        same = self.write("s", "document d\nitem c x\nitem a y\nitem d x\nitem b y\n")
        found = self.json_of("eval", truth, same, "--task", "partition")["metrics"]
        self.assertEqual((found["conll_average"], found["document_accuracy"]), (1, 1))
        self.assertNotIn("item_f1", found)
        # c and d are one, b is missing, e is too many: 1 of 2 links, no wrong one.
        less = self.write("l", "document d\nitem a 1\nitem c 2\nitem d 2\nitem e 3\n")
        found = self.json_of("eval", truth, less, "--task", "partition")
        self.assertEqual(found["metrics"]["item_f1"], 0.75)
        self.assertEqual(found["metrics"]["document_accuracy"], 0)
        muc = next(row for row in found["scores"] if row["score"] == "muc")
        self.assertEqual((muc["recall"], muc["precision"]), (0.5, 1))

    def test_eval_refuses_what_it_cannot_compare(self):
        truth = self.write("t", "document d\nitem a 1\nitem b 1\n")
        for text, what in (("document e\nitem a 1\n", "is named"), ("", "number of documents"),
                           ("document d\nitem a\n", "no clusters"),
                           ("#begin document (d); part 0\n#end document\n", "format")):  # fmt: skip
            other = self.write("o", text)
            done = self.run_tool("eval", truth, other, "--task", "partition", code=1)
            self.assertIn(what, done.stderr)


NAMES = {"f": ["Lady Anna", "Mrs Vera", "Miss Clara"], "m": ["Mr Paul", "Sir Peter", "Mr Henry"]}
PRONOUNS = {"f": ["she", "her"], "m": ["he", "him"]}


def story(rng, name, sentences=6):
    """A woman and a man, by their names or by pronouns: rows of (words, entity or None)."""
    people = [rng.choice(NAMES["f"]), rng.choice(NAMES["m"])]
    rows = []
    for k in range(sentences):
        who = rng.randrange(2)
        pick = lambda p, form: people[p] if k == 0 or rng.random() < 0.4 else PRONOUNS["fm"[p]][form]
        rows.append([(pick(who, 0), who), ("saw", None), (pick(1 - who, 1), 1 - who), (".", None)])
    return text_of(name, rows)


def text_of(name, sentences):
    lines = [f"#begin document ({name}); part 000"]
    for rows in sentences:
        k = 0
        for words, entity in rows:
            words = words.split()
            for w, word in enumerate(words):
                first, last = "(" if w == 0 else "", ")" if w + 1 == len(words) else ""
                brackets = "-" if entity is None or not first + last else f"{first}{entity}{last}"
                lines.append("\t".join([name, "0", str(k), word, *"-------", brackets]))
                k += 1
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


def words_of(text):
    return [line.split("\t")[3] for line in text.splitlines() if "\t" in line]


class Conll2012(ToolTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(11)
        self.train = self.write("train.conll", "".join(story(rng, f"a{k}") for k in range(15)))
        self.test = self.write("test.conll", "".join(story(rng, f"b{k}", 8) for k in range(6)))

    def test_learns_who_is_who_and_writes_the_text(self):
        report = self.json_of("train", self.train, *LEARN, "-C", 10, "-o", "model.mm")
        self.assertEqual(report["status"], "solved")
        self.assertEqual(report["options"]["format"], "conll2012")
        found = self.json_of("predict", "model.mm", self.test, "-o", "found.conll")
        self.assertGreaterEqual(found["metrics"]["conll_average"], 0.9)
        written = (self.folder / "found.conll").read_text()
        self.assertEqual(words_of(written), words_of(self.test.read_text()))
        done = self.json_of("eval", self.test, "found.conll", "--task", "partition")
        self.assertEqual(done["metrics"], found["metrics"])
        # The answer is a file like the others.
        self.json_of("predict", "model.mm", "found.conll", "-o", "again.conll")
        self.assertEqual((self.folder / "again.conll").read_text(), written)

    def test_a_window_of_mentions_is_kept_in_the_model(self):
        report = self.json_of("train", self.train, *LEARN, "-o", "model.mm", "--max-mentions-between", 2)
        self.assertEqual(report["options"]["max_mentions_between"], 2)
        self.assertLess(report["metrics"]["listed_pairs"], 1)
        self.run_tool("predict", "model.mm", self.test, "-o", "found.conll")

    def test_a_model_wants_files_of_its_kind(self):
        self.run_tool("train", self.train, *LEARN, "-o", "model.mm")
        pairs = self.write("x.pairs", "document d\nitem a 1\nitem b 1\n1 2 1:1\n")
        done = self.run_tool("predict", "model.mm", pairs, "-o", "x", code=1)
        self.assertIn("trained on a conll2012 file", done.stderr)
        self.run_tool("train", pairs, *LEARN, "-o", "pairs.mm")
        self.run_tool("predict", "pairs.mm", self.test, "-o", "x", code=1)
        self.assertNotIn("x", self.files())

    def test_documents_without_mentions(self):
        self.run_tool("train", self.train, *LEARN, "-o", "model.mm")
        empty = self.write("empty.conll", text_of("e", [[("Nothing", None), ("here", None)]]))
        self.run_tool("predict", "model.mm", empty, "-o", "f")
        self.assertEqual(words_of((self.folder / "f").read_text()), ["Nothing", "here"])
        done = self.run_tool("train", empty, *LEARN, "-o", "x.mm", code=1)
        self.assertIn("no document has two items", done.stderr)
        both = self.write("both.conll", empty.read_text() + self.train.read_text())
        self.assertEqual(self.json_of("train", both, *LEARN, "-o", "m.mm")["n"], 16)

    def test_mentions_that_cross_are_written_apart(self):
        # Where all mentions are one entity, so is everything.
        same = [[("Anna", 0), ("saw", None), ("Anna", 0)], [("Anna", 0), ("left", None)]]
        self.run_tool("train", self.write("same.conll", text_of("s", same)), *LEARN, "-C", 100,
                      "-o", "model.mm")  # fmt: skip
        lines = [["Anna", "(1"], ["Anna", "(2"], ["Anna", "1)"], ["Anna", "2)"]]
        text = "#begin document (c); part 000\n" + "".join(
            "\t".join(["c", "0", str(k), word, *"-------", brackets]) + "\n"
            for k, (word, brackets) in enumerate(lines)
        ) + "#end document\n"  # fmt: skip
        crossing = self.write("crossing.conll", text)
        found = self.json_of("predict", "model.mm", crossing, "-o", "f")
        self.assertIn("1 mentions cross", found["warnings"][0])
        self.assertEqual(found["metrics"]["pair_loss"], 1)
        done = self.json_of("eval", crossing, "f", "--task", "partition")
        self.assertEqual(done["metrics"]["pair_loss"], 0)

    def test_bad_files_name_the_place(self):
        good = self.train.read_text()
        lines = good.split("\n")
        for text, place in (
            (good[: len(good) - 20], "bad.conll:"),  # cut short
            ("\n".join(lines[:3]), "bad.conll:1: the document has no #end document"),
            ("\n".join([lines[0], "a b c d", *lines[1:]]), "bad.conll:2"),
            ("\n".join([lines[0], "a b c d (1", *lines[1:]]), "bad.conll:2"),
            ("\n".join([lines[0], "a b c d 7)", *lines[1:]]), "bad.conll:2"),
            ("\n".join([lines[0], "a b c d (1)|(2)", *lines[1:]]), "bad.conll:2"),
        ):
            with self.subTest(place):
                bad = self.write("bad.conll", text)
                done = self.run_tool("train", bad, *LEARN, "-o", "x.mm", code=1)
                self.assertIn(place, done.stderr)
                self.assertNotIn("x.mm", self.files())
        self.run_tool("train", self.train, *LEARN, "-o", "model.mm")
        self.run_tool("predict", "model.mm", "bad.conll", "-o", "x", code=1)
        self.assertNotIn("x", self.files())
        short = self.write("short.conll", text_of("b0", [[("Anna", 0)]]))
        long = self.write("long.conll", text_of("b0", [[("Anna", 0), ("left", None)]]))
        done = self.run_tool("eval", long, short, "--task", "partition", code=1)
        self.assertIn("number of words", done.stderr)


if __name__ == "__main__":
    unittest.main()
