// SPDX-License-Identifier: Apache-2.0
//
// Gaussian mixtures: mixture.
#include "maxmargin/cluster/mixture/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "core/weights.hpp"
#include "learner/clustering/clustering.hpp"
#include "learner/named_field.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin::learning {

namespace {

Clustering run_mixture(const Dataset& rows, const MixtureOptions& options, const Context& context) {
  MixtureClustering found = cluster_mixture(rows, in_context(options, context));
  ModelDocument model("mixture");
  model.set_string("covariance", std::string(to_string(options.covariance)));
  model.set_number("log_likelihood", found.log_likelihood);
  model.set_number("least_variance", found.least_variance);
  model.set_numbers("weights", std::move(found.model.weights));
  model.set_dense("means", std::move(found.model.means));
  model.set_dense("covariances", std::move(found.model.covariances));
  return {
      .labels = std::move(found.labels),
      .report = std::move(found.report),
      .metrics = {{"log_likelihood", found.log_likelihood}, {"bic", found.bic}, {"aic", found.aic}},
      .model = std::move(model),
      .trace = {{"log_likelihood", std::move(found.trace)}}};
}

MixtureModel mixture_of(const ModelDocument& document) {
  MixtureModel model{.covariance = named_field<Covariance>(document, "covariance"),
                     .weights = document.numbers("weights"),
                     .means = document.dense("means"),
                     .covariances = document.dense("covariances")};
  try {
    validate(model);
  } catch (const InvalidArgument& problem) {
    throw ModelFormatError(document.source(), {}, problem.what());
  }
  return model;
}

/// The covariance of component j as a full matrix.
DenseMatrix plain_covariance(const MixtureModel& model, std::size_t j) {
  const std::size_t d = model.means.cols();
  DenseMatrix matrix(d, d);
  for (std::size_t a = 0; a < d; ++a) {
    if (model.covariance == Covariance::spherical) matrix(a, a) = model.covariances(j, 0);
    if (model.covariance == Covariance::diagonal) matrix(a, a) = model.covariances(j, a);
    for (std::size_t b = 0; b < d; ++b) {
      if (model.covariance == Covariance::full) matrix(a, b) = model.covariances(j * d + a, b);
      if (model.covariance == Covariance::tied) matrix(a, b) = model.covariances(a, b);
    }
  }
  return matrix;
}

/// Lower Cholesky factor, entry by entry.
DenseMatrix plain_factor(const DenseMatrix& matrix) {
  DenseMatrix factor(matrix.rows(), matrix.rows());
  for (std::size_t a = 0; a < matrix.rows(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = matrix(a, b);
      for (std::size_t c = 0; c < b; ++c) sum -= factor(a, c) * factor(b, c);
      factor(a, b) = a == b ? std::sqrt(sum) : sum / factor(b, b);
    }
  }
  return factor;
}

/// Log density of one Gaussian at x, by forward substitution.
double plain_log_density(const Row& x, std::span<const double> mean, const DenseMatrix& factor) {
  std::vector<double> z(mean.size());
  double sum = static_cast<double>(mean.size()) * std::log(2 * std::numbers::pi);
  for (std::size_t a = 0; a < mean.size(); ++a) {
    double value = x.at(a) - mean[a];
    for (std::size_t b = 0; b < a; ++b) value -= factor(a, b) * z[b];
    z[a] = value / factor(a, a);
    sum += z[a] * z[a] + 2 * std::log(factor(a, a));
  }
  return -sum / 2;
}

double mixture_objective(const Dataset& rows,
                         std::span<const std::int32_t> /*labels*/,
                         const ModelDocument& document,
                         const Context& /*context*/) {
  const MixtureModel model = mixture_of(document);
  std::vector<DenseMatrix> factors;
  for (std::size_t j = 0; j < model.components(); ++j) {
    factors.push_back(plain_factor(plain_covariance(model, j)));
  }
  double sum = 0;
  std::vector<double> logs(model.components());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < logs.size(); ++j) {
      logs[j] = std::log(model.weights[j]) +
                plain_log_density(rows.examples.row(i), model.means.row(j), factors[j]);
      largest = std::max(largest, logs[j]);
    }
    double density = 0;
    for (const double log : logs) density += std::exp(log - largest);
    sum += weight_of(rows.weights, i) * (largest + std::log(density));
  }
  return -sum;
}

std::size_t mixture_features(const ModelDocument& model) { return model.dense("means").cols(); }

ClusterAnswer mixture_answer(const ModelDocument& model,
                             const Dataset& rows,
                             const Context& context) {
  MixtureAnswer answer = mixture_of(model).answer(rows.examples, context.threads);
  return {.clusters = std::move(answer.labels), .probabilities = std::move(answer.probabilities)};
}

}  // namespace

void add_mixtures(LearnerList& list) {
  list.push_back(std::make_unique<ClusterEntry<MixtureOptions>>(
      LearnerInfo{.name = "mixture",
                  .summary = "Gaussian mixture by EM: probabilities, BIC and AIC",
                  .task = Task::cluster,
                  .formula = "max sum_i w_i log sum_j pi_j N(x_i; mu_j, Sigma_j)",
                  .page = "docs/algorithms/mixture.md",
                  .example = "builtin:iris",
                  .class_name = "GaussianMixture",
                  .ending = Ending::search},
      ClusterFunctions<MixtureOptions>{.run = run_mixture,
                                       .objective = mixture_objective,
                                       .features = mixture_features,
                                       .answer = mixture_answer,
                                       .records_steps = always_records,
                                       .tolerance_is_gap = false},
      MixtureOptions{.k = 0}));
}

}  // namespace maxmargin::learning
