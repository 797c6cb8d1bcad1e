#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Precision of the first k rows on LightGBM's ranking example: hidden orders beside what they begin with, the pairwise
machine and SVM-perf's loss.

    cmake --preset release && ninja -C build/release maxmargin_tool
    python3 bench/studies/precision_at_k.py build/release/apps/maxmargin/maxmargin

Writes docs/results/precision-at-k.md and ends with 1 when a bar is missed; `--quick` takes two folds and k = 1 and 5 and
prints the page. Without the set of ../shared/data/ranking it says so.
"""

import argparse
import datetime
import itertools
import math
import pathlib
import random
import statistics
import sys
import tempfile
import time

from study_tool import SHARED, Study, Tool, machine, mean_and_error, open_text, table, two_at_a_time, write_page

FOLDS, INNER_FOLDS, SEED = 5, 3, 1
DEPTHS = [1, 3, 5, 10]
# Rows of this grade or more are relevant. The bars are of the first, the convention of LETOR (grade above 0).
THRESHOLDS = [1, 3]
METHODS = {
    "start": ["--loss", "error"],
    "pairs": ["--loss", "pairs"],
    "tables": ["--loss", "precision-at-k"],
    "latent": ["--loss", "precision-at-k", "--latent"],
}
# Each has five values of C, of sums over queries of losses of different size.
COSTS = {
    "start": ["0.01", "0.03", "0.1", "0.3", "1"],
    "pairs": ["0.01", "0.03", "0.1", "0.3", "1"],
    "tables": ["1", "3", "10", "30", "100"],
    "latent": ["0.03", "0.1", "0.3", "1", "3"],
}
TITLES = {
    "start": "start vector (weighted classifier)",
    "pairs": "pairwise ranking machine",
    "tables": "SVM-perf's loss of precision at k",
    "latent": "latent order",
}

HEAD = f"""# Precision of the first k rows

LightGBM's ranking example: 251 queries (201 and 50 together), 3,773 rows, 300 features, grades 0 to 4, in {FOLDS} folds
of queries (seed {SEED}). A row is relevant from grade 1 on, as in LETOR; a second table has grade 3. Four machines of
`--learner rank` ([page](../algorithms/ranking.md)), each with five values of C, the one of highest P@k on {INNER_FOLDS}
folds of the training queries, chosen for every fold and every k; the machines that know k are trained for it:

- **start vector**: the linear classifier in which every row weighs one over the rows of its query (`--loss error`);
- **pairwise ranking machine** (`--loss pairs`), which looks at all grades;
- **SVM-perf's loss** (`--loss precision-at-k -k K`), a convex problem and no bound of what is lost where k is not the
  number of relevant rows;
- **latent order** (`--loss precision-at-k --latent -k K --start weights`), begun with the start vector of its fold.

