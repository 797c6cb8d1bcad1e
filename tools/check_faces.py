#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what a learner is stays in the library (ARCHITECTURE.md, "Learners").

In apps/, outside the folder compat/:
  - no string is the name of a learner, or of an option that the library describes: not even in the
    description of an option of the face's own; and none holds the name of a learner as one of several
    words;
  - no option is set field by field (`options.x = `, or `anything.x = ` where x is such an option);
  - no key of a model file is read (`"option.`).
In the library:
  - at most 15 functions validate by hand, members and others: options describe themselves
    (include/maxmargin/core/option.hpp);
  - an enumeration becomes text, and text an enumeration, by its one table (names_of<E>): there is no
    function of a value of an enumeration that returns text, and none of text that returns one.

What may stand all the same is listed below with the reason; an exception without use is a problem,
too. Names of learners are those of LearnerInfo and, with all their options, those of the page
docs/guide/options.md, which the tool prints and a test holds current.

  tools/check_faces.py [ROOT] [--names TREE]  prints file:line: problem, and exits 1 if there is one;
                                              TREE is where names are taken from [ROOT]
  tools/check_faces.py --self-test            checks the checker on small trees, one for each rule
"""

import argparse
import pathlib
import re
import sys
import tempfile

MOST_VALIDATORS = 15

# (file, string): why the string is no use of a learner's option.
SAME_WORDS = {
    ("apps/maxmargin/commands/common.cpp", "verify"): "an option of train and tune; the library's is cluster's",
    ("apps/maxmargin/commands/eval.cpp", "metric"): "an option of eval; the library's is tune's",
    ("apps/maxmargin/commands/info.cpp", "classes"): "a field of what is said of data",
    ("apps/maxmargin/commands/info.cpp", "groups"): "a field of what is said of data",
    ("apps/maxmargin/commands/info.cpp", "labels"): "a field of what is said of data",
    ("apps/maxmargin/commands/info.cpp", "verify"): "an option of info, with a value",
    ("apps/maxmargin/commands/plot.cpp", "clusters"): "a kind of picture",
    ("apps/maxmargin/commands/solve.cpp", "verify"): "an option of solve",
    ("apps/maxmargin/commands/table.cpp", "kmeans"): "an example, to copy as it is",
    ("apps/maxmargin/commands/table.cpp", "kmedoids"): "an example, to copy as it is",
    ("apps/maxmargin/commands/table.cpp", "one-class"): "a word of the summary of train",
    ("apps/maxmargin/commands/table.cpp", "rank"): "an example, to copy as it is",
    ("apps/maxmargin/commands/table.cpp", "svc"): "an example, to copy as it is",
    ("apps/maxmargin/commands/train.cpp", "folds"): "an option of train; the library's is tune's",
    ("apps/maxmargin/commands/train.cpp", "metric"): "an option of train; the library's is tune's",
    ("apps/maxmargin/commands/train.cpp", "verify"): "a phase of the report",
    ("apps/maxmargin/interrupt.cpp", "verify"): "a phase of progress",
    ("apps/maxmargin/plot_subject.cpp", "labels"): "an option of plot: what to colour by",
}

# (file, assignment): why it sets no option.
SAME_FIELDS = {
    ("apps/maxmargin/commands/eval.cpp", "outcome.scores"): "what is measured",
    ("apps/maxmargin/commands/info.cpp", "range.least"): "the least value of the data",
    ("apps/maxmargin/plot_subject.cpp", "subject.groups"): "what to colour by",
}

# Functions between text and an enumeration that no table can replace.
NO_TABLE = {
    "compression_of_bytes": "by the first bytes of a file",
    "compression_of_name": "by the ending of a file's name",
    "format_of_name": "by the ending of a file's name",
    "format_of_text": "by the look of a file",
    "function_of": "the grammar of templates: a letter with numbers behind it",
    "look_at": "by the look of a line",
    "no_certificate_of": "a message",
    "node_of": "the kinds of a CoNLL-U identifier: 3, 3-4, 3.1",
    "report": "the text is a phase, the answer that of the caller",
    "role_of": "the first letter of a tag such as B-NP",
    "rule_of": "a message",
}

WORD = re.compile(r"(?<![\w-])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![\w-])")
ESCAPE = re.compile(r"\\.")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
COMMENT = re.compile(r"//.*$")
LINKAGE = re.compile(r'\bextern "C"')
INFO_NAME = re.compile(r'LearnerInfo\s*\{\s*\.name\s*=\s*"([^"]+)"')
DESCRIBED = re.compile(r'\{\s*\.name\s*=\s*"([^"]+)",\s*\.help\b')
ALIAS = re.compile(r'\.alias\s*=\s*"([^"]+)"')
# Described by the same means, and no options of learners: parameters of built-in data, looks of
# pictures, the choice of a solver by maxmargin solve.
NO_OPTIONS = ("src/data/generate/", "src/plot/", "src/solver/sdp/choice.cpp")
PAGE = "docs/guide/options.md"
PAGE_LEARNER = re.compile(r"^## (\S+)$", re.MULTILINE)
PAGE_OPTION = re.compile(r"^\| `([^`]+)`", re.MULTILINE)
FIELD_SET = re.compile(r"\b(\w+)(?:\.\w+)*\.(\w+) = ")
VALIDATOR = re.compile(r"^[^/\n]*\bvoid (?:\w+::)*validate\((?!const T& options\))[^;{]*\)[^;{]*\{", re.MULTILINE)
ENUM = re.compile(r"\benum\s+(?:class\s+|struct\s+)?(\w+)")


def sources(root, *folders):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cpp", ".hpp") and path.is_file():
                yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")


def known_names(root):
    """Names of learners, and of all options that the library describes."""
    learners, options = set(), set()
    for name, text in sources(root, "include", "src"):
        learners |= set(INFO_NAME.findall(text))
        if not name.startswith(NO_OPTIONS):
            options |= set(DESCRIBED.findall(text)) | set(ALIAS.findall(text))
    page = root / PAGE
    if page.exists():
        _, _, of_learners = page.read_text(encoding="utf-8").partition("\n# Learners and methods\n")
        learners |= set(PAGE_LEARNER.findall(of_learners))
        for head in PAGE_OPTION.findall(of_learners):
            options |= {word.lstrip("-") for word in re.findall(r"(?:^|(?<=, ))-\S+?(?=,|\s|$)", head)}
    return learners, options - learners


def line_of(text, match):
    return text.count("\n", 0, match.start()) + 1


def check_faces(root, names):
    learners, options = names
    keys = {option.replace("-", "_").lower() for option in options}
    used = set()
    for name, text in sources(root, "apps"):
        if "compat" in pathlib.PurePath(name).parts:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            code = LINKAGE.sub("", COMMENT.sub("", line))
            for found in FIELD_SET.finditer(STRING.sub('""', code)):
                field = found.group(0).removesuffix(" = ")
                if found.group(1) != "options" and found.group(2) not in keys:
                    continue
                if (name, field) in SAME_FIELDS:
                    used.add((name, field))
                else:
                    yield f"{name}:{number}: {field}: an option is set field by field"
            for word in STRING.findall(code):
                bare = word.lstrip("-")
                for inner in WORD.findall(ESCAPE.sub(" ", word)) if WORD.fullmatch(word) is None else ():
                    if inner not in learners:
                        continue
                    if (name, inner) in SAME_WORDS:
                        used.add((name, inner))
                    else:
                        yield f'{name}:{number}: "{word}" holds the name of a learner, {inner}'
                if word.startswith("option."):
                    yield f'{name}:{number}: "{word}" is a key of model files'
                elif bare not in learners and bare not in options:
                    continue
                elif (name, word) in SAME_WORDS:
                    used.add((name, word))
                else:
                    what = "a learner" if bare in learners else "an option that the library describes"
                    yield f'{name}:{number}: "{word}" is the name of {what}'
    for name, word in sorted((set(SAME_WORDS) | set(SAME_FIELDS)) - used):
        if (root / name).exists():
            yield f'{name}: "{word}" is an exception without use'


def name_functions(enums):
    """Patterns of definitions from a value to text and from text to a value."""
    some = "|".join(sorted(enums))
    return (
        re.compile(
            r"(?:std::string(?:_view)?|const char\*)\s+(?:\w+::)*(\w+)\((?:const\s+)?(?:\w+::)*"
            rf"(?:{some})&?\s*(?:\w+|/\*\w+\*/)?\)\s*(?:const\s*)?(?:noexcept\s*)?\{{"
        ),
        re.compile(
            r"^[ \t]*(?:\[\[nodiscard\]\] )?(?:constexpr |inline |static )*(?:std::optional<)?(?:\w+::)*"
            rf"(?:{some})>?\s+(?:\w+::)*(\w+)\((?:const\s+)?std::string(?:_view)?&?\s*\w*[^;{{]*\)"
            r"\s*(?:const\s*)?(?:noexcept\s*)?\{",
            re.MULTILINE,
        ),
    )


def check_library(root):
    files = list(sources(root, "include", "src", "apps"))
    enums = {enum for _, text in files for enum in ENUM.findall(text)}
    used = set()
    validators = []
    for name, text in files:
        validators += [f"{name}:{line_of(text, found)}" for found in VALIDATOR.finditer(text)]
        for pattern in name_functions(enums) if enums else ():
            for found in pattern.finditer(text):
                function = found.group(1)
                used.add(function)
                if function not in NO_TABLE:
                    yield f"{name}:{line_of(text, found)}: {function}: names of an enumeration stand in one table"
    if len(validators) > MOST_VALIDATORS:
        for place in validators:
            yield f"{place}: one of {len(validators)} validations by hand, at most {MOST_VALIDATORS} may be"
    if used & set(NO_TABLE):  # a tree of this project
        for function in sorted(set(NO_TABLE) - used):
            yield f"{function}: is an exception without use"


def check_tree(root, names_from=None):
    return list(check_faces(root, known_names(names_from or root))) + list(check_library(root))


SVC = 'LearnerInfo{.name = "svc"};\nvoid D::describe(OptionVisitor& visit) {\n  visit.number({.name = "max-gap", .help = "x"}, x);\n}\n'
SELF_TESTS = [  # a file, what is in it, and the problems it must have
    ("apps/tool/a.cpp", 'a("svc");\n', [":1: "]),
    ("apps/tool/a.cpp", 'a("max-gap");\nb("--max-gap");\n', [":1: ", ":2: "]),
    ("apps/tool/a.cpp", 'visit.number({.name = "max-gap", .help = "its own"}, x);\n', [":1: "]),
    ("apps/tool/a.cpp", 'file("max-gap");\nreport.emplace_back("max-gap", x);\n', [":1: ", ":2: "]),
    ("apps/tool/a.cpp", 'a("train --learner svc");\nb("kinds: pca,svc");\nc("svc-like, svc_x, an svcs");\n', [":1: ", ":2: "]),
    ("apps/tool/a.cpp", "options.anything = 1;\n", [":1: "]),
    ("apps/tool/a.cpp", "solver.max_gap = 1;\nsolver.other = 1;\n", [":1: "]),
    ("apps/tool/a.cpp", 'c("option.C");\n', [":1: "]),
    ("apps/tool/a.cpp", '// "svc"\nint x;  // options.x = 1\nextern "C" void f();\nd("no option");\n', []),
    ("apps/tool/compat/a.cpp", 'a("svc");\noptions.c = 1;\n', []),
    ("include/a.hpp", "enum class Kind { a };\nstd::string_view to_string(Kind kind) noexcept {\n", [":2: "]),
    ("src/a.cpp", "enum class Kind { a };\nstd::optional<Kind> kind_by(std::string_view text) {\n", [":2: "]),
    ("src/a.cpp", "enum class Kind { a };\nconst char* shown(Kind) {\n", [":2: "]),
    ("src/a.cpp", "enum class Kind { a };\nbool is_good(Kind kind) {\n", []),
    ("src/a.cpp", "void A::validate() const {\n" * 15, []),
    ("src/a.cpp", "void A::validate() const {\n" * 15 + "void validate(const B& b) {\n", ["16 validations"] * 16),
    ("src/a.cpp", "void A::validate(int n) const {\n" * 16, ["16 validations"] * 16),
    ("src/a.cpp", "A::A() { validate(x); }\nvoid validate(const B& b);\n" * 20, []),
]


def self_test():
    """Every rule on a tree of its own."""
    failed = 0
    for file, text, wanted in SELF_TESTS:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, content in (("src/learner/svc.cpp", SVC), (file, text)):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(content)
            found = check_tree(root)
        if len(found) != len(wanted) or any(part not in problem for part, problem in zip(wanted, found)):
            print(f"self-test failed: {text!r} in {file}: {found}, wanted {wanted}")
            failed += 1
    print(f"self-test: {len(SELF_TESTS) - failed} of {len(SELF_TESTS)} passed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", default=".", type=pathlib.Path)
    parser.add_argument("--names", metavar="TREE", type=pathlib.Path, help="take names from this tree")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    problems = check_tree(arguments.root, arguments.names)
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
