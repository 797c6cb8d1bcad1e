#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills trainings at random moments and lets them go on: is the model the same to the byte?

    python3 bench/studies/kill_resume.py build/bench/apps/maxmargin/maxmargin [--what words|bags|documents]
        [--trials 20] [--seed 1]

words: a sequence tagger on hand-written words (../shared/data/structured/ocr.train.svmhmm.gz), the solvers in turn.
bags: multiple-instance learning on Elephant (../shared/data/mil/elephant.csv.gz), both margins and several solvers, some
runs from random witnesses. documents: latent forests on eight documents of LitBank. A checkpoint after every pass. A
trial kills the run (SIGKILL) at a moment drawn uniformly from the time that an
uninterrupted run took, starts the same command with --resume, and kills that as well with probability 1/2, and
so on. Then the model must be the one of the uninterrupted run, and before there must be none or that one. Ends with 1
when a trial fails.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import unpack_litbank
from study_tool import SHARED

WORDS = SHARED / "structured" / "ocr.train.svmhmm.gz"
BAGS = SHARED / "mil" / "elephant.csv.gz"
DOCUMENTS = "litbank.conll"  # unpacked into the folder that the commands run in


def words_case(solver, tolerance):
    return solver, [WORDS, "--learner", "sequence", "-C", "0.03", "--solver", solver, "--tolerance", tolerance,
                    "--max-iterations", "60"]  # fmt: skip


def bags_case(margin, solver, cost, runs):
    return f"{margin}-{solver}", [
        BAGS, "--label", "1", "--bag", "2", "--learner", "mil", "--margin", margin, "--solver", solver, "-C", cost,
        "--scale", "standard", "--restarts", runs, "--tolerance", "1e-4"]  # fmt: skip


def documents_case(solver, tolerance):
    return solver, [DOCUMENTS, "--learner", "coreference", "-C", "0.01", "--wrong-link", "0.1", "--threads", "1",
                    "--solver", solver, "--tolerance", tolerance]  # fmt: skip


# Name and words of the command: each some seconds.
CASES = {
    "words": [words_case(*each) for each in
              [("bcfw", "1e-3"), ("one-slack", "1e-2"), ("n-slack", "1e-3"), ("subgradient", "1e-3")]],
    "bags": [bags_case(*each) for each in
             [("bag", "n-slack", "0.01", "8"), ("bag", "one-slack", "0.01", "8"), ("bag", "bcfw", "0.01", "8"),
              ("instance", "n-slack", "0.001", "3"), ("instance", "one-slack", "0.001", "2")]],
    "documents": [documents_case(*each) for each in [("bcfw", "1e-3"), ("one-slack", "1e-2")]],
}  # fmt: skip


class Training:
    """One command; its uninterrupted run is the reference."""

    def __init__(self, tool, folder, name, words):
        self.folder = folder
        self.model = folder / f"{name}.mm"
        self.state = folder / f"{name}.state"
        self.command = [str(tool), "train", *map(str, words), "-o", str(self.model), "--quiet",
                        "--checkpoint", str(self.state), "--checkpoint-every", "0", "--resume"]  # fmt: skip
        began = time.monotonic()
        code = subprocess.run(self.command, cwd=folder.parent, check=False).returncode
        self.seconds = time.monotonic() - began
        if code not in (0, 2):
            raise RuntimeError(f"{name}: the uninterrupted run ended with {code}")
        self.code = code
        self.reference = self.model.read_bytes()
        self.clear()

    def clear(self):
        for path in self.folder.iterdir():
            path.unlink()

    def run_and_kill(self, seconds):
        """True when the run was killed before it ended."""
        process = subprocess.Popen(self.command, cwd=self.folder.parent)
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return True
        if code != self.code:
            raise RuntimeError(f"ended with {code}, expected {self.code}")
        return False

    def trial(self, rng):
        """(kills, what is wrong or None)"""
        kills = 0
        try:
            while True:
                if not self.run_and_kill(rng.uniform(0, self.seconds)):
                    if kills > 0:
                        break
                    # The first run must be killed: it was faster than the reference.
                    self.clear()
                    continue
                kills += 1
                # Killed between writing the model and the end, it may be there, and whole.
                if self.model.exists() and self.model.read_bytes() != self.reference:
                    return kills, "a run that was killed left a broken model"
                if rng.random() < 0.5:
                    self.run_and_kill(None)
                    break
        except RuntimeError as problem:
            return kills, str(problem)
        same = self.model.exists() and self.model.read_bytes() == self.reference
        self.clear()
        return kills, None if same else "the model is another one"


def kill_and_resume(tool, folder, cases, trials, seed):
    """Rows of (case, seconds uninterrupted, trials, kills, equal models) and the problems found."""
    rng = random.Random(seed)
    rows, problems = [], []
    for number, (name, words) in enumerate(cases):
        own = folder / name
        own.mkdir()
        training = Training(tool, own, name, words)
        count = len(range(number, trials, len(cases)))
        kills = equal = 0
        for _ in range(count):
            done, problem = training.trial(rng)
            kills += done
            equal += problem is None
            if problem:
                problems.append(f"{name}: {problem}")
                training.clear()
        rows.append([name, f"{training.seconds:.1f}", count, kills, equal])
        print(" | ".join(map(str, rows[-1])), flush=True)
    return rows, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--what", choices=list(CASES), default="words")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.what == "documents":
            unpack_litbank.write(pathlib.Path(folder) / DOCUMENTS, unpack_litbank.read(unpack_litbank.ARCHIVE)[:8])
        rows, problems = kill_and_resume(
            options.tool.resolve(), pathlib.Path(folder), CASES[options.what], options.trials, options.seed)  # fmt: skip
    equal, trials = sum(row[4] for row in rows), sum(row[2] for row in rows)
    print(f"{equal} of {trials} killed trainings gave the same model, {sum(row[3] for row in rows)} kills")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
