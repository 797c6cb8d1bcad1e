// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/data/label.hpp"

namespace maxmargin {

/// Examples and what is known about them. Optional parts are empty or have one element a row.
struct MAXMARGIN_EXPORT Dataset {
  Examples examples = {};
  /// Empty when the source has no label column.
  LabelColumn labels = {};
  /// Multi-label data: the set of labels of each row, sorted; `labels` is empty then.
  std::vector<std::vector<Label>> label_sets = {};
  std::vector<double> weights = {};
  /// Group (query) number of each row, as in `qid:7`.
  std::vector<std::int64_t> groups = {};
  /// Names of the features, when the source names them.
  std::vector<std::string> feature_names = {};
  /// Are the rows strings (data/text/encoded_strings.hpp)? Only kernels of strings read them.
  bool holds_strings = false;
  /// Where the data came from, for messages: a file name or "builtin:iris".
  std::string source = {};

  [[nodiscard]] std::size_t size() const { return examples.rows(); }
  [[nodiscard]] std::size_t features() const { return examples.cols(); }
  [[nodiscard]] bool has_labels() const { return !labels.empty(); }
  /// The given rows with everything known about them; repetitions allowed.
  [[nodiscard]] Dataset select(std::span<const std::size_t> rows) const;
  /// Throws InvalidArgument when a part has a wrong length, a weight is negative or not finite, or
  /// a feature is NaN or infinite.
  void validate() const;
};

}  // namespace maxmargin
