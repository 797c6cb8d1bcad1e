#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables and figures of Xu's thesis that can be made again: ours beside the published figures.

    cmake --preset release && ninja -C build/release maxmargin_tool
    python3 bench/studies/xu_tables.py build/release/apps/maxmargin/maxmargin

Tables 3.1 and 4.1 (clustering), 3.2 and 4.2 (few labels), figures 6.7 to 6.10 (outliers), two runs at a time with one
thread each. Writes docs/results/xu-tables.md; `--quick` takes two draws of each (about five minutes) and writes
only where --output says. With --sections a run that was interrupted goes on. Parts whose method the tool does not have
are skipped with a message, as are sets whose data is not in ../shared/data.
"""

import argparse
import datetime
import pathlib
import re
import tempfile
import time

from study_tool import Tool, machine, write_page
from xu_clustering import Pictures, table_3_1, table_4_1
from xu_robust import figures
from xu_semi import Samples, table_3_2, table_4_2

HEAD = """# Tables of Xu's thesis, made again

Where the thesis (L. Xu, Convex large margin training techniques, Waterloo 2007) names public data we take them; its
toy sets are drawn anew from their description ([built-in data](../guide/builtin-data.md)), its digits are drawn from
usps, its faces (76 or 78 pictures of two people) are replaced by ORL's ten a person. So columns can be compared, not
digits. Draws have the seeds 0, 1, 2, ...; the balance, which the thesis does not report, is 0.1. It does not say how
many rows `circles` and `ai` have either: with fewer than some 75 a ring, angles drawn at random leave gaps as wide as
the distance of the rings; and letters of 100 points drawn along the strokes have gaps as wide as the space between the
letters in 7 of 20 draws. The thesis's 38.5 % means a multiple of 13 points for `ai`, so probably fewer than ours.
The width of kernels is the best of five for spectral clustering, by its error, as in the thesis."""


# Where ours is worse than the thesis: why, and what was tried. Behind the figures of a part, of full runs alone.
NOTES = {
    "3.1": """Where ours is worse than the thesis:

- Joined circles (1 % there). How they are joined is not said. Two rings side by side that cross, as ours, can hardly be
  what was used: k-means errs on 50 % in the thesis and on 14.5 % here. Tried besides, by hand (two draws each,
  angles drawn or even, m = 1, 4, 16, 64): rings that touch (mmc 4 to 50 %), that cross (22 to 50 %), a ring within another
  that touches it (13 to 50 %) or nearly does (0 to 49 %; at the best width of each draw 0 to 11 %). The last came nearest
  to the thesis's figures and, with angles drawn, is the line `joined, ring in ring`: a shape that was chosen after seeing
  them, and on 20 draws mmc errs on 20 % at its best width, not on 1. On the rings that cross the search does
  not fail: in all ten problems on joined circles in [convex.md](convex.md) (n = 200; five widths, C = 1 and 100) the
  labels returned have an objective at most that of the true labels, polished, mostly far below it: the margin prefers
  other cuts there. Six draws with C = 1 and 10, m = 4, 16, 64: errors from 14 to 49 %.
- Gaussians and digits: the thesis's one draw lies within the range of ours. On Gaussians the labels returned have an
  objective below that of the polished truth in six of ten problems of [convex.md](convex.md) and the same in the others:
  where classes overlap, the largest margin may be elsewhere.
- At the width that suits spectral clustering the worst draw of digits has 48 % and that of faces 50 %; at the best of the
  five widths for itself mmc errs on 14 % of digits at most, and on 40 % of the worst draw of faces.""",
    "3.2": """Flare alone is worse than in the thesis at C = 100 (42.4 against 34.0). With the best of five C, as tsvm and the supervised machine have it, s3vm errs on 32.9 %.""",
    "4.1": """Where ours is worse than the thesis: three joined circles and squiggles at the thesis's number of points, by far;
circle-and-balls (0.6) by little. The sets must be others than the thesis's: k-means errs on 47.3 % of its three circles
and on 26.4 % of ours, spectral clustering on 4 and 0 % of its three circles and squiggles, on 28.6 and 45.9 % of ours.
On our three rings mmc errs more than both; whether the search fails there or the margin prefers other cuts, as on two
joined rings, was not measured. With 300 points, where
draws leave fewer gaps, squiggles are mostly found (7.2 %) and circle-and-balls always. Four digits: the difference is
within a standard error of ours.""",
    "4.2": """Where ours is worse than the thesis: on balance-scale and the faces of five the supervised machine and
