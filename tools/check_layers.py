#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who may include whom (ARCHITECTURE.md, "Layers").

A module is a folder of include/maxmargin and src. It may include modules of a lower layer, and of
its own layer those listed above it. Headers in src/<module> are private to the library: other
modules include them by the same order, public headers and apps/ do not. Public headers need the
standard library alone. Some libraries are for one module: nobody above linalg
calls BLAS.

  tools/check_layers.py [ROOT]       prints file:line: problem, and exits 1 if there is one
  tools/check_layers.py --self-test  checks the checker on a small tree with every mistake in it
"""

import argparse
import pathlib
import re
import sys
import tempfile

# (layer, folder), in the order of the table; the faces in apps/ stand above all.
LAYERS = [
    (0, "core"),
    (1, "linalg"),
    (1, "data"),
    (2, "kernel"),
    (2, "loss"),
    (2, "metric"),
    (3, "problem"),
    (4, "solver"),
    (5, "structured"),
    (5, "relax"),
    (6, "model"),
    (7, "cluster"),
    (7, "eval"),
    (8, "io"),
    (8, "plot"),
    (9, "learner"),
    (10, "apps"),
]
LAYER = {folder: layer for layer, folder in LAYERS}
POSITION = {folder: position for position, (_, folder) in enumerate(LAYERS)}

# Libraries that only some modules may see, by the start of the header's name.
RESERVED = {
    "Eigen/": {"linalg"},
    "Spectra/": {"linalg"},
    "cblas": {"linalg"},
    "lapack": {"linalg"},
    "coin/": {"solver"},
    "Clp": {"solver"},
    "Coin": {"solver"},
    "zlib.h": {"io"},
    "bzlib.h": {"io"},
    "lzma.h": {"io"},
    "nlohmann/": {"io", "apps"},
    "CLI/": {"apps"},
}

STANDARD_HEADERS = set(
    """
    algorithm any array atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv cfloat
    charconv chrono cinttypes ciso646 climits clocale cmath codecvt compare complex concepts
    condition_variable coroutine csetjmp csignal cstdalign cstdarg cstdbool cstddef cstdint cstdio
    cstdlib cstring ctgmath ctime cuchar cwchar cwctype deque exception execution filesystem format
    forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream
    iterator latch limits list locale map memory memory_resource mutex new numbers numeric optional
    ostream queue random ranges ratio regex scoped_allocator semaphore set shared_mutex
    source_location span sstream stack stdexcept stop_token streambuf string string_view strstream
    syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set
    utility valarray variant vector version
    """.split()
)

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SUFFIXES = {".hpp", ".h", ".cpp", ".cc", ".c"}


class File:
    """A source file: its module (None for include/maxmargin/*.hpp) and whether it is public."""

    def __init__(self, root, path):
        self.path = path
        parts = path.relative_to(root).parts
        self.name = "/".join(parts)
        self.is_public = parts[0] == "include"
        if parts[0] == "apps":
            self.module = "apps"
        elif self.is_public:
            self.module = parts[2] if len(parts) > 3 else None
        else:
            self.module = parts[1] if len(parts) > 2 else None


def source_files(root):
    for folder in ("include", "src", "apps"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield File(root, path)


def problem_with_module(user, used):
    """Why module `user` may not include the headers of `used`; None if it may."""
    if used not in LAYER:
        return f"{used} is not a module of the layer table"
    if used == user or LAYER[used] < LAYER[user]:
        return None
    if LAYER[used] > LAYER[user]:
        return (
            f"{user} (layer {LAYER[user]}) must not include the higher "
            f"{used} (layer {LAYER[used]})"
        )
    if POSITION[used] < POSITION[user]:
        return None
    return f"{user} must not include {used}: in layer {LAYER[user]}, {used} is listed below it"


def problem_with_include(root, file, quote, header):
    """Why `file` may not include `header`; None if it may."""
    parts = header.split("/")
    # A header of all modules together is a face as well; only faces may use it.
    user = file.module or "apps"
    if ".." in parts:
        return f'"{header}" leaves its folder: name it from include/ or src/'
    if parts[0] == "maxmargin":
        if len(parts) == 2:
            return None if user == "apps" else f"{header} gathers all modules: include what is used"
        return problem_with_module(user, parts[1])
    if file.is_public:
        if quote == "<" and header in STANDARD_HEADERS:
            return None
        return f"a public header must not need {header}: maxmargin/ and the standard library alone"
    for start, modules in RESERVED.items():
        if header.startswith(start) and quote == "<" and user not in modules:
            return f"{header} is for {', '.join(sorted(modules))} alone, not for {user}"
    if quote == '"' and user != "apps":
        if len(parts) < 2 or parts[0] not in LAYER:
            return f'"{header}" must be named from src/, as "{user}/{parts[-1]}"'
        return problem_with_module(user, parts[0])
    if quote == '"' and (root / "src" / header).is_file() and user == "apps":
        return f"{header} is private to the library"
    return None


def check_tree(root):
    """Problems as "file:line: text", in the order of the files."""
    problems = []
    for file in source_files(root):
        if file.module is None and not file.is_public:
            problems.append(f"{file.name}:1: a source file must lie in a module's folder")
            continue
        if file.module is not None and file.module not in LAYER:
            problems.append(f"{file.name}:1: {file.module} is not a module of the layer table")
            continue
        lines = file.path.read_text(encoding="utf-8", errors="replace").splitlines()
        for number, line in enumerate(lines, start=1):
            match = INCLUDE.match(line)
            if not match:
                continue
            problem = problem_with_include(root, file, match.group(1), match.group(2))
            if problem:
                problems.append(f"{file.name}:{number}: {problem}")
    return problems


# Self-test: a tree with every mistake, and where each must be found.
SELF_TEST = {
    "include/maxmargin/maxmargin.hpp": ('#include "maxmargin/io/read.hpp"\n', {}),
    "include/maxmargin/core/good.hpp": ("#include <vector>\n", {}),
    "include/maxmargin/core/bad.hpp": (
        '#include "maxmargin/linalg/matrix.hpp"\n#include <Eigen/Core>\n#include <unistd.h>\n',
        {1: "higher linalg", 2: "public header", 3: "public header"},
    ),
    "include/maxmargin/data/good.hpp": ('#include "maxmargin/linalg/matrix.hpp"\n', {}),
    "include/maxmargin/linalg/bad.hpp": (
        '// comment\n#include "maxmargin/data/dataset.hpp"\n#include "linalg/secret.hpp"\n',
        {2: "listed below", 3: "public header"},
    ),
    "include/maxmargin/magic/bad.hpp": ("", {1: "not a module"}),
    "src/linalg/secret.hpp": ("#pragma once\n", {}),
    "src/solver/inner/secret.hpp": ('#include "linalg/secret.hpp"\n', {}),
    "src/model/good.cpp": ('#include "linalg/secret.hpp"\n#include "solver/inner/secret.hpp"\n', {}),
    "src/problem/bad.cpp": (
        '#include "solver/inner/secret.hpp"\n#include "inner/secret.hpp"\n',
        {1: "higher solver", 2: "named from src/"},
    ),
    "src/linalg/good.cpp": (
        '#include "linalg/secret.hpp"\n#include <Eigen/Core>\n#include <cblas.h>\n', {}),
    "src/solver/bad.cpp": (
        '#include "maxmargin/relax/round.hpp"\n#include "relax/secret.hpp"\n'
        '#  include <cblas.h>\n#include "secret.hpp"\n#include "maxmargin/maxmargin.hpp"\n'
        '#include "../linalg/secret.hpp"\n#include "maxmargin/magic/x.hpp"\n',
        {
            1: "higher relax",
            2: "higher relax",
            3: "for linalg alone",
            4: "named from src/",
            5: "gathers all",
            6: "leaves its folder",
            7: "not a module",
        },
    ),
    "src/kernel/good.cpp": (
        '#include "maxmargin/kernel/kernel.hpp"\n#include <sys/mman.h>\n', {}),
    "src/kernel/bad.cpp": (
        '#include "maxmargin/loss/hinge.hpp"\n#include <ClpSimplex.hpp>\n',
        {1: "listed below", 2: "for solver alone"}),
    "src/stray.cpp": ("", {1: "module's folder"}),
    "apps/maxmargin/main.cpp": (
        '#include "maxmargin/io/read.hpp"\n#include "options.hpp"\n#include <CLI/CLI.hpp>\n'
        '#include "linalg/secret.hpp"\n#include "maxmargin/maxmargin.hpp"\n',
        {4: "private to the library"},
    ),
}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        expected = {}
        for name, (text, problems) in SELF_TEST.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            expected.update({f"{name}:{line}": rule for line, rule in problems.items()})
        found = {":".join(p.split(":")[:2]): p for p in check_tree(root)}
    failures = [f"missed at {place}: {rule}" for place, rule in expected.items()
                if rule not in found.get(place, "")]
    failures += [f"false alarm: {text}" for place, text in found.items() if place not in expected]
    print("\n".join(failures) or f"self-test passed: {len(expected)} mistakes found")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description="Checks the include rule of the layers.")
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parent.parent,
                        type=pathlib.Path)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    problems = check_tree(arguments.root)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
