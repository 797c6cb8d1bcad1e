# SPDX-License-Identifier: Apache-2.0
"""Commands of the learners of rows: train, predict and verify."""

from .run import Case
from .words import folds, info, predict, refused, slug, train, tune, verify

CLASSES = ("two.svm", "three.csv", "sparse.svm")
NEW = {"two.svm": "two.t.svm", "three.csv": "three.t.csv", "sparse.svm": "sparse.t.svm",
       "gram.svm": "gram.t.svm", "gram.half.svm": "gram.t.svm", "half.svm": "two.t.svm",
       "half.csv": "three.t.csv", "weighted.svm": "two.t.svm"}  # fmt: skip
SMALL = "builtin:moons,n=30"
RINGS = "builtin:ring-outliers,n=30,outliers=4"
TARGETS = ("wave.svm", "plane.csv", "wide.svm")
KERNELS = ("linear", "poly", "rbf", "laplace", "absdiff", "cosine")
POSITIVE_KERNELS = ("intersection", "chi-square", "sentropic --allow-indefinite")
GAMMAS = ("scale", "auto", "median", "quantile:0.3", "neighbour", "0.5")
REDUCTIONS = ["--multiclass ovo", "--multiclass ovr", "--multiclass ecoc --code exhaustive",
              "--multiclass ecoc --code random:3 --decoding hamming"]  # fmt: skip
CALIBRATIONS = ["--probabilities=platt", "--probabilities=isotonic"]

