# SPDX-License-Identifier: Apache-2.0
"""Short ways to write the commands of cases*.py."""

#: From the folder of a case.
DATA = "../../data/"
THREADS = ["--threads", 2]


def path(name):
    """A file of data.py, or built-in data; ./NAME is a file of the case."""
    if name.startswith("builtin:"):
        return name
    return name[2:] if name.startswith("./") else DATA + name


def split(words):
    """Words of a line; names of files of data.py are marked with @."""
    listed = words.split() if isinstance(words, str) else list(words)
    return [path(w[1:]) if isinstance(w, str) and w.startswith("@") else w for w in listed]


def refused(words):
    """Words that begin with ! are refused: ([], words) or (["!"], words without it)."""
    return (["!"], words[1:]) if words.startswith("!") else ([], words)


def seeded(words):
    return [] if "--seed" in words else ["--seed", 1]


def train(learner, data, words="", model="m.mm"):
    words = split(words)
    return ["train", path(data), "--learner", learner, "-o", model, *words, *seeded(words), *THREADS,
            "--json", "train.json", "--quiet"]  # fmt: skip


def folds(learner, data, words=""):
    words = split(words)
    return ["train", path(data), "--learner", learner, *words, *seeded(words), *THREADS,
            "--json", "folds.json", "--quiet"]  # fmt: skip


def tune(learner, data, grid, words=""):
    return ["tune", path(data), "--learner", learner, "--grid", grid, *split(words), "--seed", 1,
            *THREADS, "--json", "tune.json", "--quiet"]  # fmt: skip


def cluster(method, data, words=""):
    words = split(words)
    model = [] if "--kernel precomputed" in " ".join(map(str, words)) else ["--model", "m.mm"]
    return ["cluster", path(data), "--method", method, *words, *seeded(words), *THREADS,
            "-o", "labels.txt", *model, "--json", "cluster.json", "--quiet"]  # fmt: skip


def predict(data, words="", model="m.mm", out="answer"):
    return ["predict", model, path(data), *split(words), "-o", out + ".txt", "--json", out + ".json",
            *THREADS, "--quiet"]  # fmt: skip


def verify(data, words="", model="m.mm"):
    return ["info", model, "--verify", path(data), *split(words), "--json", "-", *THREADS]


def info(what, words=""):
    return ["info", what if what.endswith((".mm", ".model")) else path(what), *split(words), "--json", "-",
            *THREADS]  # fmt: skip


def evaluate(truth, predicted, words=""):
    return ["eval", path(truth), predicted, *split(words), "--json", "-", *THREADS]


def merged(common, words):
    """Common words (all of them options with a value) without what the other words say otherwise."""
    pairs = common.split()
    kept = [f"{pairs[i]} {pairs[i + 1]}" for i in range(0, len(pairs), 2) if pairs[i] not in words.split()]
    return " ".join([*kept, words])


def slug(*parts):
    """The name of a case."""
    text = "/".join(" ".join(map(str, split(part))) if not isinstance(part, str) else part
                    for part in parts if part)  # fmt: skip
    return text.replace(" ", "_").replace("builtin:", "").replace("@", "").replace("--", "").replace("!", "refused_")
