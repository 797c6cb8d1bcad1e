#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy on the .cpp files changed since the branch left main; any finding is an error.

    check_tidy.py [BASE]

BASE is a commit (default: the environment's BASE, else the merge base with origin/main or main; on
main itself, where all has landed, the last 20 commits are looked at). The compiler commands come from
build/release; without them there is nothing to do, which is an error in CI.

A file takes about 5 s of one core, so that a run looks at the TIDY_FILES (40) most changed. Files
without a finding are remembered in build/tidy with what they were: the next run goes on with others.
"""
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATABASE = ROOT / "build/release/compile_commands.json"
OWN = ROOT / "build/tidy"
CLEAN = OWN / "clean.json"
# A change of very many files (a new name everywhere) would take hours in one run.
MOST_FILES = int(os.environ.get("TIDY_FILES", "40"))


def git(*arguments):
    result = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else ""


def find_base(argv):
    given = argv[1] if len(argv) > 1 else os.environ.get("BASE", "")
    if given:
        commit = git("rev-parse", "--verify", "--quiet", given + "^{commit}")
        if not commit:
            sys.exit(f"check_tidy.py: BASE={given} is not a commit")
        return commit
    head = git("rev-parse", "HEAD")
    for branch in ("origin/main", "main"):
        commit = git("merge-base", "HEAD", branch)
        if commit and commit != head:
            return commit
    return git("rev-list", "--first-parent", "--max-count=21", "HEAD").split("\n")[-1]


def changed_files(base):
    """Changed .cpp files, the most changed first; moved ones that stayed the same are none."""
    rows = git("diff", "--numstat", "-M", "-z", "--diff-filter=d", base).split("\0")
    files = []
    i = 0
    while i < len(rows):
        parts = rows[i].split("\t")
        i += 1
        if len(parts) != 3:
            continue
        name = parts[2]
        if not name:  # a rename: the old and the new name follow
            name = rows[i + 1]
            i += 2
        if name.endswith(".cpp") and parts[0] != "-":
            files.append((int(parts[0]) + int(parts[1]), name))
    return [name for lines, name in sorted(files, key=lambda entry: (-entry[0], entry[1])) if lines > 0]


def clang_command(command):
    """The command without what gcc alone understands: its precompiled headers and its warnings."""
    kept = []
    words = iter(shlex.split(command))
    for word in words:
        if word == "-include":
            header = next(words)
            if not header.endswith("cmake_pch.hxx"):
                kept += [word, header]
        elif word.startswith("-W") and not word.startswith("-Wl,"):
            continue
        elif not (word == "-fpch-preprocess" or word.endswith("ccache")):
            kept.append(word)
    return shlex.join(kept)


def write_database():
    """build/release's commands for clang; a file of a unity build has those of its batch."""
    entries = {}
    for entry in json.loads(DATABASE.read_text()):
        command = clang_command(entry["command"])
        source = Path(entry["file"])
        sources = [str(source)]
        if "/Unity/" in entry["file"] and source.exists():
            sources = re.findall(r'#include "(.*)"', source.read_text())
        for name in sources:
            entries[name] = {
                "directory": entry["directory"],
                "file": name,
                "command": command.replace(entry["file"], name),
            }
    OWN.mkdir(parents=True, exist_ok=True)
    (OWN / "compile_commands.json").write_text(json.dumps(list(entries.values())))
    return entries


def state_of(name, entries):
    """What a finding may depend on, but for headers: those that changed did so for a .cpp, mostly."""
    parts = [(ROOT / name).read_bytes(), (ROOT / ".clang-tidy").read_bytes(), entries[str(ROOT / name)]["command"].encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def tidy(name):
    result = subprocess.run(
        ["clang-tidy-14", "-p", str(OWN), "--quiet", "--warnings-as-errors=*", str(ROOT / name)],
        cwd=ROOT, capture_output=True, text=True)
    # Beside errors of its own it counts there the warnings it keeps to itself.
    errors = re.sub(r"^\d+ warnings?.* generated\.\n", "", result.stderr, flags=re.MULTILINE)
    return result.returncode, result.stdout + errors


def main(argv):
    if not DATABASE.exists():
        print("clang-tidy: skipped, build/release is not configured (make configure)")
        return 1 if os.environ.get("CI") else 0
    base = find_base(argv)
    if not base:
        print("clang-tidy: skipped, no commit to compare with; name one: make check BASE=...")
        return 1 if os.environ.get("CI") else 0
    entries = write_database()
    changed = [name for name in changed_files(base) if str(ROOT / name) in entries]
    states = {name: state_of(name, entries) for name in changed}
    clean = set(json.loads(CLEAN.read_text())) if CLEAN.exists() else set()
    files = [name for name in changed if states[name] not in clean]
    if not files:
        print(f"clang-tidy: no changed source since {base[:12]} that is not known to be clean")
        return 0
    if len(files) > MOST_FILES:
        print(f"clang-tidy: {len(files)} sources changed, the {MOST_FILES} most changed are checked "
              "(the next run goes on; TIDY_FILES=N for more)")
        files = files[:MOST_FILES]
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, (status, output) in zip(files, pool.map(tidy, files)):
            if status == 0:
                clean.add(states[name])
            else:
                failed += 1
                print(output.replace(f"{ROOT}/", ""))
    CLEAN.write_text(json.dumps(sorted(clean)))
    print(f"clang-tidy: {len(files)} changed sources, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
