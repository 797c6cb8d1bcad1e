// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "maxmargin/data/label.hpp"

namespace maxmargin::tool {

/// A command line in svm-train's grammar: `[options] training_set_file [model_file]`.
struct LibsvmCall {
  /// Our options for what was asked: learner, kernel, C, ...; one positional, the training file.
  Arguments arguments = {};
  std::string model_path = {};
  /// -e, as the largest violation of the KKT conditions.
  double kkt_tolerance = 1e-3;
  bool shrinking = true;
  /// -wi: those that name no class of the data are left out, as svm-train does.
  std::vector<std::pair<Label, double>> class_weights = {};
  /// -v.
  std::optional<std::size_t> folds = std::nullopt;
  bool quiet = false;
};

/// Reads the words after `maxmargin train`, of which --libsvm is one. Beside svm-train's options it
/// takes --threads, --seed, --time-limit and --json. Throws UsageError.
[[nodiscard]] LibsvmCall parse_libsvm_call(const std::vector<std::string>& words);

}  // namespace maxmargin::tool
