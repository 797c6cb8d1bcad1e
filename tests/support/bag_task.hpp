// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/row.hpp"
#include "maxmargin/problem/structural/feature_vector.hpp"
#include "maxmargin/structured/latent_task.hpp"

namespace maxmargin::testing {

/// What a bag is: positive by its witness, which is hidden in training data, or negative.
struct BagAnswer {
  bool is_positive = false;
  /// Number of the row within the bag; 0 of a negative one.
  std::size_t witness = 0;

  [[nodiscard]] bool operator==(const BagAnswer&) const = default;
};

/// The smallest task with hidden parts. Phi(x, +, h) is row h of the bag and a constant feature,
/// Phi(x, -) is 0; a wrong label costs 1. So a bag is positive when its best row is above 0, and
/// the objective is that of MI-SVM (docs/algorithms/mil.md), which the learner reaches by other
/// convex problems.
class BagTask {
 public:
  /// The rows of a bag, at least one. Entries beyond the features count nothing.
  using Input = std::vector<Row>;
  using Output = BagAnswer;

  /// `bias` is the constant feature, 0 for none.
  BagTask(std::size_t features, double bias) : features_(features), bias_(bias) {}

  [[nodiscard]] std::size_t dimension() const { return features_ + (bias_ != 0 ? 1 : 0); }
  void joint_features(const Input& x, const BagAnswer& y, FeatureVector& psi) const {
    if (!y.is_positive) return;
    require(y.witness < x.size(), "the witness is no row of the bag");
    x[y.witness].for_each([&](std::size_t column, double entry) {
      if (column < features_ && entry != 0) psi.add(column, entry);
    });
    if (bias_ != 0) psi.add(features_, bias_);
  }
  [[nodiscard]] double loss(const BagAnswer& truth, const BagAnswer& other) const {
    return truth.is_positive == other.is_positive ? 0.0 : 1.0;
  }
  [[nodiscard]] BagAnswer predict(const Input& x, std::span<const double> w) const {
    const Best best = best_row(x, w);
    return best.value > 0 ? BagAnswer{.is_positive = true, .witness = best.row} : BagAnswer{};
  }
  [[nodiscard]] BagAnswer loss_augmented_argmax(const Input& x,
                                                const BagAnswer& truth,
                                                std::span<const double> w) const {
    const Best best = best_row(x, w);
    const BagAnswer positive{.is_positive = true, .witness = best.row};
    // Ties go to the truth.
    if (!truth.is_positive) return best.value + 1 > 0 ? positive : BagAnswer{};
    if (best.value < 1) return BagAnswer{};
    require(truth.witness < x.size(), "the witness is no row of the bag");
    return value(x[truth.witness], w) >= best.value ? truth : positive;
  }
  [[nodiscard]] BagAnswer complete(const Input& x,
                                   const BagAnswer& truth,
                                   std::span<const double> w) const {
    if (!truth.is_positive) return BagAnswer{};
    return {.is_positive = true, .witness = best_row(x, w).row};
  }
  [[nodiscard]] BagAnswer random_completion(const Input& x,
                                            const BagAnswer& truth,
                                            Rng& rng) const {
    if (!truth.is_positive) return BagAnswer{};
    return {.is_positive = true, .witness = rng.index(x.size())};
  }
  [[nodiscard]] bool has_one_completion(const Input& x, const BagAnswer& truth) const {
    return !truth.is_positive || x.size() == 1;
  }
  void for_each_output(const Input& x, const std::function<void(const BagAnswer&)>& visit) const {
    visit(BagAnswer{});
    for (std::size_t h = 0; h < x.size(); ++h) visit({.is_positive = true, .witness = h});
  }

 private:
  struct Best {
    std::size_t row = 0;
    double value = 0;
  };
  [[nodiscard]] double value(const Row& row, std::span<const double> w) const {
    const double sum = row.dot(w.first(features_));
    return bias_ != 0 ? sum + bias_ * w[features_] : sum;
  }
  /// The row of largest score; the first among equals.
  [[nodiscard]] Best best_row(const Input& x, std::span<const double> w) const {
    require(!x.empty(), "a bag has no rows");
    Best best{.row = 0, .value = value(x[0], w)};
    for (std::size_t h = 1; h < x.size(); ++h) {
      const double here = value(x[h], w);
      if (here > best.value) best = {.row = h, .value = here};
    }
    return best;
  }

  std::size_t features_;
  double bias_;
};

static_assert(RandomlyCompletedTask<BagTask> && PartlySeenTask<BagTask> && EnumerableTask<BagTask>);

}  // namespace maxmargin::testing
