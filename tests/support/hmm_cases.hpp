// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/structured/hmm.hpp"

namespace maxmargin {

inline DenseMatrix table(std::initializer_list<std::initializer_list<double>> rows) {
  DenseMatrix matrix(rows.size(), rows.begin()->size());
  std::size_t i = 0;
  for (const auto& row : rows) {
    std::size_t j = 0;
    for (const double value : row) matrix(i, j++) = value;
    ++i;
  }
  return matrix;
}

/// A valid model with all probabilities positive.
inline Hmm random_hmm(std::size_t states, std::size_t symbols, bool with_end, Rng& rng) {
  const auto draw = [&](std::span<double> row, double* last) {
    double sum = 0;
    for (double& x : row) sum += x = rng.uniform(0.1, 1);
    if (last != nullptr) sum += * last = rng.uniform(0.1, 1);
    for (double& x : row) x /= sum;
    if (last != nullptr) *last /= sum;
  };
  Hmm model;
  model.start.resize(states);
  model.transitions = DenseMatrix(states, states);
  model.emissions = DenseMatrix(states, symbols);
  if (with_end) model.end.resize(states);
  draw(model.start, nullptr);
  for (std::size_t i = 0; i < states; ++i) {
    draw(model.transitions.row(i), with_end ? &model.end[i] : nullptr);
    draw(model.emissions.row(i), nullptr);
  }
  return model;
}

/// p(x, y) as it is defined.
inline double plain_joint(const Hmm& model, const SymbolSequence& x, const LabelSequence& y) {
  double p = 1;
  for (std::size_t t = 0; t < y.size(); ++t) {
    p *= t == 0 ? model.start[y[0]] : model.transitions(y[t - 1], y[t]);
    p *= model.emissions(y[t], x[t]);
  }
  return y.empty() || model.end.empty() ? p : p * model.end[y.back()];
}

}  // namespace maxmargin
