# SPDX-License-Identifier: Apache-2.0
"""Small data files, the same at every run, for the commands of cases*.py."""

import gzip
import math
import random
import struct

RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
GROUPS = ["AGPST", "DENQ", "FWY", "HKR", "ILMV", "C"]
WORDS = {
    "D": ["the", "a", "this"],
    "A": ["old", "red", "big"],
    "N": ["dog", "house", "bank", "run"],
    "V": ["saw", "run", "bank", "left"],
}
NAMES = {"f": ["Ada Byron", "Emmy Noether"], "m": ["Alan Turing", "Kurt Goedel"]}
PRONOUNS = {"f": ["she", "her"], "m": ["he", "him"]}


def blobs(seed, rows, classes, features, spread=1.0, distance=2.5):
    """(class number, features) in turn, classes around points of their own."""
    rng = random.Random(seed)
    centres = [[rng.gauss(0, distance) for _ in range(features)] for _ in range(classes)]
    return [(i % classes, [round(rng.gauss(m, spread), 3) for m in centres[i % classes]])
            for i in range(rows)]  # fmt: skip


def svmlight(rows, names, mark=""):
    return "".join(f"{names[c]} {mark}" + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x) if v != 0)
                   + "\n" for c, x in rows)  # fmt: skip


def table(rows, names, separator=",", label="class"):
    lines = [separator.join([f"x{j + 1}" for j in range(len(rows[0][1]))] + [label])]
    lines += [separator.join([*map(str, x), names[c]]) for c, x in rows]
    return "\n".join(lines) + "\n"


def hidden(rows, names, keep):
    """Names of the classes, of which only the first `keep` rows show theirs."""
    return [(i, x) for i, (_, x) in enumerate(rows)], [
        names[c] if i < keep else "?" for i, (c, _) in enumerate(rows)
    ]


def sparse(seed, rows, classes, features):
    rng = random.Random(seed)
    made = []
    for i in range(rows):
        x = [0.0] * features
        for _ in range(4):
            x[rng.randrange(features)] = round(rng.uniform(0.1, 1), 3)
        x[i % classes] = 1.0
        made.append((i % classes, x))
    return made


def regression(seed, rows, features):
    rng = random.Random(seed)
    made = []
    for _ in range(rows):
        x = [round(rng.uniform(-2, 2), 3) for _ in range(features)]
        made.append((round(math.sin(2 * x[0]) + 0.5 * sum(x) + rng.gauss(0, 0.1), 4), x))
    return made


def kernel_matrix(points, others, width=0.3):
    return [[math.exp(-width * math.dist(x, z) ** 2) for z in others] for x in points]


def serial_rows(matrix, labels):
    return "".join(f"{label} 0:{i + 1} " + " ".join(f"{j + 1}:{k:.15g}" for j, k in enumerate(row))
                   + "\n" for i, (label, row) in enumerate(zip(labels, matrix)))  # fmt: skip


def indefinite(size):
    rng = random.Random(7)
    matrix = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            matrix[i][j] = matrix[j][i] = rng.gauss(0, 1)
    return matrix


def sentences(seed, count):
    """Lists of (word, part of speech, chunk tag)."""
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        rows = []
        for part in ("noun", "verb", "noun"):
            if part == "verb":
                rows.append((rng.choice(WORDS["V"]), "V", "B-VP"))
                continue
            for k, tag in enumerate(["D"] + ["A"] * rng.randrange(3) + ["N"]):
                rows.append((rng.choice(WORDS[tag]), tag, "I-NP" if k else "B-NP"))
        rows.append((".", ".", "O"))
        if rng.random() < 0.2:  # no tagger is right everywhere
            rows[0] = (rows[0][0], rows[0][1], "O")
            rows[1] = (rows[1][0], rows[1][1], "B-NP")
        made.append(rows)
    return made


def conll(made, columns=(0, 1, 2)):
    return "".join("".join("\t".join(row[c] for c in columns) + "\n" for row in rows) + "\n"
                   for rows in made)  # fmt: skip


def other_scheme(made, scheme):
    """The chunks of IOB2 in IOB1 or IOBES."""
    told = []
    for rows in made:
        tags = [row[2] for row in rows] + ["O"]
        new = []
        for i, tag in enumerate(tags[:-1]):
            last = not tags[i + 1].startswith("I-")
            if tag == "O":
                new.append(tag)
            elif scheme == "iob1":
                same = i > 0 and tags[i - 1][2:] == tag[2:]
                new.append(("B" if tag[0] == "B" and same else "I") + tag[1:])
            else:
                kind = {("B", True): "S", ("B", False): "B", ("I", True): "E", ("I", False): "I"}
                new.append(kind[tag[0], last] + tag[1:])
        told.append([(word, part, tag) for (word, part, _), tag in zip(rows, new)])
    return told


