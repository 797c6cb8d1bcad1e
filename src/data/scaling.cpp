// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// All rows of the examples, or some of them.
class ChosenRows {
 public:
  explicit ChosenRows(const Examples& examples) : examples_(examples), size_(examples.rows()) {}
  ChosenRows(const Examples& examples, std::span<const std::size_t> rows)
      : examples_(examples), rows_(rows), size_(rows.size()) {
    for (const std::size_t row : rows) {
      if (row < examples.rows()) continue;
      require_field(false,
                    "row to fit the scaling on",
                    std::to_string(row),
                    "below the number of rows, " + std::to_string(examples.rows()));
    }
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t features() const { return examples_.cols(); }
  [[nodiscard]] bool is_dense() const { return examples_.is_dense(); }
  [[nodiscard]] std::size_t number(std::size_t k) const { return rows_ ? (*rows_)[k] : k; }
  [[nodiscard]] Row operator[](std::size_t k) const { return examples_.row(number(k)); }

 private:
  const Examples& examples_;
  std::optional<std::span<const std::size_t>> rows_;
  std::size_t size_;
};

/// Least and largest value of each feature, missing entries counting as 0.
struct Extents {
  std::vector<double> minimum;
  std::vector<double> maximum;
  std::vector<std::size_t> stored;  ///< rows with an entry of this feature
};

Extents extents_of(const ChosenRows& rows) {
  require_memory_for_numbers(3, rows.features(), "scaling: a table");
  Extents extents = {.minimum = std::vector<double>(rows.features(), infinity),
                     .maximum = std::vector<double>(rows.features(), -infinity),
                     .stored = std::vector<std::size_t>(rows.features(), 0)};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    rows[k].for_each([&](std::size_t j, double value) {
      if (!std::isfinite(value)) {
        throw InvalidArgument("scaling: row " + std::to_string(rows.number(k)) + ", feature " +
                              std::to_string(j) + " is " + format_number(value) +
                              ", must be finite");
      }
      extents.minimum[j] = std::min(extents.minimum[j], value);
      extents.maximum[j] = std::max(extents.maximum[j], value);
      ++extents.stored[j];
    });
  }
  for (std::size_t j = 0; j < rows.features(); ++j) {
    if (extents.stored[j] == rows.size()) continue;
    extents.minimum[j] = std::min(extents.minimum[j], 0.0);
    extents.maximum[j] = std::max(extents.maximum[j], 0.0);
  }
  return extents;
}

/// Means, inside the extents whatever rounding does.
std::vector<double> means_of(const ChosenRows& rows, const Extents& extents) {
  const auto n = static_cast<double>(rows.size());
  std::vector<double> mean(rows.features(), 0.0);
  std::vector<double> mean_of_huge(rows.features(), 0.0);  // dividing first cannot overflow
  for (std::size_t k = 0; k < rows.size(); ++k) {
    rows[k].for_each([&](std::size_t j, double value) {
      mean[j] += value;
      mean_of_huge[j] += value / n;
    });
  }
  for (std::size_t j = 0; j < mean.size(); ++j) {
    mean[j] = std::isfinite(mean[j]) ? mean[j] / n : mean_of_huge[j];
    mean[j] = std::clamp(mean[j], extents.minimum[j], extents.maximum[j]);
  }
  return mean;
}

/// Deviations with denominator n; 1 where they are 0.
std::vector<double> deviations_of(const ChosenRows& rows,
                                  const Extents& extents,
                                  std::span<const double> mean) {
  // Squares are taken of differences divided by the largest one: they neither overflow nor vanish.
  std::vector<double> reach(rows.features());
  for (std::size_t j = 0; j < reach.size(); ++j) {
    reach[j] = std::max(extents.maximum[j] / 2 - mean[j] / 2, mean[j] / 2 - extents.minimum[j] / 2);
  }
  const auto square = [&](std::size_t j, double value) {
    const double difference = (value / 2 - mean[j] / 2) / reach[j];
    return difference * difference;
  };
  std::vector<double> deviation(rows.features(), 0.0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    rows[k].for_each([&](std::size_t j, double value) {
      if (reach[j] > 0) deviation[j] += square(j, value);
    });
  }
  for (std::size_t j = 0; j < deviation.size(); ++j) {
    const bool constant = extents.minimum[j] == extents.maximum[j] || reach[j] == 0;
    if (!constant) {
      const auto missing = static_cast<double>(rows.size() - extents.stored[j]);
      deviation[j] += missing * square(j, 0);
      const double relative = std::sqrt(deviation[j] / static_cast<double>(rows.size()));
      deviation[j] = std::min(2 * (reach[j] * relative), std::numeric_limits<double>::max());
    }
    if (constant || deviation[j] == 0) deviation[j] = 1;
  }
  return deviation;
}

