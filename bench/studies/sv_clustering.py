#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Support vector clustering: time against the number of points.

    cmake --preset bench && ninja -C build/bench maxmargin_tool
    python3 bench/studies/sv_clustering.py build/bench/apps/maxmargin/maxmargin

Prints the table and writes it to docs/results/sv-clustering.md. Needs no package beside Python. The
seconds are those of the tool's report, by phase; the least total of several runs counts.
"""

import argparse
import json
import pathlib
import random
import subprocess
import tempfile

SIZES = (1_000, 2_000, 5_000, 10_000, 20_000)
BLOBS = 8
# (name, columns, gamma, share of outliers)
CASES = (
    ("two rings", 2, 4, 0.0),
    ("two rings, nu 0.1", 2, 4, 0.1),
    ("8 blobs", 2, 0.3, 0.0),
    ("8 blobs", 10, 0.05, 0.0),
)
HEADER = (
    "| data | d | n | gamma | sphere, s | graph, s | segments, s | total, s | clusters | support vectors | "
    "outliers | segments | misassigned |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)


def write_blobs(path, rows, columns):
    """Normal clouds of deviation 1 whose centres are 12 apart along a line and zigzag."""
    rng = random.Random(1)
    with open(path, "w") as file:
        for i in range(rows):
            blob = i % BLOBS
            point = [rng.gauss(0, 1) for _ in range(columns)]
            point[0] += 12 * blob
            point[1] += 12 * (blob % 2)
            file.write(",".join(f"{x:.6f}" for x in point) + f",{blob}\n")


def run_once(tool, data, gamma, share, threads):
    words = [
        tool, "cluster", data, "--method", "sv-clustering", "--gamma", str(gamma), "--nu",
        str(share), "--threads", str(threads), "--quiet", "--json", "-",
    ]  # fmt: skip
    report = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    seconds = report["seconds"]
    return seconds["sphere"] + seconds["graph"] + seconds["labelling"], report


def run_case(options, case, rows, folder):
    name, columns, gamma, share = case
    if "rings" in name:
        data = f"builtin:circles,n={rows},seed=1"
    else:
        data = f"{folder}/blobs-{rows}-{columns}.csv"
        write_blobs(data, rows, columns)
    runs = [run_once(options.tool, data, gamma, share, options.threads)
            for _ in range(options.repeats)]  # fmt: skip
    total, report = min(runs, key=lambda run: run[0])
    seconds, metrics = report["seconds"], report["metrics"]
    return (
        f"| {name} | {columns} | {rows:,} | {gamma} | {seconds['sphere']:.2f} | "
        f"{seconds['graph']:.2f} | {seconds['labelling']:.2f} | {total:.2f} | {metrics['clusters']:.0f} | "
        f"{metrics['support_vectors'] + metrics['bounded']:.0f} | {metrics['outliers']:.0f} | "
        f"{metrics['segments']:.0f} | {metrics['misassignment']:.4f} |"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--note", default="", help="a remark for the page, such as the load")
    parser.add_argument("--quick", action="store_true", help="the two least sizes, no file")
    options = parser.parse_args()
    lines = [HEADER]
    print(HEADER, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            for rows in SIZES[:2] if options.quick else SIZES:
                lines.append(run_case(options, case, rows, folder))
                print(lines[-1], flush=True)
    if options.quick:
        return
    page = f"""# Support vector clustering: time against the number of points

Written by `bench/studies/sv_clustering.py`. `maxmargin cluster --method sv-clustering` with its default graph
(10 nearest neighbours), 19 samples a segment and a relative gap of 1e-6 on {options.threads} threads;
the least of {options.repeats} runs. The neighbour graph takes O(n^2 d), the segments about O(n m s d) with
m samples and s support vectors. The bar is 60 s for 5,000 points. `misassigned` counts outliers as errors.
{options.note}

"""
    target = pathlib.Path(__file__).resolve().parents[2] / "docs" / "results" / "sv-clustering.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
