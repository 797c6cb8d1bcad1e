// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/data/dataset.hpp"
#include "structured_learners.hpp"

namespace maxmargin::tool {

/// What rankings are measured by.
struct RankTerms {
  /// Of P@k, recall@k and NDCG@k.
  std::size_t k = 10;
  double relevant_from = 1;
  /// The sign of a score says whether a row is relevant: F1 and error are measured as well.
  bool by_sign = false;
};

/// -k and --relevant-from; what is not given stays as in `terms`.
[[nodiscard]] RankTerms rank_terms_of(const Arguments& arguments, RankTerms terms = {});

/// Adds means over the queries of the data: docs/guide/metrics/ranking.md. Nothing without grades;
/// a row whose label is no number has none, which is said once.
void add_rank_measures(const Dataset& data,
                       std::span<const double> scores,
                       const RankTerms& terms,
                       StructuredPrediction& prediction);

}  // namespace maxmargin::tool
