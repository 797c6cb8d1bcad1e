# SPDX-License-Identifier: Apache-2.0
"""What studies share: running the tool, two at a time, tables, bars, pages, data files."""

import bz2
import concurrent.futures
import gzip
import json
import math
import os
import pathlib
import platform
import random
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"


class Run:
    """One command: its report (None if it wrote none), exit code, seconds of the clock and of the processor, peak
    bytes."""

    def __init__(self, report, code, seconds, peak, errors, processor_seconds=None):
        self.report, self.code, self.seconds = report, code, seconds
        self.processor_seconds, self.peak, self.errors = processor_seconds, peak, errors

    def metric(self, name):
        """In percent."""
        return 100 * self.report["metrics"][name]


class Refused(RuntimeError):
    """The tool ended with another code than 0 or 2."""


class Tool:
    def __init__(self, path, folder):
        self.path = str(path)
        self.folder = pathlib.Path(folder)

    def try_run(self, *words):
        """Runs a command with --json -, whatever it ends with."""
        command = [self.path, *map(str, words), "--quiet", "--json", "-"]
        begin = time.perf_counter()
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors)
            text = process.stdout.read()
            process.stdout.close()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            seconds = time.perf_counter() - begin
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace").strip()
        report = json.loads(text) if process.returncode in (0, 2) else None
        return Run(report, process.returncode, seconds, usage.ru_maxrss * 1024, said,
                   usage.ru_utime + usage.ru_stime)  # fmt: skip

    def run(self, *words):
        """The same, but anything else than an answer is an error."""
        done = self.try_run(*words)
        if done.report is None:
            raise Refused(f"{' '.join(map(str, words))}: {done.errors}")
        return done

    def cluster(self, data, method, k, *words):
        return self.run("cluster", data, "--method", method, "-k", k, *words)

    def train(self, data, learner, *words):
        """Each training writes a model of its own name: two may run at a time."""
        with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".mm") as model:
            return self.run("train", data, "--learner", learner, "-o", model.name, *words)

    def train_and_test(self, data, learner, test, *words):
        """The training, and the error of its model on the test set in percent."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            model = pathlib.Path(folder) / "model.mm"
            trained = self.run("train", data, "--learner", learner, "-o", model, *words)
            tested = self.run("predict", model, test, "-o", model.with_suffix(".out"))
        return trained, tested.metric("error")

    def convert(self, data, name):
        """The data as an svmlight file."""
        path = self.folder / name
        subprocess.run([self.path, "convert", str(data), str(path), "--to", "svmlight", "--quiet"],
                       check=True)  # fmt: skip
        return path

    def missing(self, *words):
        """None when the tool can do this small thing, else what it says: that part is skipped."""
        done = self.try_run(*words)
        if done.report is not None:
            return None
        return done.errors.splitlines()[0] if done.errors else f"exit code {done.code}"

    def missing_method(self, method, k=2, *words):
        return self.missing("cluster", f"builtin:gaussians,n={12 * k},k={k},seed=1", "--method", method,
                            "-k", k, *words)  # fmt: skip

    def missing_learner(self, learner, *words, labelled=None):
        """`labelled`: rows that keep their label, for learners that need rows without one."""
        some = []
        if labelled:
            path = self.folder / "probe.rows"
            path.write_text(" ".join(map(str, labelled)) + "\n")
            some = ["--labeled-rows", path]
        with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".mm") as model:
            return self.missing("train", "builtin:gaussians,n=24,seed=1", "--learner", learner,
                                "-o", model.name, *some, *words)  # fmt: skip


def two_at_a_time(function, items):
    """function of every item, in order, by two threads: each starts programs of one thread."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(function, items))