P@k in percent is the mean over all 251 queries, each tested once, a query without relevant rows counting 0 and tied rows in
every order; standard errors are over queries. Yu's thesis has, on OHSUMED (106 queries, not public in this form), P@1, 3, 5,
10 of .680, .573, .567, .494 for the latent order, .626, .557, .524, .464 for its start vector, .597, .543, .532, .486 for
the ranking SVM."""


class Queries:
    """Lines and grades of every query."""

    def __init__(self):
        self.lines, self.grades = [], []
        for part in ("train", "test"):
            with open_text(SHARED / "ranking" / f"lightgbm-rank.{part}.gz") as rows:
                rows = [line.strip().split(" ", 1) for line in rows]
            with open_text(SHARED / "ranking" / f"lightgbm-rank.{part}.query.gz") as sizes:
                begin = 0
                for size in map(int, sizes):
                    own = rows[begin : begin + size]
                    number = len(self.lines) + 1
                    self.lines.append([f"{grade} qid:{number} {rest}\n" for grade, rest in own])
                    self.grades.append([float(grade) for grade, _ in own])
                    begin += size

    def write(self, path, numbers):
        path.write_text("".join(line for q in numbers for line in self.lines[q]))
        return path


def precision_at(k, grades, scores, threshold):
    """Of tied rows the mean over their orders; missing rows are not relevant."""
    left, found = k, 0.0
    ranked = sorted(zip(scores, grades), reverse=True)
    for _, tied in itertools.groupby(ranked, key=lambda row: row[0]):
        tied = [grade >= threshold for _, grade in tied]
        taken = min(left, len(tied))
        found += taken * sum(tied) / len(tied)
        left -= taken
    return found / k


class Machines:
    """Trains on some queries and scores others. Trainings that were there before are not repeated."""

    def __init__(self, tool, queries, threshold):
        self.tool, self.queries, self.threshold = tool, queries, threshold
        self.known, self.names = {}, itertools.count()

    def run(self, method, cost, k, train, test, start=None):
        """The scores of every test query, the report, and the model's path."""
        key = (method, cost, k, tuple(train), tuple(test), start)
        if key not in self.known:
            folder = self.tool.folder / f"run{next(self.names)}"
            folder.mkdir()
            model, answer = folder / "model.mm", folder / "scores"
            words = [*METHODS[method], "-C", cost, "--relevant-from", self.threshold, "--threads", 1]
            words += ["-k", k] if k else []
            words += ["--start", "weights", "--start-model", start] if start else []
            data = self.queries.write(folder / "train.svm", train)
            trained = self.tool.run("train", data, "--learner", "rank", *words, "-o", model)
            self.tool.run("predict", model, self.queries.write(folder / "test.svm", test), "-o", answer)
            given = map(float, answer.read_text().split())
            scores = [[next(given) for _ in self.queries.grades[q]] for q in test]
            for path in folder.glob("*.svm"):
                path.unlink()
            self.known[key] = scores, trained.report, model
        return self.known[key]

    def precisions(self, k, test, scores):
        return [precision_at(k, self.queries.grades[q], own, self.threshold) for q, own in zip(test, scores)]


def split(numbers, parts, seed):
    numbers = list(numbers)
    random.Random(seed).shuffle(numbers)
    return [sorted(numbers[part::parts]) for part in range(parts)]


def others(parts, k):
    return sorted(q for j, part in enumerate(parts) if j != k for q in part)


def knows_k(method):
    return method in ("tables", "latent")


def one_fold(machines, number, train, test, depths):
    """By method and k: precisions of the test queries, C chosen, and the report."""
    inner = split(train, INNER_FOLDS, SEED + 1 + number)

    def chosen(method, k, start_of):
        """The C of highest mean over inner folds, the first of equals."""
        best, most = None, -1.0
        for cost in COSTS[method]:
            values = []
            for j, part in enumerate(inner):
                scores, _, _ = machines.run(method, cost, k if knows_k(method) else None, others(inner, j), part,
                                            start_of(others(inner, j), part))  # fmt: skip
                values += machines.precisions(k, part, scores)
            if statistics.fmean(values) > most:
                best, most = cost, statistics.fmean(values)
        return best

    found = {}
    for k in depths:
        start_cost = None
        for method in METHODS:

            def start_of(own, rest):
                return machines.run("start", start_cost, None, own, rest)[2] if method == "latent" else None

            cost = chosen(method, k, start_of)
            start_cost = cost if method == "start" else start_cost
            scores, report, _ = machines.run(method, cost, k if knows_k(method) else None, train, test,
                                             start_of(train, test))  # fmt: skip
            found[method, k] = machines.precisions(k, test, scores), cost, report
    print(f"fold {number}, grade {machines.threshold}: " + ", ".join(
        f"{method} P@{k} {100 * statistics.fmean(found[method, k][0]):.1f}" for method, k in found), flush=True)  # fmt: skip
    return found


def error_of(differences):
    return statistics.stdev(differences) / math.sqrt(len(differences))


