// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "maxmargin/core/option.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/run_report.hpp"

namespace maxmargin::learning {

/// What rankings are measured by.
struct RankTerms {
  /// Of P@k, recall@k and NDCG@k.
  std::size_t k = 10;
  double relevant_from = 1;
  /// The sign of a score says whether a row is relevant: F1 and error are measured as well.
  bool by_sign = false;
};

/// Options k and relevant-from of measures.
struct RankTermsChoice {
  std::optional<std::uint64_t> k = std::nullopt;
  std::optional<double> relevant_from = std::nullopt;

  /// `default_k` and `default_grade`: what holds where nothing is given, in words.
  void describe(OptionVisitor& visit,
                std::string_view default_k = "10",
                std::string_view default_grade = "1");
  /// What is not given stays as in `terms`.
  [[nodiscard]] RankTerms over(RankTerms terms) const;
};

/// Adds means over the queries of the data: docs/guide/metrics/ranking.md. Nothing without grades;
/// a row whose label is no number has none, which is said once.
void add_rank_measures(const Dataset& data,
                       std::span<const double> scores,
                       const RankTerms& terms,
                       RunReport& report);

}  // namespace maxmargin::learning
