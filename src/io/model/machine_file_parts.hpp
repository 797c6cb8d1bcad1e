// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/model/calibration/calibration.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"
#include "maxmargin/model/output_code.hpp"

/// The parts of a supervised machine in a model file. Each is stored under fixed names and loaded
/// again with every check; what loads can be used without further ones. Loading throws
/// ModelFormatError and takes large matrices out of the document.
namespace maxmargin {

/// Throws ModelFormatError("file: the model's 'name' problem").
[[noreturn]] void refuse(const ModelDocument& document,
                         std::string_view name,
                         const std::string& problem);
/// The same unless `holds`.
inline void demand(bool holds,
                   const ModelDocument& document,
                   std::string_view name,
                   std::string_view problem) {
  if (!holds) refuse(document, name, std::string(problem));
}
/// All values finite.
void demand_finite(const ModelDocument& document,
                   std::string_view name,
                   std::span<const double> values);

/// A whole number >= 0, small enough that the next one differs too.
[[nodiscard]] inline bool is_whole(double value) {
  constexpr double limit = 9007199254740992.0;  // 2^53
  return value >= 0 && value < limit && value == std::floor(value);
}

/// Runs `load`; what a check of the library finds wrong with the values is a fault of `name`.
template <class Load>
auto checked_by_library(const ModelDocument& document, std::string_view name, const Load& load) {
  try {
    return load();
  } catch (const InvalidArgument& problem) {
    refuse(document, name, std::string("is wrong: ") + problem.what());
  }
}

/// A matrix as it is, dense or sparse.
void store_examples(ModelDocument& document, std::string name, Examples examples);
[[nodiscard]] Examples load_examples(ModelDocument& document, std::string_view name);

/// A matrix whose form is a matter of room alone: sparse when that is smaller. Zeros keep their
/// sign.
void store_matrix(ModelDocument& document, std::string name, DenseMatrix matrix);
/// Must have exactly this shape and finite values.
[[nodiscard]] DenseMatrix load_matrix(ModelDocument& document,
                                      std::string_view name,
                                      std::size_t rows,
                                      std::size_t cols);

/// A kernel as the field `name` and others that begin with `name` and a dot.
void store_kernel(ModelDocument& document, const std::string& name, const Kernel& kernel);
[[nodiscard]] Kernel load_kernel(ModelDocument& document, const std::string& name);

void store_functions(ModelDocument& document, DecisionFunction functions);
[[nodiscard]] DecisionFunction load_functions(ModelDocument& document);

void store_code(ModelDocument& document, const OutputCode& code);
[[nodiscard]] OutputCode load_code(ModelDocument& document,
                                   std::size_t classes,
                                   std::size_t functions);

/// The calibration must be valid for its code.
void store_calibration(ModelDocument& document, const Calibration& calibration);
[[nodiscard]] Calibration load_calibration(ModelDocument& document, std::size_t functions);

}  // namespace maxmargin
