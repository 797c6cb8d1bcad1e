// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "model/verify/linear.hpp"

/// What the verifications of maxmargin/model/verify/linear.hpp share. Plain loops, none of them
/// used by a training.
namespace maxmargin {

/// How far a bound or a sum may be missed: rounding, in relation to the sizes involved.
constexpr double rounding_slack = 1e-9;

/// The training rows as the functions see them, and what was found about them.
class TrainingReplay {
 public:
  /// Looks at the data, which must outlive it.
  TrainingReplay(const std::optional<Scaler>& scaler, const Dataset& data)
      : scaled_(scaler ? std::optional(scaler->apply(data.examples)) : std::nullopt),
        examples_(scaled_ ? *scaled_ : data.examples) {}
  TrainingReplay(const TrainingReplay&) = delete;
  TrainingReplay& operator=(const TrainingReplay&) = delete;

  [[nodiscard]] std::size_t size() const { return examples_.rows(); }
  [[nodiscard]] std::size_t features() const { return examples_.cols(); }
  [[nodiscard]] Row row(std::size_t i) const { return examples_.row(i); }
  /// The rows as the functions see them.
  [[nodiscard]] const Examples& examples() const { return examples_; }

  /// Throws InvalidArgument unless the point has a vector a function and a number a row.
  void require_point(const DualPoint& dual, std::size_t functions) const;
  /// Keeps the first complaint.
  void complain(const std::string& complaint);
  /// Complains unless lower <= value <= upper, as far as rounding lets.
  void check_bounds(double value, double lower, double upper, std::size_t i);
  /// Complains unless the sum of coefficients whose absolute values add up to `size` is 0, as far
  /// as rounding lets.
  void check_balance(double sum, double size, const char* what = "the dual coefficients");
  /// The constant feature's weight in a function with this offset; complains of an offset without
  /// that feature.
  [[nodiscard]] double bias_weight(double offset, double bias);

  Certificate certificate = {};

 private:
  std::optional<Examples> scaled_;
  const Examples& examples_;
};

/// Classes and weights of the rows. Throws InvalidArgument when the model has other classes.
[[nodiscard]] ClassificationTask task_of(const Classifier& model,
                                         const Dataset& data,
                                         const ClassWeights& weights);

/// The model as linear functions of the replay's features; throws InvalidArgument otherwise.
[[nodiscard]] const LinearFunctions& linear_functions(const DecisionFunction& functions,
                                                      const TrainingReplay& replay);

[[nodiscard]] double dot(const Row& x, std::span<const double> w);
void add_multiple(const Row& x, double factor, std::span<double> sum);
[[nodiscard]] double plain_squared_norm(std::span<const double> w);

/// The model as a sum of kernels between training rows; throws InvalidArgument otherwise. Complains
/// where a vector is not the row it is said to be.
[[nodiscard]] const KernelExpansion& expansion_of(const DecisionFunction& functions,
                                                  TrainingReplay& replay);

/// sum_k coefficients(k, f) K(x_i, vector_k), one row an example; offsets are left out.
[[nodiscard]] DenseMatrix expansion_values(const KernelExpansion& expansion,
                                           const TrainingReplay& replay,
                                           const Context& context);

/// The coefficients of each function, one a training row.
[[nodiscard]] DualPoint coefficients_by_row(const KernelExpansion& expansion, std::size_t rows);

}  // namespace maxmargin
