// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/rank_measures.hpp"
#include "learner/defined.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "learner/feature_checks.hpp"
#include "learner/structured/label_table.hpp"
#include "learner/structured/rows.hpp"
#include "maxmargin/data/queries.hpp"
#include "maxmargin/metric/classification.hpp"
#include "maxmargin/metric/structured/ranking.hpp"

namespace maxmargin::learning {

namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

using Numbers = std::span<const double>;

/// NaN for rows without a grade.
std::vector<double> grades_of(const Dataset& data, std::vector<std::string>& warnings) {
  std::vector<double> grades(data.size(), undefined);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::optional<Label> label = data.labels.at(i);
    if (!label) continue;
    if (label->is_number()) {
      grades[i] = label->number();
    } else {
      ++wrong;
    }
  }
  if (wrong > 0) {
    warnings.push_back(name_of(data) + " has labels that are no grades in " +
                       std::to_string(wrong) + " rows: they are left out");
  }
  return grades;
}

/// Of the question whether a row is relevant, answered by the sign of its score.
BinaryCounts counts_by_sign(Numbers grades, Numbers scores, double relevant_from) {
  BinaryCounts counts;
  for (std::size_t i = 0; i < grades.size(); ++i) {
    if (std::isnan(grades[i])) continue;
    const bool is_relevant = grades[i] >= relevant_from;
    const bool says_so = scores[i] >= 0;
    double& cell = is_relevant ? (says_so ? counts.true_positive : counts.false_negative)
                               : (says_so ? counts.false_positive : counts.true_negative);
    ++cell;
  }
  return counts;
}

double error_by_sign(const BinaryCounts& counts) {
  const double wrong = counts.false_positive + counts.false_negative;
  return wrong / (wrong + counts.true_positive + counts.true_negative);
}

}  // namespace

void RankTermsChoice::describe(OptionVisitor& visit,
                               std::string_view default_k,
                               std::string_view default_grade) {
  visit.whole({.name = "k",
               .help = "rows that count as found by the measures at k",
               .value = "K",
               .fallback = default_k},
              k,
              {.least = 1});
  visit.number({.name = "relevant-from",
                .help = "rows of this grade or more are relevant",
                .value = "GRADE",
                .fallback = default_grade},
               relevant_from,
               rules::finite);
}

RankTerms RankTermsChoice::over(RankTerms terms) const {
  terms.k = k.value_or(terms.k);
  terms.relevant_from = relevant_from.value_or(terms.relevant_from);
  return terms;
}

void add_rank_measures(const Dataset& data,
                       std::span<const double> scores,
                       const RankTerms& terms,
                       RunReport& report) {
  if (!data.has_labels()) return;
  const std::vector<double> grades = grades_of(data, report.solve.warnings);
  const std::vector<std::size_t> begins =
      data.groups.empty() ? std::vector<std::size_t>{0, data.size()} : group_begins(data.groups);
  const auto add = [&](const std::string& name, const auto& measure) {
    report.metrics.emplace_back(name,
                                defined(mean_over_queries(begins, grades, scores, measure).mean));
  };
  const std::size_t k = terms.k;
  const double from = terms.relevant_from;
  const std::string at = "_at_" + std::to_string(k);
  report.metrics.emplace_back("queries", static_cast<double>(begins.size() - 1));
  add("map", [&](Numbers g, Numbers s) { return ranked_average_precision(g, s, from); });
  // A gain below 0 has no meaning: labels -1 and +1 are no grades for it.
  if (std::ranges::none_of(grades, [](double grade) { return grade < 0; })) {
    add("ndcg" + at, [&](Numbers g, Numbers s) { return ndcg_at(k, g, s); });
  }
  add("precision" + at, [&](Numbers g, Numbers s) { return precision_at(k, g, s, from); });
  add("recall" + at, [&](Numbers g, Numbers s) { return recall_at(k, g, s, from); });
  add("reciprocal_rank", [&](Numbers g, Numbers s) { return reciprocal_rank(g, s, from); });
  add("roc_area", [&](Numbers g, Numbers s) { return ranked_roc_area(g, s, from); });
  add("break_even", [&](Numbers g, Numbers s) {
    const auto relevant = std::ranges::count_if(g, [&](double grade) { return grade >= from; });
    return relevant == 0 ? undefined : precision_at(static_cast<std::size_t>(relevant), g, s, from);
  });
  if (!terms.by_sign) return;
  add("f1", [&](Numbers g, Numbers s) { return f1(counts_by_sign(g, s, from)); });
  add("error", [&](Numbers g, Numbers s) { return error_by_sign(counts_by_sign(g, s, from)); });
}

}  // namespace maxmargin::learning
