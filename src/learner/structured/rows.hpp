// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "learner/structured/structured.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/scaling.hpp"
#include "maxmargin/solver/structural/solution.hpp"

/// What learners share whose structures are made of rows of features: rank, multiclass, multilabel.
namespace maxmargin::learning {

/// Rows as a machine sees them: scaled if it asks for it, and only then a copy.
class ScaledRows {
 public:
  /// Fits the scaling to the rows.
  ScaledRows(const Dataset& rows, const ScalingOptions& options);
  /// Scales as a model does.
  ScaledRows(const Dataset& rows, const std::optional<Scaler>& scaler);

  [[nodiscard]] const Dataset& rows() const { return scaled_ ? *scaled_ : rows_; }
  [[nodiscard]] const std::optional<Scaler>& scaler() const { return scaler_; }

 private:
  void apply();

  const Dataset& rows_;
  std::optional<Scaler> scaler_;
  std::optional<Dataset> scaled_;
};

/// A number that tells data apart: labels, groups, weights and features, and what other files say
/// about them.
[[nodiscard]] std::uint64_t fingerprint(const Dataset& data, std::string_view side_files = {});

/// Features of the rows that a model takes. Throws ModelFormatError when it does not say.
[[nodiscard]] std::size_t kept_features(const ModelDocument& model);

/// Why runs of the method have no certificate; empty: they have one.
[[nodiscard]] std::string no_certificate_of(StructuralMethod method);

/// One file each, in this order.
void add_rank(LearnerList& list);
void add_multiclass(LearnerList& list);
void add_multilabel(LearnerList& list);

}  // namespace maxmargin::learning
