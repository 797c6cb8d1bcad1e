// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/row.hpp"
#include "maxmargin/problem/structural/feature_vector.hpp"

/// Bags of rows with one label a bag: docs/algorithms/mil.md.
namespace maxmargin {

/// What a bag is: positive by its witness, which is hidden in training data, or negative.
struct BagAnswer {
  bool is_positive = false;
  /// Number of the row within the bag; 0 of a negative one.
  std::size_t witness = 0;

  [[nodiscard]] bool operator==(const BagAnswer&) const = default;
};

/// Phi(x, +, h) is row h of the bag and a constant feature, Phi(x, -) is 0; a wrong label costs 1.
/// So a bag is positive when its best row is above 0, and the latent machine is MI-SVM.
class MAXMARGIN_EXPORT BagTask {
 public:
  /// The rows of a bag, at least one. Entries beyond the features count nothing.
  using Input = std::vector<Row>;
  using Output = BagAnswer;
  /// In place of a witness, of truths alone: Phi(x, +) is the mean of the rows. A start, which
  /// every completion leaves.
  static constexpr std::size_t mean_of_rows = SIZE_MAX;

  /// `bias` is the constant feature, 0 for none.
  BagTask(std::size_t features, double bias) : features_(features), bias_(bias) {}

  [[nodiscard]] std::size_t dimension() const { return features_ + (bias_ != 0 ? 1 : 0); }
  void joint_features(const Input& x, const BagAnswer& y, FeatureVector& psi) const;
  [[nodiscard]] double loss(const BagAnswer& truth, const BagAnswer& other) const {
    return truth.is_positive == other.is_positive ? 0.0 : 1.0;
  }
  [[nodiscard]] BagAnswer predict(const Input& x, std::span<const double> w) const;
  [[nodiscard]] BagAnswer loss_augmented_argmax(const Input& x,
                                                const BagAnswer& truth,
                                                std::span<const double> w) const;
  [[nodiscard]] BagAnswer complete(const Input& x,
                                   const BagAnswer& truth,
                                   std::span<const double> w) const;
  [[nodiscard]] BagAnswer random_completion(const Input& x, const BagAnswer& truth, Rng& rng) const;
  [[nodiscard]] bool has_one_completion(const Input& x, const BagAnswer& truth) const {
    return !truth.is_positive || x.size() == 1;
  }
  void for_each_output(const Input& x, const std::function<void(const BagAnswer&)>& visit) const;

  /// The score of a row.
  [[nodiscard]] double value(const Row& row, std::span<const double> w) const;

 private:
  struct Best {
    std::size_t row = 0;
    double value = 0;
  };
  /// The row of largest score; the first among equals.
  [[nodiscard]] Best best_row(const Input& x, std::span<const double> w) const;

  std::size_t features_;
  double bias_;
};

}  // namespace maxmargin