Scaler fit(const ChosenRows& rows, const ScalingOptions& options) {
  validate(options);
  Scaler scaler = {.options = options};
  if (options.kind == ScalingKind::none) return scaler;
  require(rows.size() > 0, "scaling: no rows to fit on");
  Extents extents = extents_of(rows);
  if (options.kind == ScalingKind::range) {
    scaler.minimum = std::move(extents.minimum);
    scaler.maximum = std::move(extents.maximum);
    return scaler;
  }
  scaler.mean = means_of(rows, extents);
  scaler.deviation = deviations_of(rows, extents, scaler.mean);
  if (!rows.is_dense()) scaler.mean.clear();
  return scaler;
}

double clamp_to_finite(double value) {
  constexpr double largest = std::numeric_limits<double>::max();
  return std::clamp(value, -largest, largest);
}

double scaled_to_range(double value, double from_low, double from_high, double low, double high) {
  if (from_low == from_high) return 0;
  if (value == from_low) return low;
  if (value == from_high) return high;
  const double scaled = low + (high - low) * (value - from_low) / (from_high - from_low);
  if (std::isfinite(scaled)) return scaled;
  const double share = (value / 2 - from_low / 2) / (from_high / 2 - from_low / 2);
  return clamp_to_finite(low + (high - low) * share);
}

/// What the missing entries of sparse rows become, where that is not 0.
struct MovedZeros {
  std::vector<std::size_t> features;
  std::vector<double> values;
};

MovedZeros moved_zeros(const Scaler& scaler) {
  MovedZeros moved;
  for (std::size_t j = 0; j < scaler.features(); ++j) {
    const double value = scaler.scaled(j, 0);
    if (value == 0) continue;
    moved.features.push_back(j);
    moved.values.push_back(value);
  }
  return moved;
}

SparseMatrix scaled_sparse(const Scaler& scaler, const SparseView& matrix) {
  const MovedZeros moved = moved_zeros(scaler);
  Buffer<std::int64_t> offsets(1, 0);
  offsets.reserve(checked_add(matrix.rows(), 1));
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  const auto store = [&](std::size_t j, double value) {
    if (value == 0) return;
    columns.push_back(narrow<std::int32_t>(j));
    values.push_back(value);
  };
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    std::size_t next = 0;  // of the moved zeros
    const auto store_zeros_before = [&](std::size_t j) {
      for (; next < moved.features.size() && moved.features[next] < j; ++next) {
        store(moved.features[next], moved.values[next]);
      }
    };
    const SparseRow row = matrix.row(i);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const auto j = static_cast<std::size_t>(row.columns[k]);
      if (j >= scaler.features()) break;
      store_zeros_before(j);
      if (next < moved.features.size() && moved.features[next] == j) ++next;
      store(j, scaler.scaled(j, row.values[k]));
    }
    store_zeros_before(scaler.features());
    offsets.push_back(narrow<std::int64_t>(values.size()));
  }
  return {scaler.features(), std::move(offsets), std::move(columns), std::move(values)};
}

}  // namespace

std::string to_string(const ScalingOptions& options) {
  switch (options.kind) {
    case ScalingKind::none:
      return "none";
    case ScalingKind::standard:
      return "standard";
    case ScalingKind::range:
      break;
  }
  if (options.lower == -1 && options.upper == 1) return "range";
  return "range:" + format_number(options.lower) + "," + format_number(options.upper);
}

