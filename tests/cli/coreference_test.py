# SPDX-License-Identifier: Apache-2.0
"""Learning clusters that hang together by hidden links, as a user meets it."""

import random
import unittest

import partition_learner_test as partitions
from tool import ToolTest

LEARN = ["--learner", "coreference"]


def document(rng, name, items):
    """Feature 1 is constant, 2 says that an item is the next one of a cluster, 3 is noise."""
    kinds = partitions.clusters_of(rng, items, 1 + items // 6)
    lines = [f"document {name}"] + [f"item {name}.{i} c{kind}" for i, kind in enumerate(kinds)]
    for i in range(items):
        for j in range(i + 1, items):
            is_next = kinds[i] == kinds[j] and kinds[i] not in kinds[i + 1 : j]
            lines.append(f"{i + 1} {j + 1} 1:1 2:{int(is_next)} 3:{rng.gauss(0, 0.3):.4f}")
    return "\n".join(lines) + "\n", kinds


def documents(seed, count, items):
    rng = random.Random(seed)
    made = [document(rng, f"d{k}", items) for k in range(count)]
    return "".join(text for text, _ in made), [kinds for _, kinds in made]


class Forests(ToolTest):
    def setUp(self):
        super().setUp()
        text, _ = documents(1, 15, 8)
        self.train = self.write("train.pairs", text)
        text, self.kinds = documents(2, 8, 12)
        self.test = self.write("test.pairs", text)
        text, _ = partitions.documents(3, 15, 9, error=0.2)
        self.noisy = self.write("noisy.pairs", text)

    def train_model(self, *words, code=0, data=None, model="model.mm"):
        return self.json_of("train", data or self.train, *LEARN, "-C", 10, "-o", model, *words,
                            code=code)  # fmt: skip

    def test_learns_chains_and_writes_clusters(self):
        report = self.train_model("--verify")
        self.assertEqual(report["status"], "local_optimum")
        self.assertEqual(report["oracle"], "exact")
        self.assertTrue(report["verified"])
        self.assertEqual((report["n"], report["d"]), (15, 3))
        self.assertEqual(report["options"]["start"], "chain")
        self.assertEqual(report["options"]["format"], "pairs")
        self.assertEqual(report["metrics"]["listed_pairs"], 1)
        found = self.json_of("predict", "model.mm", self.test, "-o", "found.pairs")
        self.assertEqual((self.folder / "found.pairs").read_text(), partitions.answer(self.kinds))
        self.assertEqual(found["metrics"]["conll_average"], 1)
        self.assertEqual(found["metrics"]["muc_loss"], 0)
        for task in ("coreference", "partition"):
            done = self.json_of("eval", self.test, "found.pairs", "--task", task)
            self.assertEqual(done["metrics"], found["metrics"])
        info = self.json_of("info", "model.mm", "--verify", self.train)
        self.assertTrue(info["verified"])
        # A sum over all pairs does not find them.
        self.run_tool("train", self.train, "--learner", "partition", "-C", 10, "-o", "pairs.mm")
        rival = self.json_of("predict", "pairs.mm", self.test, "-o", "x")
        self.assertLess(rival["metrics"]["conll_average"], 0.95)

    def test_a_changed_model_is_not_verified(self):
        self.train_model(data=self.noisy)
        changed = self.changed_model("model.mm", rb"option.C number 10$", b"option.C number 11")
        done = self.json_of("info", changed, "--verify", self.noisy, code=3)
        self.assertFalse(done["verified"])

    def test_starts(self):
        objectives = {}
        self.run_tool("train", self.noisy, "--learner", "partition", "-C", 10, "-o", "pairs.mm")
        self.train_model(data=self.noisy, model="chain.mm")
        for name, words in {
            "chain": [],
            "random": ["--start", "random"],
            "partition": ["--start", "weights", "--start-model", "pairs.mm"],
            "again": ["--start", "weights", "--start-model", "chain.mm"],
        }.items():
            report = self.train_model("--verify", *words, data=self.noisy)
            self.assertTrue(report["verified"], name)
            objectives[name] = report["primal_objective"]
        self.assertNotEqual(objectives["chain"], objectives["random"])
        # From its own answer it does not get worse, but for the tolerance.
        self.assertLessEqual(objectives["again"], objectives["chain"] * (1 + 1e-3))
        self.run_tool("train", "builtin:iris", "--learner", "linear-svc", "-o", "svc.mm")
        few = self.write("few.pairs", "document d\nitem a 1\nitem b 1\n1 2 1:1\n")
        self.run_tool("train", few, *LEARN, "-o", "few.mm")
        for words, what in (
            (["--start", "weights"], "--start weights: needs --start-model FILE"),
            (["--start-model", "chain.mm"], "--start-model: belongs to --start weights"),
            (["--start", "weights", "--start-model", "svc.mm"], "not of coreference or partition"),
            (["--start", "weights", "--start-model", "few.mm"], "has 1 features, the data 3"),
            (["--start", "weights", "--start-model", "none.mm"], "none.mm"),
            (["--start", "weights", "--start-model", self.noisy], "noisy.pairs"),
            (["--start", "middle"], "--start middle"),
        ):
            with self.subTest(words):
                done = self.run_tool("train", self.noisy, *LEARN, *words, "-o", "x.mm", code=1)
                self.assertIn(what, done.stderr)
        self.assertNotIn("x.mm", self.files())

    def test_restarts_keep_the_best(self):
        once = self.train_model(data=self.noisy)
        best = self.train_model("--restarts", 4, data=self.noisy)
        self.assertLessEqual(best["primal_objective"], once["primal_objective"])
        self.train_model("--restarts", 4, "--threads", 1, data=self.noisy, model="one.mm")
        self.assertEqual((self.folder / "one.mm").read_bytes(), (self.folder / "model.mm").read_bytes())

    def test_a_smaller_cost_of_wrong_links_pays_for_recall(self):
        recalls = []
        for cost in (3, 1, 0.1):
            report = self.train_model("--wrong-link", cost, data=self.noisy)
            self.assertEqual(report["options"]["wrong_link"], cost)
            found = self.json_of("predict", "model.mm", self.noisy, "-o", "f")
            muc = next(row for row in found["scores"] if row["score"] == "muc")
            recalls.append(muc["recall"])
        self.assertEqual(recalls, sorted(recalls))
        self.assertGreater(recalls[2], recalls[0])

    def test_weights_of_documents(self):
        report = self.train_model("--document-weight", "size", "-C", 80, "--verify")
        self.assertTrue(report["verified"])
        # All have eight items.
        plain = self.train_model()
        self.assertAlmostEqual(report["primal_objective"] / plain["primal_objective"], 1, places=2)

    def test_options_that_do_not_fit_are_named(self):
        for words in (["--wrong-link", -1], ["--wrong-link", 0], ["--wrong-link", "nan"], ["--loss", "pairs"],
                      ["--inference", "exact"], ["--max-mentions-between", 3], ["--start", "w"],
                      ["--document-weight", "length"], ["--restarts", 0], ["-C", 0],
                      ["--outer-iterations", 0], ["--format", "csv"]):  # fmt: skip
            with self.subTest(words):
                done = self.run_tool("train", self.train, *LEARN, *words, "-o", "x.mm", code=1)
                self.assertIn(str(words[0]), done.stderr)
        self.assertNotIn("x.mm", self.files())

    def test_threads_give_the_same_bytes(self):
        for threads in (1, 3):
            self.train_model("--threads", threads, data=self.noisy, model=f"{threads}.mm")
            self.run_tool("predict", f"{threads}.mm", self.noisy, "-o", f"{threads}.out", "--threads", threads)
        for kind in ("mm", "out"):
            self.assertEqual((self.folder / f"1.{kind}").read_bytes(), (self.folder / f"3.{kind}").read_bytes())

    def test_killed_runs_end_with_the_same_model(self):
        text, _ = partitions.documents(4, 12, 40, error=0.2)
        data = self.write("large.pairs", text)
        common = ["train", data, *LEARN, "-C", 1, "--tolerance", 1e-3, "--restarts", 2]
        self.check_that_killed_runs_end_alike(*common)
        common += ["--checkpoint", "killed.state", "--resume", "--quiet"]
        # Another start, or other data, is another run.
        for words in (["--start", "random"], ["--wrong-link", 0.5], ["--document-weight", "size"]):
            done = self.run_tool(*common, *words, "-o", "x.mm", code=1)
            self.assertIn("another run", done.stderr)
        done = self.run_tool("train", self.noisy, *common[2:], "-o", "x.mm", code=1)
        self.assertIn("another run", done.stderr)
        self.assertNotIn("x.mm", self.files())

    def test_pairs_that_are_missing_have_no_score(self):
        lines = self.train.read_text().split("\n")
        without = [line for line in lines if not line.startswith("1 2 ")]
        report = self.train_model("--verify", data=self.write("less.pairs", "\n".join(without)))
        self.assertAlmostEqual(report["metrics"]["listed_pairs"], 27 / 28)
        self.assertTrue(report["verified"])
        bare = self.write("bare.pairs", "document d0\nitem d0.0\nitem d0.1\n")
        self.run_tool("predict", "model.mm", bare, "-o", "f")
        self.assertEqual((self.folder / "f").read_text(), partitions.answer([[0, 1]]))

    def test_small_and_unknown_documents(self):
        self.train_model()
        one = self.write("one.pairs", "document d0\nitem d0.0 a\n")
        found = self.json_of("predict", "model.mm", one, "-o", "f")
        self.assertEqual((self.folder / "f").read_text(), partitions.answer([[0]]))
        self.assertIsNone(found["metrics"]["muc_f1"])
        self.run_tool("predict", "model.mm", self.write("none.pairs", "document d0\n"), "-o", "f")
        self.assertEqual((self.folder / "f").read_text(), "document d0\n")
        self.write("empty.pairs", "")
        self.run_tool("predict", "model.mm", "empty.pairs", "-o", "f")
        self.assertEqual((self.folder / "f").read_text(), "")
        both = self.write("both.pairs", self.train.read_text() + "document\nitem x a\ndocument\n")
        self.assertEqual(self.train_model("--document-weight", "size", data=both)["n"], 17)
        unknown = self.write("unknown.pairs", "document d0\nitem d0.0\nitem d0.1\n1 2 1:1\n")
        for file, what in ((one, "no document has two items"), ("none.pairs", "two items"),
                           ("empty.pairs", "no document to learn from"),
                           (unknown, "unknown.pairs: has no clusters to learn from")):  # fmt: skip
            done = self.run_tool("train", file, *LEARN, "-o", "x.mm", code=1)
            self.assertIn(what, done.stderr)
        self.assertNotIn("x.mm", self.files())
        found = self.json_of("predict", "model.mm", unknown, "-o", "f")
        self.assertEqual(found["metrics"], {})

    def test_documents_of_one_cluster_and_of_none(self):
        head = "".join(f"document d{d}\n" + "".join(f"item {i} %s\n" for i in range(4))
                       + "".join(f"{i + 1} {j + 1} 1:1\n" for i in range(4) for j in range(i + 1, 4))
                       for d in range(3))  # fmt: skip
        for name, kinds in (("together", [0] * 4), ("alone", [0, 1, 2, 3])):
            data = self.write(f"{name}.pairs", head % tuple(3 * kinds))
            report = self.train_model("--verify", data=data)
            self.assertTrue(report["verified"], name)
            self.assertEqual(report["metrics"]["document_accuracy"], 1, name)

    def test_broken_models_are_refused(self):
        self.train_model()
        data = (self.folder / "model.mm").read_bytes()
        cut = self.write("cut.mm", data[:-40])
        self.run_tool("predict", cut, self.test, "-o", "x", code=1)
        changed = self.changed_model("model.mm", rb"^field wrong_link number 1$", b"field wrong_link number -1")
        done = self.run_tool("predict", changed, self.test, "-o", "x", code=1)
        self.assertIn("--wrong-link -1", done.stderr)
        self.assertNotIn("x", self.files())


class Texts(ToolTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(11)
        story = partitions.story
        self.train = self.write("train.conll", "".join(story(rng, f"a{k}") for k in range(15)))
        self.test = self.write("test.conll", "".join(story(rng, f"b{k}", 8) for k in range(6)))

    def test_learns_who_is_who_and_writes_the_text(self):
        report = self.json_of("train", self.train, *LEARN, "-C", 1, "-o", "model.mm", "--verify")
        self.assertTrue(report["verified"])
        self.assertEqual(report["options"]["format"], "conll2012")
        found = self.json_of("predict", "model.mm", self.test, "-o", "found.conll")
        self.assertGreaterEqual(found["metrics"]["conll_average"], 0.9)
        written = (self.folder / "found.conll").read_text()
        self.assertEqual(partitions.words_of(written), partitions.words_of(self.test.read_text()))
        done = self.json_of("eval", self.test, "found.conll", "--task", "coreference")
        self.assertEqual(done["metrics"], found["metrics"])

    def test_a_window_cuts_clusters_and_is_kept_in_the_model(self):
        report = self.json_of("train", self.train, *LEARN, "-o", "model.mm", "--verify",
                              "--max-mentions-between", 0)  # fmt: skip
        self.assertEqual(report["options"]["max_mentions_between"], 0)
        self.assertLess(report["metrics"]["listed_pairs"], 1)
        self.assertTrue(report["verified"])
        self.run_tool("predict", "model.mm", self.test, "-o", "found.conll")

    def test_files_of_the_other_kind_and_without_mentions(self):
        self.run_tool("train", self.train, *LEARN, "-o", "model.mm")
        pairs = self.write("x.pairs", "document d\nitem a 1\nitem b 1\n1 2 1:1\n")
        done = self.run_tool("predict", "model.mm", pairs, "-o", "x", code=1)
        self.assertIn("trained on a conll2012 file", done.stderr)
        done = self.run_tool("train", pairs, *LEARN, "--start", "weights", "--start-model", "model.mm",
                             "-o", "x", code=1)  # fmt: skip
        self.assertIn("trained on a conll2012 file", done.stderr)
        self.assertNotIn("x", self.files())
        empty = self.write("empty.conll", partitions.text_of("e", [[("Nothing", None), ("here", None)]]))
        self.run_tool("predict", "model.mm", empty, "-o", "f")
        self.assertEqual(partitions.words_of((self.folder / "f").read_text()), ["Nothing", "here"])
        done = self.run_tool("train", empty, *LEARN, "-o", "x.mm", code=1)
        self.assertIn("no document has two items", done.stderr)


if __name__ == "__main__":
    unittest.main()
