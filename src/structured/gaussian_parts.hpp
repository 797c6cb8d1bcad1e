// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "maxmargin/structured/gaussian_hmm.hpp"
#include "structured/hmm_expectation.hpp"
#include "structured/hmm_vectors.hpp"

/// Between a model in the units of the data and what HmmVectors works with.
namespace maxmargin {

[[nodiscard]] std::vector<double> parameters_in(const GaussianHmm& model,
                                                const FeatureUnits& units);
[[nodiscard]] GaussianHmm gaussian_of(HmmChain chain,
                                      std::span<const double> parameters,
                                      HmmCovariance covariance,
                                      const FeatureUnits& units);

}  // namespace maxmargin
