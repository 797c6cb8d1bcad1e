// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/robust.md, "Stopping and what the certificate proves"
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/recomputation.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/kernel/gram/mercer.hpp"
#include "model/verify/robust.hpp"
#include "model/verify/robust_replay.hpp"
#include "model/verify/rounding.hpp"
#include "problem/saddle/weight_saddle.hpp"

namespace maxmargin {

namespace {

struct RelaxedTerms {
  double c = 1;
  KernelBias bias = KernelBias::constant;
  std::optional<double> rho = std::nullopt;
};

/// The rows of one function and what its machine sees of their feature vectors.
struct Part {
  std::vector<std::size_t> rows = {};
  /// K(x_i, x_j) between them.
  DenseMatrix gram = {};
  /// y_i y_j K~_ij in the changed feature space.
  DenseMatrix matrix = {};
};

/// K(x_i, x_j) pair by pair.
DenseMatrix plain_gram(const TrainingReplay& checks,
                       const Kernel& kernel,
                       const std::vector<std::size_t>& rows,
                       const Context& context) {
  const std::size_t m = rows.size();
  require_memory_for_numbers(m, 4 * m, "the verification of a relaxation, a matrix");
  DenseMatrix gram(m, m);
  verify_chunks(context, m, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      for (std::size_t b = 0; b < m; ++b) {
        gram(a, b) =
            evaluate(kernel, checks.row(rows[std::max(a, b)]), checks.row(rows[std::min(a, b)]));
      }
    }
  });
  return gram;
}

/// The matrix of the changed feature space.
DenseMatrix signed_matrix(const Part& part,
                          const std::vector<std::int8_t>& signs,
                          KernelBias bias) {
  const std::size_t m = part.rows.size();
  std::vector<double> means;
  double all = 0;
  if (bias == KernelBias::center) {
    for (std::size_t a = 0; a < m; ++a) {
      double mean = 0;
      for (std::size_t b = 0; b < m; ++b) mean += part.gram(a, b) / static_cast<double>(m);
      means.push_back(mean);
      all += mean / static_cast<double>(m);
    }
  }
  DenseMatrix matrix(m, m);
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = 0; b < m; ++b) {
      double entry = part.gram(a, b);
      if (bias == KernelBias::constant) entry += 1;
      if (bias == KernelBias::center) entry += all - (means[a] + means[b]);
      matrix(a, b) = signs[part.rows[a]] * signs[part.rows[b]] * entry;
    }
  }
  return matrix;
}

/// No eigenvalue of the part's matrix is below what rounding explains: its own, or that of the
/// kernel matrix before the bias, which centring can make much smaller.
bool is_semidefinite(const Part& part, KernelBias bias) {
  constexpr double slack = 32;  // twice that of the training, which has another sum of roundings
  const std::size_t m = part.rows.size();
  if (m == 0) return true;
  double size = bias == KernelBias::constant ? 1 : 0;
  for (std::size_t a = 0; a < m; ++a) size = std::max(size, std::abs(part.gram(a, a)));
  const MercerReport found = check_mercer(part.matrix.view());
  const double rounding =
      slack * static_cast<double>(m) * std::numeric_limits<double>::epsilon() * size;
  return found.least_eigenvalue >= -std::max(found.tolerance, rounding);
}

/// The function of the model on the part's rows and its squared norm in the changed space;
/// complains of terms of other rows and of an offset that such a function cannot have.
Replayed model_function(const std::vector<double>& coefficients,
                        double offset,
                        const Part& part,
                        const std::vector<std::int8_t>& signs,
                        KernelBias bias,
                        TrainingReplay& checks) {
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (signs[i] == 0 && coefficients[i] != 0) {
      checks.complain("a function has a term of row " + std::to_string(i) +
                      ", which is not in its problem");
    }
  }
  const std::size_t m = part.rows.size();
  Replayed function{.values = std::vector<double>(checks.size(), 0.0)};
  for (std::size_t a = 0; a < m; ++a) {
    const std::size_t i = part.rows[a];
    for (std::size_t b = 0; b < m; ++b) {
      function.values[i] += coefficients[part.rows[b]] * part.gram(a, b);
    }
    function.squared_norm += coefficients[i] * function.values[i];
  }
  if (bias == KernelBias::none) (void)checks.bias_weight(offset, 0);
  if (bias == KernelBias::constant) function.squared_norm += offset * offset;
  if (bias == KernelBias::center) {
    // w.(phi - m): the offset is - w.m.
    double of_mean = 0;
    double size = 0;
    for (const std::size_t i : part.rows) {
      of_mean += function.values[i] / static_cast<double>(m);
      size = std::max(size, std::abs(function.values[i]));
    }
    if (std::abs(offset + of_mean) > 1e-6 * std::max(1.0, size)) {
      checks.complain("a function's offset is not that of its centre");
    }
  }
  return function;
}

/// The bound that the certificate proves, in units of the saddle; complains of one out of range.
double certified_bound(const WeightSaddle& problem,
                       const WeightCertificate& certificate,
                       TrainingReplay& checks) {
  const auto in_range = [](double l) { return l >= 0 && l <= 1; };
  const auto finite = [](double y) { return std::isfinite(y); };
  if (!std::ranges::all_of(certificate.lambda, in_range) ||
      !std::ranges::all_of(certificate.diagonal, finite) || !(certificate.kept >= 0) ||
      !std::isfinite(certificate.kept)) {
    checks.complain("the certificate of the relaxation has a number out of range");
    return 0;
  }
  return std::max(0.0, weight_saddle_bound(problem, certificate));
}