def conllu(made):
    lines = []
    for rows in made:
        lines.append("# text = made")
        lines += [f"{i + 1}\t{w}\t_\t{t}\tX{t}\t_\t_\t_\t_\t_" for i, (w, t, _) in enumerate(rows)]
        lines.append("")
    return "\n".join(lines) + "\n"


def svmhmm(made):
    numbers = {}
    return "".join(f"{tag} qid:{n + 1} {numbers.setdefault(word, len(numbers) + 1)}:1\n"
                   for n, rows in enumerate(made) for word, tag, _ in rows)  # fmt: skip


def queries(seed, count, rows=6, features=4):
    rng = random.Random(seed)
    made = []
    for number in range(count):
        for _ in range(rows):
            x = [round(rng.gauss(0, 1), 3) for _ in range(features)]
            level = x[0] - x[1] + rng.gauss(0, 0.7)
            made.append((0 if level < 0.3 else 1 if level < 1.5 else 2, number + 10, x))
    return made


def ranking(made, grades=(0, 1, 2), qid=True):
    return "".join(f"{grades[g]} " + (f"qid:{q} " if qid else "")
                   + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x)) + "\n"
                   for g, q, x in made)  # fmt: skip


def label_sets(seed, rows, labels=(1, 5, 7), features=4):
    rng = random.Random(seed)
    lines = []
    for _ in range(rows):
        x = [round(rng.gauss(0, 1), 3) for _ in range(features)]
        own = [str(name) for name, v in zip(labels, x) if v + rng.gauss(0, 0.3) > 0.2]
        lines.append(",".join(own) + " " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x)))
    return "\n".join(lines) + "\n"


