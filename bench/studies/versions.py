#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two builds of the tool beside each other: is the new one as fast as the old one?

The sets of the supervised and the structural benches, small and large, and the start of the program.
Both tools run in turn, so that what else the machine does meets both; the least of the times counts.
Writes a table to docs/results/versions.md with --write.

  bench/studies/versions.py OLD NEW [--data ../shared/data] [--rounds 5] [--only NAME] [--write]
"""

import argparse
import json
import math
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Name, and the words behind the tool; {data} is the folder of the data. `solve`: the time of the
# solver as the report says it; `wall`: of the whole command.
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
    ("a9a, nu-svc", ["train", "{data}/libsvm/a9a.gz", "--learner", "nu-svc", "--nu", "0.4", "--gamma", "0.05"], "solve"),
    ("ocr, sequence bcfw",
     ["train", "{data}/structured/ocr.train.svmhmm.gz", "--learner", "sequence", "--tolerance", "0.02"], "solve"),
    ("ocr, sequence one-slack",
     ["train", "{data}/structured/ocr.train.svmhmm.gz", "--learner", "sequence", "--solver", "one-slack",
      "--tolerance", "0.1"], "solve"),
    ("pendigits, multiclass", ["train", "{data}/libsvm/pendigits.gz", "--learner", "multiclass",
                               "--scale", "range", "--tolerance", "0.05"], "solve"),
    ("a9a, svc rbf, predict", ["predict", "a9a.mm", "{data}/libsvm/a9a.t.gz"], "predict"),
]  # fmt: skip


def seconds_of(tool, words, what, folder):
    """One run; what it took, and the objective it reached."""
    asks = [] if what == "wall" else ["--json", "report.json", "--quiet"]
    if words[0] == "train" and "-o" not in words:
        asks += ["-o", "m.mm"]
    elif words[0] == "predict":
        asks += ["-o", "answers.txt"]
    start = time.perf_counter()
    subprocess.run([tool, *words, *asks], cwd=folder, check=False, capture_output=True)
    wall = time.perf_counter() - start
    if what == "wall":
        return wall, None
    report = json.loads((folder / "report.json").read_text())
    seconds = report["seconds"]
    own = sum(value for phase, value in seconds.items() if phase not in ("read", "write", "measure", "verify"))
    return own, report["primal_objective"]


def compare(job, tools, data, folder, rounds):
    _, words, what = job
    words = [word.format(data=data) for word in words]
    best = [math.inf, math.inf]
    objectives = [None, None]
    if what == "wall":
        rounds *= 20
    for turn in range(rounds):
        # Who begins changes, as the first meets cold caches.
        for i in (0, 1) if turn % 2 == 0 else (1, 0):
            seconds, objectives[i] = seconds_of(tools[i], words, what, folder)
            best[i] = min(best[i], seconds)
    return best, objectives[0] == objectives[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--data", default=str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    tools = [str(pathlib.Path(tool).resolve()) for tool in (arguments.old, arguments.new)]
    data = str(pathlib.Path(arguments.data).resolve())
    rows, ratios = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([tools[0], "train", f"{data}/libsvm/a9a.gz", "--learner", "svc", "--gamma", "0.05",
                        "-o", "a9a.mm", "--quiet"], cwd=folder, check=False)  # fmt: skip
        for job in JOBS:
            if arguments.only not in job[0]:
                continue
            (old, new), equal = compare(job, tools, data, folder, arguments.rounds)
            ratios.append(old / new)
            rows.append(f"| {job[0]} | {old:.4g} | {new:.4g} | {old / new:.3f} | {'yes' if equal else 'NO'} |")
            print(rows[-1], flush=True)
    mean = math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))
    closing = f"Geometric mean of the ratios: {mean:.3f}; least {min(ratios):.3f}."
    print(closing)
    if arguments.write:
        page = ROOT / "docs" / "results" / "versions.md"
        page.write_text(
            "# The tool of 0.1.0 and this one\n\n"
            "`bench/studies/versions.py OLD NEW --write`: both in turn, the least of "
            f"{arguments.rounds} times (of {20 * arguments.rounds} where the whole command counts); "
            "a ratio above 1 means that the new one is faster. Objectives are equal to the last digit.\n\n"
            "| job | old, s | new, s | old / new | same objective |\n| --- | --- | --- | --- | --- |\n"
            + "\n".join(rows) + f"\n\n{closing}\n"
        )


if __name__ == "__main__":
    main()
