// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/model/semi/semi_supervised.hpp"
#include "model/semi/two_class_engine.hpp"

/// The search behind tsvm and s3vm-cccp for one two-class machine. docs/algorithms/s3vm.md; symbols
/// and steps as there.
namespace maxmargin {

/// Cost of an unlabelled row's loss by the sign it has.
struct UnlabelledCosts {
  double positive = 0;
  double negative = 0;

  [[nodiscard]] double of(std::int8_t sign) const { return sign < 0 ? negative : positive; }
  [[nodiscard]] double largest() const { return positive > negative ? positive : negative; }
};

/// Signs that cost least for the values f of the unlabelled rows and their weights: step 3. A sign
/// 0 leaves the row out.
using AssignSigns = std::function<std::vector<std::int8_t>(
    std::span<const double> values, std::span<const double> weights, const UnlabelledCosts& costs)>;

/// What distinguishes the learners.
struct SemiRule {
  AssignSigns assign = {};
  /// Loss of a row that is left out.
  double left_out = 0;
  /// Rising costs, the last those of the objective. Empty: unlabelled rows cost nothing.
  std::vector<UnlabelledCosts> levels = {};
};

/// A two-class problem of which some rows have no sign.
struct SemiProblem {
  /// Of labelled rows; 0 for unlabelled ones.
  std::vector<std::int8_t> signs = {};
  /// C times weight of labelled rows; 0 for unlabelled ones.
  std::vector<double> costs = {};
  std::span<const std::size_t> unlabelled = {};
  /// Of the unlabelled rows, in the order of `unlabelled`.
  std::span<const double> weights = {};
  /// Where the search holds the mean of f over the unlabelled rows.
  std::optional<double> mean = std::nullopt;
  /// How the preparations ended: when they were stopped, only the plain machine is trained.
  Status prepared = Status::solved;
};

/// What the search came to.
struct SemiResult {
  TwoClassPoint semi_supervised = {};
  TwoClassPoint supervised = {};
  /// The semi-supervised objective, at the costs of the last level.
  double objective = 0;
  /// The machine of the search on the labelled rows alone: its dual point and what that proves.
  std::vector<double> bound_dual = {};
  std::optional<double> lower_bound = std::nullopt;
  /// By row, as in TrainedSemiSupervised.
  std::vector<std::int8_t> signs = {};
  std::vector<SemiStep> steps = {};
  std::uint64_t iterations = 0;
  Status status = Status::solved;
  /// Says more about a status that is no solver's own.
  std::string message = {};
  /// As in TrainedSemiSupervised.
  std::optional<double> stationary_gap = std::nullopt;
};

/// `supervised` solves the plain machine; `engine` that of the search, which holds the mean where
/// the problem has one. Without a mean they may be one, and after stopped preparations must.
/// `tolerance` is that of their solves.
[[nodiscard]] SemiResult search_signs(const SemiProblem& problem,
                                      const SemiRule& rule,
                                      TwoClassEngine& supervised,
                                      TwoClassEngine& engine,
                                      double tolerance);

}  // namespace maxmargin
