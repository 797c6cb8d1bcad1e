# SPDX-License-Identifier: Apache-2.0
"""Commands of the clustering methods."""

from .run import Case
from .words import THREADS, cluster, info, merged, path, predict, refused, slug

POINTS = ("two.svm", "three.csv", "builtin:moons,n=40")
FEW = ("two.svm", "builtin:gaussians,n=24,k=2", "builtin:moons,n=24")
KERNELS = ("linear", "poly", "rbf", "laplace", "absdiff", "sigmoid", "cosine")
POSITIVE_KERNELS = ("intersection", "chi-square", "sentropic")
BIASES = ("center", "constant", "none")

#: Method: data of the plain runs, the words of all runs, and variants as (data, words).
METHODS = {
    "kmeans": (
        [*POINTS, "sparse.svm", "builtin:iris"], "-k 3",
        [("three.csv", words) for words in (
            "--restarts 1", "--max-iterations 2", "--scale range", "--scale standard", "--validate", "--time-limit 1000",
            "--model-format binary", "!--trace trace.csv", "--plot picture.svg")]
        + [("points.npy", ""), ("weighted.svm", ""), ("two.svm", "--weight @weights.txt")],
    ),
    "kmedoids": (
        [*POINTS, "sparse.svm"], "-k 3",
        [("three.csv", f"--distance {name}") for name in ("euclidean", "manhattan", "cosine")]
        + [("three.csv", "--plot picture.svg")],
    ),
    "kernel-kmeans": (
        POINTS, "-k 3 --restarts 4",
        [("two.svm", f"--kernel {kernel}") for kernel in KERNELS]
        + [("positive.svm", f"--kernel {kernel}") for kernel in POSITIVE_KERNELS]
        + [("two.svm", f"--start {start}") for start in ("plus-plus", "random", "sequential")]
        + [("two.svm", f"--gamma {gamma}") for gamma in ("auto", "median", "quantile:0.3", "neighbour", "0.5")]
        + [("gram.svm", "--kernel precomputed"), ("gram.csv", "--kernel precomputed --label none"),
           ("gram.bad.svm", "--kernel precomputed --allow-indefinite"),
           ("gram.bad.svm", "--kernel precomputed")],
    ),
    "hierarchical": (
        [*POINTS, "sparse.svm"], "-k 3",
        [("three.csv", f"--linkage {name}") for name in ("single", "complete", "average", "ward")]
        + [("three.csv", f"--linkage average --distance {name}") for name in ("manhattan", "cosine")]
        + [("three.csv", "!--distance manhattan"), ("weighted.svm", ""), ("three.csv", "--plot picture.svg")],
    ),
    "mixture": (
        POINTS, "-k 2 --restarts 3",
        [("three.csv", f"--covariance {name}") for name in ("spherical", "diagonal", "full", "tied")]
        + [("three.csv", "--variance-floor 0.1"), ("three.csv", "--tolerance 1e-3"),
           ("three.csv", "--trace trace.csv")],
    ),
    "spectral": (
        POINTS, "-k 2",
        [("two.svm", "-k 3"), ("two.svm", "--neighbours 5"), ("two.svm", "--refinements 0"),
         ("two.svm", "--kernel laplace"), ("two.svm", "--gamma 0.5")],
    ),
    "normalized-cut": (
        POINTS, "-k 2",
        [("two.svm", f"--threshold {rule}") for rule in ("sign", "sweep")]
        + [("two.svm", "-k 3"), ("two.svm", "--neighbours 5")],
    ),
    "ratio-cut": (
        POINTS, "-k 2",
        [("two.svm", f"--threshold {rule}") for rule in ("sign", "sweep")] + [("two.svm", "-k 3")],
    ),
    "min-cut": (POINTS, "-k 2", [("two.svm", "--neighbours 5"), ("two.svm", "-k 3")]),
    "sv-clustering": (
        POINTS, "",
        [("two.svm", f"--graph {graph} --gamma 1") for graph in
         ("complete", "knn", "mst", "delaunay", "support-vectors")]
        + [("two.svm", words) for words in (
            "--nu 0.1 --gamma 1", "--gamma-sweep 4", "--gamma-sweep 4 --table table.csv", "--samples 5",
            "--neighbours 4 --gamma 2", "--kernel laplace")]
        + [("three.csv", "!--graph delaunay")],
    ),
    "relabeler": (
        POINTS, "-k 2 --restarts 3",
        [("two.svm", words) for words in (
            "--engine svc -C 2", "--engine nu-svc --nu 0.3", "--relabel-fraction 0.2", "--min-cluster 5",
            "--p-value 0.5", "--perturb 0.2 --anneal-steps 4", "--kernel absdiff",
            "--perturb-law constant --anneal-steps 4", "--perturb-law stall --anneal-steps 4",
            "--anneal --anneal-steps 4", "--anneal --anneal-steps 4 --temperature 2 --cooling 0.9",
            "--trace trace.csv", "--plot picture.svg")]
        + [("two.svm", f"--anneal --anneal-steps 4 --cooling-schedule {name}")
           for name in ("geometric", "linear", "logarithmic")]
        + [("three.csv", f"-k 3 --multiclass {kind}") for kind in ("recursive", "direct")],
    ),
    "mmc": (
        FEW, "-k 2 --restarts 4 --tolerance 0.01",
        [("builtin:gaussians,n=20,k=2", words) for words in (
            *(f"--bias {bias}" for bias in BIASES), "--balance none", "--balance 0.3", "--balance-form rows",
            "--balance-form total", "-C 10", "--kernel linear", "--features nystroem:8")]
        + [("builtin:gaussians,n=15,k=3", "-k 3"), ("builtin:gaussians,n=12,k=3", "-k 3 --anchors 2"),
           ("builtin:gaussians,n=12,k=3", "-k 3 --anchors 0 --bias constant"),
           ("gram.svm", "--kernel precomputed"), ("two.svm", "!--anchors 2")],
    ),
    "mmc-alternating": (
        POINTS, "-k 2 --restarts 3",
        [("two.svm", words) for words in (
            *(f"--bias {bias}" for bias in BIASES), "--balance none", "--steps relabel", "--steps sdp",
            "--features nystroem:10", "--bound none", "--bound relaxation", "-C 5", "--kernel linear",
            "--features nystroem:10 --bound relaxation", "--trace trace.csv")]
        + [("three.csv", "-k 3"), ("three.csv", "!-k 3 --steps sdp")],
    ),
    "mmc-cutting-plane": (
        [*POINTS, "sparse.svm"], "-k 2 --restarts 3",
        [("two.svm", words) for words in (
            *(f"--bias {bias}" for bias in BIASES), "--balance none", "--balance 0.3", "-C 5",
            "--kernel linear", "!--kernel rbf")] + [("three.csv", "!-k 3")],
    ),
}  # fmt: skip
NEW = {"two.svm": "two.t.svm", "three.csv": "three.t.csv", "sparse.svm": "sparse.t.svm",
       "weighted.svm": "two.t.svm"}  # fmt: skip


