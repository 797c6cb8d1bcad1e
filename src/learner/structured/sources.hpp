// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/io/table/read_data.hpp"
#include "maxmargin/learner/data.hpp"

/// Files of rows as structured learners read them, with those of the options of tables that each
/// has a use for. Threads come from the context.
namespace maxmargin::learning {

/// What rows are read for.
enum class RowsUse {
  train,   ///< weights are of use
  measure  ///< queries may have rows without a grade
};

/// Rows in queries.
struct QueriesReading {
  RowsUse use = RowsUse::measure;
  ReadOptions file = {};
  void describe(OptionVisitor& visit);
};
/// Rows of a query stand together, and to learn from them a query has one weight.
/// `model_features`: of the model that the data is for. Throws what read_data throws.
[[nodiscard]] TableData read_queries(const std::string& path,
                                     const QueriesReading& options,
                                     const Context& context,
                                     std::optional<std::size_t> model_features = std::nullopt);

/// Rows in bags with one label a bag.
struct BagsReading {
  RowsUse use = RowsUse::measure;
  ReadOptions file = {};
  void describe(OptionVisitor& visit);
};
/// The rows of a bag stand together (Dataset::groups) and have one label and one weight. Throws
/// FileError for rows without bags, or where they differ, and what read_data throws.
[[nodiscard]] TableData read_bags(const std::string& path,
                                  const BagsReading& options,
                                  const Context& context,
                                  std::optional<std::size_t> model_features = std::nullopt);

/// Rows with sets of labels, which svmlight files alone have.
struct LabelSetsReading {
  RowsUse use = RowsUse::measure;
  ReadOptions file = {};
  void describe(OptionVisitor& visit);
};
/// Rows whose labels are sets, even where each has one label alone; without any label there are no
/// sets. Throws FileError for data with one label a row, and what read_data throws.
[[nodiscard]] TableData read_rows_with_label_sets(const std::string& path,
                                                  const LabelSetsReading& options,
                                                  const Context& context);

/// Labels of a file that holds them alone, or of a data set.
struct LabelsReading {
  ReadOptions file = {};
  void describe(OptionVisitor& visit);
};
/// Throws what read_labels throws.
[[nodiscard]] LabelColumn read_truth(const std::string& path,
                                     const LabelsReading& options,
                                     const Context& context);

}  // namespace maxmargin::learning
