#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What planes that move with the completions save: every convex step begun with those of the one before, and --cold-start.

    bench/studies/latent [--quick] [--only chain|motif|coreference|precision]

Writes docs/results/latent.md and ends with 1 when a bar is missed; `--quick` takes small parts of the data, and it or `--only`
prints the page. Sets that are not in ../shared/data are skipped with a message.
"""

import argparse
import datetime
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import unpack_litbank
from precision_at_k import Queries
from study_tool import SHARED, Study, Tool, machine, table, write_page
from unpack_conll2000 import ARCHIVE as CONLL2000
from unpack_conll2000 import unpack as unpack_conll2000

CHIP = SHARED / "structured" / "chipseq-motif"
# Equal objectives, and the share of calls and of seconds of a cold start.
EQUAL, HALF = 1e-3, 0.5

HEAD = """# Planes that move with the completions

Latent machines ([page](../algorithms/latent.md)) solve a convex problem a step. Warm: every step after the first begins with
the planes of the one before, moved with the completions that changed. Cold: with none (`--cold-start`). Gaps, seeds and
all else are the same. The bar is half of the calls of the argmax and half of the processor's seconds (user and system, of
the whole command, one thread), at objectives that differ by less than 1e-3 of them.

Where the objectives are not equal the two runs ended in different local optima: an inner solution that differs within its gap
completes other examples, and what follows is another path. Then calls and seconds are those of two different searches.

- **chain**: CoNLL-2000 (template `chunking`, features seen three times), a tenth of the labels hidden, begun
  with the most frequent label there; `bench/studies/latent.cpp`, tolerance 0.01.
- **motif**: ChIP-seq, length 17, both strands, C = 0.03, tolerance 0.01.
- **coreference**: LitBank's first 20 documents, C = 0.1, wrong link 0.1, tolerance 1e-3.
- **precision**: LightGBM's ranking example, `rank --loss precision-at-k --latent -k 5`, tolerance 1e-3."""


class Ended:
    def __init__(self, calls, seconds, objective, steps):
        self.calls, self.seconds, self.objective, self.steps = calls, seconds, objective, steps


