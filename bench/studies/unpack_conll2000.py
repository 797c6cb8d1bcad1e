# SPDX-License-Identifier: Apache-2.0
"""CoNLL-2000 chunking: train.txt and test.txt, columns word, part of speech, chunk tag.

8,936 and 2,012 sentences, 211,727 and 47,377 tokens.
"""

import zipfile

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


def unpack(data, folder):
    paths = []
    with zipfile.ZipFile(data / "structured" / "conll2000.zip") as packed:
        for name, expected in EXPECTED.items():
            text = packed.read(f"conll2000/{name}").decode("ascii")
            found = counted(text)
            if found != expected:
                raise ValueError(f"{name}: {found} sentences and tokens, expected {expected}")
            path = folder / name
            path.write_text(text, encoding="ascii")
            paths.append(path)
    return paths
