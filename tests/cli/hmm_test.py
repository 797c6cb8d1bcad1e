# SPDX-License-Identifier: Apache-2.0
"""Hidden Markov models as a user meets them."""

import math
import random
import unittest

from tool import ToolTest

STATES = ["cold", "hot"]
START = [0.6, 0.4]
NEXT = [[0.9, 0.1], [0.2, 0.8]]
SHOWN = [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]]
SYMBOLS = ["a", "b", "c"]


def drawn(seed, count=40, length=50):
    """Sequences of (symbol, state)."""
    rng = random.Random(seed)
    sequences = []
    for _ in range(count):
        state = rng.choices((0, 1), START)[0]
        sequence = []
        for _ in range(length):
            sequence.append((rng.choices((0, 1, 2), SHOWN[state])[0], state))
            state = rng.choices((0, 1), NEXT[state])[0]
        sequences.append(sequence)
    return sequences


def columns(sequences, label=lambda s, t, state: STATES[state]):
    return "\n".join(
        "".join(f"{SYMBOLS[o]} {label(s, t, y)}\n" for t, (o, y) in enumerate(sequence))
        for s, sequence in enumerate(sequences)
    )


def numbers(sequences):
    return "".join(
        f"{STATES[y]} qid:{s + 1} {o + 1}:1\n" for s, sequence in enumerate(sequences) for o, y in sequence
    )


