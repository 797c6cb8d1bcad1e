#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the same commands with two builds of the tool and says where their answers differ.

  tools/compare_versions.py OLD NEW [--only PATTERN] [--jobs N]
  tools/compare_versions.py --list [--only PATTERN]

Compared to the byte: labels, scores, other written files and standard output, exit codes, and every
number of the JSON reports. Left out unless asked for: the options and warnings of reports, standard
error, and the bytes of models. A model is judged by what can be done with it: each tool predicts with
its own models, and NEW with those that OLD wrote. Times and the version are never compared.

The commands are in tools/compare/: data.py writes the files, supervised.py, clustering.py,
structured.py and others.py list what is done with them. Exits with 1 if anything differs, or if OLD
refuses a command that is not marked as one to be refused.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import os
import pathlib
import shlex
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from compare import clustering, data, others, structured, supervised  # noqa: E402
from compare.run import Looks, compare_case  # noqa: E402


def all_cases(pattern):
    cases = [case for part in (supervised, clustering, structured, others) for case in part.cases()]
    twice = [name for name, n in collections.Counter(case.name for case in cases).items() if n > 1]
    if twice:
        raise SystemExit(f"cases of one name: {', '.join(twice)}")
    return [case for case in cases if pattern is None or pattern in case.name
            or fnmatch.fnmatch(case.name, pattern)]  # fmt: skip


def shown(words):
    return "maxmargin " + shlex.join(words).replace("../../data/", "")


def told(differences):
    """The first of them, in a line."""
    most = 8
    line = "; ".join(f"{what}: {old} -> {new}" for what, old, new in differences[:most])
    return line + (f"; and {len(differences) - most} more" if len(differences) > most else "")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", nargs="?", help="the tool that is right")
    parser.add_argument("new", nargs="?", help="the tool to hold to it")
    parser.add_argument("--only", metavar="PATTERN", help="cases whose name holds or matches this")
    parser.add_argument("--jobs", type=int, default=2, help="cases at once [2]")
    parser.add_argument("--list", action="store_true", help="print the commands and run none")
    parser.add_argument("--list-failures", action="store_true", help="print what OLD refused (exit 1)")
    parser.add_argument("--options", action="store_true", help="compare the options of reports, too")
    parser.add_argument("--messages", action="store_true", help="compare warnings and standard error, too")
    parser.add_argument("--models", action="store_true", help="compare the bytes of models, too")
    given = parser.parse_args()
    if not given.list and given.new is None:
        parser.error("OLD and NEW are needed")
    return given


def main():
    given = arguments()
    cases = all_cases(given.only)
    if given.list:
        for case in cases:
            print(f"# {case.name}")
            for words in case.steps:
                print(shown(words))
        return 0
    tools = [str(pathlib.Path(tool).resolve()) for tool in (given.old, given.new)]
    for tool in tools:
        if not os.access(tool, os.X_OK):
            raise SystemExit(f"{tool}: is no program")
    looks = Looks(given.options, given.messages, given.models)
    begin = time.monotonic()
    commands = crossed = differ = 0
    codes, failures = collections.Counter(), []
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        data.write_all(root / "data")
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            runs = pool.map(lambda case: compare_case(tools, case, root, looks), cases)
            for case, (ended, found, with_old_models) in zip(cases, runs):
                commands += len(case.steps)
                crossed += with_old_models
                for words, refused, (code, error) in zip(case.steps, case.refused, ended):
                    codes[code] += 1
                    if refused or code not in (0, 2):
                        failures.append((case.name, code, words, error, refused and code == 1))
                for step, who, differences in found:
                    if differences:
                        differ += 1
                        print(f"{case.name}{who}: {shown(case.steps[step])}: {told(differences)}", flush=True)
    for name, code, words, error, expected in failures:
        if given.list_failures or not expected:
            intent = "refused as intended" if expected else "NOT AS INTENDED"
            print(f"{name}: OLD exits with {code}, {intent}: {shown(words)}\n    {error}")
    wrong = sum(not failure[4] for failure in failures)
    ends = ", ".join(f"{count} with {code}" for code, count in sorted(codes.items(), key=str))
    print(f"exits of OLD: {ends} ({wrong} not as intended); {time.monotonic() - begin:.0f} s")
    print(f"{commands} commands ({crossed} again with the models of OLD), {differ} differ")
    return 1 if differ or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
