# SPDX-License-Identifier: Apache-2.0
"""Commands of the learners of structured outputs."""

from .run import Case
from .words import evaluate, info, merged, predict, refused, slug, train

SOLVERS = [f"--solver {name}" for name in ("bcfw", "one-slack", "n-slack", "subgradient --max-iterations 20",
                                           "mira --max-iterations 4")]  # fmt: skip
RESCALINGS = [f"--rescaling {name}" for name in ("margin", "slack")]

#: Learner: data of the plain runs, the words of all runs, variants as (data, words), and what predict
#: can write.
LEARNERS = {
    "sequence": (
        ["chunks.conll", "parts.conll", "text.conllu", "text.svmhmm"], "",
        [("chunks.conll", words) for words in (
            *SOLVERS, *RESCALINGS, "--solver crf", "--solver perceptron", "--order 0", "--order 1",
            "--order 2", "--template chunking", "--template tagging", "--template @template.txt",
            "--template @template0.txt", "--index dictionary", "--index hashed --hash-bits 10",
            "--min-count 2", "--chunks none", "--chunks iob2", "--class-weight balanced",
            "--class-weight O=3", "--label 2", "-C 0.1", "--tolerance 1e-3", "--model-format binary", "--time-limit 1000",
            "--rescaling slack --order 2", "!--solver crf --order 2", "!--chunks iobes", "--max-iterations 2")]
        + [("iob1.conll", "--chunks iob1"), ("iobes.conll", "--chunks iobes"),
           ("text.conllu", "--columns FORM,XPOS"), ("text.conllu", "--label XPOS"),
           ("text.svmhmm", "--format svmhmm --order 2"), ("text.svmhmm", "!--index hashed")],
        ["--n-best 3", "--margins"],
    ),
    "rank": (
        ["letor.svm", "letor2.svm", "grades.svm"], "",
        [("letor.svm", words) for words in (
            *SOLVERS, "--loss pairs", "--loss error", "--loss f1", "--loss precision-at-k -k 3",
            "--loss recall-at-k -k 2", "--loss precision-at-k", "--loss f1 --no-bias", "--relevant-from 2",
            "--query-weight one", "--query-weight size", "--scale range", "--scale standard", "-C 10",
            "--model-format binary", "!--rescaling slack", "!-k 3")]
        + [("grades.svm", "--loss roc-area"), ("letor.bare.svm", "--groups @sizes.txt"),
           ("grades.svm", "--loss roc-area --solver n-slack"), ("two.svm", "--loss roc-area"),
           ("two.svm", "--loss f1")],
        ["-k 2"],
    ),
    "multiclass": (
        ["three.csv", "two.svm", "sparse.svm", "builtin:iris"], "",
        [("three.csv", words) for words in (
            *SOLVERS, *RESCALINGS, "--taxonomy @tree.txt", "--cost-matrix @costs.txt",
            "--taxonomy @tree.txt --rescaling slack", "--cost-matrix @costs.txt --solver one-slack",
            "--class-weight balanced", "--class-weight red=2", "--no-bias", "--scale range",
            "--scale standard", "-C 10", "--model-format binary", "!--inner-nodes",
            "!--taxonomy @tree.txt --cost-matrix @costs.txt")]
        + [("inner.csv", "--taxonomy @tree.txt --inner-nodes"), ("one.svm", "--allow-one-class"),
           ("weighted.svm", "")],
        ["--scores", "--n-best 2", "--margins"],
    ),
    "multilabel": (
        ["sets.svm", "sets2.svm", "sets4.svm"], "",
        [("sets.svm", words) for words in (
            *SOLVERS, *RESCALINGS, "--interactions", "--interactions --solver one-slack", "--no-bias",
            "--scale range", "-C 10", "--model-format binary")] + [("two.svm", "")],
        ["--scores"],
    ),
    "partition": (
        ["docs.pairs", "docs2.pairs", "large.pairs", "stories.conll"], "-C 10",
        [("docs.pairs", words) for words in (
            *SOLVERS, "--loss pairs", "--loss links", "--loss links --wrong-link 0.3", "--inference auto",
            "--inference greedy", "!--inference greedy --verify", "--inference exact", "--tolerance 1e-3", "--model-format binary")]
        + [("stories.conll", "--max-mentions-between 2"), ("docs.pairs", "!--max-mentions-between 2"),
           ("stories.conll", "--format conll2012 --solver one-slack"), ("large.pairs", "--inference exact")],
        [],
    ),
    "coreference": (
        ["docs.pairs", "docs2.pairs", "large.pairs", "stories.conll"], "",
        [("docs.pairs", words) for words in (
            "--wrong-link 0.3", "--start random", "--restarts 3", "--document-weight size -C 10",
            "--tolerance 1e-3", "--model-format binary", "!--loss pairs", "!--start given")]
        + [("stories.conll", "--max-mentions-between 2"), ("docs.pairs", "!--max-mentions-between 2"),
           ("stories.conll", "--format conll2012")],
        [],
    ),
    "align": (
        ["pairs.fasta", "pairs2.fasta", "tracks.fasta"], "-C 30 --tolerance 0.05",
        [("pairs.fasta", words) for words in (
            *SOLVERS, "--loss q", "--loss q4", "--loss q2", "--gaps linear", "--gaps affine", "--symmetric",
            "--gap-features constant", "--gap-features residues", "--end-gaps scored", "--end-gaps free",
            "--loss-side target", "--loss-side known", "--normalise length", "--normalise none",
            "--mode global", "--substitution residues", "--substitution residue-windows --tolerance 0.2",
            "--model-format binary", "!--gap-costs 3", "!--substitution window")]
        + [("framed.fasta", "--mode local"), ("framed.fasta", "--mode local --gaps affine")]
        + [("profiles.fasta", f"--substitution {name} --tolerance 0.3") for name in
           ("simple", "anova2", "tensor", "combined", "window", "profile")]
        + [("tracks.fasta", "--substitution simple --gap-features context")],
        [],
    ),
    "motif": (
        ["builtin:motifs"], "--motif-length 10 -C 0.1 --restarts 2",
        [("builtin:motifs", words) for words in (
            *SOLVERS, "--strands one", "--start random", "--shuffles 2", "--shuffles 2 --shuffle-words 3", "--background-order 1", "--no-background",
            "--model-format binary", "!--search gibbs --verify --checkpoint c", "!--motif-length 100")],
        ["--positions", "--answer meme", "--answer logo"],
    ),
}  # fmt: skip
#: Tables of align learn nothing, so they take other words.
TABLES = ["--substitution blosum62", "--substitution blosum62 --gap-costs 2",
          "--substitution blosum62 --gaps affine --gap-costs 1,10", "--substitution log-odds",
          "--substitution log-odds --gaps affine --end-gaps free", "--substitution blosum62 --mode local",
          "!--substitution blosum62 --verify"]  # fmt: skip