class HiddenStates(ToolTest):
    def setUp(self):
        super().setUp()
        self.sequences = drawn(1)
        self.data = self.write("days.conll", columns(self.sequences))

    def train_hmm(self, *words, data=None, code=0):
        return self.json_of("train", data or self.data, "--learner", "hmm", "-o", "m.mm", *words, code=code)

    def refusal(self, *words, data=None):
        done = self.run_tool("train", data or self.data, "--learner", "hmm", "-o", "m.mm", *words, code=1)
        return done.stderr

    def test_counts_reach_their_bound_and_are_verified(self):
        report = self.train_hmm("--verify")
        self.assertEqual(report["status"], "solved")
        self.assertEqual(report["options"]["solver"], "counts")
        self.assertEqual(report["options"]["states"], 2)
        self.assertLessEqual(abs(report["relative_gap"]), 1e-12)
        self.assertIs(report["verified"], True)
        # Shares of counts, one tenth added to each, in the order of the labels.
        text = (self.folder / "m.mm").read_text()
        hot = sum(sequence[0][1] for sequence in self.sequences)
        share = (hot + 0.1) / (len(self.sequences) + 0.2)
        found = text.split("start_probabilities")[1].split()
        self.assertAlmostEqual(float(found[found.index("2") + 2]), share, 12)
        # A model whose header lies is seen.
        self.changed_model("m.mm", rb"^field training.primal_objective number .*$",
                           b"field training.primal_objective number 5.25")  # fmt: skip
        self.assertIn("5.25", self.run_tool("info", "changed.mm", "--verify", self.data, code=3).stdout)

    def test_predicts_by_sequence_and_by_position(self):
        self.train_hmm()
        test = self.write("test.conll", columns(drawn(2)))
        viterbi = self.json_of("predict", "m.mm", test, "-o", "v.conll")
        posterior = self.json_of("predict", "m.mm", test, "--decode", "posterior", "--probabilities",
                                 "-o", "p.conll")  # fmt: skip
        # The most likely state of each position by itself has the fewest errors to expect.
        self.assertGreaterEqual(posterior["metrics"]["accuracy"], viterbi["metrics"]["accuracy"] - 0.01)
        self.assertGreater(viterbi["metrics"]["accuracy"], 0.8)
        for line in (self.folder / "p.conll").read_text().splitlines():
            if not line:
                continue
            cells = line.split("\t")
            shares = [float(cell) for cell in cells[1:3]]
            self.assertAlmostEqual(sum(shares), 1, 9)
            self.assertEqual(cells[-1], STATES[shares.index(max(shares))])
        self.assertAlmostEqual(viterbi["metrics"]["log_likelihood"], posterior["metrics"]["log_likelihood"], 9)
        metrics = self.json_of("eval", test, "v.conll", "--task", "hmm")["metrics"]
        self.assertAlmostEqual(metrics["accuracy"], viterbi["metrics"]["accuracy"], 12)
        self.assertAlmostEqual(metrics["misassignment"], 1 - metrics["accuracy"], 12)

    def test_finds_states_without_labels(self):
        words = ["--label", "none", "--states", 2, "--restarts", 5, "--seed", 3]
        report = self.train_hmm(*words, "--verify")
        self.assertEqual(report["status"], "local_optimum")
        self.assertEqual(report["options"]["solver"], "baum-welch")
        self.assertIs(report["verified"], True)
        self.assertEqual(len(report["runs"]), 5)
        objectives = [step["objective"] for step in report["trace"]]
        self.assertEqual(objectives, sorted(objectives, reverse=True))
        self.assertEqual(min(run["objective"] for run in report["runs"]), report["primal_objective"])
        first = (self.folder / "m.mm").read_bytes()
        for threads in (1, 3):
            self.train_hmm(*words, "--threads", threads)
            self.assertEqual((self.folder / "m.mm").read_bytes(), first)
        self.run_tool("predict", "m.mm", self.data, "-o", "found.conll")
        metrics = self.json_of("eval", self.data, "found.conll", "--task", "hmm")["metrics"]
        self.assertLess(metrics["misassignment"], 0.25)
        self.assertLessEqual(metrics["majority_error"], metrics["misassignment"])
        self.assertNotIn("accuracy", metrics)

    def test_the_label_of_a_question_mark_is_not_known(self):
        none = self.write("none.conll", columns(self.sequences, lambda s, t, y: "?"))
        self.assertIn("--states: how many?", self.refusal(data=none))
        self.assertIn("has no labels to count", self.refusal("--solver", "counts", data=none))
        self.train_hmm("--states", 2, data=none)
        some = self.write("some.conll", columns(
            self.sequences, lambda s, t, y: STATES[y] if t % 10 == 0 else "?"))  # fmt: skip
        report = self.train_hmm("--verify", data=some)
        self.assertEqual(report["options"]["solver"], "baum-welch")
        self.assertIs(report["verified"], True)
        # The states keep their names, though nine of ten labels are hidden.
        answer = self.json_of("predict", "m.mm", self.data, "-o", "x.conll")
        self.assertGreater(answer["metrics"]["accuracy"], 0.75)
        counted = self.train_hmm("--solver", "counts", "--verify", data=some)
        self.assertIs(counted["verified"], True)
        # A third state has no label.
        self.train_hmm("--states", 3, "--restarts", 2, data=some)
        self.assertIn("state1", (self.folder / "m.mm").read_text())

    def test_numbers_are_the_same_symbols(self):
        by_text = self.train_hmm()
        self.write("days.svmhmm", numbers(self.sequences))
        by_number = self.train_hmm("--verify", data="days.svmhmm")
        self.assertAlmostEqual(by_text["primal_objective"], by_number["primal_objective"], 9)
        self.assertIs(by_number["verified"], True)
        self.run_tool("predict", "m.mm", "days.svmhmm", "-o", "x.txt")
        done = self.run_tool("predict", "m.mm", self.data, "--format", "conll", code=1)
        self.assertIn("the model was trained on svmhmm files", done.stderr)
        self.assertIn("belongs to text", self.refusal("--min-count", 2, data="days.svmhmm"))
        self.write("bad.svmhmm", "x qid:1 1:1\ny qid:1 1:1 2:1\n")
        self.assertIn("bad.svmhmm: sequence 1, position 2 must have one feature, of value 1",
                      self.refusal("--emissions", "discrete", data="bad.svmhmm"))  # fmt: skip

    def vectors(self, name, scale=1.0, seed=5):
        rng = random.Random(seed)
        lines = []
        for s, sequence in enumerate(self.sequences):
            for _, y in sequence:
                x = [scale * rng.gauss(3 * y, 1), scale * rng.gauss(-2 * y, 1 + y)]
                lines.append(f"{STATES[y]} qid:{s + 1} 1:{x[0]!r} 2:{x[1]!r}\n")
        return self.write(name, "".join(lines))

    def test_vectors_are_counted_and_found(self):
        data = self.vectors("x.svmhmm")
        for covariance in ("diagonal", "full"):
            words = ["--covariance", covariance]
            report = self.train_hmm(*words, "--verify", data=data)
            self.assertEqual(report["options"]["emissions"], "gaussian")
            self.assertEqual(report["status"], "solved")
            self.assertLessEqual(abs(report["relative_gap"]), 1e-10)
            self.assertIs(report["verified"], True)
            self.assertGreater(report["metrics"]["accuracy"], 0.9)
            found = self.train_hmm(*words, "--label", "none", "--states", 2, "--seed", 1, "--verify",
                                   data=data)  # fmt: skip
            self.assertIs(found["verified"], True)
            self.assertLess(found["primal_objective"], report["primal_objective"])
            self.run_tool("predict", "m.mm", data, "-o", "x.txt", "--probabilities")
            self.json_of("predict", "m.mm", data, "-o", "found.txt")
            metrics = self.json_of("eval", data, "found.txt", "--task", "hmm")["metrics"]
            self.assertLess(metrics["misassignment"], 0.1)
            # Data in other units have the same states.
            scaled = self.vectors("scaled.svmhmm", scale=2.0**-30)
            self.train_hmm(*words, "--label", "none", "--states", 2, "--seed", 1, data=scaled)
            self.run_tool("predict", "m.mm", scaled, "-o", "again.txt")
            self.assertEqual((self.folder / "again.txt").read_text(), (self.folder / "found.txt").read_text())

    def test_vectors_that_do_not_fit(self):
        constant = self.write("c.svmhmm", "a qid:1 1:2 2:1\nb qid:1 1:2 2:3\na qid:1 1:2 2:1.5\nb qid:1 1:2 2:4\n")
        report = self.train_hmm("--verify", data=constant)
        self.assertIn("feature 1 has one value alone", report["warnings"][0])
        self.assertIs(report["verified"], True)
        self.assertIn("--variance-floor 0: must be", self.refusal("--variance-floor", 0, data=constant))
        self.assertIn("is text, which has symbols alone", self.refusal("--emissions", "gaussian"))
        self.assertIn("must have one feature, of value 1",
                      self.refusal("--emissions", "discrete", data=constant))  # fmt: skip
        # Further features are left out, with a warning.
        more = self.write("more.svmhmm", "? qid:1 1:2 2:1 3:7\n")
        answer = self.json_of("predict", "m.mm", more, "-o", "x.txt")
        self.assertTrue(answer["warnings"])

    def test_symbols_that_were_never_seen(self):
        self.train_hmm()
        test = self.write("new.conll", "a cold\nzebra cold\na cold\n")
        answer = self.json_of("predict", "m.mm", test, "-o", "x.conll")
        self.assertIn("1 of 3 positions have symbols that the training data has not", answer["warnings"][0])
        # Rare strings, and new ones, are one symbol.
        rare = self.write("rare.conll", "a x\nb x\nc y\nb x\n\na x\nd y\nb x\n")
        self.train_hmm("--min-count", 2, data=rare)
        answer = self.json_of("predict", "m.mm", self.write("n.conll", "a x\nzebra y\n"), "-o", "x.conll")
        self.assertEqual(answer["warnings"], [])
        self.assertEqual((self.folder / "x.conll").read_text(), "a\tx\nzebra\ty\n\n")

    def test_a_sequence_that_cannot_occur_is_told_of(self):
        data = self.write("d.conll", "a x\nb y\n\na x\nb y\n")
        self.train_hmm("--smoothing", 0, data=data)
        for words in ([], ["--decode", "posterior"], ["--probabilities"]):
            answer = self.json_of("predict", "m.mm", self.write("n.conll", "b\na\n"), "-o", "x.conll", *words)
            self.assertIn("1 sequences cannot occur", answer["warnings"][0])
            self.assertIsNone(answer["metrics"]["log_likelihood"])

    def test_small_data_has_right_answers(self):
        one = self.write("one.conll", "a x\n")
        report = self.train_hmm("--verify", data=one)
        self.assertIs(report["verified"], True)
        self.assertIn("there is one state", report["warnings"][0])
        report = self.train_hmm("--solver", "baum-welch", "--states", 1, "--label", "none", "--verify", data=one)
        self.assertEqual(report["primal_objective"], 0)
        self.assertIs(report["verified"], True)
        done = self.run_tool("train", self.write("empty.conll", ""), "--learner", "hmm", "-o", "m.mm", code=1)
        self.assertIn("has no tokens", done.stderr)
        self.assertIn("--states 1: must be 2, the labels of", self.refusal("--states", 1))
        self.assertIn("--states 3: must be 2, the labels of", self.refusal("--states", 3))
        self.assertIn("--symbol-column 2: must be one of the 1 observed columns", self.refusal("--symbol-column", 2))

    def test_a_symbol_that_was_never_seen_has_no_objective(self):
        data = self.write("t.txt", "a X\nb Y\na X\n\nb Y\nb X\n")
        self.train_hmm(data=data)
        self.run_tool("info", "m.mm", "--verify", data)
        other = self.write("other.txt", "a X\nzzz Y\na X\n\nb Y\nb X\n")
        done = self.run_tool("info", "m.mm", "--verify", other, code=1)
        self.assertIn("the data has symbols that the model's training data has not, at 1 of 5 positions", done.stderr)

    def test_a_likelihood_near_one_is_verified(self):
        # One symbol alone: all models say that it is certain, so the objective is rounding.
        for count in (7, 50):
            data = self.write("one.conll", "a\n" * count)
            for states in (2, 3, 7):
                report = self.train_hmm("--label", "none", "--states", states, "--verify", data=data)
                self.assertAlmostEqual(report["primal_objective"], 0, 12)
                self.assertIs(report["verified"], True)

    def test_a_likelihood_near_one_by_the_units_is_verified(self):
        for covariance in ("diagonal", "full"):
            for words in (["--covariance", covariance],
                          ["--covariance", covariance, "--label", "none", "--states", 2, "--seed", 1]):  # fmt: skip
                here = self.train_hmm(*words, data=self.vectors("x.svmhmm"))
                # Densities of two features: in these units their logs have the sum 0.
                positions = here["metrics"]["positions"]
                scale = math.exp(-here["primal_objective"] / (2 * positions))
                there = self.train_hmm(*words, "--verify", data=self.vectors("near.svmhmm", scale=scale))
                self.assertLess(abs(there["primal_objective"]), 1e-6)
                self.assertIs(there["verified"], True)
                self.assertEqual(there["status"], here["status"])
        # The header's objective is still held to the data.
        self.train_hmm(data="near.svmhmm")
        self.changed_model("m.mm", rb"^field training.primal_objective number .*$",
                           b"field training.primal_objective number 0.001")  # fmt: skip
        self.assertIn("0.001", self.run_tool("info", "changed.mm", "--verify", "near.svmhmm", code=3).stdout)

    def test_constant_vectors_have_their_floor(self):
        # One value in the units of its floor has a density of 1.
        value = 1 / math.sqrt(2 * math.pi * 1e-6)
        data = self.write("same.svmhmm", f"a qid:1 1:{value!r}\nb qid:1 1:{value!r}\n" * 15)
        for words in (["--smoothing", 0], ["--label", "none", "--states", 2], ["--label", "none", "--states", 4]):
            for covariance in ("diagonal", "full"):
                report = self.train_hmm(*words, "--covariance", covariance, "--verify", data=data)
                self.assertIs(report["verified"], True)
                self.assertIn("feature 1 has one value alone", report["warnings"][0])

    def test_evaluation_leaves_out_what_is_not_known(self):
        truth = self.write("truth.conll", "a x\nb ?\na y\n\nb ?\na x\n")
        found = self.write("found.conll", "a x\nb y\na x\n\nb x\na x\n")
        report = self.json_of("eval", truth, found, "--task", "hmm")
        self.assertAlmostEqual(report["metrics"]["accuracy"], 2 / 3, 12)
        self.assertAlmostEqual(report["metrics"]["sequence_accuracy"], 1 / 2, 12)
        self.assertAlmostEqual(report["metrics"]["misassignment"], 1 / 3, 12)
        self.assertAlmostEqual(report["metrics"]["majority_error"], 1 / 3, 12)
        self.assertEqual([row["label"] for row in report["labels"]], ["x", "y"])
        # As an answer it is wrong.
        none = self.write("none.conll", "a ?\nb y\na y\n\nb x\na x\n")
        metrics = self.json_of("eval", truth, none, "--task", "hmm")["metrics"]
        self.assertAlmostEqual(metrics["accuracy"], 2 / 3, 12)

    def test_stops_and_limits(self):
        words = ["--label", "none", "--states", 3, "--tolerance", 0]
        report = self.train_hmm(*words, "--max-iterations", 3, "--restarts", 2, code=2)
        self.assertEqual(report["status"], "iteration_limit")
        self.assertIn("2 of 2 runs ended at --max-iterations 3", report["warnings"])
        # The model is the best so far, and all of it.
        report = self.train_hmm(*words, "--time-limit", 1e-9, "--verify", code=2)
        self.assertEqual(report["status"], "time_limit")
        self.assertIs(report["verified"], True)
        self.run_tool("predict", "m.mm", self.data, "-o", "x.conll")

    def test_the_likelihood_is_that_of_all_paths(self):
        self.train_hmm("--smoothing", 0.5)
        text = (self.folder / "m.mm").read_text()

        def numbers_of(name, count):
            words = text.split(name)[1].split("\n", 1)[1].split()
            return [float(word) for word in words[:count]]

        start = numbers_of("start_probabilities", 2)
        following = numbers_of("transition_probabilities", 4)
        shown = numbers_of("emission_probabilities", 6)
        x = "acb"
        known = [line.split()[0] for line in columns(self.sequences).splitlines() if line]
        order = sorted(set(known), key=known.index)
        total = 0
        for path in range(8):
            y = [path >> t & 1 for t in range(3)]
            p = start[y[0]]
            for t in range(3):
                p *= shown[3 * y[t] + order.index(x[t])]
                if t > 0:
                    p *= following[2 * y[t - 1] + y[t]]
            total += p
        answer = self.json_of("predict", "m.mm", self.write("x.conll", "\n".join(x) + "\n"), "-o", "y.conll")
        self.assertAlmostEqual(answer["metrics"]["log_likelihood"], math.log(total), 9)


if __name__ == "__main__":
    unittest.main()
