#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Convex relaxations beside their bars; see bench/studies/convex (`make bench-convex`).

Prints every figure with its bar, writes docs/results/convex.md and ends with 1 when a bar is missed.
Times of relaxations are those of the phases "relaxation" and "certificate" of the report (the program that CSDP
and SDPA solve, and its proof); times of whole commands, with reading, rounding, polishing and writing, stand beside.
Learners and methods that the tool does not have are skipped with a message. `--quick` takes the smaller sizes in
a few minutes and writes no page.
"""

import argparse
import datetime
import math
import statistics
import subprocess
import sys
import tempfile
import time

from mmc_sdp_file import by_csdp, by_sdpa, centred_rbf, read_points, write_program
from study_tool import SHARED, Refused, Study, Tool, exponent, machine, table, write_page

C = 100
MMC = ["--kernel", "rbf", "--gamma", "median", "-C", C, "--balance", 0.1]
GIB = 2**30


def gaussians(n, k=2):
    return f"builtin:gaussians,n={n},k={k},seed=1"


def solve_seconds(run):
    """Relaxation and certificate where the report tells them apart, else the whole command."""
    spent = run.report["seconds"]
    if "relaxation" not in spent:
        return run.seconds
    return spent["relaxation"] + spent.get("certificate", 0)


def relaxation_gap(run):
    """Of the relaxation itself; infinite where the report has none."""
    gap = (run.report.get("relaxation") or {}).get("relative_gap")
    return math.inf if gap is None else gap


def relaxation_row(title, run):
    of_answer = run.report["relative_gap"]
    return [title, run.report["relaxation"]["status"], f"{solve_seconds(run):.2f}",
            f"{run.seconds:.2f}",
            f"{relaxation_gap(run):.1e}", "-" if of_answer is None else f"{of_answer:.3f}"]  # fmt: skip


class ConvexStudy(Study):
    def mmc(self, n, *words):
        return self.tool.cluster(gaussians(n), "mmc", 2, *MMC, *words)


def against_other_programs(study):
    """The published program (row balance) in our solver, CSDP and SDPA: values and times."""
    rows = []
    for n in (60,) if study.quick else (60, 100):
        # A first run warms the file cache; the least of three counts for so short a time.
        runs = [study.mmc(n, "--balance-form", "rows", "--tolerance", 1e-6) for _ in range(3)]
        ours = min(runs, key=solve_seconds)
        relaxation = ours.report["relaxation"]
        points = read_points(study.tool.convert(gaussians(n), f"points{n}.svm"))
        kernel = centred_rbf(points, ours.report["options"]["gamma"])
        program = study.tool.folder / f"mmc{n}.dat-s"
        # mmc rounds the least size of a cluster outwards.
        imbalance = n - 2 * math.floor(0.9 * n / 2 + 1e-9)
        write_program(program, kernel, C, imbalance)
        row = [n, f"{relaxation['value']:.9g}", f"{relaxation['lower_bound']:.9g}",
               f"{solve_seconds(ours):.3f}", f"{ours.seconds:.3f}"]  # fmt: skip
        for name, solver in (("CSDP", by_csdp), ("SDPA", by_sdpa)):
            answer = solver(program)
            if answer is None:
                study.has(name, "the program is not installed")
                row += ["-", "-"]
                study.bars.add(f"value against {name}, n = {n}", "-", "1e-5", None)
                continue
            values, seconds = answer
            theirs = statistics.fmean(values)
            miss = max(abs(relaxation[key] - theirs) for key in ("value", "lower_bound")) / theirs
            row += [f"{theirs:.9g}", f"{seconds:.2f}"]
            study.bars.add(f"value and bound against {name}, n = {n}", f"{miss:.1e} relative", "1e-5",
                           miss <= 1e-5)  # fmt: skip
            if name == "SDPA" and n == 100:
                study.bars.add("SDPA's time over ours, n = 100", f"{seconds / solve_seconds(ours):.0f}",
                               ">= 500", seconds >= 500 * solve_seconds(ours))  # fmt: skip
                study.bars.show("SDPA's time over our whole command, n = 100",
                                f"{seconds / ours.seconds:.0f}")  # fmt: skip
        rows.append(row)
    study.section(
        "The same program in CSDP and SDPA",
        f"Gaussians (seed 1), Gaussian kernel of median width, centred, C = {C}, balance 0.1 in rows as published, "
        "our tolerance 1e-6, the least of three runs. CSDP and SDPA read the program as an SDPA file with the "
        "entries of M, mu, nu and zeta as variables, at their default settings; their figure is the mean of "
        "their primal and dual value. Seconds of whole programs for them.",
        table(["n", "our value", "our bound", "relaxation, s", "command, s", "CSDP", "s", "SDPA", "s"],
              rows),
    )  # fmt: skip


def thousand_points(study):
    n = 300 if study.quick else 1000
    rows = []
    for title, words, limit in (
        ("centred", [], 10),
        ("`--bias none`, balance in total", ["--bias", "none"], 60),
        ("`--bias none`, balance in rows", ["--bias", "none", "--balance-form", "rows"], 60),
    ):
        run = study.mmc(n, *words, "--time-limit", 4 * limit)
        gap, seconds = relaxation_gap(run), solve_seconds(run)
        rows.append(relaxation_row(title, run))
        study.bars.add(f"n = {n}, {title}", f"{seconds:.2f} s, gap {gap:.1e}", f"{limit} s, gap 1e-3",
                       gap <= 1e-3 and seconds <= limit)  # fmt: skip
    gamma = 4 * run.report["options"]["gamma"]
    run = study.tool.cluster(gaussians(n), "mmc", 2, "--kernel", "rbf", "--gamma", gamma, "-C", C,
                             "--time-limit", 240)  # fmt: skip
    rows.append(relaxation_row("centred, half the width (no bar)", run))
    study.section(
        f"n = {n:,}",
        table(["kernel", "status", "relaxation, s", "command, s", "gap of the relaxation",
               "gap of the labels"], rows),
    )  # fmt: skip


def growth_row(title, run):
    return [*relaxation_row(title, run), run.report["relaxation"]["rank"], f"{run.peak / 2**20:,.0f}"]


def growth(study):
    sizes = (100, 200, 500) if study.quick else (100, 200, 500, 1000, 2000, 5000, 10000)
    rows, solved = [], []
    for n in sizes:
        try:
            run = study.mmc(n, "--time-limit", 600 if n <= 5000 else 1500)
        except Refused as reason:
            study.has(f"n = {n:,}", str(reason))
            continue
        gap, seconds = relaxation_gap(run), solve_seconds(run)
        rows.append(growth_row(f"{n:,}", run))
        print(" | ".join(map(str, rows[-1])), flush=True)
        if gap <= 1e-3 and n >= 200:
            solved.append((n, seconds))
        if n == 5000:
            study.bars.add("n = 5,000, centred", f"{seconds:.0f} s, gap {gap:.1e}", "600 s, gap 1e-3",
                           gap <= 1e-3 and seconds <= 600)  # fmt: skip
            study.bars.add("n = 5,000, peak memory", f"{run.peak / GIB:.2f} GiB", "2 GiB",
                           run.peak < 2 * GIB)  # fmt: skip
    low_rank = ["--features", "nystroem:500"]
    if study.has("mmc --features nystroem:M", study.tool.missing_method("mmc", 2, "--features", "nystroem:8")):
        n = sizes[-1]
        run = study.mmc(n, *low_rank, "--time-limit", 600)
        rows.append(growth_row(f"{n:,}, {low_rank[1]}", run))
        print(" | ".join(map(str, rows[-1])), flush=True)
    fit = (
        f"Fitted exponent of the relaxation's time over n >= 200: {exponent(*zip(*solved)):.2f}."
        if len(solved) >= 2
        else "Too few sizes were solved for an exponent."
    )
    print(fit, flush=True)
    study.section(
        "Growth with n (centred)",
        table(["n", "status", "relaxation, s", "command, s", "gap of the relaxation",
               "gap of the labels", "rank of M", "peak, MiB"], rows),
        "The certificate of a row with `nystroem` is one for its approximate kernel." if len(rows) > len(sizes) else "",
        fit,
    )  # fmt: skip


def other_relaxations(study):
    """Semi-supervised and robust programs of 500 rows, three clusters of 300."""
    n = 200 if study.quick else 500
    split = study.tool.folder / "labelled.rows"
    split.write_text(" ".join(map(str, range(50))) + "\n")
    rbf = ["--kernel", "rbf", "--gamma", "median"]
    linear = ["--kernel", "linear"]
    ring = f"builtin:ring-outliers,n={n},outliers={n // 10},radius=55,seed=1"
    cases = [
        ("s3vm", gaussians(n), [*rbf, "-C", C, "--labeled-rows", split]),
        ("s3vm", gaussians(n), [*linear, "-C", C, "--labeled-rows", split]),
        ("robust-svc", ring, [*linear, "-C", 1]),
        ("robust-svc", ring, [*rbf, "-C", 1]),
        ("outlier-svc", ring, [*linear, "-C", 1, "--rho", 0.9]),
        ("outlier-svc", ring, [*rbf, "-C", 1, "--rho", 0.9]),
    ]
    there = {
        name: study.has(name, study.tool.missing_learner(name, labelled=labelled))
        for name, labelled in (("s3vm", range(8)), ("robust-svc", None), ("outlier-svc", None))
    }
    rows = []
    for learner, data, words in cases:
        title = f"{learner}, {words[1]}, n = {n}"
        if not there[learner]:
            study.bars.add(title, "-", "30 s, gap 1e-2", None)
            continue
        run = study.tool.train(data, learner, *words, "--tolerance", 1e-2, "--time-limit", 120)
        rows.append(relaxation_row(title, run))
        study.bars.add(title, f"{solve_seconds(run):.2f} s, gap {relaxation_gap(run):.1e}",
                       "30 s, gap 1e-2",
                       relaxation_gap(run) <= 1e-2 and solve_seconds(run) <= 30)  # fmt: skip
    n = 120 if study.quick else 300
    title = f"mmc -k 3, n = {n}"
    if study.has("mmc -k 3", study.tool.missing_method("mmc", 3)):
        run = study.tool.cluster(gaussians(n, 3), "mmc", 3, *MMC, "--time-limit", 240)
        rows.append(relaxation_row(title, run))
        status = run.report["relaxation"]["status"]
        study.bars.add(title, f"{run.seconds:.2f} s, {status}", "60 s, solved",
                       run.seconds <= 60 and status == "solved")  # fmt: skip
    else:
        study.bars.add(title, "-", "60 s", None)
    title = f"s3vm --multiclass direct, three classes, n = {n}"
    if study.has("s3vm direct", study.tool.missing_learner("s3vm", "--multiclass", "direct", labelled=range(8))):
        run = study.tool.train(gaussians(n, 3), "s3vm", "--multiclass", "direct", *rbf, "-C", C,
                               "--labeled-rows", split, "--tolerance", 1e-2, "--time-limit", 240)  # fmt: skip
        rows.append(relaxation_row(title, run))
        study.bars.add(title, f"{solve_seconds(run):.2f} s, gap {relaxation_gap(run):.1e}",
                       "60 s, gap 1e-2",
                       relaxation_gap(run) <= 1e-2 and solve_seconds(run) <= 60)  # fmt: skip
    study.section(
        "Semi-supervised, robust and multi-class relaxations",
        "s3vm: Gaussians with 50 labels; robust-svc and outlier-svc: two Gaussian classes with a tenth of the rows on "
        "a ring of radius 55, C = 1; tolerance 1e-2. Three clusters: Gaussians, the kernel of above, default "
        "tolerance. The command of s3vm also trains the machines of the five-fold comparison.",
        table(["program", "status", "relaxation, s", "command, s", "gap of the relaxation",
               "gap of the answer"], rows),
    )  # fmt: skip


def ramp_against_svc(study):
    data = SHARED / "libsvm" / "a9a.gz"
    if not study.has("a9a", None if data.exists() else f"{data.name} is not there"):
        study.bars.add("ramp-svc on a9a over one svc fit", "-", "<= 3", None)
        return
    words = ["--kernel", "rbf", "-C", 1, "--gamma", 0.05]
    repeats = 1 if study.quick else 3
    times = {}
    for learner, more in (("svc", []), ("ramp-svc", ["--solver", "cccp", "--restarts", 1])):
        runs = [study.tool.train(data, learner, *words, *more) for _ in range(repeats)]
        times[learner] = statistics.median(run.seconds for run in runs)
    ratio = times["ramp-svc"] / times["svc"]
    study.bars.add("ramp-svc (CCCP from the plain machine) on a9a over one svc fit", f"{ratio:.2f}",
                   "<= 3", ratio <= 3)  # fmt: skip
    study.section(
        "Ramp loss on a9a",
        f"Gaussian kernel, C = 1, gamma = 0.05, tolerance 1e-3, one start. Whole commands, median of {repeats}: "
        f"svc {times['svc']:.2f} s, ramp-svc {times['ramp-svc']:.2f} s.",
    )


def hundred_thousand_points(study):
    n = 10_000 if study.quick else 100_000
    data = f"builtin:gaussians,n={n},d=50,seed=1"
    rows, best = [], math.inf
    for method in ("mmc-cutting-plane", "mmc-alternating"):
        if not study.has(method, study.tool.missing_method(method, 2, "--kernel", "linear")):
            continue
        run = study.tool.cluster(data, method, 2, "--kernel", "linear", "--time-limit", 240)
        best = min(best, run.seconds)
        gap = run.report["relative_gap"]
        rows.append([method, run.report["status"], f"{run.seconds:.1f}",
                     f"{run.metric('misassignment'):.2f}", f"{run.report['primal_objective']:.6g}",
                     "-" if gap is None else f"{gap:.3f}", f"{run.peak / 2**20:,.0f}"])  # fmt: skip
    title = f"clustering {n:,} x 50, the faster of two methods"
    study.bars.add(title, f"{best:.1f} s" if rows else "-", "60 s", best <= 60 if rows else None)
    study.section(
        f"{n:,} points of 50 features",
        "Two Gaussians 3.4 apart, linear kernel, defaults otherwise. Whole commands.",
        table(["method", "status", "s", "misassigned, %", "objective", "gap of the labels",
               "peak, MiB"], rows),
    )  # fmt: skip


def quality(study, program):
    """Are the labels as good as rounding, spectral clustering and the truth, polished?"""
    if not study.has("study_mmc_quality", None if program else "give its path as --quality"):
        return
    n = 60 if study.quick else 200
    done = subprocess.run([program, str(n)], capture_output=True, text=True)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    if done.returncode not in (0, 1) or len(lines) < 2:
        raise RuntimeError(done.stderr)
    worst = max(float(line[-1]) for line in lines[1:])
    study.bars.add(f"objective over the best of three others, 50 problems of {n} points, largest",
                   f"{worst:.4f}", "<= 1.01", worst <= 1.01)  # fmt: skip
    study.section(
        f"Labels against other methods (n = {n})",
        "Objective of mmc, of the leading eigenvector of the relaxed labels, of spectral clustering polished, and of "
        "the true labels polished; width m / median of the squared distances. The last column is the first over the "
        "least of the others.",
        table(lines[0], lines[1:]),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("--quality", help="the program study_mmc_quality")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, no page")
    parser.add_argument("--only", help="parts whose name holds this text, no page")
    options = parser.parse_args()
    parts = {
        "programs": against_other_programs,
        "thousand": thousand_points,
        "growth": growth,
        "others": other_relaxations,
        "ramp": ramp_against_svc,
        "large": hundred_thousand_points,
        "quality": lambda study: quality(study, options.quality),
    }
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        study = ConvexStudy(Tool(options.tool, folder), options.quick)
        for name, part in parts.items():
            if not options.only or options.only in name:
                part(study)
    minutes = (time.monotonic() - began) / 60
    print(f"{minutes:.1f} minutes")
    if not options.quick and not options.only:
        skipped = "Skipped: " + "; ".join(study.skipped) + "." if study.skipped else ""
        write_page("convex.md", "\n\n".join([
            "# Convex relaxations: time, gap and memory",
            f"Written by `bench/studies/convex` (`make bench-convex`) on {machine()}, "
            f"{datetime.date.today()}, in {minutes:.0f} minutes. {skipped}".rstrip(),
            "Times of relaxations are those of the report's phases `relaxation` and `certificate`; whole commands "
            "stand beside. The gap of a relaxation is (value - certified bound)/value; the gap of the labels or of "
            "the answer is how much better any other could be.",
            "## Bars", study.bars.table(), *study.sections]))  # fmt: skip
    if study.bars.missed:
        sys.exit("bars missed:\n  " + "\n  ".join(study.bars.missed))


if __name__ == "__main__":
    main()