/// Adds what one function proves.
void add_relaxed(const RelaxedTerms& terms,
                 const Part& part,
                 RobustReplay& replay,
                 std::span<const std::vector<double>* const> vectors,
                 TrainingReplay& checks,
                 Certificate& sum) {
  const std::size_t m = part.rows.size();
  Replayed of_point{.values = std::vector<double>(checks.size(), 0.0)};
  for (std::size_t a = 0; a < m; ++a) {
    const std::size_t i = part.rows[a];
    for (std::size_t b = 0; b < m; ++b) {
      const std::size_t j = part.rows[b];
      of_point.values[i] +=
          replay.signs[i] * part.matrix(a, b) * replay.signs[j] * (*vectors[0])[j];
    }
    of_point.squared_norm += (*vectors[0])[i] * of_point.values[i];
  }
  replay.points.push_back(*vectors[0]);
  replay.of_points.push_back(std::move(of_point));
  Certificate one;
  add_function(replay, checks, one);
  sum.primal += one.primal;
  sum.dual += one.dual;
  sum.rounding += one.rounding;
  if (!sum.lower_bound || m == 0) return;
  if (terms.rho && *terms.rho >= 1) {
    *sum.lower_bound += std::max(0.0, one.dual);
    return;
  }
  const std::size_t first = part.rows.front();
  const double cost = replay.costs[first];
  if (!std::ranges::all_of(part.rows, [&](std::size_t i) { return replay.costs[i] == cost; })) {
    checks.complain("the examples have different weights, which the relaxation does not know");
    sum.lower_bound = std::nullopt;
    return;
  }
  WeightCertificate certificate{.diagonal = {(*vectors[3])[first]}};
  if (terms.rho) certificate.kept = (*vectors[4])[first];
  for (const std::size_t i : part.rows) {
    certificate.lambda.push_back((*vectors[1])[i]);
    certificate.diagonal.push_back((*vectors[2])[i]);
  }
  *sum.lower_bound +=
      cost * certified_bound(
                 {.matrix = part.matrix.view(), .c = cost, .kept = terms.rho}, certificate, checks);
}

Certificate verify_relaxed(const Classifier& model,
                           const DualPoint& dual,
                           const Dataset& data,
                           const RelaxedTerms& terms,
                           const Context& context) {
  const ClassificationTask task = task_of(model, data, {});
  TrainingReplay checks(model.scaler, data);
  const KernelExpansion& expansion = expansion_of(model.functions, checks);
  const std::size_t functions = expansion.offsets.size();
  checks.require_point(dual, relaxation_vectors * functions);
  const DualPoint own = coefficients_by_row(expansion, checks.size());
  Certificate sum{.lower_bound = 0.0, .is_convex = false};
  const FunctionRounding rounding(expansion, checks.examples());
  for (std::size_t f = 0; f < functions; ++f) {
    RobustReplay replay;
    replay.signs = model.code.labels_of(f, task.classes.of_row);
    for (const double weight : task.weights) replay.costs.push_back(terms.c * weight);
    if (terms.rho) {
      replay.rho = *terms.rho;
    } else {
      replay.s = 0.0;
      replay.pushes_back = true;
    }
    Part part;
    for (std::size_t i = 0; i < replay.signs.size(); ++i) {
      if (replay.signs[i] != 0) part.rows.push_back(i);
    }
    part.gram = plain_gram(checks, expansion.kernel, part.rows, context);
    ask_in_verify(context);
    part.matrix = signed_matrix(part, replay.signs, terms.bias);
    // |w|^2 may be negative otherwise, and nothing is bounded.
    if (!is_psd(expansion.kernel) && !is_semidefinite(part, terms.bias)) {
      sum.lower_bound = std::nullopt;
    }
    replay.offset = expansion.offsets[f];
    replay.function =
        model_function(own[f], expansion.offsets[f], part, replay.signs, terms.bias, checks);
    std::vector<const std::vector<double>*> vectors;
    for (std::size_t p = 0; p < relaxation_vectors; ++p) {
      vectors.push_back(&dual[p * functions + f]);
    }
    for (std::size_t i = 0; i < checks.size(); ++i) {
      replay.value_errors.push_back(rounding.value(i, f));
    }
    replay.norm_error = rounding.penalty(f) + rounding.penalty(*vectors.front());
    add_relaxed(terms, part, replay, vectors, checks, sum);
  }
  sum.complaint = checks.certificate.complaint;
  return sum;
}

}  // namespace

Certificate verify_robust_svc(const Classifier& model,
                              const DualPoint& dual,
                              const Dataset& data,
                              const RobustSvcOptions& options) {
  return verify_relaxed(
      model, dual, data, {.c = options.c, .bias = options.bias}, options.control.context);
}

Certificate verify_outlier_svc(const Classifier& model,
                               const DualPoint& dual,
                               const Dataset& data,
                               const OutlierSvcOptions& options) {
  require(options.rho.has_value(), "verify_outlier_svc needs the share kept, as used");
  return verify_relaxed(model,
                        dual,
                        data,
                        {.c = options.c, .bias = options.bias, .rho = options.rho},
                        options.control.context);
}

}  // namespace maxmargin
