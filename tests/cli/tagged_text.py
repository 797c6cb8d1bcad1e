# SPDX-License-Identifier: Apache-2.0
"""Small sentences with parts of speech and chunks, for the tests of taggers."""

WORDS = {"D": ["the", "a", "this"], "A": ["old", "red", "big"], "N": ["dog", "house", "bank", "run"],
         "V": ["saw", "run", "bank", "left"], ".": ["."]}  # fmt: skip


def sentence(rng):
    """Words with parts of speech and noun chunks; `run` and `bank` are nouns or verbs by their place."""
    rows = []

    def noun_phrase():
        tags = ["D"] + ["A"] * rng.randrange(3) + ["N"]
        for k, tag in enumerate(tags):
            rows.append((rng.choice(WORDS[tag]), tag, "B-NP" if k == 0 else "I-NP"))

    noun_phrase()
    rows.append((rng.choice(WORDS["V"]), "V", "B-VP"))
    noun_phrase()
    rows.append((".", ".", "O"))
    return rows


def text_of(sentences, columns=(0, 1, 2)):
    return "".join(
        "".join("\t".join(row[c] for c in columns) + "\n" for row in rows) + "\n"
        for rows in sentences
    )
