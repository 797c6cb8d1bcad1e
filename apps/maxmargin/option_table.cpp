// SPDX-License-Identifier: Apache-2.0
#include "option_table.hpp"

#include <array>
#include <string>

#include "maxmargin/core/error.hpp"

namespace maxmargin::tool {

namespace {

constexpr std::array options = {
    // What to do.
    OptionSpec{"learner", "", "NAME", "what to train (listed below)", ""},
    OptionSpec{"method",
               "",
               "NAME",
               "cluster: a method of the list in its help; solve: interior-point, admm or low-rank",
               "kmeans; solve: interior-point"},
    OptionSpec{"compare", "", "NAME,...", "run these methods and print one table", ""},
    OptionSpec{"clusters", "-k", "K", "number of clusters; auto: the most stable of 2 to 10", ""},
    OptionSpec{"what", "", "PICTURE", "clusters, trace, projections or qq", "clusters"},
    OptionSpec{"metric", "", "NAME,...", "measures to compute (listed below)", "those that fit"},
    OptionSpec{"folds", "", "K", "parts of the cross-validation; train: no model then", ""},
    OptionSpec{"grid", "", "AXES", "values to try, as in C=0.1,1,10;gamma=0.01,0.1", ""},
    OptionSpec{"search", "", "KIND", "points to try: grid, random:N or halving", "grid"},
    OptionSpec{"one-se", "", "", "take the first point within a standard error of the best", ""},
    OptionSpec{"table", "", "FILE", "write what was tried as CSV", ""},
    OptionSpec{
        "to",
        "",
        "FORMAT",
        "format to write: svmlight, csv, tsv, npy, idx; libsvm, liblinear, maxmargin (models)",
        "by the extension of OUT, else as IN"},
    // The learner.
    OptionSpec{"C", "-C,-c", "C", "weight of the losses, > 0; inf is the hard margin (svc)", "1"},
    OptionSpec{
        "nu",
        "",
        "SHARE",
        "margin errors (nu-svc), rows outside (nu-svr, one-class, svdd; sv-clustering: 0 unless "
        "given)",
        "0.5"},
    OptionSpec{"epsilon", "", "WIDTH", "half width of the regression tube", "0.1"},
    OptionSpec{"kernel",
               "",
               "NAME",
               "linear, poly, rbf, laplace, absdiff, sentropic, sigmoid, cosine, intersection, "
               "chi-square or precomputed",
               "rbf"},
    OptionSpec{"gamma",
               "",
               "G",
               "width of the kernel: a number, scale, auto, median, quantile:Q or neighbour",
               "scale; 1 for poly"},
    OptionSpec{"degree", "", "N", "degree of the polynomial kernel", "3"},
    OptionSpec{"coef0", "", "X", "constant of the polynomial and sigmoid kernels", "0"},
    OptionSpec{"loss",
               "",
               "NAME",
               "hinge, squared-hinge or logistic; epsilon or squared-epsilon in linear-svr; pairs, "
               "roc-area, error, f1, precision-at-k or recall-at-k in rank; pairs or links in "
               "partition; q, q4 or qN in align",
               "hinge; epsilon; pairs; q"},
    OptionSpec{"penalty", "", "NAME", "l2 or l1 (linear-svc with squared hinge)", "l2"},
    OptionSpec{"form", "", "NAME", "slides or l1-norm (lp-svc)", "slides"},
    OptionSpec{"ramp",
               "",
               "S",
               "margin below which the loss stays flat: < 1 (ramp-svc), in (-1, 0] of unlabelled "
               "rows (s3vm-cccp)",
               "0; s3vm-cccp: -0.3"},
    OptionSpec{"rho",
               "",
               "SHARE",
               "share of the examples that counts, in (0, 1]; auto, often too small (outlier-svc)",
               "0.9"},
    OptionSpec{
        "lambda",
        "",
        "L",
        "margin given up for the distance to the class centre (centroid-svc), or for the own "
        "kernel value (loo-svc)",
        "0.5/median distance; 1"},
    OptionSpec{
        "solver",
        "",
        "NAME",
        "steps cccp or alternating (ramp-svc); kernel, or features: linear, for many rows "
        "(tsvm, s3vm-cccp); bcfw, one-slack, n-slack, subgradient or mira (structured outputs), "
        "crf or perceptron (sequence)",
        "cccp; automatic; bcfw"},
    OptionSpec{"bound-rounds",
               "",
               "N",
               "rounds that tighten the lower bound of ramp losses",
               "5 up to 2000 rows, else 0"},
    OptionSpec{"shrinkage", "", "SHARE", "of the covariance to its diagonal, 0 to 1 (lda)", "0"},
    OptionSpec{
        "unlabeled-cost", "", "COST", "cost of an unlabelled row's loss (0: supervised)", "as -C"},
    OptionSpec{"balance",
               "",
               "SHARE|none",
               "how far sizes may be from equal (mmc) or from the labelled shares (s3vm-cccp: hold "
               "the mean)",
               "0.1"},
    OptionSpec{"continuation", "", "", "let the cost of unlabelled rows grow (s3vm-cccp)", ""},
    OptionSpec{"safe", "", "", "return the supervised machine if cross-validation prefers it", ""},
    OptionSpec{"no-bias", "", "", "a machine through the origin", ""},
    OptionSpec{
        "multiclass",
        "",
        "KIND",
        "ovo, ovr or ecoc: several classes from two; direct: all at once (svc is cs-svc then; "
        "s3vm: ovr or direct; relabeler: recursive or direct)",
        "ovo for kernels, ovr for linear and s3vm"},
    OptionSpec{
        "code", "", "CODE", "code of ecoc: exhaustive, random, random:N or a file", "random"},
    OptionSpec{"decoding", "", "KIND", "how ecoc finds the class: margin or hamming", "margin"},
    OptionSpec{
        "class-weight", "", "WEIGHTS", "balanced, or LABEL=WEIGHT,...: they multiply C", "all 1"},
    OptionSpec{
        "probabilities",
        "",
        "[=KIND]",
        "train: calibrate on cross-validated scores (platt or isotonic); predict: write them",
        ""},
    OptionSpec{"scores", "", "", "write the scores of the classes as CSV", ""},
    OptionSpec{"tolerance",
               "",
               "GAP",
               "relative duality gap at which a solve stops, mixture: relative gain (1e-6 in "
               "sv-clustering and mixture; solve: 1e-8, least 1e-12; admm 1e-6, 1e-10; low-rank "
               "1e-6, 1e-9)",
               "1e-3"},
    OptionSpec{"memory-limit",
               "",
               "SIZE",
               "memory beside the data, such as 500M or 4G",
               "half of the machine's"},
    OptionSpec{"allow-one-class", "", "", "train though all labels are the same", ""},
    OptionSpec{"allow-indefinite",
               "",
               "",
               "accept a kernel that is not positive semidefinite (a precomputed one is measured)",
               ""},
    OptionSpec{"libsvm", "", "", "read the command line as svm-train does; see below", ""},
    OptionSpec{
        "scale", "", "KIND", "scale the features: none, range (to [-1,1]) or standard", "none"},
    OptionSpec{"save-scaler", "", "FILE", "write the fitted scaler", ""},
    OptionSpec{"scaler", "", "FILE", "apply a scaler written by --save-scaler", ""},
    OptionSpec{"project",
               "",
               "KIND|FILE",
               "principal components: pca, kernel-pca, or a file that --model wrote",
               ""},
    OptionSpec{"components", "", "N", "principal components to keep", "2"},
    // Structured outputs.
    OptionSpec{
        "task",
        "",
        "NAME",
        "compare files of this learner: sequence, rank, multiclass, multilabel, partition or "
        "align",
        ""},
    OptionSpec{
        "order", "", "N", "steps back that weights of labels look: 0, 1 or 2 (sequence)", "1"},
    OptionSpec{"rescaling",
               "",
               "NAME",
               "what losses rescale: margin or slack (structured outputs)",
               "margin"},
    OptionSpec{"template",
               "",
               "NAME|FILE",
               "features of text: chunking, tagging, or a file of templates",
               "chunking; tagging for one column"},
    OptionSpec{
        "index", "", "KIND", "numbers of features of text: dictionary or hashed", "dictionary"},
    OptionSpec{"hash-bits", "", "N", "hashed features have numbers below 2^N", "20"},
    OptionSpec{"min-count", "", "N", "features seen less often are left out (dictionary)", "1"},
    OptionSpec{
        "chunks", "", "SCHEME", "predictions keep the rules of iob1, iob2 or iobes tags", "none"},
    OptionSpec{"columns", "", "NAME,...", "observed columns of CoNLL-U", "FORM"},
    OptionSpec{"k",
               "-k,--k",
               "K",
               "rows that count as found: of the losses *-at-k, else of the measures (rank)",
               "relevant rows of the query; measures: 10"},
    OptionSpec{"relevant-from", "", "GRADE", "rows of this grade or more are relevant (rank)", "1"},
    OptionSpec{"query-weight",
               "",
               "NAME",
               "queries weigh one each, or their size: pairs or rows (rank)",
               "one"},
    OptionSpec{"taxonomy",
               "",
               "FILE",
               "classes are leaves of this tree, lines NODE PARENT (multiclass)",
               ""},
    OptionSpec{"inner-nodes", "", "", "inner nodes of the tree are classes, too", ""},
    OptionSpec{"cost-matrix",
               "",
               "FILE",
               "costs of mistakes, lines TRUE PREDICTED COST (multiclass)",
               "all 1"},
    OptionSpec{
        "interactions", "", "", "weights of pairs of labels, at most 20 labels (multilabel)", ""},
    OptionSpec{"wrong-link",
               "",
               "COST",
               "what a wrong link costs, a missing one costing 1; less pays for recall (partition "
               "with --loss links)",
               "1"},
    OptionSpec{"inference",
               "",
               "NAME",
               "search for the worst partitions: auto (exact up to 12 items), greedy, or exact "
               "(documents of at most 16)",
               "auto"},
    OptionSpec{"max-mentions-between",
               "",
               "N",
               "pairs of mentions further apart with other heads have no features (partition)",
               "all have"},
    OptionSpec{"substitution",
               "",
               "NAME",
               "features of a match: residues, residue-windows, simple, anova2, tensor, combined, "
               "window or profile; or a table: blosum62 or log-odds (align)",
               "residues"},
    OptionSpec{"symmetric", "", "", "the weight of residues (a, b) is that of (b, a) (align)", ""},
    OptionSpec{"gaps", "", "KIND", "linear, or affine: openings have a weight (align)", "linear"},
    OptionSpec{"gap-features",
               "",
               "NAME",
               "of a residue left alone: constant, residues or context (align)",
               "constant"},
    OptionSpec{"gap-costs",
               "",
               "GAP[,OPENING]",
               "what gaps cost with a table of --substitution",
               "the best of a grid; log-odds: counted"},
    OptionSpec{"mode",
               "",
               "KIND",
               "global (Needleman-Wunsch) or local (Smith-Waterman) alignments",
               "global"},
    OptionSpec{"end-gaps", "", "KIND", "gaps at the ends: scored or free (align)", "scored"},
    OptionSpec{"loss-side",
               "",
               "SIDE",
               "sequence whose residues are looked up in the reference: target or known (align)",
               "target"},
    OptionSpec{"normalise",
               "",
               "KIND",
               "divide features by the length of the pair, or none (align)",
               "length"},
    OptionSpec{"checkpoint", "", "FILE", "write where the training stands, for --resume", ""},
    OptionSpec{"checkpoint-every", "", "SECONDS", "least time between two checkpoints", "60"},
    OptionSpec{"resume", "", "", "go on with the checkpoint, if there is one", ""},
    OptionSpec{"n-best",
               "",
               "N",
               "write the N best answers, with their scores (sequence, multiclass)",
               ""},
    OptionSpec{
        "margins", "", "", "write how much better each label is than the best other one", ""},
    // The data.
    OptionSpec{"format",
               "",
               "FORMAT",
               "format of the data: svmlight, csv, tsv, npy, idx; conll, conllu, svmhmm "
               "(sequence); pairs, conll2012 (partition); fasta (align)",
               "by content"},
    OptionSpec{"label",
               "",
               "COLUMN",
               "label column of a table: a name, a number from 1, or none",
               "target, label, class or y, else the last"},
    OptionSpec{
        "header", "", "yes|no", "whether the first row of a table holds names", "by content"},
    OptionSpec{"labels",
               "",
               "FILE",
               "labels of data that holds features alone, one a line; plot: what to colour by",
               ""},
    OptionSpec{
        "weight", "", "COLUMN|FILE", "example weights: a column, or a file with one a line", ""},
    OptionSpec{"groups", "", "FILE", "group (query) sizes, one a line", ""},
    OptionSpec{
        "unlabeled", "", "LABEL", "this label means: not labelled (as 0 in SVM-light files)", "?"},
    OptionSpec{
        "labeled-rows", "", "FILE[:LINE]", "keep only these rows' labels (row numbers from 0)", ""},
    // The run.
    OptionSpec{"restarts",
               "",
               "N",
               "random starts, of which the best is kept",
               "10; mmc (but of features), s3vm, robust-svc, outlier-svc: 20"},
    OptionSpec{
        "max-iterations",
        "",
        "N",
        "upper limit on iterations of one start (train: of one solve, of which robust learners "
        "have many; structured outputs: passes over the data, crf: steps)",
        "300; mmc, s3vm, robust-svc, outlier-svc: 2000; mmc-* and mmc of features: 50; sequence, "
        "partition, align, solver subgradient: 1000; rank, multiclass, multilabel: 1000000; "
        "solvers mira, perceptron: 10; other learners: none"},
    OptionSpec{"refinements", "", "N", "passes of moves that lower the cut (spectral)", "20"},
    OptionSpec{"threshold", "", "RULE", "where an eigenvector is cut: sign or sweep", "sweep"},
    OptionSpec{"distance", "", "NAME", "euclidean, manhattan or cosine", "euclidean"},
    OptionSpec{"linkage", "", "NAME", "single, complete, average or ward", "ward"},
    OptionSpec{"start", "", "NAME", "first clusters: plus-plus, random or sequential", "plus-plus"},
    OptionSpec{"covariance", "", "NAME", "spherical, diagonal, full or tied", "full"},
    OptionSpec{"variance-floor",
               "",
               "SHARE",
               "least variance, as a share of the features' mean variance (mixture)",
               "1e-6"},
    OptionSpec{"graph",
               "",
               "NAME",
               "pairs of points to look at: complete, knn, mst, delaunay (two features) or "
               "support-vectors",
               "knn"},
    OptionSpec{"neighbours",
               "",
               "N",
               "nearest neighbours of each point in the graph",
               "10; cuts: all pairs"},
    OptionSpec{"samples", "", "N", "places looked at between two points (sv-clustering)", "19"},
    OptionSpec{"gamma-sweep", "", "N", "try N widths from coarse to fine (sv-clustering)", ""},
    // Maximum-margin clustering.
    OptionSpec{"balance-form",
               "",
               "NAME",
               "how the relaxation has the balance: total, or rows as published (mmc, s3vm)",
               "total"},
    OptionSpec{"anchors",
               "",
               "N",
               "points told apart for a better bound, 0 to 6 (mmc with -k 3 or more)",
               "the smaller of k and 4"},
    OptionSpec{"bias",
               "",
               "NAME",
               "center the kernel, add a constant, or none (relaxations)",
               "center; robust-svc, outlier-svc: constant"},
    OptionSpec{
        "steps", "", "NAME", "relabel, or sdp: relaxed labels first (mmc-alternating)", "relabel"},
    OptionSpec{
        "features", "", "NAME", "nystroem:M: M features for the kernel (mmc, mmc-alternating)", ""},
    OptionSpec{
        "bound", "", "NAME", "none, or relaxation: bound all labellings (mmc-alternating)", "none"},
    // The relabeler.
    OptionSpec{"engine", "", "NAME", "machine of the relabeler: svc or nu-svc", "svc"},
    OptionSpec{"relabel-fraction",
               "",
               "SHARE",
               "misclassified points of a class that a step moves, the worst, in (0, 1]",
               "0.5"},
    OptionSpec{"min-cluster", "", "N", "reject runs that end with fewer points in a cluster", "2"},
    OptionSpec{"p-value",
               "",
               "P",
               "reject runs as good by chance with more than this probability",
               "none"},
    OptionSpec{
        "perturb", "", "P", "chains that move labels with this probability and run again", "0.1"},
    OptionSpec{"perturb-law",
               "",
               "LAW",
               "constant, or stall: p + 0.05 for every run without a change, to 0.5",
               "constant"},
    OptionSpec{"anneal", "", "", "chains by simulated annealing", ""},
    OptionSpec{"anneal-steps", "", "N", "runs of a chain after its first", "60"},
    OptionSpec{"temperature", "", "T", "of the first step of --anneal", "10"},
    OptionSpec{"cooling", "", "RATE", "factor of the temperature at each step, in (0, 1)", "0.96"},
    OptionSpec{"cooling-schedule", "", "NAME", "geometric, linear or logarithmic", "geometric"},
    OptionSpec{"config", "", "FILE", "property file of kernlib: data and options of relabeler", ""},
    OptionSpec{"seed", "", "N", "seed of all random choices", "0"},
    OptionSpec{"threads", "", "N", "threads to use; the result does not depend on it", "all cores"},
    OptionSpec{"time-limit", "", "SECONDS", "stop then with the best answer so far", "none"},
    // The results.
    OptionSpec{"output",
               "-o",
               "FILE",
               "where the labels go, one a line; train and tune: the model; solve: X, y and Z",
               "standard output"},
    OptionSpec{"model", "", "FILE", "write the model, for predict; plot: the model to draw", ""},
    OptionSpec{"model-format", "", "KIND", "text, or binary for large models", "text"},
    OptionSpec{"json", "", "FILE", "write the report as JSON (- is standard output)", ""},
    OptionSpec{"weights-output",
               "",
               "FILE",
               "write every row's relaxed eta as CSV (robust-svc, outlier-svc)",
               ""},
    OptionSpec{"plot", "", "FILE", "draw the result as SVG", ""},
    OptionSpec{"trace", "", "FILE", "write what was recorded at every iteration as CSV", ""},
    OptionSpec{"validate", "", "", "add stability and the errors of a machine on the clusters", ""},
    OptionSpec{
        "verify", "", "", "recompute the objective from model and data, hold it to the bound", ""},
    OptionSpec{"verify-data",
               "--verify",
               "DATA",
               "recompute the certificate of the model on this data",
               ""},
    OptionSpec{"quiet", "", "", "no progress and no summary", ""},
};

}  // namespace

std::span<const OptionSpec> option_table() { return options; }

const OptionSpec& find_option(std::string_view name) {
  for (const OptionSpec& option : options) {
    if (option.name == name) return option;
  }
  throw InternalError("no option named " + std::string(name));
}

std::string main_flag(std::string_view name) {
  return (name.size() == 1 ? "-" : "--") + std::string(name);
}

}  // namespace maxmargin::tool
