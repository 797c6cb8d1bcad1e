# SPDX-License-Identifier: Apache-2.0
"""Commands that train nothing, or as another program does: eval, info, convert, solve, plot, --libsvm."""

from .run import Case
from .words import THREADS, cluster, evaluate, info, path, predict, refused, slug, split, train

#: truth, data whose labels the machine predicts, learner, metrics of --metric.
METRICS = {
    "classes": ("three.t.csv", "three.csv", "svc",
                ["", "accuracy,error,balanced_accuracy,mcc", "macro_f1,micro_f1,macro_precision,macro_recall,q3",
                 "misassignment,matched_accuracy,majority_error,purity,ari,nmi", "!colour", "!auc"]),
    "two": ("two.t.svm", "two.svm", "svc",
            ["", "f1,precision,recall,sensitivity,specificity,npv", "auc,pr_auc", "!log_loss", "!brier"]),
    "plane": ("plane.csv", "plane.csv", "svr", ["", "mse,mae,r2,squared_correlation"]),
}  # fmt: skip


def measured():
    for name, (truth, data, learner, lists) in METRICS.items():
        steps = [train(learner, data), predict(truth)]
        for given in lists:
            no, metrics = refused(given)
            steps.append(no + evaluate(truth, "answer.txt", f"--metric {metrics}" if metrics else ""))
        yield Case(f"eval/{name}", *steps)
    yield Case("eval/clusters", cluster("kmeans", "three.csv", "-k 3"), evaluate("three.csv", "labels.txt"),
               ["!", *evaluate("two.svm", "labels.txt")])  # fmt: skip
    scores = [("letor.svm", "-k 3"), ("letor.svm", "--relevant-from 2"), ("letor.svm", "")]
    yield Case("eval/rank", train("rank", "letor.svm"), predict("letor.svm"),
               *(evaluate(data, "answer.txt", f"--task rank {words}") for data, words in scores),
               evaluate("letor.bare.svm", "answer.txt", "--task rank --groups @sizes.txt"))  # fmt: skip
    yield Case("eval/multiclass", train("multiclass", "three.csv"), predict("three.csv"),
               evaluate("three.csv", "answer.txt", "--task multiclass --taxonomy @tree.txt"),
               evaluate("three.csv", "answer.txt", "--task multiclass --cost-matrix @costs.txt"))  # fmt: skip
    for task, data in (("sequence", "chunks.conll"), ("multilabel", "sets.svm"), ("partition", "docs.pairs"),
                       ("partition", "stories.conll"), ("align", "pairs.fasta")):  # fmt: skip
        yield Case(slug("eval", "itself", task, data),
                   ["eval", path(data), path(data), "--task", task, "--json", "-", *THREADS],
                   ["eval", path(data), path(data), "--task", task, *THREADS])  # fmt: skip


DATA = ["two.svm", "three.csv", "three.tsv", "sparse.svm", "half.svm", "half.csv", "plane.csv", "letor.svm",
        "sets.svm", "weighted.svm", "points.npy", "builtin:iris", "builtin:circles,n=20",
        "builtin:joined-circles,n=20", "builtin:three-circles,n=21", "builtin:circle-and-balls,n=21",
        "builtin:moons,n=20", "builtin:squiggles,n=20", "builtin:ai,n=20", "builtin:aaai,n=20",
        "builtin:gaussians,n=20", "builtin:checkers,n=20", "builtin:sphere,n=20,outliers=2",
        "builtin:ring-outliers,n=20,outliers=2"]  # fmt: skip
#: data, output, words.
CONVERSIONS = [("three.csv", "out.svm", ""), ("three.csv", "out.tsv", ""), ("two.svm", "out.csv", ""),
               ("three.csv", "out.txt", "--to csv"), ("points.csv", "out.npy", "--label none"),
               ("points.npy", "out.csv", ""), ("points.csv", "out.idx", "--label none"),
               ("sets.svm", "out.svm", ""), ("letor.svm", "out.svm", "--scale range"),
               ("sparse.svm", "out.svm", "--scale standard"), ("builtin:iris", "out.csv", "--scale range:0,1"),
               ("half.csv", "out.svm", ""), ("weighted.svm", "out.csv", ""), ("points.csv", "out.svm",
                                                                             "--labels @labels.txt"),
               ("three.csv", "out.csv", "!--scale kind"), ("three.csv", "out.csv", "!--label x1")]  # fmt: skip
