// SPDX-License-Identifier: Apache-2.0
//
// A clustering's objective, recomputed by code that its method does not share.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/recomputation.hpp"
#include "learner/clustering/clustering.hpp"
#include "learner/clustering/points.hpp"
#include "learner/clustering/request.hpp"
#include "learner/data_checks.hpp"
#include "learner/feature_checks.hpp"
#include "learner/header.hpp"
#include "learner/kept_claims.hpp"
#include "learner/verifying.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/scaler_file.hpp"

namespace maxmargin::learning {

namespace {

/// What a run claims of its answer.
struct Claim {
  std::optional<double> objective = std::nullopt;
  std::optional<double> dual_objective = std::nullopt;
  std::optional<double> lower_bound = std::nullopt;
  Status status = Status::solved;
  bool has_model = true;
};

constexpr double rounding = 1e-9;

/// A bound of which the certificate proves less.
std::string unproved_bound(const Claim& claim, const Recomputed& found) {
  if (!found.proves_bounds || !claim.lower_bound) return {};
  const double proved = found.bound.value_or(0);
  if (*claim.lower_bound <= proved + rounding * std::abs(proved)) return {};
  return "the lower bound proved is " + format_number(proved) + ", reported was " +
         format_number(*claim.lower_bound);
}

/// Why the claim cannot be true; empty: it can.
std::string complaint_of(const Claim& claim, const Recomputed& found) {
  // By the scale of what was found: that of the claim would let any large number pass.
  const double doubt = rounding * std::abs(found.objective) + found.doubt;
  const std::string objective = "the objective " + format_number(found.objective);
  if (!(std::isfinite(found.objective) && std::abs(found.objective - *claim.objective) <= doubt)) {
    return "the objective is " + format_number(found.objective) + ", reported was " +
           format_number(*claim.objective);
  }
  if (claim.dual_objective && found.dual &&
      !(std::abs(*found.dual - *claim.dual_objective) <= doubt)) {
    return "the dual objective is " + format_number(*found.dual) + ", reported was " +
           format_number(*claim.dual_objective);
  }
  if (claim.dual_objective && !(*claim.dual_objective <= found.objective + doubt)) {
    return objective + " is below the dual objective " + format_number(*claim.dual_objective);
  }
  if (claim.lower_bound && !(*claim.lower_bound <= found.objective + doubt)) {
    return objective + " is below the bound " + format_number(*claim.lower_bound);
  }
  return unproved_bound(claim, found);
}

/// The recomputed objective agrees with the reported one to rounding, and is above the bounds.
Verification held_to_its_end(const Claim& claim, const std::function<Recomputed()>& recompute) {
  Verification verification;
  const bool failed = claim.status == Status::numerical_failure;
  if (!claim.objective && (was_stopped(claim.status) || failed)) {
    // It claims nothing that could be wrong.
    verification.complaint =
        failed
            ? "the run ended as numerical_failure without an objective: there is nothing to verify"
            : "stopped without an objective: there is nothing to verify";
    return verification;
  }
  verification.agrees = false;
  if (!claim.objective || !claim.has_model) {
    verification.complaint =
        claim.has_model ? "there is no objective" : "there is no model to recompute it from";
    return verification;
  }
  const Recomputed found = recompute();
  verification.primal = found.objective;
  verification.dual = found.dual;
  verification.complaint = complaint_of(claim, found);
  verification.agrees = verification.complaint.empty();
  if (*verification.agrees && found.proves_bounds) verification.lower_bound = found.bound;
  return verification;
}

/// The same; when the run is told to stop meanwhile, nothing was verified.
Verification held_against(const Claim& claim, const std::function<Recomputed()>& recompute) {
  return verified_unless_stopped([&] { return held_to_its_end(claim, recompute); });
}

/// The rows as the model's method saw them.
Dataset rows_of(const ModelDocument& model, const TableData& table) {
  Dataset rows = points_of(table);
  rows.examples = load_scaler(model).apply(std::move(rows.examples));
  return rows;
}

/// What shows that a model was trained on other rows; empty: nothing.
std::string other_rows(const ModelDocument& model, const TableData& table, std::size_t features) {
  refuse_unused_kernel(table, has_precomputed_kernel(model));
  if (table.kernel_matrix != nullptr && table.kernel_matrix->cols() != features) {
    return name_of(table.data) + " has " + std::to_string(table.kernel_matrix->cols()) +
           " columns of kernel values, the training's matrix had " + std::to_string(features);
  }
  if (std::string other = other_features(table, features); !other.empty()) return other;
  if (model.has("feature_names")) check_names(table.data, model.strings("feature_names"));
  return {};
}

/// Labels that are not those of these rows.
std::string other_labels(std::span<const std::int32_t> labels, const Dataset& rows) {
  if (labels.size() == rows.size()) return {};
  return name_of(rows) + " has " + std::to_string(rows.size()) + " rows, the training had " +
         std::to_string(labels.size());
}

}  // namespace

Verification ClusterLearner::verify_found(const Dataset& rows,
                                          const Clustering& found,
                                          const Context& context) const {
  return held_against({.objective = found.report.primal_objective,
                       .dual_objective = found.report.dual_objective,
                       .lower_bound = found.report.lower_bound,
                       .status = found.report.status,
                       .has_model = found.model.has_value()},
                      [&] { return recompute(rows, found.labels, *found.model, context); });
}

Recomputed ClusterLearner::recompute(const Dataset& rows,
                                     std::span<const std::int32_t> labels,
                                     const ModelDocument& model,
                                     const Context& context) const {
  ask_in_verify(context);
  const double found = objective(rows, labels, model, context);
  return {.objective = found,
          .dual = dual(model),
          .doubt = doubt(rows, model, found),
          .proves_bounds = proves_bounds(),
          .bound = proved_bound(model)};
}

Verification ClusterLearner::verify_labels(const Training& training,
                                           const LearnerData& data,
                                           const Context& context) const {
  const SolveReport& report = training.report.solve;
  const TableData& table = table_of(data, info());
  const bool has_model = training.model.has_value();
  if (has_model) {
    const ModelDocument& model = training.model->document();
    std::string other = other_rows(model, table, features(model));
    if (other.empty()) other = other_labels(training.clusters, table.data);
    if (!other.empty()) return {.agrees = false, .complaint = std::move(other)};
  }
  return held_against({.objective = report.primal_objective,
                       .dual_objective = report.dual_objective,
                       .lower_bound = report.lower_bound,
                       .status = report.status,
                       .has_model = has_model},
                      [&] {
                        const ModelDocument& model = training.model->document();
                        return recompute(rows_of(model, table), training.clusters, model, context);
                      });
}

void ClusterLearner::check_values(const OptionTexts& options) const {
  check_option_values(SharedClusterOptions{}, options);
  check_own_values(options);
}

Verification ClusterLearner::verify(const Model& model,
                                    const LearnerData& data,
                                    const Context& context) const {
  check_model(model, info());
  const ModelHeader& header = model.header();
  const ModelDocument& document = model.document();
  if (!header.primal_objective) {
    return {.complaint = "the model holds no objective: there is nothing to verify"};
  }
  const TableData& table = table_of(data, info());
  std::string other = other_count(model, data);
  if (other.empty()) other = other_rows(document, table, features(document));
  if (!other.empty()) return {.agrees = false, .complaint = std::move(other)};
  const Dataset rows = rows_of(document, table);
  const auto recomputed = [&] {
    const std::vector<std::int32_t> labels = training_labels(document, rows, context);
    other = other_labels(labels, rows);
    const std::optional<Kernel> kernel = kernel_in(document);
    if (other.empty()) {
      other = false_claim(model, kernel ? &*kernel : nullptr, rows.examples, context);
    }
    if (!other.empty()) return Verification{.agrees = false, .complaint = other};
    return held_against({.objective = header.primal_objective,
                         .dual_objective = header.dual_objective,
                         .lower_bound = header.lower_bound},
                        [&] { return recompute(rows, labels, document, context); });
  };
  return blaming(document, [&] { return verified_unless_stopped(recomputed); });
}

}  // namespace maxmargin::learning
