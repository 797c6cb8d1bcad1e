#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the rows of the table in tests/unit/model/svc_libsvm_test.cpp.

For every case the data is written by `maxmargin convert builtin:...`, LIBSVM's svm-train solves it
with -e 1e-6, and the dual objective of its model file is computed in double from the coefficients
and the training rows they belong to, summed over the pairs of classes.

    tests/reference/libsvm_objectives.py MAXMARGIN SVM_TRAIN
"""

import math
import pathlib
import subprocess
import sys
import tempfile

# data, rows of class 1 that are kept (0: all), copies of every row, kernel, C, class weights 1 and 2
CASES = [
    ("gaussians,n=80,seed=1", 0, 1, "linear", 0.01, 1, 1),
    ("gaussians,n=80,seed=1", 0, 1, "linear", 1, 1, 1),
    ("gaussians,n=60,seed=2", 0, 1, "linear", 1000, 1, 1),
    ("gaussians,n=100,d=5,separation=1.5,seed=3", 0, 1, "rbf 0.2", 1, 1, 1),
    ("circles,n=80,seed=4", 0, 1, "rbf 1", 10, 1, 1),
    ("circles,n=80,noise=0.3,seed=5", 0, 1, "rbf 0.5", 1000, 1, 1),
    ("moons,n=100,noise=0.2,seed=6", 0, 1, "rbf 2", 0.01, 1, 1),
    ("moons,n=100,noise=0.2,seed=6", 0, 1, "rbf 2", 100, 1, 1),
    ("checkers,n=150,seed=7", 0, 1, "rbf 5", 1, 1, 1),
    ("checkers,n=150,seed=7", 0, 1, "rbf 1", 1000, 1, 1),
    ("ring-outliers,seed=8", 0, 1, "linear", 0.1, 1, 1),
    ("ring-outliers,seed=8", 0, 1, "rbf 0.01", 10, 1, 1),
    ("moons,n=80,noise=0.15,seed=9", 0, 1, "poly 0.5 1 3", 1, 1, 1),
    ("circles,n=60,noise=0.1,seed=10", 0, 1, "poly 1 0 2", 0.1, 1, 1),
    ("gaussians,n=60,separation=2,seed=11", 0, 1, "poly 0.1 1 4", 100, 1, 1),
    ("gaussians,n=80,separation=2,seed=12", 0, 1, "linear", 1, 10, 1),
    ("checkers,n=100,seed=13", 0, 1, "rbf 3", 10, 0.1, 5),
    ("gaussians,n=50,separation=2,seed=14", 0, 2, "rbf 0.5", 5, 1, 1),
    ("gaussians,n=150,separation=2.5,seed=15", 5, 1, "linear", 1, 8, 1),
    ("checkers,n=160,seed=16", 6, 3, "rbf 2", 100, 1, 0.5),
    ("gaussians,n=90,k=3,separation=2,seed=17", 0, 1, "linear", 1, 1, 3),
    ("circle-and-balls,n=90,noise=0.3,ball=0.8,seed=18", 0, 1, "rbf 0.5", 10, 1, 1),
]


def read(path):
    rows = []
    for line in path.read_text().splitlines():
        label, *entries = line.split()
        rows.append((label, {int(e.split(":")[0]): float(e.split(":")[1]) for e in entries}))
    return rows


def key(entries):
    """As svm-train prints a vector: %.8g, zeros left out."""
    return tuple((i, f"{v:.8g}") for i, v in sorted(entries.items()) if v != 0)


def kernel_function(text):
    name, *parameters = text.split()
    dot = lambda x, z: math.fsum(v * z.get(i, 0) for i, v in x.items())
    if name == "linear":
        return dot, ["-t", "0"]
    if name == "rbf":
        gamma = float(parameters[0])
        square = lambda x, z: math.fsum((x.get(i, 0) - z.get(i, 0)) ** 2 for i in set(x) | set(z))
        return lambda x, z: math.exp(-gamma * square(x, z)), ["-t", "2", "-g", parameters[0]]
    gamma, coef0, degree = float(parameters[0]), float(parameters[1]), int(parameters[2])
    options = ["-t", "1", "-g", parameters[0], "-r", parameters[1], "-d", parameters[2]]
    return lambda x, z: (gamma * dot(x, z) + coef0) ** degree, options


def dual_of_model(path, rows, kernel):
    text = path.read_text()
    head, body = text.split("SV\n", 1)
    header = {line.split()[0]: line.split()[1:] for line in head.splitlines()}
    counts = [int(c) for c in header["nr_sv"]]
    exact = {key(entries): entries for _, entries in rows}
    vectors, coefficients = [], []
    for line in body.splitlines():
        words = line.split()
        coefficients.append([float(w) for w in words[: len(counts) - 1]])
        entries = {int(w.split(":")[0]): float(w.split(":")[1]) for w in words[len(counts) - 1 :]}
        vectors.append(exact[key(entries)])
    begin = [sum(counts[:c]) for c in range(len(counts) + 1)]
    total = 0.0
    for a in range(len(counts)):
        for b in range(a + 1, len(counts)):
            part = [(coefficients[v][b - 1], v) for v in range(begin[a], begin[a + 1])]
            part += [(coefficients[v][a], v) for v in range(begin[b], begin[b + 1])]
            part = [(c, v) for c, v in part if c != 0]
            square = math.fsum(
                c * e * kernel(vectors[v], vectors[w]) for c, v in part for e, w in part
            )
            total += math.fsum(abs(c) for c, _ in part) - 0.5 * square
    return total


def main():
    tool, svm_train = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "data.svm"
        model = pathlib.Path(folder) / "model"
        for spec, keep, copies, kernel_text, c, weight_1, weight_2 in CASES:
            subprocess.run([tool, "convert", "--quiet", f"builtin:{spec}", data], check=True)
            kept, lines = 0, []
            for line in data.read_text().splitlines():
                kept += line.startswith("1 ")
                if keep == 0 or kept <= keep or not line.startswith("1 "):
                    lines.append(line)
            data.write_text("\n".join(lines * copies) + "\n")
            kernel, options = kernel_function(kernel_text)
            options += ["-c", str(c), "-e", "1e-6", "-q", "-w1", str(weight_1), "-w2", str(weight_2)]
            subprocess.run([svm_train, *options, data, model], check=True)
            dual = dual_of_model(model, read(data), kernel)
            print(f'{{"{spec}", {keep}, {copies}, "{kernel_text}", {c}, {weight_1}, {weight_2}, {dual!r}}},')


if __name__ == "__main__":
    main()
