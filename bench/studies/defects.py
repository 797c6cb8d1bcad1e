#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tools said that was not true, and what they say now: certificates on scales that hide nothing.

    bench/studies/defects.py OLD NEW [--write]

Every row is one kind of defect that the tool of 0.1.0 had, on problems drawn by seeds: how many of its answers were false,
and how many of this tool's. False is what plain arithmetic shows, or the same problem in other units, where the scale is
about 1 (both know how to solve that): a gap that is not there, a bound above an objective that was reached, `solved` with a gap
above the tolerance, a machine called inseparable that another learner separates, a right answer that --verify fails. With
--write the table goes to docs/results/defects.md.
"""

import argparse
import csv
import io
import json
import pathlib
import random
import subprocess
import tempfile

from study_tool import machine, table, write_page

SEEDS = range(20)
TOLERANCE = 1e-3


class Tool:
    def __init__(self, path, folder):
        self.path, self.folder = pathlib.Path(path).resolve(), folder

    def run(self, *words):
        """The report, or None with what was said."""
        command = [self.path, *map(str, words), "--quiet", "--json", "-"]
        try:
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            return None, "no end within 60 s"
        return (json.loads(done.stdout) if done.stdout.strip() else None), done.stderr

    def train(self, data, learner, *words):
        return self.run("train", data, "--learner", learner, "-o", "m.mm", *words)


def write_rows(folder, name, rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([[repr(v) if isinstance(v, float) else v for v in row] for row in rows])
    (folder / name).write_text(text.getvalue())
    return name


def clouds(seed, n=40, distance=2.0, scale=1.0, offset=0.0):
    draw = random.Random(seed)
    return [
        [scale * (draw.gauss(0, 1) + (distance if i % 2 else 0)) + offset, scale * draw.gauss(0, 1) + offset, i % 2]
        for i in range(n)
    ]


def says_solved(report):
    return report is not None and report["status"] == "solved"


def differs(a, b, share):
    return a is None or b is None or abs(a - b) > share * max(abs(a), abs(b))


def small_spheres(tool, folder, seed):
    """svdd on data times 1e-8: the objective is that of the data, times 1e-16."""
    true = tool.train(write_rows(folder, "a.csv", [r[:2] for r in clouds(seed)]), "svdd", "--kernel", "linear",
                      "--label", "none", "--tolerance", 1e-6)[0]  # fmt: skip
    small = tool.train(write_rows(folder, "b.csv", [r[:2] for r in clouds(seed, scale=1e-8)]), "svdd", "--kernel",
                       "linear", "--label", "none")[0]  # fmt: skip
    return says_solved(small) and differs(small["primal_objective"], true["primal_objective"] * 1e-16, 2 * TOLERANCE)


def small_targets(tool, folder, seed):
    """svr with targets, epsilon and C times 1e-9: the objective is times 1e-18."""
    draw = random.Random(seed)
    rows = [[x := draw.gauss(0, 1), y := draw.gauss(0, 1), 3 * x - y + 0.1 * draw.gauss(0, 1)] for _ in range(40)]
    words = ["--kernel", "linear", "--tolerance", TOLERANCE]
    true = tool.train(write_rows(folder, "a.csv", rows), "svr", "--epsilon", 0.1, "-C", 1, *words)[0]
    tiny = [[*row[:2], 1e-9 * row[2]] for row in rows]
    small = tool.train(write_rows(folder, "b.csv", tiny), "svr", "--epsilon", 1e-10, "-C", 1e-9, *words)[0]
    return says_solved(small) and differs(small["primal_objective"], true["primal_objective"] * 1e-18, 3 * TOLERANCE)


def large_data(tool, folder, seed):
    """svc on data times 1e10 with C times 1e-20: the same machine."""
    words = ["--kernel", "linear"]
    true = tool.train(write_rows(folder, "a.csv", clouds(seed)), "svc", "-C", 1, *words)[0]
    large = tool.train(write_rows(folder, "b.csv", clouds(seed, scale=1e10)), "svc", "-C", 1e-20, *words)[0]
    return says_solved(large) and differs(large["primal_objective"], true["primal_objective"] * 1e-20, 3 * TOLERANCE)


def small_clusters(tool, folder, seed):
    """k-means on data times 1e-15: the relative gap is that of the data."""
    words = ["--method", "kmeans", "-k", 3, "--seed", seed]
    true = tool.run("cluster", write_rows(folder, "a.csv", [r[:2] for r in clouds(seed)]), *words)[0]
    small = tool.run("cluster", write_rows(folder, "b.csv", [r[:2] for r in clouds(seed, scale=1e-15)]), *words)[0]
    return small is not None and small["relative_gap"] < 0.5 * true["relative_gap"]


def indefinite(tool, folder, seed):
    """A sigmoid kernel: the problem has no lower bound, so no dual value is one."""
    report = tool.train(write_rows(folder, "a.csv", clouds(seed)), "svc", "--kernel", "sigmoid", "--gamma", 0.5,
                        "--coef0", -1, "--allow-indefinite", "--verify")[0]  # fmt: skip
    return report is not None and (report["dual_objective"] is not None or report["verified"] is True)


def far_relaxation(method):
    def far(tool, folder, seed):
        """The clusters, or the machine, of the data where they were bound the optimum from above."""
        offset = 10.0 ** (4 + seed % 4)
        near = write_rows(folder, "a.csv", [r[:2] for r in clouds(seed, n=24)])
        # What is left of the data when they are moved back.
        moved = [[value + offset for value in row[:2]] for row in clouds(seed, n=24)]
        near = write_rows(folder, "a.csv", [[value - offset for value in row] for row in moved])
        far = write_rows(folder, "b.csv", moved)
        words = ["--method", method, "-k", 2, "--kernel", "linear", "-C", 1]
        reached = tool.run("cluster", near, *words)[0]
        report = tool.run("cluster", far, *words)[0]
        if report is None or report["lower_bound"] is None:
            return False
        bound = report["lower_bound"]
        own = report["primal_objective"]
        return bound > min(own, reached["primal_objective"]) * (1 + 1e-6)

    return far


def far_machine(tool, folder, seed):
    """svc far from the origin: no gap but a true one."""
    offset = 10.0 ** (6 + seed % 3)
    moved = [[*(value + offset for value in row[:2]), row[2]] for row in clouds(seed)]
    near = [[*(value - offset for value in row[:2]), row[2]] for row in moved]
    true = tool.train(write_rows(folder, "a.csv", near), "svc", "--kernel", "linear", "--tolerance", 1e-6)[0]
    report = tool.train(write_rows(folder, "b.csv", moved), "svc", "--kernel", "linear")[0]
    return says_solved(report) and differs(report["primal_objective"], true["primal_objective"], 2 * TOLERANCE)


def heavy_class(tool, folder, seed):
    """A class weight of 1e12, an example weight of 1e14: solved says that the gap is within the tolerance."""
    draw = random.Random(seed)
    rows = clouds(seed, distance=1.0)
    for row in rows:
        row.insert(2, 1e14 if draw.random() < 0.1 else 1.0)
    data = write_rows(folder, "a.csv", [["a", "b", "w", "y"], *rows])
    learner = ("svc", "nu-svc", "linear-svc", "ramp-svc")[seed % 4]
    weight = [] if learner == "nu-svc" else ["--class-weight", "1=1e12"]
    report = tool.train(data, learner, "--label", "y", "--weight", "w", *weight, "--time-limit", 20)[0]
    if not says_solved(report):
        return False
    gap = report["relative_gap"]
    return gap is None or not gap <= TOLERANCE


def narrow_margin(tool, folder, seed):
    """Two classes on either side of a line, a margin of 1e-7 of the radius apart."""
    draw = random.Random(seed)
    rows = []
    for i in range(20):
        side, along = (1 if i % 2 else -1), draw.uniform(-1, 1)
        across = side * 1e-7 * (1 + (draw.random() if i > 3 else 0))
        rows.append([along + across, along - across, i % 2])
    report, said = tool.train(write_rows(folder, "a.csv", rows), "svc", "--kernel", "linear", "-C", "inf", "--time-limit", 20)
    return report is None or report["status"] == "primal_infeasible" or "separated" in said


def failed_verification(tool, folder, seed):
    """Right answers with a fractional number of outliers, or of costs that leave no loss."""
    data = write_rows(folder, "a.csv", clouds(seed, n=21 + seed % 10, distance=seed % 2, scale=10.0 ** (seed % 3)))
    cases = [
        ("outlier-svc", ["--rho", 0.6, "--kernel", "linear"]),
        ("linear-svc", ["--penalty", "l1", "--loss", "squared-hinge", "-C", 1e6]),
    ]
    learner, words = cases[seed // 2 % len(cases)]
    report = tool.train(data, learner, *words, "--verify", "--time-limit", 20)[0]
    return report is not None and report["verified"] is False


def program_without_bound(tool, folder, seed):
    """Semidefinite programs that end as solved: is there a bound within the tolerance?"""
    draw = random.Random(seed)
    n = 8
    lines = [str(n), "1", str(n), " ".join(["1.0"] * n)]
    for i in range(n):
        for j in range(i + 1, n):
            lines.append(f"0 1 {i + 1} {j + 1} {draw.gauss(0, 1):.6f}")
    lines += [f"{i + 1} 1 {i + 1} {i + 1} 1.0" for i in range(n)]
    (folder / "a.dat-s").write_text("\n".join(lines) + "\n")
    report = tool.run("solve", "a.dat-s", "--method", ("admm", "low-rank")[seed % 2], "--tolerance", 1e-6)[0]
    if not says_solved(report):
        return False
    bound, value = report["lower_bound"], report["primal_objective"]
    return bound is None or not (value - bound) <= 1e-6 * max(abs(value), abs(bound))


def hidden_emptiness(tool, folder, seed):
    """A bound that says nothing, and no word of it."""
    report = tool.train(write_rows(folder, "a.csv", clouds(seed, n=20, distance=1.0)), "ramp-svc", "-C", 100)[0]
    return report is not None and report["lower_bound"] is not None and report.get("bound") is None


def robust_above_ramp(tool, folder, seed):
    """Both minimise the same objective: robust-svc --bias none must not end above."""
    data = write_rows(folder, "a.csv", clouds(seed, n=40, distance=1.0))
    words = ["-C", 20, "--kernel", "rbf", "--gamma", 0.5, "--seed", seed]
    robust = tool.train(data, "robust-svc", "--bias", "none", *words)[0]
    ramp = tool.train(data, "ramp-svc", "--no-bias", *words)[0]
    if robust is None or ramp is None:
        return False
    return robust["primal_objective"] > ramp["primal_objective"] * (1 + TOLERANCE)


def unsolved_search(tool, folder, seed):
    """A search that ended by its own rule, far from its bound, is not solved."""
    data = write_rows(folder, "a.csv", [row[:2] for row in clouds(seed)])
    report = tool.run("cluster", data, "--method", "kmeans", "-k", 3, "--seed", seed)[0]
    return says_solved(report) and report["relative_gap"] > TOLERANCE


KINDS = [
    ("A1", "svdd on data times 1e-8", small_spheres),
    ("A1", "svr with targets, epsilon and C times 1e-9", small_targets),
    ("A1", "svc on data times 1e10, C times 1e-20", large_data),
    ("A1", "k-means on data times 1e-15", small_clusters),
    ("A2", "sigmoid kernel: a dual objective, or verified", indefinite),
    ("A3", "mmc at offsets of 1e4 to 1e7: a bound above the optimum", far_relaxation("mmc")),
    ("A3", "svc at offsets of 1e6 to 1e8: a false gap", far_machine),
    ("A4", "weights of 1e12 and 1e14: solved above the tolerance", heavy_class),
    ("A4", "k-means: solved above the tolerance", unsolved_search),
    ("A5", "margins of 1e-7: cannot be separated", narrow_margin),
    ("A6", "right answers that --verify fails", failed_verification),
    ("A7", "semidefinite programs: solved without a bound", program_without_bound),
    ("A8", "ramp-svc: a bound that says nothing, without a word of it", hidden_emptiness),
    ("A9", "robust-svc above ramp-svc", robust_above_ramp),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", help="kinds that hold this text")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for item, name, is_false in KINDS:
            if arguments.only and arguments.only not in name:
                continue
            counts = [sum(bool(is_false(Tool(path, folder), folder, seed)) for seed in SEEDS)
                      for path in (arguments.old, arguments.new)]  # fmt: skip
            rows.append([item, name, *(f"{count} of {len(SEEDS)}" for count in counts)])
            print(" | ".join(rows[-1]), flush=True)
    page = "\n\n".join([
        "# False answers of 0.1.0, and of this version",
        f"`bench/studies/defects.py OLD NEW --write` on {machine()}: problems of {len(SEEDS)} seeds of each kind, the same for "
        "both; each kind is a function of that file, which says what is counted as false. `tests/reference` holds all learners "
        "to sums in long double on problems of more kinds.",
        table(["item", "kind", "0.1.0", "this version"], rows),
    ])  # fmt: skip
    if arguments.write:
        write_page("defects.md", page)
    return 0 if all(row[3].startswith("0 ") for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
