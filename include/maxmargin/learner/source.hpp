// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/learner/data.hpp"
#include "maxmargin/learner/learner.hpp"

/// From files to the data that learners take. Where: a path, "-" (standard input) or
/// "builtin:NAME[,key=value...]".
namespace maxmargin {

/// Do the options of a training say that the data holds kernel values (--kernel precomputed)?
[[nodiscard]] MAXMARGIN_EXPORT bool asks_for_kernel_values(const OptionTexts& options);

/// The options of files of that kind (format, label column, ...), to train on them or for a model.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<OptionDescription> source_options(
    DataKind kind, bool for_model = false);

/// Throws InvalidArgument for groups of rows among the options of a table: folds and rankings keep
/// them together, nothing else asks for them.
MAXMARGIN_EXPORT void refuse_groups(const OptionTexts& source);

/// The data that a learner is to be trained on. `source` are options of its kind of files;
/// `options` those of the training, of which the kernel decides whether rows are kernel values
/// (--kernel precomputed: a table or NPY file of n x n values, or svmlight rows `label 0:serial 1:K
/// 2:K ...`). Throws FileError and ParseError with the place, InvalidArgument for options.
[[nodiscard]] MAXMARGIN_EXPORT LearnerData read_training_data(const Learner& learner,
                                                              const std::string& where,
                                                              const OptionTexts& source,
                                                              const OptionTexts& options,
                                                              const Context& context = {});

/// The data that a model is asked about. A table of exactly the model's features has no labels
/// unless the options name them.
[[nodiscard]] MAXMARGIN_EXPORT LearnerData read_new_data(const Model& model,
                                                         const std::string& where,
                                                         const OptionTexts& source,
                                                         const Context& context = {});
/// The data that a model was trained on, for verifying it.
[[nodiscard]] MAXMARGIN_EXPORT LearnerData read_data_of(const Model& model,
                                                        const std::string& where,
                                                        const OptionTexts& source,
                                                        const Context& context = {});

/// A table as `info`, `convert` and `plot` look at it. `for_clusters`: a numeric table with a
/// header has no label column unless the options say so.
[[nodiscard]] MAXMARGIN_EXPORT TableData read_table(const std::string& where,
                                                    const OptionTexts& source,
                                                    const Context& context = {},
                                                    bool for_clusters = false);
/// The same of a file that is open already.
[[nodiscard]] MAXMARGIN_EXPORT TableData read_table(Input& input,
                                                    const OptionTexts& source,
                                                    const Context& context = {},
                                                    bool for_clusters = false);

/// The options of read_label_column: those of tables but for what is said of rows beside labels.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<OptionDescription> label_column_options();

/// The labels of a data set, or of a file with one a line, as `eval` compares them.
[[nodiscard]] MAXMARGIN_EXPORT LabelColumn read_label_column(const std::string& where,
                                                             const OptionTexts& source,
                                                             const Context& context = {});

}  // namespace maxmargin
