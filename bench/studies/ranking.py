#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rankings and losses of whole sets on public data, against a linear classifier tuned in the same way.

    cmake --preset release && ninja -C build/release maxmargin_tool
    python3 bench/studies/ranking.py build/release/apps/maxmargin/maxmargin

Writes docs/results/ranking.md and ends with 1 when a bar is missed; `--quick` takes fewer splits and prints the page.
Sets that are not in ../shared/data are skipped with a message.
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

from study_tool import SHARED, Study, Tool, machine, open_text, table, two_at_a_time, write_page

MACHINES = {
    "linear-svc": ["--learner", "linear-svc"],
    "pairs": ["--learner", "rank"],
    "two grades": ["--learner", "rank", "--loss", "roc-area"],
    # One query has one loss: nothing for the blocks of Frank-Wolfe to share.
    "ROC area": ["--learner", "rank", "--loss", "roc-area", "--solver", "one-slack"],
    "precision@k": ["--learner", "rank", "--loss", "precision-at-k", "--query-weight", "size", "--solver", "one-slack"],
}
# Values of C: of a sum over rows, over queries, ...
QUERY_COSTS = {
    "linear-svc": [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1],
    "pairs": [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1],
    "two grades": [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1],
}
# ... of a mean over pairs, and of a sum over rows whose margin is n/k.
LIST_COSTS = {
    "linear-svc": [0.001, 0.01, 0.1, 1, 10],
    "ROC area": [1, 10, 100, 1000, 10000],
    "precision@k": [0.01, 0.1, 1, 10, 100],
}
# Of the splice sites: bases left and right of the AG that are seen, and rows drawn.
WINDOW = 40
SITES = 10_000

HEAD = """# Rankings and losses of whole sets

Machines: `pairs`, the pairwise ranking machine (`--learner rank`); `two grades`, its pairs of a relevant and another row
alone (`--loss roc-area`); `ROC area`, the same with all rows as one query of
two grades (`--loss roc-area`); `precision@k`, the loss of the k best rows with k the number of positives (`--loss
precision-at-k --query-weight size`); `linear-svc`, a classifier of relevant (grade >= 1) against other rows that is
ranked by its score ([ranking](../algorithms/ranking.md), [measures](../guide/metrics/ranking.md)). Each has the same
number of values of C and takes the one that is best by the measure in question on folds of the training data, which
are the same for all. Measures of tied rows are means over their orders. Figures are means and standard errors of
the mean in percent."""


# Measures of one list of (grade, score).


def mean_gains(rows, gain):
    """Gains by rank, each the mean over the rows of its score."""
    rows = sorted(rows, key=lambda row: -row[1])
    gains = []
    for _, tied in itertools.groupby(rows, key=lambda row: row[1]):
        tied = [gain(grade) for grade, _ in tied]
        gains += [statistics.fmean(tied)] * len(tied)
    return gains


def ndcg_at_10(rows):
    def discounted(gains):
        return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains[:10]))

    best = discounted(sorted((2**grade - 1 for grade, _ in rows), reverse=True))
    return discounted(mean_gains(rows, lambda grade: 2**grade - 1)) / best if best > 0 else None


def roc_area(rows):
    positives = sum(grade >= 1 for grade, _ in rows)
    negatives = len(rows) - positives
    if not positives or not negatives:
        return None
    below = wins = 0
    for _, tied in itertools.groupby(sorted(rows, key=lambda row: row[1]), key=lambda row: row[1]):
        grades = [grade for grade, _ in tied]
        good = sum(grade >= 1 for grade in grades)
        wins += good * (below + (len(grades) - good) / 2)
        below += len(grades) - good
    return wins / (positives * negatives)


def precision_at_k(rows):
    """k is the number of positives."""
    positives = sum(grade >= 1 for grade, _ in rows)
    return sum(mean_gains(rows, lambda grade: float(grade >= 1))[:positives]) / positives


