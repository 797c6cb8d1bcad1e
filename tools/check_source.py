#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks rules of the source text that no compiler checks.

  - sources are ASCII
  - every .cpp and .hpp begins with the SPDX line, and every .hpp has #pragma once
  - the library (src/, include/) neither prints nor ends the process
  - what a run has around it (threads, memory limit, callback) is a member of Context alone
  - maxmargin.hpp includes every public header, and MAXMARGIN_EXPORT stands in those alone
  - a private header (src/) declares its names in maxmargin or in the one namespace of its family
  - no file names a place on somebody's machine
  - no file leaves a note to finish it later
  - the library measures by scales of its problems: no number of its own is the least size of a
    quantity, in std::max(x, 1e-12) or tolerance * std::max(1.0, x) (docs/design/scaling.md)
  - messages of what users reach (src/ but for CALLERS_ALONE) begin with no name of C++: a function, a
    struct or a member

  tools/check_source.py [ROOT]       prints file:line: problem, and exits 1 if there is one
  tools/check_source.py --self-test  checks the checker on a small tree with every mistake in it
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

SPDX = "// SPDX-License-Identifier: Apache-2.0"
CODE_SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".py", ".sh", ".cmake"}
TEXT_SUFFIXES = CODE_SUFFIXES | {".md", ".txt", ".in", ".json", ".yml", ".yaml", ".cff", ".toml"}
CODE_NAMES = {"CMakeLists.txt", "Makefile", "run"}

# Put together so that this file passes its own check.
PLACES = re.compile(r"(?<![\w.~/-])/(?:" + "|".join(["work", "root", "home", "tmp", "Users"]) +
                    r")(?=/|\b)")
NOTES = re.compile(r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME"]) + r")\b")

# The name that follows is neither a member nor in a namespace other than std.
FREE_CALL = r"(?<![\w.>:])(?:(?:std)?::)?"
LIBRARY_RULES = [
    (re.compile(r"\bstd::(?:cout|cerr|clog)\b|#\s*include\s*<iostream>"), "must not print"),
    (
        re.compile(FREE_CALL + r"(?:v?f?printf|f?puts|f?putc|putchar|perror)\s*\("),
        "must not print",
    ),
    (
        re.compile(FREE_CALL + r"(?:exit|_exit|_Exit|quick_exit|abort|terminate)\s*\("),
        "must not end the process",
    ),
    (re.compile(FREE_CALL + r"assert\s*\("), "must not end the process (assert)"),
]

ALL_HEADERS = "include/maxmargin/maxmargin.hpp"
# Folders whose functions say by their own name what a caller must not do. Data, options and models have
# been looked at before, in words of users, so that their messages reach who writes C++ alone.
CALLERS_ALONE = {
    "src/core/": "random numbers and threads",
    "src/linalg/": "sizes of matrices",
    "src/metric/": "measures of arrays; eval and the learners see to their lengths",
    "src/plot/": "pictures of arrays; the tool draws what it has loaded",
    "src/problem/": "optimisation problems, which trainers put together",
    "src/relax/": "relaxations, which trainers put together",
    "src/solver/": "solvers, which trainers call",
}
# "train_svc: ", "Classifier: ", "KernelExpansion.coefficients", "Rng::index ...".
MESSAGE_NAME = re.compile(
    r"(?:[a-z][a-z0-9]*(?:_[a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,})(?:(?:::|\.)\w+)?(?::(?= |$)| = )"
    r"|(?:[A-Z][a-z0-9]+)+(?:::|\.)[a-z_]+"
)
# What looks like it: the names of files.
FILE_NAME = re.compile(r"\S+\.(?:txt|mm|svg|csv|md|hpp|cpp)\b")

# What a run has around it, and the structs beside Context that may hold a part of it.
AMBIENT = re.compile(r"\b(threads|memory_limit|on_progress)\s*(?:=.*)?$", re.DOTALL)
AMBIENT_STRUCTS = {
    "Context": "which is made of them",
    "Problem": "k-medoids: the number of threads that the context came to",
    "BasicKernelRows": "the number of threads that the context came to",
}
STRUCT_HEAD = re.compile(
    r"\b(?:struct|class)\s+(?:[A-Z][A-Z_]+\s+)?(\w+)(?:<[^<>]*>)?(?:::\w+)*(?:\s+final)?\s*(?::[^:;][^;]*)?$"
)

