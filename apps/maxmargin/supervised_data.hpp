// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "arguments.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Data for supervised learners, which may be a precomputed kernel.
namespace maxmargin::tool {

struct SupervisedData {
  /// With a precomputed kernel the examples are row numbers.
  Dataset data = {};
  /// The kernel between these examples (rows) and the training examples (columns).
  std::shared_ptr<const DenseMatrix> kernel_matrix = nullptr;
  /// With --labeled-rows: the labels as they were before all but those rows' were hidden.
  std::optional<LabelColumn> all_labels = std::nullopt;
};

/// Data to train on. With --kernel precomputed a table or NPY file holds the n x n kernel, and an
/// svmlight file rows `label 0:serial 1:K 2:K ...` whose serials are 1 to n in any order.
[[nodiscard]] SupervisedData load_training_data(const std::string& where,
                                                const Arguments& arguments);

/// Data to predict with a model of `features` features. When the model's kernel is `precomputed`,
/// the rows hold the kernel with every training example; `trained_on` is how many there were, where
/// the model says. A table of exactly so many columns, or of which that is not known, has no labels
/// unless --label names them.
[[nodiscard]] SupervisedData load_new_data(const std::string& where,
                                           const Arguments& arguments,
                                           std::size_t features,
                                           bool precomputed,
                                           std::optional<std::size_t> trained_on = std::nullopt);

}  // namespace maxmargin::tool
