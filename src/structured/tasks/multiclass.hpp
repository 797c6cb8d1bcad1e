// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/linalg/row.hpp"
#include "maxmargin/structured/task.hpp"

namespace maxmargin {

/// Classes as outputs: Phi(x, y) is x in the y-th of as many blocks as there are classes, so that
/// w holds a vector for every class: docs/algorithms/cutting-plane.md, "Classes". With the 0/1 loss
/// this is the machine of Crammer and Singer. Columns beyond `features` are ignored. With a bias
/// every block has one more feature, a constant one, behind the others.
class MulticlassTask {
 public:
  using Input = Row;
  using Output = std::int32_t;

  /// `losses`: of predicting the column where the row is true, classes x classes, finite and >= 0
  /// with a diagonal of 0; empty: 1 for every mistake. `bias`: value of the constant feature; 0:
  /// none. Throws InvalidArgument.
  MulticlassTask(std::size_t classes,
                 std::size_t features,
                 DenseMatrix losses = {},
                 double bias = 0)
      : classes_(classes),
        features_(features),
        losses_(std::move(losses)),
        bias_(bias),
        block_(features + (bias != 0 ? 1 : 0)) {
    require_field(classes >= 1, "number of classes", static_cast<double>(classes), ">= 1");
    require_field(std::isfinite(bias), "bias", bias, "finite");
    static_cast<void>(checked_multiply(classes, block_));
    if (losses_.rows() == 0) return;
    require_field(losses_.rows() == classes && losses_.cols() == classes,
                  "matrix of losses",
                  std::to_string(losses_.rows()) + " x " + std::to_string(losses_.cols()),
                  "classes x classes");
    for (std::size_t y = 0; y < classes; ++y) {
      for (std::size_t z = 0; z < classes; ++z) {
        const double loss = losses_(y, z);
        require_field(std::isfinite(loss) && loss >= 0 && (y != z || loss == 0),
                      "matrix of losses",
                      loss,
                      "finite and >= 0, and 0 on the diagonal");
      }
    }
  }

  [[nodiscard]] std::size_t classes() const { return classes_; }
  [[nodiscard]] std::size_t dimension() const { return classes_ * block_; }
  void joint_features(const Row& x, Output y, FeatureVector& psi) const {
    require_class(y);
    const std::size_t begin = static_cast<std::size_t>(y) * block_;
    x.for_each([&](std::size_t column, double value) {
      if (column < features_ && value != 0) psi.add(begin + column, value);
    });
    if (bias_ != 0) psi.add(begin + features_, bias_);
  }
  [[nodiscard]] double loss(Output y, Output other) const {
    if (losses_.rows() == 0) return y == other ? 0 : 1;
    require_class(y);
    require_class(other);
    return losses_(static_cast<std::size_t>(y), static_cast<std::size_t>(other));
  }

  [[nodiscard]] Output predict(const Row& x, std::span<const double> w) const {
    return argmax([&](Output z) { return score(x, z, w); });
  }
  [[nodiscard]] Output loss_augmented_argmax(const Row& x,
                                             Output y,
                                             std::span<const double> w) const {
    return argmax([&](Output z) { return loss(y, z) + score(x, z, w); });
  }
  [[nodiscard]] Output loss_scaled_argmax(const Row& x, Output y, std::span<const double> w) const {
    const double own = score(x, y, w);
    return argmax([&](Output z) { return loss(y, z) * (1 + score(x, z, w) - own); });
  }
  void for_each_output(const Row& /*x*/, const std::function<void(const Output&)>& visit) const {
    for (std::size_t z = 0; z < classes_; ++z) visit(static_cast<Output>(z));
  }

 private:
  void require_class(Output y) const {
    require(y >= 0 && static_cast<std::size_t>(y) < classes_, "an output is no class");
  }
  [[nodiscard]] double score(const Row& x, Output z, std::span<const double> w) const {
    const std::span<const double> own = w.subspan(static_cast<std::size_t>(z) * block_, block_);
    const double score = x.dot(own.first(features_));
    return bias_ != 0 ? score + bias_ * own.back() : score;
  }
  /// Ties go to the lowest class.
  template <class Value>
  [[nodiscard]] Output argmax(const Value& value) const {
    Output best = 0;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t z = 0; z < classes_; ++z) {
      const double here = value(static_cast<Output>(z));
      if (here > highest) {
        highest = here;
        best = static_cast<Output>(z);
      }
    }
    return best;
  }

  std::size_t classes_;
  std::size_t features_;
  DenseMatrix losses_;
  double bias_;
  std::size_t block_;
};

static_assert(MarginRescalingTask<MulticlassTask> && SlackRescalingTask<MulticlassTask> &&
              EnumerableTask<MulticlassTask>);

/// The rows of a data set as inputs, valid as long as it is.
[[nodiscard]] inline std::vector<Row> rows_of(const Dataset& data) {
  std::vector<Row> rows;
  rows.reserve(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) rows.push_back(data.examples.row(i));
  return rows;
}

}  // namespace maxmargin