# A size with a least value that no problem gave: what is smaller than that is taken for nothing. 1e-200
# and less only keep from dividing by 0.
FLOOR = re.compile(
    r"\bstd::max(?:<double>)?\(\{?(?:(?:[^;()]|\((?:[^;()]|\([^;()]*\))*\))*,)?"
    r"\s*1e-(?:[1-9]|[1-9]\d|1\d\d)\s*[,})]"
    r"|\*\s*std::max(?:<double>)?\(\{?\s*1(?:\.0?)?\s*,"
)
# Files where 1 or a part of it is the problem's own unit.
UNITS = {
    "src/cluster/mmc/sizes.cpp": "numbers of points",
    "src/linalg/block_eigenpairs.cpp": "vectors of length 1",
    "src/metric/significance/johnson_sb_fit.cpp": "a logarithm of a likelihood",
    "src/model/verify/relaxed.cpp": "values of functions whose margins are 1",
    "src/model/verify/semi.cpp": "numbers of rows",
    "src/problem/linear_risk.cpp": "the dual of l1 is bounded by 1",
    "src/relax/class_polish.cpp": "a share of an objective",
    "src/relax/label_polish.cpp": "a share of an objective",
    "src/solver/saddle/label_alternation.cpp": "objectives in units of C",
    "src/solver/sdp/interior_point.cpp": "programs scaled to entries of size 1",
    "src/solver/sdp/low_rank.cpp": "programs scaled to entries of size 1",
    "src/structured/chain.cpp": "a number of labels",
    "src/structured/hmm_fit.cpp": "a logarithm of a likelihood",
}

# Families of private headers whose names are too short to stand alone, by folder or first words of the
# files. All other private headers use maxmargin itself: what is exported says what is public.
FAMILIES = {
    "src/cluster/hierarchical/": "hierarchical",
    "src/cluster/kmeans/": "kernel_kmeans",
    "src/cluster/kmedoids/": "kmedoids",
    "src/cluster/mixture/": "mixture",
    "src/cluster/relabeler/": "relabel",
    "src/cluster/spectral/": "spectral",
    "src/cluster/sv/": "sv_clustering",
    "src/learner/": "learning",
    "src/plot/": "svg",
    "src/problem/slack_proof": "slack_proof",
    "src/solver/crammer_singer/": "crammer_singer",
    "src/solver/interior/": "interior",
    "src/solver/kmeans/": "kmeans",
    "src/solver/linear/": "linear",
    "src/solver/saddle/unit_rows": "unit_rows",
    "src/solver/saddle/": "saddle",
    "src/structured/chain_": "chain",
}
NAMESPACE = re.compile(r"^namespace maxmargin(?:::(\w+))? \{$")

# Comments and literals, in the order in which the text meets them.
COMMENT_OR_LITERAL = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r'|R"([^()\\ ]*)\(.*?\)\1"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)


def without_comments_and_literals(text):
    """The code alone, with all line breaks kept."""
    return COMMENT_OR_LITERAL.sub(lambda match: "\n" * match.group(0).count("\n") or " ", text)


def ambient_members(code):
    """Pairs (line, struct): members that belong to Context, in code without comments."""
    # The structs (or None: functions, namespaces, initializers) that are open, and the statement so
    # far.
    found, open_heads, statement, line = [], [], "", 1
    for letter in code:
        if letter == "\n":
            line += 1
        if letter == "{":
            head = STRUCT_HEAD.search(statement)
            if head or not re.search(r"=\s*$", statement):
                open_heads.append(head.group(1) if head else None)
                statement = ""
            else:
                open_heads.append("=")
        elif letter == "}":
            if open_heads and open_heads.pop() != "=":
                statement = ""
        elif letter == ";" and "=" not in open_heads:
            struct = open_heads[-1] if open_heads else None
            if struct and struct not in AMBIENT_STRUCTS and "(" not in statement:
                if AMBIENT.search(statement):
                    found.append((line, struct))
            statement = ""
        else:
            statement += letter
    return found


