// SPDX-License-Identifier: Apache-2.0
// A structured task of one's own: learns to match two sets one to one from sets that were matched.
#include <algorithm>
#include <functional>
#include <iostream>
#include <limits>
#include <numeric>

#include <maxmargin/maxmargin.hpp>

namespace mm = maxmargin;

/// `size` left and as many right items, with features of every pair: row left * size + right.
struct Pairs {
  std::size_t size = 0;
  mm::DenseMatrix features = {};

  [[nodiscard]] std::span<const double> of(std::size_t left, std::size_t right) const {
    return features.row(left * size + right);
  }
};

/// The score of a matching is the sum of w.features over its pairs.
class MatchingTask {
 public:
  using Input = Pairs;
  using Output = std::vector<std::size_t>;  // the right item of every left one

  explicit MatchingTask(std::size_t features) : features_(features) {}

  [[nodiscard]] std::size_t dimension() const { return features_; }

  void joint_features(const Input& x, const Output& y, mm::FeatureVector& psi) const {
    for (std::size_t left = 0; left < x.size; ++left) {
      const auto pair = x.of(left, y[left]);
      for (std::size_t f = 0; f < features_; ++f) psi.add(f, pair[f]);
    }
  }

  /// Left items that have a wrong partner.
  [[nodiscard]] double loss(const Output& truth, const Output& y) const {
    double wrong = 0;
    for (std::size_t left = 0; left < truth.size(); ++left) wrong += y[left] != truth[left] ? 1 : 0;
    return wrong;
  }

  [[nodiscard]] Output predict(const Input& x, std::span<const double> w) const {
    return best_matching(x, w, [](std::size_t, std::size_t) { return 0.0; });
  }

  /// The loss is a sum over pairs, as the score is: the same method finds the largest of both.
  [[nodiscard]] Output loss_augmented_argmax(const Input& x,
                                             const Output& truth,
                                             std::span<const double> w) const {
    return best_matching(x, w, [&](std::size_t left, std::size_t right) {
      return right != truth[left] ? 1.0 : 0.0;
    });
  }

  /// For check_task alone, on small inputs.
  void for_each_output(const Input& x, const std::function<void(const Output&)>& visit) const {
    Output y(x.size);
    std::iota(y.begin(), y.end(), std::size_t{0});
    do visit(y);
    while (std::next_permutation(y.begin(), y.end()));
  }

 private:
  /// The Hungarian method on what every pair is worth.
  template <class Extra>
  [[nodiscard]] Output best_matching(const Input& x,
                                     std::span<const double> w,
                                     const Extra& extra) const {
    mm::DenseMatrix cost(x.size, x.size);
    for (std::size_t left = 0; left < x.size; ++left) {
      for (std::size_t right = 0; right < x.size; ++right) {
        const auto pair = x.of(left, right);
        const double score = std::inner_product(pair.begin(), pair.end(), w.begin(), 0.0);
        cost(left, right) = -score - extra(left, right);
      }
    }
    Output y;
    for (const auto& right : mm::solve_assignment(cost.view()).column_of_row) y.push_back(*right);
    return y;
  }

  std::size_t features_;
};

struct MatchedSets {
  std::vector<Pairs> inputs = {};
  std::vector<MatchingTask::Output> outputs = {};
};

/// Random features. The truth is best under `planted` and noise on the features, which no weights
/// fit.
MatchedSets planted_sets(const MatchingTask& task,
                         std::span<const double> planted,
                         std::size_t count,
                         mm::Rng& rng) {
  constexpr std::size_t size = 4;
  MatchedSets sets;
  for (std::size_t i = 0; i < count; ++i) {
    Pairs x{.size = size, .features = mm::DenseMatrix(size * size, planted.size())};
    for (double& value : x.features.values()) value = rng.normal();
    Pairs noisy = x;
    for (double& value : noisy.features.values()) value += rng.normal(0, 0.3);
    sets.outputs.push_back(task.predict(noisy, planted));
    sets.inputs.push_back(std::move(x));
  }
  return sets;
}

int main() {
  mm::Rng rng(1);
  const std::vector<double> planted = {2, -1, 1, 0.5, 0, 0};
  const MatchingTask task(planted.size());
  const MatchedSets train = planted_sets(task, planted, 80, rng);
  const MatchedSets test = planted_sets(task, planted, 200, rng);

  // 1. Does the task keep its promises? Brute force over all matchings of a few inputs.
  std::vector<std::pair<Pairs, MatchingTask::Output>> samples;
  for (std::size_t i = 0; i < 10; ++i) samples.emplace_back(train.inputs[i], train.outputs[i]);
  const mm::TaskCheck check = mm::check_task<MatchingTask>(task, samples, rng);
  for (const std::string& fault : check.faults) std::cout << fault << '\n';
  std::cout << check.compared << " argmaxes compared with brute force, " << check.missed
            << " below it\n";
  if (!check.faults.empty()) return 1;

  // 2. Train by two solvers. Each reports P(w) and a bound that no other w can be below.
  const mm::StructuralHinge<MatchingTask> risk(task, train.inputs, train.outputs);
  const mm::StructuralOptions options{.c = 0.1, .tolerance = 1e-3};
  double least_primal = std::numeric_limits<double>::infinity();
  double largest_dual = 0;
  for (const auto method :
       {mm::StructuralMethod::block_frank_wolfe, mm::StructuralMethod::one_slack}) {
    const mm::StructuralSolution found = mm::solve_structural(risk, method, options);
    double wrong = 0;
    for (std::size_t i = 0; i < test.inputs.size(); ++i) {
      wrong += task.loss(test.outputs[i], task.predict(test.inputs[i], found.w));
    }
    const double pairs = 4.0 * static_cast<double>(test.inputs.size());
    std::cout << mm::to_string(method) << ": primal " << *found.report.primal_objective << ", dual "
              << *found.report.dual_objective << ", gap " << *found.report.gap()
              << ", wrong partners " << 100 * wrong / pairs << " %\n";
    if (found.report.status != mm::Status::solved) return 1;
    least_primal = std::min(least_primal, *found.report.primal_objective);
    largest_dual = std::max(largest_dual, *found.report.dual_objective);
  }

  // 3. Both speak of the same optimum: no bound of one is above the objective of the other.
  return largest_dual <= least_primal * (1 + 1e-9) ? 0 : 1;
}
