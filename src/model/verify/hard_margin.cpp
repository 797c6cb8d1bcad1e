// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hard-margin.md, "What the certificate proves"
#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/core/require.hpp"
#include "model/verify/replay.hpp"

namespace maxmargin {

namespace {

/// The objectives of one function, by long sums: b is larger than w by as much as the data is wider
/// than the margin.
struct Replayed {
  long double squared_norm = 0;  ///< of w
  long double least_margin = std::numeric_limits<long double>::infinity();
  long double mass = 0;  ///< sum |b_i|
  long double sum = 0;   ///< sum b_i
  std::vector<long double> combination = {};
};

/// What `row` is from the first one: differences are all that counts where the b add up to 0.
void add_combination(const Row& row,
                     const Row* first,
                     long double b,
                     std::vector<long double>& combination) {
  row.for_each([&](std::size_t j, double value) { combination[j] += b * value; });
  if (first == nullptr) return;
  first->for_each([&](std::size_t j, double value) { combination[j] -= b * value; });
}

}  // namespace

Certificate verify_hard_margin(const Classifier& model,
                               const DualPoint& dual,
                               const Dataset& data,
                               const MachineTerms& terms) {
  require(std::isinf(terms.c), "a machine with a finite C is an expansion");
  const ClassificationTask task = task_of(model, data, terms.class_weights);
  TrainingReplay replay(model.scaler, data);
  const LinearFunctions& functions = linear_functions(model.functions, replay);
  replay.require_point(dual, functions.offsets.size());
  for (std::size_t f = 0; f < dual.size(); ++f) {
    const std::vector<std::int8_t> signs = model.code.labels_of(f, task.classes.of_row);
    const std::span<const double> w = functions.weights.row(f);
    const Row first = replay.row(0);
    Replayed found;
    found.combination.assign(replay.features(), 0);
    for (const double weight : w) {
      found.squared_norm += static_cast<long double>(weight) * static_cast<long double>(weight);
    }
    for (std::size_t i = 0; i < signs.size(); ++i) {
      const bool counts = signs[i] != 0 && task.weights[i] > 0;
      const double alpha = signs[i] * dual[f][i];
      if (counts ? !(alpha >= 0) : dual[f][i] != 0) {
        replay.complain("the dual coefficient of row " + std::to_string(i) +
                        " (from 0) is outside its bounds");
      }
      if (!counts) continue;
      const double value = dot(replay.row(i), w) + functions.offsets[f];
      found.least_margin = std::min(found.least_margin, static_cast<long double>(signs[i] * value));
      found.mass += alpha;
      found.sum += dual[f][i];
      add_combination(replay.row(i), terms.bias ? &first : nullptr, dual[f][i], found.combination);
    }
    if (terms.bias) {
      replay.check_balance(
          static_cast<double>(found.sum), static_cast<double>(found.mass), "the dual coefficients");
    } else if (functions.offsets[f] != 0) {
      replay.complain("a function has an offset, but the machine has no bias");
    }
    long double square = 0;
    for (const long double x : found.combination) square += x * x;
    replay.certificate.dual += static_cast<double>(found.mass - square / 2);
    if (terms.bias) {
      // What the offset that the differences are taken from makes of an imbalance.
      const double at_first = std::abs(dot(first, w) + functions.offsets[f]);
      replay.certificate.rounding += static_cast<double>(std::abs(found.sum)) * at_first;
    }
    double primal = std::numeric_limits<double>::infinity();
    if (found.least_margin > 0) {
      primal =
          static_cast<double>(found.squared_norm / 2 / (found.least_margin * found.least_margin));
    }
    replay.certificate.primal += primal;
  }
  return replay.certificate;
}

}  // namespace maxmargin