PROJECTIONS = ["pca", "pca --components 3", "kernel-pca", "kernel-pca --kernel poly --degree 2",
               "kernel-pca --gamma median --components 4", "kernel-pca --kernel linear",
               "kernel-pca --kernel laplace", "!pca --kernel rbf"]  # fmt: skip
#: learner, data, words, formats.
EXPORTS = [("svc", "two.svm", "", ["libsvm", "!liblinear", "maxmargin"]),
           ("svc", "three.csv", "", ["!libsvm"]), ("svc", "sparse.svm", "--probabilities", ["libsvm"]),
           ("nu-svc", "two.svm", "", ["libsvm"]), ("svr", "wave.svm", "", ["libsvm"]),
           ("nu-svr", "wave.svm", "--kernel poly", ["libsvm"]), ("one-class", "two.svm", "", ["libsvm"]),
           ("linear-svc", "sparse.svm", "", ["liblinear", "!libsvm"]),
           ("linear-svc", "two.svm", "--loss logistic", ["liblinear"]),
           ("linear-svr", "wide.svm", "", ["liblinear"]), ("cs-svc", "sparse.svm", "--kernel linear", ["liblinear", "!libsvm"]),
           ("lda", "two.svm", "", ["liblinear"]), ("svc", "two.svm", "--scale range", ["!libsvm"]),
           ("multiclass", "sparse.svm", "", ["liblinear"]),
           ("rank", "letor.svm", "", ["!liblinear"]), ("sequence", "chunks.conll", "", ["!libsvm"])]  # fmt: skip


def convert(data, out, words=()):
    return ["convert", data, out, *words, *THREADS, "--quiet"]


def converted():
    for data, out, words in CONVERSIONS:
        no, given = refused(words)
        yield Case(slug("convert", data, out, words), no + convert(path(data), out, split(given)))
    for words in PROJECTIONS:
        no, given = refused(words)
        steps = [no + convert(path("three.csv"), "out.csv", ["--project", *given.split(), "--model", "p.mm"])]
        if not no:
            steps += [convert(path("three.t.csv"), "new.csv", ["--project", "p.mm"]), info("p.mm")]
        yield Case(slug("project", words), *steps)
    for kind in ("range", "standard"):
        yield Case(slug("scaler", kind),
                   convert(path("three.csv"), "out.csv", ["--scale", kind, "--save-scaler", "s.mm"]),
                   convert(path("three.t.csv"), "new.csv", ["--scaler", "s.mm"]), info("s.mm"))  # fmt: skip
    for learner, data, words, formats in EXPORTS:
        steps = [train(learner, data, words)]
        for given in formats:
            no, to = refused(given)
            out = "again.mm" if to == "maxmargin" else f"{to}.model"
            steps.append(no + convert("m.mm", out, ["--to", to]))
            if not no:
                steps += [predict(data, model=out, out=to), info(out), convert("m.mm", "own.out"),
                          convert(out, "back.mm"), predict(data, model="back.mm", out=f"back-{to}")]  # fmt: skip
        yield Case(slug("export", learner, data, words), *steps)


PROGRAMS = [("theta", f"--method {method}") for method in ("interior-point", "admm", "low-rank --seed 1")]
PROGRAMS += [("cut", ""), ("cut", "--method admm"), ("cut", "--method low-rank --seed 2"), ("blocks", ""),
             ("blocks", "--method admm"), ("none", ""), ("endless", ""), ("theta", "--max-iterations 2"),
             ("theta", "--tolerance 1e-4"), ("theta", "!--seed 3")]  # fmt: skip
