// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hmm.md, "Vectors"
#include "maxmargin/structured/gaussian_hmm.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>

#include "linalg/cholesky.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "structured/gaussian_parts.hpp"
#include "structured/hmm_fit.hpp"

namespace maxmargin {

namespace {

DenseMatrix covariance_of(const GaussianHmm& model, std::size_t state) {
  const std::size_t d = model.features();
  DenseMatrix covariance(d, d, 0.0);
  for (std::size_t r = 0; r < d; ++r) {
    if (model.covariance == HmmCovariance::diagonal) {
      covariance(r, r) = model.covariances(state, r);
    } else {
      std::ranges::copy(model.covariances.row(state * d + r), covariance.row(r).begin());
    }
  }
  return covariance;
}

/// Features by their own deviations: matrices whose entries are moderate.
std::optional<Cholesky> factor_of(const GaussianHmm& model,
                                  std::size_t state,
                                  std::vector<double>& deviations) {
  DenseMatrix covariance = covariance_of(model, state);
  const std::size_t d = model.features();
  deviations.resize(d);
  for (std::size_t r = 0; r < d; ++r) {
    if (!(covariance(r, r) > 0)) return std::nullopt;
    deviations[r] = std::sqrt(covariance(r, r));
  }
  for (std::size_t r = 0; r < d; ++r) {
    for (std::size_t c = 0; c < d; ++c) {
      covariance(r, c) = covariance(r, c) / deviations[r] / deviations[c];
    }
  }
  return Cholesky::factor(covariance.view(), 0);
}

void require_sum(std::span<const double> numbers, double more, const std::string& what) {
  const double sum = std::accumulate(numbers.begin(), numbers.end(), more);
  require_field(std::abs(sum - 1) <= 1e-9, "a hidden Markov model: the sum of " + what, sum, "1");
  for (const double x : numbers) {
    require_field(x >= 0, "a hidden Markov model: a probability", x, "finite and >= 0");
  }
}

void require_model(const GaussianHmm& model) {
  const std::size_t k = model.states();
  const std::size_t d = model.features();
  require(k > 0, "a hidden Markov model: there must be at least one state");
  require(model.transitions.rows() == k && model.transitions.cols() == k,
          "a hidden Markov model: transitions must be states x states");
  require(model.means.rows() == k && d > 0,
          "a hidden Markov model: means must be states x features");
  const std::size_t rows = model.covariance == HmmCovariance::full ? k * d : k;
  require(model.covariances.rows() == rows && model.covariances.cols() == d,
          "a hidden Markov model: covariances do not fit the means");
  require(model.end.empty() || model.end.size() == k,
          "a hidden Markov model: end must have one number a state");
  require_sum(model.start, 0, "start");
  for (std::size_t i = 0; i < k; ++i) {
    const std::string state = "state " + std::to_string(i);
    require_sum(model.transitions.row(i),
                model.end.empty() ? 0.0 : model.end[i],
                "the transitions of " + state);
    if (!model.end.empty()) {
      require_field(
          model.end[i] >= 0, "a hidden Markov model: a probability", model.end[i], ">= 0");
    }
    for (const double x : model.means.row(i)) {
      require_field(std::isfinite(x), "a hidden Markov model: a mean", x, "finite");
    }
    const DenseMatrix matrix = covariance_of(model, i);
    for (std::size_t r = 0; r < d; ++r) {
      for (std::size_t c = 0; c < d; ++c) {
        require_field(std::isfinite(matrix(r, c)),
                      "a hidden Markov model: a covariance",
                      matrix(r, c),
                      "finite");
        require(matrix(r, c) == matrix(c, r),
                "a hidden Markov model: the covariance of " + state + " is not symmetric");
      }
    }
    std::vector<double> deviations;
    require(factor_of(model, i, deviations).has_value(),
            "a hidden Markov model: the covariance of " + state + " is not positive definite");
  }
}

}  // namespace

void GaussianHmm::describe(OptionVisitor& visit) {
  visit.check([this] { require_model(*this); });
}

DenseMatrix gaussian_log_densities(const GaussianHmm& model, const VectorSequence& vectors) {
  validate(model);
  const std::size_t d = model.features();
  require(vectors.rows() == 0 || vectors.cols() == d,
          "vectors must have as many features as the model");
  DenseMatrix nodes(vectors.rows(), model.states());
  std::vector<double> deviations;
  std::vector<double> y(d);
  for (std::size_t j = 0; j < model.states(); ++j) {
    const std::optional<Cholesky> factor = factor_of(model, j, deviations);
    const DenseMatrix lower = factor->lower();
    double log_peak = -static_cast<double>(d) * std::log(2 * std::numbers::pi) / 2;
    for (std::size_t r = 0; r < d; ++r) log_peak -= std::log(lower(r, r)) + std::log(deviations[r]);
    for (std::size_t t = 0; t < vectors.rows(); ++t) {
      double squares = 0;
      for (std::size_t r = 0; r < d; ++r) {
        double rest = (vectors(t, r) - model.means(j, r)) / deviations[r];
        for (std::size_t c = 0; c < r; ++c) rest -= lower(r, c) * y[c];
        y[r] = rest / lower(r, r);
        squares += y[r] * y[r];
      }
      nodes(t, j) = log_peak - squares / 2;
    }
  }
  return nodes;
}

double gaussian_count_objective(const GaussianHmm& model,
                                std::span<const VectorSequence> vectors,
                                std::span<const LabelSequence> states,
                                double smoothing) {
  require(states.size() == vectors.size(),
          "there must be one sequence of states for every one of vectors");
  std::vector<std::size_t> lengths;
  for (const VectorSequence& each : vectors) lengths.push_back(each.rows());
  require_known(states, lengths, model.states());
  double sum = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const LabelSequence& y = states[i];
    const DenseMatrix nodes = gaussian_log_densities(model, vectors[i]);
    for (std::size_t t = 0; t < y.size(); ++t) {
      if (y[t] == unknown_state) continue;
      sum += nodes(t, y[t]);
      if (t == 0) sum += std::log(model.start[y[t]]);
      if (t > 0 && y[t - 1] != unknown_state) sum += std::log(model.transitions(y[t - 1], y[t]));
      if (t + 1 == y.size() && !model.end.empty()) sum += std::log(model.end[y[t]]);
    }
  }
  if (smoothing == 0) return sum;
  return sum + smoothing *
                   sum_of_logs(
                       {.start = model.start, .transitions = model.transitions, .end = model.end});
}

