#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every table of a collection as it is: unscaled, default options. Do all runs end, and how?

    cmake --preset release && ninja -C build/release maxmargin_tool
    python3 bench/studies/every_table.py build/release/apps/maxmargin/maxmargin --keep runs.jsonl

The tables of uci/pmlb with at most 5,000 rows; linear-svc, svc (linear, poly, rbf), cs-svc, svr and linear-svr on
their targets, svr also with the last numeric feature as target. Each run is a process of its own with at most 60 s;
runs with an interior point method alone beside those of the default. Two runs at a time would share the cores: one at
a time. `--keep FILE` writes down what is done, a line a run, and goes on with it. scikit-learn, when it is there, runs
the same in processes capped at as many seconds of their one core; its seconds are those of the fit. `--part rivals` runs
that alone, which may go on beside other work. Writes docs/results/every-table.md. `--quick` takes the three smallest files.

A page is of one build: what a line of FILE says of another build of the tool (or of another scikit-learn) is left
aside and done again.
"""

import argparse
import collections
import csv
import gzip
import hashlib
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from study_tool import SHARED, Bars, machine, table, write_page

CAP = 60
IMPORT = 3  # seconds that scikit-learn takes to be there
MOST_ROWS = 5000
# name, options of train, whether the cubic kernel decides what can be asked for
RUNS = {
    "linear-svc": (["--learner", "linear-svc"], False),
    "svc, linear": (["--learner", "svc", "--kernel", "linear"], False),
    "svc, poly": (["--learner", "svc", "--kernel", "poly"], True),
    "svc, rbf": (["--learner", "svc"], False),
    "cs-svc": (["--learner", "cs-svc"], False),
    "svr": (["--learner", "svr"], False),
    "linear-svr": (["--learner", "linear-svr"], False),
    "svr, last feature": (["--learner", "svr"], False),
}
# Those that have --solver.
CHOOSING = {"linear-svc", "svc, linear", "svc, poly", "svc, rbf", "svr", "linear-svr", "svr, last feature"}
# The same in scikit-learn, with X and y at hand.
RIVALS = {
    "linear-svc": "from sklearn.svm import LinearSVC; LinearSVC(loss='hinge', max_iter=10**9).fit(X, y)",
    "svc, linear": "from sklearn.svm import SVC; SVC(kernel='linear').fit(X, y)",
    "svc, poly": "from sklearn.svm import SVC; SVC(kernel='poly', gamma=1).fit(X, y)",
    "svc, rbf": "from sklearn.svm import SVC; SVC().fit(X, y)",
    "svr": "from sklearn.svm import SVR; SVR().fit(X, y)",
    "linear-svr": "from sklearn.svm import LinearSVR; LinearSVR(epsilon=0.1, max_iter=10**9).fit(X, y)",
    "svr, last feature": "from sklearn.svm import SVR; SVR().fit(X, y)",
}
RIVAL_HEAD = """
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
import numpy
data = numpy.array(rows, dtype=float)
X, y = data[:, :-1], data[:, -1]
import sklearn.svm, time
begin = time.process_time()
"""
RIVAL_TAIL = "print(time.process_time() - begin)"


class Runs:
    """What was done, by table, run and solver; a file holds it from one start to the next.

    `builds`: what runs, by solver. Entries of others are not of this page.
    """

    def __init__(self, path, builds):
        self.path, self.builds = path, builds
        self.done = {}
        aside = 0
        for line in path.read_text().splitlines() if path and path.exists() else []:
            entry = json.loads(line)
            if entry.get("build") == self.build_of(entry["key"]):
                self.done[tuple(entry["key"])] = entry
            else:
                aside += 1
        if aside:
            print(f"{path}: {aside} runs of other builds are left aside", flush=True)

    def build_of(self, key):
        return self.builds["scikit-learn" if key[2] == "scikit-learn" else "tool"]

    def get(self, key, make):
        if key not in self.done:
            entry = {"key": key, "build": self.build_of(key), **make()}
            self.done[key] = entry
            if self.path:
                with self.path.open("a") as file:
                    file.write(json.dumps(entry) + "\n")
            print(" | ".join(key), entry["status"], f"{entry['seconds']:.1f} s", flush=True)
        return self.done[key]


def read_table(path):
    """Rows of text with the target last."""
    with gzip.open(path, "rt") as file:
        lines = list(csv.reader(file, delimiter="\t"))
    target = lines[0].index("target")
    return [row[:target] + row[target + 1 :] + [row[target]] for row in lines[1:]]


def write_table(rows, path):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def last_feature_as_target(rows):
    """The last feature with more than two values becomes the target, the target goes."""
    features = [row[:-1] for row in rows]
    for column in reversed(range(len(features[0]))):
        if len({row[column] for row in features}) > 2:
            return [row[:column] + row[column + 1 :] + [row[column]] for row in features]
    return None


def capped(command, cap, prepare=None):
    """Text of standard output (None when the time was up), exit code, seconds, last line of errors."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=prepare
    )
    try:
        text, errors = process.communicate(timeout=cap)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, None, cap, ""
    seconds = time.perf_counter() - begin
    return text, process.returncode, seconds, (errors.strip().splitlines() or [""])[-1]


