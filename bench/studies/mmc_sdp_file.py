# SPDX-License-Identifier: Apache-2.0
"""Two-class maximum-margin clustering as a sparse SDPA file, and what CSDP and SDPA make of it.

With q = e + mu - nu the relaxation is

    min J  over M_ij (i < j), mu, nu, J
    M = I + sum M_ij (E_ij + E_ji) positive semidefinite
    [K o M, q; q', 2 (J - C e'nu)] positive semidefinite
    mu >= 0, nu >= 0, -eps <= (M e)_i <= eps

which is the form min c'x, sum x_i F_i - F_0 in the cone that such a file states. J is the least of
1/2 |w|^2 + C sum of hinges, C times the zeta of the thesis: below 1, as zeta is, interior points stop at an absolute
gap.
"""

import math
import re
import shutil
import subprocess
import time


def read_points(path):
    """Dense rows of a small svmlight file."""
    rows = []
    for line in path.read_text().splitlines():
        entries = [entry.split(":") for entry in line.split()[1:]]
        rows.append({int(column): float(value) for column, value in entries})
    width = max(max(row, default=0) for row in rows)
    return [[row.get(column, 0.0) for column in range(1, width + 1)] for row in rows]


def centred_rbf(points, gamma):
    n = len(points)
    kernel = [[math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, z))) for z in points]
              for x in points]  # fmt: skip
    means = [math.fsum(row) / n for row in kernel]
    mean = math.fsum(means) / n
    return [[kernel[i][j] - means[i] - means[j] + mean for j in range(n)] for i in range(n)]


def write_program(path, kernel, c, imbalance):
    n = len(kernel)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    value, first_mu = 1, 2 + len(pairs)
    first_nu = first_mu + n
    variables = first_nu + n - 1
    with open(path, "w") as file:
        file.write(f"{variables}\n3\n{n} {n + 1} -{4 * n}\n")
        file.write("1" + " 0" * (variables - 1) + "\n")

        def entry(matrix, block, row, column, value):
            file.write(f"{matrix} {block} {row} {column} {value!r}\n")

        # F_0: minus the constant parts.
        for i in range(1, n + 1):
            entry(0, 1, i, i, -1.0)
        for i in range(1, n + 1):
            entry(0, 2, i, i, -kernel[i - 1][i - 1])
        for i in range(1, n + 1):
            entry(0, 2, i, n + 1, -1.0)
        for i in range(1, n + 1):
            entry(0, 3, 2 * n + i, 2 * n + i, 1.0 - imbalance)
        for i in range(1, n + 1):
            entry(0, 3, 3 * n + i, 3 * n + i, -1.0 - imbalance)
        entry(value, 2, n + 1, n + 1, 2.0)
        for number, (i, j) in enumerate(pairs, start=2):
            entry(number, 1, i + 1, j + 1, 1.0)
            entry(number, 2, i + 1, j + 1, kernel[i][j])
            for point in (i + 1, j + 1):
                entry(number, 3, 2 * n + point, 2 * n + point, -1.0)
            for point in (i + 1, j + 1):
                entry(number, 3, 3 * n + point, 3 * n + point, 1.0)
        for i in range(1, n + 1):
            entry(first_mu + i - 1, 2, i, n + 1, 1.0)
            entry(first_mu + i - 1, 3, i, i, 1.0)
        for i in range(1, n + 1):
            entry(first_nu + i - 1, 2, i, n + 1, -1.0)
            entry(first_nu + i - 1, 2, n + 1, n + 1, -2.0 * c)
            entry(first_nu + i - 1, 3, n + i, n + i, 1.0)


def _solved(command, pattern, folder):
    """Values and wall seconds of a program that prints two values; None where it is not installed."""
    if not shutil.which(command[0]):
        return None
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    seconds = time.perf_counter() - begin
    values = [float(value) for value in re.findall(pattern, done.stdout)]
    if len(values) < 2:
        raise RuntimeError(f"{command[0]} printed no values:\n{done.stdout[-2000:]}")
    return values[-2:], seconds


def by_csdp(path):
    """Primal and dual value, wall seconds."""
    return _solved(["csdp", path.name, "csdp.solution"],
                   r"(?:Primal|Dual) objective value:\s*(\S+)", path.parent)  # fmt: skip


def by_sdpa(path):
    return _solved(["sdpa", path.name, "sdpa.solution"],
                   r"objVal(?:Primal|Dual)\s*=\s*(\S+)", path.parent)  # fmt: skip