class Rows:
    """Lines of an svmlight file with their grades, in groups that stay together."""

    def __init__(self, grades, features, groups):
        self.grades, self.features, self.groups = grades, features, groups

    def write(self, path, groups, words):
        """The groups with these numbers; for a classifier relevant or not."""
        binary = "linear-svc" in words
        with path.open("w") as out:
            for number in groups:
                for row in self.groups[number]:
                    grade = self.grades[row]
                    label = (1 if grade >= 1 else -1) if binary else grade
                    query = "" if binary or self.is_one_query() else f"qid:{number + 1} "
                    out.write(f"{label} {query}{self.features[row]}\n")
        return path

    def is_one_query(self):
        return all(len(rows) == 1 for rows in self.groups)


class Folds:
    """Trains, scores and measures on parts of the rows. Queries are measured one by one, single rows together."""

    def __init__(self, tool, rows, costs):
        self.tool, self.rows, self.costs = tool, rows, costs

    def scored(self, name, cost, train, test):
        """Lists of (grade, score), one a query."""
        words, rows = MACHINES[name], self.rows
        with tempfile.TemporaryDirectory(dir=self.tool.folder) as folder:
            folder = pathlib.Path(folder)
            model, answer = folder / "model.mm", folder / "scores"
            more = ["--scores"] if "linear-svc" in words else []
            self.tool.run("train", rows.write(folder / "train.svm", train, words), *words, "-C", cost,
                          "--threads", 1, "-o", model)  # fmt: skip
            self.tool.run("predict", model, rows.write(folder / "test.svm", test, words), *more, "-o", answer)
            scores = [float(line) for line in answer.read_text().split()[len(more):]]
        given = iter(scores)
        lists = [[(rows.grades[row], next(given)) for row in rows.groups[number]] for number in test]
        return [list(itertools.chain(*lists))] if rows.is_one_query() else lists

    def values(self, name, cost, train, test, measure):
        return [measure(scored) for scored in self.scored(name, cost, train, test)]

    def tuned(self, names, groups, folds, measures, seed):
        """Of every machine and measure the best C on these folds."""
        parts = split(groups, folds, seed, self.rows)
        jobs = [(name, cost, part) for name in names for cost in self.costs[name] for part in range(folds)]

        def one(job):
            name, cost, part = job
            rest = [number for k in range(folds) if k != part for number in parts[k]]
            lists = self.scored(name, cost, rest, parts[part])
            return [mean([measure(scored) for scored in lists]) for measure in measures]

        found = dict(zip(jobs, two_at_a_time(one, jobs)))
        best = {}
        for name, (k, measure) in itertools.product(names, enumerate(measures)):
            best[name, measure] = max(
                self.costs[name], key=lambda cost: statistics.fmean(found[name, cost, part][k] for part in range(folds))
            )
        return best


def split(groups, parts, seed, rows):
    """Parts of equal size; single rows by class, so that every part has positives."""
    groups = list(groups)
    random.Random(seed).shuffle(groups)
    if rows.is_one_query():
        groups.sort(key=lambda number: rows.grades[rows.groups[number][0]])
    return [groups[k::parts] for k in range(parts)]


def defined(values):
    return [value for value in values if value is not None]


def mean(values):
    return statistics.fmean(defined(values))


def shown(values):
    values = [100 * value for value in defined(values)]
    return f"{statistics.fmean(values):.2f} +- {statistics.stdev(values) / math.sqrt(len(values)):.2f}"


def differences(ours, theirs):
    return [a - b for a, b in zip(ours, theirs) if a is not None and b is not None]


# The sets.


def read_queries(name):
    """Grades, features and query sizes of both parts, one behind the other; queries of the first part."""
    grades, features, groups, first = [], [], [], 0
    for part in ("train", "test"):
        with open_text(SHARED / "ranking" / f"lightgbm-rank.{part}.query.gz") as sizes:
            begin = len(grades)
            for size in map(int, sizes):
                groups.append(range(begin, begin + size))
                begin += size
        with open_text(SHARED / "ranking" / f"lightgbm-rank.{part}.gz") as lines:
            for line in lines:
                grade, _, rest = line.strip().partition(" ")
                grades.append(int(float(grade)))
                features.append(rest)
        assert begin == len(grades), name
        first = first or len(groups)
    return Rows(grades, features, groups), first


