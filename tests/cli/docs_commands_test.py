# SPDX-License-Identifier: Apache-2.0
"""The commands that pages of the documentation show in indented blocks run as they stand there."""

import re
import shlex

from tool import HERE, ToolTest

DOCS = HERE.parent.parent / "docs"
DATA = HERE.parent / "fixtures" / "v1"
COMMAND = re.compile(r"^    (?:\$ )?maxmargin (.*?)(?:   *# .*)?$")

# What the words [options] or A|B stand for is the reader's choice.
GRAMMAR = re.compile(r" \[|\|")
# Pages whose commands need something that this tree has not, and what that is.
SKIPPED = {
    "design/adding-a-learner.md": "a learner that is no part of the library",
}

NEWS = b"dog 1:1 2:0.1\ncat 1:0.9 2:0.5\nhen 2:1\ndog 1:1 2:0.2\nhen 2:0.8\n"
FASTA = b">P1 kinase\nMKVLAAGIVG\n>P2 ligase\nGGHEWLSTRQ\n>P3 kinase\nMKVLSAGIVA\n>P4 ligase\nGGHDWLTTRQ\n"
REVIEWS = b"text,stars\nvery good indeed,5\ngood and cheap,5\nbad and late,1\nvery bad,1\n"
# Files that a page speaks of and nobody has, small ones in their place: the name of a fixture, the
# bytes, or the command that makes it.
FILES = {
    "algorithms/hierarchy.md": {"news.svm": NEWS, "test.svm": NEWS, "tree.txt": b"dog mammal\ncat mammal\nhen bird\n"},
    "algorithms/multilabel.md": {"train.svm": "sets.svm", "test.svm": "sets.svm"},
    "guide/aligning.md": {"pairs.fasta": "pairs.fasta", "new.fasta": "pairs.fasta", "truth.fasta": "pairs.fasta"},
    "guide/checkpoints.md": {"train.conll": "chunks.conll"},
    "guide/coming-from-libsvm.md": {"a9a": "two.svm", "a9a.t": "two.t.svm"},
    "guide/kernels/checking.md": {"labels.txt": b"setosa\n" * 50 + b"versicolor\n" * 50 + b"virginica\n" * 50},
    "guide/kernels/strings.md": {"proteins.fasta": FASTA, "new.fasta": FASTA, "reviews.csv": REVIEWS},
    "guide/metrics/alignment.md": {"truth.fasta": "pairs.fasta", "found.fasta": "pairs.fasta"},
    "guide/metrics/sequences.md": {"truth.conll": "chunks.conll", "found.conll": "chunks.conll"},
    "guide/partitions.md": {
        "albums.pairs": "docs.pairs",
        "new.pairs": "docs.pairs",
        "train.conll": "stories.conll",
        "test.conll": "stories.conll",
    },
    "guide/ranking.md": {"train.svm": "letor.svm", "test.svm": "letor.svm"},
    "guide/unlabelled-data.md": {
        "mail.svm": "half.svm",
        "digits.svm": "two.svm",
        "split.txt": b"0 1 2\n3 4 5\n" + " ".join(map(str, range(12))).encode(),
    },
    "guide/which-clustering-when.md": {
        "DATA": ["convert", "builtin:iris", "DATA", "--to", "csv"],
        "MODEL": ["cluster", "DATA", "-k", "3", "--model", "MODEL"],
    },
}


def commands_of(page):
    """The words of each command of a page that is to be run, and its line."""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        found = COMMAND.match(line)
        if found and not GRAMMAR.search(re.sub(r'"[^"]*"', "", found.group(1))):
            yield number, shlex.split(found.group(1))


class DocsCommands(ToolTest):
    def make(self, name, source):
        if isinstance(source, bytes):
            self.write(name, source)
        elif isinstance(source, list):
            self.run_tool(*source)
        else:
            self.write(name, (DATA / source).read_bytes())

    def test_commands_of_every_page_run(self):
        count = 0
        for page in sorted(DOCS.rglob("*.md")):
            name = page.relative_to(DOCS).as_posix()
            commands = list(commands_of(page))
            if name in SKIPPED:
                self.assertTrue(commands, f"{name} needs no exception")
                continue
            home = self.folder
            self.folder = home / name.replace("/", "_")
            self.folder.mkdir()
            for file, source in FILES.get(name, {}).items():
                self.make(file, source)
            for number, words in commands:
                with self.subTest(f"docs/{name}:{number}"):
                    self.run_tool(*words)
                    count += 1
            self.folder = home
        self.assertGreater(count, 30)

    def test_every_file_in_place_of_another_is_named_by_its_page(self):
        for name, files in FILES.items():
            words = {word.split(":")[0] for _, command in commands_of(DOCS / name) for word in command}
            self.assertLessEqual(set(files), words, name)
