#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times reading of large svmlight files: ours, `wc -l` (the floor) and scikit-learn's.

    cmake --preset bench && ninja -C build/bench study_read
    bench/studies/read.py [--megabytes 300] [--repeats 5]

Prints a table and writes it to docs/results/read.md. scikit-learn comes from a virtual environment
under build/; without network the comparison is skipped with a message.
"""
import argparse
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

PEER = """
import sys, time
from sklearn.datasets import load_svmlight_file
start = time.perf_counter()
x, y = load_svmlight_file(sys.argv[1])
print("seconds", time.perf_counter() - start)
print("rows", x.shape[0])
print("columns", x.shape[1])
print("entries", x.nnz)
"""


def values_of(command):
    """Runs a program that prints "key value" lines."""
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {key: float(value) for key, value in (line.split() for line in text.splitlines())}


def seconds_of_wc(path):
    start = time.perf_counter()
    subprocess.run(["wc", "-l", path], check=True, capture_output=True)
    return time.perf_counter() - start


def find_peer():
    """(python, version of scikit-learn), or None with the reason printed."""
    folder = ROOT / "build" / "venv"
    python = folder / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=True, capture_output=True)
        ask = [python, "-c", "import sklearn; print(sklearn.__version__)"]
        answer = subprocess.run(ask, capture_output=True, text=True)
        if answer.returncode != 0:
            install = [python, "-m", "pip", "install", "--quiet", "scikit-learn"]
            subprocess.run(install, check=True, capture_output=True)
            answer = subprocess.run(ask, check=True, capture_output=True, text=True)
        return python, answer.stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"scikit-learn is not available, its rows are skipped: {error}", file=sys.stderr)
        return None


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        for line in info:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def measure(study, kind, path, repeats, peer):
    """Rows of the table for one file: (file, reader, MB/s, times wc, times the peer, memory)."""
    megabytes = os.path.getsize(path) / 1e6
    values_of([study, "time", path])  # brings the file into the page cache
    ours = [values_of([study, "time", path]) for _ in range(repeats)]
    alone = [values_of([study, "time", path, "1"]) for _ in range(repeats)]
    memory = values_of([study, "memory", path])
    floor = min(seconds_of_wc(path) for _ in range(repeats))
    peer_seconds = None
    if peer:
        runs = [values_of([peer[0], "-c", PEER, path]) for _ in range(2)]
        theirs = min(runs, key=lambda run: run["seconds"])
        for key in ("rows", "columns", "entries"):
            if theirs[key] != memory[key]:
                sys.exit(f"{kind}: {key} {memory[key]:.0f} here, {theirs[key]:.0f} in scikit-learn")
        peer_seconds = theirs["seconds"]

    ideal = 12 * memory["entries"] + 8 * memory["rows"]
    ratio = f"{memory['anonymous_peak'] / ideal:.2f}"

    def row(reader, seconds, used):
        times_peer = f"{peer_seconds / seconds:.1f}" if peer_seconds else "-"
        return (kind, reader, f"{megabytes / seconds:.0f}", f"{seconds / floor:.1f}", times_peer, used)

    def best(runs):
        return min(run["seconds"] for run in runs)

    rows = [row("read_data, all cores", best(ours), ratio), row("read_data, 1 thread", best(alone), "-")]
    if peer_seconds:
        rows.append(row("scikit-learn", peer_seconds, "-"))
    rows.append(row("wc -l", floor, "-"))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "bench")
    parser.add_argument("--megabytes", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    study = arguments.build / "bench" / "study_read"
    if not study.exists():
        sys.exit(f"{study} is missing; build it: cmake --preset bench && ninja -C build/bench study_read")

    peer = find_peer()
    load = os.getloadavg()[0]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("even", "mixed"):
            path = os.path.join(folder, kind)
            subprocess.run([study, "make", path, str(arguments.megabytes), kind], check=True)
            rows += measure(study, kind, path, arguments.repeats, peer)
            os.remove(path)

    header = ("file", "reader", "MB/s", "time / wc -l", "scikit-learn / time", "peak memory / ideal")
    table = [header, tuple("---" for _ in header)] + rows
    lines = ["| " + " | ".join(cells) + " |" for cells in table]
    print("\n".join(lines))

    peer_text = f"scikit-learn {peer[1]} (the best of 2)" if peer else "scikit-learn was not available"
    busy = ", so these are the figures of a busy machine" if load > 0.5 * os.cpu_count() else ""
    report = f"""# Reading svmlight files

Made by `bench/studies/read`: two files of {arguments.megabytes} MB in the page cache, read into a
`Dataset`; the best of {arguments.repeats} runs. Machine: {os.cpu_count()} cores, {cpu_name()}, Linux;
{peer_text}. Load average at the start: {load:.1f}{busy}.

- `even`: a label and 100 entries `index:0.xxxxxx` a row, about 100,000 columns.
- `mixed`: 1 to 200 entries a row, near together or far apart; counts, short and 17-digit decimals,
  negative numbers, exponents.

{chr(10).join(lines)}

The ideal memory is 12 bytes an entry and 8 a row, the arrays of the CSR matrix alone. The peak is the
largest anonymous memory (`RssAnon` of `/proc/self/status`, looked at every millisecond while reading)
above that before reading. Pages of the mapped file are not anonymous: the system takes them back when
it needs them. Labels (8 bytes a row) and scratch memory make the difference.

The bar: 250 MB/s on 2 cores or 5 times scikit-learn, and at most 1.5 times the ideal memory.
"""
    target = ROOT / "docs" / "results" / "read.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(report, encoding="utf-8")
    print(f"written: {target.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
