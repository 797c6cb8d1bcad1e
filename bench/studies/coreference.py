#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Coreference in LitBank: latent forests beside correlation clustering (docs/results/coreference.md).

    cmake --preset release && ninja -C build/release maxmargin_tool
    python3 bench/studies/coreference.py build/release/apps/maxmargin/maxmargin --keep FOLDER

The 100 documents are shuffled by the seed and cut into five test sets of 20; the other 80 train. C and the wrong-link
cost r are chosen on two folds of the 80, once by the MITRE loss and once by the pair loss. Every document is tested once, so that the p-values (sign flips of the differences of two methods, document by
document) rest on all of them.

Then: is it the criterion? On the 80 training documents of each split the forests are trained from three starts, and
partition's weights are put into the forests' predictor, where their objective F is computed (at the best of some
scales: a scale changes F and no answer), and the forests' weights into partition's. Weights of larger F that answer
better on the very documents that F was summed over leave the criterion to blame, and neither search nor luck.

FOLDER keeps models and results, a line each in runs.jsonl: a study that was stopped goes on there. Seconds are those of
the processor. One program at a time, one thread each.
"""

import argparse
import dataclasses
import hashlib
import itertools
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

import coreference_page
import pair_models
import unpack_litbank
from study_tool import ROOT, Tool

MEASURES = coreference_page.MEASURES
# Smaller is better.
LOSSES = ("muc_loss", "pair_loss")
CRITERIA = ("muc_loss", "pair_loss")
LINKS = [0.01, 0.1, 1]
COSTS = [0.003, 0.01, 0.03, 0.1]
TOLERANCE = 0.01
# To choose among options that differ by ten times.
ROUGHLY = 0.05
# Of partition's weights in the forests' objective.
SCALES = [0.125, 0.25, 0.5, 1, 2, 4]


@dataclasses.dataclass(frozen=True)
class Way:
    """One command but for its data."""

    learner: str
    cost: float
    links: float = None
    loss: str = None
    weight: str = None

    def words(self, tolerance=TOLERANCE):
        words = ["--learner", self.learner, "-C", self.cost, "--tolerance", tolerance]
        for name, value in (("loss", self.loss), ("wrong-link", self.links), ("document-weight", self.weight)):
            if value is not None:
                words += [f"--{name}", value]
        return words

    def shown(self):
        parts = [f"C = {self.cost:g}"]
        if self.links is not None:
            parts.append(f"r = {self.links:g}")
        return ", ".join(parts)

    def name(self):
        return "-".join(str(part) for part in dataclasses.astuple(self) if part is not None)


def forests(costs, links, weight=None):
    return [Way("coreference", c, r, weight=weight) for c, r in itertools.product(costs, links)]


FORESTS, PARTITION = "forests", "partition, pair loss"
METHODS = {
    FORESTS: forests(COSTS, LINKS),
    "forests, r = 1": forests(COSTS, [1]),
    "forests, documents weighed by size": forests([1, 10], [0.01, 0.1], "size"),
    PARTITION: [Way("partition", c, loss="pairs") for c in (10, 30)],
}


def cut(items, parts):
    """Parts of nearly equal size, in order."""
    return [items[len(items) * k // parts : len(items) * (k + 1) // parts] for k in range(parts)]


class Kept:
    """Results by name, a line each in a file: what is there is not done again."""

    def __init__(self, path, build):
        self.path, self.build, self.found = path, build, {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                if entry["build"] == build:
                    self.found[entry["name"]] = entry["value"]

    def once(self, name, compute):
        if name not in self.found:
            value = compute()
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"build": self.build, "name": name, "value": value}) + "\n")
            self.found[name] = value
            print(name, coreference_page.short(value), flush=True)
        return self.found[name]


class CoreferenceStudy:
    def __init__(self, tool, folder, seed, folds):
        self.tool, self.folder, self.seed, self.folds = tool, folder, seed, folds
        build = hashlib.sha256(pathlib.Path(tool.path).read_bytes()).hexdigest()[:16]
        self.kept = Kept(folder / "runs.jsonl", build)
        # By split and way: means over folds of measures; seconds of all of them.
        self.grid, self.grid_seconds = [], []
        # By split: (criterion, method) -> way; way -> training and test; (way, name) -> a run of the last part.
        self.chosen, self.finals, self.whys = [], [], []

    def write(self, name, documents):
        path = self.folder / f"{name}.conll"
        path.write_text("".join("\n".join(d.lines) + "\n" for d in documents), encoding="utf-8")
        return path

    def train(self, name, data, words):
        """What is to know of a training; its model is FOLDER/name.mm."""
        done = self.tool.run("train", data, "-o", self.folder / f"{name}.mm", "--threads", 1, *words)
        report = done.report
        return {"seconds": done.processor, "status": report["status"], "oracle": report["oracle"],
                "objective": report["primal_objective"], "steps": report["iterations"],
                "calls": report["metrics"]["oracle_calls"]}  # fmt: skip

    def predict(self, name, data):
        """Measures of the answers of FOLDER/name.mm, and links found by the MITRE score."""
        report = self.tool.run("predict", self.folder / f"{name}.mm", data, "-o", self.folder / f"{name}.answer",
                               "--threads", 1).report  # fmt: skip
        muc = next(row for row in report["scores"] if row["score"] == "muc")
        return {"measures": {name: report["metrics"][name] for name in MEASURES},
                "precision": muc["precision"], "recall": muc["recall"]}  # fmt: skip

    def by_document(self, answer, documents):
        """Measures of every document."""
        texts = ["#begin document" + text for text in
                 answer.read_text(encoding="utf-8").split("#begin document")[1:]]  # fmt: skip
        each = []
        for document, text in zip(documents, texts):
            own = self.folder / "one.answer"
            own.write_text(text, encoding="utf-8")
            # eval has no --quiet, which Tool gives to every command.
            words = [self.tool.path, "eval", self.write("one.truth", [document]), own, "--task", "partition",
                     "--json", "-"]  # fmt: skip
            metrics = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)["metrics"]
            each.append({name: metrics[name] for name in MEASURES})
        return each

    def choose(self, split, training):
        """By criterion and method: the way that is best on documents left out."""
        parts = cut(training, self.folds)
        ways = list(dict.fromkeys(way for ways in METHODS.values() for way in ways))
        found = {way: [] for way in ways}
        for fold in range(self.folds):
            rest = self.write(f"s{split}f{fold}.train", [d for k, part in enumerate(parts) if k != fold for d in part])
            left = self.write(f"s{split}f{fold}.test", parts[fold])

            def run(way, fold=fold, rest=rest, left=left):
                trained = self.train("fold", rest, way.words(ROUGHLY))
                return {"seconds": trained["seconds"], **self.predict("fold", left)}

            for way in ways:
                found[way].append(self.kept.once(f"split {split} fold {fold} {way.name()}", lambda w=way: run(w)))
        self.grid.append({way: {name: statistics.fmean(m["measures"][name] for m in all) for name in MEASURES}
                          for way, all in found.items()})  # fmt: skip
        self.grid_seconds.append({way: sum(m["seconds"] for m in all) for way, all in found.items()})

        def best(criterion, method):
            sign = 1 if criterion in LOSSES else -1
            return min(METHODS[method], key=lambda way: sign * self.grid[-1][way][criterion])

        return {(criterion, method): best(criterion, method) for criterion in CRITERIA for method in METHODS}

    def split(self, number, training, test):
        chosen = self.choose(number, training)
        train, tests = self.write(f"s{number}.train", training), self.write(f"s{number}.test", test)

        def final(way):
            name = f"s{number}.{way.name()}"
            trained = self.train(name, train, way.words()) | self.predict(name, train)
            total = self.predict(name, tests)
            return {"train": trained, "test": total, "each": self.by_document(self.folder / f"{name}.answer", test)}

        self.chosen.append(chosen)
        self.finals.append({way: self.kept.once(f"split {number} {way.name()}", lambda w=way: final(w))
                            for way in dict.fromkeys(chosen.values())})  # fmt: skip
        self.whys.append(self.why(number, train, tests, chosen))

    def why(self, number, train, tests, chosen):
        """Other starts, and the weights of each learner in the other's predictor."""
        rival = chosen["pair_loss", PARTITION]
        rival_model = self.folder / f"s{number}.{rival.name()}.mm"
        found = {}
        for way in dict.fromkeys(chosen[criterion, FORESTS] for criterion in CRITERIA):
            own = f"s{number}.{way.name()}"

            def started(name, words, way=way, own=own):
                name = f"{own}.{name}"
                trained = self.train(name, train, [*way.words(), *words]) | self.predict(name, train)
                return {"train": trained, "test": self.predict(name, tests)}

            def moved(name, frame, weights):
                pair_models.with_weights(frame, pair_models.weights_of(weights), self.folder / f"{name}.mm")
                return {"train": self.predict(name, train), "test": self.predict(name, tests)}

            def rival_in_forests(own=own):
                frame = self.folder / f"{own}.mm"
                result = moved(f"{own}.rival", frame, rival_model)
                by_scale = {scale: self.objective(frame, rival_model, scale, train) for scale in SCALES}
                scale = min(by_scale, key=by_scale.get)
                return {"objective": by_scale[scale], "scale": scale, "by_scale": list(by_scale.items()), **result}

            runs = {
                "chain": lambda: None,
                "random": lambda: started("random", ["--start", "random"]),
                "from partition's weights": lambda: started("weights", ["--start", "weights", "--start-model", rival_model]),
                "partition's weights": rival_in_forests,
                "forests' weights in partition": lambda own=own: moved(f"{own}.moved", rival_model,
                                                                       self.folder / f"{own}.mm"),
            }  # fmt: skip
            for name, run in runs.items():
                found[way, name] = (self.finals[-1][way] if name == "chain" else
                                    self.kept.once(f"split {number} {way.name()}: {name}", run))  # fmt: skip
        found["partition"] = self.finals[-1][rival]
        return found

    def objective(self, frame, weights, scale, data):
        """F at weights times scale, for the C and r of the frame."""
        model = pair_models.with_weights(frame, pair_models.weights_of(weights), self.folder / "scaled.mm", scale)
        words = [self.tool.path, "info", model, "--verify", data, "--json", "-"]
        done = subprocess.run(words, check=False, stdout=subprocess.PIPE)
        return json.loads(done.stdout)["verified_primal"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--archive", type=pathlib.Path, default=unpack_litbank.ARCHIVE)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--splits", type=int, default=5, choices=range(1, 6))
    parser.add_argument("--folds", type=int, default=2)
    parser.add_argument("--documents", type=int, default=100, help="fewer: the first of the shuffled ones")
    parser.add_argument("--keep", type=pathlib.Path, help="folder of models and results, to go on with")
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
        keep = arguments.keep or pathlib.Path(folder)
        keep.mkdir(parents=True, exist_ok=True)
        study = CoreferenceStudy(Tool(arguments.tool, keep), keep, arguments.seed, arguments.folds)
        training = [[d for k, part in enumerate(tests) if k != number for d in part] for number in range(5)]
        for number in range(arguments.splits):
            study.split(number, training[number], tests[number])
            page = coreference_page.page(study, METHODS, training[: number + 1], len(documents),
                                         arguments.output)  # fmt: skip
            arguments.output.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