namespace {

bool are_borders(double lower, double upper) {
  return std::isfinite(lower) && lower < upper && std::isfinite(upper - lower);
}

/// Empty for a text that is none.
std::optional<ScalingOptions> read_scaling(std::string_view text) {
  if (text == "none") return ScalingOptions{};
  if (text == "standard") return ScalingOptions{.kind = ScalingKind::standard};
  if (text == "range") return ScalingOptions{.kind = ScalingKind::range};
  constexpr std::string_view prefix = "range:";
  if (!text.starts_with(prefix)) return std::nullopt;
  const std::string_view borders = text.substr(prefix.size());
  const std::size_t comma = borders.find(',');
  if (comma == borders.npos) return std::nullopt;
  const std::optional<double> lower = parse_number(borders.substr(0, comma));
  const std::optional<double> upper = parse_number(borders.substr(comma + 1));
  if (!lower || !upper || !are_borders(*lower, *upper)) return std::nullopt;
  return ScalingOptions{.kind = ScalingKind::range, .lower = *lower, .upper = *upper};
}

constexpr const char* scaling_rule = "none, range, range:LOWER,UPPER or standard";

class ScalingValue final : public OptionValue {
 public:
  explicit ScalingValue(ScalingOptions& options) : options_(options) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override { return scaling_rule; }
  [[nodiscard]] std::vector<std::string_view> names() const override {
    return {"none", "range", "range:", "standard"};
  }
  [[nodiscard]] bool set(std::string_view text) override {
    const std::optional<ScalingOptions> read = read_scaling(text);
    if (read) options_ = *read;
    return read.has_value();
  }
  [[nodiscard]] bool holds() const override {
    return options_.kind != ScalingKind::range || are_borders(options_.lower, options_.upper);
  }
  [[nodiscard]] OptionScalar scalar() const override { return to_string(options_); }

 private:
  ScalingOptions& options_;
};

}  // namespace

ScalingOptions parse_scaling(std::string_view text) {
  if (const std::optional<ScalingOptions> options = read_scaling(text)) return *options;
  throw InvalidArgument("scaling = " + std::string(text) + ", must be " + scaling_rule);
}

void describe_scaling(OptionVisitor& visit, ScalingOptions& options) {
  ScalingValue value(options);
  visit.option({.name = "scale",
                .help = "scale the features: none, range (to [-1,1]), range:LOWER,UPPER, standard",
                .value = "KIND"},
               value);
}

void ScalingOptions::describe(OptionVisitor& visit) { describe_scaling(visit, *this); }

std::size_t Scaler::features() const noexcept {
  return options.kind == ScalingKind::range ? minimum.size() : deviation.size();
}

double Scaler::scaled(std::size_t j, double value) const {
  switch (options.kind) {
    case ScalingKind::none:
      return value;
    case ScalingKind::range:
      return scaled_to_range(value, minimum[j], maximum[j], options.lower, options.upper);
    case ScalingKind::standard:
      break;
  }
  const double centre = mean.empty() ? 0.0 : mean[j];
  const double scaled = (value - centre) / deviation[j];
  return std::isfinite(scaled) ? scaled
                               : clamp_to_finite(value / deviation[j] - centre / deviation[j]);
}

std::size_t Scaler::features_with_moved_zero() const { return moved_zeros(*this).features.size(); }

Examples Scaler::apply(Examples examples) const {
  validate();
  if (options.kind == ScalingKind::none) return examples;
  if (!examples.is_dense()) return scaled_sparse(*this, examples.sparse());
  require_field(examples.cols() == features(),
                "number of features",
                std::to_string(examples.cols()),
                "the " + std::to_string(features()) + " that the scaling was fitted on");
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    const std::span<double> row = examples.writable_values(i);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = scaled(j, row[j]);
  }
  return examples;
}