#: -s, -t and others of svm-train, data and new data.
LIBSVM = [*((f"-s {s}", "two.svm", "two.t.svm") for s in (0, 1, 2)),
          *((f"-s {s}", "wave.svm", "wave.svm") for s in (3, 4)),
          *((f"-t {t}", "two.svm", "two.t.svm") for t in (0, 1, 2, 3)), ("-t 4", "gram.svm", "gram.t.svm"),
          ("-b 1", "two.svm", "two.t.svm"), ("-c 10 -g 0.5 -e 0.01", "two.svm", "two.t.svm"),
          ("-h 0", "two.svm", "two.t.svm"), ("-w1 5 -w-1 2", "two.svm", "two.t.svm"),
          ("-v 3", "two.svm", None), ("-s 3 -v 3", "wave.svm", None), ("-t 1 -d 2 -r 1", "sparse.svm", "sparse.t.svm"),
          ("-s 1 -n 0.2", "sparse.svm", "sparse.t.svm"), ("-s 3 -p 0.3", "wave.svm", "wave.svm"),
          ("!-s 5", "two.svm", None), ("-m 1", "sparse.svm", "sparse.t.svm")]  # fmt: skip


def solved():
    for name, words in PROGRAMS:
        no, given = refused(words)
        yield Case(slug("solve", name, words),
                   [*no, "solve", path(f"{name}.dat-s"), *given.split(), "--verify", "-o", "solution.txt",
                    "--json", "solve.json", *THREADS, "--quiet"])  # fmt: skip


def libsvm():
    for words, data, new in LIBSVM:
        no, given = refused(words)
        step = [*no, "train", "--libsvm", *given.split(), "--threads", 2, "--seed", 1, path(data)]
        if new is None:
            yield Case(slug("libsvm", data, words), step)
            continue
        steps = [[*step, "m.model"], predict(new, model="m.model")]
        if "-b" in words:
            steps.append(predict(new, "--probabilities", model="m.model", out="probabilities"))
        yield Case(slug("libsvm", data, words), *steps, info("m.model"))


def plot(data, words=(), out="picture.svg"):
    return ["plot", path(data), *words, "-o", out, *THREADS]


def drawn():
    for data in ("two.svm", "three.csv", "sparse.svm", "builtin:circles,n=30", "wave.csv"):
        yield Case(slug("plot", data), plot(data))
    for learner, data in (("svc", "two.svm"), ("linear-svc", "two.svm"), ("lda", "three.csv"), ("svdd", "two.svm")):
        yield Case(slug("plot", "model", learner), train(learner, data), plot(data, ["--model", "m.mm"]),
                   plot(data, ["--model", "m.mm", "--what", "projections"], "projections.svg"))  # fmt: skip
    for method, words in (("kmeans", "-k 2"), ("sv-clustering", "--gamma 1"), ("mmc-alternating", "-k 2")):
        yield Case(slug("plot", "model", method), cluster(method, "two.svm", words),
                   plot("two.svm", ["--model", "m.mm"]), plot("two.svm", ["--labels", "labels.txt"], "l.svg"),
                   plot("two.svm", ["--labels", "labels.txt", "--what", "projections"], "w.svg"),
                   plot("two.svm", ["--labels", "labels.txt", "--what", "qq"], "qq.svg"))  # fmt: skip
    yield Case("plot/kernel", plot("three.csv", ["--kernel", "poly"]), plot("three.csv", ["--kernel", "rbf", "--gamma", 1]),
               ["!", *plot("three.csv", ["--kernel", "precomputed"])],
               plot("three.csv", ["--what", "projections", "-C", 10, "--kernel", "linear"]))  # fmt: skip
    yield Case("plot/trace", cluster("relabeler", "two.svm", "-k 2 --trace trace.csv"),
               plot("./trace.csv", ["--what", "trace"]), ["!", *plot("two.svm", ["--what", "shape"])])  # fmt: skip


def cases():
    for data in DATA:
        yield Case(slug("info", data), info(data), ["info", path(data), *THREADS])
    yield from measured()
    yield from converted()
    yield from solved()
    yield from libsvm()
    yield from drawn()
    yield Case("demo", ["demo", "--plot", "demo.svg", "--seed", "1", *THREADS, "--quiet"])
