#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Structural machines beside their bars; see bench/studies/structural (`make bench-structural`).

Prints every figure with its bar, writes docs/results/structural.md and ends with 1 when a bar is missed. Parts whose
data or program is not there are skipped with a message. `--quick` takes smaller sizes and writes no page.
"""

import argparse
import datetime
import itertools
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from kill_resume import CASES, WORDS, kill_and_resume
from study_tool import ROOT, Study, Tool, exponent, machine, table, write_page
from unpack_conll2000 import ARCHIVE as CONLL2000
from unpack_conll2000 import unpack as unpack_conll2000

GIB = 2**30
THREADS = 2
# Of the words: the C at which dlib was first timed.
C_WORDS = 0.03
# dlib's default is the first.
EPSILONS = [0.1, 0.05, 0.02, 0.01]
# Objectives within this are called the same.
SAME = 0.005
TOLERANCES = [0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001]


class Answer(dict):
    """Lines "key value" of a program; `moments` are its lines "at SECONDS PRIMAL DUAL"."""

    def __init__(self, text):
        super().__init__()
        self.moments = []
        for line in text.splitlines():
            if line.startswith("at "):
                self.moments.append(tuple(map(float, line.split()[1:])))
            else:
                key, _, value = line.rpartition(" ")
                self[key] = float(value)

    def seconds_until(self, reached):
        """When reached(primal, dual) first held; None when never."""
        return next((at for at, primal, dual in self.moments if reached(primal, dual)), None)


class StructuralStudy(Study):
    def __init__(self, tool, quick, programs):
        super().__init__(tool, quick)
        self.programs = programs

    def program(self, name):
        """Its path, or None with a message."""
        path = self.programs / name
        return path if self.has(name, None if os.access(path, os.X_OK) else "it was not built") else None

    def call(self, name, *words):
        done = subprocess.run([self.programs / name, *map(str, words)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{name} {' '.join(map(str, words))}: {done.stderr}")
        return Answer(done.stdout)

    def words(self, path, method, tolerance, limit=600.0):
        return self.call("study_structural", "words", path, method, C_WORDS, tolerance, limit, THREADS)

    def median_of(self, count, answer):
        """The answer with the median times of `count` calls."""
        answers = [answer() for _ in range(count)]
        for key in ("seconds", "cpu_seconds"):
            answers[0][key] = statistics.median(found[key] for found in answers)
        return answers[0]


def shown(seconds):
    return "-" if seconds is None else f"{seconds:.3g}"


def word_files(study):
    """(title, path) of the sets of hand-written words that are there."""
    names = [("626 words", WORDS)]
    if not study.quick:
        names.append(("6,251 words", WORDS.with_name("ocr.test.svmhmm.gz")))
    return [(title, path) for title, path in names
            if study.has(title, None if path.exists() else f"{path.name} is not there")]  # fmt: skip


def gap_against_time(study):
    limit = 20 if study.quick else 120
    tolerance = 1e-2 if study.quick else 1e-3
    levels = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001]
    methods = ("bcfw", "one-slack", "n-slack", "subgradient")
    parts = []
    if not study.program("study_structural"):
        return
    for title, path in word_files(study):
        # The subgradient's tolerance is another thing: that its objective no longer falls.
        found = {method: study.words(path, method, 1e-9 if method == "subgradient" else tolerance, limit)
                 for method in methods}  # fmt: skip
        bound = max(answer["bound"] for answer in found.values() if "bound" in answer)
        rows = []
        for level in levels:
            row = [f"{100 * level:g} %"]
            for method in methods[:-1]:
                row.append(shown(found[method].seconds_until(lambda p, d: p - d <= level * p)))
            for method in methods:
                row.append(shown(found[method].seconds_until(lambda p, _: p - bound <= level * p)))
            rows.append(row)
        rows.append(["oracle calls, in thousands", *(f"{found[m]['oracle_calls'] / 1e3:.0f}" for m in methods[:-1]),
                     *["-"] * (len(methods) - 1), f"{found['subgradient']['oracle_calls'] / 1e3:.0f}"])  # fmt: skip
        parts += [f"{title}, best objective {min(a['objective'] for a in found.values()):.6g}, best bound {bound:.6g}:",
                  table(["relative gap", *(f"{m}, proven" for m in methods[:-1]), *(f"{m}, P" for m in methods)],
                        rows)]  # fmt: skip
        for method in methods:
            phases = ", ".join(f"{key[6:]} {value:.2f}" for key, value in found[method].items()
                               if key.startswith("phase "))  # fmt: skip
            print(f"{title}, {method}: {found[method]['seconds']:.2f} s ({phases})", flush=True)
    study.section(
        "Gap against time (hand-written words)",
        f"OCR letters, chain of order 1 on raw pixels without weights of first and last letters, C = {C_WORDS}, "
        f"{THREADS} threads, at most {limit} s. Seconds until the relative gap was reached. *Proven*: (P - D)/P of the "
        "run's own objective and bound. *P*: of its objective and the best bound of all runs, which serves the "
        "subgradient method, too.",
        *parts,
    )


def against_dlib(study):
    if not study.program("study_structural") or not study.program("study_structural_dlib"):
        study.bars.add("dlib's time over ours", "-", ">= 5", None)
        return
    parts = []
    for title, path in word_files(study):
        repeats = 7 if path == WORDS and not study.quick else 1
        bound = study.words(path, "bcfw", 1e-3)["bound"]
        ours = {}

        def our_first(method, objective):
            """Of the loosest tolerance whose objective is at most this one."""
            for tolerance in TOLERANCES:
                if (method, tolerance) not in ours:
                    ours[method, tolerance] = study.median_of(repeats, lambda: study.words(path, method, tolerance))
                if ours[method, tolerance]["objective"] <= objective:
                    return tolerance, ours[method, tolerance]
            return None, None

        rows = []
        for epsilon in EPSILONS[:2] if study.quick else EPSILONS:
            theirs = study.median_of(repeats, lambda: study.call(
                "study_structural_dlib", path, C_WORDS, epsilon, THREADS))  # fmt: skip
            above = theirs["objective"] / bound - 1
            row = [f"{epsilon:g}", f"{theirs['objective']:.6g}", f"{100 * above:.2f} %",
                   f"{theirs['seconds']:.2f} ({theirs['cpu_seconds']:.2f})"]  # fmt: skip
            is_near = above <= SAME
            for method, slack in (("bcfw", SAME), ("bcfw", 0), ("one-slack", SAME)):
                tolerance, found = our_first(method, (1 + slack) * theirs["objective"])
                ratio = theirs["seconds"] / found["seconds"] if found else 0.0
                row += [f"{tolerance:g}", f"{found['objective']:.6g}",
                        f"{found['seconds']:.3f} ({found['cpu_seconds']:.3f})", f"{ratio:.1f}"] if found else ["-"] * 4  # fmt: skip
                # The bars: dlib as it comes, and the first that is near the optimum.
                if (method, slack) == ("bcfw", SAME) and (epsilon == EPSILONS[0] or is_near):
                    study.bars.add(f"dlib's time over ours, {title}, its epsilon {epsilon:g}", row[-1],
                                   ">= 5", ratio >= 5)  # fmt: skip
            rows.append(row)
            print(title, " | ".join(row), flush=True)
            if is_near:
                break
        parts += [f"{title}:", table(["epsilon", "dlib's P", "above the bound", "s",
                                      "bcfw: tolerance", "P", "s", "ratio",
                                      "bcfw, no worse: tolerance", "P", "s", "ratio",
                                      "one-slack: tolerance", "P", "s", "ratio"], rows)]  # fmt: skip
    study.section(
        "Against dlib's sequence labeller",
        f"`structural_sequence_labeling_trainer` of Debian's libdlib-dev, the same words, features, Hamming loss and "
        f"{THREADS} threads, its C = {C_WORDS} times the number of words, other settings as they come; epsilon from "
        "its default down to the first that is within 0.5 % of the best bound. It has no weights of first and last "
        "letters, so our machines have none here either, and its weights are laid out as ours: P of both is computed by our "
        "`structural_primal`. Ours is the loosest tolerance of "
        + ", ".join(f"{tolerance:g}" for tolerance in TOLERANCES)
        + " whose P is at most 0.5 % above dlib's; in the columns *no worse*, at most dlib's. Times are those of training alone, features of the truth included, reading not; "
        "medians of seven on the small set; in brackets the seconds of both cores together.",
        *parts,
    )


def conll2000(study):
    if not study.has("CoNLL-2000", None if CONLL2000.exists() else f"{CONLL2000.name} is not there"):
        study.bars.add("CoNLL-2000 to a gap of 1 %", "-", "180 s, 2 GiB", None)
        return
    folder = study.tool.folder
    train, test = unpack_conll2000(CONLL2000, folder)
    if study.quick:
        train.write_text("\n\n".join(train.read_text().split("\n\n")[:1000]) + "\n\n")
    model = folder / "chunker.mm"
    rows = []
    for title, words in (("2 GiB", ["--memory-limit", "2G"]), ("default", []), ("256 MiB", ["--memory-limit", "256M"])):
        run = study.tool.run("train", train, "--learner", "sequence", "--template", "chunking", "-C", 0.1,
                             "--tolerance", 1e-2, "--threads", THREADS, "--time-limit", 900, "-o", model, *words)  # fmt: skip
        report = run.report
        tested = study.tool.run("predict", model, test, "-o", folder / "tagged")
        spent = ", ".join(f"{phase} {seconds:.1f}" for phase, seconds in report["seconds"].items())
        rows.append([title, report["status"], f"{report['relative_gap']:.4f}", f"{run.seconds:.1f}",
                     f"{run.peak / GIB:.2f}", report["iterations"], f"{report['metrics']['oracle_calls'] / 1e3:.0f}",
                     f"{tested.metric('chunk_f1'):.2f}", spent])  # fmt: skip
        met = report["relative_gap"] <= 0.01 and run.seconds <= 180
        study.bars.add(f"CoNLL-2000 to a gap of 1 %, memory limit {title}",
                       f"{run.seconds:.1f} s, gap {report['relative_gap']:.4f}", "180 s", met)  # fmt: skip
        if title == "2 GiB":
            study.bars.add("CoNLL-2000, peak memory of the process", f"{run.peak / GIB:.2f} GiB", "2 GiB",
                           run.peak <= 2 * GIB)  # fmt: skip
    study.section(
        "CoNLL-2000 chunking",
        f"{report['n']:,} sentences, template `chunking` ({report['d']:,} weights), C = 0.1, tolerance 1 %, "
        f"block-coordinate Frank-Wolfe, {THREADS} threads. Seconds and peak memory of the whole command, reading and "
        "writing included; F1 of chunks on the test sentences at this C.",
        table(["`--memory-limit`", "status", "gap", "s", "GiB", "passes", "oracle calls, in thousands", "F1",
               "seconds by phase"], rows),
    )  # fmt: skip


def benchmark_rates(study, name, pattern):
    """Items a second by the benchmark's name."""
    seconds = 0.1 if study.quick else 1
    done = subprocess.run([study.programs / name, "--benchmark_format=json", f"--benchmark_filter={pattern}",
                           f"--benchmark_min_time={seconds}"], capture_output=True, text=True, check=True)  # fmt: skip
    return {row["name"]: row["items_per_second"] for row in json.loads(done.stdout)["benchmarks"]
            if "items_per_second" in row}  # fmt: skip


