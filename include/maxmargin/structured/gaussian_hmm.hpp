// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/structured/hmm.hpp"

/// Hidden Markov models whose states emit vectors: docs/algorithms/hmm.md, "Vectors".
namespace maxmargin {

/// Which covariance matrices states may have.
enum class HmmCovariance {
  diagonal,  ///< a diagonal matrix each
  full       ///< any matrix each
};
template <>
inline constexpr auto names_of<HmmCovariance> = name_table<HmmCovariance>(
    {{"diagonal", HmmCovariance::diagonal}, {"full", HmmCovariance::full}});

/// Vectors of a sequence, positions x features.
using VectorSequence = DenseMatrix;

/// p(x, y) as that of Hmm, with normal densities N(x_t; means(y_t), covariance(y_t)).
struct MAXMARGIN_EXPORT GaussianHmm {
  std::vector<double> start = {};
  DenseMatrix transitions = {};
  /// Empty: a sequence may end anywhere at no cost.
  std::vector<double> end = {};
  HmmCovariance covariance = HmmCovariance::diagonal;
  /// States x features.
  DenseMatrix means = {};
  /// diagonal: variances, states x features; full: the matrix of state j in rows j d to (j + 1) d -
  /// 1.
  DenseMatrix covariances = {};

  [[nodiscard]] std::size_t states() const noexcept { return start.size(); }
  [[nodiscard]] std::size_t features() const noexcept { return means.cols(); }
  /// What validate() checks: that sizes fit together, all numbers are finite, start and transitions
  /// with the end of a state sum to 1 (to 1e-9), and covariances are symmetric and positive
  /// definite.
  void describe(OptionVisitor& visit);
};

/// log N(x; mean, covariance) of every position and state, positions x states. Throws
/// InvalidArgument for a model that is not valid and vectors of another width.
[[nodiscard]] MAXMARGIN_EXPORT DenseMatrix gaussian_log_densities(const GaussianHmm& model,
                                                                  const VectorSequence& vectors);

struct MAXMARGIN_EXPORT GaussianHmmOptions {
  /// At least 1; ignored with a start.
  std::size_t states = 2;
  HmmCovariance covariance = HmmCovariance::diagonal;
  /// No variance in any direction, features in units of their deviation, falls below this: without
  /// a floor the likelihood has no upper bound. >= 1e-12.
  double variance_floor = 1e-6;
  /// Whether the model says where sequences end; ignored with a start.
  bool with_end = false;
  /// A valid model to begin with: then there is one run, and `restarts` and `seed` are ignored.
  std::optional<GaussianHmm> start = std::nullopt;
  std::size_t restarts = 10;
  std::size_t max_iterations = 200;
  /// A run ends when the log-likelihood, features in units of their deviation, grows by at most
  /// this times max(1, |it|). >= 0.
  double tolerance = 1e-6;
  /// Added to every expected count of starts, transitions and ends.
  double smoothing = 0;
  /// As BaumWelchOptions::known.
  std::span<const LabelSequence> known = {};
  Context context = {};
  void describe(OptionVisitor& visit);
};

struct GaussianHmmResult {
  GaussianHmm model = {};
  /// Of all sequences, and of the states that are known, under the model.
  double log_likelihood = 0;
  std::vector<double> trace = {};
  std::size_t best_restart = 0;
  std::vector<HmmRestart> restarts = {};
  /// Features that have one value alone, from 0: their variance is the floor, in units of that
  /// value.
  std::vector<std::size_t> constant_features = {};
  SolveReport report = {};
};

/// Maximum likelihood with unknown states among models above the floor, by expectation and
/// maximisation. Throws InvalidArgument for no position at all, vectors of different widths or with
/// values that are not finite, and wrong options.
[[nodiscard]] MAXMARGIN_EXPORT GaussianHmmResult
train_gaussian_hmm(std::span<const VectorSequence> vectors, const GaussianHmmOptions& options = {});

/// With known states, in closed form: shares, means and covariances of what is known. `states`,
/// `covariance`, `variance_floor`, `with_end` and `smoothing` are used. The report has the
/// objective (minus the log of the density of all that is known, and smoothing) and the bound that
/// no model above the floor passes, from the eigenvalues of the scatter of each state.
[[nodiscard]] MAXMARGIN_EXPORT GaussianHmmResult
estimate_gaussian_hmm(std::span<const VectorSequence> vectors,
                      std::span<const LabelSequence> states,
                      const GaussianHmmOptions& options = {});

/// What estimate_gaussian_hmm maximises, of any model.
[[nodiscard]] MAXMARGIN_EXPORT double gaussian_count_objective(
    const GaussianHmm& model,
    std::span<const VectorSequence> vectors,
    std::span<const LabelSequence> states,
    double smoothing);

}  // namespace maxmargin