def tree_files(root):
    """Files under version control or about to be; everything outside build/ without git."""
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
        paths = [root / name for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        skipped = (root / "build", root / ".git")
        paths = [p for p in root.rglob("*") if not any(s in p.parents for s in skipped)]
    return sorted(path for path in paths if path.is_file())


def is_code(path):
    return path.suffix in CODE_SUFFIXES or path.name in CODE_NAMES


def check_file(name, path):
    """Pairs (line, problem)."""
    raw = path.read_bytes()
    text = raw.decode("utf-8", errors="replace")
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if is_code(path) and not line.isascii():
            yield number, "must be ASCII"
        if PLACES.search(line):
            yield number, "names a place on one machine: " + PLACES.search(line).group(0)
        if NOTES.search(line):
            yield number, "leaves a note for later: finish it, or file an issue"
    if path.suffix in (".cpp", ".hpp"):
        if lines[0] != SPDX:
            yield 1, f"must begin with {SPDX}"
        if path.suffix == ".hpp" and "#pragma once" not in lines:
            yield 1, "a header must have #pragma once"
    if name.split("/")[0] in ("src", "include") and path.suffix in (".cpp", ".hpp", ".h"):
        code = without_comments_and_literals(text)
        for number, struct in ambient_members(code):
            yield number, f"{struct} holds a part of Context: give it the member Context context"
        for number, line in enumerate(code.split("\n"), start=1):
            if name.startswith("src/") and "MAXMARGIN_EXPORT" in line:
                yield number, "only public headers export"
            for pattern, rule in LIBRARY_RULES:
                if pattern.search(line):
                    yield number, "the library " + rule
    if name.startswith("src/") and path.suffix in (".cpp", ".hpp") and name not in UNITS:
        code = without_comments_and_literals(text)
        for match in FLOOR.finditer(code):
            number = code.count("\n", 0, match.start()) + 1
            yield number, "a bare floor: measure by the scale of the problem (docs/design/scaling.md)"
    if name.startswith("src/") and not name.startswith(tuple(CALLERS_ALONE)):
        for match in COMMENT_OR_LITERAL.finditer(text):
            literal = match.group(0)
            found = MESSAGE_NAME.match(literal[1:-1]) if literal.startswith('"') else None
            if found and not FILE_NAME.match(literal[1:-1]):
                number = text.count("\n", 0, match.start()) + 1
                yield number, f"a message begins with the name of C++ {found.group(0)}: use words of users"
    if name.startswith("src/") and path.suffix == ".hpp":
        yield from check_namespaces(name, text)


def check_namespaces(name, text):
    """Pairs (line, problem) of a private header."""
    family = next((own for prefix, own in FAMILIES.items() if name.startswith(prefix)), None)
    for number, line in enumerate(text.split("\n"), start=1):
        found = NAMESPACE.match(line)
        if found and found.group(1) not in (None, family):
            yield number, f"a private header uses namespace maxmargin{'::' + family if family else ''}"


def check_tree(root):
    """Problems as "file:line: text", in the order of the files."""
    problems = []
    for path in tree_files(root):
        if path.suffix not in TEXT_SUFFIXES and path.name not in CODE_NAMES:
            continue
        name = path.relative_to(root).as_posix()
        problems += [f"{name}:{line}: {problem}" for line, problem in check_file(name, path)]
    return problems + unlisted_headers(root)


def unlisted_headers(root):
    """Public headers that the header of all of them lacks."""
    everything = root / ALL_HEADERS
    text = everything.read_text(encoding="utf-8") if everything.is_file() else ""
    names = sorted(path.relative_to(root / "include").as_posix()
                   for path in everything.parent.glob("*/**/*.hpp"))
    return [f"{ALL_HEADERS}:1: must include {name}" for name in names
            if f'#include "{name}"' not in text]


# Self-test: a tree with every mistake, and where each must be found.
SELF_TEST = {
    "src/core/good.cpp": (
        SPDX + "\n// exit(1) and std::cout are words here\nconst char* a = \"abort()\";\n"
        "auto b = std::snprintf(c, 1, \"x\");\nstatic_assert(true);\nmachine.abort(2);\n"
        "auto e = R\"(\nputs(\"x\")\n)\";\nint f = 1'000; int g = 2'000;\n",
        {},
    ),
    "src/core/bad.cpp": (
        "#include <iostream>\nvoid f() { std::cout << 1; }\n/* two\nlines */ std::exit(1);\n"
        "::abort();\nprintf(\"x\");\nstd::puts(\"x\");\n  std::terminate ();\nassert(x);\n"
        "std::fprintf(stderr, \"x\");\n",
        {1: "SPDX", 2: "print", 4: "end the process", 5: "end the process", 6: "print",
         7: "print", 8: "end the process", 9: "assert", 10: "print"},
    ),
    "include/maxmargin/core/bad.hpp": (SPDX + "\nint x; // caf\u00e9\n",
                                       {1: "#pragma once", 2: "ASCII"}),
    "include/maxmargin/core/listed.hpp": (SPDX + "\n#pragma once\n", {}),
    ALL_HEADERS: (SPDX + "\n#pragma once\n#include \"maxmargin/core/listed.hpp\"\n",
                  {1: "must include maxmargin/core/bad.hpp"}),
    "src/core/exported.cpp": (SPDX + "\n// MAXMARGIN_EXPORT\nMAXMARGIN_EXPORT void f();\n",
                              {3: "public headers"}),
    "src/core/ambient.hpp": (
        SPDX + "\n#pragma once\nstruct Context {\n  std::size_t threads = 1;\n};\n"
        "struct MAXMARGIN_API Own {\n  double c = 1;  // threads\n"
        "  std::optional<std::size_t> threads = {};\n  Context context = {};\n"
        "  void f(std::size_t threads);\n  void g() { const int threads = 2; }\n"
        "  ProgressCallback on_progress;\n};\n"
        "class Run final : public Base {\n  std::size_t memory_limit = 0;\n"
        "  std::size_t threads_ = 0;\n};\n"
        "inline int h() {\n  int threads = 1;\n  return threads;\n}\n",
        {8: "part of Context", 12: "part of Context", 15: "part of Context"},
    ),
    "src/solver/saddle/run.hpp": (
        SPDX + "\n#pragma once\nnamespace maxmargin::saddle {\n}\nnamespace maxmargin {\n}\n"
        "namespace maxmargin::detail {\n}\n",
        {7: "private header"},
    ),
    "src/model/messages.cpp": (
        SPDX + "\nrequire(a, \"train_svc: there are no rows\");\nrequire(b, \"LinearFunction: x\");\n"
        "require_field(c, \"KernelExpansion.coefficients\", d);\nthrow E(\"Rng::index of nothing\");\n"
        "f(\"weights_of: \" + g);\nh(\"the rows: 3\", \"snake_case\", \"--scale: x\", \"LDA: x\");\n"
        "// \"train_svc: x\"\ni(\"see data.txt\", \"Iris.csv\");\n",
        {2: "train_svc", 3: "LinearFunction", 4: "KernelExpansion", 5: "Rng", 6: "weights_of"},
    ),
    "src/solver/messages.cpp": (SPDX + "\nrequire(a, \"solve_smo: the start is wrong\");\n", {}),
    "src/solver/floors.cpp": (
        SPDX + "\ng = (p - d) / std::max({std::abs(p), std::abs(d), 1e-12});\n"
        "h = std::max(1e-9, x);\nok = std::max(x, 1e-300) + std::min(x, 1e-12) + 1e-12 * y;\n"
        "room = slack * std::max(1.0, std::abs(b));\nfine = sum / std::max(1.0, n);\n"
        "// std::max(x, 1e-12)\nlong_one = std::max(std::abs(a),\n                    1e-6);\n",
        {2: "bare floor", 3: "bare floor", 5: "bare floor", 8: "bare floor"},
    ),
    "src/cluster/mmc/sizes.cpp": (SPDX + "\nreturn 1e-9 * std::max(1.0, x);\n", {}),
    "apps/maxmargin/main.cpp": (SPDX + "\nint main() { std::cout << 1; exit(2); }\n", {}),
    "tools/bad.py": ("# see /" + "root/x\nx = 1  # " + "TO" + "DO\n",
                     {1: "one machine", 2: "note for later"}),
    "docs/page.md": ("Caf\u00e9 is fine here; https://host/home/x too.\n/" + "tmp/x is not\n",
                     {2: "one machine"}),
    "CMakeLists.txt": ("# na\u00efve\n", {1: "ASCII"}),
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
        found = {}
        for problem in check_tree(root):
            place = ":".join(problem.split(":")[:2])
            found[place] = found.get(place, "") + problem + "\n"
    failures = [f"missed at {place}: {rule}" for place, rule in expected.items()
                if rule not in found.get(place, "")]
    failures += [f"false alarm: {text}" for place, text in found.items() if place not in expected]
    print("\n".join(failures) or f"self-test passed: {len(expected)} mistakes found")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description="Checks rules of the source text.")
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
