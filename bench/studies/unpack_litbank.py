#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unpacks the LitBank coreference documents into CoNLL-2012 files that the tool reads.

  unpack_litbank.py FOLDER [--archive FILE]

Writes FOLDER/litbank.train.conll and FOLDER/litbank.test.conll: documents by name, every fifth one (the
fifth, tenth, ...) for tests. Words, sentences and entities stay as they are; the columns that hold
nothing become `-`, the last one included, which is empty in the archive. Prints what it wrote.
"""

import argparse
import pathlib
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHIVE = ROOT.parent / "shared" / "data" / "structured" / "litbank-coref-conll.tar.xz"
TEST_EVERY = 5


class Document:
    """A document's lines as written, and its counts."""

    def __init__(self, name, text):
        self.lines, self.words, self.mentions, self.entities = [], 0, 0, set()
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("#") or not line.strip():
                self.lines.append(line.rstrip())
                continue
            columns = [column if column not in ("", "_") else "-" for column in line.split("\t")]
            if len(columns) != 13:
                raise ValueError(f"{name}:{number}: expected 13 columns, found {len(columns)}")
            # A word may be a "_" or a "-" itself.
            columns[3] = line.split("\t")[3]
            self.lines.append("\t".join(columns))
            self.words += 1
            for bracket in columns[-1].split("|"):
                if bracket.startswith("("):
                    self.mentions += 1
                    self.entities.add(bracket.strip("()"))


def read(archive):
    with tarfile.open(archive) as files:
        members = sorted((m for m in files.getmembers() if m.name.endswith(".conll")), key=lambda m: m.name)
        return [Document(m.name, files.extractfile(m).read().decode("utf-8")) for m in members]


def write(path, documents):
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for document in documents:
            file.write("\n".join(document.lines) + "\n")
    print(f"{path}: {len(documents)} documents, {sum(d.words for d in documents)} words, "
          f"{sum(d.mentions for d in documents)} mentions, "
          f"{sum(len(d.entities) for d in documents)} entities")


def main():
    parser = argparse.ArgumentParser(description="LitBank coreference as CoNLL-2012 files")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--archive", type=pathlib.Path, default=ARCHIVE)
    arguments = parser.parse_args()
    if not arguments.archive.is_file():
        print(f"{arguments.archive}: no such file", file=sys.stderr)
        return 1
    documents = read(arguments.archive)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    is_test = [number % TEST_EVERY == TEST_EVERY - 1 for number in range(len(documents))]
    write(arguments.folder / "litbank.train.conll", [d for d, test in zip(documents, is_test) if not test])
    write(arguments.folder / "litbank.test.conll", [d for d, test in zip(documents, is_test) if test])
    return 0


if __name__ == "__main__":
    sys.exit(main())
