// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/structured/gaussian_hmm.hpp"

/// What the learner hmm is told beside the data.
namespace maxmargin::learning {

enum class HmmSolver {
  counts,     ///< shares of what was counted where labels are known
  baum_welch  ///< expectation and maximisation
};

/// What states emit.
enum class HmmKind {
  discrete,  ///< a symbol
  gaussian   ///< a vector, by a normal density
};

/// How labels are chosen.
enum class HmmDecode {
  viterbi,   ///< the most likely sequence of states
  posterior  ///< the most likely state of each position by itself
};

struct HmmChoice {
  /// Unset: counts where all positions have labels, else Baum-Welch.
  std::optional<HmmSolver> solver = std::nullopt;
  /// Unset: the labels.
  std::optional<std::uint64_t> states = std::nullopt;
  /// Unset: usual_smoothing.
  std::optional<double> smoothing = std::nullopt;
  bool with_end = false;
  /// Unset: discrete where every position has one feature of value 1.
  std::optional<HmmKind> kind = std::nullopt;
  HmmCovariance covariance = HmmCovariance::diagonal;
  double variance_floor = 1e-6;
  std::uint64_t symbol_column = 1;
  std::uint64_t minimum_count = 1;
  std::uint64_t restarts = 10;
  std::uint64_t max_iterations = 200;
  double tolerance = 1e-6;

  void describe(OptionVisitor& visit);
};

[[nodiscard]] constexpr double usual_smoothing(HmmSolver solver) noexcept {
  return solver == HmmSolver::counts ? 0.1 : 0.0;
}

struct HmmPredictionChoice {
  HmmDecode decode = HmmDecode::viterbi;
  bool probabilities = false;

  void describe(OptionVisitor& visit);
};

}  // namespace maxmargin::learning

namespace maxmargin {
template <>
inline constexpr auto names_of<learning::HmmSolver> = name_table<learning::HmmSolver>(
    {{"counts", learning::HmmSolver::counts}, {"baum-welch", learning::HmmSolver::baum_welch}});
template <>
inline constexpr auto names_of<learning::HmmKind> = name_table<learning::HmmKind>(
    {{"discrete", learning::HmmKind::discrete}, {"gaussian", learning::HmmKind::gaussian}});
template <>
inline constexpr auto names_of<learning::HmmDecode> = name_table<learning::HmmDecode>(
    {{"viterbi", learning::HmmDecode::viterbi}, {"posterior", learning::HmmDecode::posterior}});
}  // namespace maxmargin