void Scaler::validate() const {
  maxmargin::validate(options);
  const bool is_range = options.kind == ScalingKind::range;
  const bool is_standard = options.kind == ScalingKind::standard;
  require(is_range ? minimum.size() == maximum.size() : minimum.empty() && maximum.empty(),
          "Scaler: minimum and maximum belong to `range` and have one value a feature");
  require(is_standard ? mean.empty() || mean.size() == deviation.size()
                      : mean.empty() && deviation.empty(),
          "Scaler: mean and deviation belong to `standard` and have one value a feature");
  for (std::size_t j = 0; j < minimum.size(); ++j) {
    const bool finite = std::isfinite(minimum[j]) && std::isfinite(maximum[j]);
    if (finite && minimum[j] <= maximum[j]) continue;
    require_field(false,
                  "the minimum of feature " + std::to_string(j) + " (from 0)",
                  minimum[j],
                  "finite and at most maximum = " + format_number(maximum[j]));
  }
  for (std::size_t j = 0; j < deviation.size(); ++j) {
    if (std::isfinite(deviation[j]) && deviation[j] > 0) continue;
    require_field(false,
                  "the deviation of feature " + std::to_string(j) + " (from 0)",
                  deviation[j],
                  "finite and > 0");
  }
  for (std::size_t j = 0; j < mean.size(); ++j) {
    if (std::isfinite(mean[j])) continue;
    require_field(
        false, "the mean of feature " + std::to_string(j) + " (from 0)", mean[j], "finite");
  }
}

Scaler fit_scaler(const Examples& examples, const ScalingOptions& options) {
  return fit(ChosenRows(examples), options);
}

Scaler fit_scaler(const Examples& examples,
                  std::span<const std::size_t> rows,
                  const ScalingOptions& options) {
  return fit(ChosenRows(examples, rows), options);
}

namespace {

/// The smallest and the largest range that features were found to have.
struct Ranges {
  double smallest = infinity;
  double largest = 0;
  void add(double minimum, double maximum) {
    if (minimum == maximum) return;
    // Halves, because the range of huge values overflows.
    const double half =
        std::max(maximum / 2 - minimum / 2, std::numeric_limits<double>::denorm_min());
    smallest = std::min(smallest, half);
    largest = std::max(largest, half);
  }
  [[nodiscard]] double ratio() const { return largest > 0 ? largest / smallest : 1; }
};

/// The numbers of the features that occur in any row, in order.
std::vector<std::size_t> features_that_occur(const ChosenRows& rows) {
  std::vector<std::size_t> features;
  std::size_t unmerged = 0;
  const auto merge = [&] {
    std::sort(features.begin(), features.end());
    features.erase(std::unique(features.begin(), features.end()), features.end());
    unmerged = 0;
  };
  for (std::size_t k = 0; k < rows.size(); ++k) {
    rows[k].for_each([&](std::size_t j, double /*value*/) {
      features.push_back(j);
      ++unmerged;
    });
    // The list is at most twice as long as what occurs, apart from one row.
    if (2 * unmerged > features.size()) merge();
  }
  merge();
  return features;
}

}  // namespace

double feature_range_ratio(const Examples& examples) {
  if (examples.rows() == 0) return 1;
  const ChosenRows rows(examples);
  Ranges ranges;
  if (examples.cols() <= examples.entries()) {
    const Extents extents = extents_of(rows);
    for (std::size_t j = 0; j < examples.cols(); ++j) {
      ranges.add(extents.minimum[j], extents.maximum[j]);
    }
    return ranges.ratio();
  }
  // Features without an entry are 0 everywhere, and there may be very many of them.
  const std::vector<std::size_t> features = features_that_occur(rows);
  struct Extent {
    double minimum = infinity;
    double maximum = -infinity;
    std::size_t stored = 0;
  };
  std::vector<Extent> extents(features.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    rows[k].for_each([&](std::size_t j, double value) {
      const auto at = std::lower_bound(features.begin(), features.end(), j) - features.begin();
      Extent& extent = extents[static_cast<std::size_t>(at)];
      extent.minimum = std::min(extent.minimum, value);
      extent.maximum = std::max(extent.maximum, value);
      ++extent.stored;
    });
  }
  for (const Extent& extent : extents) {
    const bool has_zeros = extent.stored < rows.size();
    ranges.add(has_zeros ? std::min(extent.minimum, 0.0) : extent.minimum,
               has_zeros ? std::max(extent.maximum, 0.0) : extent.maximum);
  }
  return ranges.ratio();
}

}  // namespace maxmargin
