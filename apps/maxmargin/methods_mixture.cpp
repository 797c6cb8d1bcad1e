// SPDX-License-Identifier: Apache-2.0
//
// Gaussian mixtures.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "data_source.hpp"
#include "maxmargin/cluster/mixture/mixture.hpp"
#include "maxmargin/core/weights.hpp"
#include "method_options.hpp"
#include "methods.hpp"

namespace maxmargin::tool {

namespace {

using Names = std::string_view;

const std::vector<std::string> covariance_names = {"spherical", "diagonal", "full", "tied"};

Covariance covariance_named(const std::string& name) {
  for (const Covariance covariance :
       {Covariance::spherical, Covariance::diagonal, Covariance::full, Covariance::tied}) {
    if (to_string(covariance) == name) return covariance;
  }
  throw InternalError("no covariance named " + name);
}

ClusterAnswer run_mixture(const Dataset& data,
                          const Arguments& arguments,
                          ProgressCallback progress) {
  MixtureOptions options;
  take_common_options(arguments, std::move(progress), options);
  const std::string covariance = arguments.choice_or("covariance", "full", covariance_names);
  options.covariance = covariance_named(covariance);
  options.tolerance = arguments.positive("tolerance").value_or(options.tolerance);
  options.variance_floor = arguments.positive("variance-floor").value_or(options.variance_floor);
  MixtureClustering found = cluster_mixture(data, options);

  ClusterAnswer answer;
  answer.labels = std::move(found.labels);
  answer.report = std::move(found.report);
  answer.metrics = {
      {"log_likelihood", found.log_likelihood}, {"bic", found.bic}, {"aic", found.aic}};
  answer.options = {{"k", whole(options.k)},
                    {"covariance", covariance},
                    {"variance_floor", options.variance_floor},
                    {"tolerance", options.tolerance},
                    {"restarts", whole(options.restarts)},
                    {"max_iterations", whole(options.max_iterations)},
                    {"seed", whole(options.seed)}};
  answer.trace = {{"log_likelihood", std::move(found.trace)}};
  ModelDocument model("mixture");
  model.set_string("covariance", covariance);
  model.set_integer("seed", whole(options.seed));
  model.set_integer("restarts", whole(options.restarts));
  model.set_number("log_likelihood", found.log_likelihood);
  model.set_number("least_variance", found.least_variance);
  if (!data.feature_names.empty()) model.set_strings("feature_names", data.feature_names);
  model.set_numbers("weights", std::move(found.model.weights));
  model.set_dense("means", std::move(found.model.means));
  model.set_dense("covariances", std::move(found.model.covariances));
  answer.model = std::move(model);
  return answer;
}

MixtureModel mixture_of(const ModelDocument& document) {
  MixtureModel model{.covariance = Covariance::full,
                     .weights = document.numbers("weights"),
                     .means = document.dense("means"),
                     .covariances = document.dense("covariances")};
  const std::string& kind = document.string("covariance");
  if (std::ranges::find(covariance_names, kind) == covariance_names.end()) {
    throw ModelFormatError(document.source(), {}, "the covariance " + kind + " is not known");
  }
  model.covariance = covariance_named(kind);
  try {
    model.validate();
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

double mixture_objective(const Dataset& data,
                         std::span<const std::int32_t> /*labels*/,
                         const ModelDocument& document) {
  const MixtureModel model = mixture_of(document);
  std::vector<DenseMatrix> factors;
  for (std::size_t j = 0; j < model.components(); ++j) {
    factors.push_back(plain_factor(plain_covariance(model, j)));
  }
  double sum = 0;
  std::vector<double> logs(model.components());
  for (std::size_t i = 0; i < data.size(); ++i) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < logs.size(); ++j) {
      logs[j] = std::log(model.weights[j]) +
                plain_log_density(data.examples.row(i), model.means.row(j), factors[j]);
      largest = std::max(largest, logs[j]);
    }
    double density = 0;
    for (const double log : logs) density += std::exp(log - largest);
    sum += weight_of(data.weights, i) * (largest + std::log(density));
  }
  return -sum;
}

std::size_t mixture_features(const ModelDocument& model) { return model.dense("means").cols(); }

Prediction predict_mixture(const ModelDocument& document,
                           const Dataset& data,
                           std::optional<std::size_t> threads) {
  MixtureAnswer answer = mixture_of(document).answer(data.examples, threads);
  return {.clusters = std::move(answer.labels), .probabilities = std::move(answer.probabilities)};
}

constexpr std::array mixture_options = {
    Names{"covariance"}, Names{"variance-floor"}, Names{"tolerance"}};

constexpr std::array methods = {
    ClusterMethod{"mixture",
                  "Gaussian mixture by EM: clusters with probabilities, BIC and AIC",
                  mixture_options,
                  run_mixture,
                  mixture_objective}};

constexpr std::array kinds = {ModelKind{"mixture", mixture_features, predict_mixture}};

}  // namespace

MethodTable mixture_methods() { return {methods, kinds}; }

}  // namespace maxmargin::tool
