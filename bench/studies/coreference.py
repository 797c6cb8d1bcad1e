#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Coreference in LitBank: latent forests beside correlation clustering (docs/results/coreference.md).

    cmake --preset release && ninja -C build/release maxmargin_tool
    python3 bench/studies/coreference.py build/release/apps/maxmargin/maxmargin

The 100 documents are shuffled by the seed and cut into five test sets of 20; the other 80 train. C and the wrong-link
cost r are chosen on folds of the 80, once by the MITRE loss and once by the average of CoNLL. Every document is
tested once, so that the p-values (sign flips of the differences of two methods, document by document) rest on all of
them. --splits and --folds-used take fewer of both; the page says so. Writes docs/results/coreference.md, or --output.
"""

import argparse
import dataclasses
import datetime
import itertools
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

import unpack_litbank
from study_tool import ROOT, Tool, machine, table, two_at_a_time

LINKS = [1, 0.1, 0.01]
TOLERANCE = 0.01
MEASURES = {"muc_loss": "MITRE loss", "pair_loss": "pair loss", "b_cubed_f1": "B-cubed F1",
            "ceaf_entity_f1": "CEAF-e F1", "conll_average": "CoNLL average"}  # fmt: skip
# Smaller is better.
LOSSES = ("muc_loss", "pair_loss")
CRITERIA = ("muc_loss", "conll_average")


@dataclasses.dataclass(frozen=True)
class Way:
    """One command but for its data."""

    learner: str
    cost: float
    links: float = None
    loss: str = None

    def words(self):
        words = ["--learner", self.learner, "-C", self.cost, "--tolerance", TOLERANCE]
        if self.loss:
            words += ["--loss", self.loss]
        if self.links is not None:
            words += ["--wrong-link", self.links]
        return words

    def shown(self):
        return f"C = {self.cost:g}" + (f", r = {self.links:g}" if self.links is not None else "")


METHODS = {
    "forests, r by folds": [Way("coreference", c, r) for c, r in itertools.product([0.003, 0.01, 0.03, 0.1], LINKS)],
    "forests, r = 1": [Way("coreference", c, 1) for c in (0.003, 0.01, 0.03, 0.1)],
    "partition, pair loss": [Way("partition", c, None, "pairs") for c in (1, 10, 100)],
    "partition, link loss": [Way("partition", 0.01, r, "links") for r in (1, 0.1)],
}  # fmt: skip
# For an hour, not a night.
SMALL = {
    "forests, r by folds": [Way("coreference", c, r) for c, r in itertools.product([0.01, 0.1], LINKS)],
    "forests, r = 1": [Way("coreference", c, 1) for c in (0.01, 0.1)],
    "partition, pair loss": [Way("partition", c, None, "pairs") for c in (1, 10)],
    "partition, link loss": [Way("partition", 0.01, r, "links") for r in (1, 0.1)],
}


def cut(items, parts):
    """Parts of nearly equal size, in order."""
    return [items[len(items) * k // parts : len(items) * (k + 1) // parts] for k in range(parts)]


def better(name, a, b):
    return a < b if name in LOSSES else a > b


def p_value(differences, seed, rounds=20000):
    """Two-sided: how often signs by chance make a mean as large."""
    observed = abs(sum(differences)) - 1e-12
    draw = random.Random(seed)
    hits = sum(abs(sum(d if draw.random() < 0.5 else -d for d in differences)) >= observed for _ in range(rounds))
    return (hits + 1) / (rounds + 1)


class CoreferenceStudy:
    def __init__(self, tool, folder, methods, seed, folds, folds_used, seconds):
        self.tool, self.folder, self.methods = tool, folder, methods
        self.seed, self.folds, self.folds_used, self.seconds = seed, folds, folds_used, seconds
        self.choices, self.trained, self.whys = [], [], []
        # By criterion, method and document: its measures; and sums over documents as the tool has them.
        self.by_document, self.by_split = {}, {}

    def write(self, name, documents):
        path = self.folder / f"{name}.conll"
        path.write_text("".join("\n".join(d.lines) + "\n" for d in documents), encoding="utf-8")
        return path

    def train(self, name, data, words):
        model = self.folder / f"{name}.mm"
        return model, self.tool.run("train", data, "-o", model, "--threads", 1, "--time-limit", self.seconds, *words)

    def choose(self, split, training):
        """By criterion and method: the way that is best on documents left out."""
        parts = cut(training, self.folds)
        jobs = [(fold, way) for fold in range(self.folds_used)
                for way in sorted({w for ways in self.methods.values() for w in ways}, key=str)]  # fmt: skip
        files = {}
        for fold in range(self.folds_used):
            rest = [d for k, part in enumerate(parts) if k != fold for d in part]
            files[fold] = (self.write(f"s{split}f{fold}.train", rest),
                           self.write(f"s{split}f{fold}.test", parts[fold]))  # fmt: skip

        def run(job):
            fold, way = job
            name = f"s{split}f{fold}.{jobs.index(job)}"
            model, trained = self.train(name, files[fold][0], way.words())
            tested = self.tool.run("predict", model, files[fold][1], "-o", self.folder / f"{name}.out")
            model.unlink()
            print(f"split {split} fold {fold}: {way.learner} {way.loss or ''} {way.shown()}: "
                  f"{trained.seconds:.0f} s, MITRE loss {tested.metric('muc_loss'):.1f}, "
                  f"CoNLL {tested.metric('conll_average'):.1f}", flush=True)  # fmt: skip
            return way, tested.report["metrics"], trained

        found = {}
        for way, metrics, trained in two_at_a_time(run, jobs):
            found.setdefault(way, []).append(metrics)
        means = {way: {name: statistics.fmean(m[name] for m in all) for name in MEASURES} for way, all in found.items()}
        if split == 0:
            for way in sorted(means, key=str):
                self.choices.append([way.learner, way.loss or "-", way.shown(),
                                     *(f"{100 * means[way][name]:.1f}" for name in MEASURES)])  # fmt: skip
        chosen = {}
        for criterion in CRITERIA:
            for method, ways in self.methods.items():
                best = ways[0]
                for way in ways[1:]:
                    if better(criterion, means[way][criterion], means[best][criterion]):
                        best = way
                chosen[criterion, method] = best
        return chosen

    def measure(self, name, model, test, documents):
        """Measures over all documents, and of each."""
        answer = self.folder / f"{name}.answer"
        tested = self.tool.run("predict", model, test, "-o", answer)
        texts = ["#begin document" + text for text in
                 answer.read_text(encoding="utf-8").split("#begin document")[1:]]  # fmt: skip
        each = []
        for number, (document, text) in enumerate(zip(documents, texts)):
            truth = self.write(f"{name}.{number}.truth", [document])
            own = self.folder / f"{name}.{number}.own"
            own.write_text(text, encoding="utf-8")
            each.append(self.evaluate(truth, own))
            truth.unlink(), own.unlink()
        return tested.report["metrics"], each

    def evaluate(self, truth, answer):
        """eval has no --quiet, which Tool gives to every command."""
        words = [self.tool.path, "eval", truth, answer, "--task", "partition", "--json", "-"]
        return json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)["metrics"]

    def split(self, number, training, test):
        chosen = self.choose(number, training)
        train, tests = self.write(f"s{number}.train", training), self.write(f"s{number}.test", test)
        ways = sorted(set(chosen.values()), key=str)
        models = two_at_a_time(
            lambda way: self.train(f"s{number}.final{ways.index(way)}", train, way.words()), ways)
        answers = {}
        for way, (model, trained) in zip(ways, models):
            answers[way] = self.measure(f"s{number}.{ways.index(way)}", model, tests, test)
            report = trained.report
            self.trained.append([
                number + 1, way.learner, way.loss or "-", way.shown(), report["status"], report["oracle"],
                f"{report['primal_objective']:.4g}", *(f"{100 * report['metrics'][name]:.1f}" for name in MEASURES),
                f"{trained.seconds:.0f}",
            ])  # fmt: skip
        for (criterion, method), way in chosen.items():
            total, each = answers[way]
            self.by_split.setdefault((criterion, method), []).append(total)
            self.by_document.setdefault((criterion, method), []).extend(each)
        self.why(number, train, tests, test, chosen, dict(zip(ways, models)))

    def why(self, number, train, tests, test, chosen, models):
        """Is it the start? The forests that were chosen, begun with partition's weights, and at random."""
        way = chosen["conll_average", "forests, r by folds"]
        rival, _ = models[chosen["conll_average", "partition, pair loss"]]
        runs = [("chain", [])]
        runs += [("partition's weights", ["--start", "weights", "--start-model", rival]),
                 ("random", ["--start", "random"])]  # fmt: skip

        def run(job):
            name, words = job
            model, trained = self.train(f"s{number}.start-{name.replace(' ', '-')}", train, [*way.words(), *words])
            return name, trained, self.measure(f"s{number}.start-{name.replace(' ', '-')}", model, tests, test)[0]

        for name, trained, metrics in two_at_a_time(run, runs):
            report = trained.report
            self.whys.append([number + 1, way.shown(), name, f"{report['primal_objective']:.5g}",
                              report["iterations"], *(f"{100 * metrics[m]:.1f}" for m in MEASURES),
                              f"{trained.seconds:.0f}"])  # fmt: skip

    def page(self, splits, documents):
        names = list(MEASURES.values())
        parts = []
        for criterion in CRITERIA:
            rows = []
            for method in self.methods:
                totals = self.by_split[criterion, method]
                rows.append([method, *(f"{100 * statistics.fmean(t[m] for t in totals):.1f}" for m in MEASURES)])
            tests = []
            for method, rival in itertools.product(self.methods, self.methods):
                if not (method.startswith("forests") and rival.startswith("partition")):
                    continue
                row = [f"{method} less {rival}"]
                for m in MEASURES:
                    pairs = [(a[m], b[m]) for a, b in zip(self.by_document[criterion, method],
                                                          self.by_document[criterion, rival])
                             if a[m] is not None and b[m] is not None]  # fmt: skip
                    differences = [a - b for a, b in pairs]
                    row.append(f"{100 * statistics.fmean(differences):+.1f} (p = {p_value(differences, self.seed):.4f})")
                tests.append(row)
            parts.append(f"## Chosen by the {MEASURES[criterion]}\n\nMeans over test sets, in percent:\n\n"
                         + table(["method", *names], rows)
                         + "\n\nDifferences of documents, means:\n\n" + table(["methods", *names], tests))  # fmt: skip
        parts.append("## The grid\n\nMeans over the folds of the first split, in percent.\n\n"
                     + table(["learner", "loss", "options", *names], self.choices))  # fmt: skip
        parts.append("## The models\n\nOn their own training documents, in percent; objectives of different C, r and "
                     "losses cannot be compared.\n\n"
                     + table(["split", "learner", "loss", "options", "status", "oracle", "objective", *names, "s"],
                             self.trained))  # fmt: skip
        parts.append("## Is it the start?\n\nThe forests chosen by the CoNLL average, from three starts; measures on "
                     "test documents.\n\n"
                     + table(["split", "options", "start", "objective", "convex steps", *names, "s"], self.whys))  # fmt: skip
        used = (f"{splits} of 5 splits, {self.folds_used} of {self.folds} folds, "
                f"{sum(len(v) for v in self.methods.values())} points of the grids")
        head = (f"# Coreference in LitBank\n\nMeasured {datetime.date.today()} on {machine()} by "
                f"`bench/studies/coreference.py`: {used}, {documents} documents, seed {self.seed}, every program with one "
                "thread, two at a time. Relative gaps of 1 %, at most "
                f"{self.seconds} s a training (the search for partitions of the link loss can take longer; the status shows it).")  # fmt: skip
        return "\n\n".join([head, *parts]) + "\n"


