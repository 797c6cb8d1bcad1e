// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/motif_measures.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "io/append_number.hpp"
#include "learner/defined.hpp"
#include "maxmargin/metric/scores.hpp"

namespace maxmargin::learning {

namespace {

/// Below all scores, for sequences without a place.
constexpr double lowest_score = -1e300;

/// A cell of CSV; names may hold anything.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : std::nan(""); }

}  // namespace

void add_motif_measures(std::span<const std::int8_t> truth,
                        std::span<const std::int8_t> predicted,
                        RunReport& report) {
  double right = 0;
  double known = 0;
  double hits = 0;
  double positives = 0;
  double called = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] == 0) continue;
    known += 1;
    right += truth[i] == predicted[i] ? 1 : 0;
    positives += truth[i] > 0 ? 1 : 0;
    called += predicted[i] > 0 ? 1 : 0;
    hits += truth[i] > 0 && predicted[i] > 0 ? 1 : 0;
  }
  if (known == 0) return;
  report.metrics.emplace_back("accuracy", right / known);
  report.metrics.emplace_back("error", (known - right) / known);
  report.metrics.emplace_back("precision", defined(ratio(hits, called)));
  report.metrics.emplace_back("recall", defined(ratio(hits, positives)));
  report.metrics.emplace_back("f1", defined(ratio(2 * hits, positives + called)));
}

void add_motif_measures(std::span<const std::int8_t> truth,
                        std::span<const MotifFinding> findings,
                        RunReport& report) {
  std::vector<std::int8_t> predicted;
  std::vector<std::int32_t> known;
  std::vector<double> scores;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    predicted.push_back(findings[i].is_positive ? 1 : -1);
    if (truth[i] == 0) continue;
    known.push_back(truth[i] > 0 ? 1 : 0);
    scores.push_back(std::max(findings[i].score, lowest_score));
  }
  add_motif_measures(truth, predicted, report);
  const auto both = std::ranges::minmax_element(known);
  if (known.empty() || *both.min == *both.max) return;
  report.metrics.emplace_back("auc", defined(roc_auc(known, scores)));
}

std::string position_lines(const MotifFinder& finder,
                           const DnaData& data,
                           std::span<const MotifFinding> findings) {
  std::string lines = "name,label,score,start,end,strand,site\n";
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const MotifFinding& found = findings[i];
    lines += data.names.empty() ? "" : cell(data.names[i]);
    lines += found.is_positive ? ",1," : ",-1,";
    append_number(lines, found.score);
    if (!found.is_positive) {
      lines += ",,,,\n";
      continue;
    }
    const std::size_t start = found.site.place + std::size_t{1};
    lines += "," + std::to_string(start) + "," +
             std::to_string(start + finder.task.options().length - 1) + "," +
             (found.site.reverse ? "-" : "+") + "," +
             finder.site_text(data.sequences[i], found.site) + "\n";
  }
  return lines;
}

}  // namespace maxmargin::learning
