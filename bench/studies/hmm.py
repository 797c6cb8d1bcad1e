#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Baum-Welch beside hmmlearn: the same start and steps, processor time of a step, likelihoods.

    cmake --preset release && ninja -C build/release maxmargin_tool
    python3 -m venv elsewhere && elsewhere/bin/pip install hmmlearn==0.3.3
    python3 bench/studies/hmm.py build/release/apps/maxmargin/maxmargin --hmmlearn elsewhere/bin/python

Writes docs/results/hmm.md and ends with 1 when a bar is missed; `--quick` takes 20,000 positions and prints the page.
"""

import argparse
import datetime
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

from study_tool import Bars, Refused, machine, table, write_page

STATES, SYMBOLS, FEATURES = 10, 20, 10
FEW, MANY = 3, 13

# hmmlearn without priors: maximum likelihood, as ours. Reads where to begin and writes what it found.
RIVAL = r"""
import json, resource, sys, time
import numpy as np
from hmmlearn import hmm
job = json.load(open(sys.argv[1]))
X = np.loadtxt(job["data"], delimiter=",", ndmin=2)
k = len(job["start"])
common = dict(implementation="scaling", n_iter=job["steps"], tol=-np.inf, init_params="")
if job["kind"] == "symbols":
    m = hmm.CategoricalHMM(k, n_features=len(job["emissions"][0]), **common)
    X = X.astype(int)
    m.emissionprob_ = np.array(job["emissions"])
else:
    full = job["kind"] == "full"
    m = hmm.GaussianHMM(k, covariance_type="full" if full else "diag", covars_prior=0, means_weight=0,
                        covars_weight=0 if full else 1, min_covar=0, **common)
    m.means_ = np.array(job["means"])
    c = np.array(job["covariances"])
    m.covars_ = c.reshape(k, -1, c.shape[1]) if full else c
m.startprob_ = np.array(job["start"])
m.transmat_ = np.array(job["transitions"])
before, wall = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
m.fit(X)
after = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"history": list(m.monitor_.history), "wall": time.perf_counter() - wall,
                  "user": after.ru_utime - before.ru_utime, "system": after.ru_stime - before.ru_stime}))
"""


def shares(rng, count):
    row = [rng.expovariate(1) for _ in range(count)]
    return [x / sum(row) for x in row]


def write_data(folder, kind, positions):
    """One sequence of a random model: for the tool, and as numbers alone."""
    rng = random.Random(1)
    following = [shares(rng, STATES) for _ in range(STATES)]
    for i, row in enumerate(following):
        following[i] = [0.3 * x + (0.7 if j == i else 0) for j, x in enumerate(row)]
    shown = [shares(rng, SYMBOLS) for _ in range(STATES)]
    means = [[rng.gauss(0, 1.5) for _ in range(FEATURES)] for _ in range(STATES)]
    ours, theirs = folder / f"{kind}.svmhmm", folder / f"{kind}.csv"
    state, states, symbols = 0, range(STATES), range(SYMBOLS)
    with open(ours, "w") as to_us, open(theirs, "w") as to_them:
        for _ in range(positions):
            state = rng.choices(states, following[state])[0]
            if kind == "symbols":
                symbol = rng.choices(symbols, shown[state])[0]
                to_us.write(f"? qid:1 {symbol + 1}:1\n")
                to_them.write(f"{symbol}\n")
                continue
            x = [f"{rng.gauss(mean, 1):.4f}" for mean in means[state]]
            to_us.write("? qid:1 " + " ".join(f"{j + 1}:{value}" for j, value in enumerate(x)) + "\n")
            to_them.write(",".join(x) + "\n")
    return ours, theirs


def numbers_in(model, section):
    """Rows of a section of a model file."""
    lines = iter(pathlib.Path(model).read_text().splitlines())
    for line in lines:
        words = line.split()
        if words[:2] == ["section", section]:
            return [[float(x) for x in next(lines).split()] for _ in range(int(words[3]))]
    raise KeyError(section)


class Ours:
    """Trainings by the tool, and their processor time."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder

    def train(self, data, kind, steps, threads):
        words = [self.tool, "train", data, "--learner", "hmm", "--label", "none", "--states", STATES,
                 "--restarts", 1, "--seed", 1, "--tolerance", 0, "--max-iterations", steps, "--threads", threads,
                 "-o", self.folder / "m.mm", "--json", self.folder / "r.json", "--quiet"]  # fmt: skip
        if kind != "symbols":
            covariance = "full" if kind == "full" else "diagonal"
            words += ["--emissions", "gaussian", "--covariance", covariance, "--variance-floor", 1e-12]
        before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - wall
        if done.returncode not in (0, 2):
            raise Refused(done.stderr)
        report = json.loads((self.folder / "r.json").read_text())
        return {"cpu": after.ru_utime - before.ru_utime, "wall": wall, "report": report}

    def step(self, data, kind, threads, repeats):
        """Seconds of a step: the difference of two numbers of steps, the least of some repeats."""
        best = {}
        for _ in range(repeats):
            few, many = (self.train(data, kind, steps, threads) for steps in (FEW, MANY))
            for key in ("cpu", "wall"):
                seconds = (many[key] - few[key]) / (MANY - FEW)
                best[key] = min(best.get(key, seconds), seconds)
        return best


