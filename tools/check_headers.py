#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every public header compiles by itself.

Most of the time of such a check goes into the same few headers again and again. Those are
precompiled, and given to the headers that include them anyway, directly or through others: what is
given in advance is then nothing that a header could lack.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# A header is given the first of these of which it includes all.
BASES = (
    ("maxmargin/core/progress.hpp", "maxmargin/data/dataset.hpp"),
    ("maxmargin/data/dataset.hpp",),
    ("maxmargin/core/progress.hpp", "maxmargin/linalg/matrix.hpp"),
    ("maxmargin/linalg/matrix.hpp",),
    ("maxmargin/core/progress.hpp",),
    ("span", "string", "vector"),
)
INCLUDE = re.compile(r'^#include [<"](.+)[>"]', re.MULTILINE)

# Headers and whether they are good, with bases to give.
SELF_TEST_BASES = (("common.hpp", "string"), ("string", "vector"))
SELF_TEST = {
    "alone.hpp": ("#include <vector>\ninline std::vector<int> alone;\n", True),
    "common.hpp": ("#include <string>\n#include <vector>\ninline std::vector<int> common;\n", True),
    "through.hpp": ('#include "common.hpp"\ninline auto size = common.size();\n', True),
    "lacks.hpp": ("#include <cstddef>\ninline std::vector<int> bad;\n", False),
    "lacks_one.hpp": ("#include <string>\ninline std::vector<int> bad;\n", False),
    "lacks_another.hpp": ('#include "common.hpp"\ninline std::filesystem::path bad;\n', False),
    "lacks_ours.hpp": ("#include <string>\n#include <vector>\ninline auto bad = common.size();\n",
                       False),
}


def reach_of(header, folders):
    """The names of all that a header includes, directly or through ours."""
    names = set()
    unread = [header]
    while unread:
        for name in INCLUDE.findall(unread.pop().read_text(encoding="utf-8")):
            if name in names:
                continue
            names.add(name)
            unread += [folder / name for folder in folders if (folder / name).is_file()][:1]
    return names


def check(compiler, folders, bases):
    """What the compiler says of each header below the folders; nothing where all is well."""
    command = [compiler, "-std=c++20", *(f"-I{folder}" for folder in folders)]

    def run(*more, text=None):
        return subprocess.run([*command, *more], input=text, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)

    with (tempfile.TemporaryDirectory() as scratch,
          concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool):

        def precompile(base):
            path = pathlib.Path(scratch) / f"base{bases.index(base)}.hpp"
            path.write_text("".join(f"#include <{name}>\n" for name in base), encoding="utf-8")
            done = run("-x", "c++-header", path, "-o", f"{path}.gch")
            # One that does not compile is not given; its own check will say why.
            return (set(base), path) if done.returncode == 0 else None

        given = [base for base in pool.map(precompile, bases) if base]

        def compile_alone(place):
            folder, header = place
            reach = reach_of(header, folders)
            first = next((["-include", path] for names, path in given if names <= reach), [])
            done = run(*first, "-fsyntax-only", "-x", "c++", "-",
                       text=f"#include <{header.relative_to(folder)}>\n")
            return header, done.stdout if done.returncode else ""

        places = [(folder, header) for folder in folders for header in folder.rglob("*.hpp")]
        return dict(pool.map(compile_alone, sorted(places)))


def self_test(compiler):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, (text, _) in SELF_TEST.items():
            (root / name).write_text("#pragma once\n" + text, encoding="utf-8")
        found = check(compiler, [root], SELF_TEST_BASES)
        return [f"self-test: {name} was judged wrongly\n{found[root / name]}"
                for name, (_, is_good) in SELF_TEST.items() if (found[root / name] == "") != is_good]


def main():
    parser = argparse.ArgumentParser(description="Checks that every header compiles by itself.")
    parser.add_argument("compiler")
    parser.add_argument("folders", nargs="+", type=pathlib.Path, help="folders of includes")
    arguments = parser.parse_args()
    problems = self_test(arguments.compiler)
    found = check(arguments.compiler, arguments.folders, BASES)
    problems += [f"{header} does not compile by itself:\n{said}"
                 for header, said in found.items() if said]
    print("\n".join(problems) or f"{len(found)} headers compile by themselves")
    return 1 if problems or not found else 0


if __name__ == "__main__":
    sys.exit(main())