std::vector<double> parameters_in(const GaussianHmm& model, const FeatureUnits& units) {
  const std::size_t d = model.features();
  std::vector<double> parameters;
  for (std::size_t j = 0; j < model.states(); ++j) {
    for (std::size_t r = 0; r < d; ++r) {
      parameters.push_back((model.means(j, r) - units.zero[r]) / units.unit[r]);
    }
  }
  for (std::size_t row = 0; row < model.covariances.rows(); ++row) {
    for (std::size_t c = 0; c < d; ++c) {
      const std::size_t r = model.covariance == HmmCovariance::full ? row % d : c;
      parameters.push_back(model.covariances(row, c) / units.unit[r] / units.unit[c]);
    }
  }
  return parameters;
}

GaussianHmm gaussian_of(HmmChain chain,
                        std::span<const double> parameters,
                        HmmCovariance covariance,
                        const FeatureUnits& units) {
  const std::size_t k = chain.start.size();
  const std::size_t d = units.unit.size();
  const bool is_full = covariance == HmmCovariance::full;
  GaussianHmm model{.start = std::move(chain.start),
                    .transitions = std::move(chain.transitions),
                    .end = std::move(chain.end),
                    .covariance = covariance,
                    .means = DenseMatrix(k, d),
                    .covariances = DenseMatrix(is_full ? k * d : k, d)};
  std::size_t at = 0;
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t r = 0; r < d; ++r) {
      model.means(j, r) = units.zero[r] + units.unit[r] * parameters[at++];
    }
  }
  for (std::size_t row = 0; row < model.covariances.rows(); ++row) {
    for (std::size_t c = 0; c < d; ++c) {
      const std::size_t r = is_full ? row % d : c;
      // The larger index first: the two halves stay equal.
      const double larger = units.unit[std::max(r, c)];
      model.covariances(row, c) = parameters[at++] * larger * units.unit[std::min(r, c)];
    }
  }
  return model;
}

}  // namespace maxmargin
