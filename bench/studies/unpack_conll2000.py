#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CoNLL-2000 chunking: train.txt and test.txt, columns word, part of speech, chunk tag.

  unpack_conll2000.py FOLDER [--archive FILE]

FOLDER is made if it is missing. Checks the known sizes: 8,936 and 2,012 sentences, 211,727 and 47,377 tokens.
Prints the paths it wrote.
"""

import argparse
import pathlib
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHIVE = ROOT.parent / "shared" / "data" / "structured" / "conll2000.zip"
EXPECTED = {"train.txt": (8936, 211727), "test.txt": (2012, 47377)}


def counted(text):
    """(sentences, tokens), each token with three columns."""
    sentences = tokens = 0
    inside = False
    for number, line in enumerate(text.split("\n"), start=1):
        columns = line.split()
        if columns:
            if len(columns) != 3:
                raise ValueError(f"line {number}: {len(columns)} columns, expected 3")
            tokens += 1
            sentences += not inside
        inside = bool(columns)
    return sentences, tokens


def unpack(archive, folder):
    """The paths written."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    with zipfile.ZipFile(archive) as packed:
        for name, expected in EXPECTED.items():
            text = packed.read(f"conll2000/{name}").decode("ascii")
            found = counted(text)
            if found != expected:
                raise ValueError(f"{name}: {found} sentences and tokens, expected {expected}")
            path = folder / name
            path.write_text(text, encoding="ascii")
            paths.append(path)
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--archive", type=pathlib.Path, default=ARCHIVE)
    arguments = parser.parse_args()
    for path in unpack(arguments.archive, arguments.folder):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
