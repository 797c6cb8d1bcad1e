// SPDX-License-Identifier: Apache-2.0
//
// The subcommands in the order help shows them.
#include "commands/commands.hpp"
#include "commands/common.hpp"

namespace maxmargin::tool {

namespace {

bool is_trained(const Learner& learner) { return learner.info().task != Task::cluster; }
bool is_clustering(const Learner& learner) { return learner.info().task == Task::cluster; }
bool has_folds(const Learner& learner) { return learner.has_folds(); }
bool is_evaluated(const Learner& learner) { return learner.can_evaluate(); }

const Positional data{"DATA", "a file, - (standard input) or builtin:NAME", PositionalKind::data};

std::vector<Command> make_commands() {
  return {
      {.name = "train",
       .summary = "Train a classifier, a regression, a one-class machine, a ranking or a tagger",
       .positionals = {data},
       .chooser = "learner",
       .must_choose = true,
       .takes = is_trained,
       .groups = train_groups,
       .run = run_train,
       .pages = {"data", "metrics", "libsvm"},
       .examples = "  maxmargin train builtin:iris --learner svc -C 10 -o iris.mm\n"
                   "  maxmargin train builtin:iris --learner svc --folds 5"},
      {.name = "tune",
       .summary = "Choose options by cross-validation, then train with them",
       .positionals = {data},
       .chooser = "learner",
       .must_choose = true,
       .takes = has_folds,
       .refusal = "cannot be tuned: clusters are no labels to compare with",
       .groups = tune_groups,
       .run = run_tune,
       .pages = {"data", "metrics"},
       .examples = "  maxmargin tune iris.csv --learner svc --grid \"C=1,10;gamma=0.1,1\" -o m.mm\n"
                   "  maxmargin tune iris.csv --learner svc --kernel rbf+linear "
                   "--grid rbf.gamma=1,9"},
      {.name = "cluster",
       .summary = "Group examples without labels",
       .positionals = {{data.name, data.summary, data.kind, false}},
       .chooser = "method",
       .takes = is_clustering,
       .groups = cluster_groups,
       .run = run_cluster,
       .pages = {"data"},
       .examples = "  maxmargin cluster builtin:iris --method kmeans -k 3 --seed 1 --json -\n"
                   "  maxmargin cluster points.csv -k 5 -o clusters.txt --plot clusters.svg\n"
                   "  maxmargin cluster builtin:iris -k auto --validate\n"
                   "  maxmargin cluster builtin:iris --compare kmeans,kmedoids -k 3"},
      {.name = "predict",
       .summary = "Apply a model to new examples",
       .positionals = {{"MODEL", "a model of train, tune or cluster, or of LIBSVM or LIBLINEAR"},
                       data},
       .groups = predict_groups,
       .run = run_predict,
       .examples = "  maxmargin predict iris.mm new-flowers.csv -o labels.txt\n"
                   "  maxmargin predict a9a.model a9a.t --json -"},
      {.name = "eval",
       .summary = "Compare predictions or clusters with the truth",
       .positionals = {{"TRUTH",
                        "a data set, or a file with one label a line",
                        PositionalKind::data},
                       {"PREDICTED", "a file with one label a line, or as predict writes them"}},
       .chooser = "task",
       .takes = is_evaluated,
       .groups = eval_groups,
       .run = run_eval,
       .pages = {"data", "metrics"},
       .examples = "  maxmargin eval builtin:iris clusters.txt --metric misassignment,ari\n"
                   "  maxmargin eval test.svm predicted.txt\n"
                   "  maxmargin eval letor.svm scores.txt --task rank -k 5"},
      {.name = "info",
       .summary = "Describe a data file or a model",
       .positionals = {{"FILE", "data or a model", PositionalKind::data}},
       .groups = info_groups,
       .run = run_info,
       .pages = {"data"},
       .examples =
           "  maxmargin info a9a.gz\n"
           "  maxmargin info iris.mm\n"
           "  maxmargin info a9a.mm --verify a9a.gz\n"
           "  maxmargin info builtin:iris --mercer --kernel sigmoid --repair clip -o k.npy"},
      {.name = "solve",
       .summary = "Solve a semidefinite program",
       .positionals = {{"FILE", "a program in SDPA's sparse form (.dat-s)"}},
       .groups = solve_groups,
       .run = run_solve,
       .examples = "  maxmargin solve theta.dat-s --json -\n"
                   "  maxmargin solve maxcut.dat-s --method low-rank -o solution.txt --verify"},
      {.name = "convert",
       .summary = "Change the format of a data file or a model, scale or project data",
       .positionals = {{"IN", "data or a model", PositionalKind::data}, {"OUT", "where to write"}},
       .groups = convert_groups,
       .run = run_convert,
       .pages = {"data"},
       .examples = "  maxmargin convert table.csv data.svm.gz\n"
                   "  maxmargin convert iris.mm iris.model --to libsvm\n"
                   "  maxmargin convert train.svm scaled.svm --scale range --save-scaler range.mm\n"
                   "  maxmargin convert test.svm scaled.t.svm --scaler range.mm\n"
                   "  maxmargin convert table.csv scores.csv --project kernel-pca --components 3"},
      {.name = "plot",
       .summary = "Draw data, clusters, decision regions or the trace of a run as SVG",
       .positionals = {{data.name,
                        "the points, or with --what trace a table of cluster --trace",
                        data.kind}},
       .groups = plot_groups,
       .run = run_plot,
       .examples = "  maxmargin plot builtin:circles --model rings.mm -o rings.svg\n"
                   "  maxmargin plot points.csv --labels clusters.txt -o clusters.svg\n"
                   "  maxmargin plot trace.csv --what trace -o trace.svg\n"
                   "  maxmargin plot builtin:iris --model iris.mm --what projections -o w.svg"},
      {.name = "demo",
       .summary = "Cluster Iris, show the measures and draw a picture",
       .groups = demo_groups,
       .run = run_demo,
       .examples = "  maxmargin demo --plot iris.svg"},
      {.name = "completion",
       .summary = "Print the completion script of a shell",
       .positionals =
           {{"SHELL", "bash, zsh or fish", PositionalKind::word, true, completed_shells()}},
       .groups = completion_groups,
       .run = run_completion,
       .examples = "  source <(maxmargin completion bash)"},
  };
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Command> all = make_commands();
  return all;
}

}  // namespace maxmargin::tool