def train(tool, data, words):
    command = [tool, "train", str(data), *words, "-o", os.devnull, "--quiet", "--json", "-"]
    text, code, seconds, said = capped(command, CAP)
    if text is None:
        return {"status": "killed", "seconds": seconds, "message": f"had not ended after {CAP} s"}
    if code not in (0, 2):
        return {"status": f"refused ({code})", "seconds": seconds, "message": said}
    report = json.loads(text)
    return {
        "status": report["status"],
        "message": report.get("message", ""),
        "seconds": seconds,
        "gap": report["relative_gap"],
        "primal": report["primal_objective"],
        "iterations": report["iterations"],
        "took_over": any("interior point" in line for line in report["warnings"]),
    }


def rival(python, data, words):
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(f"{RIVAL_HEAD}{words}\n{RIVAL_TAIL}\n")
        script.flush()
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (CAP + IMPORT, CAP + IMPORT))
        text, code, seconds, said = capped([python, script.name, str(data)], 20 * CAP, limit)
    out_of_time = text is None or (code is not None and code < 0)
    status = "killed" if out_of_time else "ended" if code == 0 else "failed"
    if out_of_time:
        seconds, said = CAP, ""
    return {"status": status, "seconds": float(text) if status == "ended" else seconds, "message": said}


def rival_version(python):
    """None when there is no scikit-learn."""
    asked = [python, "-c", "import sklearn; print(sklearn.__version__)"]
    done = subprocess.run(asked, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def build_of(tool):
    """A hash of the program and of the library of this project that it loads."""
    files = [tool]
    loaded = subprocess.run(["ldd", tool], capture_output=True, text=True).stdout
    for line in loaded.splitlines():
        words = line.split()
        if len(words) > 2 and words[0].startswith("libmaxmargin") and words[2].startswith("/"):
            files.append(words[2])
    digest = hashlib.sha256()
    for file in files:
        digest.update(pathlib.Path(file).read_bytes())
    return digest.hexdigest()[:16]


def run_table(path, runs, tool, python):
    """`tool` or `python` is None when the other alone is to run."""
    rows = read_table(path)
    if len(rows) > MOST_ROWS:
        return
    name = path.name.split(".")[0]
    with tempfile.TemporaryDirectory() as folder:
        plain = pathlib.Path(folder) / "plain.csv"
        moved = pathlib.Path(folder) / "moved.csv"
        write_table(rows, plain)
        other = last_feature_as_target(rows)
        if other:
            write_table(other, moved)
        for run, (words, _) in RUNS.items():
            data = moved if run.endswith("last feature") else plain
            if not data.exists():
                continue
            if tool:
                runs.get((name, run, "auto"), lambda: train(tool, data, words))
            if tool and run in CHOOSING:
                chosen = [*words, "--solver", "interior-point"]
                runs.get((name, run, "interior-point"), lambda: train(tool, data, chosen))
            if python and run in RIVALS:
                runs.get((name, run, "scikit-learn"), lambda: rival(python, data, RIVALS[run]))


def share(entries, holds):
    return 100 * sum(map(holds, entries)) / len(entries) if entries else float("nan")


def judge(runs):
    """Bars, a table of the runs, and those that were not solved."""
    bars = Bars()
    own = [entry for key, entry in runs.done.items() if key[2] == "auto"]
    for cubic, bar in ((False, 98), (True, 88)):
        part = [entry for entry in own if RUNS[entry["key"][1]][1] == cubic]
        solved = share(part, lambda entry: entry["status"] == "solved")
        bars.add(f"solved, {'cubic kernel' if cubic else 'others'} ({len(part)} runs)", f"{solved:.1f} %",
                 f">= {bar} %", solved >= bar)  # fmt: skip
    quick = share(own, lambda entry: entry["seconds"] <= 10)
    bars.add("ended within 10 s", f"{quick:.1f} %", ">= 95 %", quick >= 95)
    killed = sum(entry["status"] == "killed" for entry in own)
    bars.add(f"not ended within {CAP} s", str(killed), "0", killed == 0)
    limited = sum(entry["status"] in ("iteration_limit", "time_limit") for entry in own)
    bars.add("ended by a default limit", str(limited), "0", limited == 0)
    return bars, own


def per_run(runs):
    lines = []
    for run in RUNS:
        for solver in ("auto", "interior-point", "scikit-learn"):
            part = [e for k, e in runs.done.items() if k[1] == run and k[2] == solver]
            if not part:
                continue
            seconds = sorted(entry["seconds"] for entry in part)
            good = sum(entry["status"] in ("solved", "ended") for entry in part)
            lines.append([
                run, solver, str(len(part)), str(good),
                str(sum(entry.get("took_over", False) for entry in part)) if solver == "auto" else "-",
                f"{seconds[len(seconds) // 2]:.2f}", f"{seconds[-1]:.1f}",
            ])  # fmt: skip
    return table(["run", "solver", "runs", "solved", "taken over", "median s", "longest s"], lines)


def unsolved(own):
    lines = []
    for entry in own:
        if entry["status"] == "solved":
            continue
        gap = entry.get("gap")
        cause = entry["message"] or f"ended after {entry.get('iterations', '?')} iterations, no message"
        lines.append([
            entry["key"][0], entry["key"][1], entry["status"], "-" if gap is None else f"{gap:.1e}",
            cause.replace("|", "/"),
        ])  # fmt: skip
    return table(["table", "run", "status", "relative gap", "cause"], lines) if lines else "None."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--tables", default=SHARED / "uci/pmlb", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--python", default=sys.executable, help="one that may have scikit-learn")
    parser.add_argument("--part", choices=("all", "tool", "rivals"), default="all")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--output", type=pathlib.Path)
    arguments = parser.parse_args()
    tool = str(pathlib.Path(arguments.tool).resolve())
    rival_build = rival_version(arguments.python)
    python = arguments.python if rival_build else None
    builds = {"tool": build_of(tool), "scikit-learn": rival_build}
    runs = Runs(arguments.keep, builds)
    tables = sorted(arguments.tables.glob("*.tsv.gz"))
    if arguments.quick:
        tables = sorted(tables, key=lambda path: path.stat().st_size)[:3]
    for path in tables:
        run_table(
            path,
            runs,
            tool if arguments.part != "rivals" else None,
            python if arguments.part != "tool" else None,
        )
    if arguments.part == "rivals":
        return 0
    bars, own = judge(runs)
    ends = collections.Counter(entry["status"] for entry in own)
    print(", ".join(f"{status} {count}" for status, count in ends.most_common()))
    page = "\n\n".join([
        "# Every table as it is",
        "Tables of PMLB with at most 5,000 rows, unscaled, default options; `bench/studies/every_table.py`, "
        + machine() + f"; build {builds['tool']} of the tool, scikit-learn {rival_build or 'not there'}.",
        bars.table(),
        per_run(runs),
        "## Not solved",
        unsolved(own),
    ])  # fmt: skip
    if arguments.output:
        arguments.output.write_text(page + "\n")
    elif not arguments.quick:
        write_page("every-table.md", page)
    return 1 if bars.missed else 0


if __name__ == "__main__":
    sys.exit(main())
