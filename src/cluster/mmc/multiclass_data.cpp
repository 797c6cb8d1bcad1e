// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-multiclass.md: from data sets to Gram matrices, and to new points.
#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <variant>

#include "cluster/equal_rows.hpp"
#include "cluster/mmc/multiclass_parts.hpp"
#include "kernel/near_origin.hpp"
#include "maxmargin/cluster/mmc/multiclass.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "relax/class_rounding.hpp"

namespace maxmargin {

namespace {

/// Multiples of gamma at which spectral clustering proposes labels.
constexpr std::array spectral_widths = {1.0, 4.0, 16.0, 64.0};

void check(const Dataset& data, const Kernel& kernel, std::size_t k) {
  data.validate();
  require(data.weights.empty(), "mmc does not take example weights: the balance counts points");
  require(definiteness(kernel) != Definiteness::indefinite,
          "mmc: the kernel " + kernel_name(kernel) +
              " is not positive semidefinite, the relaxation needs one that is");
  const std::size_t distinct = distinct_rows(data.examples, k);
  require(distinct >= k,
          "mmc: " + std::to_string(k) + " clusters need as many distinct points, " + data.source +
              " has " + std::to_string(distinct));
}

std::vector<ClassCandidate> spectral_candidates(const Dataset& data,
                                                const Kernel& kernel,
                                                const MulticlassMmcOptions& options) {
  std::vector<ClassCandidate> candidates;
  const auto* rbf = std::get_if<Rbf>(&kernel);
  if (rbf == nullptr) return candidates;
  const ClassRules rules = equal_rules(data.size(), options.k, options.balance);
  const ClassRoundingOptions rounding{.context = options.context};
  for (const double width : spectral_widths) {
    if (options.context.ask({.phase = "spectral"}) != Continue::yes) break;
    ClassCandidate candidate = round_class_spectral(
        gram(Rbf{.gamma = width * rbf->gamma}, data.examples, {.context = options.context}),
        "spectral, gamma x " + format_number(width),
        rules,
        rounding);
    if (!candidate.labels.empty()) candidates.push_back(std::move(candidate));
  }
  return candidates;
}

/// The machine as sums over the points as they are, and the offsets that go with them.
KernelExpansion expansion(const Dataset& data,
                          const Kernel& kernel,
                          KernelBias bias,
                          const FeatureCentring& centring,
                          const DenseMatrix& coefficients) {
  KernelExpansion function{
      .kernel = kernel, .vectors = data.examples.owned(), .coefficients = coefficients};
  std::vector<double> column(data.size());
  for (std::size_t r = 0; r < coefficients.cols(); ++r) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = coefficients(i, r);
    const PlainFunction plain = plain_function(bias, centring, column);
    function.offsets.push_back(plain.offset);
    for (std::size_t i = 0; i < column.size(); ++i) {
      function.coefficients(i, r) = plain.coefficients[i];
    }
  }
  function.training_rows.resize(data.size());
  std::iota(function.training_rows.begin(), function.training_rows.end(), std::size_t{0});
  return function;
}

}  // namespace

TrainedMulticlassMmc cluster_multiclass_mmc(const Dataset& data,
                                            const Kernel& given,
                                            const MulticlassMmcOptions& options) {
  validate(options);
  check(data, given, options.k);
  const Kernel kernel =
      options.bias == KernelBias::center ? near_origin(given, data.examples) : given;
  require_multiclass_mmc_memory(data.size(), options.context.memory_limit);
  DenseMatrix matrix = gram(kernel, data.examples, {.context = options.context});
  const std::vector<ClassCandidate> candidates = spectral_candidates(data, kernel, options);
  const FeatureCentring centring = FeatureCentring::fit(matrix.view());
  TrainedMulticlassMmc trained{.clustering =
                                   cluster_multiclass_mmc(std::move(matrix), options, candidates)};
  trained.model.functions =
      expansion(data, kernel, options.bias, centring, trained.clustering.coefficients);
  return trained;
}

}  // namespace maxmargin
