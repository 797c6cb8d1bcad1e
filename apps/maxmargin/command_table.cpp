// SPDX-License-Identifier: Apache-2.0
//
// The subcommands: what each takes and is for.
#include <array>

#include "option_names.hpp"
#include "option_table.hpp"

namespace maxmargin::tool {

namespace {

using Names = std::string_view;

constexpr PositionalSpec data_argument = {
    "DATA", "a file, - for standard input, or builtin:NAME[,key=value...]"};

constexpr std::array data_positional = {data_argument};
constexpr std::array cluster_positional = {
    PositionalSpec{data_argument.name, data_argument.summary, false}};
constexpr std::array info_positional = {
    PositionalSpec{"DATA|MODEL", "a data file, builtin:NAME, or a model file"}};
constexpr std::array convert_positionals = {
    PositionalSpec{"IN", "a data file, - for standard input, builtin:NAME, or a model"},
    PositionalSpec{"OUT", "the file to write; .gz, .bz2 and .xz are compressed"}};
constexpr std::array eval_positionals = {
    PositionalSpec{"TRUTH",
                   "a data file (options of files are for it), builtin:NAME, or one label a line"},
    PositionalSpec{"PREDICTED", "a file with one label or cluster a line, or a data file"}};
constexpr std::array predict_positionals = {
    PositionalSpec{"MODEL", "a model file of maxmargin, LIBSVM or LIBLINEAR"}, data_argument};
constexpr std::array plot_positional = {PositionalSpec{
    "DATA", "as in cluster; with --what trace, the table that cluster --trace wrote"}};
constexpr std::array solve_positional = {
    PositionalSpec{"FILE", "a semidefinite program as a sparse SDPA file (.dat-s), or -"}};
constexpr std::array shell_positional = {PositionalSpec{"SHELL", "bash or zsh"}};

/// What train and tune have in common.
constexpr std::array learning_options = {Names{"C"},
                                         Names{"nu"},
                                         Names{"epsilon"},
                                         Names{"kernel"},
                                         Names{"gamma"},
                                         Names{"degree"},
                                         Names{"coef0"},
                                         Names{"loss"},
                                         Names{"penalty"},
                                         Names{"form"},
                                         Names{"ramp"},
                                         Names{"rho"},
                                         Names{"lambda"},
                                         Names{"solver"},
                                         Names{"bound-rounds"},
                                         Names{"restarts"},
                                         Names{"shrinkage"},
                                         Names{"no-bias"},
                                         Names{"unlabeled-cost"},
                                         Names{"balance"},
                                         Names{"balance-form"},
                                         Names{"bias"},
                                         Names{"continuation"},
                                         Names{"safe"},
                                         Names{"multiclass"},
                                         Names{"code"},
                                         Names{"decoding"},
                                         Names{"class-weight"},
                                         Names{"probabilities"},
                                         Names{"scale"},
                                         Names{"tolerance"},
                                         Names{"max-iterations"},
                                         Names{"time-limit"},
                                         Names{"memory-limit"},
                                         Names{"allow-one-class"},
                                         Names{"allow-indefinite"},
                                         Names{"seed"},
                                         Names{"threads"},
                                         Names{"format"},
                                         Names{"label"},
                                         Names{"header"},
                                         Names{"labels"},
                                         Names{"weight"},
                                         Names{"groups"},
                                         Names{"unlabeled"},
                                         Names{"labeled-rows"},
                                         Names{"output"},
                                         Names{"model-format"},
                                         Names{"json"},
                                         Names{"verify"}};
constexpr std::array train_options = joined(names("learner", "folds", "metric"),
                                            learning_options,
                                            structured_options,
                                            alignment_options,
                                            names("weights-output", "libsvm", "quiet"));
constexpr std::array tune_options =
    joined(names("learner", "grid", "folds", "metric", "search", "one-se", "table"),
           learning_options,
           names("quiet"));
constexpr std::array cluster_options = {Names{"method"},
                                        Names{"compare"},
                                        Names{"clusters"},
                                        Names{"restarts"},
                                        Names{"max-iterations"},
                                        Names{"distance"},
                                        Names{"linkage"},
                                        Names{"start"},
                                        Names{"covariance"},
                                        Names{"variance-floor"},
                                        Names{"refinements"},
                                        Names{"threshold"},
                                        Names{"kernel"},
                                        Names{"gamma"},
                                        Names{"degree"},
                                        Names{"coef0"},
                                        Names{"C"},
                                        Names{"nu"},
                                        Names{"tolerance"},
                                        Names{"memory-limit"},
                                        Names{"allow-indefinite"},
                                        Names{"graph"},
                                        Names{"neighbours"},
                                        Names{"samples"},
                                        Names{"gamma-sweep"},
                                        Names{"table"},
                                        Names{"balance"},
                                        Names{"balance-form"},
                                        Names{"anchors"},
                                        Names{"bias"},
                                        Names{"steps"},
                                        Names{"features"},
                                        Names{"bound"},
                                        Names{"engine"},
                                        Names{"multiclass"},
                                        Names{"relabel-fraction"},
                                        Names{"min-cluster"},
                                        Names{"p-value"},
                                        Names{"perturb"},
                                        Names{"perturb-law"},
                                        Names{"anneal"},
                                        Names{"anneal-steps"},
                                        Names{"temperature"},
                                        Names{"cooling"},
                                        Names{"cooling-schedule"},
                                        Names{"config"},
                                        Names{"seed"},
                                        Names{"threads"},
                                        Names{"time-limit"},
                                        Names{"scale"},
                                        Names{"format"},
                                        Names{"label"},
                                        Names{"header"},
                                        Names{"labels"},
                                        Names{"weight"},
                                        Names{"unlabeled"},
                                        Names{"labeled-rows"},
                                        Names{"output"},
                                        Names{"model"},
                                        Names{"model-format"},
                                        Names{"json"},
                                        Names{"plot"},
                                        Names{"trace"},
                                        Names{"validate"},
                                        Names{"verify"},
                                        Names{"quiet"}};
constexpr std::array predict_options = {Names{"scores"},
                                        Names{"probabilities"},
                                        Names{"n-best"},
                                        Names{"margins"},
                                        Names{"columns"},
                                        Names{"groups"},
                                        Names{"k"},
                                        Names{"relevant-from"},
                                        Names{"weight"},
                                        Names{"format"},
                                        Names{"label"},
                                        Names{"header"},
                                        Names{"labels"},
                                        Names{"unlabeled"},
                                        Names{"threads"},
                                        Names{"output"},
                                        Names{"json"},
                                        Names{"quiet"}};
constexpr std::array eval_options = {Names{"metric"},
                                     Names{"task"},
                                     Names{"groups"},
                                     Names{"k"},
                                     Names{"relevant-from"},
                                     Names{"taxonomy"},
                                     Names{"cost-matrix"},
                                     Names{"format"},
                                     Names{"label"},
                                     Names{"header"},
                                     Names{"labels"},
                                     Names{"threads"},
                                     Names{"unlabeled"},
                                     Names{"json"}};
constexpr std::array info_options = {Names{"verify-data"},
                                     Names{"format"},
                                     Names{"label"},
                                     Names{"header"},
                                     Names{"labels"},
                                     Names{"weight"},
                                     Names{"groups"},
                                     Names{"unlabeled"},
                                     Names{"labeled-rows"},
                                     Names{"threads"},
                                     Names{"json"}};
constexpr std::array solve_options = {Names{"method"},
                                      Names{"tolerance"},
                                      Names{"max-iterations"},
                                      Names{"time-limit"},
                                      Names{"seed"},
                                      Names{"threads"},
                                      Names{"output"},
                                      Names{"json"},
                                      Names{"verify"},
                                      Names{"quiet"}};
constexpr std::array convert_options = {
    Names{"to"},      Names{"scale"},      Names{"save-scaler"},      Names{"scaler"},
    Names{"project"}, Names{"components"}, Names{"kernel"},           Names{"gamma"},
    Names{"degree"},  Names{"coef0"},      Names{"allow-indefinite"}, Names{"model"},
    Names{"format"},  Names{"label"},      Names{"header"},           Names{"labels"},
    Names{"weight"},  Names{"groups"},     Names{"unlabeled"},        Names{"threads"},
    Names{"quiet"}};
constexpr std::array plot_options = {Names{"what"},
                                     Names{"model"},
                                     Names{"labels"},
                                     Names{"kernel"},
                                     Names{"gamma"},
                                     Names{"degree"},
                                     Names{"coef0"},
                                     Names{"C"},
                                     Names{"allow-indefinite"},
                                     Names{"format"},
                                     Names{"label"},
                                     Names{"header"},
                                     Names{"unlabeled"},
                                     Names{"seed"},
                                     Names{"threads"},
                                     Names{"output"}};
constexpr std::array demo_options = {
    Names{"plot"}, Names{"seed"}, Names{"threads"}, Names{"quiet"}};

constexpr std::array commands = {
    CommandSpec{"train",
                data_positional,
                train_options,
                "Train a classifier, a regression, a one-class machine, a ranking or a tagger",
                "  maxmargin train builtin:iris --learner svc -C 10 -o iris.mm\n"
                "  maxmargin train a9a.gz --learner svc --gamma 0.05 -o a9a.mm --json report.json\n"
                "  maxmargin train builtin:iris --learner svc --folds 5\n"
                "  maxmargin train letor.svm --learner rank -C 10 -o ranking.mm\n"
                "  maxmargin train --libsvm -c 10 -g 0.05 a9a a9a.model"},
    CommandSpec{"tune",
                data_positional,
                tune_options,
                "Choose options by cross-validation, then train with them",
                "  maxmargin tune builtin:iris --learner svc --grid \"C=0.1,1,10;gamma=0.1,1\" "
                "-o iris.mm"},
    CommandSpec{"cluster",
                cluster_positional,
                cluster_options,
                "Group examples without labels",
                "  maxmargin cluster builtin:iris --method kmeans -k 3 --seed 1 --json -\n"
                "  maxmargin cluster points.csv -k 5 -o clusters.txt --plot clusters.svg\n"
                "  maxmargin cluster builtin:iris -k auto --validate\n"
                "  maxmargin cluster builtin:iris --compare kmeans,kmedoids -k 3"},
    CommandSpec{"predict",
                predict_positionals,
                predict_options,
                "Apply a model to new examples",
                "  maxmargin predict iris.mm new-flowers.csv -o labels.txt\n"
                "  maxmargin predict a9a.model a9a.t --json -"},
    CommandSpec{"eval",
                eval_positionals,
                eval_options,
                "Compare predictions or clusters with the truth",
                "  maxmargin eval builtin:iris clusters.txt --metric misassignment,ari\n"
                "  maxmargin eval test.svm predicted.txt\n"
                "  maxmargin eval letor.svm scores.txt --task rank -k 5"},
    CommandSpec{"info",
                info_positional,
                info_options,
                "Describe a data file or a model",
                "  maxmargin info a9a.gz\n  maxmargin info iris.mm\n"
                "  maxmargin info a9a.mm --verify a9a.gz"},
    CommandSpec{"solve",
                solve_positional,
                solve_options,
                "Solve a semidefinite program",
                "  maxmargin solve theta.dat-s --json -\n"
                "  maxmargin solve maxcut.dat-s --method low-rank -o solution.txt --verify"},
    CommandSpec{"convert",
                convert_positionals,
                convert_options,
                "Change the format of a data file or a model, scale data",
                "  maxmargin convert table.csv data.svm.gz\n"
                "  maxmargin convert iris.mm iris.model --to libsvm\n"
                "  maxmargin convert train.svm scaled.svm --scale range --save-scaler range.mm\n"
                "  maxmargin convert test.svm scaled.t.svm --scaler range.mm\n"
                "  maxmargin convert table.csv scores.csv --project kernel-pca --components 3"},
    CommandSpec{"plot",
                plot_positional,
                plot_options,
                "Draw data, clusters, decision regions or the trace of a run as SVG",
                "  maxmargin plot builtin:circles --model rings.mm -o rings.svg\n"
                "  maxmargin plot points.csv --labels clusters.txt -o clusters.svg\n"
                "  maxmargin plot trace.csv --what trace -o trace.svg\n"
                "  maxmargin plot builtin:iris --model iris.mm --what projections -o w.svg"},
    CommandSpec{"demo",
                {},
                demo_options,
                "Cluster Iris, show the measures and draw a picture",
                "  maxmargin demo --plot iris.svg"},
    CommandSpec{"completion",
                shell_positional,
                {},
                "Print the completion script of a shell (bash or zsh)",
                "  source <(maxmargin completion bash)"},
};

}  // namespace

std::span<const CommandSpec> command_table() { return commands; }

}  // namespace maxmargin::tool
