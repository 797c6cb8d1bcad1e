// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/queries.hpp"
#include "maxmargin/model/structured/rank.hpp"
#include "maxmargin/structured/tasks/precision_at_k.hpp"

/// Rankings whose relevant rows come first in a hidden order: docs/algorithms/ranking.md, "Latent
/// order".
namespace maxmargin {

/// The weight that all rows of a query share; empty without weights. Throws InvalidArgument where
/// they differ.
[[nodiscard]] std::vector<double> query_weights(const Dataset& data, const Queries& queries);

/// The queries that can lose anything, as examples of PrecisionAtKTask. Those without relevant
/// rows, of relevant rows alone, of no more than k rows or of weight 0 are left out: their loss is
/// 0 whatever the weights.
class HiddenTops {
 public:
  /// Both must outlive it. Throws InvalidArgument as train_rank does.
  HiddenTops(const Dataset& data, const RankOptions& options);

  /// Queries that are left.
  [[nodiscard]] std::size_t size() const { return inputs_.size(); }
  /// From weights, or from random lists where they are empty.
  [[nodiscard]] LatentSolution search(const std::vector<double>& first,
                                      const StructuralState* start) const;
  /// F(w) by sorting scores, without the task. Throws Stopped.
  [[nodiscard]] double objective(std::span<const double> w, const Context& context) const;

 private:
  /// Mean over all queries of the data.
  [[nodiscard]] std::optional<double> precision(std::span<const double> w) const;

  const Dataset& data_;
  const RankOptions& options_;
  Queries queries_;
  PrecisionAtKTask task_;
  std::vector<std::vector<Row>> inputs_;
  std::vector<TopRows> truths_;
  std::vector<double> weights_;
};

}  // namespace maxmargin
