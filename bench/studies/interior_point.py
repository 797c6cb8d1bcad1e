#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The interior point method beside coordinate descent and SMO: seconds, objectives, memory, the crossover.

    cmake --preset release && ninja -C build/release maxmargin_tool
    python3 bench/studies/interior_point.py build/release/apps/maxmargin/maxmargin --runs runs.jsonl

`--runs FILE`: what bench/studies/every_table.py kept; the steps are counted in it. Every run is a process of its own with
at most `--cap` seconds. Seconds are those of the phase that solves, the least of three runs where one takes less than a
second. Writes docs/results/interior-point.md; `--quick` takes small sizes and writes no page.
"""

import argparse
import collections
import json
import pathlib
import random
import sys
import tempfile

from every_table import read_table, write_table
from study_tool import SHARED, Study, Tool, machine, open_text, table, write_page

MIB = 1 << 20
STEPS = 60
SOLVERS = ("first-order", "interior-point")
# Runs of the tables on which both methods are held to one objective.
MACHINES = {
    "linear-svc": ["--learner", "linear-svc"],
    "svc, rbf": ["--learner", "svc"],
    "svr": ["--learner", "svr"],
    "linear-svr": ["--learner", "linear-svr"],
}


class Runner:
    def __init__(self, tool, cap):
        self.tool, self.cap = tool, cap

    def train(self, data, words, tolerance, solver):
        """The report and the peak bytes; the quickest of three where a run is short."""
        best = None
        for _ in range(3):
            with tempfile.NamedTemporaryFile(suffix=".mm") as model:
                done = self.tool.run("train", data, *words, "--tolerance", tolerance, "--solver", solver,
                                     "--time-limit", self.cap, "-o", model.name)  # fmt: skip
            if best is None or seconds_of(done) < seconds_of(best):
                best = done
            if seconds_of(best) > 1:
                break
        return best


def seconds_of(done):
    return done.report["seconds"]["solve"]


def shown(done):
    """Seconds, or how it ended."""
    report = done.report
    if report["status"] == "solved":
        return f"{seconds_of(done):.3g}"
    gap = report["relative_gap"]
    return f"{report['status']} (gap {'none' if gap is None else format(gap, '.0e')})"


def solved(done):
    return done.report["status"] == "solved"


def first_rows(source, count, path):
    with open_text(source) as lines:
        path.write_text("".join(line for _, line in zip(range(count), lines)))
    return path


def gaussian_rows(path, rows, columns, spread, seed=0):
    """Two overlapping classes; the scale of the columns grows from 1 to `spread`."""
    draw = random.Random(seed)
    scales = [spread ** (j / max(1, columns - 1)) for j in range(columns)]
    with path.open("w") as file:
        for _ in range(rows):
            label = draw.choice((-1, 1))
            shift = 0.5 * label
            values = ",".join(f"{scale * (shift + draw.gauss(0, 1)):.6g}" for scale in scales)
            file.write(f"{values},{label}\n")
    return path


def bars_of_speed(study, runner, folder):
    bars = study.bars
    cancer = folder / "wdbc.csv"
    write_table(read_table(SHARED / "uci/pmlb/wdbc.tsv.gz"), cancer)
    with tempfile.NamedTemporaryFile(suffix=".mm") as model:
        runs = [study.tool.run("train", cancer, "--learner", "linear-svc", "-o", model.name) for _ in range(3)]
    wall = min(run.seconds for run in runs)
    good = runs[0].report["status"] == "solved"
    bars.add("breast cancer (569 x 30, unscaled), linear-svc at its defaults, whole command",
             f"{wall:.2f} s, {runs[0].report['status']}", "<= 0.2 s", good and wall <= 0.2)  # fmt: skip

    if study.quick:
        return
    a9a = SHARED / "libsvm/a9a.gz"
    for c in (1, 100):
        words = ["--learner", "linear-svc", "-C", c]
        coordinates, interior = (runner.train(a9a, words, 1e-8, solver) for solver in SOLVERS)
        ratio = seconds_of(coordinates) / seconds_of(interior)
        if c == 1:
            bars.add("a9a, linear-svc to 1e-8, interior points", f"{shown(interior)} s", "<= 3 s",
                     solved(interior) and seconds_of(interior) <= 3)  # fmt: skip
            bars.add(f"... times as fast as coordinates ({shown(coordinates)} s)", f"{ratio:.2f}", ">= 5", ratio >= 5)
        else:
            bars.show(f"a9a, the same at C = {c}: {shown(interior)} s against {shown(coordinates)} s", f"{ratio:.1f}")

    n = 5000
    some = first_rows(a9a, n, folder / "a9a-5000.svm")
    kernel = runner.train(some, ["--learner", "svc"], 1e-8, "interior-point")
    bars.add(f"svc rbf on {n} rows of a9a to 1e-8", f"{shown(kernel)} s", "<= 30 s",
             solved(kernel) and seconds_of(kernel) <= 30)  # fmt: skip
    allowed = 1.2 * n * n * 8 / MIB
    base = start_of(study.tool, runner, folder)
    bars.add("... peak memory beyond that of a training on 20 rows", f"{kernel.peak / MIB - base:.0f} MiB",
             f"<= {allowed:.0f} MiB (1.2 n^2 doubles)", kernel.peak / MIB - base <= allowed)  # fmt: skip
    n, d = 20_000, 400
    wide = gaussian_rows(folder / "memory.csv", n, d, 1e3)
    linear = runner.train(wide, ["--learner", "linear-svc"], 1e-3, "interior-point")
    allowed = (n * d + 4 * d * d) * 8 / MIB
    bars.add(f"linear-svc on {n} x {d} dense values, peak memory beyond that of a training on 20 rows",
             f"{linear.peak / MIB - base:.0f} MiB, {linear.report['status']}",
             f"<= {allowed:.0f} MiB (n d + 4 d^2 doubles)", linear.peak / MIB - base <= allowed)  # fmt: skip


def start_of(tool, runner, folder):
    """MiB that any training takes."""
    few = gaussian_rows(folder / "few.csv", 20, 3, 1)
    return runner.train(few, ["--learner", "svc"], 1e-3, "interior-point").peak / MIB


def objectives(study, runner, folder, most_rows):
    """Both methods to 1e-7 on small tables: where both end, their objectives agree to 1e-6."""
    differences, only, rows = [], collections.Counter(), []
    for path in sorted((SHARED / "uci/pmlb").glob("*.tsv.gz")):
        lines = read_table(path)
        if len(lines) > most_rows:
            continue
        name = path.name.split(".")[0]
        plain = folder / f"{name}.csv"
        write_table(lines, plain)
        for run, words in MACHINES.items():
            first, interior = (runner.train(plain, words, 1e-7, solver) for solver in SOLVERS)
            if solved(first) and solved(interior):
                a, b = first.report["primal_objective"], interior.report["primal_objective"]
                difference = abs(a - b) / max(abs(a), abs(b)) if a != b else 0
                differences.append((difference, name, run))
            else:
                only[tuple(map(solved, (first, interior)))] += 1
                rows.append([name, run, shown(first), shown(interior)])
    worst = max(differences)
    study.bars.add(f"objectives of both at 1e-7 on small tables ({len(differences)} runs that both end)",
                   f"at most {worst[0]:.1e} apart ({worst[1]}, {worst[2]})", "<= 1e-6", worst[0] <= 1e-6)  # fmt: skip
    study.section(
        "Objectives",
        f"Tables with at most {most_rows} rows, unscaled, {', '.join(MACHINES)}, tolerance 1e-7, at most {runner.cap} "
        f"s. Both end: {len(differences)}; interior points alone: {only[False, True]}; first-order alone: "
        f"{only[True, False]}; neither: {only[False, False]}. Those that not both end (seconds, or the end):",
        table(["table", "run", "first-order", "interior points"], rows) if rows else "None.",
    )


def steps(study, path):
    if path is None:
        study.has("steps", "no --runs")
        return
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    runs = collections.defaultdict(list)
    for entry in entries:
        name, run, solver = entry["key"]
        if solver == "interior-point" and "iterations" in entry:
            runs[run].append((entry["iterations"], name, entry["status"]))
    rows = []
    # Classes of one against one add up: a bar is for each problem, which two classes alone show.
    two_classes = classes_of_tables()
    beyond = []
    for run, found in runs.items():
        single = [one for one in found if two_classes.get(one[1], 3) == 2 or "svr" in run]
        counts = sorted(count for count, _, _ in single)
        beyond += [(count, name, run, status) for count, name, status in single if count > STEPS]
        rows.append([run, len(single), counts[len(counts) // 2], counts[-1]])
    most = max(row[3] for row in rows)
    study.bars.add("steps of a run on every table (regression, two classes)", f"at most {most}", f"<= {STEPS}",
                   most <= STEPS)  # fmt: skip
    study.section(
        "Steps",
        "Of `--solver interior-point` on the tables of [every table](every-table.md); runs of more than two classes, "
        "whose steps are those of several problems, are left out.",
        table(["run", "tables", "median", "most"], rows),
        "\n".join(f"- beyond {STEPS}: {name}, {run}: {count} ({status})" for count, name, run, status in sorted(beyond)),
    )


def classes_of_tables():
    return {
        path.name.split(".")[0]: len({row[-1] for row in read_table(path)})
        for path in (SHARED / "uci/pmlb").glob("*.tsv.gz")
    }


def crossover(study, runner, folder):
    """Where one overtakes the other: seconds of both by size, spread of the scales and tolerance."""
    tolerances = (1e-3, 1e-6) if study.quick else (1e-3, 1e-6, 1e-9)
    sizes = {
        "linear-svc": [(1000, 10), (1000, 100)] if study.quick else
                      [(1000, 10), (10_000, 10), (100_000, 10), (1000, 100), (10_000, 100), (50_000, 100), (1000, 500),
                       (5000, 500)],
        "svc": [(200, 20)] if study.quick else [(200, 20), (500, 20), (1000, 20), (2000, 20), (4000, 20)],
    }  # fmt: skip
    for learner, shapes in sizes.items():
        rows = []
        for rows_count, columns in shapes:
            for spread in (1, 1000):
                data = gaussian_rows(folder / "crossover.csv", rows_count, columns, spread)
                for tolerance in tolerances:
                    found = [runner.train(data, ["--learner", learner], tolerance, solver) for solver in SOLVERS]
                    rows.append([rows_count, columns, spread, tolerance, *map(shown, found)])
                    print(learner, *rows[-1], flush=True)
        study.section(
            f"Crossover, {learner}{' (rbf)' if learner == 'svc' else ''}",
            "Two overlapping Gaussian classes; the scales of the columns grow from 1 to `spread`. Seconds that the "
            "solve takes, or how it ended.",
            table(["rows", "columns", "spread", "tolerance", "first-order", "interior points"], rows),
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--runs", type=pathlib.Path)
    parser.add_argument("--cap", type=float, default=20)
    parser.add_argument("--most-rows", type=int, default=700)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        study = Study(Tool(arguments.tool.resolve(), folder), arguments.quick)
        runner = Runner(study.tool, 2 if study.quick else arguments.cap)
        bars_of_speed(study, runner, folder)
        objectives(study, runner, folder, 80 if study.quick else arguments.most_rows)
        steps(study, arguments.runs)
        crossover(study, runner, folder)
    for missed in study.bars.missed:
        print("MISSED", missed)
    if not study.quick:
        write_page("interior-point.md", "\n\n".join([
            "# Interior points beside first-order methods",
            f"`bench/studies/interior_point.py` wrote this page, on {machine()}.",
            study.bars.table(),
            *study.sections,
        ]))  # fmt: skip
    return 1 if study.bars.missed else 0


if __name__ == "__main__":
    sys.exit(main())
