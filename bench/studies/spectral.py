#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spectral clustering and kernel PCA against scikit-learn: same data, kernel and number of clusters.

    python3 -m venv build/venv && build/venv/bin/pip install scikit-learn
    cmake --preset bench && ninja -C build/bench maxmargin_tool study_kernel_pca
    build/venv/bin/python bench/studies/spectral.py build/bench DATA...

DATA are files in svmlight format. Runs alternate between the two programs, so that both see the same
load of the machine; the least time of each counts. Objectives: the normalised cut of both labellings,
computed here from the same similarities; the sum of the eigenvalues of kernel PCA.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time
import warnings

import numpy as np
import sklearn
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_svmlight_file
from sklearn.decomposition import KernelPCA
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_limits


def normalized_cut(points, gamma, labels):
    similarity = rbf_kernel(points, gamma=gamma)
    np.fill_diagonal(similarity, 0)
    total = 0.0
    for cluster in np.unique(labels):
        own = labels == cluster
        total += similarity[own][:, ~own].sum() / similarity[own].sum()
    return total


def spectral_theirs(points, gamma, k, threads):
    model = SpectralClustering(
        k, affinity="rbf", gamma=gamma, assign_labels="kmeans", random_state=0
    )
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begin = time.perf_counter()
        labels = model.fit(points).labels_
    return time.perf_counter() - begin, labels


def spectral_ours(tool, data, gamma, k, threads):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [tool, "cluster", data, "--method", "spectral", "-k", str(k), "--gamma", repr(gamma),
             "--threads", str(threads), "-o", f"{folder}/labels", "--json", "-", "--quiet"],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        labels = np.loadtxt(f"{folder}/labels", dtype=int)
    seconds = json.loads(done.stdout)["seconds"]
    return sum(value for name, value in seconds.items() if name not in ("read", "measure")), labels


def kernel_pca_theirs(points, gamma, components, threads):
    model = KernelPCA(components, kernel="rbf", gamma=gamma, random_state=0)
    with threadpool_limits(threads):
        begin = time.perf_counter()
        model.fit(points)
    return time.perf_counter() - begin, model.eigenvalues_.sum()


def kernel_pca_ours(program, data, gamma, components, threads):
    words = subprocess.run(
        [program, data, repr(gamma), str(components), str(threads)],
        check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    return float(words[0]), sum(map(float, words[2:]))


def alternate(repeats, ours, theirs):
    """The fastest run of each."""
    pairs = [(ours(), theirs()) for _ in range(repeats)]
    return tuple(min((pair[i] for pair in pairs), key=lambda run: run[0]) for i in (0, 1))


def rows_of(data, options):
    tool = pathlib.Path(options.build) / "apps/maxmargin/maxmargin"
    study = pathlib.Path(options.build) / "bench/study_kernel_pca"
    points, classes = load_svmlight_file(data)
    points = points.toarray()
    k = len(np.unique(classes))
    gamma = 1 / (points.shape[1] * points.var())
    name = pathlib.Path(data).name
    shape = f"{points.shape[0]:,} x {points.shape[1]}"
    mine, other = alternate(
        options.repeats,
        lambda: spectral_ours(tool, data, gamma, k, options.threads),
        lambda: spectral_theirs(points, gamma, k, options.threads),
    )
    yield (
        f"| {name} {shape} | spectral, k = {k} | {mine[0]:.2f} | {other[0]:.2f} | "
        f"{mine[0] / other[0]:.2f} | {normalized_cut(points, gamma, mine[1]):.5f} | "
        f"{normalized_cut(points, gamma, other[1]):.5f} | "
        f"{adjusted_rand_score(classes, mine[1]):.3f} | "
        f"{adjusted_rand_score(classes, other[1]):.3f} |"
    )
    for components in (2, 20):
        mine, other = alternate(
            options.repeats,
            lambda: kernel_pca_ours(study, data, gamma, components, options.threads),  # noqa: B023
            lambda: kernel_pca_theirs(points, gamma, components, options.threads),  # noqa: B023
        )
        yield (
            f"| {name} {shape} | kernel PCA, {components} components | {mine[0]:.2f} | "
            f"{other[0]:.2f} | {mine[0] / other[0]:.2f} | {mine[1]:.5f} | {other[1]:.5f} | | |"
        )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("data", nargs="+")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(f"scikit-learn {sklearn.__version__}, {options.threads} threads, gamma = scale\n")
    print("| data | method | ours, s | theirs, s | ours / theirs | our objective | their objective | "
          "our ARI | their ARI |")  # fmt: skip
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for data in options.data:
        for row in rows_of(data, options):
            print(row, flush=True)


if __name__ == "__main__":
    main()
