// SPDX-License-Identifier: Apache-2.0
//
// Objectives and bounds of maximum-margin clusterings again, by plain code.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/recomputation.hpp"
#include "learner/clustering/mmc_parts.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "problem/saddle/factored_saddle.hpp"

namespace maxmargin::learning {

namespace {

/// Up to so many points the bound knows the mean of what features miss.
constexpr std::size_t most_summed_points = 20000;

/// Coordinates of all points along the span of the landmarks, by Cholesky's rule written out.
DenseMatrix plain_features(const Dataset& rows,
                           const Kernel& kernel,
                           std::span<const double> landmarks,
                           std::vector<double>& missed,
                           const Context& context) {
  const std::size_t m = landmarks.size();
  const auto row_of = [&](std::size_t l) {
    return rows.examples.row(static_cast<std::size_t>(landmarks[l]));
  };
  const auto coordinates = [&](const Row& x, const DenseMatrix& factor, std::span<double> z) {
    for (std::size_t l = 0; l < z.size(); ++l) {
      double sum = evaluate(kernel, row_of(l), x);
      for (std::size_t j = 0; j < l; ++j) sum -= factor(l, j) * z[j];
      z[l] = sum / factor(l, l);
    }
  };
  VerifyWatch watch(context);
  DenseMatrix factor(m, m);
  for (std::size_t k = 0; k < m; ++k) {
    watch.spend(k * (k + rows.features()));
    coordinates(row_of(k), factor, factor.row(k).first(k));
    double square = evaluate(kernel, row_of(k), row_of(k));
    for (std::size_t j = 0; j < k; ++j) square -= factor(k, j) * factor(k, j);
    factor(k, k) = std::sqrt(std::max(square, std::numeric_limits<double>::min()));
  }
  DenseMatrix features(rows.size(), m);
  missed.assign(rows.size(), 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    watch.spend(m * (m + rows.features()));
    const Row x = rows.examples.row(i);
    coordinates(x, factor, features.row(i));
    missed[i] = evaluate(kernel, x, x);
    for (const double z : features.row(i)) missed[i] -= z * z;
    missed[i] = std::max(0.0, missed[i]);
  }
  return features;
}

/// |mean h| of what the features miss: |mean phi|^2 by all kernel values, less |mean z|^2.
double plain_missed_mean(const Dataset& rows,
                         const Kernel& kernel,
                         double mean_square,
                         const Context& context) {
  VerifyWatch watch(context);
  double sum = 0;
  double largest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    watch.spend(i * (1 + rows.features()));
    const double own = evaluate(kernel, rows.examples.row(i), rows.examples.row(i));
    double row = own;
    largest = std::max(largest, std::abs(own));
    for (std::size_t j = 0; j < i; ++j) {
      row += 2 * evaluate(kernel, rows.examples.row(i), rows.examples.row(j));
    }
    sum += row;
  }
  const auto n = static_cast<double>(rows.size());
  // n epsilon each: the sum of a row, that of the rows, and twice the mean of z.
  const double terms = 4 * n + static_cast<double>(rows.features()) + 16;
  const double rounding = terms * std::numeric_limits<double>::epsilon() * largest;
  return std::sqrt(std::max(sum / (n * n) - mean_square + rounding, rounding));
}

/// Does the certificate prove the bound that the model claims?
bool proves(const Dataset& rows,
            const ModelDocument& model,
            const Kernel& kernel,
            const Context& context) {
  if (!model.has("lower_bound")) return true;
  std::vector<double> missed;
  DenseMatrix features;
  if (model.has("certificate.landmarks")) {
    const std::vector<double>& landmarks = model.numbers("certificate.landmarks");
    const auto is_row = [&](double row) {
      return row >= 0 && row < static_cast<double>(rows.size());
    };
    if (!std::ranges::all_of(landmarks, is_row)) return false;
    features = plain_features(rows, kernel, landmarks, missed, context);
  } else {
    features = rows.examples.to_dense();
  }
  const auto n = static_cast<double>(rows.size());
  const KernelBias bias = bias_of(model);
  if (bias == KernelBias::center) {
    double mean_square = 0;
    for (std::size_t j = 0; j < features.cols(); ++j) {
      double mean = 0;
      for (std::size_t i = 0; i < features.rows(); ++i) mean += features(i, j) / n;
      mean_square += mean * mean;
      for (std::size_t i = 0; i < features.rows(); ++i) features(i, j) -= mean;
    }
    double mean = 0;
    for (const double square : missed) mean += std::sqrt(square) / n;
    if (!missed.empty() && rows.size() <= most_summed_points) {
      mean = std::min(mean, plain_missed_mean(rows, kernel, mean_square, context));
    }
    for (double& square : missed) square = std::pow(std::sqrt(square) + mean, 2);
  } else if (bias == KernelBias::constant) {
    DenseMatrix wider(features.rows(), features.cols() + 1, 1.0);
    for (std::size_t i = 0; i < features.rows(); ++i) {
      std::ranges::copy(features.row(i), wider.row(i).begin());
    }
    features = std::move(wider);
  }
  const FactoredSaddle problem{
      .features = features.view(), .c = model.number("C"), .missed = missed};
  ask_in_verify(context);
  const double proved = factored_saddle_bound(problem, model.numbers("certificate.weights"));
  return model.number("lower_bound") * (1 - bound_rounding) <= proved;
}

}  // namespace

