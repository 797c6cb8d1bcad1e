// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/core/options.hpp"
#include "maxmargin/data/label.hpp"

/// `train --libsvm`: svm-train's command line, defaults and model file.
namespace maxmargin::tool {

/// A command line in svm-train's grammar: `[options] training_set_file [model_file]`.
struct LibsvmCall {
  std::string learner = {};
  /// Our options for what was asked: kernel, C, ...
  OptionTexts options = {};
  /// --threads, --seed, --time-limit, --memory-limit (of -m) and --json.
  OptionTexts run = {};
  std::string data_path = {};
  std::string model_path = {};
  /// -wi: those that name no class of the data are left out, as svm-train does.
  std::vector<std::pair<Label, double>> class_weights = {};
  /// -v.
  std::optional<std::size_t> folds = std::nullopt;
  bool quiet = false;
};

/// Reads the words after `maxmargin train`, of which --libsvm is one. Throws UsageError.
[[nodiscard]] LibsvmCall parse_libsvm_call(const std::vector<std::string>& words);

/// Is this `train --libsvm ...`, which has svm-train's grammar and not the tool's?
[[nodiscard]] bool is_libsvm_call(const std::vector<std::string>& words);
int run_libsvm_train(const std::vector<std::string>& words);

/// Its options, for the help of train.
[[nodiscard]] std::string libsvm_help();

}  // namespace maxmargin::tool