#: Learner: data of the plain runs, the words of all runs, whether --verify knows it, variants as
#: (data, words).
LEARNERS = {
    "svc": (
        [*CLASSES, "builtin:iris", SMALL], "", True,
        [("two.svm", f"--kernel {kernel}") for kernel in KERNELS]
        + [("positive.svm", f"--kernel {kernel}") for kernel in POSITIVE_KERNELS]
        + [("two.svm", f"--gamma {gamma}") for gamma in GAMMAS]
        + [("three.csv", words) for words in REDUCTIONS + CALIBRATIONS]
        + [("three.csv", f"--scale {kind}") for kind in ("none", "range", "range:0,1", "standard")]
        + [("three.csv", f"--model-format {kind}") for kind in ("text", "binary")]
        + [("two.svm", words) for words in (
            "--loss hinge -C 10", "--loss squared-hinge", "--no-bias", "--class-weight balanced",
            "--class-weight +1=3,-1=0.5", "--tolerance 1e-6", "--weight @weights.txt",
            "--kernel poly --degree 2 --coef0 1", "--kernel sigmoid --gamma 0.1 --allow-indefinite",
            "--kernel 0.5*rbf(gamma=0.1)+linear*poly(degree=2)", "--kernel center(rbf(gamma=median))",
            "--kernel iterate(sigmoid(gamma=0.1))", "!--kernel rbf+sigmoid", "!--kernel rbf+",
            "!--kernel rbf+linear --gamma 1", "!--kernel sigmoid --coef0 0.5", "!--kernel sentropic", "--max-iterations 3", "--memory-limit 1M", "--time-limit 1000",
            "--probabilities=platt --class-weight balanced")]
        + [("clean.svm", "-C inf --kernel linear"), ("two.svm", "-C inf --kernel linear"), ("builtin:circles,n=30", "-C inf --kernel linear"),
           ("three.csv", "--multiclass direct"), ("one.svm", "--allow-one-class"), ("one.svm", "!"),
           ("three.csv", "--multiclass ecoc --code @code.csv"), ("weighted.svm", ""),
           ("gram.svm", "--kernel precomputed"), ("gram.csv", "--kernel precomputed --labels @gram.txt"),
           ("gram.bad.svm", "!--kernel precomputed"),
           ("gram.bad.svm", "--kernel precomputed --allow-indefinite"),
           ("points.csv", "--label none --labels @labels.txt"), ("points.npy", "--labels @labels.txt"),
           ("half.svm", "!"), ("three.csv", "!--label x1"), ("three.tsv", "--header yes"),
           ("two.svm.gz", ""), ("three.csv", "--format csv --header yes --label class"),
           ("three.csv", "!--format svmlight"), ("absent.svm", "!"), ("two.svm", "!-C 0"),
           ("two.svm", "!--gamma wide"), ("two.svm", "!--multiclass all")],
    ),
    "nu-svc": (
        CLASSES, "", True,
        [("three.csv", words) for words in REDUCTIONS + CALIBRATIONS]
        + [("two.svm", "--nu 0.2"), ("two.svm", "!--nu 1.5"), ("two.svm", "--nu 0.99"), ("two.svm", "--class-weight balanced"),
           ("gram.svm", "--kernel precomputed"), ("two.svm", "--kernel linear")],
    ),
    "linear-svc": (
        [*CLASSES, "builtin:iris"], "", True,
        [("two.svm", f"--loss {loss}") for loss in ("hinge", "squared-hinge", "logistic")]
        + [("three.csv", words) for words in REDUCTIONS + CALIBRATIONS]
        + [("sparse.svm", "--penalty l1"), ("sparse.svm", "--penalty l2 --no-bias"),
           ("sparse.svm", "!--penalty l1 --loss hinge"), ("three.csv", "--multiclass direct"),
           ("two.svm", "--class-weight balanced"), ("two.svm", "--scale standard -C 0.1"),
           ("three.csv", "--loss logistic --multiclass ovo")],
    ),
    "linear-svr": (
        TARGETS, "", True,
        [("plane.csv", words) for words in (
            "--loss epsilon", "--loss squared-epsilon", "--epsilon 0", "--no-bias", "-C 10 --scale range")],
    ),
    "cs-svc": (
        CLASSES, "", True,
        [("three.csv", words) for words in (
            "--kernel linear", "--no-bias", "--class-weight balanced", "--multiclass direct", "-C 5",
            *CALIBRATIONS)] + [("gram.svm", "--kernel precomputed")],
    ),
    "svr": (
        TARGETS, "", True,
        [("wave.svm", words) for words in (
            "--epsilon 0.3", "--no-bias", "-C 10", "--kernel linear", "--kernel poly", "--kernel laplace",
            "--gamma 2", "--scale standard", "--model-format binary")],
    ),
    "nu-svr": (
        TARGETS, "", True,
        [("wave.svm", words) for words in ("--nu 0.2", "-C 10", "--kernel linear")],
    ),
    "one-class": (
        ("two.svm", "points.csv", "sparse.svm"), "", True,
        [("two.svm", words) for words in ("--nu 0.1", "--kernel linear", "--gamma median")],
    ),
    "svdd": (
        ("two.svm", "points.csv", "sparse.svm"), "", True,
        [("two.svm", words) for words in ("--nu 0", "--nu 0.2", "--kernel linear", "--gamma median")],
    ),
    "ramp-svc": (
        [*CLASSES, RINGS], "--restarts 3", True,
        [("two.svm", words) for words in (
            "--solver cccp", "--solver alternating", "--ramp -0.5", "--bound-rounds 0", "--bound-rounds 2",
            "--no-bias", "--class-weight balanced", "--kernel linear")]
        + [("three.csv", "--multiclass direct"), ("three.csv", "!--multiclass direct --solver cccp"),
           ("three.csv", "--multiclass ovr"), ("gram.svm", "--kernel precomputed"),
           ("two.svm", "--kernel sigmoid --allow-indefinite")],
    ),
    "linear-ramp-svc": (
        [*CLASSES, RINGS], "--restarts 3", True,
        [("two.svm", words) for words in ("--ramp -1", "--bound-rounds 1", "--no-bias", "-C 5")]
        + [("three.csv", "--multiclass ovo")],
    ),
    "trimmed-svc": (
        [*CLASSES, RINGS], "--restarts 3", True,
        [("two.svm", words) for words in ("--rho 0.7", "--rho 1", "--kernel linear", "--no-bias")]
        + [("three.csv", "--multiclass ovr")],
    ),
    "centroid-svc": (
        [*CLASSES, RINGS], "", True,
        [("two.svm", words) for words in ("--lambda 0.2", "--lambda 0", "--kernel linear", "--no-bias")]
        + [("three.csv", "--multiclass ovr")],
    ),
    "loo-svc": (
        [*CLASSES, RINGS], "", True,
        [("two.svm", words) for words in ("--lambda 0.5", "--lambda 0", "--kernel linear", "-C 10")]
        + [("three.csv", "--multiclass ovr"), ("gram.bad.svm", "--kernel precomputed")],
    ),
    "robust-svc": (
        ["clean.svm", SMALL, RINGS], "--restarts 4 --tolerance 0.01", True,
        [(RINGS, f"--bias {bias}") for bias in ("center", "constant", "none")]
        + [(RINGS, "--kernel linear"), (RINGS, "--weights-output eta.csv"), (RINGS, "-C 10"),
           ("builtin:gaussians,n=24,k=3", "--multiclass ovr")],
    ),
    "outlier-svc": (
        ["clean.svm", SMALL, RINGS], "--restarts 4 --tolerance 0.01", True,
        [(RINGS, f"--bias {bias}") for bias in ("center", "constant", "none")]
        + [(RINGS, "--rho 0.8"), (RINGS, "--rho auto"), (RINGS, "--weights-output eta.csv"),
           ("builtin:gaussians,n=24,k=3", "--multiclass ovr")],
    ),
    "s3vm": (
        ["half.svm", "half.sparse.svm", "gram.half.svm"], "--restarts 4 --tolerance 0.01", True,
        [("half.svm", f"--bias {bias}") for bias in ("center", "constant", "none")]
        + [("half.svm", words) for words in (
            "--balance none", "--balance 0.3", "--balance-form rows", "--balance-form total", "-C 1",
            "--kernel rbf --gamma median", "--safe")]
        + [("half.csv", "--multiclass ovr -C 1"), ("half.csv", "--multiclass direct -C 1")],
    ),
    "tsvm": (
        ["half.svm", "half.csv", "half.sparse.svm"], "", True,
        [("half.svm", f"--solver {solver}") for solver in ("kernel", "features")]
        + [("half.svm", words) for words in (
            "--balance none", "--unlabeled-cost 0", "--unlabeled-cost 1", "--safe", "-C 1",
            "--kernel rbf", "--class-weight balanced")]
        + [("gram.half.svm", "--kernel precomputed"), ("two.svm", "--labeled-rows @rows.txt"),
           ("two.svm", "--labeled-rows @rows.txt:2"), ("two.svm", "!--unlabeled -1")],
    ),
    "s3vm-cccp": (
        ["half.svm", "half.csv", "half.sparse.svm"], "", True,
        [("half.svm", f"--solver {solver}") for solver in ("kernel", "features")]
        + [("half.svm", words) for words in (
            "--balance none", "--unlabeled-cost 1", "--ramp -0.8", "--continuation", "--safe", "-C 1",
            "--kernel rbf")]
        + [("gram.half.svm", "--kernel precomputed")],
    ),
    "lp-svc": (
        [*CLASSES, SMALL], "", True,
        [("two.svm", f"--form {form}") for form in ("slides", "l1-norm")]
        + [("three.csv", words) for words in REDUCTIONS]
        + [("clean.svm", "-C inf"), ("two.svm", "--no-bias"), ("gram.bad.svm", "--kernel precomputed")],
    ),
    "lda": (
        [*CLASSES[:2], "builtin:iris"], "", False,
        [("three.csv", words) for words in ("--shrinkage 0.5", "--shrinkage 1", "--class-weight balanced",
                                            *CALIBRATIONS)] + [("sparse.svm", "")],
    ),
    "perceptron": (
        [*CLASSES, "builtin:iris"], "", False,
        [("three.csv", words) for words in ("--no-bias", "--max-iterations 2", "--multiclass ovo",
                                            "--class-weight balanced", CALIBRATIONS[0])],
    ),
}  # fmt: skip
REGRESSIONS = ("linear-svr", "svr", "nu-svr", "one-class", "svdd")


