# SPDX-License-Identifier: Apache-2.0
"""The page of bench/studies/coreference.py."""

import collections
import datetime
import itertools
import random
import statistics

from study_tool import machine, table

MEASURES = {"muc_loss": "MITRE loss", "pair_loss": "pair loss", "b_cubed_f1": "B-cubed F1",
            "ceaf_entity_f1": "CEAF-e F1", "conll_average": "CoNLL average"}  # fmt: skip
# What follows this line of a page is written by hand, and stays.
BY_HAND = "## Read by hand"


def short(value):
    """A result on one line of the terminal."""
    measures = value.get("measures") or value["test"]["measures"]
    seconds = value.get("seconds") or value.get("train", {}).get("seconds")
    return ", ".join([f"{100 * measures[m]:.1f}" for m in MEASURES] + ([f"{seconds:.1f} s"] if seconds else []))


def p_value(differences, seed, rounds=20000):
    """Two-sided: how often signs by chance make a mean as large."""
    observed = abs(sum(differences)) - 1e-12
    draw = random.Random(seed)
    hits = sum(abs(sum(d if draw.random() < 0.5 else -d for d in differences)) >= observed for _ in range(rounds))
    return (hits + 1) / (rounds + 1)


def percent(values):
    return f"{100 * statistics.fmean(values):.1f}"


def means(runs):
    """A cell for each measure: means over runs."""
    return [percent([run["measures"][m] for run in runs]) for m in MEASURES]


class CoreferencePage:
    def __init__(self, study, methods, training):
        self.study, self.methods = study, methods
        self.splits = range(len(study.chosen))
        # Links that true clusters need, by split.
        self.links = [sum(d.mentions - len(d.entities) for d in documents) for documents in training]
        self.documents = len(training[0])

    def finals(self, criterion, method):
        return [self.study.finals[s][self.study.chosen[s][criterion, method]] for s in self.splits]

    def differences(self, criterion, method, rival):
        cells, values = [], {}
        each = [[d for final in self.finals(criterion, m) for d in final["each"]] for m in (method, rival)]
        for m in MEASURES:
            # A document of single mentions has no MITRE loss.
            own = [a[m] - b[m] for a, b in zip(*each) if a[m] is not None and b[m] is not None]
            values[m] = statistics.fmean(own), p_value(own, self.study.seed)
            cells.append(f"{100 * values[m][0]:+.1f} (p = {values[m][1]:.4f})")
        return cells, values

    def bars(self):
        rows = []
        for criterion in ("muc_loss", "pair_loss"):
            mean, p = self.differences(criterion, "forests", "partition, pair loss")[1][criterion]
            met = mean < 0 and p < 0.05
            name = MEASURES[criterion]
            rows.append([f"{name} of forests less partition's, C and r by that loss",
                         f"{100 * mean:+.2f}, p = {p:.4f}", "below 0, p < 0.05", "met" if met else "MISSED"])  # fmt: skip
        forests = [final["train"] for s in self.splits for way, final in self.study.finals[s].items()
                   if way.learner == "coreference"]  # fmt: skip
        slowest = max(run["seconds"] for run in forests)
        rows.append([f"{self.documents} documents to a stationary gap of 1 %: seconds of the processor, the slowest",
                     f"{slowest:.0f}", "<= 300", "met" if slowest <= 300 else "MISSED"])  # fmt: skip
        exact = sum(run["oracle"] == "exact" for run in forests)
        solved = sum(run["status"] == "local_optimum" for run in forests)
        for what, count in (("the oracle is exact", exact), ("a convex step gains less than 1 %", solved)):
            rows.append([f"trainings of forests where {what}", f"{count} of {len(forests)}", "all",
                         "met" if count == len(forests) else "MISSED"])  # fmt: skip
        return "## Bars\n\n" + table(["what", "measured", "bar", "verdict"], rows)

    def choice(self, criterion):
        rows, tests, options = [], [], []
        for method in self.methods:
            finals = self.finals(criterion, method)
            rows.append([method, *means([f["test"] for f in finals]), *means([f["train"] for f in finals])[-1:],
                         f"{statistics.fmean(f['train']['seconds'] for f in finals):.0f}"])  # fmt: skip
            ways = collections.Counter(self.study.chosen[s][criterion, method].shown() for s in self.splits)
            options.append(f"{method}: " + "; ".join(f"{way} ({count})" for way, count in ways.most_common()))
        for method, rival in itertools.product(self.methods, self.methods):
            if method.startswith("forests") and rival.startswith("partition"):
                tests.append([f"{method} less {rival}", *self.differences(criterion, method, rival)[0]])
        return (f"## Chosen by the {MEASURES[criterion]}\n\nMeans over the test sets in percent; then the CoNLL average on "
                "the training documents, and seconds of the processor of a training.\n\n"
                + table(["method", *MEASURES.values(), "CoNLL, training", "s"], rows)
                + "\n\nDifferences of the test documents, means and p-values:\n\n"
                + table(["methods", *MEASURES.values()], tests)
                + "\n\nChosen (in how many splits): " + ". ".join(options) + ".")  # fmt: skip

    def grid(self):
        rows = []
        for way in self.study.grid[0]:
            seconds = statistics.fmean(seconds[way] for seconds in self.study.grid_seconds) / self.study.folds
            rows.append([way.learner, way.loss or (f"by {way.weight}" if way.weight else "-"), way.shown(),
                         *(percent([grid[way][m] for grid in self.study.grid]) for m in MEASURES),
                         f"{seconds:.1f}"])  # fmt: skip
        total = sum(sum(seconds.values()) for seconds in self.study.grid_seconds)
        return (f"## The grid\n\nMeans over splits and folds in percent, on documents left out; relative gaps of 5 %; "
                f"seconds of the processor of one training. All of it took {total / 60:.0f} minutes of the processor.\n\n"
                + table(["learner", "loss, weight", "options", *MEASURES.values(), "s"], rows))  # fmt: skip

    def link_loss(self, split, way, run):
        """Delta of the predictions on training documents, the least over their forests."""
        good = self.links[split] * run["recall"]
        return self.links[split] - good + way.links * good * (1 / run["precision"] - 1)

    def criterion(self):
        parts = [INTRODUCTION, *(self.starts(criterion) for criterion in ("muc_loss", "pair_loss"))]
        return "## Is it the criterion?\n\n" + "\n\n".join(parts)

    def starts(self, criterion):
        ways = [self.study.chosen[s][criterion, "forests"] for s in self.splits]
        rows = []
        for name in STARTS:
            runs = [self.study.whys[s][ways[s], name] for s in self.splits]
            chains = [self.study.whys[s][ways[s], "chain"] for s in self.splits]
            objectives = [run.get("objective", run["train"].get("objective")) for run in runs]
            ratio = lower = delta = "-"
            if objectives[0] is not None:
                of_chains = [chain["train"]["objective"] for chain in chains]
                ratio = f"{statistics.fmean(a / b for a, b in zip(objectives, of_chains)):.3f}"
                lower = f"{sum(a > b for a, b in zip(objectives, of_chains))} of {len(runs)}"
                losses = [self.link_loss(s, ways[s], runs[s]["train"]) / self.link_loss(s, ways[s], chains[s]["train"])
                          for s in self.splits]  # fmt: skip
                delta = f"{statistics.fmean(losses):.2f}"
            better = sum(run["train"]["measures"]["conll_average"] > chain["train"]["measures"]["conll_average"]
                         for run, chain in zip(runs, chains))  # fmt: skip
            rows.append([name, ratio, lower, delta, *means([run["train"] for run in runs]),
                         f"{better} of {len(runs)}", means([run["test"] for run in runs])[-1]])  # fmt: skip
        rivals = [self.study.whys[s]["partition"] for s in self.splits]
        rows.append(["partition itself", "-", "-", "-", *means([r["train"] for r in rivals]), "-",
                     means([r["test"] for r in rivals])[-1]])  # fmt: skip
        shown = "; ".join(dict.fromkeys(way.shown() for way in ways))
        return (f"### Options chosen by the {MEASURES[criterion]} ({shown})\n\n"
                + table(["weights", "F / F of chain", "F larger", "link loss / chain's", *MEASURES.values(),
                         "CoNLL better", "CoNLL, test"], rows))  # fmt: skip


