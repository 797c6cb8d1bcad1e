// SPDX-License-Identifier: Apache-2.0
#include "option_table.hpp"

#include <array>
#include <string>

#include "maxmargin/core/error.hpp"

namespace maxmargin::tool {

namespace {

constexpr std::array options = {
    // What to do.
    OptionSpec{"method", "", "NAME", "clustering method (listed below)", "kmeans"},
    OptionSpec{"clusters", "-k", "K", "number of clusters", ""},
    OptionSpec{"metric", "", "NAME,...", "measures to compute (listed below)", "those that fit"},
    OptionSpec{"to",
               "",
               "FORMAT",
               "format to write: svmlight, csv, tsv, npy, idx",
               "by the extension of OUT, else as IN"},
    OptionSpec{
        "scale", "", "KIND", "scale the features: none, range (to [-1,1]) or standard", "none"},
    OptionSpec{"save-scaler", "", "FILE", "write the fitted scaler", ""},
    OptionSpec{"scaler", "", "FILE", "apply a scaler written by --save-scaler", ""},
    // The data.
    OptionSpec{
        "format", "", "FORMAT", "format of the data: svmlight, csv, tsv, npy, idx", "by content"},
    OptionSpec{"label",
               "",
               "COLUMN",
               "label column of a table: a name, a number from 1, or none",
               "target, label, class or y, else the last"},
    OptionSpec{
        "header", "", "yes|no", "whether the first row of a table holds names", "by content"},
    OptionSpec{"labels", "", "FILE", "labels of data that holds features alone, one a line", ""},
    OptionSpec{
        "weight", "", "COLUMN|FILE", "example weights: a column, or a file with one a line", ""},
    OptionSpec{"groups", "", "FILE", "group (query) sizes, one a line", ""},
    OptionSpec{
        "unlabeled", "", "LABEL", "this label means: not labelled (as 0 in SVM-light files)", "?"},
    OptionSpec{
        "labeled-rows", "", "FILE[:LINE]", "keep only these rows' labels (row numbers from 0)", ""},
    // The run.
    OptionSpec{"restarts", "", "N", "random starts, of which the best is kept", "10"},
    OptionSpec{"max-iterations", "", "N", "upper limit on iterations of one start", "300"},
    OptionSpec{"distance", "", "NAME", "euclidean, manhattan or cosine", "euclidean"},
    OptionSpec{"seed", "", "N", "seed of all random choices", "0"},
    OptionSpec{"threads", "", "N", "threads to use; the result does not depend on it", "all cores"},
    OptionSpec{"time-limit", "", "SECONDS", "stop then with the best answer so far", "none"},
    // The results.
    OptionSpec{"output", "-o", "FILE", "where the labels go, one a line", "standard output"},
    OptionSpec{"model", "", "FILE", "write the model, for predict", ""},
    OptionSpec{"model-format", "", "KIND", "text, or binary for large models", "text"},
    OptionSpec{"json", "", "FILE", "write the report as JSON (- is standard output)", ""},
    OptionSpec{"plot", "", "FILE", "draw the first two principal components as SVG", ""},
    OptionSpec{
        "verify", "", "", "recompute the objective from model and data, hold it to the bound", ""},
    OptionSpec{"quiet", "", "", "no progress and no summary", ""},
};

using Names = std::string_view;

constexpr PositionalSpec data_argument = {
    "DATA", "a file, - for standard input, or builtin:NAME[,key=value...]"};

constexpr std::array data_positional = {data_argument};
constexpr std::array info_positional = {
    PositionalSpec{"DATA|MODEL", "a data file, builtin:NAME, or a model file"}};
constexpr std::array convert_positionals = {
    PositionalSpec{"IN", "a file, - for standard input, or builtin:NAME[,key=value...]"},
    PositionalSpec{"OUT", "the file to write; .gz, .bz2 and .xz are compressed"}};
constexpr std::array eval_positionals = {
    PositionalSpec{"TRUTH", "a data file, builtin:NAME, or a file with one label a line"},
    PositionalSpec{"PREDICTED", "a file with one label or cluster a line, or a data file"}};
constexpr std::array predict_positionals = {
    PositionalSpec{"MODEL", "a model file, written with --model"}, data_argument};
constexpr std::array shell_positional = {PositionalSpec{"SHELL", "bash or zsh"}};

constexpr std::array cluster_options = {
    Names{"method"},   Names{"clusters"}, Names{"restarts"},     Names{"max-iterations"},
    Names{"distance"}, Names{"seed"},     Names{"threads"},      Names{"time-limit"},
    Names{"scale"},    Names{"format"},   Names{"label"},        Names{"header"},
    Names{"labels"},   Names{"weight"},   Names{"unlabeled"},    Names{"labeled-rows"},
    Names{"output"},   Names{"model"},    Names{"model-format"}, Names{"json"},
    Names{"plot"},     Names{"verify"},   Names{"quiet"}};
constexpr std::array predict_options = {Names{"weight"},
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
                                     Names{"format"},
                                     Names{"label"},
                                     Names{"header"},
                                     Names{"labels"},
                                     Names{"threads"},
                                     Names{"unlabeled"},
                                     Names{"json"}};
constexpr std::array info_options = {Names{"format"},
                                     Names{"label"},
                                     Names{"header"},
                                     Names{"labels"},
                                     Names{"weight"},
                                     Names{"groups"},
                                     Names{"unlabeled"},
                                     Names{"threads"},
                                     Names{"json"}};
constexpr std::array convert_options = {Names{"to"},
                                        Names{"scale"},
                                        Names{"save-scaler"},
                                        Names{"scaler"},
                                        Names{"format"},
                                        Names{"label"},
                                        Names{"header"},
                                        Names{"labels"},
                                        Names{"weight"},
                                        Names{"groups"},
                                        Names{"unlabeled"},
                                        Names{"threads"},
                                        Names{"quiet"}};
constexpr std::array demo_options = {
    Names{"plot"}, Names{"seed"}, Names{"threads"}, Names{"quiet"}};

constexpr std::array commands = {
    CommandSpec{"cluster",
                data_positional,
                cluster_options,
                "Group examples without labels",
                "  maxmargin cluster builtin:iris --method kmeans -k 3 --seed 1 --json -\n"
                "  maxmargin cluster points.csv -k 5 -o clusters.txt --plot clusters.svg"},
    CommandSpec{"predict",
                predict_positionals,
                predict_options,
                "Apply a model to new examples",
                "  maxmargin predict clusters.mm new-points.csv -o labels.txt"},
    CommandSpec{"eval",
                eval_positionals,
                eval_options,
                "Compare predictions or clusters with the truth",
                "  maxmargin eval builtin:iris clusters.txt --metric misassignment,ari\n"
                "  maxmargin eval test.svm predicted.txt"},
    CommandSpec{"info",
                info_positional,
                info_options,
                "Describe a data file or a model",
                "  maxmargin info a9a.gz\n  maxmargin info clusters.mm"},
    CommandSpec{"convert",
                convert_positionals,
                convert_options,
                "Change the format of a data file, scale it",
                "  maxmargin convert table.csv data.svm.gz\n"
                "  maxmargin convert train.svm scaled.svm --scale range --save-scaler range.mm\n"
                "  maxmargin convert test.svm scaled.t.svm --scaler range.mm"},
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

std::span<const OptionSpec> option_table() { return options; }

const OptionSpec& find_option(std::string_view name) {
  for (const OptionSpec& option : options) {
    if (option.name == name) return option;
  }
  throw InternalError("no option named " + std::string(name));
}

std::span<const CommandSpec> command_table() { return commands; }

}  // namespace maxmargin::tool
