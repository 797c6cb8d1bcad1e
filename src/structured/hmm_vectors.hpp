// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/structured/gaussian_hmm.hpp"
#include "structured/hmm_emissions.hpp"

namespace maxmargin {

/// Where a feature has its zero, and how long it is.
struct FeatureUnits {
  std::vector<double> zero = {};
  std::vector<double> unit = {};
  /// Features of one value, whose unit is that value (1 where it is 0).
  std::vector<std::size_t> constant = {};

  /// Sum of the logs of all units: what log densities of vectors in these units are larger by.
  [[nodiscard]] double log_volume() const;
};

/// Mean and deviation of every feature. Throws InvalidArgument for no position, widths that differ,
/// values that are not finite, and features whose variances, the floor in units among them, are too
/// small or too large for a double.
[[nodiscard]] FeatureUnits units_of(std::span<const VectorSequence> vectors, double variance_floor);
/// Units in which a model's numbers are moderate.
[[nodiscard]] FeatureUnits units_of(const GaussianHmm& model);

/// Vectors: a normal density for each state. All is in the units given, densities too.
class HmmVectors final : public HmmEmissions {
 public:
  HmmVectors(std::span<const VectorSequence> vectors,
             const FeatureUnits& units,
             std::size_t states,
             HmmCovariance covariance,
             double variance_floor);

  [[nodiscard]] std::size_t features() const { return d_; }
  [[nodiscard]] std::size_t positions() const { return begins_.back(); }
  /// Position t of all sequences together.
  [[nodiscard]] std::span<const double> vector(std::size_t t) const {
    return std::span(vectors_).subspan(t * d_, d_);
  }
  /// Means, then covariances, as GaussianHmm has them, in the units.
  [[nodiscard]] std::vector<double> parameters() const override { return parameters_; }
  void set_parameters(std::vector<double> parameters) override;

  [[nodiscard]] std::size_t sequences() const override { return begins_.size() - 1; }
  [[nodiscard]] std::size_t length(std::size_t sequence) const override {
    return begins_[sequence + 1] - begins_[sequence];
  }
  void prepare(std::size_t threads) override;
  double fill(std::size_t sequence,
              std::size_t begin,
              std::size_t end,
              double* rows) const override;
  [[nodiscard]] DenseMatrix logs(std::size_t sequence) const override;
  [[nodiscard]] std::size_t sums() const override;
  void add(std::size_t sequence,
           std::size_t begin,
           std::size_t end,
           const double* posteriors,
           double* sums) const override;
  void maximise(std::span<const double> sums, double smoothing) override;
  [[nodiscard]] double log_prior(double /*smoothing*/) const override { return 0; }

 private:
  [[nodiscard]] std::size_t moments() const;
  [[nodiscard]] double* mean(std::size_t state) { return parameters_.data() + state * d_; }
  [[nodiscard]] const double* mean(std::size_t state) const {
    return parameters_.data() + state * d_;
  }
  [[nodiscard]] std::size_t covariance_at(std::size_t state) const;
  void densities(std::size_t begin, std::size_t end, double* rows) const;
  void raise_to_floor(double* covariance) const;

  std::size_t k_;
  std::size_t d_;
  std::size_t stride_;
  HmmCovariance covariance_;
  double floor_;
  std::vector<std::size_t> begins_ = {0};
  std::vector<double> vectors_ = {};
  std::vector<double> parameters_;
  /// Of each state: what a difference from the mean is multiplied with (1 over deviations, or the
  /// inverse of the Cholesky factor, its rows one after the other), and the log of its peak.
  std::vector<double> whitening_ = {};
  std::vector<double> log_peaks_ = {};
  /// Rows of all positions, and the logs of what they were divided by.
  std::vector<double> factors_ = {};
  std::vector<double> logs_of_largest_ = {};
};

}  // namespace maxmargin