spectral clusters are worse than there, too, so that the labelled rows tell less (one face of a person in place of three;
how the rows of balance-scale were chosen is not said). On car and balance-scale the relaxation is worse than our own
supervised machine. Tried on the first four draws with C = 1 and 100: the linear kernel errs on 41.7 % of car at C = 100
(the thesis has 41.9), the Gaussian one on 49 and 51; balance-scale stays at 37.7 % or more; four digits (not the
thesis's) at 10.4 % or more in three of the four settings. The fourth, and the faces of five, were not run. Gaps of 0.6 to 0.8 say that the bound does not tell how good these labels are.""",
    "figures": """As in the thesis: the plain machine's error grows with R, and one start of CCCP varies (R = 75, and by beta).
Robust machines are less sensitive to beta from 0.01 to 100. Otherwise than in the thesis:

- The centroid machine, whose lambda is chosen on the test set, errs least at every R; ramp-svc with ten starts errs as
  little as ROD with rho = 0.8 or 0.9, within the intervals.
- REH is not second: at the C of each draw that suits the plain machine it errs more than that up to R = 35 and is better
  from R = 75 on. With one C for all draws (R = 55, ten draws) it errs on 2.4 to 3 % from beta = 0.01 to 100.
- For tiny beta rho does matter (2.3 to 7.2 %), and for beta = 1e4 robust machines are not the plain one, but worse or
  no better; why was not looked into.
- F of ROD is 0.75 to 0.81 for rho = 0.8 and 0.9 up to beta = 100 and less for others; REH has 0.87 to 0.96 from
  beta = 0.01 to 100.""",
}


def seconds_of(sections):
    """The sum of what the parts say."""
    return sum(int(re.search(r"Wall time: (\d+) s", text).group(1)) for text in sections)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("--quick", action="store_true", help="two draws of each")
    parser.add_argument("--only", help="parts whose name holds this text, no page")
    parser.add_argument("--output", help="write the page there instead")
    parser.add_argument("--sections", type=pathlib.Path,
                        help="keep each part in this folder, and make only those that are not there")  # fmt: skip
    options = parser.parse_args()
    few = options.quick
    if options.sections:
        if few:
            raise SystemExit("--sections keeps parts of full runs: --quick would leave short ones there")
        options.sections.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tool = Tool(options.tool, folder)
        pictures = Pictures(folder)
        samples = Samples(pictures, folder)
        parts = {
            "3.1": lambda: table_3_1(tool, pictures, 2 if few else 20),
            "3.2": lambda: table_3_2(tool, samples, 2 if few else 5),
            "4.1": lambda: table_4_1(tool, pictures, 2 if few else 10),
            "4.2": lambda: table_4_2(tool, samples, 2 if few else 10),
            "figures": lambda: figures(tool, 2 if few else 50),
        }
        sections = []
        for part, make in parts.items():
            if options.only and options.only not in part:
                continue
            kept = options.sections and options.sections / f"{part}.md"
            if kept and kept.exists():
                text = kept.read_text(encoding="utf-8")
            else:
                start = time.monotonic()
                text = make()
                seconds = time.monotonic() - start
                text += f"\n\nWall time: {seconds:.0f} s, {datetime.date.today()}."
                if kept:
                    kept.write_text(text, encoding="utf-8")
            sections.append(text if few else f"{text}\n\n{NOTES[part]}")
            print(sections[-1], flush=True)
    minutes = (time.monotonic() - began) / 60
    print(f"{minutes:.1f} minutes", flush=True)
    quick = "**A quick run: two draws of everything.** " if few else ""
    page = "\n\n".join([
        HEAD,
        f"{quick}Made by `bench/studies/xu_tables.py` on {machine()}, two runs at a time with one thread each; wall time of all "
        f"parts {seconds_of(sections) / 60:.0f} minutes.",
        *sections])  # fmt: skip
    if options.output:
        pathlib.Path(options.output).write_text(page + "\n", encoding="utf-8")
    elif not options.only and not few:
        write_page("xu-tables.md", page)


if __name__ == "__main__":
    main()
