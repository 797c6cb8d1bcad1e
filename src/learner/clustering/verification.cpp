// SPDX-License-Identifier: Apache-2.0
//
// A clustering's objective, recomputed by code that its method does not share.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "learner/clustering/clustering.hpp"
#include "learner/clustering/points.hpp"
#include "learner/clustering/request.hpp"
#include "learner/header.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/scaler_file.hpp"

namespace maxmargin::learning {

namespace {

/// What a run claims of its answer.
struct Claim {
  std::optional<double> objective = std::nullopt;
  std::optional<double> lower_bound = std::nullopt;
  bool was_stopped = false;
  bool has_model = true;
  /// What rounding leaves of the objective beyond its own digits.
  double doubt = 0;
};

/// The recomputed objective agrees with the reported one to rounding, and is above the bound.
Verification held_against(const Claim& claim, const std::function<double()>& recompute) {
  Verification verification{.lower_bound = claim.lower_bound};
  if (!claim.objective && claim.was_stopped) {
    // It claims nothing that could be wrong.
    verification.complaint = "stopped without an objective: there is nothing to verify";
    return verification;
  }
  verification.agrees = false;
  if (!claim.objective || !claim.has_model) {
    verification.complaint =
        claim.has_model ? "there is no objective" : "there is no model to recompute it from";
    return verification;
  }
  const double reported = *claim.objective;
  const double recomputed = recompute();
  verification.primal = recomputed;
  constexpr double rounding = 1e-9;
  const double doubt = rounding * std::max(std::abs(reported), 1e-12) + claim.doubt;
  const bool agrees = std::abs(recomputed - reported) <= doubt;
  const bool above = !claim.lower_bound || *claim.lower_bound <= recomputed + doubt;
  if (!agrees) {
    verification.complaint = "the objective is " + format_number(recomputed) + ", reported was " +
                             format_number(reported);
  } else if (!above) {
    verification.complaint = "the objective " + format_number(recomputed) + " is below the bound " +
                             format_number(*claim.lower_bound);
  }
  verification.agrees = agrees && above;
  return verification;
}

/// The rows as the model's method saw them.
Dataset rows_of(const ModelDocument& model, const LearnerData& data) {
  Dataset rows = points_of(table_of(data));
  rows.examples = load_scaler(model).apply(std::move(rows.examples));
  return rows;
}

}  // namespace

Verification ClusterLearner::verify_found(const Dataset& rows, const Clustering& found) const {
  return held_against({.objective = found.report.primal_objective,
                       .lower_bound = found.report.lower_bound,
                       .was_stopped = was_stopped(found.report.status),
                       .has_model = found.model.has_value(),
                       .doubt = found.objective_doubt},
                      [&] { return objective(rows, found.labels, *found.model); });
}

Verification ClusterLearner::verify_labels(const Training& training,
                                           const LearnerData& data) const {
  const SolveReport& report = training.report.solve;
  return held_against({.objective = report.primal_objective,
                       .lower_bound = report.lower_bound,
                       .was_stopped = was_stopped(report.status),
                       .has_model = training.model.has_value(),
                       .doubt = training.objective_doubt},
                      [&] {
                        const ModelDocument& model = training.model->document();
                        return objective(rows_of(model, data), training.clusters, model);
                      });
}

Verification ClusterLearner::verify(const Model& model,
                                    const LearnerData& data,
                                    const Context& context) const {
  check_kept_options(model, [this](const OptionTexts& options) {
    check_option_values(SharedClusterOptions{}, options);
    check_own_values(options);
  });
  const ModelHeader& header = model.header();
  const ModelDocument& document = model.document();
  if (!header.primal_objective) {
    return {.complaint = "the model holds no objective: there is nothing to verify"};
  }
  return held_against({.objective = header.primal_objective,
                       .lower_bound = header.lower_bound,
                       .doubt = document.has(doubt_field) ? document.number(doubt_field) : 0},
                      [&] {
                        const Dataset rows = rows_of(document, data);
                        return objective(rows, training_labels(document, rows, context), document);
                      });
}

}  // namespace maxmargin::learning
