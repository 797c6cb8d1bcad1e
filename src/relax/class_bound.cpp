// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-multiclass.md, step 6.
#include "relax/class_bound.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

std::vector<std::size_t> far_points(DenseView gram, std::size_t count) {
  const std::size_t n = gram.rows;
  require(gram.cols == n, "far_points: the Gram matrix must be square");
  require(count <= n,
          "far_points: " + std::to_string(count) + " points wanted of " + std::to_string(n));
  std::vector<std::size_t> chosen;
  if (count == 0) return chosen;
  // Squared distance to the mean, up to a constant; then to the nearest chosen point.
  std::vector<double> distance(n);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (const double entry : gram.row(i)) sum += entry;
    distance[i] = gram(i, i) - 2 * sum / static_cast<double>(n);
  }
  std::vector<bool> taken(n, false);
  while (chosen.size() < count) {
    std::size_t best = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (!taken[i] && (best == n || distance[i] > distance[best])) best = i;
    }
    const bool first = chosen.empty();
    chosen.push_back(best);
    taken[best] = true;
    for (std::size_t i = 0; i < n; ++i) {
      const double apart = gram(i, i) + gram(best, best) - 2 * gram(i, best);
      distance[i] = first ? apart : std::min(distance[i], apart);
    }
  }
  return chosen;
}

std::vector<std::vector<std::int32_t>> partitions(std::size_t points, std::size_t classes) {
  require_field(classes >= 1, "partitions: classes", static_cast<double>(classes), ">= 1");
  std::vector<std::vector<std::int32_t>> all = {{}};
  for (std::size_t point = 0; point < points; ++point) {
    std::vector<std::vector<std::int32_t>> longer;
    for (const std::vector<std::int32_t>& labels : all) {
      const std::int32_t used = labels.empty() ? 0 : *std::ranges::max_element(labels) + 1;
      const auto last = std::min(used, static_cast<std::int32_t>(classes) - 1);
      // A new class first.
      for (std::int32_t label = last; label >= 0; --label) {
        longer.push_back(labels);
        longer.back().push_back(label);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::vector<std::vector<std::int32_t>> told_apart(const ClassSaddle& problem,
                                                  std::span<const std::size_t> anchors) {
  validate(problem);
  // Labellings that differ in names alone stand for each other.
  require(*std::ranges::max_element(problem.least) == problem.row_least() &&
              *std::ranges::min_element(problem.most) == problem.row_most(),
          "told_apart: all classes must have the same range");
  std::vector<bool> seen(problem.size(), false);
  for (const std::size_t i : anchors) {
    require(i < problem.size() && !seen[i],
            "told_apart: anchor " + std::to_string(i) + " of " + std::to_string(problem.size()) +
                " points, must be one of them, each once");
    seen[i] = true;
  }
  const auto n = static_cast<double>(problem.size());
  std::vector<std::vector<std::int32_t>> all;
  for (const std::vector<std::int32_t>& classes : partitions(anchors.size(), problem.classes)) {
    std::vector<std::int32_t> labels(problem.size(), -1);
    std::vector<double> sizes(problem.classes, 0.0);
    for (std::size_t k = 0; k < anchors.size(); ++k) {
      labels[anchors[k]] = classes[k];
      ++sizes[static_cast<std::size_t>(classes[k])];
    }
    bool possible = true;
    double fewest = 0;
    for (std::size_t r = 0; r < problem.classes; ++r) {
      possible = possible && sizes[r] <= problem.most[r];
      fewest += std::max(problem.least[r], sizes[r]);
    }
    if (possible && fewest <= n) all.push_back(std::move(labels));
  }
  return all;
}

double proven_class_bound(ClassSaddle problem,
                          std::span<const std::size_t> anchors,
                          std::span<const ClassProof> proofs) {
  if (proofs.empty()) return 0;
  problem.labels.clear();
  if (proofs.size() == 1 && proofs.front().labels.empty()) {
    return std::max(0.0, class_saddle_bound(problem, proofs.front().certificate));
  }
  std::vector<std::vector<std::int32_t>> all = told_apart(problem, anchors);
  double least = all.empty() ? 0 : std::numeric_limits<double>::infinity();
  for (std::vector<std::int32_t>& wanted : all) {
    problem.labels = std::move(wanted);
    const auto proof = std::ranges::find_if(
        proofs, [&](const ClassProof& given) { return given.labels == problem.labels; });
    if (proof == proofs.end()) return 0;
    const double bound = class_saddle_bound(problem, proof->certificate);
    if (!(bound > 0)) return 0;
    least = std::min(least, bound);
  }
  return least;
}

bool looks_vacuous(const ClassSaddle& problem, DenseView m, std::span<const std::size_t> anchors) {
  std::vector<bool> is_anchor(problem.size(), false);
  for (const std::size_t i : anchors) is_anchor.at(i) = true;
  const double share = 1 / static_cast<double>(problem.classes);
  double sum = 0;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (is_anchor[i]) continue;
    for (std::size_t j = 0; j < problem.size(); ++j) {
      if (!is_anchor[j]) sum += problem.matrix(i, j) * (m(i, j) - share);
    }
  }
  return static_cast<double>(problem.size()) - problem.c / 2 * sum <= 0;
}

}  // namespace maxmargin
