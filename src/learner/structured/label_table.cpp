// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/label_table.hpp"

#include <cmath>

#include "maxmargin/metric/classification.hpp"

namespace maxmargin::learning {

namespace {

ReportValue shown_value(double value) {
  return std::isnan(value) ? ReportValue(std::monostate{}) : ReportValue(value);
}

}  // namespace

ReportFields label_row(const std::string& title,
                       const std::string& name,
                       const BinaryCounts& counts) {
  return {{title, name},
          {"precision", shown_value(precision(counts))},
          {"recall", shown_value(recall(counts))},
          {"f1", shown_value(f1(counts))},
          {"count", static_cast<std::int64_t>(counts.true_positive + counts.false_negative)}};
}

}  // namespace maxmargin::learning