double mmc_machine_objective(const Dataset& rows,
                             std::span<const std::int32_t> labels,
                             const ModelDocument& model,
                             const Context& context) {
  const KernelExpansion machine = expansion_of(model);
  const std::size_t count = machine.coefficients.cols();
  if (!could_be_training(machine, rows, labels, std::max<std::size_t>(2, count))) {
    return std::nan("");
  }
  const std::size_t n = rows.size();
  std::vector<double> offsets = machine.offsets;
  const KernelBias bias = bias_of(model);
  VerifyWatch watch(context);
  const std::size_t a_row = machine.vectors.rows() * (count + rows.features());
  double square = 0;
  for (std::size_t v = 0; v < machine.vectors.rows(); ++v) {
    watch.spend(a_row);
    for (std::size_t u = 0; u < machine.vectors.rows(); ++u) {
      const double value = evaluate(machine.kernel, machine.vectors.row(v), machine.vectors.row(u));
      for (std::size_t r = 0; r < count; ++r) {
        square += machine.coefficients(v, r) * machine.coefficients(u, r) * value;
      }
    }
  }
  DenseMatrix values(n, count);
  for (std::size_t i = 0; i < n; ++i) {
    watch.spend(a_row);
    for (std::size_t v = 0; v < machine.vectors.rows(); ++v) {
      const double value = evaluate(machine.kernel, machine.vectors.row(v), rows.examples.row(i));
      for (std::size_t r = 0; r < count; ++r) {
        values(i, r) += machine.coefficients(v, r) * value;
      }
    }
  }
  double largest_square = 0;
  for (const Examples* points : {&machine.vectors, &rows.examples}) {
    for (std::size_t i = 0; i < points->rows(); ++i) {
      largest_square =
          std::max(largest_square, evaluate(machine.kernel, points->row(i), points->row(i)));
    }
  }
  if (!have_fitting_offsets(model, machine, values.view(), largest_square)) return std::nan("");
  for (std::size_t r = 0; r < count; ++r) {
    if (bias == KernelBias::constant) square += offsets[r] * offsets[r];
    if (bias != KernelBias::center) continue;
    // Within rounding of what the model says, and exact.
    offsets[r] = 0;
    for (std::size_t i = 0; i < n; ++i) offsets[r] -= values(i, r) / static_cast<double>(n);
  }
  double losses = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto own = static_cast<std::size_t>(labels[i]);
    double loss = 0;
    if (count == 1) {
      loss = 1 - (own == 0 ? 1 : -1) * (values(i, 0) + offsets[0]);
    } else {
      for (std::size_t r = 0; r < count; ++r) {
        if (r == own) continue;
        loss = std::max(loss, 1 + values(i, r) + offsets[r] - values(i, own) - offsets[own]);
      }
    }
    losses += std::max(0.0, loss);
  }
  if (!proves(rows, model, machine.kernel, context)) return std::nan("");
  return 0.5 * square + model.number("C") * losses;
}

}  // namespace maxmargin::learning
