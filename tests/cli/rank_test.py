# SPDX-License-Identifier: Apache-2.0
"""Rankings as a user meets them."""

import math
import random
import signal
import statistics
import subprocess
import time
import unittest

from tool import TOOL, ToolTest

FEATURES = 4


def queries(seed, count=20, rows=8):
    """Lists of (grade, features): the grade follows the first two columns, with noise."""
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        query = []
        for _ in range(rows):
            x = [round(rng.gauss(0, 1), 3) for _ in range(FEATURES)]
            level = x[0] - x[1] + rng.gauss(0, 0.7)
            query.append((0 if level < 0.3 else 1 if level < 1.5 else 2, x))
        made.append(query)
    return made


def text_of(made, qid=True):
    return "".join(
        f"{grade} " + (f"qid:{10 + number} " if qid else "")
        + " ".join(f"{j + 1}:{value}" for j, value in enumerate(x)) + "\n"
        for number, query in enumerate(made) for grade, x in query
    )  # fmt: skip


def ndcg(grades, scores, k=10):
    def gain(order):
        return sum((2**g - 1) / math.log2(r + 2) for r, g in enumerate(order[:k]))

    best = gain(sorted(grades, reverse=True))
    ranked = [g for _, g in sorted(zip(scores, grades), reverse=True)]
    return gain(ranked) / best if best > 0 else None


def average_precision(grades, scores):
    ranked = [g for _, g in sorted(zip(scores, grades), reverse=True)]
    found, values = 0, []
    for r, g in enumerate(ranked):
        if g >= 1:
            found += 1
            values.append(found / (r + 1))
    return sum(values) / len(values) if values else None


def roc_area(grades, scores):
    good = [s for g, s in zip(grades, scores) if g >= 1]
    bad = [s for g, s in zip(grades, scores) if g < 1]
    pairs = [(a > b) + 0.5 * (a == b) for a in good for b in bad]
    return sum(pairs) / len(pairs) if pairs else None


def mean(values):
    known = [value for value in values if value is not None]
    return sum(known) / len(known)


