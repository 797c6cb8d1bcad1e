# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a case with a tool, and says where two runs differ."""

import csv
import io
import json
import shutil
import subprocess

#: First bytes of model files and checkpoints.
MODEL_MAGICS = (b"maxmargin-model", b"\x8fMMD\r\n\x1a\n")
#: Keys of a report that may differ, at any depth.
TIMES = {"seconds"}
#: Keys of a report that may differ between versions, and columns of tables.
LOOSE = {"version"}
SECONDS_EACH = 120


class Case:
    """Commands that run one after another in a folder of their own.

    A first word "!" says that the command is refused, with exit code 1.
    """

    def __init__(self, name, *steps):
        self.name = name
        self.refused = [step[0] == "!" for step in steps]
        self.steps = [[str(word) for word in step if word != "!"] for step in steps]


def reads_model(words):
    """Does the command read a model of ours that one before it has written?"""
    command, rest = words[0], words[1:]
    if command in ("predict", "info"):
        return rest[0].endswith(".mm")
    if command == "convert":
        inputs = [rest[0]] + [rest[i + 1] for i, w in enumerate(rest) if w in ("--project", "--scaler")]
        return any(word.endswith(".mm") for word in inputs)
    if command == "plot":
        return "--model" in rest
    return False


def is_model(content):
    return content.startswith(MODEL_MAGICS)


def run_step(tool, words, folder):
    """(exit code, standard output, standard error, files that were written or changed)."""
    before = {path: path.read_bytes() for path in folder.iterdir()}
    try:
        done = subprocess.run([tool, *words], cwd=folder, capture_output=True, timeout=SECONDS_EACH)
        code, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        code, out, err = "timeout", b"", b""
    files = {}
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        if before.get(path) != content:
            files[path.name] = content
    return code, out, err, files


def run_case(tool, case, folder):
    """What every step did."""
    folder.mkdir(parents=True)
    return [run_step(tool, words, folder) for words in case.steps]


def run_with_models(tool, case, results, folder):
    """What the steps that read models do with those of another tool; pairs (step, what it did)."""
    readers = [s for s, words in enumerate(case.steps) if reads_model(words)]
    if not readers:
        return []
    folder.mkdir(parents=True)
    answers = []
    for s, words in enumerate(case.steps):
        if s in readers:
            answers.append((s, run_step(tool, words, folder)))
        for name, content in results[s][3].items():
            (folder / name).write_bytes(content)
    return answers


class Looks:
    """What is compared beside the answers."""

    def __init__(self, options=False, messages=False, models=False):
        self.options, self.messages, self.models = options, messages, models

    def trimmed(self, value, top=True):
        """A report without what may differ."""
        if isinstance(value, list):
            return [self.trimmed(entry, False) for entry in value]
        if not isinstance(value, dict):
            return value
        kept = {}
        for key, entry in value.items():
            if key in TIMES or key in LOOSE or (top and key == "options" and not self.options):
                continue
            if top and key == "warnings" and not self.messages:
                kept["number of warnings"] = len(entry)
                continue
            kept[key] = self.trimmed(entry, False)
        return kept

    def differences(self, old, new):
        """Pairs (what, old and new) of one step."""
        if old[0] != new[0]:
            yield "exit code", old[0], new[0]
        yield from self.of_content("stdout", old[1], new[1])
        if self.messages:
            yield from self.of_content("stderr", old[2], new[2])
        for name in sorted(set(old[3]) | set(new[3])):
            if name not in old[3] or name not in new[3]:
                yield name, *("written" if name in side[3] else "absent" for side in (old, new))
            else:
                yield from self.of_content(name, old[3][name], new[3][name])

    def of_content(self, name, old, new):
        if old == new or (is_model(old) and is_model(new) and not self.models):
            return
        reports = [as_report(content) for content in (old, new)]
        if None not in reports:
            yield from self.of_values(name, *map(self.trimmed, reports))
            return
        if name.endswith(".csv") and without_seconds(old) == without_seconds(new):
            return
        yield name, *first_difference(old, new)

    def of_values(self, where, old, new):
        if isinstance(old, dict) and isinstance(new, dict):
            for key in [*old, *(k for k in new if k not in old)]:
                yield from self.of_values(f"{where}: {key}", old.get(key, "absent"), new.get(key, "absent"))
        elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
            for i, pair in enumerate(zip(old, new)):
                yield from self.of_values(f"{where}[{i}]", *pair)
        elif old != new:
            yield where, old, new


def as_report(content):
    """The object of a JSON report, numbers as they are written; None for other files."""
    if not content.lstrip().startswith(b"{"):
        return None
    try:
        return json.loads(content, parse_float=str, parse_int=str)
    except ValueError:
        return None


def without_seconds(content):
    rows = list(csv.reader(io.StringIO(content.decode("utf-8", "replace"))))
    kept = [j for j, name in enumerate(rows[0] if rows else []) if name not in TIMES]
    return [[row[j] for j in kept if j < len(row)] for row in rows]


def first_difference(old, new):
    """The first lines that differ."""
    lines = [content.decode("utf-8", "replace").split("\n") for content in (old, new)]
    for number, (one, other) in enumerate(zip(*lines), start=1):
        if one != other:
            return f"line {number}: {one[:80]}", other[:80]
    return f"{len(lines[0])} lines", f"{len(lines[1])} lines"


def compare_case(tools, case, root, looks):
    """(exit codes of the old tool, list of (step, who, differences), commands with old models)."""
    folders = [root / side / case.name.replace("/", "_") for side in ("old", "new", "crossed")]
    old = run_case(tools[0], case, folders[0])
    new = run_case(tools[1], case, folders[1])
    crossed = run_with_models(tools[1], case, old, folders[2])
    found = []
    for s in range(len(case.steps)):
        found.append((s, "", list(looks.differences(old[s], new[s]))))
    for s, answer in crossed:
        found.append((s, " with the old model", list(looks.differences(old[s], answer))))
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    return [(step[0], message_of(step[2])) for step in old], found, len(crossed)


def message_of(stderr):
    """The line that says what is wrong."""
    lines = [line for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    return next((line for line in reversed(lines) if not line.startswith("Try ")), "")
