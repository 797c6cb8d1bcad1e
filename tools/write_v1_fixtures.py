#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes models of every kind in format version 1, and what the tool that wrote them does with them.

  tools/write_v1_fixtures.py TOOL FOLDER

tests/fixtures/v1 was made so, with the tool of commit 6b34f23; tests/cli/version_one_test.py holds
later tools to it. Do not write it anew with a later tool: it would then say what that tool does.

FOLDER gets the data, for every kind NAME the models NAME.mm (text) and NAME.bin.mm (where the tool can
write a binary one), the answers NAME.* to the commands, and manifest.json: a list of kinds with the
learner, the data, the command that trained, the models, and the checks to make with each of them (words,
with MODEL in the place of the model, to which --threads 1 is added; the exit code; the file with the expected output, if it has one;
and the expected numbers of the JSON report, if there are any).
"""

import argparse
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from compare import data as make  # noqa: E402

#: Every command has these words, too.
SAME = ["--threads", "1"]
#: What is kept of the report of info.
FIGURES = ("verified", "verified_primal", "verified_dual", "primal_objective", "dual_objective", "gap",
           "lower_bound")  # fmt: skip

#: Name, learner, data, new data, words of train, words of the predictions, whether info can verify it.
TWO, THREE, PLANE, HALF = "two.svm", "three.csv", "plane.svm", "half.svm"
PLAIN, SCORES = [""], ["", "--scores"]
LEARNERS = [
    ("svc", "svc", TWO, "two.t.svm", "", SCORES, True),
    ("svc-poly", "svc", THREE, "three.t.csv", "--kernel poly --degree 2 --coef0 1 --scale range", SCORES, True),
    ("svc-ecoc", "svc", THREE, "three.t.csv", "--multiclass ecoc --code exhaustive --decoding hamming", SCORES, True),
    ("svc-platt", "svc", THREE, "three.t.csv", "--probabilities=platt", ["", "--probabilities"], True),
    ("svc-isotonic", "svc", TWO, "two.t.svm", "--probabilities=isotonic", ["", "--probabilities"], True),
    ("svc-precomputed", "svc", "gram.svm", "gram.svm", "--kernel precomputed", SCORES, True),
    ("svc-squared", "svc", TWO, "two.t.svm", "--loss squared-hinge --no-bias --class-weight balanced", SCORES, True),
    ("nu-svc", "nu-svc", TWO, "two.t.svm", "", SCORES, True),
    ("linear-svc", "linear-svc", THREE, "three.t.csv", "--scale standard", SCORES, True),
    ("linear-svc-l1", "linear-svc", TWO, "two.t.svm", "--penalty l1", SCORES, True),
    ("linear-svc-logistic", "linear-svc", TWO, "two.t.svm", "--loss logistic", SCORES, True),
    ("linear-svr", "linear-svr", PLANE, PLANE, "", PLAIN, True),
    ("cs-svc", "cs-svc", THREE, "three.t.csv", "", SCORES, True),
    ("svr", "svr", PLANE, PLANE, "", PLAIN, True),
    ("nu-svr", "nu-svr", PLANE, PLANE, "", PLAIN, True),
    ("one-class", "one-class", TWO, "two.t.svm", "", PLAIN, True),
    ("svdd", "svdd", TWO, "two.t.svm", "--nu 0.2", PLAIN, True),
    ("ramp-svc", "ramp-svc", TWO, "two.t.svm", "--restarts 2", SCORES, True),
    ("ramp-svc-direct", "ramp-svc", THREE, "three.t.csv", "--restarts 2 --multiclass direct", SCORES, True),
    ("linear-ramp-svc", "linear-ramp-svc", TWO, "two.t.svm", "--restarts 2", SCORES, True),
    ("trimmed-svc", "trimmed-svc", TWO, "two.t.svm", "--restarts 2", SCORES, True),
    ("centroid-svc", "centroid-svc", TWO, "two.t.svm", "", SCORES, True),
    ("loo-svc", "loo-svc", TWO, "two.t.svm", "", SCORES, True),
    ("robust-svc", "robust-svc", TWO, "two.t.svm", "--restarts 4", SCORES, True),
    ("outlier-svc", "outlier-svc", TWO, "two.t.svm", "--restarts 4", SCORES, True),
    ("s3vm", "s3vm", HALF, "two.t.svm", "--restarts 4", SCORES, True),
    ("s3vm-direct", "s3vm", "half.csv", "three.t.csv", "--restarts 4 -C 1 --multiclass direct", SCORES, True),
    ("tsvm", "tsvm", HALF, "two.t.svm", "", SCORES, True),
    ("s3vm-cccp", "s3vm-cccp", HALF, "two.t.svm", "", SCORES, True),
    ("lp-svc", "lp-svc", TWO, "two.t.svm", "", SCORES, True),
    ("lda", "lda", THREE, "three.t.csv", "", SCORES, False),
    ("perceptron", "perceptron", THREE, "three.t.csv", "", SCORES, False),
    ("sequence", "sequence", "chunks.conll", "chunks.conll", "--template template.txt",
     ["", "--n-best 2", "--margins"], False),
    ("sequence-crf", "sequence", "chunks.conll", "chunks.conll", "--solver crf --template template.txt", PLAIN, False),
    ("sequence-order2", "sequence", "chunks.conll", "chunks.conll", "--order 2 --chunks iob2 --template template.txt",
     PLAIN, False),
    ("sequence-hashed", "sequence", "chunks.conll", "chunks.conll", "--index hashed --hash-bits 3", PLAIN, False),
    ("sequence-conllu", "sequence", "text.conllu", "text.conllu", "--columns XPOS --template template0.txt", PLAIN, False),
    ("sequence-svmhmm", "sequence", "text.svmhmm", "text.svmhmm", "", PLAIN, False),
    ("rank", "rank", "letor.svm", "letor.svm", "--scale range", PLAIN, False),
    ("rank-f1", "rank", "letor.svm", "letor.svm", "--loss f1", PLAIN, False),
    ("multiclass", "multiclass", THREE, "three.t.csv", "", ["", "--scores", "--n-best 2", "--margins"], False),
    ("multiclass-tree", "multiclass", THREE, "three.t.csv", "--taxonomy tree.txt", PLAIN, False),
    ("multiclass-costs", "multiclass", THREE, "three.t.csv", "--cost-matrix costs.txt --scale standard", PLAIN, False),
    ("multilabel", "multilabel", "sets.svm", "sets.svm", "", ["", "--scores"], False),
    ("multilabel-pairs", "multilabel", "sets.svm", "sets.svm", "--interactions", PLAIN, False),
    ("partition", "partition", "docs.pairs", "docs.pairs", "-C 10", PLAIN, False),
    ("partition-text", "partition", "stories.conll", "stories.conll", "-C 10 --max-mentions-between 3", PLAIN, False),
    ("align", "align", "pairs.fasta", "pairs.fasta", "-C 30 --gaps affine --symmetric", PLAIN, False),
    ("align-local", "align", "pairs.fasta", "pairs.fasta", "-C 30 --mode local --gap-features residues", PLAIN, False),
    ("align-table", "align", "pairs.fasta", "pairs.fasta", "--substitution blosum62 --gap-costs 2", PLAIN, False),
]  # fmt: skip
#: Name, method, data, words.
METHODS = [
    ("kmeans", "kmeans", THREE, "-k 3"), ("kmedoids", "kmedoids", THREE, "-k 3 --distance manhattan"),
    ("kmedoids-sparse", "kmedoids", "letor.svm", "-k 2"), ("kernel-kmeans", "kernel-kmeans", TWO, "-k 2"),
    ("hierarchical", "hierarchical", THREE, "-k 3"), ("hierarchical-single", "hierarchical", TWO, "-k 2 --linkage single"),
    ("mixture", "mixture", TWO, "-k 2"),
    ("spectral", "spectral", TWO, "-k 2"), ("normalized-cut", "normalized-cut", TWO, "-k 2"),
    ("ratio-cut", "ratio-cut", TWO, "-k 2"), ("min-cut", "min-cut", TWO, "-k 2"),
    ("sv-clustering", "sv-clustering", TWO, "--gamma 1 --nu 0.1"), ("relabeler", "relabeler", TWO, "-k 2"),
    ("relabeler-3", "relabeler", THREE, "-k 3"), ("mmc", "mmc", TWO, "-k 2"),
    ("mmc-3", "mmc", "builtin:gaussians,n=9,k=3", "-k 3"), ("mmc-features", "mmc", TWO, "-k 2 --features nystroem:6"),
    ("mmc-alternating", "mmc-alternating", TWO, "-k 2 --bound relaxation"),
    ("mmc-alternating-3", "mmc-alternating", THREE, "-k 3"),
    ("mmc-cutting-plane", "mmc-cutting-plane", TWO, "-k 2"),
]  # fmt: skip
#: Name, words that write MODEL beside the result, words that use it.
TRANSFORMS = [
    ("pca", "--project pca --model MODEL", "--project MODEL"),
    ("kernel-pca", "--project kernel-pca --components 3 --model MODEL", "--project MODEL"),
    ("scaler-range", "--scale range --save-scaler MODEL", "--scaler MODEL"),
    ("scaler-standard", "--scale standard --save-scaler MODEL", "--scaler MODEL"),
]


def data_files():
    signs, colours = ["-1", "+1"], ["red", "blue", "green"]
    two, three = make.blobs(1, 24, 2, 2, distance=0.9), make.blobs(2, 21, 3, 3, distance=1.2)
    yield TWO, make.svmlight(two[:18], signs)
    yield "two.t.svm", make.svmlight(two[18:], signs)
    yield THREE, make.table(three[:15], colours)
    yield "three.t.csv", make.table(three[15:], colours)
    for name, rows, names, keep in ((HALF, two[:18], signs, 8), ("half.csv", three[:15], colours, 9)):
        rows, names = make.hidden(rows, names, keep)
        yield name, (make.table if name.endswith("csv") else make.svmlight)(rows, names)
    plane = make.regression(6, 18, 2)
    yield PLANE, make.svmlight([(i, x) for i, (_, x) in enumerate(plane)], [str(y) for y, _ in plane])
    points = [(i % 5 - 2, i % 3 - 1) for i in range(12)]
    yield "gram.svm", make.serial_rows([[a * c + b * d for c, d in points] for a, b in points],
                                       ["1" if a + b > 0 else "-1" for a, b in points])  # fmt: skip
    made = make.sentences(11, 4)
    yield "chunks.conll", make.conll(made)
    yield "text.conllu", make.conllu(made)
    yield "text.svmhmm", make.svmhmm(made)
    yield "template.txt", "U0:%x[0,0]\nU1:%x[-1,1]\nB\n"
    yield "template0.txt", "U0:%x[0,0]\nB\n"
    yield "letor.svm", make.ranking(make.queries(21, 5, 4, 3))
    yield "sets.svm", make.label_sets(31, 20, features=3)
    yield "docs.pairs", make.pair_documents(41, 4, 5, 0.05)
    yield "stories.conll", make.stories(51, 2, 2)
    pairs = make.aligned_pairs(61, 3)
    yield "pairs.fasta", make.fasta(pairs)
    yield "tree.txt", make.TREE
    yield "costs.txt", "red blue 5\nblue red 2\n"


class Writer:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.manifest = str(pathlib.Path(tool).resolve()), folder, []

    def run(self, words, codes=(0,)):
        done = subprocess.run([self.tool, *words, *SAME], cwd=self.folder, capture_output=True)
        if done.returncode not in codes:
            raise SystemExit(f"{words}: exit {done.returncode}\n{done.stderr.decode()}")
        return done

    def train(self, name, words, learner, data, binary=True):
        """Models of both formats, and the entry of the manifest."""
        models = [f"{name}.mm"] + ([f"{name}.bin.mm"] if binary else [])
        for model in models:
            format = ["--model-format", "binary"] if model.endswith(".bin.mm") else []
            self.run([word.replace("MODEL", model) for word in words] + format, (0, 2))
        entry = {"name": name, "learner": learner, "data": data, "trained": " ".join(words),
                 "models": models, "checks": []}  # fmt: skip
        self.manifest.append(entry)
        return entry

    def check(self, entry, words, answer=None, figures=False):
        """Runs it with every model: the answers must not depend on the format."""
        check = {"words": " ".join(words), "code": 0}
        for model in entry["models"]:
            done = self.run([word.replace("MODEL", model) for word in words])
            if figures:
                report = json.loads(done.stdout)
                found = {key: report[key] for key in FIGURES if key in report}
                if check.setdefault("figures", found) != found:
                    raise SystemExit(f"{entry['name']}: the models of both formats differ")
            elif answer:
                path = self.folder / answer
                if "answer" in check and path.read_bytes() != done.stdout:
                    raise SystemExit(f"{entry['name']}: the models of both formats differ")
                path.write_bytes(done.stdout)
                check["answer"] = answer
        entry["checks"].append(check)

    def learners(self):
        for name, learner, data, new, words, outputs, verifiable in LEARNERS:
            entry = self.train(name, ["train", data, "--learner", learner, "-o", "MODEL", *words.split(),
                                      *(["--verify"] if verifiable else []), "--seed", "1"],
                               learner, data)  # fmt: skip
            for k, output in enumerate(outputs):
                self.check(entry, ["predict", "MODEL", new, *output.split()],
                           f"{name}{k or ''}.txt")  # fmt: skip
            where = ["--verify", data] if verifiable else []
            self.check(entry, ["info", "MODEL", *where, "--json", "-"], figures=True)

    def methods(self):
        for name, method, data, words in METHODS:
            entry = self.train(name, ["cluster", data, "--method", method, *words.split(), "--model", "MODEL",
                                      "-o", "labels", "--seed", "1"], method, data)  # fmt: skip
            new = {TWO: "two.t.svm", THREE: "three.t.csv"}.get(data, data)
            self.check(entry, ["predict", "MODEL", new], f"{name}.txt")
            self.check(entry, ["info", "MODEL", "--json", "-"], figures=True)
        (self.folder / "labels").unlink()

    def transforms(self):
        for name, words, use in TRANSFORMS:
            learner = "scaler" if name.startswith("scaler") else name
            # convert has no --model-format.
            entry = self.train(name, ["convert", THREE, "out.csv", *words.split()], learner, THREE, binary=False)
            self.check(entry, ["convert", "three.t.csv", "-", "--to", "csv", *use.split()], f"{name}.txt")
            self.check(entry, ["info", "MODEL", "--json", "-"], figures=True)
        (self.folder / "out.csv").unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("folder", type=pathlib.Path)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for name, text in data_files():
        (given.folder / name).write_text(text)
    writer = Writer(given.tool, given.folder)
    writer.learners()
    writer.methods()
    writer.transforms()
    lines = ",\n".join(json.dumps(entry) for entry in writer.manifest)
    (given.folder / "manifest.json").write_text(f"[\n{lines}\n]\n")
    print(f"{len(writer.manifest)} kinds, {sum(len(e['models']) for e in writer.manifest)} models")
    return 0


if __name__ == "__main__":
    sys.exit(main())
