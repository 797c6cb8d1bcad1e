#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mixtures against scikit-learn's and kernel k-means against numpy, at equal numbers of steps.

    python3 -m venv build/venv && build/venv/bin/pip install scikit-learn
    cmake --preset release && ninja -C build/release maxmargin_tool
    build/venv/bin/python bench/studies/partition.py build/release/apps/maxmargin/maxmargin [FILE...]

Without files: normal clouds of 100,000 x 20 (mixtures) and 5,000 x 16 (kernel k-means). Files are in
svmlight format. The tool's time is that of its phases without reading, measuring and the lower bound,
which the others do not compute; runs alternate, and the least time of each counts.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time
import warnings

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

NOT_COUNTED = {"read", "measure", "lower bound"}
KINDS = {"full": "full", "tied": "tied", "diagonal": "diag", "spherical": "spherical"}


def clouds(rows, columns, k, seed):
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=1.5, size=(k, columns))
    return centres[rng.integers(k, size=rows)] + rng.normal(size=(rows, columns))


def run_tool(tool, points, *words):
    """Seconds and report of the tool on the points."""
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "points.npy"
        np.save(data, points)
        done = subprocess.run(
            [tool, "cluster", data, *map(str, words), "--json", "-", "--quiet"],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode not in (0, 2):
        raise RuntimeError(done.stderr)
    report = json.loads(done.stdout)
    return sum(s for phase, s in report["seconds"].items() if phase not in NOT_COUNTED), report


def mixture_row(tool, name, points, k, kind, steps, threads, repeats):
    ours, theirs = [], []
    for _ in range(repeats):
        # Their constant on the diagonal is of the size of our floor.
        model = GaussianMixture(
            k, covariance_type=KINDS[kind], tol=0, max_iter=steps, n_init=1,
            reg_covar=1e-6 * points.var(axis=0).mean(),
        )  # fmt: skip
        begin = time.perf_counter()
        with threadpool_limits(threads), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(points)
        theirs.append(time.perf_counter() - begin)
        seconds, report = run_tool(
            tool, points, "--method", "mixture", "-k", k, "--covariance", kind, "--restarts", 1,
            "--max-iterations", steps, "--tolerance", 1e-300, "--threads", threads,
        )  # fmt: skip
        ours.append(seconds)
    return (
        f"| mixture, {kind} | {name} {points.shape[0]:,} x {points.shape[1]} | {k} | {steps} | "
        f"{min(ours):.3f} | {min(theirs):.3f} | {min(ours) / min(theirs):.2f} | "
        f"{-report['primal_objective']:.6g} | {model.score(points) * len(points):.6g} |"
    )


def numpy_kernel_kmeans(points, gamma, k, restarts, seed):
    """Batch kernel k-means as one writes it in numpy: one product with the labels a pass."""
    squares = (points**2).sum(axis=1)
    gram = np.exp(-gamma * (squares[:, None] + squares[None] - 2 * points @ points.T))
    rng = np.random.default_rng(seed)
    best = np.inf
    for _ in range(restarts):
        seeds = rng.choice(len(points), size=k, replace=False)
        labels = gram[:, seeds].argmax(axis=1)
        while True:
            hot = np.eye(k)[labels]
            sizes = np.maximum(hot.sum(axis=0), 1)
            sums = gram @ hot / sizes
            lengths = (hot * sums).sum(axis=0) / sizes
            moved = (lengths - 2 * sums).argmin(axis=1)
            if (moved == labels).all():
                break
            labels = moved
        best = min(best, gram.trace() - (lengths * sizes).sum())
    return best


def kernel_row(tool, name, points, k, restarts, threads, repeats):
    gamma = float(1 / (points.shape[1] * points.var()))
    ours, theirs = [], []
    for _ in range(repeats):
        begin = time.perf_counter()
        with threadpool_limits(threads):
            value = numpy_kernel_kmeans(points, gamma, k, restarts, 0)
        theirs.append(time.perf_counter() - begin)
        seconds, report = run_tool(
            tool, points, "--method", "kernel-kmeans", "-k", k, "--gamma", repr(gamma),
            "--restarts", restarts, "--threads", threads,
        )  # fmt: skip
        ours.append(seconds)
    return (
        f"| kernel k-means | {name} {points.shape[0]:,} x {points.shape[1]} | {k} | "
        f"{restarts} restarts | {min(ours):.3f} | {min(theirs):.3f} | "
        f"{min(ours) / min(theirs):.2f} | {report['primal_objective']:.6f} | {value:.6f} |"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--quick", action="store_true", help="smaller clouds")
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).resolve())
    print("| method | points | k | steps | ours, s | theirs, s | ours / theirs | ours | theirs |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    sets = [
        (pathlib.Path(f).name, load_svmlight_file(f)[0].toarray()) for f in options.files
    ]  # fmt: skip
    rows = 20_000 if options.quick else 100_000
    for name, points in sets or [("clouds", clouds(rows, 20, 10, 1))]:
        for kind in KINDS:
            row = mixture_row(
                tool, name, points, 10, kind, options.steps, options.threads, options.repeats
            )
            print(row, flush=True)
    for name, points in sets or [("clouds", clouds(rows // 20, 16, 10, 2))]:
        print(kernel_row(tool, name, points, 10, 10, options.threads, options.repeats), flush=True)


if __name__ == "__main__":
    main()