def viterbi(study):
    if not study.program("viterbi_bench"):
        return
    rates = benchmark_rates(study, "viterbi_bench", "BM_Viterbi|BM_ReadRows")
    entries = 25
    # Bytes that a core reads in such runs, of the chain of 22 labels that lies in memory.
    width = rates["BM_ReadRows/22/1000000"] * entries * (8 * 22 + 56)
    rows = []
    for features, place in ((1_000_000, "memory"), (2000, "caches")):
        for labels in (9, 22, 48):
            rate = rates[f"BM_Viterbi/{labels}/1/{features}"]
            reads = rates[f"BM_ReadRows/{labels}/{features}"]
            estimate = width / (entries * (8 * labels + 56))
            rows.append([labels, f"{features:,}", place, f"{rate / 1e6:.2f}", f"{reads / 1e6:.2f}",
                         f"{estimate / 1e6:.2f}" if place == "memory" else "-",
                         f"{100 * rate / estimate:.0f} %" if place == "memory" else "-"])  # fmt: skip
            print(" | ".join(map(str, rows[-1])), flush=True)
    rows.append(["22, order 2", "2,000", "caches", f"{rates['BM_Viterbi/22/2/2000'] / 1e6:.3f}", "-", "-", "-"])
    study.section(
        "Viterbi",
        f"One thread, sentences of 25 tokens with {entries} observed features each at random places "
        "([chain](../algorithms/chain.md), \"Against memory bandwidth\"). Million tokens a second: of the argmax, of "
        "reading the same weights and nothing else, and of the page's estimate b / (z (8 k + 56)) with "
        f"b = {width / 1e9:.1f} GB/s, which the reads of 22 labels reached.",
        table(["labels", "features", "weights are in", "Viterbi", "reads alone", "estimate", "of the estimate"], rows),
    )  # fmt: skip


