// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/linalg/row.hpp"
#include "maxmargin/model/structured/mil.hpp"
#include "maxmargin/problem/structural/latent_risk.hpp"

namespace maxmargin {

/// Bags with a row each that stands for the positive ones: the loss of a positive bag is
/// max(0, 1 - w.x of that row), of a negative one max(0, 1 + the largest w.x of its rows).
class WitnessedBags final : public StructuralRisk {
 public:
  /// In place of a row: the mean of the rows.
  static constexpr std::size_t mean_of_rows = SIZE_MAX;

  /// `constant` > 0: the last weight is that of a feature of this value in every row.
  WitnessedBags(std::span<const Row> rows,
                const Bags& bags,
                std::span<const std::uint8_t> is_positive,
                std::span<const std::size_t> witnesses,
                std::size_t features,
                double constant)
      : rows_(rows),
        bags_(bags),
        is_positive_(is_positive),
        witnesses_(witnesses),
        features_(features),
        constant_(constant) {}

  [[nodiscard]] std::size_t dimension() const override {
    return features_ + (constant_ > 0 ? 1 : 0);
  }
  [[nodiscard]] std::size_t examples() const override { return bags_.size(); }
  [[nodiscard]] double weight(std::size_t b) const override { return bags_.weights[b]; }
  [[nodiscard]] bool is_exact() const override { return true; }
  void largest_plane(std::size_t b,
                     std::span<const double> w,
                     StructuralPlane& plane) const override;

  /// The best row of a bag, the first among equals.
  [[nodiscard]] std::size_t best_row(std::size_t b, std::span<const double> w) const;
  /// Of a row or, for mean_of_rows, of the mean of the bag's rows.
  [[nodiscard]] double value(std::size_t b, std::size_t row, std::span<const double> w) const;

 private:
  std::span<const Row> rows_;
  const Bags& bags_;
  std::span<const std::uint8_t> is_positive_;
  std::span<const std::size_t> witnesses_;
  std::size_t features_;
  double constant_;
};

/// MI-SVM as the search sees it: the witnesses of positive bags are hidden. Another witness is
/// another plane, the only one of its bag, so that nothing is lost with it.
class HiddenWitnesses final : public LatentRisk {
 public:
  HiddenWitnesses(std::span<const Row> rows,
                  const Bags& bags,
                  std::span<const std::uint8_t> is_positive,
                  std::size_t features,
                  double constant);

  [[nodiscard]] const StructuralRisk& convex() const override { return *risk_; }
  [[nodiscard]] bool is_unique(std::size_t b) const override {
    return is_positive_[b] == 0 || bags_.begins[b + 1] - bags_.begins[b] == 1;
  }
  [[nodiscard]] std::size_t parts() const override { return bags_.size(); }
  [[nodiscard]] bool has_random_start() const override { return true; }
  [[nodiscard]] Continue begin(Rng* rng) override;
  void propose(std::size_t b,
               std::span<const double> w,
               std::vector<CompletionChange>& changes) override;
  // In place: the risk looks into it.
  void accept() override { std::ranges::copy(proposed_, present_.begin()); }

 private:
  const Bags& bags_;
  std::span<const std::uint8_t> is_positive_;
  std::vector<std::size_t> present_;
  std::vector<std::size_t> proposed_;
  std::optional<WitnessedBags> risk_;
};

}  // namespace maxmargin
