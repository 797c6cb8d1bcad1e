#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints how large the project is, of one tree or of two beside each other.

Product files and lines (include, src, apps), public headers, exported functions and types, option
fields set by hand in the tool, hand-written validations, run settings (threads, seed, memory limit,
callback) outside Context and the lines that copy them; the files that the trial learner and the trial
option of docs/design/adding-a-learner.md touch, tests and pages that the tool prints apart. With a
built tool also the lines of its help, and the longest line of all of it.

  tools/measure_tree.py TREE [TREE ...] [--tool PATH ...]
"""

import argparse
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_faces import ENUM, NO_TABLE, VALIDATOR, name_functions  # noqa: E402


def files_of(root, folder):
    return [p for p in sorted((root / folder).rglob("*")) if p.is_file() and p.suffix in (".cpp", ".hpp")]


def count(paths, pattern):
    expression = re.compile(pattern, re.MULTILINE)
    return sum(len(expression.findall(path.read_text(encoding="utf-8"))) for path in paths)


def count_name_functions(paths):
    """Functions between text and an enumeration that a table of names could be."""
    texts = [path.read_text(encoding="utf-8") for path in paths]
    patterns = name_functions({enum for text in texts for enum in ENUM.findall(text)})
    found = [name for text in texts for pattern in patterns for name in pattern.findall(text)]
    return sum(name not in NO_TABLE for name in found)


def help_of(tool, *words):
    answer = subprocess.run([tool, *words, "--help"], capture_output=True, text=True, check=False)
    lines = answer.stdout.splitlines()
    return len(lines), max((len(line) for line in lines), default=0)


def files_of_trials(root):
    """How many files each trial touches: the learner's and the option's diffs, tests apart."""
    page = root / "docs" / "design" / "adding-a-learner.md"
    if not page.is_file():
        return {}
    _, learner, option = re.split(
        r"^## The learner in full$|^## The option in full$", page.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    return {
        f"files to add {what}": sum(
            not name.startswith("tests/") and name != "docs/guide/options.md"
            for name in re.findall(r"^diff --git a/(\S+) ", part, re.MULTILINE)
        )
        for what, part in (("a learner", learner), ("an option", option))
    }


def longest_help(tool):
    """The longest line of all help: of the tool, its commands, its learners and its pages."""
    overview = subprocess.run([tool, "--help"], capture_output=True, text=True, check=False).stdout
    commands = re.findall(r"^  ([a-z]+)(?: |$)", overview, re.MULTILINE)
    longest = help_of(tool)[1]
    for command in commands:
        page = subprocess.run([tool, command, "--help"], capture_output=True, text=True, check=False).stdout
        longest = max([longest, *map(len, page.splitlines())])
        listed = re.search(r"^(?:Learners|Methods):\n(.*?)\n\n", page, re.MULTILINE | re.DOTALL)
        for name in re.findall(r"^  ([a-z0-9-]+)  ", listed.group(1) if listed else "", re.MULTILINE):
            longest = max(longest, help_of(tool, command, "--method" if command == "cluster" else "--learner", name)[1])
    return longest


def measure(root, tool):
    include, src, apps = (files_of(root, folder) for folder in ("include", "src", "apps"))
    product = include + src + apps
    rows = {
        "product files": len(product),
        "product lines": sum(len(p.read_text(encoding="utf-8").splitlines()) for p in product),
        "files of the tool": len(apps),
        "public headers": len(include),
        "exported functions and types": count(include, r"\bMAXMARGIN_EXPORT\b"),
        "hand-written validations": sum(len(VALIDATOR.findall(p.read_text(encoding="utf-8"))) for p in include + src),
        "fields set by hand in the tool": count(apps, r"\boptions\.\w+(?:\.\w+)* = "),
        "ambient fields": count(
            [p for p in include + src if p.name not in ("context.hpp", "generators.hpp") and "generate" not in p.parts],
            r"^  (?:std::optional<std::size_t>|std::size_t|std::uint64_t|const ProgressCallback&|ProgressCallback) "
            r"(?:threads|seed|memory_limit|on_progress|progress)(?: = [^;]*)?;",
        ),
        "lines that hand them on": count(
            include + src, r"\.(threads|seed|memory_limit|on_progress|progress) = [\w.>()-]*\b\1\b"
        ),
        "keys of model files in the tool": count(apps, r'"option\.'),
        "functions from names or to names": count_name_functions(product),
    }
    rows.update(files_of_trials(root))
    if tool:
        rows["longest help line"] = longest_help(tool)
        rows["lines of train --help"] = help_of(tool, "train")[0]
        rows["lines of train --learner svc --help"] = help_of(tool, "train", "--learner", "svc")[0]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trees", nargs="+", type=pathlib.Path)
    parser.add_argument("--tool", action="append", default=[])
    arguments = parser.parse_args()
    tools = arguments.tool + [None] * (len(arguments.trees) - len(arguments.tool))
    columns = [measure(tree, tool) for tree, tool in zip(arguments.trees, tools)]
    for name in columns[-1]:
        print(f"{name:36}" + "".join(f"{column.get(name, ''):>12}" for column in columns))


if __name__ == "__main__":
    main()
