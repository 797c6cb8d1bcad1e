# SPDX-License-Identifier: Apache-2.0
"""LIBSVM's model files, read only to recompute the dual objective in double."""

import numpy as np
import scipy.sparse


def read_model(path):
    """Returns (header, coefficients, vectors): coefficients (nSV x k-1), vectors sparse (nSV x d)."""
    header, coefficients, data, columns, starts = {}, [], [], [], [0]
    with open(path) as file:
        for line in file:
            words = line.split()
            if words == ["SV"]:
                break
            header[words[0]] = words[1:]
        per_row = int(header["nr_class"][0]) - 1
        for line in file:
            words = line.split()
            coefficients.append([float(word) for word in words[:per_row]])
            for word in words[per_row:]:
                column, value = word.split(":")
                columns.append(int(column) - 1)
                data.append(float(value))
            starts.append(len(columns))
    vectors = scipy.sparse.csr_matrix((data, columns, starts))
    return header, np.array(coefficients), vectors


def kernel_block(header, vectors, begin, end):
    """Rows begin..end of the kernel matrix of the support vectors."""
    dots = (vectors[begin:end] @ vectors.T).toarray()
    if header["kernel_type"] == ["linear"]:
        return dots
    assert header["kernel_type"] == ["rbf"], header["kernel_type"]
    gamma = float(header["gamma"][0])
    squares = np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel()
    return np.exp(-gamma * np.maximum(squares[begin:end, None] + squares[None, :] - 2 * dots, 0))


def dual_objective(path):
    """The dual of C-SVC summed over the pairs of classes, from the file's coefficients."""
    header, coefficients, vectors = read_model(path)
    classes = int(header["nr_class"][0])
    ends = np.cumsum([int(word) for word in header["nr_sv"]])
    of_class = np.searchsorted(ends, np.arange(len(coefficients)), side="right")
    # One column a pair: the coefficients of its two classes.
    pairs = [(i, j) for i in range(classes) for j in range(i + 1, classes)]
    wide = np.zeros((len(coefficients), len(pairs)))
    for column, (i, j) in enumerate(pairs):
        wide[of_class == i, column] = coefficients[of_class == i, j - 1]
        wide[of_class == j, column] = coefficients[of_class == j, i]
    quadratic = 0.0
    step = max(1, int(2e7 / max(1, len(wide))))
    for begin in range(0, len(wide), step):
        end = min(begin + step, len(wide))
        block = kernel_block(header, vectors, begin, end) @ wide
        quadratic += float(np.sum(wide[begin:end] * block))
    return float(np.abs(wide).sum()) - 0.5 * quadratic
