#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables and figures of Xu's thesis that can be made again: ours beside the published figures.

    cmake --preset release && ninja -C build/release maxmargin_tool
    python3 bench/studies/xu_tables.py build/release/apps/maxmargin/maxmargin

Tables 3.1 and 4.1 (clustering), 3.2 and 4.2 (few labels), figures 6.7 to 6.10 (outliers), two runs at a time with one
thread each. Writes docs/results/xu-tables.md; `--quick` takes two draws of each (about five minutes) and writes
only where --output says. With --sections a run that was interrupted goes on. Parts whose method the tool does not have are skipped with a message, as are sets whose data
is not in ../shared/data.
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


NOTES = {part: "" for part in ("3.1", "3.2", "4.1", "4.2", "figures")}


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