STARTS = ["chain", "random", "from partition's weights", "partition's weights", "forests' weights in partition"]
INTRODUCTION = """\
On the training documents of each split, means over splits. *chain*, *random*, *from partition's weights*: the forests trained
from that start. *Partition's weights*: not trained, but put into the forests' predictor, F at the best of some scales (a scale
changes F and no answer). *Forests' weights in partition*: those of the chain start with correlation clustering as predictor.
F is the objective that training minimises; "F larger" and "CoNLL better" count the splits where that is so beside the chain start. Link loss: the
sum of missing links and r times the wrong ones of the predictions, which F bounds from above. Measures are of the training documents but
for the last column."""


def by_hand(output):
    if not output.exists():
        return ""
    _, found, text = output.read_text(encoding="utf-8").partition(BY_HAND)
    return found + text


def page(study, methods, training, documents, output):
    own = CoreferencePage(study, methods, training)
    head = (f"# Coreference in LitBank: latent forests beside correlation clustering\n\nMeasured {datetime.date.today()} on "
            f"{machine()} by `bench/studies/coreference.py`: {len(study.chosen)} of 5 splits of {documents} documents, "
            f"{study.folds} folds, seed {study.seed}, one program with one thread at a time, other work beside it. Both "
            "learners have the same 420 features of pairs, all pairs listed. Relative gaps of 1 %; of the choice, 5 %.")  # fmt: skip
    parts = [head, own.bars(), *(own.choice(c) for c in ("muc_loss", "pair_loss")), own.criterion(),
             own.grid(), by_hand(output)]  # fmt: skip
    return "\n\n".join(part for part in parts if part).rstrip() + "\n"
