// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// What every trained machine is underneath: one or several real functions of an example.
namespace maxmargin {

/// Functions that are sums of kernels: f_j(x) = sum_i coefficients(i, j) K(vectors_i, x) +
/// offsets_j, less K(x, x) when `minus_self` (the sphere of support vector data description).
struct MAXMARGIN_EXPORT KernelExpansion {
  Kernel kernel = Linear{};
  Examples vectors = {};
  /// One row a vector, one column a function.
  DenseMatrix coefficients = {};
  std::vector<double> offsets = {};
  bool minus_self = false;
  /// Row of each vector in the training data; empty when unknown (a model from elsewhere).
  std::vector<std::size_t> training_rows = {};
};

/// f_j(x) = weights_j . x + offsets_j, one row of weights a function.
struct MAXMARGIN_EXPORT LinearFunctions {
  DenseMatrix weights = {};
  std::vector<double> offsets = {};
};

using DecisionFunction = std::variant<KernelExpansion, LinearFunctions>;

/// Number of functions.
[[nodiscard]] MAXMARGIN_EXPORT std::size_t function_count(const DecisionFunction& functions);
/// Number of features of the examples they were made for.
[[nodiscard]] MAXMARGIN_EXPORT std::size_t feature_count(const DecisionFunction& functions);

/// Throws InvalidArgument unless the parts fit together: a coefficient for every vector and
/// function, an offset for every function, all of them finite.
MAXMARGIN_EXPORT void validate(const DecisionFunction& functions);

/// How exact kernel sums are.
enum class ValuePrecision {
  fast,  ///< kernels in float where their rounding can be bounded (rbf, poly), sums in double
  exact  ///< all in double
};

struct MAXMARGIN_EXPORT DecisionOptions {
  Context context = {};
  ValuePrecision precision = ValuePrecision::fast;
};

/// The value of every function on every example: one row an example. Sparse examples may have fewer
/// or more features (missing = 0, extra ignored); dense ones of another width throw
/// InvalidArgument. Memory beyond the answer is bounded whatever the number of examples. The same
/// for any number of threads (docs/algorithms/prediction.md).
[[nodiscard]] MAXMARGIN_EXPORT DenseMatrix decision_values(const DecisionFunction& functions,
                                                           const Examples& examples,
                                                           const DecisionOptions& options = {});

/// Values and how far each may be from the exact one.
struct BoundedValues {
  DenseMatrix values = {};
  /// errors(i, j) >= |fast - exact| of function j on example i. Empty when the values are exact.
  DenseMatrix errors = {};
};

/// As decision_values, with the bounds that come with fast values. They follow from the size of the
/// example and of the sum, so they are far below what holds for all examples at once.
[[nodiscard]] MAXMARGIN_EXPORT BoundedValues
bounded_decision_values(const DecisionFunction& functions,
                        const Examples& examples,
                        const DecisionOptions& options = {});

}  // namespace maxmargin
