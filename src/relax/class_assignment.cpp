// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-multiclass.md, step 7: labels under the rules.
//
// balanced_classes is the same flow for equal sizes and nothing known; its queues are for many
// points. This one looks at all points for every path, and of equal costs takes another one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "maxmargin/core/require.hpp"
#include "relax/class_rounding.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Labels on their way to sizes that are allowed, always the best of all with their sizes.
class Mover {
 public:
  Mover(DenseView scores, const ClassRules& rules)
      : scores_(scores),
        rules_(rules),
        classes_(rules.classes()),
        labels_(scores.rows),
        sizes_(classes_, 0) {
    for (std::size_t i = 0; i < scores.rows; ++i) {
      const std::span<const double> row = scores.row(i);
      const bool known = !rules.known.empty() && rules.known[i] >= 0;
      labels_[i] = known ? rules.known[i]
                         : static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin());
      ++sizes_[static_cast<std::size_t>(labels_[i])];
    }
  }

  ClassLabels run() {
    // Every path takes one point from a class that is too large or to one that is too small.
    while (set_ends()) move_along_cheapest_path();
    return std::move(labels_);
  }

 private:
  /// The point of class r whose change to s costs least.
  struct Change {
    double cost = infinity;
    std::size_t point = 0;
  };

  /// A further node beside the classes: one that may still take a point leads there, and from there
  /// it goes to one that may still give a point.
  [[nodiscard]] std::size_t spare() const { return classes_; }
  [[nodiscard]] std::size_t nodes() const { return classes_ + 1; }

  /// Where paths may begin and end; false when all sizes are allowed.
  bool set_ends() {
    begins_.assign(nodes(), false);
    ends_.assign(nodes(), false);
    std::size_t excess = 0;
    std::size_t lack = 0;
    for (std::size_t r = 0; r < classes_; ++r) {
      begins_[r] = sizes_[r] > rules_.most[r];
      ends_[r] = sizes_[r] < rules_.least[r];
      if (begins_[r]) excess += sizes_[r] - rules_.most[r];
      if (ends_[r]) lack += rules_.least[r] - sizes_[r];
    }
    begins_[spare()] = excess < lack;
    ends_[spare()] = excess > lack;
    return excess > 0 || lack > 0;
  }

  [[nodiscard]] std::vector<Change> changes() const {
    std::vector<Change> cheapest(nodes() * nodes());
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (!rules_.known.empty() && rules_.known[i] >= 0) continue;
      const auto r = static_cast<std::size_t>(labels_[i]);
      for (std::size_t s = 0; s < classes_; ++s) {
        Change& change = cheapest[r * nodes() + s];
        const double cost = scores_(i, r) - scores_(i, s);
        if (s != r && cost < change.cost) change = {cost, i};
      }
    }
    for (std::size_t r = 0; r < classes_; ++r) {
      if (sizes_[r] < rules_.most[r]) cheapest[r * nodes() + spare()].cost = 0;
      if (sizes_[r] > rules_.least[r]) cheapest[spare() * nodes() + r].cost = 0;
    }
    return cheapest;
  }

  /// Moves one point along every step of the cheapest path (Bellman and Ford). As the labels are
  /// the best of their sizes, no circle has a negative cost, and they are so afterwards.
  void move_along_cheapest_path() {
    const std::vector<Change> cheapest = changes();
    std::vector<double> cost(nodes(), infinity);
    std::vector<std::size_t> before(nodes(), nodes());
    for (std::size_t r = 0; r < nodes(); ++r) {
      if (begins_[r]) cost[r] = 0;
    }
    for (std::size_t round = 1; round < nodes(); ++round) {
      for (std::size_t r = 0; r < nodes(); ++r) {
        for (std::size_t s = 0; s < nodes(); ++s) {
          const double through = cost[r] + cheapest[r * nodes() + s].cost;
          // Rounding must not close a circle.
          if (through < cost[s] && !leads_to(before, r, s)) {
            cost[s] = through;
            before[s] = r;
          }
        }
      }
    }
    std::size_t end = nodes();
    for (std::size_t r = 0; r < nodes(); ++r) {
      if (ends_[r] && cost[r] < infinity && (end == nodes() || cost[r] < cost[end])) end = r;
    }
    require(end < nodes(), "best_allowed_classes: the known classes leave no allowed labelling");
    for (std::size_t s = end; before[s] < nodes(); s = before[s]) {
      const std::size_t r = before[s];
      if (r == spare() || s == spare()) continue;  // no point changes its class
      labels_[cheapest[r * nodes() + s].point] = static_cast<std::int32_t>(s);
      --sizes_[r];
      ++sizes_[s];
    }
  }

  /// Is s on the way that leads to r?
  [[nodiscard]] bool leads_to(const std::vector<std::size_t>& before,
                              std::size_t r,
                              std::size_t s) const {
    for (; r < nodes(); r = before[r]) {
      if (r == s) return true;
    }
    return false;
  }

  DenseView scores_;
  const ClassRules& rules_;
  std::size_t classes_;
  ClassLabels labels_;
  std::vector<std::size_t> sizes_;
  std::vector<bool> begins_ = {};
  std::vector<bool> ends_ = {};
};

}  // namespace

