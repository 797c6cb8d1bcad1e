#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The k-means and spectral columns of Xu's table 3.1 on regenerated data.

    cmake --preset release && ninja -C build/release maxmargin_tool
    python3 bench/studies/xu_table.py build/release/apps/maxmargin/maxmargin

Prints the table and writes it to docs/results/xu-table-3-1.md. As in the thesis the width of the
spectral method is the one of five that errs least (gamma = m / median of the squared distances, m = 1,
4, 16, 64, 256), which favours it; the column "default" uses the width `neighbour`, which looks at no
label. Errors are percent under the best matching of clusters and classes; the median over seeds is
shown with the range.
"""

import argparse
import json
import pathlib
import statistics
import subprocess

# name, rows, what the thesis reports for spectral and for k-means
CASES = [
    ("gaussians", 80, 1.2, 5.0),
    ("circles", 200, 0.0, 50.0),
    ("ai", 300, 0.0, 38.5),
    ("joined-circles", 100, 24.0, 50.0),
]
FACTORS = (1, 4, 16, 64, 256)
METHODS = ("spectral", "normalized-cut", "ratio-cut")


def cluster(tool, data, method, *words):
    done = subprocess.run(
        [tool, "cluster", data, "--method", method, "-k", "2", "--quiet", "--json", "-",
         *map(str, words)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def error(report):
    return 100 * report["metrics"]["misassignment"]


def errors_of(tool, data):
    """Errors by column for one draw of the data."""
    median = cluster(tool, data, "spectral", "--gamma", "median")["options"]["gamma"]
    found = {"k-means": error(cluster(tool, data, "kmeans"))}
    for method in METHODS:
        # The published method has no moves after k-means.
        plain = ("--refinements", 0) if method == "spectral" else ()
        tried = [error(cluster(tool, data, method, "--gamma", m * median, *plain)) for m in FACTORS]
        found[method] = min(tried)
    found["default"] = error(cluster(tool, data, "spectral"))
    return found


def shown(values):
    middle = statistics.median(values)
    return f"{middle:.1f} ({min(values):.1f} - {max(values):.1f})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--quick", action="store_true", help="three seeds, no file")
    options = parser.parse_args()
    seeds = 3 if options.quick else options.seeds
    lines = [
        "| data | n | thesis: spectral | spectral | normalized-cut | ratio-cut | spectral, default "
        "width | thesis: k-means | k-means |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, rows, spectral, centres in CASES:
        draws = [errors_of(options.tool, f"builtin:{name},n={rows},seed={s}") for s in range(seeds)]
        column = {key: [draw[key] for draw in draws] for key in draws[0]}
        lines.append(
            f"| {name} | {rows} | {spectral} | {shown(column['spectral'])} | "
            f"{shown(column['normalized-cut'])} | {shown(column['ratio-cut'])} | "
            f"{shown(column['default'])} | {centres} | {shown(column['k-means'])} |"
        )
        print(lines[-1], flush=True)
    if options.quick:
        return
    page = f"""# Two-class clustering: Xu's table 3.1

Errors in percent (best matching of clusters and classes): median over {seeds} draws of the data, with the
least and the largest. The thesis reports one draw each. Its data are not public; ours are regenerated from
their description ([built-in data](../guide/builtin-data.md)), so columns can be compared, not digits. It does
not say how many rows `circles` and `ai` have; with fewer than some 75 a ring, angles drawn at random leave gaps as wide
as the distance of the rings, and letters of 100 points drawn at random along the strokes have gaps as wide as the space
between the letters in 7 of 20 draws (`spectral` errs by up to 27 % there).
The thesis's 38.5 % means a multiple of 13 points for `ai`, so probably fewer than ours: its 0 errors are
met for our size, which was chosen after seeing these gaps, not for every size.
`spectral`, `normalized-cut` and `ratio-cut` use, as the thesis did for its spectral column, the width of five that errs
least: gamma = m / median of the squared distances, m = 1, 4, 16, 64, 256, and `spectral` is the published method
(`--refinements 0`). That uses the labels; the default width does not. The semidefinite column belongs to maximum-margin clustering and is not part of this study.
Two more sets of the thesis, digits and faces, are not in this study: their pictures are not part of our data.

{chr(10).join(lines)}

Made by `bench/studies/xu_table.py`.
"""
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    (root / "docs/results/xu-table-3-1.md").write_text(page)


if __name__ == "__main__":
    main()