def read_w1a():
    grades, features = [], []
    with open_text(SHARED / "libsvm" / "w1a") as lines:
        for line in lines:
            label, _, rest = line.strip().partition(" ")
            grades.append(int(float(label) > 0))
            features.append(rest)
    return Rows(grades, features, [[row] for row in range(len(grades))])


def read_splice_sites():
    """Bases and pairs of neighbours by their place in the window around the site."""
    with open_text(SHARED / "structured" / "C_elegans_acc_100000.fasta.bz2") as lines:
        pairs = [(int("label=1" in head), bases.strip()) for head, bases in itertools.zip_longest(lines, lines)]
    chosen = sorted(random.Random(0).sample(range(len(pairs)), SITES))
    digit = {"A": 0, "C": 1, "G": 2, "T": 3}
    grades, features = [], []
    for label, bases in (pairs[row] for row in chosen):
        # The AG of the site has the places 197 and 198.
        window = [digit[base] for base in bases[197 - WINDOW : 199 + WINDOW]]
        entries, first = [], 1
        for length in (1, 2):
            for place in range(len(window) - length + 1):
                code = 0
                for base in window[place : place + length]:
                    code = 4 * code + base
                entries.append(first + code)
                first += 4**length
        grades.append(label)
        features.append(" ".join(f"{entry}:1" for entry in entries))
    return Rows(grades, features, [[row] for row in range(len(grades))])


# The parts.


def queries(study):
    path = SHARED / "ranking" / "lightgbm-rank.train.gz"
    if not study.has("ranking set", None if path.exists() else f"{path.name} is not there"):
        return
    rows, first = read_queries("ranking set")
    folds = Folds(study.tool, rows, QUERY_COSTS)
    names, measures = ("pairs", "two grades", "linear-svc"), {"NDCG@10": ndcg_at_10, "ROC area": roc_area}
    table_rows = []

    def differences_to_svc(values):
        return [shown(differences(values[name], values["linear-svc"])) for name in names[:-1]]

    # The test set, with C by folds of the training set. The bar is of the first draw of folds; others show its luck.
    train, test = range(first), range(first, len(rows.groups))
    for seed in (1, 2, 3):
        best = folds.tuned(names, train, 5, list(measures.values()), seed)
        for title, measure in measures.items():
            values = {name: folds.values(name, best[name, measure], train, test, measure) for name in names}
            table_rows.append([f"test set, folds of seed {seed}", title,
                               *(f"{shown(values[name])} (C = {best[name, measure]:g})" for name in names),
                               *differences_to_svc(values)])  # fmt: skip
            means = {name: mean(values[name]) for name in names}
            if seed == 1:
                study.bars.add(f"ranking set, {title}, pairs above linear-svc",
                               f"{100 * means['pairs']:.2f} and {100 * means['linear-svc']:.2f}", "above",
                               means["pairs"] > means["linear-svc"])  # fmt: skip
    # All queries: each fold as a test set, C by folds of the others.
    everything = split(range(len(rows.groups)), 5, 2, rows)
    found = {(name, title): [] for name in names for title in measures}
    for k, part in enumerate(everything[:2] if study.quick else everything):
        rest = [number for j, other in enumerate(everything) if j != k for number in other]
        best = folds.tuned(names, rest, 5, list(measures.values()), seed=3)
        for name, title in found:
            found[name, title] += folds.values(name, best[name, measures[title]], rest, part, measures[title])
    for title in measures:
        values = {name: found[name, title] for name in names}
        study.bars.show(f"all queries, five folds, {title}, pairs less linear-svc", differences_to_svc(values)[0])
        table_rows.append([f"{len(values['pairs'])} queries, 5 folds", title, *(shown(values[name]) for name in names),
                           *differences_to_svc(values)])  # fmt: skip
    study.section(
        "Queries with grades",
        f"LightGBM's ranking example: {first} queries to train, {len(rows.groups) - first} to test, 300 features, grades 0 to "
        "4. C by five folds of the training queries (three draws of them) and the measure itself; the values of C were placed "
        "closer together after a first run. Below, all queries in five folds (seed 2), C by five folds of the other four (seed "
        "3). Standard errors are over queries; the last columns are differences to linear-svc. The bars are those of the "
        "set's own test file of 50 queries; the figures of all queries stand beside them without one.",
        table(["test queries", "measure", *names, *(f"{name} - linear-svc" for name in names[:-1])], table_rows),
    )