bool ClassRules::allow(std::span<const std::int32_t> labels) const {
  std::vector<std::size_t> sizes(classes(), 0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || static_cast<std::size_t>(labels[i]) >= classes()) return false;
    if (!known.empty() && known[i] >= 0 && known[i] != labels[i]) return false;
    ++sizes[static_cast<std::size_t>(labels[i])];
  }
  for (std::size_t r = 0; r < classes(); ++r) {
    if (sizes[r] < least[r] || sizes[r] > most[r]) return false;
  }
  return true;
}

void ClassRules::validate(std::size_t n) const {
  require(!least.empty() && least.size() == most.size(),
          "ClassRules: least and most must have one number a class");
  require(known.empty() || known.size() == n, "ClassRules.known: must have one number a point");
  std::vector<std::size_t> sizes(classes(), 0);
  for (const std::int32_t label : known) {
    require_field(label >= -1 && label < static_cast<std::int64_t>(classes()),
                  "ClassRules.known",
                  static_cast<double>(label),
                  "-1 or a class below " + std::to_string(classes()));
    if (label >= 0) ++sizes[static_cast<std::size_t>(label)];
  }
  std::size_t fewest = 0;
  std::size_t largest = 0;
  for (std::size_t r = 0; r < classes(); ++r) {
    require(least[r] <= most[r] && sizes[r] <= most[r],
            "ClassRules: class " + std::to_string(r) + " may have from " +
                std::to_string(least[r]) + " to " + std::to_string(most[r]) + " points, " +
                std::to_string(sizes[r]) + " are known to be of it");
    fewest += std::max(least[r], sizes[r]);
    largest += std::min(most[r], n);
  }
  require(fewest <= n && n <= largest,
          "ClassRules: sizes from " + std::to_string(fewest) + " to " + std::to_string(largest) +
              " in all do not allow " + std::to_string(n) + " points");
}

ClassLabels best_allowed_classes(DenseView scores, const ClassRules& rules) {
  rules.validate(scores.rows);
  require(scores.cols == rules.classes(),
          "best_allowed_classes: the scores must have one column a class");
  for (std::size_t i = 0; i < scores.rows; ++i) {
    for (const double score : scores.row(i)) {
      require(std::isfinite(score), "best_allowed_classes: a score is not finite");
    }
  }
  return Mover(scores, rules).run();
}

ClassLabels canonical_labels(std::span<const std::int32_t> labels) {
  std::vector<std::int32_t> names;
  ClassLabels renamed(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    auto place = std::ranges::find(names, labels[i]);
    if (place == names.end()) place = names.insert(names.end(), labels[i]);
    renamed[i] = static_cast<std::int32_t>(place - names.begin());
  }
  return renamed;
}

}  // namespace maxmargin