class Ranking(ToolTest):
    def setUp(self):
        super().setUp()
        self.made = queries(1)
        self.train = self.write("train.svm", text_of(self.made))
        self.new = queries(2)
        self.test = self.write("test.svm", text_of(self.new))

    def train_model(self, *words, code=0, data=None):
        return self.json_of("train", data or self.train, "--learner", "rank", "-o", "m.mm", *words,
                            code=code)  # fmt: skip

    def scores_of(self, path):
        return [float(line) for line in self.run_tool("predict", "m.mm", path, "--quiet").stdout.split()]

    def weights(self, model="m.mm"):
        """The scores of unit vectors."""
        rows = "".join(f"0 qid:1 {j + 1}:1\n" for j in range(FEATURES))
        path = self.write("units.svm", rows)
        return [float(line) for line in self.run_tool("predict", model, path, "--quiet").stdout.split()]

    def test_measures_are_those_of_the_definitions(self):
        self.train_model("-C", 1)
        report = self.json_of("predict", "m.mm", self.test, "-o", "scores.txt")
        scores = [float(line) for line in (self.folder / "scores.txt").read_text().split()]
        self.assertEqual(len(scores), 160)
        by_query, at = [], 0
        for query in self.new:
            by_query.append(([grade for grade, _ in query], scores[at : at + len(query)]))
            at += len(query)
        metrics = report["metrics"]
        self.assertEqual(metrics["queries"], 20)
        self.assertAlmostEqual(metrics["ndcg_at_10"], mean(ndcg(g, s) for g, s in by_query), 9)
        self.assertAlmostEqual(metrics["map"], mean(average_precision(g, s) for g, s in by_query), 9)
        self.assertAlmostEqual(metrics["roc_area"], mean(roc_area(g, s) for g, s in by_query), 9)
        self.assertGreater(metrics["roc_area"], 0.8)
        # eval reads the scores and says the same, for another k as well.
        again = self.json_of("eval", self.test, "scores.txt", "--task", "rank")["metrics"]
        self.assertEqual(again, metrics)
        self.assertEqual(self.json_of("eval", self.test, self.test, "--task", "rank")["metrics"]["map"], 1)
        at_3 = self.json_of("eval", self.test, "scores.txt", "--task", "rank", "-k", 3)["metrics"]
        self.assertAlmostEqual(at_3["ndcg_at_3"], mean(ndcg(g, s, 3) for g, s in by_query), 9)
        strict = self.json_of("predict", "m.mm", self.test, "--relevant-from", 2, "--k", 3)["metrics"]
        self.assertLess(strict["precision_at_3"], at_3["precision_at_3"])
        self.assertIn("rank", self.run_tool("info", "m.mm").stdout)

    def test_the_certificate_holds_by_all_pairs(self):
        for weight in ("one", "size"):
            report = self.train_model("-C", 0.5, "--query-weight", weight, "--verify")
            self.assertTrue(report["verified"])
            self.assertLessEqual(report["relative_gap"], 1e-3)
            w = self.weights()
            primal = sum(value * value for value in w) / 2
            for query in self.made:
                hinges = [
                    max(0, 1 - sum(w[j] * (x[j] - z[j]) for j in range(FEATURES)))
                    for g, x in query for h, z in query if g > h
                ]  # fmt: skip
                primal += 0.5 * sum(hinges) / (len(hinges) if weight == "one" else 1)
            self.assertAlmostEqual(primal / report["primal_objective"], 1, 9)
            self.assertLessEqual(report["dual_objective"], primal)

    def test_solvers_agree_within_their_gaps(self):
        for loss in ("pairs", "f1"):
            primals, duals = [], []
            for solver in ("bcfw", "one-slack", "n-slack"):
                report = self.train_model("--loss", loss, "--solver", solver, "--tolerance", 1e-4)
                self.assertEqual(report["status"], "solved", solver)
                primals.append(report["primal_objective"])
                duals.append(report["dual_objective"])
            self.assertLessEqual(max(duals), min(primals))

    def test_groups_are_queries(self):
        self.train_model()
        scores = self.scores_of(self.test)
        known = self.json_of("predict", "m.mm", self.test)["metrics"]
        bare = self.write("bare.svm", text_of(self.made, qid=False))
        sizes = self.write("sizes.txt", "8\n" * 20)
        self.train_model("--groups", sizes, data=bare)
        self.assertEqual(self.scores_of(self.test), scores)
        bare_test = self.write("bare.t.svm", text_of(self.new, qid=False))
        self.assertEqual(self.json_of("predict", "m.mm", bare_test, "--groups", sizes)["metrics"], known)
        self.run_tool("predict", "m.mm", self.test, "-o", "scores.txt")
        self.assertEqual(self.json_of("eval", bare_test, "scores.txt", "--task", "rank", "--groups",
                                      sizes)["metrics"], known)  # fmt: skip
        # Beside qid they must say the same.
        self.train_model("--groups", sizes)
        self.assertEqual(self.scores_of(self.test), scores)
        other = self.write("other.txt", "4\n12\n" + "8\n" * 18)
        done = self.run_tool("train", self.train, "--learner", "rank", "-o", "n.mm", "--groups", other,
                             code=1)  # fmt: skip
        self.assertIn("other.txt:1: a group that ends behind row 4", done.stderr)
        # Without them all rows are one query, which is another problem.
        self.train_model(data=bare)
        self.assertNotEqual(self.scores_of(self.test), scores)
        for content, message in (("8\n" * 19, "add up to 152"), ("8\n" * 21, "wrong.txt:21"),
                                 ("8\n0\n", "wrong.txt:2"), ("8\nx\n", "wrong.txt:2")):  # fmt: skip
            wrong = self.write("wrong.txt", content)
            done = self.run_tool("train", bare, "--learner", "rank", "-o", "n.mm", "--groups", wrong,
                                 code=1)  # fmt: skip
            self.assertIn(message, done.stderr)
        self.assertNotIn("n.mm", self.files())

    def test_every_loss_trains_what_it_names(self):
        one = self.write("one.svm", text_of([sum(queries(3, 12), [])], qid=False))
        for loss, words in (("roc-area", ()), ("error", ()), ("f1", ()), ("f1", ("--no-bias",)),
                            ("precision-at-k", ("-k", 5)), ("precision-at-k", ()),
                            ("recall-at-k", ("-k", 5))):  # fmt: skip
            for data in (self.train, one):
                report = self.train_model("--loss", loss, "-C", 5, "--verify", *words, data=data)
                self.assertEqual(report["status"], "solved", loss)
                self.assertTrue(report["verified"], loss)
                self.assertGreater(report["metrics"]["roc_area"], 0.75, loss)
                self.assertEqual("f1" in report["metrics"], loss in ("error", "f1"))
        # Two grades: pairs and the ROC area are one; three are not.
        two = self.write("two.svm", text_of([[(min(g, 1), x) for g, x in q] for q in self.made]))
        values = [self.train_model("--loss", loss, data=data)["primal_objective"]
                  for loss, data in (("roc-area", self.train), ("pairs", two), ("pairs", self.train))]  # fmt: skip
        self.assertEqual(values[0], values[1])
        self.assertNotEqual(values[0], values[2])
        # Signs as labels have no gain below 0: no NDCG, the rest as ever.
        signs = self.write("signs.svm", text_of([[(1 if g else -1, x) for g, x in q] for q in self.made]))
        metrics = self.train_model(data=signs)["metrics"]
        self.assertNotIn("ndcg_at_10", metrics)
        self.assertIn("map", metrics)

    def test_scaled_features_are_scaled_at_prediction(self):
        wild = [[(g, [x[0] * 1000, x[1], x[2], x[3]]) for g, x in q] for q in self.made]
        data = self.write("wild.svm", text_of(wild))
        report = self.train_model("--scale", "standard", data=data)
        self.assertEqual(report["options"]["scale"], "standard")
        self.assertEqual(self.json_of("predict", "m.mm", data)["metrics"]["map"], report["metrics"]["map"])

    LATENT = ("--loss", "precision-at-k", "--latent", "-k", 3)

    def precision_at(self, k, made, scores):
        """Without ties."""
        values, at = [], 0
        for query in made:
            own = sorted(zip(scores[at : at + len(query)], (grade for grade, _ in query)), reverse=True)
            values.append(sum(grade >= 1 for _, grade in own[:k]) / k)
            at += len(query)
        return mean(values)

    def latent_objective(self, k, c, model="m.mm", deviations=(1,) * FEATURES):
        """By sorting scores: docs/algorithms/ranking.md."""
        w = self.weights(model)
        total = sum((value * deviation) ** 2 for value, deviation in zip(w, deviations)) / 2
        for query in self.made:
            rows = [(sum(a * b for a, b in zip(w, x)), grade >= 1) for grade, x in query]
            positives = sum(good for _, good in rows)
            if positives in (0, len(rows)):
                continue
            rival = sum(sorted((score - good for score, good in rows), reverse=True)[:k]) + min(k, positives)
            truth = sum(score for _, score in sorted(((good, score) for score, good in rows), reverse=True)[:k])
            total += c * (rival - truth) / k
        return total

    def test_latent_lists_are_searched_and_verified(self):
        for words in ((), ("--start", "pairs"), ("--start", "random", "--restarts", 3), ("--solver", "one-slack")):
            report = self.train_model(*self.LATENT, "-C", 2, "--verify", *words)
            self.assertEqual(report["status"], "local_optimum")
            self.assertTrue(report["verified"])
            self.assertNotIn("dual_objective", {key for key, value in report.items() if value is not None})
            falling = [step["objective"] for step in report["trace"]]
            self.assertEqual(falling, sorted(falling, reverse=True))
            self.assertEqual(falling[-1], report["primal_objective"])
            self.assertLessEqual(report["metrics"]["stationary_gap"], 1e-3)
            self.assertAlmostEqual(self.latent_objective(3, 2) / report["primal_objective"], 1, 9)
            if "random" in words:
                self.assertEqual(len(report["runs"]), 3)
                self.assertEqual(min(run["objective"] for run in report["runs"]), report["primal_objective"])
            else:
                self.assertLess(report["primal_objective"], report["metrics"]["start_objective"])
            self.assertEqual(report["metrics"]["precision_at_3"],
                             self.precision_at(3, self.made, self.scores_of(self.train)))  # fmt: skip
        # Measures of predictions are those of the training's k, and it learned more than the share of relevant rows.
        share = mean(sum(grade >= 1 for grade, _ in query) / len(query) for query in self.new)
        self.assertGreater(self.json_of("predict", "m.mm", self.test)["metrics"]["precision_at_3"], share + 0.2)
        # The other loss of this name is another problem.
        plain = self.train_model("--loss", "precision-at-k", "-k", 3, "-C", 2)
        self.assertEqual(plain["status"], "solved")
        self.assertNotIn("trace", plain)
        self.assertNotIn("restarts", plain["options"])

    def test_latent_search_from_a_model(self):
        self.run_tool("train", self.train, "--learner", "rank", "-o", "first.mm", "-C", 0.1, "--loss", "error")
        given = ("--start", "weights", "--start-model", "first.mm")
        report = self.train_model(*self.LATENT, *given)
        self.assertLess(report["primal_objective"], report["metrics"]["start_objective"])
        self.run_tool("train", "builtin:iris", "--learner", "svc", "-o", "svc.mm")
        few = self.write("few.svm", "1 qid:1 1:1\n0 qid:1 1:0\n")
        self.run_tool("train", few, "--learner", "rank", "-o", "few.mm")
        for words, message in (
            ((*self.LATENT, "--start", "weights"), "--start weights: needs --start-model FILE"),
            ((*self.LATENT, "--start-model", "first.mm"), "--start-model: belongs to --start weights"),
            ((*self.LATENT, "--start", "weights", "--start-model", "svc.mm"), "is a model of svc, not of rank"),
            ((*self.LATENT, "--start", "weights", "--start-model", "few.mm"), "has 1 features, the data 4"),
            ((*self.LATENT, "--start", "weights", "--start-model", "none.mm"), "none.mm"),
            ((*self.LATENT, "--start", "chain"), "--start"),
            (("--latent",), "--latent: belongs to --loss precision-at-k"),
            (("--latent", "--loss", "precision-at-k"), "--latent: needs -k"),
            (("--start", "pairs"), "--start: belongs to --latent"),
            (("--restarts", 2), "--restarts: belongs to --latent"),
            (("--cold-start",), "--cold-start: belongs to --latent"),
        ):
            done = self.run_tool("train", self.train, "--learner", "rank", "-o", "n.mm", *words, code=1)
            self.assertIn(message, done.stderr)
        self.assertNotIn("n.mm", self.files())

    def test_weights_to_begin_with_are_those_of_the_same_scores(self):
        # Other rows, so that the same kind of scaling has other units.
        units = (1000, 1, 0.01, 7)
        wild = self.write("wild.svm", text_of([[(g, [a * b for a, b in zip(x, units)]) for g, x in q] for q in self.new]))
        columns = list(zip(*(x for query in self.made for _, x in query)))
        deviations = {"none": (1,) * FEATURES, "standard": [statistics.pstdev(column) for column in columns]}
        for theirs in deviations:
            self.run_tool("train", wild, "--learner", "rank", "-o", "first.mm", "--scale", theirs)
            for own in deviations:
                with self.subTest(theirs=theirs, own=own):
                    report = self.train_model(*self.LATENT, "-C", 2, "--scale", own, "--start", "weights",
                                              "--start-model", "first.mm")  # fmt: skip
                    wanted = self.latent_objective(3, 2, "first.mm", deviations[own])
                    self.assertAlmostEqual(report["metrics"]["start_objective"] / wanted, 1, 9)

    def test_the_path_of_the_weights_to_begin_with_does_not_show(self):
        words = ["train", self.train, "--learner", "rank", "-o", "first.mm"]
        self.run_tool(*words)
        (self.folder / "elsewhere.mm").write_bytes((self.folder / "first.mm").read_bytes())
        models = []
        for path in ("first.mm", "elsewhere.mm"):
            # The second run goes on from the first one's checkpoint.
            report = self.train_model(*self.LATENT, "--start", "weights", "--start-model", path, "--verify",
                                      "--checkpoint", "state", "--checkpoint-every", 0, "--resume")  # fmt: skip
            self.assertEqual(report["options"]["start_model"], path)
            self.assertTrue(report["verified"])
            models.append((self.folder / "m.mm").read_bytes())
        self.assertEqual(models[0], models[1])
        # Other weights are another run.
        self.run_tool(*words, "-C", 0.01)
        done = self.run_tool("train", self.train, "--learner", "rank", *self.LATENT, "--start", "weights",
                             "--start-model", "first.mm", "--checkpoint", "state", "--resume", "-o", "n.mm",
                             code=1)  # fmt: skip
        self.assertIn("state", done.stderr)
        self.assertNotIn("n.mm", self.files())

    def test_latent_search_without_anything_to_find(self):
        flat = self.write("flat.svm", "1 qid:1 1:1\n1 qid:1 1:2\n0 qid:2 1:3\n0 qid:2 1:4\n")
        report = self.train_model(*self.LATENT[:-1], 1, "--verify", data=flat)
        self.assertEqual((report["primal_objective"], report["verified"]), (0, True))
        self.assertTrue(any("all scores are 0" in warning for warning in report["warnings"]))

    def test_online_solvers_have_nothing_to_verify(self):
        report = self.json_of("train", self.train, "--learner", "rank", "-o", "n.mm", "--solver", "mira",
                              "--verify", code=2)  # fmt: skip
        self.assertIsNone(report["verified"])
        self.assertIn("--solver mira", report["verify_reason"])
        # They have ten passes unless they are given others.
        self.assertEqual(self.train_model("--solver", "mira", code=2)["iterations"], 10)
        self.assertEqual(self.train_model("--solver", "mira", "--max-iterations", 3, code=2)["iterations"], 3)

    def test_bad_input_names_the_place(self):
        back = self.write("back.svm", "1 qid:1 1:1\n0 qid:2 1:2\n0 qid:1 1:3\n")
        done = self.run_tool("train", back, "--learner", "rank", "-o", "n.mm", code=1)
        self.assertIn("back.svm:3", done.stderr)
        word = self.write("word.svm", "good qid:1 1:1\n0 qid:1 1:2\n")
        done = self.run_tool("train", word, "--learner", "rank", "-o", "n.mm", code=1)
        self.assertIn('"good" is no number', done.stderr)
        bare = self.write("bare.svm", "qid:1 1:1\nqid:1 1:2\n")
        done = self.run_tool("train", bare, "--learner", "rank", "-o", "n.mm", code=1)
        self.assertIn("no grades", done.stderr)
        uneven = self.write("uneven.svm", "1 qid:1 cost:1 1:1\n0 qid:1 cost:2 1:2\n")
        done = self.run_tool("train", uneven, "--learner", "rank", "-o", "n.mm", code=1)
        self.assertIn("uneven.svm:2:9: another weight", done.stderr)
        lines = self.write("w.txt", "1\n" * 5 + "2\n" * 155)
        done = self.run_tool("train", self.train, "--learner", "rank", "-o", "n.mm", "--weight", lines,
                             code=1)  # fmt: skip
        self.assertIn("w.txt:6: another weight", done.stderr)
        for words, message in (
            (("--loss", "pair"), "pairs"),
            (("-k", 3), "precision-at-k"),
            (("--loss", "f1", "-k", 3), "precision-at-k"),
            (("--no-bias",), "--no-bias"),
            (("--relevant-from", "x"), "--relevant-from"),
            (("--query-weight", "two"), "--query-weight"),
            (("--gamma", 1), "--gamma"),
            (("--order", 2), "--order"),
            (("-C", 0), "-C"),
        ):
            done = self.run_tool("train", self.train, "--learner", "rank", "-o", "n.mm", *words, code=1)
            self.assertIn(message, done.stderr)
        self.run_tool("train", self.train, "--learner", "svc", "-o", "n.mm", "--relevant-from", 1, code=1)
        self.assertNotIn("n.mm", self.files())
        self.train_model()
        for words in (("--n-best", 2), ("--scores",), ("--margins",), ("--columns", "FORM"), ("--weight", 1)):
            done = self.run_tool("predict", "m.mm", self.test, *words, code=1)
            self.assertIn(f"{words[0]}: a model of rank does not take it", done.stderr)
        # Weights are for training.
        self.run_tool("predict", "m.mm", uneven)
        self.run_tool("predict", "m.mm", back, code=1)
        short = self.write("short.txt", "1\n2\n")
        done = self.run_tool("eval", self.test, short, "--task", "rank", code=1)
        self.assertIn("160 rows", done.stderr)
        words = self.write("words.txt", "1\n" * 7 + "a\n" * 153)
        done = self.run_tool("eval", self.test, words, "--task", "rank", code=1)
        self.assertIn('words.txt:8:1: expected a number, found "a"', done.stderr)
        done = self.run_tool("eval", self.test, words, "--task", "rank", "--cost-matrix", "c", code=1)
        self.assertIn("--cost-matrix: --task rank does not take it", done.stderr)
        done = self.run_tool("eval", "builtin:iris", "builtin:iris", "-k", 3, code=1)
        self.assertIn("-k: eval without --task does not take it", done.stderr)

    def test_broken_models_name_the_field(self):
        self.train_model("--loss", "precision-at-k", "-k", 3)
        for pattern, replacement, message in (
            (rb"^(field option.k integer) .*", rb"\1 0", "-k 0: must be a whole number >= 1"),
            (rb"^(field option.relevant_from number) .*", rb"\1 nan", "--relevant-from nan: must be a finite number"),
        ):  # fmt: skip
            self.changed_model("m.mm", pattern, replacement)
            done = self.run_tool("predict", "changed.mm", self.test, code=1)
            self.assertIn("changed.mm: " + message, done.stderr)

    def test_odd_grades_are_left_out_of_the_measures(self):
        self.train_model()
        odd = self.write("odd.svm", "1 qid:1 1:1\n? qid:1 1:2\nwhat qid:1 1:3\n0 qid:1 1:0.5\n")
        report = self.json_of("predict", "m.mm", odd)
        self.assertEqual(report["metrics"]["roc_area"], 1)
        self.assertTrue(any("no grades" in warning for warning in report["warnings"]))
        bare = self.write("bare.svm", "qid:1 1:1\nqid:1 1:2\n")
        self.assertEqual(self.json_of("predict", "m.mm", bare)["metrics"], {})

    def test_nothing_to_rank_is_said(self):
        flat = self.write("flat.svm", "1 qid:1 1:1\n1 qid:1 1:2\n2 qid:2 1:3\n")
        report = self.train_model(data=flat)
        self.assertEqual(report["primal_objective"], 0)
        self.assertTrue(any("all scores are 0" in warning for warning in report["warnings"]))
        self.assertEqual(self.train_model()["warnings"], [])

    def test_a_gap_of_rounding_alone_is_shown_as_none(self):
        # Both objectives are the same but for the last digit.
        rows = "1 1:1 2:0\n3 1:1 2:1\n1 1:0 2:0\n1 1:1 2:2\n2 1:0 2:0\n3 1:2 2:1\n"
        data = self.write("six.svm", rows)
        words = ["train", data, "--learner", "rank", "-o", "m.mm", "--solver", "one-slack", "--tolerance", 1e-9]
        report = self.json_of(*words)
        self.assertLess(abs(report["relative_gap"]), 1e-12)
        self.assertEqual(report["gap"], report["primal_objective"] - report["dual_objective"])
        shown = next(line for line in self.run_tool(*words).stderr.split("\n") if "relative gap" in line)
        self.assertGreaterEqual(float(shown.split()[-1]), 0)

    def test_threads_and_stops_do_not_show(self):
        models = []
        for threads in (1, 3):
            self.train_model("--threads", threads)
            models.append((self.folder / "m.mm").read_bytes())
        self.assertEqual(models[0], models[1])
        report = self.train_model("--time-limit", 0.001, "-C", 1e4, "--tolerance", 1e-12, code=2)
        self.assertEqual(report["status"], "time_limit")

    def test_killed_runs_end_with_the_same_model(self):
        self.kill_and_resume("-C", 30, "--tolerance", 1e-6)

    def test_killed_searches_end_with_the_same_model(self):
        self.kill_and_resume("-C", 10, "--tolerance", 1e-5, *self.LATENT, "--restarts", 2)

    def kill_and_resume(self, *options):
        data = self.write("more.svm", text_of(queries(4, 150, 12)))
        words = ["train", data, "--learner", "rank", *options, "--checkpoint",
                 "state", "--checkpoint-every", 0, "--resume", "--quiet"]  # fmt: skip
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
        self.assertEqual((self.folder / "killed.mm").read_bytes(), (self.folder / "whole.mm").read_bytes())
        other = self.write("other.svm", text_of(queries(5, 150, 12)))
        done = self.run_tool("train", other, *words[2:], "-o", "n.mm", code=1)
        self.assertIn("another run", done.stderr)


if __name__ == "__main__":
    unittest.main()
