// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/rows.hpp"

#include <utility>

#include "learner/structured/fingerprint.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin::learning {

ScaledRows::ScaledRows(const Dataset& rows, const ScalingOptions& options) : rows_(rows) {
  if (options.kind == ScalingKind::none) return;
  scaler_ = fit_scaler(rows.examples, options);
  apply();
}

ScaledRows::ScaledRows(const Dataset& rows, const std::optional<Scaler>& scaler)
    : rows_(rows), scaler_(scaler) {
  if (scaler_) apply();
}

void ScaledRows::apply() {
  scaled_ = rows_;
  scaled_->examples = scaler_->apply(std::move(scaled_->examples));
}

std::uint64_t fingerprint(const Dataset& data, std::string_view side_files) {
  Fingerprint hash;
  hash.mix(side_files);
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    if (const std::optional<Label> label = data.labels.at(i)) hash.mix(label->text());
  }
  for (const std::vector<Label>& set : data.label_sets) {
    for (const Label& label : set) hash.mix(label.text());
    hash.mix(static_cast<std::uint64_t>(set.size()));
  }
  for (const std::int64_t group : data.groups) hash.mix(static_cast<std::uint64_t>(group));
  for (const double weight : data.weights) hash.mix(weight);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data.examples.row(i).for_each([&](std::size_t column, double value) {
      hash.mix(static_cast<std::uint64_t>(column));
      hash.mix(value);
    });
    hash.mix(static_cast<std::uint64_t>(i));
  }
  return hash.value();
}

std::size_t kept_features(const ModelDocument& model) {
  const std::int64_t features = model.integer("features");
  if (features < 0) throw ModelFormatError(model.source(), {}, "features must be >= 0");
  return static_cast<std::size_t>(features);
}

std::string no_certificate_of(StructuralMethod method) {
  if (has_objective(method)) return {};
  return "--solver " + std::string(to_string(method)) +
         " reports what its last pass met, not an objective of the model";
}

void add_structured_rows(LearnerList& list) {
  add_rank(list);
  add_multiclass(list);
  add_multilabel(list);
}

}  // namespace maxmargin::learning
