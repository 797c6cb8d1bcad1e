// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "maxmargin/core/report.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/problem/symmetric_matrix.hpp"
#include "model/semi/centred_matrix.hpp"

/// The convex step of the semi-supervised machines: a two-class machine for given signs and costs.
/// docs/algorithms/s3vm.md.
namespace maxmargin {

/// What one solve came to.
struct TwoClassPoint {
  /// The dual point: signed coefficients, one a row. Where the next solve starts.
  std::vector<double> dual = {};
  /// Of the expansion in the kernel, one a row; empty on the features.
  std::vector<double> coefficients = {};
  /// Weights of the features; empty with a kernel.
  std::vector<double> w = {};
  double offset = 0;
  /// f of every row, with the offset.
  std::vector<double> values = {};
  /// What the penalty sees: |w|^2, on the features without balance also the square of the bias.
  double squared_norm = 0;
  /// Primal and dual objective of the convex problem.
  SolveReport report = {};
};

/// Solves  1/2 |w|^2 + sum_i costs_i max(0, 1 - signs_i f(x_i))  for any signs and costs, one a row
/// of the data; rows of sign 0 or cost 0 are not there. What depends on the data alone (kernel
/// rows) is kept between solves.
class TwoClassEngine {
 public:
  TwoClassEngine() = default;
  TwoClassEngine(const TwoClassEngine&) = delete;
  TwoClassEngine& operator=(const TwoClassEngine&) = delete;
  virtual ~TwoClassEngine() = default;

  /// `start` is a point of this engine, for other signs or costs perhaps, or null.
  [[nodiscard]] virtual TwoClassPoint solve(std::span<const std::int8_t> signs,
                                            std::span<const double> costs,
                                            double tolerance,
                                            const TwoClassPoint* start) = 0;
};

/// f = sum_i b_i K(x_i, .) + offset, the offset free.
[[nodiscard]] std::unique_ptr<TwoClassEngine> kernel_engine(const SymmetricMatrix& matrix,
                                                            const TrainingControl& control);

/// The same, with the mean of f over the origin's rows held at `mean`, which decides the offset.
[[nodiscard]] std::unique_ptr<TwoClassEngine> balanced_kernel_engine(
    const CentredMatrix& matrix, double mean, const TrainingControl& control);

/// f = w.x + offset on the features, the offset being the weight of a feature of value 1.
[[nodiscard]] std::unique_ptr<TwoClassEngine> linear_engine(const Examples& examples,
                                                            const TrainingControl& control);

/// The same, with f at the point `centre` held at `mean`: no penalty on the offset.
[[nodiscard]] std::unique_ptr<TwoClassEngine> balanced_linear_engine(
    const Examples& examples,
    std::vector<double> centre,
    double mean,
    const TrainingControl& control);

}  // namespace maxmargin
