// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/examples.hpp"

/// Feature scaling: learned from the training rows, stored in the model, applied to new rows.
namespace maxmargin {

enum class ScalingKind {
  none,     ///< features as they are
  range,    ///< each feature's least and largest value go to `lower` and `upper`
  standard  ///< mean 0 and variance 1; sparse data keep their mean, so that zeros stay zeros
};
template <>
inline constexpr auto names_of<ScalingKind> =
    name_table<ScalingKind>({{"none", ScalingKind::none},
                             {"range", ScalingKind::range},
                             {"standard", ScalingKind::standard}});

struct MAXMARGIN_EXPORT ScalingOptions {
  ScalingKind kind = ScalingKind::none;
  /// Where `range` puts the least and the largest value; finite, lower < upper. Ignored by the
  /// other kinds.
  double lower = -1;
  double upper = 1;

  /// The option scale.
  void describe(OptionVisitor& visit);
};

/// Shows the three members as one option, scale, whose text is that of parse_scaling.
MAXMARGIN_EXPORT void describe_scaling(OptionVisitor& visit, ScalingOptions& options);
/// Reads "none", "range", "range:LOWER,UPPER" or "standard"; throws InvalidArgument otherwise.
[[nodiscard]] MAXMARGIN_EXPORT ScalingOptions parse_scaling(std::string_view text);
/// The text that parse_scaling reads back; "range" for the range [-1, 1].
[[nodiscard]] MAXMARGIN_EXPORT std::string to_string(const ScalingOptions& options);

/// A fitted scaling. A plain value: a model file writes its members and fills them in again.
struct MAXMARGIN_EXPORT Scaler {
  ScalingOptions options = {};
  /// `range`: least and largest value of each feature; empty otherwise.
  std::vector<double> minimum = {};
  std::vector<double> maximum = {};
  /// `standard`: what is subtracted; empty when fitted on sparse data (nothing is).
  std::vector<double> mean = {};
  /// `standard`: what is divided by; 1 for a constant feature. Empty otherwise.
  std::vector<double> deviation = {};

  /// Number of features it was fitted on; 0 for `none`, which fits any.
  [[nodiscard]] std::size_t features() const noexcept;
  /// The scaled value of feature j. Requires j < features() unless the kind is `none`.
  [[nodiscard]] double scaled(std::size_t j, double value) const;
  /// Number of features whose 0 is scaled to something else. Each of them becomes a stored entry
  /// in every row of a sparse matrix.
  [[nodiscard]] std::size_t features_with_moved_zero() const;
  /// The scaled examples, dense or sparse as they were, with features() columns (`none`:
  /// unchanged). Sparse data may have fewer columns (the missing ones are 0) or more (the rest is
  /// dropped). The result is exact: a zero of sparse data that scales to something else is filled
  /// in, which may need much memory; entries that scale to 0 are dropped. Values outside the fitted
  /// range are scaled by the same formula, so they may leave [lower, upper]. Throws InvalidArgument
  /// for dense data with another number of columns.
  [[nodiscard]] Examples apply(Examples examples) const;
  /// Throws InvalidArgument unless the members fit together: lengths, order, finite values.
  void validate() const;
};

/// Learns the scaling of `options` from all rows, or from the given ones. Missing entries of sparse
/// rows count as 0.
///
/// `range` follows svm-scale: value x becomes
///   lower + (upper - lower) (x - minimum) / (maximum - minimum),
/// with the borders exact, and a constant feature becomes 0 for every x.
/// `standard` divides by the deviation with denominator n (not n - 1); a constant feature is
/// centred (dense) but not divided. Repeated rows count repeatedly; weights are not considered.
///
/// Cost: up to three passes over the entries. Throws InvalidArgument for no rows, a row that is not
/// there and a value that is not finite.
[[nodiscard]] MAXMARGIN_EXPORT Scaler fit_scaler(const Examples& examples,
                                                 const ScalingOptions& options);
[[nodiscard]] MAXMARGIN_EXPORT Scaler fit_scaler(const Examples& examples,
                                                 std::span<const std::size_t> rows,
                                                 const ScalingOptions& options);

/// The largest feature range (largest - least value) divided by the smallest one; constant features
/// are left out. 1 when fewer than two features vary. Above about 100 a kernel of distances sees
/// the wide features alone.
[[nodiscard]] MAXMARGIN_EXPORT double feature_range_ratio(const Examples& examples);

}  // namespace maxmargin
