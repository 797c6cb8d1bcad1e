# SPDX-License-Identifier: Apache-2.0
"""Taggers of sequences as a user meets them."""

import random
import unittest

from tagged_text import WORDS, sentence, text_of
from tool import ToolTest


class Sequences(ToolTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(1)
        self.train_sentences = [sentence(rng) for _ in range(60)]
        self.train = self.write("train.conll", text_of(self.train_sentences))
        self.test_sentences = [sentence(rng) for _ in range(20)]
        self.test = self.write("test.conll", text_of(self.test_sentences))

    def train_model(self, *words, code=0, data=None):
        return self.json_of("train", data or self.train, "--learner", "sequence", "-o", "model.mm",
                            *words, code=code)  # fmt: skip

    def test_learns_chunks_and_writes_them(self):
        report = self.train_model("-C", 1)
        self.assertEqual(report["status"], "solved")
        self.assertLessEqual(report["relative_gap"], 1e-2)
        self.assertEqual(report["options"]["template"], "chunking")
        answer = self.json_of("predict", "model.mm", self.test, "-o", "tagged.conll")
        self.assertEqual(answer["metrics"]["chunk_f1"], 1)
        self.assertEqual(answer["metrics"]["token_accuracy"], 1)
        self.assertEqual((self.folder / "tagged.conll").read_text(), self.test.read_text())
        done = self.run_tool("eval", self.test, "tagged.conll", "--task", "sequence")
        self.assertIn("chunk_f1", done.stdout)
        # Without tags the columns are the same and nothing is measured.
        bare = self.write("bare.conll", text_of(self.test_sentences, (0, 1)))
        answer = self.json_of("predict", "model.mm", bare, "-o", "tagged.conll")
        self.assertNotIn("chunk_f1", answer["metrics"])
        self.assertEqual((self.folder / "tagged.conll").read_text(), self.test.read_text())

    def test_solvers_agree_within_their_gaps(self):
        objectives, bounds = [], []
        for solver in ("bcfw", "one-slack", "n-slack"):
            report = self.train_model("-C", 0.1, "--solver", solver, "--tolerance", 1e-3)
            self.assertEqual(report["status"], "solved", solver)
            objectives.append(report["primal_objective"])
            bounds.append(report["dual_objective"])
        self.assertLessEqual(max(bounds), min(objectives))
        self.assertLessEqual(max(objectives), min(objectives) * (1 + 1.1e-3))
        report = self.train_model("-C", 0.1, "--solver", "subgradient", "--tolerance", 1e-4, code=2)
        self.assertLessEqual(report["primal_objective"], 1.05 * min(objectives))
        self.assertIsNone(report["relative_gap"])

    def test_threads_give_the_same_bytes(self):
        for solver in ("bcfw", "crf"):
            models = []
            for threads in (1, 3):
                self.train_model("--solver", solver, "--threads", threads)
                models.append((self.folder / "model.mm").read_bytes())
            self.assertEqual(models[0], models[1], solver)

    def test_n_best_lists_what_margins_say(self):
        self.train_model()
        lines = self.run_tool("predict", "model.mm", self.test, "--n-best", 3, "--quiet").stdout
        self.assertEqual(lines.count("rank 3"), 20)
        # All nine answers of a sequence of two positions and three labels.
        rng = random.Random(4)
        rows = []
        for number in range(30):
            for _ in range(2):
                label = rng.choice("abc")
                rows.append(f"{label} qid:{number} {1 + 'abc'.index(label)}:{rng.uniform(0.1, 1)} "
                            f"{rng.randrange(4, 7)}:1")  # fmt: skip
        self.train_model(data=self.write("two.svmhmm", "\n".join(rows) + "\n"))
        one = self.write("one.svmhmm", "? qid:1 1:0.3 5:1\n? qid:1 2:0.2 3:0.1 4:1\n")
        blocks = self.run_tool("predict", "model.mm", one, "--n-best", 20, "--quiet").stdout
        answers = []
        for block in blocks.strip().split("\n\n"):
            head, *labels = block.split("\n")
            answers.append((float(head.split(" = ")[1]), labels))
        self.assertEqual(len(answers), 9)
        self.assertEqual(len({tuple(labels) for _, labels in answers}), 9)
        scores = [score for score, _ in answers]
        self.assertEqual(scores, sorted(scores, reverse=True))
        plain = self.run_tool("predict", "model.mm", one, "--quiet").stdout.split()
        self.assertEqual(plain, answers[0][1])
        margins = self.run_tool("predict", "model.mm", one, "--margins", "--quiet").stdout
        for t, line in enumerate(margins.strip().split("\n")):
            margin, label = line.split("\t")
            self.assertEqual(label, plain[t])
            rivals = [score for score, labels in answers if labels[t] != label]
            self.assertAlmostEqual(float(margin), scores[0] - max(rivals), places=9)
        self.run_tool("predict", "model.mm", one, "--margins", "--n-best", 2, code=1)

    def test_unknown_tag_is_an_error_counted(self):
        self.train_model()
        other = self.write("other.conll", self.test.read_text().replace("\tO\n", "\tB-XX\n"))
        answer = self.json_of("predict", "model.mm", other, "-o", "tagged.conll")
        self.assertEqual(len(answer["warnings"]), 1)
        self.assertIn("B-XX", answer["warnings"][0])
        self.assertIn("count as errors", answer["warnings"][0])
        tokens = sum(len(rows) for rows in self.test_sentences)
        self.assertAlmostEqual(answer["metrics"]["token_accuracy"], 1 - 20 / tokens)
        row = {row["label"]: row for row in answer["labels"]}["B-XX"]
        self.assertEqual((row["recall"], row["count"]), (0, 20))

    def test_one_label_is_said_to_be_all(self):
        report = self.train_model(data=self.write("one.conll", "a X\nb X\n"))
        self.assertEqual(len(report["warnings"]), 1)
        self.assertIn("one.conll: all labels are X", report["warnings"][0])
        self.assertEqual(self.train_model()["warnings"], [])

    def test_conllu(self):
        rows = [[f"{i + 1}\t{w}\t_\t{t}\tX{t}\t_\t_\t_\t_\t_" for i, (w, t, _) in enumerate(s)]
                for s in self.test_sentences]  # fmt: skip
        text = "".join("# a comment\n" + "\n".join(r) + "\n\n" for r in rows)
        data = self.write("x.conllu", text)
        report = self.train_model(data=data)
        self.assertEqual(report["options"]["format"], "conllu")
        self.assertEqual(report["options"]["template"], "tagging")
        answer = self.json_of("predict", "model.mm", data, "-o", "tagged.conll")
        self.assertEqual(answer["metrics"]["token_accuracy"], 1)
        # The answer has columns, the truth is CoNLL-U.
        report = self.json_of("eval", data, "tagged.conll", "--task", "sequence")
        self.assertEqual(report["metrics"]["token_accuracy"], 1)
        # Which columns were seen is part of the model.
        self.write("t.txt", "U0:%x[0,0]\n")
        self.train_model("--columns", "XPOS", "--template", "t.txt", data=data)
        answer = self.json_of("predict", "model.mm", data, "-o", "tagged.conll")
        self.assertEqual(answer["metrics"]["token_accuracy"], 1)
        self.assertEqual((self.folder / "tagged.conll").read_text().split("\n")[0], "XD\tD")
        bare = self.json_of("predict", "model.mm", data, "--label", "none", "-o", "tagged.conll")
        self.assertEqual(bare["metrics"], {})
        self.run_tool("train", data, "--learner", "sequence", "-o", "m.mm", "--columns", "WORD", code=1)
        broken = self.write("b.conllu", text.replace("2\t", "7\t", 1))
        done = self.run_tool("train", broken, "--learner", "sequence", "-o", "m.mm", code=1)
        self.assertIn("b.conllu:3:1", done.stderr)

    def test_svmhmm(self):
        lines = []
        for number, s in enumerate(self.test_sentences):
            for word, tag, _ in s:
                lines.append(f"{tag} qid:{number + 1} {1 + hash_of(word)}:1")
        data = self.write("x.svmhmm", "\n".join(lines) + "\n")
        report = self.train_model(data=data)
        self.assertEqual(report["options"]["format"], "svmhmm")
        answer = self.json_of("predict", "model.mm", data, "-o", "labels.txt")
        self.assertEqual(answer["metrics"]["token_accuracy"], 1)
        written = (self.folder / "labels.txt").read_text().split()
        self.assertEqual(written, [line.split()[0] for line in lines])
        self.run_tool("predict", "model.mm", self.test, "--format", "conll", code=1)
        self.run_tool("train", data, "--learner", "sequence", "-o", "m.mm", "--index", "hashed", code=1)
        broken = self.write("b.svmhmm", "\n".join([*lines, lines[0]]) + "\n")
        done = self.run_tool("train", broken, "--learner", "sequence", "-o", "m.mm", code=1)
        self.assertIn(f"b.svmhmm:{len(lines) + 1}", done.stderr)
        self.assertNotIn("m.mm", self.files())

    def test_tag_column_is_part_of_the_model(self):
        report = self.train_model("--label", 2)
        self.assertEqual(report["metrics"]["token_accuracy"], 1)
        answer = self.json_of("predict", "model.mm", self.test, "-o", "tagged.conll")
        self.assertEqual(answer["metrics"]["token_accuracy"], 1)
        bare = self.write("bare.conll", text_of(self.test_sentences, (0, 2)))
        answer = self.json_of("predict", "model.mm", bare, "-o", "bare-tagged.conll")
        self.assertEqual(answer["metrics"], {})
        self.assertEqual((self.folder / "bare-tagged.conll").read_text(),
                         (self.folder / "tagged.conll").read_text())  # fmt: skip
        self.assertEqual((self.folder / "tagged.conll").read_text(),
                         text_of(self.test_sentences, (0, 2, 1)))  # fmt: skip

    def test_hashed_features(self):
        models = []
        for _ in range(2):
            report = self.train_model("--index", "hashed", "--hash-bits", 14)
            self.assertEqual(report["options"]["hash_bits"], 14)
            labels = len({row[2] for rows in self.test_sentences for row in rows})
            self.assertEqual(report["d"], (2**14 + labels + 2) * labels)
            models.append((self.folder / "model.mm").read_bytes())
        self.assertEqual(models[0], models[1])
        answer = self.json_of("predict", "model.mm", self.test)
        self.assertEqual(answer["metrics"]["token_accuracy"], 1)
        for words in (["--hash-bits", 14], ["--index", "hashed", "--min-count", 2],
                      ["--index", "hashed", "--hash-bits", 32]):  # fmt: skip
            self.run_tool("train", self.train, "--learner", "sequence", "-o", "m.mm", *words, code=1)

    def test_a_template_without_b_is_order_0(self):
        words = {row[0] for row in sum(self.train_sentences, [])}
        labels = {row[2] for row in sum(self.train_sentences, [])}
        for lines, order, weights in (("U0:%x[0,0]\n", 0, 0), ("U0:%x[0,0]\nB\n", 1, len(labels))):
            self.write("t.txt", lines)
            report = self.train_model("--template", "t.txt")
            self.assertEqual(report["options"]["order"], order)
            self.assertEqual(report["d"], (len(words) + weights + 2) * len(labels))
            self.run_tool("predict", "model.mm", self.test, "--margins")
        self.write("t.txt", "U0:%x[0,0]\n")
        report = self.train_model("--template", "t.txt", "--order", 1)
        self.assertEqual(report["options"]["order"], 1)

    def test_crf_has_a_bound_of_its_own(self):
        report = self.train_model("--solver", "crf", "-C", 1, "--tolerance", 1e-4, "--verify")
        self.assertEqual(report["status"], "solved")
        self.assertIsNone(report["dual_objective"])
        self.assertLessEqual(report["lower_bound"], report["primal_objective"])
        self.assertLessEqual(report["relative_gap"], 1e-4)
        self.assertTrue(report["verified"])
        self.assertAlmostEqual(report["verification"]["primal_objective"] / report["primal_objective"],
                               1, places=9)  # fmt: skip
        # A looser run cannot get below the bound.
        loose = self.train_model("--solver", "crf", "-C", 1, "--tolerance", 0.3)
        self.assertGreaterEqual(loose["primal_objective"], report["lower_bound"])
        answer = self.json_of("predict", "model.mm", self.test)
        self.assertEqual(answer["metrics"]["token_accuracy"], 1)
        self.run_tool("predict", "model.mm", self.test, "--n-best", 2)
        self.run_tool("predict", "model.mm", self.test, "--margins")
        self.write("steps.txt", "U0:%x[0,0]\nB\nB0:%x[0,1]\n")
        self.write("alone.txt", "U0:%x[0,0]\n")
        for words in (["--order", 2], ["--rescaling", "slack"], ["--class-weight", "balanced"],
                      ["--checkpoint", "state"], ["--template", "steps.txt"],
                      ["--template", "alone.txt"]):  # fmt: skip
            done = self.run_tool("train", self.train, "--learner", "sequence", "--solver", "crf",
                                 "-o", "m.mm", *words, code=1)  # fmt: skip
            self.assertRegex(done.stderr, "crf|CRF")
        self.assertNotIn("m.mm", self.files())

    def test_perceptron_has_no_bound(self):
        report = self.train_model("--solver", "perceptron")
        self.assertEqual((report["status"], report["primal_objective"]), ("solved", 0))
        for name in ("dual_objective", "lower_bound", "gap", "relative_gap"):
            self.assertIsNone(report[name])
        self.assertNotIn("C", report["options"])
        answer = self.json_of("predict", "model.mm", self.test)
        self.assertEqual(answer["metrics"]["token_accuracy"], 1)
        # Another seed is another order.
        first = (self.folder / "model.mm").read_bytes()
        self.train_model("--solver", "perceptron", "--seed", 1)
        self.assertNotEqual(first, (self.folder / "model.mm").read_bytes())
        report = self.train_model("--solver", "perceptron", "--max-iterations", 1, code=2)
        self.assertEqual((report["status"], report["iterations"]), ("iteration_limit", 1))
        for words in (["-C", 2], ["-C", 1], ["--tolerance", 0.1], ["--rescaling", "margin"], ["--rescaling", "slack"]):
            self.run_tool("train", self.train, "--learner", "sequence", "--solver", "perceptron",
                          "-o", "m.mm", *words, code=1)  # fmt: skip
        self.train_model("--solver", "perceptron", "--order", 2)

    def test_verify_recomputes_the_objective(self):
        for words in ([], ["--solver", "one-slack"], ["--rescaling", "slack"], ["--order", 2],
                      ["--class-weight", "O=3"]):  # fmt: skip
            report = self.train_model("--verify", *words)
            self.assertTrue(report["verified"], words)
            verification = report["verification"]
            self.assertAlmostEqual(verification["primal_objective"] / report["primal_objective"],
                                   1, places=9)  # fmt: skip
            self.assertLessEqual(abs(verification["relative_difference"]), 1e-9)
            self.assertEqual(verification["bound"], "not recomputed")
        report = self.train_model()
        self.assertNotIn("verified", report)
        nothing = self.json_of("train", self.train, "--learner", "sequence", "--solver", "mira",
                               "--verify", "-o", "m.mm")  # fmt: skip
        self.assertIsNone(nothing["verified"])
        self.assertIn("--solver mira", nothing["verify_reason"])
        again = self.json_of("info", "m.mm", "--verify", self.train)
        self.assertEqual(again["verify_reason"], nothing["verify_reason"])
        self.run_tool("info", "model.mm")
        shown = self.json_of("info", "model.mm", "--verify", self.train)
        self.assertTrue(shown["verified"])
        self.assertAlmostEqual(shown["verified_primal"] / report["primal_objective"], 1, places=9)

    def test_verify_reads_the_columns_that_the_model_was_trained_on(self):
        token = "{}\t{}\t{}\tX\t{}\t_\t0\troot\t_\t_\n"
        text = "".join(
            token.format(1, "a", "la", "AA") + token.format(2, word, lemma, tag) + "\n"
            for word, lemma, tag in (("b", "lb", "BB"), ("c", "lc", "CC"), ("d", "lb", "BB"))
        )
        self.write("u.conllu", text)
        for words in (["--columns", "FORM,LEMMA", "--label", "XPOS"], ["--label", "XPOS"]):
            report = self.json_of("train", "u.conllu", "--learner", "sequence", *words, "-o", "u.mm")
            shown = self.json_of("info", "u.mm", "--verify", "u.conllu")
            self.assertIs(shown["verified"], True, words)
            self.assertAlmostEqual(shown["verified_primal"] / report["primal_objective"], 1, places=9)
            # Given again they mean the same.
            self.run_tool("info", "u.mm", "--verify", "u.conllu", *words)
        done = self.run_tool("info", "u.mm", "--verify", "u.conllu", "--label", "UPOS", code=1)
        self.assertIn("u.conllu has the label X, which the model's training data has not", done.stderr)

    def test_stray_b_tags_of_iob1_are_read_as_i_and_counted(self):
        text = "".join(
            f"{w} {p} {t}\n" if w else "\n"
            for w, p, t in [
                ("a", "D", "{0}-NP"), ("dog", "N", "I-NP"), ("ran", "V", "O"), ("", "", ""),
                ("he", "P", "I-NP"), ("the", "D", "B-NP"), ("cat", "N", "I-NP"), ("", "", ""),
                ("saw", "V", "O"), ("a", "D", "{0}-NP"), ("cat", "N", "I-NP"), ("", "", ""),
            ] * 3
        )  # fmt: skip
        words = ["--learner", "sequence", "--chunks", "iob1", "--verify"]
        for name, tag in (("stray.conll", "B"), ("right.conll", "I")):
            self.write(name, text.replace("{0}", tag))
        stray = self.json_of("train", "stray.conll", *words, "-o", "stray.mm")
        right = self.json_of("train", "right.conll", *words, "-o", "right.mm")
        self.assertTrue(
            any("stray.conll: 6 tags B- begin no second chunk" in w for w in stray["warnings"])
        )
        self.assertEqual((stray["verified"], right["verified"], right["warnings"]), (True, True, []))
        self.assertEqual((self.folder / "stray.mm").read_bytes(), (self.folder / "right.mm").read_bytes())
        self.run_tool("info", "stray.mm", "--verify", "stray.conll")
        # Without a tag I- of the type there is nothing that they could be.
        self.write("alone.conll", "a D B-NP\nb V O\n\nc D I-VP\n")
        refused = self.run_tool("train", "alone.conll", "--learner", "sequence", "--chunks", "iob1",
                                "-o", "m.mm", code=1)  # fmt: skip
        self.assertIn("alone.conll:1: the tag B-NP, first", refused.stderr)

    def test_bad_input_names_the_place(self):
        def refused(data, *words):
            done = self.run_tool("train", data, "--learner", "sequence", "-o", "m.mm", *words, code=1)
            self.assertNotIn("m.mm", self.files())
            return done.stderr

        broken = self.write("broken.conll", "the D B-NP\ndog N\n")
        self.assertIn("broken.conll:2", refused(broken))
        self.assertIn("3 columns", refused(broken))
        # A sequence without positions cannot be written: empty lines in a row are one.
        for content in ("", "\n\n\n"):
            empty = self.write("empty.conll", content)
            self.assertIn("empty.conll: has no tokens", refused(empty))
        self.assertIn("--format", refused(self.train, "--format", "xml"))
        self.assertIn("--gamma", refused(self.train, "--gamma", 1))
        self.assertIn("--order", refused(self.train, "--order", 3))
        self.assertIn("--solver", refused(self.train, "--solver", "newton"))
        self.assertIn("--class-weight", refused(self.train, "--class-weight", "B-QQ=2"))
        for label in ("last", "1e300", "2.5", "0", "99999999999999999999"):
            self.assertIn("--label", refused(self.train, "--label", label))
        iob = self.write("iob.conll", "-DOCSTART- O\n\nb O\n\na B-NP\na O\na I-NP\n")
        message = refused(iob, "--chunks", "iob2")
        self.assertIn("iob.conll:7: the tag I-NP, behind O", message)
        self.assertIn("break the rules", message)
        self.assertIn("iob.conll:6: the tag O, behind B-NP", refused(iob, "--chunks", "iobes"))
        self.assertIn("first and last", refused(self.write("iob.conll", "a I-NP\n"), "--chunks", "iob2"))
        noun = self.write("noun.svmhmm", "# x\nO qid:1 1:1\n\nNN qid:1 1:1\n")
        self.assertIn("noun.svmhmm:4: the tag NN", refused(noun, "--chunks", "iob1"))
        self.assertIn("--class-weight balanced", refused(self.train, "--class-weight", "balanced",
                                                         "--rescaling", "slack"))  # fmt: skip
        self.assertIn("--columns", refused(self.train, "--columns", "FORM"))
        self.assertIn("--label 2: must be none", refused(noun, "--label", 2))
        self.assertIn("noun.svmhmm: has no labels", refused(noun, "--label", "none"))
        far = self.write("far.svmhmm", "a qid:1 2147483646:1\nb qid:1 1:1\n")
        self.assertIn("4294967300 weights", refused(far))
        wide = self.write("wide.txt", "U0:%x[0,5]\n")
        self.assertIn("wide.txt:1", refused(self.train, "--template", wide))
        done = self.run_tool("train", self.train, "--learner", "svc", "-o", "m.mm", "--order", 2, code=1)
        self.assertIn("--order", done.stderr)
        self.train_model()
        for content in ("", "\n\n"):
            self.run_tool("predict", "model.mm", self.write("other.conll", content), "-o", "none.conll")
            self.assertEqual((self.folder / "none.conll").read_bytes(), b"")
        for content in ("the\n", "the D B-NP O\n"):
            done = self.run_tool("predict", "model.mm", self.write("other.conll", content), code=1)
            self.assertIn("other.conll", done.stderr)
            self.assertIn("columns", done.stderr)

    def test_eval_reads_the_truth_by_its_options(self):
        def measures(truth, found, *words):
            return self.json_of("eval", truth, found, "--task", "sequence", *words)["metrics"]

        # The labels of numbers, and what predict writes for them: no column but that of the labels.
        lines = [f"{tag} qid:{number} {1 + hash_of(word)}:1"
                 for number, s in enumerate(self.test_sentences) for word, tag, _ in s]  # fmt: skip
        data = self.write("x.svmhmm", "\n".join(lines) + "\n")
        self.train_model("--order", 0, "-C", 0.01, data=data)
        answer = self.json_of("predict", "model.mm", data, "-o", "labels.txt")
        self.assertLess(answer["metrics"]["token_accuracy"], 1)
        self.assertEqual(measures(data, "labels.txt"), answer["metrics"])
        self.assertEqual(measures("labels.txt", "labels.txt")["accuracy"], 1)
        self.assertEqual(measures(data, data)["accuracy"], 1)
        # Predictions have their tag in the last column, wherever it is in the truth.
        self.train_model("--label", 2)
        answer = self.json_of("predict", "model.mm", self.test, "-o", "tagged.conll")
        self.assertEqual(measures(self.test, "tagged.conll", "--label", 2), answer["metrics"])
        self.assertEqual(measures(self.test, "tagged.conll")["accuracy"], 0)
        # Names of columns are the same in both files.
        rows = "".join(f"{i + 1}\tw\t_\tA\tX{i}\t_\t_\t_\t_\t_\n" for i in range(3))
        one, two = self.write("a.conllu", rows), self.write("b.conllu", rows.replace("A", "B"))
        self.assertEqual(measures(one, two)["accuracy"], 0)
        self.assertEqual(measures(one, two, "--label", "XPOS")["accuracy"], 1)
        plain = self.write("plain.conll", "w X0\nw X1\nw A\n")
        self.assertAlmostEqual(measures(one, plain, "--label", "XPOS")["accuracy"], 2 / 3)
        self.assertAlmostEqual(measures(plain, one, "--label", 2)["accuracy"], 1 / 3)
        # Ten columns look like CoNLL-U, unless --format says otherwise.
        ten = self.write("ten.conll", rows.replace("\t_\n", "\tT\n"))
        self.assertEqual(measures(ten, ten, "--format", "conll")["token_accuracy"], 1)
        self.assertEqual(measures(ten, self.write("t.conll", "T\nT\nT\n"), "--format", "conll")["accuracy"], 1)
        # The wrong column is not to be overlooked.
        warnings = self.json_of("eval", plain, plain, "--task", "sequence", "--label", 1)["warnings"]
        self.assertIn("have no label in common", warnings[0])
        self.assertEqual(self.json_of("eval", plain, plain, "--task", "sequence")["warnings"], [])
        for words, message in ((["--label", "none"], "has no tags"), (["--metric", "f1"], "--metric"),
                               (["--label", 3], "plain.conll:1"), (["-k", 3], "-k: --task sequence")):  # fmt: skip
            done = self.run_tool("eval", plain, one, "--task", "sequence", *words, code=1)
            self.assertIn(message, done.stderr)
        self.run_tool("predict", "model.mm", self.test, "--n-best", 2, "-o", "best.conll")
        done = self.run_tool("eval", self.test, "best.conll", "--task", "sequence", code=1)
        self.assertIn("best.conll: holds the answers of --n-best", done.stderr)
        bare = self.write("bare.svmhmm", "? qid:1 1:1\n")
        done = self.run_tool("eval", bare, data, "--task", "sequence", code=1)
        self.assertIn("bare.svmhmm: has no labels", done.stderr)

    def test_options_that_predict_does_not_use_are_refused(self):
        self.train_model()
        for words in (["--scores"], ["--probabilities"], ["-k", 2], ["--groups", "g"], ["--header", "no"],
                      ["--labels", "l"], ["--unlabeled", 0], ["--weight", "w"]):  # fmt: skip
            done = self.run_tool("predict", "model.mm", self.test, *words, code=1)
            self.assertIn(f"{words[0]}: a model of sequence does not take it", done.stderr)

    def test_other_features_than_the_model_has(self):
        self.train_model(data=self.write("a.svmhmm", "a qid:1 1:1\nb qid:1 3:1\n"))
        for text, features, what in (("a qid:1 1:1\nb qid:1 3:1 9:1\n", 9, "further ones are ignored"),
                                     ("a qid:1 1:1\n", 1, "missing ones count as 0")):  # fmt: skip
            data = self.write("b.svmhmm", text)
            answer = self.json_of("predict", "model.mm", data, "-o", "labels.txt")
            self.assertEqual(len(answer["warnings"]), 1)
            self.assertIn(f"has {features} features, the model 3: {what}", answer["warnings"][0])
        self.assertEqual(self.json_of("predict", "model.mm", "a.svmhmm", "-o", "l")["warnings"], [])
        # Words that the training did not have are no such thing.
        self.train_model()
        answer = self.json_of("predict", "model.mm", self.write("n.conll", "new D O\n"), "-o", "l")
        self.assertEqual(answer["warnings"], [])

    def test_solvers_without_checkpoints_say_so(self):
        for solver in ("crf", "perceptron", "mira"):
            for words in (["--resume"], ["--checkpoint", "state"], ["--checkpoint-every", 3]):
                done = self.run_tool("train", self.train, "--learner", "sequence", "--solver", solver,
                                     "-o", "m.mm", *words, code=1)  # fmt: skip
                self.assertIn(f"{words[0]}: --solver {solver} keeps no checkpoints", done.stderr)
        done = self.run_tool("train", self.train, "--learner", "sequence", "--resume", "-o", "m.mm", code=1)
        self.assertIn("--resume: needs --checkpoint", done.stderr)

    def test_eval_against_counts_by_hand(self):
        truth = [["B-NP", "I-NP", "B-VP", "O"], ["B-NP", "B-VP", "B-NP"]]
        found = [["B-NP", "B-NP", "B-VP", "O"], ["B-NP", "I-VP", "B-NP"]]
        files = [self.write(name, text_of([[("w", tag) for tag in tags] for tags in side], (0, 1)))
                 for name, side in (("truth", truth), ("found", found))]  # fmt: skip
        report = self.json_of("eval", *files, "--task", "sequence")
        metrics = report["metrics"]
        self.assertAlmostEqual(metrics["token_accuracy"], 5 / 7)
        self.assertEqual(metrics["accuracy"], metrics["token_accuracy"])
        self.assertAlmostEqual(metrics["error"], 2 / 7)
        self.assertEqual(metrics["sequence_accuracy"], 0)
        # Chunks of the truth: NP(1-2) VP(3), NP(1) VP(2) NP(3). Found: NP(1) NP(2) VP(3), NP(1) VP(2)
        # NP(3), as an I- behind another type begins a chunk. Four of both.
        self.assertAlmostEqual(metrics["chunk_precision"], 4 / 6)
        self.assertAlmostEqual(metrics["chunk_recall"], 4 / 5)
        self.assertAlmostEqual(metrics["chunk_f1"], 8 / 11)
        rows = {row["label"]: row for row in report["labels"]}
        expected = {"B-NP": (3 / 4, 1, 6 / 7, 3), "I-NP": (None, 0, 0, 1), "B-VP": (1, 1 / 2, 2 / 3, 2),
                    "I-VP": (0, None, 0, 0), "O": (1, 1, 1, 1)}  # fmt: skip
        self.assertEqual(set(rows), set(expected))
        for label, figures in expected.items():
            for name, figure in zip(("precision", "recall", "f1", "count"), figures):
                self.assertEqual(rows[label][name] is None, figure is None, (label, name))
                if figure is not None:
                    self.assertAlmostEqual(rows[label][name], figure, msg=(label, name))
        types = {row["chunk"]: row for row in report["chunks"]}
        self.assertEqual((types["NP"]["precision"], types["NP"]["count"]), (1 / 2, 3))
        self.assertAlmostEqual(types["NP"]["recall"], 2 / 3)
        self.assertEqual((types["VP"]["precision"], types["VP"]["recall"]), (1, 1))
        shown = self.run_tool("eval", *files, "--task", "sequence").stdout
        self.assertRegex(shown, "I-NP +- +0 ")
        short = self.write("short", "w B-NP\n\n")
        done = self.run_tool("eval", files[0], short, "--task", "sequence", code=1)
        self.assertIn("2", done.stderr)
        longer = self.write("longer", "w O\nw O\n\nw O\n")
        done = self.run_tool("eval", files[0], longer, "--task", "sequence", code=1)
        self.assertIn("sequence 1", done.stderr)


def hash_of(word):
    return sorted(w for words in WORDS.values() for w in words).index(word)


if __name__ == "__main__":
    unittest.main()