def timed(command):
    """Standard output, and seconds of the processor."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(list(map(str, command)), stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 2):
            raise RuntimeError(f"{command[0]} ended with {process.returncode}")
        out.seek(0)
        return out.read().decode(), usage.ru_utime + usage.ru_stime


def by_tool(study, data, *words):
    def run(solver, cold):
        with tempfile.TemporaryDirectory(dir=study.tool.folder) as folder:
            report = pathlib.Path(folder) / "report.json"
            more = ["--cold-start"] if cold else []
            _, seconds = timed([study.tool.path, "train", data, *words, "--solver", solver, *more, "--threads", 1,
                                "--quiet", "--json", report, "-o", pathlib.Path(folder) / "model.mm"])  # fmt: skip
            found = json.loads(report.read_text())
        return Ended(found["metrics"]["oracle_calls"], seconds, found["primal_objective"], found["iterations"])

    return run


def by_program(program, train, c):
    def run(solver, cold):
        text, _ = timed([program, "chain", train, solver, c, 0.01, 3, "cold" if cold else "warm"])
        values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("step"))
        return Ended(float(values["oracle_calls"]), float(values["cpu_seconds"]), float(values["objective"]),
                     int(float(values["steps"])))  # fmt: skip

    return run


def compare(study, title, run, solvers):
    rows = []
    for solver in solvers:
        warm, cold = run(solver, False), run(solver, True)
        calls, seconds = warm.calls / cold.calls, warm.seconds / cold.seconds
        apart = abs(warm.objective - cold.objective) / cold.objective
        study.bars.add(f"{title}, {solver}: objectives apart", f"{apart:.1e}", f"<= {EQUAL:g}", apart <= EQUAL)
        study.bars.add(f"{title}, {solver}: calls, warm of cold", f"{calls:.2f}", f"<= {HALF}", calls <= HALF)
        study.bars.add(f"{title}, {solver}: seconds, warm of cold", f"{seconds:.2f}", f"<= {HALF}", seconds <= HALF)
        rows.append([title, solver, f"{warm.calls:,.0f}", f"{cold.calls:,.0f}", f"{calls:.2f}", f"{warm.seconds:.1f}",
                     f"{cold.seconds:.1f}", f"{seconds:.2f}", f"{warm.objective:.6g}", f"{cold.objective:.6g}",
                     f"{warm.steps} / {cold.steps}"])  # fmt: skip
        print(" | ".join(rows[-1]), flush=True)
    return rows


def chain(study, program):
    if not study.has("chain", None if CONLL2000.exists() else f"{CONLL2000.name} is not there"):
        return []
    train, _ = unpack_conll2000(CONLL2000, study.tool.folder)
    if study.quick:
        train.write_text("\n\n".join(train.read_text().split("\n\n")[:500]) + "\n\n")
    return compare(study, "chain", by_program(program, train, 0.01), ["bcfw", "one-slack"])


def motif(study, _program):
    if not study.has("motif", None if CHIP.exists() else f"{CHIP.name} is not there"):
        return []
    path = study.tool.folder / "chip.fa"
    with gzip.open(CHIP / "test.fa.gz", "rt") as text, gzip.open(CHIP / "test.target.gz", "rt") as targets:
        labels = [line.split()[0] for line in targets]
        names, bases = zip(*(entry.split("\n", 1) for entry in text.read().split(">")[1:]))
    step = 20 if study.quick else 1
    with path.open("w") as out:
        for name, own, label in list(zip(names, bases, labels))[::step]:
            out.write(f">{name} label={1 if label == '1' else -1}\n{own}")
    words = ["--learner", "motif", "--motif-length", 17, "--strands", "both", "-C", 0.03, "--tolerance", 0.01]
    return compare(study, "motif", by_tool(study, path, *words), ["n-slack", "one-slack", "bcfw"])


def coreference(study, _program):
    archive = unpack_litbank.ARCHIVE
    if not study.has("coreference", None if archive.exists() else f"{archive.name} is not there"):
        return []
    path = study.tool.folder / "litbank.conll"
    unpack_litbank.write(path, unpack_litbank.read(archive)[: 4 if study.quick else 20])
    words = ["--learner", "coreference", "-C", 0.1, "--wrong-link", 0.1, "--tolerance", 1e-3]
    return compare(study, "coreference", by_tool(study, path, *words), ["bcfw", "one-slack"])


def precision(study, _program):
    if not study.has("precision", None if (SHARED / "ranking").is_dir() else "the ranking set is not there"):
        return []
    queries = Queries()
    path = queries.write(study.tool.folder / "queries.svm", range(len(queries.lines)))
    words = ["--learner", "rank", "--loss", "precision-at-k", "--latent", "-k", 5, "-C", 0.3]
    return compare(study, "precision", by_tool(study, path, *words), ["bcfw", "one-slack", "n-slack"])


PARTS = {"chain": chain, "motif": motif, "coreference": coreference, "precision": precision}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--program", help="study_latent, for the chain")
    parser.add_argument("--quick", action="store_true", help="small parts of the data, no page")
    parser.add_argument("--only", choices=PARTS, help="this part alone, no page")
    options = parser.parse_args()
    began = time.monotonic()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        study = Study(Tool(pathlib.Path(options.tool).resolve(), folder), options.quick)
        for name, part in PARTS.items():
            if options.only not in (None, name):
                continue
            if name == "chain" and not study.has("chain", None if options.program else "no --program"):
                continue
            rows += part(study, options.program)
    study.section("Calls and seconds", table(
        ["data", "solver", "calls", "cold", "ratio", "s", "cold", "ratio", "objective", "cold", "steps"], rows))  # fmt: skip
    minutes = (time.monotonic() - began) / 60
    page = "\n\n".join([
        HEAD,
        f"Written by `bench/studies/latent.py` on {machine()}, {datetime.date.today()}, in {minutes:.0f} minutes.",
        "## Bars", study.bars.table(), *study.sections])  # fmt: skip
    if options.quick or options.only:
        print(page)
    else:
        write_page("latent.md", page)
    if study.bars.missed:
        sys.exit("bars missed:\n  " + "\n  ".join(study.bars.missed))


if __name__ == "__main__":
    main()
