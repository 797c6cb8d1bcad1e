// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/linalg/row.hpp"
#include "maxmargin/model/structured/mil.hpp"
#include "maxmargin/problem/structural/latent_risk.hpp"

namespace maxmargin {

/// Rows with signs as a structural risk: loss_j(w) = max(0, 1 - s_j w.x_j).
class SignedRows final : public StructuralRisk {
 public:
  /// `constant` > 0: the last weight is that of a feature of this value in every row.
  SignedRows(std::span<const Row> rows,
             std::span<const std::int8_t> signs,
             std::span<const double> weights,
             std::size_t features,
             double constant)
      : rows_(rows), signs_(signs), weights_(weights), features_(features), constant_(constant) {}

  [[nodiscard]] std::size_t dimension() const override {
    return features_ + (constant_ > 0 ? 1 : 0);
  }
  [[nodiscard]] std::size_t examples() const override { return rows_.size(); }
  [[nodiscard]] double weight(std::size_t j) const override { return weights_[j]; }
  [[nodiscard]] bool is_exact() const override { return true; }
  void largest_plane(std::size_t j,
                     std::span<const double> w,
                     StructuralPlane& plane) const override;
  [[nodiscard]] double value(std::size_t j, std::span<const double> w) const;

 private:
  std::span<const Row> rows_;
  std::span<const std::int8_t> signs_;
  std::span<const double> weights_;
  std::size_t features_;
  double constant_;
};

/// mi-SVM as the search sees it: the signs of the rows of positive bags are hidden, one of each bag
/// at least is positive. New signs make other planes, so that stored ones of a row cannot move.
class HiddenSigns final : public LatentRisk {
 public:
  HiddenSigns(std::span<const Row> rows,
              const Bags& bags,
              std::span<const std::uint8_t> is_positive,
              std::size_t features,
              double constant);

  [[nodiscard]] const StructuralRisk& convex() const override { return *risk_; }
  [[nodiscard]] bool is_unique(std::size_t row) const override { return is_unique_[row] != 0; }
  [[nodiscard]] std::size_t parts() const override { return bags_.size(); }
  [[nodiscard]] bool has_random_start() const override { return true; }
  [[nodiscard]] Continue begin(Rng* rng) override;
  void propose(std::size_t bag,
               std::span<const double> w,
               std::vector<CompletionChange>& changes) override;
  void accept() override;

 private:
  std::span<const Row> rows_;
  const Bags& bags_;
  std::span<const std::uint8_t> is_positive_;
  std::vector<double> weights_;  ///< of the rows: those of their bags
  std::vector<std::uint8_t> is_unique_;
  std::vector<std::int8_t> present_;
  std::vector<std::int8_t> proposed_;
  std::optional<SignedRows> risk_;
};

}  // namespace maxmargin
