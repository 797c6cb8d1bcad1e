#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two builds of the tool beside each other: is the new one as fast as the old one?

The sets of the supervised and the structural benches, small and large, and the start of the program.
In every round both tools run, in turn the one or the other first, so that what else the machine does
meets both; the least of the times counts. A job whose ratio is below 0.97 is run again with four times
as many rounds. Writes a table to docs/results/versions.md with --write; with --only, too, the other
rows stay as they are.

  bench/studies/versions.py OLD NEW [--data ../shared/data] [--rounds 5] [--only "PART;PART"] [--write]
"""

import argparse
import json
import math
import pathlib
import random
import subprocess
import tempfile
import time

from unpack_conll2000 import unpack as unpack_conll2000

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

LEAST_RATIO = 0.97  # below it a job is run again
MORE = 4  # times as many rounds

# Name, and the words behind the tool; {data} is the folder of the data, other names in braces are
# files that Files makes. `solve`: the time of the command but for reading and writing; `wall`: all of it.
JOBS = [
    ("version", ["--version"], "wall"),
    ("iris, svc", ["train", "builtin:iris", "--learner", "svc", "-o", "m.mm", "--quiet"], "wall"),
    ("a9a, svc rbf", ["train", "{data}/libsvm/a9a.gz", "--learner", "svc", "--gamma", "0.05"], "solve"),
    ("ijcnn1, svc rbf", ["train", "{data}/libsvm/ijcnn1.trn.bz2", "--learner", "svc", "--gamma", "1"], "solve"),
    ("letter, svc rbf", ["train", "{data}/libsvm/letter.scale.gz", "--learner", "svc", "--gamma", "0.5"], "solve"),
    ("pendigits, svc rbf", ["train", "{data}/libsvm/pendigits.gz", "--learner", "svc", "--gamma", "1e-4"], "solve"),
    ("satimage, svc rbf", ["train", "{data}/libsvm/satimage.scale.gz", "--learner", "svc", "--gamma", "0.5"], "solve"),
    ("a9a, linear-svc", ["train", "{data}/libsvm/a9a.gz", "--learner", "linear-svc"], "solve"),
    ("reuters, linear-svc", ["train", "{data}/libsvm/reuters.trn.bz2", "--learner", "linear-svc"], "solve"),
    ("reuters, svc rbf", ["train", "{data}/libsvm/reuters.trn.bz2", "--learner", "svc", "--gamma", "1"], "solve"),
    ("dense 10,000 x 500, svc rbf", ["train", "{dense}", "--learner", "svc", "--gamma", "0.002"], "solve"),
    ("checkers 50,000, svc rbf", ["train", "{checkers}", "--learner", "svc", "--gamma", "20"], "solve"),
    ("a9a, nu-svc", ["train", "{data}/libsvm/a9a.gz", "--learner", "nu-svc", "--nu", "0.4", "--gamma", "0.05"], "solve"),
    ("ocr, sequence bcfw",
     ["train", "{data}/structured/ocr.train.svmhmm.gz", "--learner", "sequence", "--tolerance", "0.02"], "solve"),
    ("ocr, sequence one-slack",
     ["train", "{data}/structured/ocr.train.svmhmm.gz", "--learner", "sequence", "--solver", "one-slack",
      "--tolerance", "0.1"], "solve"),
    ("CoNLL-2000, sequence", ["train", "{conll2000}", "--learner", "sequence", "--template", "chunking",
                              "-C", "0.1", "--tolerance", "0.01"], "solve"),
    ("100,000 rows of five grades, rank", ["train", "{graded}", "--learner", "rank", "--solver", "one-slack"], "solve"),
    ("pendigits, multiclass", ["train", "{data}/libsvm/pendigits.gz", "--learner", "multiclass",
                               "--scale", "range", "--tolerance", "0.05"], "solve"),
    ("a9a, svc rbf, predict", ["predict", "{a9a}", "{data}/libsvm/a9a.t.gz"], "predict"),
]  # fmt: skip


def write_rows(path, rows, features, label_of):
    """Normal features, and a label of each row by them and the same normal plane."""
    draw = random.Random(1)
    plane = [draw.gauss(0, 1) for _ in range(features)]
    with open(path, "w", encoding="ascii") as file:
        for _ in range(rows):
            x = [draw.gauss(0, 1) for _ in range(features)]
            score = sum(map(float.__mul__, plane, x)) / math.sqrt(features)
            values = " ".join(f"{j}:{value:.6g}" for j, value in enumerate(x, 1))
            file.write(f"{label_of(score + 0.5 * draw.gauss(0, 1))} {values}\n")


class Files(dict):
    """What the words of jobs name, made when it is first named."""

    def __init__(self, folder, tool, data):
        super().__init__(data=data)
        self.folder, self.tool = folder, tool

    def __missing__(self, name):
        path = self.folder / name
        if name == "dense":
            write_rows(path, 10_000, 500, lambda score: 1 if score > 0 else -1)
        elif name == "graded":  # a fifth of the rows each, about
            write_rows(path, 100_000, 20, lambda score: sum(score > edge for edge in (-0.94, -0.28, 0.28, 0.94)))
        elif name == "checkers":
            self.run("convert", "builtin:checkers,n=50000,seed=1", path, "--to", "svmlight")
        elif name == "conll2000":
            path = unpack_conll2000(pathlib.Path(self["data"]) / "structured" / "conll2000.zip", path)[0]
        else:  # a9a
            self.run("train", f"{self['data']}/libsvm/a9a.gz", "--learner", "svc", "--gamma", "0.05", "-o", path)
        self[name] = str(path)
        return self[name]

    def run(self, *words):
        subprocess.run([self.tool, *map(str, words), "--quiet"], check=True, capture_output=True)


def seconds_of(tool, words, what, folder):
    """One run; what it took, and the objective it reached."""
    asks = [] if what == "wall" else ["--json", "report.json", "--quiet"]
    if words[0] == "train" and "-o" not in words:
        asks += ["-o", "m.mm"]
    elif words[0] == "predict":
        asks += ["-o", "answers.txt"]
    start = time.perf_counter()
    done = subprocess.run([tool, *words, *asks], cwd=folder, check=False, capture_output=True, text=True)
    wall = time.perf_counter() - start
    if done.returncode not in (0, 2):
        raise RuntimeError(f"{tool} {' '.join(words)}: {done.stderr}")
    if what == "wall":
        return wall, None
    report = json.loads((folder / "report.json").read_text())
    seconds = report["seconds"]
    # Features are made from templates in phase `prepare`, which 0.1 counts as reading. Predicting
    # measures as it goes, where 0.1 had a phase of its own. What is left is taken from the whole: 0.1 gave
    # its kernel rows back behind all phases, which takes a third of nu-svc's time.
    others = ("read", "prepare", "write", "verify") + (() if what == "predict" else ("measure",))
    own = wall - sum(value for phase, value in seconds.items() if phase in others)
    return own, report["primal_objective"]


def compare(job, tools, files, rounds):
    """The least seconds of both tools, and whether they reached the same objective."""
    _, words, what = job
    words = [word.format_map(files) for word in words]
    best = [math.inf, math.inf]
    objectives = [None, None]
    if what == "wall":
        rounds *= 20
    for turn in range(rounds):
        # Who begins changes, as the first meets cold caches.
        for i in (0, 1) if turn % 2 == 0 else (1, 0):
            seconds, objectives[i] = seconds_of(tools[i], words, what, files.folder)
            best[i] = min(best[i], seconds)
    return best, objectives[0] == objectives[1]


def row_of(job, tools, files, rounds):
    """A line of the table."""
    (old, new), equal = compare(job, tools, files, rounds)
    shown = f"{old / new:.3f} |"
    if old / new < LEAST_RATIO:
        (old, new), same = compare(job, tools, files, MORE * rounds)
        shown += f" {old / new:.3f}"
        equal = equal and same
    return f"| {job[0]} | {old:.4g} | {new:.4g} | {shown} | {'yes' if equal else 'NO'} |"


def ratio_of(row):
    """The ratio of a line that counts: the last one."""
    cells = [cell.strip() for cell in row.split("|")]
    return float(cells[5] or cells[4])


def kept_rows(page):
    """The lines of a table written before, by job."""
    rows = page.read_text().splitlines() if page.exists() else []
    return {row.split("|")[1].strip(): row for row in rows if row.startswith("| ")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--data", default=str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="jobs with one of these in their names, `;` between")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    tools = [str(pathlib.Path(tool).resolve()) for tool in (arguments.old, arguments.new)]
    data = str(pathlib.Path(arguments.data).resolve())
    chosen = [job for job in JOBS if any(part in job[0] for part in arguments.only.split(";"))]
    page = ROOT / "docs" / "results" / "versions.md"
    rows = kept_rows(page) if arguments.only and arguments.write else {}
    with tempfile.TemporaryDirectory() as name:
        files = Files(pathlib.Path(name), tools[0], data)
        for job in chosen:
            rows[job[0]] = row_of(job, tools, files, arguments.rounds)
            print(rows[job[0]], flush=True)
    rows = [rows[job[0]] for job in JOBS if job[0] in rows]
    ratios = [ratio_of(row) for row in rows]
    mean = math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))
    closing = f"Geometric mean of the ratios: {mean:.3f}; least {min(ratios):.3f}."
    print(closing)
    if arguments.write:
        page.write_text(
            "# The tool of 0.1.0 and this one\n\n"
            "`bench/studies/versions.py OLD NEW --write`: both in turn, the least of at least "
            f"{arguments.rounds} times (of {20 * arguments.rounds} where the whole command counts). A ratio above 1 "
            f"means that the new one is faster. A job below {LEAST_RATIO} was run again with {MORE} times as many "
            "rounds: both ratios are there, seconds are those of the second run, and its ratio counts. Objectives "
            "are equal to the last digit. Seconds are those of the command but for reading and writing.\n\n"
            "| job | old, s | new, s | old / new | again | same objective |\n| --- |" + " --- |" * 5 + "\n"
            + "\n".join(rows) + f"\n\n{closing}\n"
        )


if __name__ == "__main__":
    main()