def with_kernel(data, words):
    """The words, with what a file of kernel values needs."""
    return words + " --kernel precomputed" if "gram" in data and "precomputed" not in words else words


def outputs_of(learner, words):
    """What predict can write with such a model."""
    yield "--scores"
    if "--probabilities" in words:
        yield "--probabilities"


def learner_cases():
    for learner, (plain, common, verifiable, variants) in LEARNERS.items():
        for number, (data, words) in enumerate([*((data, "") for data in plain), *variants]):
            name = slug("train", learner, data, words)
            no, words = refused(with_kernel(data, words))
            given = f"{common} {words}" + (" --verify" if verifiable else "")
            steps = [no + train(learner, data, given)]
            if no:
                yield Case(name, *steps)
                continue
            where = NEW.get(data, data)
            more = " ".join(w for w in ("--labels @labels.txt",) if "@labels.txt" in words)
            steps.append(predict(where, more))
            if number < len(plain) or "--probabilities" in words:
                steps += [predict(where, f"{kind} {more}", out=kind[2:]) for kind in outputs_of(learner, words)
                          if learner not in REGRESSIONS]  # fmt: skip
            if number < len(plain):
                steps.append(verify(data) if verifiable else info("m.mm"))
            yield Case(name, *steps)


#: learner, data, words.
FOLDS = [("svc", "three.csv", "--folds 3"), ("svc", "three.csv", "--folds 5 --multiclass ecoc"), ("svc", "three.csv", "--folds 3 --metric mcc"),
         ("svc", "three.csv", "!--folds 3 --metric accuracy,mcc"),
         ("svc", "two.svm", "--folds 3 --metric auc"), ("svc", "two.svm", "--folds 3 --metric f1"),
         ("svc", "two.svm", "--folds 3 --probabilities=isotonic --metric log_loss"),
         ("svr", "plane.csv", "--folds 3 --metric mae"),
         ("svc", "two.svm", "--folds 4 --probabilities=platt"),
         ("svc", "gram.svm", "--folds 3 --kernel precomputed"), ("linear-svc", "two.svm", "--folds 3"),
         ("svr", "plane.csv", "--folds 3"), ("nu-svr", "wave.svm", "--folds 3"),
         ("one-class", "two.svm", "--folds 3"), ("lda", "builtin:iris", "--folds 5"),
         ("tsvm", "half.svm", "--folds 2"), ("ramp-svc", "two.svm", "--folds 3 --restarts 2"),
         ("lp-svc", "two.svm", "--folds 3"), ("perceptron", "three.csv", "--folds 3 --scale range")]  # fmt: skip
