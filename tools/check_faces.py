#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what a learner is stays in the library (ARCHITECTURE.md, "Learners").

In apps/, outside the folder compat/, no string is the name of a learner or of one of its options,
no option is set field by field (`options.x =`) and no key of a model file is read (`"option.`). In
the library at most 15 functions validate by hand: options describe themselves
(include/maxmargin/core/option.hpp). An enumeration has one table of names, and no function beside it
turns values into names or back.

  tools/check_faces.py [ROOT]       prints file:line: problem, and exits 1 if there is one
  tools/check_faces.py --self-test  checks the checker on a small tree with every mistake in it
"""

import argparse
import pathlib
import re
import sys
import tempfile

MOST_VALIDATORS = 15

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
COMMENT = re.compile(r"//.*$")
# A command describes options of its own by the same means; those are its affair.
DESCRIPTION = re.compile(r'\.(?:name|alias|help|value|fallback|title|summary)\s*=\s*"(?:[^"\\]|\\.)*"')
# Names of phases, of files that are written and of fields of reports are no options.
OTHER_USE = re.compile(
    r'(?:extern |\b(?:enter|emplace_back|file|open|drop)\()"(?:[^"\\]|\\.)*"'
)
# Where learners' options are described.
LEARNING = ("src/learner", "src/model", "src/cluster", "src/kernel/choice.cpp")
INFO_NAME = re.compile(r'LearnerInfo\s*\{\s*\.name\s*=\s*"([^"]+)"')
OPTION_NAME = re.compile(r'\{\s*\.name\s*=\s*"([^"]+)"')
VALIDATOR = re.compile(r"\bvalidate\(\) const \{")
FIELD_SET = re.compile(r"\boptions\.\w+(?:\.\w+)* = ")
NAME_FUNCTION = re.compile(
    r"^(?:\[\[nodiscard\]\] )?(?:MAXMARGIN_EXPORT )?(?:inline |constexpr )*"
    r"std::string(?:_view)? to_string\((?:const )?(\w+)\b "
)


def sources(root, folder, suffixes=(".cpp", ".hpp")):
    for path in sorted((root / folder).rglob("*")):
        if path.suffix in suffixes and path.is_file():
            yield path


def known_names(root):
    """Names of learners, and of options that learners describe."""
    learners, options = set(), set()
    for path in sources(root, "src"):
        text = path.read_text(encoding="utf-8")
        learners |= set(INFO_NAME.findall(text))
        if path.relative_to(root).as_posix().startswith(LEARNING):
            options |= set(OPTION_NAME.findall(text))
    return learners, options - learners


def check_faces(root):
    learners, options = known_names(root)
    for path in sources(root, "apps"):
        name = path.relative_to(root)
        if "compat" in name.parts:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            code = OTHER_USE.sub("", DESCRIPTION.sub("", COMMENT.sub("", line)))
            if FIELD_SET.search(code):
                yield f"{name}:{number}: an option is set field by field"
            for text in STRING.findall(code):
                if text.startswith("option."):
                    yield f'{name}:{number}: "{text}" is a key of model files'
                elif text in learners:
                    yield f'{name}:{number}: "{text}" is the name of a learner'
                elif text in options:
                    yield f'{name}:{number}: "{text}" is the name of an option of learners'


def named_enumerations(root):
    found = set()
    for folder in ("include", "src"):
        for path in sources(root, folder):
            found |= set(re.findall(r"\bauto (?:\w+::)*names_of<(?:\w+::)*(\w+)>", path.read_text(encoding="utf-8")))
    return found


def check_library(root):
    validators = []
    named = named_enumerations(root)
    for folder in ("include", "src"):
        for path in sources(root, folder):
            name = path.relative_to(root)
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if VALIDATOR.search(line):
                    validators.append(f"{name}:{number}")
                found = NAME_FUNCTION.match(line)
                if found and found.group(1) in named:
                    yield f"{name}:{number}: {found.group(1)} has a table of names already"
    if len(validators) > MOST_VALIDATORS:
        yield (
            f"{validators[MOST_VALIDATORS]}: {len(validators)} functions validate by hand, "
            f"at most {MOST_VALIDATORS} may"
        )


def check_tree(root):
    return list(check_faces(root)) + list(check_library(root))


def self_test():
    """Every mistake once; prints what was not found."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for part in ("apps/tool/compat", "src/learner", "include"):
            (root / part).mkdir(parents=True)
        (root / "src/learner/svc.cpp").write_text(
            'LearnerInfo{.name = "svc"}\nvoid describe(OptionVisitor& visit) {\n'
            '  visit.number({.name = "gamma"}, x);\n}\n'
        )
        (root / "include/kind.hpp").write_text(
            "template <> inline constexpr auto names_of<Kind> = 1;\n"
            "[[nodiscard]] std::string_view to_string(Kind kind) noexcept;\n"
        )
        (root / "src/learner/many.cpp").write_text(
            "".join(f"void A{i}::validate() const {{\n" for i in range(MOST_VALIDATORS + 1))
        )
        (root / "apps/tool/main.cpp").write_text(
            'a("svc");\nb("gamma");\noptions.c = 1;\nc("option.C");\n'
            'visit.text({.name = "gamma"}, x);  // its own\n// "svc" in a comment\n'
        )
        (root / "apps/tool/compat/old.cpp").write_text('a("svc");\n')
        problems = check_tree(root)
    wanted = ["main.cpp:1", "main.cpp:2", "main.cpp:3", "main.cpp:4", "kind.hpp:2", "by hand"]
    missed = [want for want in wanted if not any(want in problem for problem in problems)]
    if missed or len(problems) != len(wanted):
        print("self-test failed; missed:", missed, "found:", problems)
        return 1
    print(f"self-test passed: {len(wanted)} mistakes found")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", default=".")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    problems = check_tree(pathlib.Path(arguments.root))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
