#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tool on broken files: one good file for every format and kind of model, with flipped bits,
cuts, repeats and other numbers. Whatever a file says, a run must not end by a signal or an internal
error, nor take more than 20 seconds or 1 GiB.

  tools/mutate_files.py TOOL [--count N] [--seed S] [--first K] [--keep FOLDER]

Prints what breaks the rule, with the command, and exits 1 if anything does. File K of a seed is the
same in every run; --keep FOLDER keeps the broken files that were found.
"""

import argparse
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading

# Of the processor: a machine that does other things, too, takes longer by the clock.
SECONDS = 20
# By the clock: so long waits only who waits for ever.
HANGS_AFTER = 300
MOST_BYTES = 1 << 30
# No run may take the machine down with it, whatever the file says.
HARD_LIMIT = 8 << 30
MEMORY_LIMIT = ["--memory-limit", "512M"]

MODEL_TEXT_MAGIC = b"maxmargin-model"
MODEL_BINARY_MAGIC = b"\x8fMMD\r\n\x1a\n"

# What trains a model of every kind: (name, command, data file, options).
MODELS = [
    *(
        (name, "train", "two.csv", ["--learner", name])
        for name in (
            "svc", "nu-svc", "linear-svc", "cs-svc", "lp-svc", "lda", "perceptron", "one-class",
            "svdd", "ramp-svc", "linear-ramp-svc", "robust-svc", "outlier-svc", "centroid-svc",
            "loo-svc", "multiclass",
        )
    ),
    *((name, "train", "real.csv", ["--learner", name]) for name in ("svr", "nu-svr", "linear-svr")),
    ("svc-probabilities", "train", "three.csv", ["--learner", "svc", "--probabilities",
                                                 "--scale", "range"]),
    ("svc-expression", "train", "three.csv",
     ["--learner", "svc", "--kernel", "0.5*rbf(gamma=0.1) + normalize(poly(degree=2))"]),
    ("svc-ecoc", "train", "three.csv", ["--learner", "svc", "--multiclass", "ecoc"]),
    ("svc-strings", "train", "strings.fasta",
     ["--learner", "svc", "--label", "last-word", "--kernel", "spectrum(length=2)"]),
    ("s3vm", "train", "semi.csv", ["--learner", "s3vm"]),
    ("tsvm", "train", "semi.csv", ["--learner", "tsvm"]),
    ("multilabel", "train", "sets.svm", ["--learner", "multilabel"]),
    ("rank", "train", "queries.svm", ["--learner", "rank"]),
    ("sequence", "train", "tags.conll", ["--learner", "sequence", "--max-iterations", "3"]),
    ("align", "train", "pairs.fasta", ["--learner", "align", "--max-iterations", "3"]),
    ("partition", "train", "items.pairs", ["--learner", "partition", "--max-iterations", "3"]),
    ("coreference", "train", "items.pairs", ["--learner", "coreference", "--max-iterations", "3"]),
    *(
        (name, "cluster", "two.csv", ["--method", name, *(["-k", "2"] * (name != "sv-clustering"))])
        for name in (
            "kmeans", "kernel-kmeans", "kmedoids", "hierarchical", "spectral", "mixture",
            "sv-clustering", "relabeler", "mmc", "mmc-alternating", "mmc-cutting-plane",
        )
    ),
]  # fmt: skip


def rows_of_numbers(rng, groups):
    """Rows of three numbers around one centre a group, and their groups."""
    return [
        ([round(rng.gauss(3 * group, 1), 3) for _ in range(3)], group)
        for group in range(groups)
        for _ in range(8)
    ]


def table(rows, labels):
    lines = ["a,b,c,label"]
    lines += [",".join(map(str, row)) + f",{label}" for (row, _), label in zip(rows, labels)]
    return "\n".join(lines) + "\n"


def svmlight(rows, prefixes):
    lines = []
    for (row, _), prefix in zip(rows, prefixes):
        lines.append(f"{prefix} " + " ".join(f"{j + 1}:{value}" for j, value in enumerate(row)))
    return "\n".join(lines) + "\n"


def npy(rows):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, 3), }}"
    header += " " * (118 - len(header) - 1) + "\n"
    values = struct.pack(f"<{3 * len(rows)}d", *(value for row, _ in rows for value in row))
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values


def idx(rows):
    values = bytes(min(255, abs(int(10 * value))) for row, _ in rows for value in row)
    return b"\0\0\x08\x02" + struct.pack(">II", len(rows), 3) + values


def write_good_files(folder, tool):
    """One file a format, then what the tool makes of them. Returns the names of data and models."""
    rng = random.Random(7)
    two, three = rows_of_numbers(rng, 2), rows_of_numbers(rng, 3)
    words = ["the D B-NP", "dog N I-NP", "runs V B-VP", ". . O"]
    files = {
        "two.csv": table(two, [group for _, group in two]),
        "three.csv": table(three, ["abc"[group] for _, group in three]),
        "three.tsv": table(three, ["abc"[group] for _, group in three]).replace(",", "\t"),
        "quoted.csv": table(three, ['"a, ""b"""', "c"] * 12),
        "real.csv": table(two, [round(sum(row), 3) for row, _ in two]),
        "semi.csv": table(two, [group if k % 3 else "?" for k, (_, group) in enumerate(two)]),
        "two.svm": svmlight(two, [group for _, group in two]),
        "sets.svm": svmlight(three, [("1", "2", "1,3")[group] for _, group in three]),
        "queries.svm": svmlight(three, [f"{k % 4} qid:{g}" for k, (_, g) in enumerate(three)]),
        "kernel.svm": svmlight(two, [f"{g} 0:{k + 1}" for k, (_, g) in enumerate(two)]),
        "strings.fasta": "".join(f">s{k} {k % 2}\n{'ACGT'[k % 2:] * 3}\n" for k in range(10)),
        "pairs.fasta": ">a\nGATTACA\n>b\nGAT-ACA\n\n>c\nCATCAT\n>d\nCA--AT\n",
        "items.pairs": "document d\nitem a 1\nitem b 1\nitem c 2\n1 2 1:1\n1 3 1:-1\n2 3 1:-1\n",
        "tags.conll": "\n".join([*words, "", *words[1:], "", *words]) + "\n",
        "tags.svmhmm": "A qid:1 1:1\nB qid:1 2:1\nA qid:2 1:2 3:1\n",
        "tags.conllu": "1\tdog\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n2\truns\trun\tVERB\t_\t_\t1\tdep\t_\t_\n\n",
        "coref.conll": "#begin document (d); part 000\nd\t0\t0\tHe\tPRP\t*\t-\t-\t-\t-\t*\t(0)\n"
                       "d\t0\t1\truns\tVBZ\t*\t-\t-\t-\t-\t*\t-\n\n#end document\n",
        "program.dat-s": "2\n1\n2\n1.0 1.0\n0 1 1 1 1.0\n0 1 2 2 1.0\n1 1 1 1 1.0\n2 1 2 2 1.0\n",
        "labels.txt": "1\n\"a\nb\"\n?\n",
        "steps.csv": "iteration,objective\n0,3.5\n1,2\n2,1.5\n",
    }  # fmt: skip
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "two.npy").write_bytes(npy(two))
    (folder / "two.idx").write_bytes(idx(two))
    data = [*files, "two.npy", "two.idx"]
    run = lambda *call: subprocess.run([tool, *call], cwd=folder, check=True, capture_output=True)
    for ending in ("gz", "bz2", "xz"):
        run("convert", "two.csv", f"two.csv.{ending}")
        data.append(f"two.csv.{ending}")
    models = {}
    for name, command, given, options in MODELS:
        output = "-o" if command == "train" else "--model"
        call = [command, given, *options, "--quiet", *(["-o", "clusters"] * (command == "cluster"))]
        for form in ("text", "binary"):
            run_model(folder, tool, [*call, output, f"{name}.{form}.mm", "--model-format", form])
            models[f"{name}.{form}.mm"] = given
    run("convert", "three.csv", "x.csv", "--scale", "range", "--save-scaler", "scaler.mm")
    for kind in ("pca", "kernel-pca", "lda"):
        run("convert", "three.csv", "x.csv", "--project", kind, "--model", f"{kind}.mm")
        models[f"{kind}.mm"] = "three.csv"
    run("convert", "svc.text.mm", "libsvm.model", "--to", "libsvm")
    run("convert", "linear-svc.text.mm", "liblinear.model", "--to", "liblinear")
    models |= {"scaler.mm": "three.csv", "libsvm.model": "two.csv", "liblinear.model": "two.csv"}
    return data, models