def main():
    parser = argparse.ArgumentParser(description="coreference by latent forests on LitBank")
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--archive", type=pathlib.Path, default=unpack_litbank.ARCHIVE)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--splits", type=int, default=5, choices=range(1, 6))
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--folds-used", type=int)
    parser.add_argument("--documents", type=int, default=100, help="fewer: the first of the shuffled ones")
    parser.add_argument("--seconds", type=int, default=900, help="of one training")
    parser.add_argument("--small", action="store_true", help="one or two C each")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs" / "results" / "coreference.md")
    arguments = parser.parse_args()
    if not arguments.archive.is_file():
        print(f"skipped: {arguments.archive}: no such file")
        return 0
    documents = unpack_litbank.read(arguments.archive)
    random.Random(arguments.seed).shuffle(documents)
    documents = documents[: arguments.documents]
    tests = cut(documents, 5)
    with tempfile.TemporaryDirectory() as folder:
        study = CoreferenceStudy(Tool(arguments.tool, folder), pathlib.Path(folder),
                                 SMALL if arguments.small else METHODS, arguments.seed, arguments.folds,
                                 arguments.folds_used or arguments.folds, arguments.seconds)  # fmt: skip
        for number in range(arguments.splits):
            training = [d for k, part in enumerate(tests) if k != number for d in part]
            study.split(number, training, tests[number])
            arguments.output.write_text(study.page(number + 1, len(documents)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