class Bars:
    """Figures beside their bars; those missed are remembered."""

    def __init__(self):
        self.rows, self.missed = [], []

    def add(self, what, shown, bar, holds):
        """holds: True, False, or None where there was nothing to measure."""
        verdict = {True: "met", False: "MISSED", None: "not measured"}[holds]
        self.rows.append([what, shown, bar, verdict])
        if holds is False:
            self.missed.append(f"{what}: {shown} (bar: {bar})")
        print(" | ".join(self.rows[-1]), flush=True)

    def show(self, what, shown):
        """A figure without a bar."""
        self.rows.append([what, shown, "-", "-"])
        print(" | ".join(self.rows[-1]), flush=True)

    def table(self):
        return table(["what", "measured", "bar", "verdict"], self.rows)


class Study:
    """The tool, bars, and the sections of a page; remembers what was left out."""

    def __init__(self, tool, quick=False):
        self.tool, self.quick = tool, quick
        self.bars = Bars()
        self.sections = []
        self.skipped = []

    def section(self, title, *parts):
        self.sections.append(f"## {title}\n\n" + "\n\n".join(part for part in parts if part))

    def has(self, what, reason):
        """Remembers and says what this tool cannot do; True when it can."""
        if reason is None:
            return True
        self.skipped.append(f"{what}: {reason}")
        print(f"skipped {what}: {reason}", flush=True)
        return False


class Deadline:
    """Studies end within their hour: what would begin after the deadline is left out and counted."""

    def __init__(self, minutes):
        self.end = time.monotonic() + 60 * minutes
        self.left_out = 0

    def passed(self):
        late = time.monotonic() > self.end
        self.left_out += late
        return late


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines)


def mean_and_error(values, digits=1):
    """Mean and its standard error."""
    values = [value for value in values if value is not None]
    if not values:
        return "-"
    mean = statistics.fmean(values)
    if len(values) < 2:
        return f"{mean:.{digits}f}"
    return f"{mean:.{digits}f} +- {statistics.stdev(values) / math.sqrt(len(values)):.{digits}f}"


def median_and_range(values, digits=1):
    values = [value for value in values if value is not None]
    if not values:
        return "-"
    return (f"{statistics.median(values):.{digits}f} "
            f"({min(values):.{digits}f} - {max(values):.{digits}f})")  # fmt: skip


def exponent(sizes, seconds):
    """Slope of log seconds against log size by least squares."""
    x, y = [math.log(n) for n in sizes], [math.log(s) for s in seconds]
    mx, my = statistics.fmean(x), statistics.fmean(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


def machine():
    processor = next(
        (line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor(),
    )
    return f"{os.cpu_count()} cores ({processor})"


def open_text(path):
    path = pathlib.Path(path)
    opener = {".gz": gzip.open, ".bz2": bz2.open}.get(path.suffix, open)
    return opener(path, "rt")


def svmlight_rows(path, labels):
    """Lines of an svmlight file by label, for these labels (texts)."""
    found = {label: [] for label in labels}
    with open_text(path) as lines:
        for line in lines:
            label, _, rest = line.strip().partition(" ")
            if label in found:
                found[label].append(rest)
    return found


def write_sample(path, by_label, count, seed):
    """`count` rows of each label, drawn and shuffled by the seed; all rows where there are fewer."""
    draw = random.Random(seed)
    lines = []
    for label, rows in by_label.items():
        lines += [f"{label} {row}" for row in draw.sample(rows, min(count, len(rows)))]
    draw.shuffle(lines)
    path.write_text("\n".join(lines) + "\n")
    return path


def labels_of(path):
    return [line.split(" ", 1)[0] for line in pathlib.Path(path).read_text().splitlines()]


def write_labelled_rows(path, labels, share, seed):
    """A split with this share of the rows of every class labelled, one at least."""
    draw = random.Random(seed)
    rows = []
    for label in sorted(set(labels)):
        own = [row for row, other in enumerate(labels) if other == label]
        rows += draw.sample(own, max(1, round(share * len(own))))
    path.write_text(" ".join(map(str, sorted(rows))) + "\n")
    return path


def write_page(name, text):
    """A page of docs/results."""
    (ROOT / "docs" / "results" / name).write_text(text.rstrip() + "\n", encoding="utf-8")
