#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the documentation cannot drift from the code.

- Every fenced block in cpp, sh or python stands below a line
      <!-- example: examples/NAME -->
  and its text occurs in that file (which CI builds and runs).
- Every relative link points at a file that exists.
- docs/guide/command-line.md names every option of the tool's option table with its default.
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
    for number, line in enumerate(lines, 1):
        for target, _ in LINK.findall(line):
            if "://" in target or target.startswith("mailto:"):
                continue
            if not (page.parent / target).exists():
                yield f"{page.relative_to(ROOT)}:{number}: broken link {target}"


def check_options():
    table = (ROOT / "apps/maxmargin/option_table.cpp").read_text()
    entries = re.findall(
        r'OptionSpec\{\s*"([^"]*)",\s*"([^"]*)",\s*"[^"]*",\s*"[^"]*"(?:\s*"[^"]*")*,'
        r'\s*("[^"]*"(?:\s*"[^"]*")*)\}',
        table,
    )
    if not entries:
        yield "apps/maxmargin/option_table.cpp: no options found; did its layout change?"
    guide = ROOT / "docs/guide/command-line.md"
    rows = {}
    for line in guide.read_text().splitlines():
        row = re.match(r"\|\s*`(?:--([a-z0-9-]+)|-([A-Za-z])`)", line)
        if row:
            rows[row.group(1) or row.group(2)] = line
    for name, _, literals in entries:
        fallback = "".join(re.findall('"([^"]*)"', literals))
        if name not in rows:
            yield f"docs/guide/command-line.md: the option --{name} is missing"
        elif fallback and f"| {fallback} |" not in rows[name]:
            yield f"docs/guide/command-line.md: --{name} must show the default {fallback}"
    for name in rows:
        if name not in {entry[0] for entry in entries}:
            yield f"docs/guide/command-line.md: the tool has no option --{name}"


def main():
    problems = []
    for page in pages():
        lines = page.read_text().splitlines()
        problems += check_blocks(page, lines)
        problems += check_links(page, lines)
    problems += check_options()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