#: learner, data, grid, words.
SEARCHES = [("svc", "two.svm", "C=0.1,1,10;gamma=0.1,1", "--search grid --folds 3"),
            ("svc", "two.svm", "C=0.1,1,10;gamma=0.1,1", "--search random:3 --folds 3"),
            ("svc", "two.svm", "C=0.1,1,10;gamma=0.1,1", "--search halving --folds 3"),
            ("svc", "three.csv", "C=0.1,1,10", "--one-se --folds 3 --table table.csv"),
            ("svc", "three.csv", "kernel=linear,rbf;scale=none,range", "--folds 3 --metric macro_f1"),
            ("svc", "two.svm", "gamma=scale,median", "--folds 3 --verify --model-format binary"),
            ("linear-svc", "sparse.svm", "C=0.1,1;loss=hinge,logistic", "--folds 3 --one-se"),
            ("svr", "wave.svm", "C=1,10;epsilon=0.05,0.2", "--folds 3 --metric mae"),
            ("nu-svc", "two.svm", "nu=0.2,0.5", "--folds 3"), ("lda", "three.csv", "shrinkage=0,0.5", "--folds 3"),
            ("ramp-svc", "two.svm", "ramp=0,-0.5", "--folds 2 --restarts 2"),
            ("trimmed-svc", "two.svm", "rho=0.8,0.9", "--folds 2 --restarts 2"),
            ("svc", "two.svm", "colour=1,2", "!--folds 3"), ("lda", "three.csv", "C=1,2", "!--folds 3")]  # fmt: skip


def search_cases():
    for learner, data, words in FOLDS:
        no, given = refused(words)
        yield Case(slug("folds", learner, data, words), no + folds(learner, data, given))
    for learner, data, grid, words in SEARCHES:
        no, given = refused(words)
        steps = [no + tune(learner, data, grid, "-o m.mm " + given)]
        if not no:
            steps.append(predict(NEW.get(data, data)))
        yield Case(slug("tune", learner, data, grid, words), *steps)
    yield Case("tune/no-model", tune("svc", "two.svm", "C=1,2", "--folds 2"))


def cases():
    yield from learner_cases()
    yield from search_cases()