def pair_documents(seed, count, items, error=0.0):
    """Feature 2 says whether two items look alike, and errs."""
    rng = random.Random(seed)
    lines = []
    for d in range(count):
        kinds = [rng.randrange(1 + items // 3) for _ in range(items)]
        lines.append(f"document d{d}")
        lines += [f"item d{d}.{i} c{kind}" for i, kind in enumerate(kinds)]
        for i in range(items):
            for j in range(i + 1, items):
                alike = (kinds[i] == kinds[j]) != (rng.random() < error)
                lines.append(f"{i + 1} {j + 1} 1:1 2:{int(alike)} 3:{rng.gauss(0, 0.3):.4f}")
    return "\n".join(lines) + "\n"


def stories(seed, count, length=4):
    """CoNLL-2012: a woman and a man, by names and pronouns."""
    rng = random.Random(seed)
    lines = []
    for d in range(count):
        people = [rng.choice(NAMES["f"]), rng.choice(NAMES["m"])]
        lines.append(f"#begin document (s{d}); part 000")
        for k in range(length):
            who = rng.randrange(2)
            shown = [people[p] if k == 0 or rng.random() < 0.4 else PRONOUNS["fm"[p]][f]
                     for f, p in enumerate((who, 1 - who))]  # fmt: skip
            position = 0
            for words, entity in ((shown[0], who), ("saw", None), (shown[1], 1 - who), (".", None)):
                parts = words.split()
                for w, word in enumerate(parts):
                    ends = ("(" if w == 0 else "", ")" if w + 1 == len(parts) else "")
                    mark = "-" if entity is None or not any(ends) else f"{ends[0]}{entity}{ends[1]}"
                    lines.append("\t".join([f"s{d}", "0", str(position), word, *"-------", mark]))
                    position += 1
            lines.append("")
        lines.append("#end document")
    return "\n".join(lines) + "\n"


def aligned_pairs(seed, count, length=15):
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        target, known = "", ""
        while len(target) < length:
            residue = rng.choice(RESIDUES)
            group = next(g for g in GROUPS if residue in g)
            target += residue
            known += residue if rng.random() < 0.5 else rng.choice(group)
            if rng.random() < 0.08:
                run = rng.randrange(1, 4)
                extra = "".join(rng.choice(RESIDUES) for _ in range(run))
                if rng.random() < 0.5:
                    target, known = target + extra, known + "-" * run
                else:
                    target, known = target + "-" * run, known + extra
        made.append((target, known))
    made[0] = (made[0][0] + "AC-D", made[0][1] + "ACWD")  # a gap at least
    return made


def fasta(pairs, tracks=False, bare=False, profile=False):
    rng = random.Random(5)
    lines = []
    for number, pair in enumerate(pairs):
        for name, row in zip("ab", pair):
            residues = row.replace("-", "")
            lines += [f">{name}{number} family={number // 2}", residues if bare else row]
            if tracks:
                lines += [">@structure", "".join("H" if c in "AEKLMQR" else "E" for c in residues)]
                lines += [">@surface", "".join("0" if c in "ACFILMVW" else "7" for c in residues)]
            if profile:
                lines.append(">@profile")
                lines += [" ".join(str(3 * (r == c) + rng.randrange(-2, 2)) for r in RESIDUES)
                          for c in residues]  # fmt: skip
    return "\n".join(lines) + "\n"


def npy(rows):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    values = [float(v) for row in rows for v in row]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
            + struct.pack(f"<{len(values)}d", *values))  # fmt: skip


THETA = (
    "* theta of the 5-cycle\n6 = constraints\n1 = blocks\n{5}\n1 0 0 0 0 0\n"
    + "".join(f"0 1 {i} {j} 1\n" for i in range(1, 6) for j in range(i, 6))
    + "".join(f"1 1 {i} {i} 1\n" for i in range(1, 6))
    + "2 1 1 2 1\n3 1 2 3 1\n4 1 3 4 1\n5 1 4 5 1\n6 1 1 5 1\n"
)
# A Laplacian of 6 nodes: max <L, X> / 4, diag X = 1.
CUT = (
    "6\n1\n6\n1 1 1 1 1 1\n"
    + "".join(f"0 1 {i} {i} 0.75\n" for i in range(1, 7))
    + "".join(f"0 1 {i} {j} -0.25\n" for i, j in
              ((1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (1, 6), (1, 4), (2, 5), (3, 6)))
    + "".join(f"{i} 1 {i} {i} 1\n" for i in range(1, 7))
)  # fmt: skip
# Two blocks, one of them diagonal.
BLOCKS = "2\n2\n2 -2\n1 1\n0 1 1 1 -1\n0 1 2 2 -2\n0 2 1 1 -3\n1 1 1 1 1\n1 2 1 1 1\n2 1 2 2 1\n2 2 2 2 1\n"
NO_POINT = "1\n1\n2\n-1\n1 1 1 1 1\n1 1 2 2 1\n"
ENDLESS = "1\n1\n2\n1\n0 1 1 1 1\n1 1 2 2 1\n"
TREE = "red warm\nblue cold\ngreen cold\nwarm colour\ncold colour\n"
KERNLIB = """\
engine = SMO
cval = 1.5
tolerance = 0.001
random.seed = 12
data.train.type = csv
data.train.file = three.csv
kernel.class = ABSDIFF
"""


def supervised_files():
    colours = ["red", "blue", "green"]
    two, new_two = blobs(1, 40, 2, 2, distance=0.9), blobs(1, 52, 2, 2, distance=0.9)[40:]
    three, new_three = blobs(2, 45, 3, 3, distance=1.2), blobs(2, 57, 3, 3, distance=1.2)[45:]
    signs = ["-1", "+1"]
    yield "two.svm", svmlight(two, signs)
    yield "two.svm.gz", gzip.compress(svmlight(two, signs).encode(), mtime=0)
    yield "two.t.svm", svmlight(new_two, signs)
    yield "three.csv", table(three, colours)
    yield "three.t.csv", table(new_three, colours)
    yield "three.tsv", table(three, colours, "\t")
    yield "sparse.svm", svmlight(sparse(3, 36, 3, 20), ["1", "2", "3"])
    yield "sparse.t.svm", svmlight(sparse(4, 9, 3, 20), ["1", "2", "3"])
    yield "clean.svm", svmlight(blobs(8, 24, 2, 2, spread=0.2, distance=3), signs)
    yield "positive.svm", svmlight([(c, [abs(v) for v in x]) for c, x in two], signs)
    yield "one.svm", svmlight([(0, x) for _, x in two[:12]], ["1"])
    yield "weights.txt", "".join(f"{1 + i % 3}\n" for i in range(40))
    yield "weighted.svm", "".join(
        f"{signs[c]} cost:{1 + i % 3} 1:{x[0]} 2:{x[1]}\n" for i, (c, x) in enumerate(two))  # fmt: skip
    rows, names = hidden(two, signs, 10)
    yield "half.svm", svmlight(rows, names)
    rows, names = hidden(three, colours, 15)
    yield "half.csv", table(rows, names)
    rows, names = hidden(sparse(3, 36, 2, 20), signs, 14)
    yield "half.sparse.svm", svmlight(rows, names)
    yield "rows.txt", "0 1 2 3 4 5 6 7\n8 9 10 11 12 13 14 15\n"
    for name, seed, count, features in (("wave", 5, 40, 1), ("plane", 6, 40, 3), ("wide", 7, 30, 8)):
        made = regression(seed, count, features)
        targets = {i: str(y) for i, (y, _) in enumerate(made)}
        rows = [(i, x) for i, (_, x) in enumerate(made)]
        yield f"{name}.svm", svmlight(rows, targets)
        yield f"{name}.csv", table(rows, targets, label="target")
    yield "points.npy", npy([x for _, x in three])
    yield "points.csv", "".join(",".join(map(str, x)) + "\n" for _, x in three)
    yield "labels.txt", "".join(colours[c] + "\n" for c, _ in three)
    yield "code.csv", "1,1,-1,-1\n-1,1,1,-1\n-1,-1,-1,1\n"
    yield "tree.txt", TREE
    yield "costs.txt", "red blue 5\nblue red 2\n"
    yield "inner.csv", table(three, ["red", "blue", "cold"])
    points = [x for _, x in two]
    gram = kernel_matrix(points, points)
    own = [signs[c] for c, _ in two]
    yield "gram.svm", serial_rows(gram, own)
    yield "gram.csv", ",".join(f"k{j}" for j in range(40)) + "\n" + "".join(
        ",".join(f"{k:.15g}" for k in row) + "\n" for row in gram)  # fmt: skip
    yield "gram.txt", "".join(f"{label}\n" for label in own)
    yield "gram.t.svm", serial_rows(kernel_matrix([x for _, x in new_two], points),
                                    [signs[c] for c, _ in new_two])  # fmt: skip
    yield "gram.half.svm", serial_rows(gram, [y if i < 10 else "?" for i, y in enumerate(own)])
    yield "gram.bad.svm", serial_rows(indefinite(12), own[:12])
    yield "iris.properties", KERNLIB


def structured_files():
    made, new = sentences(11, 16), sentences(12, 6)
    yield "chunks.conll", conll(made)
    yield "chunks.t.conll", conll(new)
    yield "chunks.bare.conll", conll(new, (0, 1))
    yield "parts.conll", conll(made, (0, 1))
    for scheme in ("iob1", "iobes"):
        yield f"{scheme}.conll", conll(other_scheme(made, scheme))
    yield "text.conllu", conllu(made)
    yield "text.svmhmm", svmhmm(made)
    yield "text.t.svmhmm", svmhmm(made[:4])
    yield "template.txt", "U0:%x[0,0]\nU1:%x[-1,1]/%x[0,1]\nB\n"
    yield "template0.txt", "U0:%x[0,0]\n"
    for name, seed in (("letor", 21), ("letor2", 22)):
        rows = queries(seed, 8)
        yield f"{name}.svm", ranking(rows)
        yield f"{name}.bare.svm", ranking(rows, qid=False)
    yield "letor.t.svm", ranking(queries(23, 4))
    yield "grades.svm", ranking(queries(21, 8), (0, 1, 1))
    yield "sizes.txt", "6\n" * 8
    yield "sets.svm", label_sets(31, 40)
    yield "sets.t.svm", label_sets(32, 10)
    yield "sets2.svm", label_sets(33, 30, (1, 2))
    yield "sets4.svm", label_sets(34, 30, (1, 2, 3, 4))
    yield "docs.pairs", pair_documents(41, 8, 6, 0.05)
    yield "docs2.pairs", pair_documents(42, 5, 8, 0.2)
    yield "large.pairs", pair_documents(43, 3, 14, 0.1)
    yield "docs.t.pairs", pair_documents(44, 3, 7, 0.1)
    yield "stories.conll", stories(51, 6)
    yield "stories.t.conll", stories(52, 3)
    pairs, new = aligned_pairs(61, 8), aligned_pairs(62, 4)
    yield "pairs.fasta", fasta(pairs)
    yield "pairs2.fasta", fasta(aligned_pairs(63, 6, 20))
    yield "pairs.t.fasta", fasta(new)
    yield "pairs.bare.fasta", fasta(new, bare=True)
    yield "tracks.fasta", fasta(pairs[:5], tracks=True)
    yield "profiles.fasta", fasta(pairs[:5], tracks=True, profile=True)
    framed = [("WWWW" + a + "----", "----" + b + "CCCC") for a, b in pairs]
    yield "framed.fasta", fasta(framed)
    yield "theta.dat-s", THETA
    yield "cut.dat-s", CUT
    yield "blocks.dat-s", BLOCKS
    yield "none.dat-s", NO_POINT
    yield "endless.dat-s", ENDLESS


def write_all(folder):
    """Writes every file into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for files in (supervised_files(), structured_files()):
        for name, content in files:
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
