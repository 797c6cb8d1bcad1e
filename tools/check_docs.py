#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the documentation cannot drift from the code.

- Every fenced block in cpp, sh or python stands below a line
      <!-- example: examples/NAME -->
  and its text occurs in that file (which CI builds and runs).
- Every relative link points at a file that exists and, with an anchor, at a heading of that page.
  Diffs quote links of other pages, relative to those; blocks of them are left out.
- Every header named with its module is public, or named with its folder in src/; headers named
  without it exist, and in what users read are public.
- What users read (README.md, docs/guide) names no function or type that private headers alone have.
- Every fenced block in diff applies to this tree.
- The page about the step from 0.1 leads to headers that are public, calls private those that are,
  and leaves none out (the last where the history reaches back to 0.1).

The commands in indented blocks are run by tests/cli/docs_commands_test.py.
"""

import functools
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(\w*)\s*$")
MARK = re.compile(r"^<!-- example: (\S+) -->$")
LINK = re.compile(r"\]\(([^)#\s]*)(#[^)\s]*)?\)")
HEADER = re.compile(r"(?<![\w./-])(?:maxmargin/)?((?:[\w-]+/)+[\w-]+\.hpp)\b")
BARE_HEADER = re.compile(r"^[\w-]+\.hpp$")
CODE = re.compile(r"`([^`]+)`")
NAME = re.compile(r"(?<![\w.-])[A-Za-z_]\w*(?![\w-])")
HEADING = re.compile(r"^#+ (.*?)\s*$")
CHECKED = {"cpp", "c++", "sh", "bash", "python"}
FROM_0_1 = "docs/guide/from-0.1.md"
COMMIT_OF_0_1 = "6b34f238"
RENEW = (
    "in a clone apply the block with `git apply --reject`, mend what is rejected, build, run its tests, "
    "train, save, verify and tune with it, and put `git diff -U2` in the place of the block"
)


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


def anchors_of(lines):
    """What GitHub names the headings of a page."""
    found = []
    in_block = False
    for line in lines:
        if line.startswith("```"):
            in_block = not in_block
        heading = None if in_block else HEADING.match(line)
        if heading:
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.group(1))
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            found.append(slug)
    return {slug if found.index(slug) == i else f"{slug}-{found[:i].count(slug)}" for i, slug in enumerate(found)}


def check_links(page, lines):
    in_diff = False
    for number, line in enumerate(lines, 1):
        if in_diff or line.strip() == "```diff":
            in_diff = line.strip() != "```"
            continue
        for target, anchor in LINK.findall(line):
            if "://" in target or target.startswith("mailto:"):
                continue
            where = f"{page.relative_to(ROOT)}:{number}"
            there = page.parent / target if target else page
            if not there.exists():
                yield f"{where}: broken link {target}"
            elif anchor and there.suffix == ".md" and anchor[1:] not in anchors_of(there.read_text().splitlines()):
                yield f"{where}: {target or 'this page'} has no heading {anchor}"


def check_headers(page, lines):
    """A path such as solver/smo/smo.hpp says that a program may include it."""
    if page == ROOT / FROM_0_1 or page == ROOT / "CHANGELOG.md":
        return  # what was, too
    made = set(re.findall(r"^diff --git a/(\S+\.hpp) ", "\n".join(lines), re.MULTILINE))
    in_diff = False
    for number, line in enumerate(lines, 1):
        if in_diff or line.strip() == "```diff":
            in_diff = line.strip() != "```"
            continue
        for header in HEADER.findall(line):
            found = any((ROOT / place / header).is_file() for place in ("", "include", "include/maxmargin"))
            if not found and header not in made:
                where = f"{page.relative_to(ROOT)}:{number}"
                yield f"{where}: {header} is no public header (write src/... for a private one)"


def is_for_users(page):
    if page == ROOT / FROM_0_1:
        return False  # it names what was
    return page == ROOT / "README.md" or ROOT / "docs" / "guide" in page.parents


def code_in(lines):
    """Numbers of lines, and what stands there between backticks."""
    in_diff = False
    for number, line in enumerate(lines, 1):
        if in_diff or line.strip() == "```diff":
            in_diff = line.strip() != "```"
            continue
        for code in CODE.findall(line):
            yield number, code


def headers_in(*folders):
    return [header for folder in folders for header in (ROOT / folder).rglob("*.hpp")]


@functools.cache
def private_names():
    """Functions and types that private headers have, and no public one."""
    public = {word for header in headers_in("include") for word in re.findall(r"\w+", header.read_text())}
    declared = set()
    for header in headers_in("src"):
        text = re.sub(r"//.*", "", header.read_text())
        declared.update(re.findall(r"\b([A-Za-z_]\w*)\s*\(", text))
        declared.update(re.findall(r"\b(?:struct|class)\s+(\w+)", text))
    # Names of one small word are words of options and formats, too.
    return {name for name in declared - public if "_" in name.strip("_") or name[0].isupper()}


def check_names(page, lines):
    for number, code in code_in(lines) if is_for_users(page) else ():
        for name in sorted(set(NAME.findall(code)) & private_names()):
            where = f"{page.relative_to(ROOT)}:{number}"
            yield f"{where}: {name} is private to the library: users cannot call it"


def check_bare_headers(page, lines):
    """A header named without its folder, as the second of a list."""
    if page in (ROOT / FROM_0_1, ROOT / "CHANGELOG.md"):
        return
    known = {header.name for header in headers_in("include", *([] if is_for_users(page) else ["src", "tests", "apps"]))}
    for number, code in code_in(lines):
        if BARE_HEADER.match(code) and code not in known:
            where = f"{page.relative_to(ROOT)}:{number}"
            yield f"{where}: there is no {'public ' if is_for_users(page) else ''}header {code}"


def diff_blocks(lines):
    """The line a block of a diff begins at, and its text."""
    start, block = None, []
    for number, line in enumerate(lines, 1):
        if start is None:
            if line.strip() == "```diff":
                start, block = number, []
        elif line.strip() == "```":
            yield start, "".join(each + "\n" for each in block)
            start = None
        else:
            block.append(line)


def check_diffs(page, lines):
    """One line of context must match: what else stands around a change may change."""
    for number, text in diff_blocks(lines):
        answer = subprocess.run(
            ["git", "apply", "--check", "-C1", "-"], cwd=ROOT, input=text, capture_output=True, text=True, check=False
        )
        if answer.returncode != 0:
            where = f"{page.relative_to(ROOT)}:{number}"
            yield f"{where}: the diff does not apply any more: {RENEW}\n{answer.stderr.rstrip()}"


def check_moved_headers(root=ROOT):
    """The tables of headers in the page about the step from 0.1."""
    page = (root / FROM_0_1).read_text()
    folder = root / "include" / "maxmargin"
    moved = dict(re.findall(r"^\| `(\S+\.hpp)` \| `(\S+\.hpp)` \|$", page, re.MULTILINE))
    private = set()
    section = page.partition("## C++: headers that became private")[2].partition("\nWhat to call")[0]
    for module, names in re.findall(r"^\| `(\w+)` \| (`.*`) \|$", section, re.MULTILINE):
        private.update(f"{module}/{name}.hpp" for name in re.findall(r"`([^`]+)`", names))
    for old, new in moved.items():
        if not (folder / new).is_file():
            yield f"{FROM_0_1}: {old} -> {new}: no public header any more: list it as private"
    for header in sorted(private):
        if (folder / header).is_file():
            yield f"{FROM_0_1}: {header} is public: do not list it as private"
    tree = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", COMMIT_OF_0_1, "include/maxmargin"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    for path in tree.stdout.split():  # none where the history is shorter
        header = path.removeprefix("include/maxmargin/")
        if not (folder / header).is_file() and header not in moved and header not in private:
            if f"`{header}` is gone" not in page:
                yield f"{FROM_0_1}: says nothing of {header}, which 0.1 had"


def self_test():
    """Each check finds what it is there for."""
    page = ROOT / "docs" / "README.md"
    diff = "```diff|--- a/LICENSE|+++ b/LICENSE|@@ -1,1 +1,1 @@|-no line of it|+another|```"
    heading = "# A `b`, c|# A `b`, c|[x](#a-b-c) [y](#a-b-c-1)"
    assert not list(check_links(page, ["[a](../README.md)", "[b](#documentation-by-task)"]))
    assert anchors_of(heading.split("|")) == {"a-b-c", "a-b-c-1"}
    for broken in ("[a](no-such.md)", "[a](#no-such)", "[a](../README.md#no-such)"):
        assert list(check_links(page, [broken])), broken
    assert not list(check_headers(page, ["maxmargin/core/names.hpp, src/core/weights.hpp, names.hpp"]))
    assert list(check_headers(page, ["`core/weights.hpp`"]))
    guide = ROOT / "docs" / "guide" / "evaluation.md"
    assert not list(check_bare_headers(page, ["`names.hpp`, `weights.hpp`"]))
    assert list(check_bare_headers(page, ["`grid.hpp`"])) and list(check_bare_headers(guide, ["`weights.hpp`"]))
    assert not list(check_names(guide, ["`read_training_data` and parallel_chunks", "`--no-such-option`"]))
    assert list(check_names(guide, ["from `parallel_chunks(threads)`"]))
    assert list(check_diffs(page, diff.split("|")))
    assert list(check_blocks(page, ["```sh", "maxmargin help", "```"]))
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / FROM_0_1).parent.mkdir(parents=True)
        (root / FROM_0_1).write_text("| `a.hpp` | `b/a.hpp` |\n")
        assert list(check_moved_headers(root))


def main():
    if "--self-test" in sys.argv[1:]:
        self_test()
        return 0
    problems = []
    for page in pages():
        lines = page.read_text().splitlines()
        problems += check_blocks(page, lines)
        problems += check_links(page, lines)
        problems += check_headers(page, lines)
        problems += check_bare_headers(page, lines)
        problems += check_names(page, lines)
        problems += check_diffs(page, lines)
    problems += check_moved_headers()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