def run_model(folder, tool, call):
    """A training may end without converging (2): its model is as good for breaking."""
    done = subprocess.run([tool, *call], cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 2):
        raise RuntimeError(f"{call}: {done.stderr}")


def changed_number(rng, number):
    """Another number in place of one."""
    odd = [b"0", b"-1", b"1e308", b"-1e308", b"1e-320", b"nan", b"inf", b"2147483647", b"4294967296",
           b"9223372036854775807", b"18446744073709551616", b"1e9", b"100000000", b"0.5", b""]  # fmt: skip
    return rng.choice([*odd, number + number, number[:-1], b"-" + number])


def mutated(rng, content):
    """A file with one to four changes."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        size = max(len(content), 1)
        begin = rng.randrange(size)
        end = min(len(content), begin + rng.choice((1, 4, 16, 256, 4096)))
        kind = rng.choice(("flip", "flip", "cut", "drop", "repeat", "number", "number", "swap"))
        if kind == "flip" and content:
            byte = bytes([content[begin] ^ (1 << rng.randrange(8))])
            content = content[:begin] + byte + content[begin + 1 :]
        elif kind == "cut":
            content = content[:begin]
        elif kind == "drop":
            content = content[:begin] + content[end:]
        elif kind == "repeat":
            content = content[:begin] + content[begin:end] * rng.choice((2, 3, 100)) + content[end:]
        elif kind == "number":
            found = list(re.finditer(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", content))
            if found:
                at = rng.choice(found)
                number = changed_number(rng, at.group())
                content = content[: at.start()] + number + content[at.end() :]
        elif kind == "swap":
            lines = content.split(b"\n")
            first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[first], lines[second] = lines[second], lines[first]
            content = b"\n".join(lines)
    return content


def checksum(content):
    value = 0xCBF29CE484222325
    for byte in content:
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return value


def sealed(content):
    """A model with the checksum that its contents want, so that they are read."""
    if content.startswith(MODEL_TEXT_MAGIC):
        at = content.rfind(b"checksum ")
        body = content[:at] if at >= 0 else content
        return body + b"checksum fnv1a64 %016x\n" % checksum(body)
    if content.startswith(MODEL_BINARY_MAGIC) and len(content) > 8:
        return content[:-8] + struct.pack("<Q", checksum(content[:-8]))
    return content


def data_calls(name, models):
    """The commands that a broken data file is given to."""
    yield ["info", name]
    yield ["convert", name, "converted", "--to", "csv"]
    if name == "program.dat-s":
        yield ["solve", name, "--time-limit", "2"]
    if name == "steps.csv":
        yield ["plot", name, "--what", "trace", "-o", "picture.svg"]
    if name == "labels.txt":
        yield ["eval", name, name]
    if name.startswith("tags."):
        yield ["train", name, "--learner", "sequence", "--max-iterations", "3", "-o", "new.mm",
               "--time-limit", "2"]  # fmt: skip
    if name == "coref.conll":
        yield ["train", name, "--learner", "partition", "--max-iterations", "3", "-o", "new.mm",
               "--time-limit", "2"]  # fmt: skip
    own = [(each, models[f"{each[0]}.text.mm"]) for each in MODELS if each[2] == name]
    for (kind, command, given, options), _ in own[:3]:
        output = ["-o", "new.mm"] if command == "train" else ["--model", "new.mm", "-o", "clusters"]
        yield [command, given, *options, *output, "--time-limit", "2"]
        yield ["predict", f"{kind}.text.mm", name, "-o", "answers"]
    if not own:
        yield ["train", name, "--learner", "svc", "-o", "new.mm", "--time-limit", "2"]
        yield ["predict", "svc.text.mm", name, "-o", "answers"]


def model_calls(name, models):
    """The commands that a broken model is given to."""
    yield ["info", name]
    yield ["convert", name, "converted"]
    if name in ("pca.mm", "kernel-pca.mm", "lda.mm"):
        yield ["convert", models[name], "converted", "--project", name, "--to", "csv"]
    elif name == "scaler.mm":
        yield ["convert", models[name], "converted", "--scaler", name, "--to", "csv"]
    else:
        yield ["predict", name, models[name], "-o", "answers"]
        yield ["info", name, "--verify", models[name]]


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (HARD_LIMIT, HARD_LIMIT))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def problem_of(tool, call, folder):
    """What is wrong with one run; empty: nothing."""
    with subprocess.Popen([tool, *call], cwd=folder, stdin=subprocess.DEVNULL, text=True,
                          errors="replace", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          preexec_fn=limit_memory) as process:  # fmt: skip
        late = threading.Timer(HANGS_AFTER, process.kill)
        late.start()
        stderr = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        is_late = not late.is_alive()
        late.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    if is_late or process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return "hangs" if is_late else f"took more than {SECONDS} seconds"
    if process.returncode < 0:
        return f"ended by {signal.Signals(-process.returncode).name}"
    if "internal error" in stderr:
        return stderr.strip().splitlines()[0]
    if process.returncode not in (0, 1, 2, 3):
        return f"exit code {process.returncode}"
    if usage.ru_maxrss * 1024 > MOST_BYTES:
        return f"took {usage.ru_maxrss // 1024} MiB"
    name = re.search(r"maxmargin: .*?\b([A-Z]\w+(?:\.|::)[a-z_]+|[a-z]+_[a-z_]+: )", stderr)
    if name and process.returncode == 1 and not re.search(r"\.mm|model", stderr):
        return f"a message names {name.group(1)}: {stderr.strip()}"
    return ""


def takes_memory_limit(tool):
    """The commands whose help names the option."""
    taken = set()
    for command in ("train", "cluster", "predict", "info", "convert", "eval", "solve", "plot"):
        text = subprocess.run([tool, "help", command], capture_output=True, text=True).stdout
        learner = {"train": "svc", "cluster": "kmeans"}.get(command)
        if learner:
            call = [tool, "help", command, learner]
            text += subprocess.run(call, capture_output=True, text=True).stdout
        if "--memory-limit" in text:
            taken.add(command)
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tool")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path)
    given = parser.parse_args()
    tool = str(pathlib.Path(given.tool).resolve())
    limited = takes_memory_limit(tool)
    findings = 0
    runs = 0
    with tempfile.TemporaryDirectory() as scratch:
        good = pathlib.Path(scratch) / "good"
        good.mkdir()
        data, models = write_good_files(good, tool)
        names = sorted(data) + sorted(models)
        work = pathlib.Path(scratch) / "work"
        shutil.copytree(good, work)
        for number in range(given.first, given.first + given.count):
            rng = random.Random(f"{given.seed} {number}")
            name = names[number % len(names)]
            content = mutated(rng, (good / name).read_bytes())
            if rng.random() < 0.8:
                content = sealed(content)
            (work / name).write_bytes(content)
            calls = model_calls(name, models) if name in models else data_calls(name, models)
            for call in calls:
                call += MEMORY_LIMIT if call[0] in limited else []
                runs += 1
                problem = problem_of(tool, call, work)
                if not problem:
                    continue
                findings += 1
                print(f"file {number} ({name}): maxmargin {' '.join(call)}: {problem}", flush=True)
                if given.keep:
                    given.keep.mkdir(parents=True, exist_ok=True)
                    (given.keep / f"{number}-{name}").write_bytes(content)
            (work / name).write_bytes((good / name).read_bytes())
    print(f"{given.count} files, {runs} runs: {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