def ranking(study):
    if not study.program("study_structural"):
        return
    sizes = (1000, 10_000, 100_000) if study.quick else (1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
    rows, oracle, training = [], [], []
    for n in sizes:
        found = study.call("study_structural", "ranking", n)
        work = n * math.log2(n)
        each = found["phase oracle"] / found["oracle_calls"]
        oracle.append(each)
        training.append(found["seconds"])
        rows.append([f"{n:,}", f"{found['pairs']:.3g}", f"{found['oracle_calls']:.0f}", f"{1e3 * each:.3g}",
                     f"{1e9 * each / work:.2f}", f"{found['seconds']:.3g}", f"{found['gap']:.1e}"])  # fmt: skip
        print(" | ".join(rows[-1]), flush=True)
    works = [n * math.log2(n) for n in sizes]
    power = exponent(works, oracle)
    study.bars.add(f"ranking, {sizes[0]:,} to {sizes[-1]:,} rows: time of an oracle as a power of n log n",
                   f"{power:.2f}", "<= 1.2", power <= 1.2)  # fmt: skip
    study.section(
        "Ranking: growth with n",
        "The pairwise machine by one-slack cutting planes, all rows in one query of five grades, 20 features, C = 100, "
        "tolerance 1e-3, no oracle cache. Pairs are never formed: with them the power would be 2.",
        table(["rows", "pairs of different grade", "oracle calls", "ms an oracle", "ns / (n log2 n)", "training, s",
               "gap"], rows),
        f"Fitted powers: oracle {exponent(sizes, oracle):.2f} of n, {power:.2f} of n log n; training "
        f"{exponent(works, training):.2f} of n log n, since larger sets need fewer cuts.",
    )  # fmt: skip


def kills(study):
    if not study.has("kills", None if WORDS.exists() else f"{WORDS.name} is not there"):
        study.bars.add("killed and resumed trainings with the same model", "-", "all", None)
        return
    trials = 4 if study.quick else 20
    folder = study.tool.folder / "kills"
    folder.mkdir()
    rows, problems = kill_and_resume(
        pathlib.Path(study.tool.path).resolve(), folder, CASES["words"], trials, seed=1)  # fmt: skip
    equal = sum(row[4] for row in rows)
    study.bars.add("killed and resumed trainings with the same model", f"{equal} of {trials}", "all", equal == trials)
    study.section(
        "Killed and resumed",
        "Taggers of the 626 words with a checkpoint after every pass, killed (SIGKILL) at moments drawn uniformly from "
        "the time of an uninterrupted run (seed 1) and started again with `--resume`, which is killed as well with "
        "probability 1/2, and so on: `bench/studies/kill_resume.py`. Equal: the model file has the same bytes, and "
        "no kill left another one.",
        table(["solver", "uninterrupted, s", "trials", "kills", "equal"], rows),
        "Problems: " + "; ".join(problems) + "." if problems else "",
    )


def predictions():
    """The bars of the studies of predictions, from their pages."""
    parts = []
    for title, name in (("Taggers", "tagging.md"), ("Rankings", "ranking.md"), ("Aligners", "structural-alignment.md")):
        page = ROOT / "docs" / "results" / name
        lines = page.read_text(encoding="utf-8").splitlines() if page.exists() else []
        # The first table of a page that has bars.
        begin = next((k for k, line in enumerate(lines) if line.startswith("| what | measured | bar |")), len(lines))
        rows = list(itertools.takewhile(lambda line: line.startswith("|"), lines[begin:]))
        parts += [f"[{title}]({name}):", "\n".join(rows)] if rows else []
    return "\n\n".join(["## Predictions", "From the pages of their own studies, which have the protocols, seeds and the documents' "
                        "tables.", *parts]) if parts else ""  # fmt: skip


PARTS = {"gap": gap_against_time, "dlib": against_dlib, "conll": conll2000, "viterbi": viterbi, "ranking": ranking,
         "kills": kills}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of the built benchmarks")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, no page")
    parser.add_argument("--only", choices=PARTS, help="this part alone, no page")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        study = StructuralStudy(Tool(options.tool, folder), options.quick, options.programs.resolve())
        for name, part in PARTS.items():
            if options.only in (None, name):
                part(study)
    minutes = (time.monotonic() - began) / 60
    print(f"{minutes:.1f} minutes")
    if not options.quick and not options.only:
        skipped = "Skipped: " + "; ".join(study.skipped) + "." if study.skipped else ""
        write_page("structural.md", "\n\n".join([
            "# Structural machines",
            f"Written by `bench/studies/structural` (`make bench-structural`) on {machine()}, "
            f"{datetime.date.today()}, in {minutes:.0f} minutes. {skipped}".rstrip(),
            "Objectives are P = 1/2 |w|^2 + C times the sum of the losses, D bounds the least P from below "
            "([cutting planes](../algorithms/cutting-plane.md), [block-coordinate Frank-Wolfe](../algorithms/bcfw.md)). "
            "Which test holds which fact of the documents: [coverage](coverage.md).",
            "## Bars", study.bars.table(), *study.sections, predictions()]))  # fmt: skip
    else:
        print("\n\n".join(study.sections))
    if study.bars.missed:
        sys.exit("bars missed:\n  " + "\n  ".join(study.bars.missed))


if __name__ == "__main__":
    main()