def method_cases():
    for method, (plain, common, variants) in METHODS.items():
        for number, (data, words) in enumerate([*((data, "") for data in plain), *variants]):
            name = slug("cluster", method, data, words)
            no, words = refused(words)
            steps = [no + cluster(method, data, merged(common, words) + " --verify")]
            if "gram" not in data and not no:
                steps.append(predict(NEW.get(data, data)))
            if number == 0:
                steps.append(info("m.mm"))
            yield Case(name, *steps)


#: Name, words behind `cluster`.
OTHER = {
    "auto": [path("two.svm"), "-k", "auto", "--validate", "--table", "table.csv"],
    "auto-mixture": [path("two.svm"), "--method", "mixture", "-k", "auto", "--restarts", 2],
    "auto-spectral": [path("two.svm"), "--method", "spectral", "-k", "auto"],
    "compare": [path("three.csv"), "--compare", "kmeans,kmedoids,hierarchical", "-k", 3, "--table", "table.csv"],
    "compare-verify": [path("two.svm"), "--compare", "kmeans,mixture,spectral", "-k", 2, "--verify"],
    "compare-validate": [path("two.svm"), "--compare", "kmeans,kernel-kmeans", "-k", 2, "--validate"],
    "validate": [path("two.svm"), "-k", 2, "--validate", "--method", "kernel-kmeans"],
    "config": ["--config", path("iris.properties")],
    "outliers": [path("two.svm"), "--method", "sv-clustering", "--nu", 0.3, "--gamma", 1, "--validate"],
    "refused-no-k": ["!", path("two.svm")],
    "refused-unknown": ["!", path("two.svm"), "--method", "kmean", "-k", 2],
    "labelled-rows": [path("two.svm"), "-k", 2, "--labeled-rows", path("rows.txt")],
    "unlabelled": [path("half.csv"), "-k", 3, "--plot", "picture.svg"],
}  # fmt: skip


def cases():
    yield from method_cases()
    for name, words in OTHER.items():
        # A table with seconds goes to standard error when the report goes to standard output.
        json = "-" if "--compare" in words else "cluster.json"
        yield Case(f"cluster/{name}", [*words[:words[0] == "!"], "cluster", *words[words[0] == "!":],
                                       "-o", "labels.txt", "--seed", 1, *THREADS, "--json", json,
                                       "--quiet"])  # fmt: skip
