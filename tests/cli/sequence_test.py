# SPDX-License-Identifier: Apache-2.0
"""Taggers of sequences as a user meets them."""

import random
import signal
import subprocess
import time
import unittest

from tool import TOOL, ToolTest

WORDS = {"D": ["the", "a", "this"], "A": ["old", "red", "big"], "N": ["dog", "house", "bank", "run"],
         "V": ["saw", "run", "bank", "left"], ".": ["."]}  # fmt: skip


def sentence(rng):
    """Words with parts of speech and noun chunks; `run` and `bank` are nouns or verbs by their place."""
    rows = []

    def noun_phrase():
        tags = ["D"] + ["A"] * rng.randrange(3) + ["N"]
        for k, tag in enumerate(tags):
            rows.append((rng.choice(WORDS[tag]), tag, "B-NP" if k == 0 else "I-NP"))

    noun_phrase()
    rows.append((rng.choice(WORDS["V"]), "V", "B-VP"))
    noun_phrase()
    rows.append((".", ".", "O"))
    return rows


def text_of(sentences, columns=(0, 1, 2)):
    return "".join(
        "".join("\t".join(row[c] for c in columns) + "\n" for row in rows) + "\n"
        for rows in sentences
    )


class Sequences(ToolTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(1)
        self.train = self.write("train.conll", text_of([sentence(rng) for _ in range(60)]))
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
        models = []
        for threads in (1, 3):
            self.train_model("--threads", threads)
            models.append((self.folder / "model.mm").read_bytes())
        self.assertEqual(models[0], models[1])

    def test_n_best_and_margins(self):
        self.train_model()
        lines = self.run_tool("predict", "model.mm", self.test, "--n-best", 3, "--quiet").stdout
        self.assertEqual(lines.count("rank 3"), 20)
        lines = self.run_tool("predict", "model.mm", self.test, "--margins", "--quiet").stdout
        first = lines.splitlines()[0].split("\t")
        self.assertEqual(first[-1], "B-NP")
        self.assertGreater(float(first[-2]), 0)

    def test_unknown_tag_is_an_error_counted(self):
        self.train_model()
        other = self.write("other.conll", self.test.read_text().replace("\tO\n", "\tB-XX\n"))
        done = self.run_tool("predict", "model.mm", other, "-o", "tagged.conll", "--json", "-")
        self.assertIn("B-XX", done.stderr + done.stdout)
        self.assertIn("count as errors", done.stdout)

    def test_other_formats(self):
        rows = [[f"{i + 1}\t{w}\t_\t{t}\t_\t_\t_\t_\t_\t_" for i, (w, t, _) in enumerate(s)]
                for s in self.test_sentences]  # fmt: skip
        data = self.write("x.conllu", "".join("\n".join(r) + "\n\n" for r in rows))
        report = self.train_model(data=data)
        self.assertEqual(report["options"]["format"], "conllu")
        self.assertEqual(report["options"]["template"], "tagging")
        answer = self.json_of("predict", "model.mm", data)
        self.assertGreater(answer["metrics"]["token_accuracy"], 0.95)
        lines = []
        for number, s in enumerate(self.test_sentences):
            for word, tag, _ in s:
                lines.append(f"{tag} qid:{number + 1} {1 + hash_of(word)}:1")
        data = self.write("x.svmhmm", "\n".join(lines) + "\n")
        report = self.train_model(data=data)
        self.assertEqual(report["options"]["format"], "svmhmm")
        answer = self.json_of("predict", "model.mm", data, "-o", "labels.txt")
        self.assertGreater(answer["metrics"]["token_accuracy"], 0.9)

    def test_bad_input_names_the_place(self):
        broken = self.write("broken.conll", "the D B-NP\ndog N\n")
        done = self.run_tool("train", broken, "--learner", "sequence", "-o", "m.mm", code=1)
        self.assertIn("broken.conll:2", done.stderr)
        empty = self.write("empty.conll", "")
        self.run_tool("train", empty, "--learner", "sequence", "-o", "m.mm", code=1)
        self.run_tool("train", self.train, "--learner", "sequence", "-o", "m.mm", "--gamma", 1, code=1)
        self.run_tool("train", self.train, "--learner", "svc", "-o", "m.mm", "--order", 2, code=1)
        self.assertNotIn("m.mm", self.files())
        self.train_model()
        two = self.write("two.conll", "the\n")
        done = self.run_tool("predict", "model.mm", two, code=1)
        self.assertIn("columns", done.stderr)

    def test_time_limit_gives_a_model_with_its_gap(self):
        report = self.train_model("--time-limit", 0.001, "-C", 100, "--tolerance", 1e-9, code=2)
        self.assertEqual(report["status"], "time_limit")
        self.run_tool("predict", "model.mm", self.test)


def hash_of(word):
    return sorted(w for words in WORDS.values() for w in words).index(word)


class Checkpoints(ToolTest):
    COMMON = ["--learner", "sequence", "-C", "10", "--tolerance", "1e-5", "--checkpoint", "state",
              "--checkpoint-every", "0", "--resume", "--quiet"]  # fmt: skip

    def setUp(self):
        super().setUp()
        rng = random.Random(2)
        noisy = []
        for _ in range(150):
            noisy.append([(w, t, c if rng.random() < 0.9 else "O") for w, t, c in sentence(rng)])
        self.data = self.write("noisy.conll", text_of(noisy))

    def test_killed_runs_end_with_the_same_model(self):
        for solver in ("bcfw", "one-slack", "n-slack"):
            words = ["train", self.data, *self.COMMON, "--solver", solver]
            began = time.monotonic()
            self.run_tool(*words, "-o", "whole.mm")
            whole = time.monotonic() - began
            (self.folder / "state").unlink()
            rng = random.Random(3)
            for _ in range(4):
                run = subprocess.Popen([TOOL, *map(str, words), "-o", "killed.mm"], cwd=self.folder)
                time.sleep(rng.uniform(0, whole))
                run.send_signal(signal.SIGKILL)
                run.wait()
            self.run_tool(*words, "-o", "killed.mm")
            self.assertEqual((self.folder / "killed.mm").read_bytes(),
                             (self.folder / "whole.mm").read_bytes(), solver)  # fmt: skip
            (self.folder / "state").unlink()

    def test_the_state_of_another_run_is_refused(self):
        self.run_tool("train", self.data, *self.COMMON, "-o", "a.mm")
        words = [word if word != "10" else "1" for word in self.COMMON]
        done = self.run_tool("train", self.data, *words, "-o", "b.mm", code=1)
        self.assertIn("another run", done.stderr)
        (self.folder / "state").write_bytes((self.folder / "state").read_bytes()[:-100])
        self.run_tool("train", self.data, *self.COMMON, "-o", "b.mm", code=1)
        self.assertNotIn("b.mm", self.files())
        self.run_tool("train", self.data, "--learner", "sequence", "-o", "b.mm", "--resume", code=1)


if __name__ == "__main__":
    unittest.main()