def one_list(study, title, rows, splits, seed):
    """Halves of the rows, C by three folds of the first half."""
    folds = Folds(study.tool, rows, LIST_COSTS)
    names, measures = ("ROC area", "precision@k", "linear-svc"), {"ROC area": roc_area, "precision@k": precision_at_k}
    values = {(name, measure): [] for name in names for measure in measures}
    costs = {job: [] for job in values}
    for number in range(2 if study.quick else splits):
        train, test = split(range(len(rows.groups)), 2, seed + number, rows)
        best = folds.tuned(names, train, 3, list(measures.values()), seed=number)
        jobs = list(values)
        for name, measure in jobs:
            costs[name, measure].append(best[name, measures[measure]])

        def one(job):
            name, measure = job
            return folds.values(name, best[name, measures[measure]], train, test, measures[measure])

        for job, found in zip(jobs, two_at_a_time(one, jobs)):
            values[job] += found
    table_rows = []
    for measure in measures:
        row = [title, measure, *(shown(values[name, measure]) for name in names)]
        row += [shown(differences(values[name, measure], values["linear-svc", measure])) for name in names[:-1]]
        row += ["; ".join(" ".join(f"{cost:g}" for cost in sorted(set(costs[name, measure]))) for name in names)]
        table_rows.append(row)
        print(" | ".join(row), flush=True)
    return table_rows


def lists(study):
    table_rows = []
    w1a, sites = SHARED / "libsvm" / "w1a", SHARED / "structured" / "C_elegans_acc_100000.fasta.bz2"
    if study.has("w1a", None if w1a.exists() else f"{w1a.name} is not there"):
        table_rows += one_list(study, "w1a", read_w1a(), 10, seed=10)
    if study.has("splice sites", None if sites.exists() else f"{sites.name} is not there"):
        table_rows += one_list(study, "splice sites", read_splice_sites(), 5, seed=20)
    study.section(
        "One list of two classes",
        f"w1a (2,477 rows, 72 positives; 10 random halves, seeds from 10) and {SITES:,} of the 100,000 splice sites of C. "
        f"elegans, drawn with seed 0 (bases and pairs of neighbours in a window of {WINDOW} on both sides, by place; 5 random "
        "halves, seeds from 20), half to train, half to test, classes in equal shares. C by three folds of the training "
        "half. precision@k has k = the number of positives. Rows are measures, columns the machines trained; standard "
        "errors are over halves (which share rows, so they are a little small); then differences to linear-svc; then the C "
        "chosen, by machine.",
        table(["data", "measure", "loss of the ROC area", "loss of precision@k", "linear-svc", "ROC area - linear-svc",
               "precision@k - linear-svc", "C"], table_rows),
    )  # fmt: skip


PARTS = {"queries": queries, "lists": lists}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--quick", action="store_true", help="fewer splits, no page")
    parser.add_argument("--only", choices=PARTS, help="this part alone, no page")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        study = Study(Tool(options.tool, folder), options.quick)
        for name, part in PARTS.items():
            if options.only in (None, name):
                part(study)
    minutes = (time.monotonic() - began) / 60
    page = "\n\n".join([
        HEAD,
        f"Written by `bench/studies/ranking.py` on {machine()}, {datetime.date.today()}, in {minutes:.0f} minutes.",
        "## Bars", study.bars.table(), *study.sections])  # fmt: skip
    if options.quick or options.only:
        print(page)
    else:
        write_page("ranking.md", page)
    if study.bars.missed:
        sys.exit("bars missed:\n  " + "\n  ".join(study.bars.missed))


if __name__ == "__main__":
    main()
