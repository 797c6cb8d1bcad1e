#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""k-means against scikit-learn: the same points, start and number of iterations.

    python3 -m venv build/venv && build/venv/bin/pip install scikit-learn
    cmake --preset bench && ninja -C build/bench study_kmeans
    build/venv/bin/python bench/studies/kmeans.py build/bench/bench/study_kmeans

Prints the table and writes it to docs/results/kmeans.md. Runs alternate between the two programs,
so that both see the same load of the machine; the least time of each counts.
"""

import argparse
import pathlib
import platform
import subprocess
import tempfile
import time
import warnings

import numpy as np
import sklearn
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

# (rows, columns, k, iterations)
CASES = [(200_000, 50, 20, 30), (200_000, 50, 100, 10), (50_000, 200, 20, 20), (200_000, 8, 10, 30)]


def make_case(rows, columns, k, seed):
    """Overlapping normal clouds, so that Lloyd's method is still moving when it is stopped."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=0.7, size=(k, columns))
    points = centres[rng.integers(k, size=rows)] + rng.normal(size=(rows, columns))
    start = points[rng.choice(rows, size=k, replace=False)].copy()
    return points, start


def time_sklearn(points, start, iterations, threads):
    model = KMeans(
        n_clusters=len(start), init=start, n_init=1, max_iter=iterations, tol=0, algorithm="lloyd"
    )
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begin = time.perf_counter()
        model.fit(points)
        seconds = time.perf_counter() - begin
    return seconds, model.n_iter_, model.inertia_


def time_ours(program, points_file, start_file, shape, k, iterations, threads):
    out = subprocess.run(
        [program, points_file, start_file, *map(str, (*shape, k, iterations, threads, 1))],
        check=True, capture_output=True, text=True,
    ).stdout.split()
    return float(out[0]), int(out[1]), float(out[2])


def run_case(program, case, threads, repeats):
    rows, columns, k, iterations = case
    points, start = make_case(rows, columns, k, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        points_file, start_file = f"{folder}/points", f"{folder}/start"
        points.tofile(points_file)
        start.tofile(start_file)
        ours, theirs = [], []
        for _ in range(repeats):
            theirs.append(time_sklearn(points, start, iterations, threads))
            ours.append(
                time_ours(program, points_file, start_file, points.shape, k, iterations, threads)
            )
    best_ours, best_theirs = min(ours), min(theirs)
    assert best_ours[1] == best_theirs[1], (best_ours, best_theirs)
    return (
        f"| {rows:,} x {columns} | {k} | {best_ours[1]} | {best_ours[0]:.3f} | "
        f"{best_theirs[0]:.3f} | {best_ours[0] / best_theirs[0]:.2f} | {best_ours[2]:.6f} | "
        f"{best_theirs[2]:.6f} |"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--note", default="", help="a remark for the page, such as the load")
    parser.add_argument("--quick", action="store_true", help="the first case alone, no file")
    options = parser.parse_args()
    lines = [
        "| points | k | iterations | ours, s | scikit-learn, s | ours / theirs | our inertia | "
        "their inertia |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    print(*lines, sep="\n", flush=True)
    for case in CASES[:1] if options.quick else CASES:
        lines.append(run_case(options.program, case, options.threads, options.repeats))
        print(lines[-1], flush=True)
    if options.quick:
        return
    page = f"""# k-means against scikit-learn

Written by `bench/studies/kmeans`. Both programs start from the same centres and make the same
number of passes of Lloyd's method in double precision on {options.threads} threads
(scikit-learn {sklearn.__version__}, `algorithm="lloyd"`, `n_init=1`, `tol=0`; Python
{platform.python_version()}). The time is that of the whole call, the least of {options.repeats}
alternating runs; ours checks every value for NaN and makes a centred copy, as scikit-learn does. Our
lower bound is switched off. The bar is a ratio of at most 1 in the first row.
{options.note}

"""
    target = pathlib.Path(__file__).resolve().parents[2] / "docs" / "results" / "kmeans.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