NEW = {"chunks.conll": "chunks.t.conll", "text.svmhmm": "text.t.svmhmm", "letor.svm": "letor.t.svm",
       "three.csv": "three.t.csv", "two.svm": "two.t.svm", "sparse.svm": "sparse.t.svm",
       "sets.svm": "sets.t.svm", "docs.pairs": "docs.t.pairs", "docs2.pairs": "docs.t.pairs",
       "stories.conll": "stories.t.conll", "pairs.fasta": "pairs.t.fasta", "pairs2.fasta": "pairs.t.fasta",
       "weighted.svm": "two.t.svm"}  # fmt: skip
#: Words and data that --verify does not go with.
UNVERIFIED = ("mira", "perceptron", "greedy", "large.pairs")


def learner_cases():
    for learner, (plain, common, variants, outputs) in LEARNERS.items():
        for number, (data, words) in enumerate([*((data, "") for data in plain), *variants]):
            name = slug("train", learner, data, words)
            no, words = refused(words)
            given = merged(common, words)
            if not any(word in [data, *words.split()] for word in UNVERIFIED) and "--verify" not in words:
                given += " --verify"
            where = NEW.get(data, data)
            more = "--groups @sizes.txt" if "--groups" in words else ""
            steps = [no + train(learner, data, given)]
            if no:
                yield Case(name, *steps)
                continue
            steps.append(predict(where, more))
            if number < len(plain):
                steps += [predict(where, kind, out=f"answer{k}") for k, kind in enumerate(outputs)]
                steps += [evaluate(where, "answer.txt", f"--task {learner}"), info("m.mm")]
            yield Case(name, *steps)
    for words in TABLES:
        no, given = refused(words)
        steps = [no + train("align", "pairs.fasta", given)]
        if not no:
            steps.append(predict("pairs.t.fasta"))
        yield Case(slug("train", "align", "pairs.fasta", words), *steps)


#: learner, data, words: stopped behind two passes, resumed to the end.
RESUMED = [("sequence", "chunks.conll", "-C 1 --tolerance 1e-4 --solver bcfw"),
           ("sequence", "chunks.conll", "-C 1 --tolerance 1e-4 --solver n-slack"),
           ("rank", "letor.svm", "-C 10 --tolerance 1e-4 --solver one-slack"),
           ("multiclass", "three.csv", "-C 10 --tolerance 1e-4"),
           ("multilabel", "sets.svm", "-C 10 --tolerance 1e-4 --solver one-slack"),
           ("partition", "docs2.pairs", "-C 10 --tolerance 1e-4 --solver n-slack"),
           ("align", "pairs.fasta", "-C 100 --tolerance 1e-3 --solver one-slack")]
#: Learner and words that are refused.
REFUSED = [("sequence", "chunks.conll", "--solver crf --checkpoint state"), ("svc", "two.svm", "--checkpoint state"),
           ("sequence", "chunks.conll", "--resume"), ("sequence", "chunks.conll", "-k 3"),
           ("sequences", "chunks.conll", ""), ("svc", "two.svm", "--gaps affine"),
           ("lda", "two.svm", "-C 3"), ("svc", "two.svm", "--order 2")]  # fmt: skip
STATE = " --checkpoint state --checkpoint-every 0"


def other_cases():
    for learner, data, words in RESUMED:
        yield Case(slug("resume", learner, data, words),
                   train(learner, data, words + STATE + " --max-iterations 2"),
                   train(learner, data, words + STATE + " --resume"),
                   predict(NEW.get(data, data)))  # fmt: skip
    for learner, data, bare in (("sequence", "chunks.conll", "chunks.bare.conll"),
                                ("align", "pairs.fasta", "pairs.bare.fasta")):  # fmt: skip
        yield Case(slug("bare", learner), train(learner, data), predict(bare))
    for learner, data, words in REFUSED:
        yield Case(slug("refused", learner, words), ["!", *train(learner, data, words)])


def cases():
    yield from learner_cases()
    yield from other_cases()
