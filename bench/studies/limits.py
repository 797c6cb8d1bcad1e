#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long runs go on behind --time-limit, and how much memory they take under --memory-limit.

    cmake --preset release && ninja -C build/release maxmargin_tool
    python3 bench/studies/limits.py build/release/apps/maxmargin/maxmargin

Every learner and method runs with --time-limit 0.5 on letter (26 classes), on many rows and on wide sparse text; what it
takes beyond the limit, without reading and writing, is to stay below a second (best of three where it does not at once).
Under --memory-limit the peak resident size is to stay below the limit + 10 % + 32 MiB, or the run is refused before it
works. Writes docs/results/limits.md. `--quick` takes one memory limit and writes no page; `--only NAME,...` takes these
learners alone.
"""

import argparse
import datetime
import json
import os
import pathlib
import random
import subprocess
import tempfile
import threading
import time

from study_tool import SHARED, Bars, machine, open_text, table, write_page

TIME_LIMIT = 0.5
BEYOND = 1.0
MIB = 1 << 20
MEMORY_LIMITS = ("64M", "256M", "1G", "4G")
SEMI = ("s3vm", "tsvm", "s3vm-cccp")
TABLE_LEARNERS = (
    "svc", "nu-svc", "cs-svc", "linear-svc", "linear-svr", "svr", "nu-svr", "one-class", "svdd", "ramp-svc",
    "linear-ramp-svc", "trimmed-svc", "centroid-svc", "loo-svc", "robust-svc", "outlier-svc", "s3vm", "tsvm",
    "s3vm-cccp", "lp-svc", "lda", "perceptron", "multiclass",
)  # fmt: skip
METHODS = (
    "kmeans", "kmedoids", "kernel-kmeans", "hierarchical", "mixture", "spectral", "ratio-cut", "normalized-cut",
    "min-cut", "sv-clustering", "relabeler", "mmc", "mmc-alternating", "mmc-cutting-plane",
)  # fmt: skip
# Learners of two classes alone, and those of other data.
OTHER = ("rank", "multilabel", "sequence", "align", "partition")


class Outcome:
    """One run: wall seconds, peak bytes, exit code, report, what it said."""

    def __init__(self, tool, words, timeout=120):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            command = [tool, *map(str, words), "--json", str(report), "--quiet"]
            command += ["-o", str(pathlib.Path(folder) / "out")]
            with tempfile.TemporaryFile() as errors:
                begin = time.perf_counter()
                process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
                killer = killed_after(timeout, process)
                _, status, usage = os.wait4(process.pid, 0)
                self.seconds = time.perf_counter() - begin
                killer.cancel()
                process.returncode = os.waitstatus_to_exitcode(status)
                errors.seek(0)
                self.said = errors.read().decode("utf-8", "replace").strip()
            self.code = process.returncode
            self.peak = usage.ru_maxrss * 1024
            self.cpu = usage.ru_utime + usage.ru_stime
            self.report = json.loads(report.read_text()) if report.exists() else None

    def beyond(self):
        """Seconds behind the limit that are neither reading nor writing."""
        phases = self.report["seconds"] if self.report else {}
        return self.seconds - TIME_LIMIT - phases.get("read", 0) - phases.get("write", 0)

    def phases(self):
        phases = self.report["seconds"] if self.report else {}
        return ", ".join(f"{name} {spent:.2f}" for name, spent in phases.items() if spent >= 0.1)


def killed_after(seconds, process):
    """A hung run ends, and counts as that."""
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    return timer


def write_rows(path, count, of, seed=1):
    path.write_text(" ".join(map(str, sorted(random.Random(seed).sample(range(of), count)))) + "\n")
    return path


def data_sets(folder):
    """name -> (file, rows, clusters)"""
    sets = {
        "letter": (SHARED / "libsvm" / "letter.scale.gz", 15_000, 26),
        "rows": (SHARED / "uci" / "original" / "Skin_NonSkin.txt.gz", 245_057, 2),
        "wide": (SHARED / "libsvm" / "reuters.trn.bz2", 7_770, 2),
    }
    # Decompressed once, so that reading is short.
    plain = {}
    for name, (source, rows, k) in sets.items():
        path = folder / f"{name}{'.tsv' if name == 'rows' else '.svm'}"
        if not path.exists():
            with open_text(source) as lines:
                path.write_text(lines.read())
        plain[name] = (path, rows, k)
    return plain


def words_of(name, data, folder):
    path, rows, k = data
    if name in METHODS:
        words = ["cluster", path, "--method", name]
        return words + ([] if name == "sv-clustering" else ["-k", k])
    words = ["train", path, "--learner", name]
    if name in SEMI:
        labelled = folder / f"{path.stem}.rows"
        if not labelled.exists():
            write_rows(labelled, 200, rows)
        words += ["--labeled-rows", labelled]
    return words


def runs(tool, folder, only):
    """(learner, data, words)"""
    for name in TABLE_LEARNERS + METHODS:
        if only and name not in only:
            continue
        for data, about in data_sets(folder).items():
            yield name, data, words_of(name, about, folder)
    structured = {
        "rank": ("ranking/lightgbm-rank.train.gz", ["--groups", SHARED / "ranking/lightgbm-rank.train.query.gz"]),
        "multilabel": ("libsvm/yeast_train.svm.gz", []),
        "sequence": ("structured/ocr.train.svmhmm.gz", []),
    }
    for name, (path, more) in structured.items():
        if only and name not in only:
            continue
        yield name, path.split("/")[-1], ["train", SHARED / path, "--learner", name, *more]


def measure(tool, words, tries=3):
    best = None
    for _ in range(tries):
        done = Outcome(tool, [*words, "--time-limit", TIME_LIMIT])
        if best is None or done.beyond() < best.beyond():
            best = done
        if best.beyond() <= BEYOND or best.beyond() > 3 * BEYOND:
            break
    return best


def times(tool, folder, only, bars):
    rows = []
    for name, data, words in runs(tool, folder, only):
        done = measure(tool, words)
        late = done.beyond()
        verdict = done.report["status"] if done.report else f"exit {done.code}: {done.said[:90]}"
        rows.append([name, data, f"{done.seconds:.2f}", f"{late:.2f}", verdict])
        print(" | ".join(map(str, rows[-1])), "|", f"cpu {done.cpu:.2f}", "|", done.phases(), flush=True)
        if late > BEYOND:
            bars.missed.append(f"{name} on {data}: {late:.2f} s beyond the time limit")
    return rows


def bytes_of(limit):
    return int(limit[:-1]) << {"M": 20, "G": 30}[limit[-1]]


def memory(tool, folder, only, limits, bars):
    rows = []
    for name, data, words in runs(tool, folder, only):
        row = [name, data]
        for limit in limits:
            done = Outcome(tool, [*words, "--memory-limit", limit, "--time-limit", 20])
            allowed = bytes_of(limit) * 1.1 + 32 * MIB
            peak = f"{done.peak / MIB:.0f} MiB"
            if done.code == 1:
                peak += " refused"
                if "more than the memory limit" not in done.said:
                    peak += f" ({done.said[:90]})"
            elif done.code not in (0, 2):
                peak += f" exit {done.code} {done.said[:90]}"
            if done.peak > allowed:
                bars.missed.append(f"{name} on {data}: {peak} at a limit of {limit}")
                peak += " MISSED"
            row.append(peak)
        rows.append(row)
        print(" | ".join(row), flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--part", choices=("time", "memory"))
    parser.add_argument("--limits", default=",".join(MEMORY_LIMITS))
    arguments = parser.parse_args()
    only = [name for name in arguments.only.split(",") if name]
    bars = Bars()
    sections = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        if arguments.part != "memory":
            found = times(arguments.tool, folder, only, bars)
            sections.append("## Time\n\n" + table(["learner", "data", "wall s", "beyond s", "status"], found))
        if arguments.part != "time":
            limits = arguments.limits.split(",")[: 1 if arguments.quick else None]
            found = memory(arguments.tool, folder, only, limits, bars)
            sections.append("## Memory\n\n" + table(["learner", "data", *limits], found))
    for missed in bars.missed:
        print("MISSED", missed)
    if arguments.quick or only or arguments.part:
        return
    write_page("limits.md", "\n\n".join([
        "# Limits of time and memory",
        f"{datetime.date.today()}, {machine()}. `bench/studies/limits.py` wrote this page and says what is measured.",
        *sections,
        "## Missed\n\n" + ("\n".join(f"- {missed}" for missed in bars.missed) or "None."),
    ]))  # fmt: skip


if __name__ == "__main__":
    main()