def rival_run(python, folder, kind, model, data, steps):
    job = {"kind": kind, "steps": steps, "data": str(data),
           "start": [row[0] for row in numbers_in(model, "start_probabilities")],
           "transitions": numbers_in(model, "transition_probabilities")}  # fmt: skip
    if kind == "symbols":
        job["emissions"] = numbers_in(model, "emission_probabilities")
    else:
        job["means"], job["covariances"] = numbers_in(model, "means"), numbers_in(model, "covariances")
    (folder / "job.json").write_text(json.dumps(job))
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([python, "-c", RIVAL, str(folder / "job.json")], capture_output=True, text=True,
                          env=environment)  # fmt: skip
    if done.returncode != 0:
        raise Refused(done.stderr)
    return json.loads(done.stdout)


def compare(ours, python, folder, kind, positions, repeats):
    data, plain = write_data(folder, kind, positions)
    # Where both begin: after one step of ours, which the model file tells.
    ours.train(data, kind, 1, 1)
    model = folder / "start.mm"
    (folder / "m.mm").rename(model)
    steps = 5
    trace = [-row["objective"] for row in ours.train(data, kind, steps + 1, 1)["report"]["trace"]]
    rivals = [rival_run(python, folder, kind, model, plain, steps) for _ in range(repeats)]
    history = rivals[0]["history"]
    difference = max(abs(a - b) / abs(b) for a, b in zip(trace[1:], history))
    one, two = (ours.step(data, kind, threads, repeats) for threads in (1, 2))
    user = min(run["user"] for run in rivals) / steps
    wall = min(run["wall"] for run in rivals) / steps
    return {"kind": kind, "positions": positions, "difference": difference, "user": user, "wall": wall,
            "one": one, "two": two}  # fmt: skip


HEAD = f"""# Hidden Markov models beside hmmlearn

Baum-Welch of the learner `hmm` ([page](../algorithms/hmm.md)) and of hmmlearn 0.3.3 (`implementation="scaling"`, one thread,
no priors) on one sequence of a random model of {STATES} states: {SYMBOLS} symbols, or vectors of {FEATURES} features. Both
begin with the model after our first step, and take the same steps; the largest relative difference of their log-likelihoods
is shown. Seconds are user time of the processor for one step, the least of some repeats: ours the difference of runs of {MANY}
and {FEW} steps, so that reading is left out; hmmlearn's `fit` by itself, without what it needs of the system, which is more
than ours. With two threads our user time is that of both together, and what a step takes is at least half of it: the forward
and the backward pass that come first are one thread's each. The machine has 2 cores and other work was done on it, so
wall time says little and is given beside."""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--hmmlearn", required=True, help="a python that has hmmlearn")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--positions", type=int, default=1_000_000, help="of the sequence of symbols")
    parser.add_argument("--vectors", type=int, default=1_000_000, help="of the sequences of vectors")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    quick = 20_000 if arguments.quick else None
    bars, rows = Bars(), []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        ours = Ours(arguments.tool.resolve(), folder)
        for kind, positions in (("symbols", arguments.positions), ("diagonal", arguments.vectors),
                                ("full", arguments.vectors)):  # fmt: skip
            found = compare(ours, arguments.hmmlearn, folder, kind, quick or positions, arguments.repeats)
            one, two = found["one"], found["two"]
            rows.append([kind, f"{found['positions']:,}", f"{found['user']:.4f}", f"{one['cpu']:.4f}",
                         f"{two['cpu']:.4f}", f"{found['wall']:.4f}", f"{one['wall']:.4f}",
                         f"{two['wall']:.4f}"])  # fmt: skip
            ratio = found["user"] / one["cpu"]
            bars.add(f"{kind}: times faster, one thread, user time", f"{ratio:.1f}", ">= 3", ratio >= 3)
            if kind == "symbols":
                both = found["wall"] / two["wall"]
                bars.add(f"{kind}: times faster, two threads, wall time", f"{both:.1f}", ">= 5", both >= 5)
            bars.add(f"{kind}: relative difference of log-likelihoods", f"{found['difference']:.1e}", "<= 1e-8",
                     found["difference"] <= 1e-8)  # fmt: skip
    today = datetime.date.today().isoformat()
    page = "\n".join([
        HEAD, "", f"Written by `bench/studies/hmm.py` on {machine()}, {today}.", "", "## Bars", "", bars.table(), "",
        "## Seconds of a step", "",
        table(["emissions", "positions", "hmmlearn, user", "ours, user", "two threads, user", "hmmlearn, wall",
               "ours, wall", "two threads, wall"], rows), ""])  # fmt: skip
    if arguments.quick:
        print(page)
        return 0
    write_page("hmm.md", page)
    return 1 if bars.missed else 0


if __name__ == "__main__":
    sys.exit(main())
