#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs of BAliBASE families as alignment files (docs/guide/alignment-files.md).

  unpack_balibase.py FOLDER [--archive FILE] [--most 12]

FOLDER is made if it is missing, and pairs.fasta written there. Of every family of RV11 and RV12 the homologous
regions (BBS) are taken: all pairs of rows, or `most` of them drawn with a seed that the family's number gives.
"""

import argparse
import itertools
import pathlib
import random
import re
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHIVE = ROOT.parent / "shared" / "data" / "structured" / "balibase3-rv11-rv12.tar.xz"
MEMBER = re.compile(r"^(?:\./)?RV1[12]/BBS(\d+)\.msf$")
WIDTH = 80


def read_msf(text):
    """The rows of an MSF file by name, gaps as '-', in the order of the file."""
    head, _, body = text.partition("\n//")
    names = re.findall(r"^\s*Name:\s+(\S+)", head, re.MULTILINE)
    rows = {name: "" for name in names}
    if not rows or len(rows) < len(names):
        raise ValueError("an MSF file must name every row once")
    for line in body.splitlines():
        words = line.split()
        if words and words[0] in rows:
            rows[words[0]] += "".join(words[1:])
    lengths = {len(row) for row in rows.values()}
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError(f"the rows of an MSF file must have one length, not {sorted(lengths)}")
    return {name: row.upper().translate(str.maketrans(".~", "--")) for name, row in rows.items()}


def families(archive):
    """(number, rows) of every family, by number."""
    found = []
    with tarfile.open(archive) as files:
        for member in files:
            match = MEMBER.match(member.name)
            if match:
                text = files.extractfile(member).read().decode("latin-1")
                found.append((int(match.group(1)), read_msf(text)))
    return sorted(found, key=lambda family: family[0])


def chosen_pairs(number, rows, most):
    """Pairs of names in the order of the file, at most `most`; none of them without a match."""
    pairs = [(a, b) for a, b in itertools.combinations(rows, 2)
             if any(p != "-" and q != "-" for p, q in zip(rows[a], rows[b]))]
    if len(pairs) <= most:
        return pairs
    kept = sorted(random.Random(number).sample(range(len(pairs)), most))
    return [pairs[k] for k in kept]


def record(name, number, row):
    lines = [f">{name} family={number}"]
    lines += [row[begin:begin + WIDTH] for begin in range(0, len(row), WIDTH)]
    return "\n".join(lines) + "\n"


def without_empty_columns(a, b):
    columns = [(p, q) for p, q in zip(a, b) if (p, q) != ("-", "-")]
    return "".join(p for p, _ in columns), "".join(q for _, q in columns)


def unpack(archive, out, most=12):
    """Writes the pairs to `out`; returns how many families and pairs there are."""
    every = families(archive)
    count = 0
    with open(out, "w", encoding="ascii") as file:
        for number, rows in every:
            for a, b in chosen_pairs(number, rows, most):
                first, second = without_empty_columns(rows[a], rows[b])
                file.write(record(a, number, first) + record(b, number, second))
                count += 1
    return len(every), count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--archive", type=pathlib.Path, default=ARCHIVE)
    parser.add_argument("--most", type=int, default=12, help="pairs of a family (12)")
    given = parser.parse_args()
    if given.most < 1:
        parser.error("--most must be at least 1")
    given.folder.mkdir(parents=True, exist_ok=True)
    out = given.folder / "pairs.fasta"
    number, pairs = unpack(given.archive, out, given.most)
    print(f"{out}: {pairs} pairs of {number} families")


if __name__ == "__main__":
    main()