def measure(study, queries, threshold, depths, has_bars):
    folds = split(range(len(queries.lines)), FOLDS, SEED)
    used = range(2 if study.quick else FOLDS)

    def job(number):
        # Threads must not share files or memories.
        own = Machines(Tool(study.tool.path, tempfile.mkdtemp(dir=study.tool.folder)), queries, threshold)
        return one_fold(own, number, others(folds, number), folds[number], depths)

    found = two_at_a_time(job, used)
    values = {key: [100 * p for fold in found for p in fold[key][0]] for key in found[0]}
    rows = [[TITLES[method], *(mean_and_error(values[method, k]) for k in depths)] for method in METHODS]
    differences = {
        (method, k): [a - b for a, b in zip(values["latent", k], values[method, k])]
        for method in METHODS if method != "latent" for k in depths
    }  # fmt: skip
    rows += [[f"latent less {TITLES[method]}", *(mean_and_error(differences[method, k]) for k in depths)]
             for method in METHODS if method != "latent"]  # fmt: skip
    falls, searches = True, []
    for k in depths:
        reports = [fold["latent", k][2] for fold in found]
        starts = [report["metrics"]["start_objective"] for report in reports]
        ends = [report["primal_objective"] for report in reports]
        falls = falls and all(end < start for start, end in zip(starts, ends))
        searches.append([
            k, *(", ".join(fold[method, k][1] for fold in found) for method in METHODS),
            f"{statistics.fmean(starts):.2f} to {statistics.fmean(ends):.2f}",
            f"{min(1 - end / start for start, end in zip(starts, ends)):.1%}",
            f"{statistics.fmean(report['iterations'] for report in reports):.1f}",
            f"{max(report['metrics']['stationary_gap'] for report in reports):.1e}",
        ])  # fmt: skip
    if has_bars:
        study.bars.add("latent objective falls in every fold, for every k", "yes" if falls else "no", "yes", falls)
        for k in depths:
            mean, error = statistics.fmean(differences["start", k]), error_of(differences["start", k])
            study.bars.add(f"P@{k}, latent less start vector", f"{mean:+.2f} +- {error:.2f}",
                           "not below -1 standard error", mean >= -error)  # fmt: skip
        above = [k for k in depths if k in (1, 5) and statistics.fmean(differences["start", k]) > 0]
        study.bars.add("latent above its start vector at k = 1 or 5",
                       ", ".join(f"at {k}" for k in above) or "at neither", "at one of them", bool(above))  # fmt: skip
    study.section(
        f"Relevant from grade {threshold}",
        table(["machine", *(f"P@{k}" for k in depths)], rows),
        "C of each fold, and the searches: mean objective of the start vector and at the end, the least fall of a fold, mean "
        "number of convex steps, largest stationary gap.",
        table(["k", *(f"C, {method}" for method in METHODS), "objective", "least fall", "steps", "gap"], searches),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--quick", action="store_true", help="two folds, k = 1 and 5, no page")
    options = parser.parse_args()
    if not (SHARED / "ranking").is_dir():
        print("../shared/data/ranking is not there: nothing is measured")
        return
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        study = Study(Tool(pathlib.Path(options.tool).resolve(), folder), options.quick)
        queries = Queries()
        for threshold in THRESHOLDS:
            measure(study, queries, threshold, [1, 5] if options.quick else DEPTHS, threshold == THRESHOLDS[0])
    minutes = (time.monotonic() - began) / 60
    page = "\n\n".join([
        HEAD,
        f"Written by `bench/studies/precision_at_k.py` on {machine()}, {datetime.date.today()}, in {minutes:.0f} minutes.",
        "## Bars", study.bars.table(), *study.sections])  # fmt: skip
    if options.quick:
        print(page)
    else:
        write_page("precision-at-k.md", page)
    if study.bars.missed:
        sys.exit("bars missed:\n  " + "\n  ".join(study.bars.missed))


if __name__ == "__main__":
    main()
