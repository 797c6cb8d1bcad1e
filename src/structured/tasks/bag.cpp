// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/structured/tasks/bag.hpp"

#include "maxmargin/core/require.hpp"
#include "maxmargin/structured/latent_task.hpp"

namespace maxmargin {

static_assert(RandomlyCompletedTask<BagTask> && PartlySeenTask<BagTask> && EnumerableTask<BagTask>);

double BagTask::value(const Row& row, std::span<const double> w) const {
  double sum = row.dot(w.first(features_));
  if (bias_ != 0) sum += bias_ * w[features_];
  return sum;
}

BagTask::Best BagTask::best_row(const Input& x, std::span<const double> w) const {
  require(!x.empty(), "BagTask: a bag has no rows");
  require(w.size() >= dimension(), "BagTask: there must be a weight for every feature");
  Best best{.row = 0, .value = value(x[0], w)};
  for (std::size_t h = 1; h < x.size(); ++h) {
    const double here = value(x[h], w);
    if (here > best.value) best = {.row = h, .value = here};
  }
  return best;
}

void BagTask::joint_features(const Input& x, const BagAnswer& y, FeatureVector& psi) const {
  if (!y.is_positive) return;
  const auto add = [&](const Row& row, double share) {
    row.for_each([&](std::size_t column, double entry) {
      if (column < features_ && entry != 0) psi.add(column, share * entry);
    });
  };
  if (y.witness == mean_of_rows && !x.empty()) {
    for (const Row& row : x) add(row, 1 / static_cast<double>(x.size()));
  } else {
    require(y.witness < x.size(), "BagTask: the witness is no row of the bag");
    add(x[y.witness], 1);
  }
  if (bias_ != 0) psi.add(features_, bias_);
}

BagAnswer BagTask::predict(const Input& x, std::span<const double> w) const {
  const Best best = best_row(x, w);
  return best.value > 0 ? BagAnswer{.is_positive = true, .witness = best.row} : BagAnswer{};
}

BagAnswer BagTask::loss_augmented_argmax(const Input& x,
                                         const BagAnswer& truth,
                                         std::span<const double> w) const {
  const Best best = best_row(x, w);
  const BagAnswer positive{.is_positive = true, .witness = best.row};
  // Ties go to the truth.
  if (!truth.is_positive) return best.value + 1 > 0 ? positive : BagAnswer{};
  if (best.value < 1) return BagAnswer{};
  if (truth.witness == mean_of_rows) return positive;
  require(truth.witness < x.size(), "BagTask: the witness is no row of the bag");
  return value(x[truth.witness], w) >= best.value ? truth : positive;
}

BagAnswer BagTask::complete(const Input& x,
                            const BagAnswer& truth,
                            std::span<const double> w) const {
  if (!truth.is_positive) return BagAnswer{};
  return {.is_positive = true, .witness = best_row(x, w).row};
}

BagAnswer BagTask::random_completion(const Input& x, const BagAnswer& truth, Rng& rng) const {
  if (!truth.is_positive) return BagAnswer{};
  require(!x.empty(), "BagTask: a bag has no rows");
  return {.is_positive = true, .witness = rng.index(x.size())};
}

void BagTask::for_each_output(const Input& x,
                              const std::function<void(const BagAnswer&)>& visit) const {
  visit(BagAnswer{});
  for (std::size_t h = 0; h < x.size(); ++h) visit({.is_positive = true, .witness = h});
}

}  // namespace maxmargin
