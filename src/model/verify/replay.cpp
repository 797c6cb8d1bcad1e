// SPDX-License-Identifier: Apache-2.0
#include "model/verify/replay.hpp"

#include <algorithm>
#include <cmath>

#include "core/recomputation.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

void TrainingReplay::require_point(const DualPoint& dual, std::size_t functions) const {
  require(dual.size() == functions,
          "the dual point is for " + std::to_string(dual.size()) + " functions, the model has " +
              std::to_string(functions));
  for (const std::vector<double>& coefficients : dual) {
    require(coefficients.size() == size(),
            "the dual point is for " + std::to_string(coefficients.size()) +
                " rows, the data has " + std::to_string(size()));
  }
}

void TrainingReplay::complain(const std::string& complaint) {
  if (certificate.complaint.empty()) certificate.complaint = complaint;
}

void TrainingReplay::check_bounds(double value, double lower, double upper, std::size_t i) {
  // By the scale of the bounds: 0 is a bound of coefficients of any size.
  const double size = std::max(std::isfinite(lower) ? std::abs(lower) : 0.0,
                               std::isfinite(upper) ? std::abs(upper) : 0.0);
  const auto beyond = [&](double bound, double excess) {
    return std::isfinite(bound) && !(excess <= rounding_slack * size);
  };
  if (std::isnan(value) || beyond(lower, lower - value) || beyond(upper, value - upper)) {
    complain("the dual coefficient of row " + std::to_string(i) +
             " (from 0) is outside its bounds");
  }
}

void TrainingReplay::check_balance(double sum, double size, const char* what) {
  if (std::abs(sum) <= rounding_slack * size) return;
  complain(std::string(what) + " do not add up to 0");
}

double TrainingReplay::bias_weight(double offset, double bias) {
  if (bias != 0) return offset / bias;
  if (offset != 0) complain("a function has an offset, but the machine has no bias");
  return 0;
}

ClassificationTask task_of(const Classifier& model,
                           const Dataset& data,
                           const ClassWeights& weights) {
  ClassificationTask task = classification_task(data, weights, true);
  require(task.classes.names == model.classes, "the data has other classes than the model");
  return task;
}

const LinearFunctions& linear_functions(const DecisionFunction& functions,
                                        const TrainingReplay& replay) {
  const auto* linear = std::get_if<LinearFunctions>(&functions);
  require(linear != nullptr, "the model is no linear machine");
  require(linear->weights.cols() == replay.features(),
          "the model has " + std::to_string(linear->weights.cols()) + " features, the data " +
              std::to_string(replay.features()));
  return *linear;
}

double dot(const Row& x, std::span<const double> w) {
  double sum = 0;
  x.for_each([&](std::size_t j, double value) { sum += w[j] * value; });
  return sum;
}

void add_multiple(const Row& x, double factor, std::span<double> sum) {
  if (factor == 0) return;
  x.for_each([&](std::size_t j, double value) { sum[j] += factor * value; });
}

double plain_squared_norm(std::span<const double> w) {
  double sum = 0;
  for (const double value : w) sum += value * value;
  return sum;
}

const KernelExpansion& expansion_of(const DecisionFunction& functions, TrainingReplay& replay) {
  const auto* expansion = std::get_if<KernelExpansion>(&functions);
  require(expansion != nullptr, "the model is no sum of kernels");
  const std::size_t vectors = expansion->vectors.rows();
  require(expansion->training_rows.size() == vectors,
          "the model does not say which rows its support vectors are");
  for (std::size_t k = 0; k < vectors; ++k) {
    const std::size_t row = expansion->training_rows[k];
    require(row < replay.size(), "the model was trained on more rows than this data has");
    if (expansion->vectors.row(k).squared_distance(replay.row(row)) == 0) continue;
    replay.complain("support vector " + std::to_string(k) + " is not row " + std::to_string(row) +
                    " (from 0) of the data");
  }
  return *expansion;
}

DenseMatrix expansion_values(const KernelExpansion& expansion,
                             const TrainingReplay& replay,
                             const Context& context) {
  DenseMatrix values(replay.size(), expansion.offsets.size());
  const auto fill = [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < expansion.vectors.rows(); ++k) {
        const double entry = evaluate(expansion.kernel, replay.row(i), expansion.vectors.row(k));
        for (std::size_t f = 0; f < values.cols(); ++f) {
          values(i, f) += expansion.coefficients(k, f) * entry;
        }
      }
    }
  };
  verify_chunks(context, replay.size(), fill);
  return values;
}

DualPoint coefficients_by_row(const KernelExpansion& expansion, std::size_t rows) {
  DualPoint result(expansion.offsets.size(), std::vector<double>(rows, 0.0));
  for (std::size_t k = 0; k < expansion.training_rows.size(); ++k) {
    for (std::size_t f = 0; f < result.size(); ++f) {
      result[f][expansion.training_rows[k]] += expansion.coefficients(k, f);
    }
  }
  return result;
}

}  // namespace maxmargin
