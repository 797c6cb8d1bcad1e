// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/alignment_measures.hpp"

#include <map>

#include "learner/feature_checks.hpp"
#include "learner/structured/sources_text.hpp"
#include "maxmargin/metric/structured/alignment.hpp"

namespace maxmargin::learning {

namespace {

/// Sums over pairs.
struct Sums {
  double q = 0;
  double q4 = 0;
  std::size_t pairs = 0;

  void add(double own_q, double own_q4) {
    q += own_q;
    q4 += own_q4;
    ++pairs;
  }
  [[nodiscard]] std::optional<double> mean(double sum) const {
    if (pairs == 0) return std::nullopt;
    return sum / static_cast<double>(pairs);
  }
};

}  // namespace

void add_alignment_measures(const AlignmentData& truth,
                            std::span<const Alignment> predicted,
                            RunReport& report) {
  Sums all;
  std::map<std::string, Sums> by_family;
  for (std::size_t k = 0; k < truth.references.size(); ++k) {
    const Alignment& reference = truth.references[k];
    if (reference.matches() == 0) continue;
    const double q = alignment_quality(reference, predicted[k], q_rule);
    const double q4 = alignment_quality(reference, predicted[k], q4_rule);
    all.add(q, q4);
    const bool has_family = k < truth.families.size() && !truth.families[k].empty();
    if (has_family) by_family[truth.families[k]].add(q, q4);
  }
  report.metrics.emplace_back("q", all.mean(all.q));
  report.metrics.emplace_back("q4", all.mean(all.q4));
  const std::size_t left_out = truth.references.size() - all.pairs;
  if (left_out > 0) {
    report.solve.warnings.push_back(name_of(truth.source) + " has " + std::to_string(left_out) +
                                    " pairs without a match in their reference: they have no Q");
  }
  std::vector<ReportFields> rows;
  for (const auto& [family, sums] : by_family) {
    rows.push_back({{"family", family},
                    {"pairs", static_cast<std::int64_t>(sums.pairs)},
                    {"q", *sums.mean(sums.q)},
                    {"q4", *sums.mean(sums.q4)}});
  }
  report.tables.emplace_back("families", std::move(rows));
}

}  // namespace maxmargin::learning
