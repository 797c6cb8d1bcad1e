#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the documentation cannot drift from the code.

- Every fenced block in cpp, sh or python stands below a line
      <!-- example: examples/NAME -->
  and its text occurs in that file (which CI builds and runs).
- Every relative link points at a file that exists. Diffs quote links of other pages, relative to
  those; blocks of them are left out.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(\w*)\s*$")
MARK = re.compile(r"^<!-- example: (\S+) -->$")
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
CHECKED = {"cpp", "c++", "sh", "bash", "python"}


def pages():
    for page in sorted(ROOT.glob("*.md")):
        yield page
    for page in sorted((ROOT / "docs").rglob("*.md")):
        yield page


def normalised(lines):
    return [line.rstrip() for line in lines if line.strip()]


def contains(haystack, needle):
    """True when the non-blank lines of needle stand in a row in haystack, at any one indentation."""
    hay = [line.strip() for line in haystack]
    want = [line.strip() for line in needle]
    return any(hay[i : i + len(want)] == want for i in range(len(hay) - len(want) + 1))


def check_blocks(page, lines):
    mark = None
    number = 0
    while number < len(lines):
        line = lines[number]
        fence = FENCE.match(line.strip())
        if fence:
            start = number
            number += 1
            block = []
            while number < len(lines) and lines[number].strip() != "```":
                block.append(lines[number])
                number += 1
            if fence.group(1).lower() in CHECKED:
                where = f"{page.relative_to(ROOT)}:{start + 1}"
                if mark is None:
                    yield f"{where}: a code block needs <!-- example: examples/NAME --> above it"
                elif not (ROOT / mark).is_file():
                    yield f"{where}: {mark} does not exist"
                else:
                    text = normalised((ROOT / mark).read_text().splitlines())
                    if not contains(text, normalised(block)):
                        yield f"{where}: the block is not part of {mark}"
            mark = None
        elif MARK.match(line.strip()):
            mark = MARK.match(line.strip()).group(1)
        elif line.strip():
            mark = None
        number += 1


def check_links(page, lines):
    in_diff = False
    for number, line in enumerate(lines, 1):
        if in_diff or line.strip() == "```diff":
            in_diff = line.strip() != "```"
            continue
        for target, _ in LINK.findall(line):
            if "://" in target or target.startswith("mailto:"):
                continue
            if not (page.parent / target).exists():
                yield f"{page.relative_to(ROOT)}:{number}: broken link {target}"


def main():
    problems = []
    for page in pages():
        lines = page.read_text().splitlines()
        problems += check_blocks(page, lines)
        problems += check_links(page, lines)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
