// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/johnson-sb.md, "Fit": the likelihood's maximum over the shapes is known, so the
// search is over the two ends alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/metric/significance/johnson_sb.hpp"

namespace maxmargin {

namespace {

/// A place of the search: logarithms of how far the ends lie beyond the extreme values.
using Place = std::array<double, 2>;

/// An end may be this many standard deviations beyond the extreme value: there the law is
/// log-normal but for rounding.
constexpr double farthest_end = 1e6;
/// ... and must be this many over the number of values.
constexpr double nearest_end = 1e-3;
/// Sizes of the simplex at which the search begins and ends.
constexpr double first_size = 1;
constexpr double last_size = 1e-7;

/// The likelihood with the shapes at their best, as a function of the ends.
class Profile {
 public:
  Profile(std::span<const double> values, double largest_upper_end)
      : values_(values),
        least_(*std::ranges::min_element(values)),
        largest_(*std::ranges::max_element(values)),
        room_(largest_upper_end - largest_) {
    const auto n = static_cast<double>(values.size());
    double mean = 0;
    for (const double value : values) mean += value / n;
    double variance = 0;
    for (const double value : values) variance += (value - mean) * (value - mean) / n;
    scale_ = std::sqrt(variance);
    nearest_ = nearest_end / n;
  }

  /// The law at a place, and minus its log-likelihood.
  struct Value {
    JohnsonSb law = {};
    double cost = 0;
  };
  [[nodiscard]] Value at(const Place& place) const {
    const double lower = least_ - distance(place[0]);
    const double upper = largest_ + std::min(distance(place[1]), room_);
    double mean = 0;
    double squares = 0;
    double jacobian = 0;
    double count = 0;
    for (const double value : values_) {
      const double below = std::log(value - lower);
      const double above = std::log(upper - value);
      const double y = below - above;
      jacobian += below + above;
      // Welford: the spread may be small beside the mean.
      count += 1;
      const double step = y - mean;
      mean += step / count;
      squares += step * (y - mean);
    }
    const double deviation = std::sqrt(squares / count);
    Value value{.law = {.gamma = -mean / deviation,
                        .delta = 1 / deviation,
                        .xi = lower,
                        .lambda = upper - lower}};
    value.cost = jacobian + count * (std::log(deviation) - std::log(upper - lower) + 0.5 +
                                     0.5 * std::log(2 * std::numbers::pi));
    if (!std::isfinite(value.cost)) value.cost = std::numeric_limits<double>::infinity();
    return value;
  }

 private:
  [[nodiscard]] double distance(double logarithm) const {
    return scale_ * std::clamp(std::exp(logarithm), nearest_, farthest_end);
  }

  std::span<const double> values_;
  double least_;
  double largest_;
  double room_;  ///< how far the upper end may lie beyond the largest value
  double scale_ = 1;
  double nearest_ = 0;
};

/// Nelder and Mead's simplex in the plane.
class Simplex {
 public:
  Simplex(const Profile& profile, std::size_t max_evaluations)
      : profile_(profile), max_evaluations_(max_evaluations) {}

  /// Searches from `start`; true when the simplex has become small.
  bool search(const Place& start) {
    corners_ = {corner(start),
                corner({start[0] + first_size, start[1]}),
                corner({start[0], start[1] + first_size})};
    while (evaluations_ < max_evaluations_) {
      std::ranges::stable_sort(corners_, {}, &Corner::cost);
      if (size() <= last_size) return true;
      step();
    }
    std::ranges::stable_sort(corners_, {}, &Corner::cost);
    return false;
  }

  [[nodiscard]] const Place& best() const { return corners_[0].place; }
  [[nodiscard]] double cost() const { return corners_[0].cost; }
  [[nodiscard]] std::size_t evaluations() const { return evaluations_; }

 private:
  struct Corner {
    Place place = {};
    double cost = 0;
  };

  Corner corner(const Place& place) {
    ++evaluations_;
    return {place, profile_.at(place).cost};
  }
  /// centre + t (worst - centre) of the two better corners' centre.
  Corner along(double t) {
    Place place;
    for (std::size_t d = 0; d < place.size(); ++d) {
      const double centre = 0.5 * (corners_[0].place[d] + corners_[1].place[d]);
      place[d] = centre + t * (corners_[2].place[d] - centre);
    }
    return corner(place);
  }
  void step() {
    const Corner reflected = along(-1);
    if (reflected.cost < corners_[0].cost) {
      const Corner expanded = along(-2);
      corners_[2] = expanded.cost < reflected.cost ? expanded : reflected;
    } else if (reflected.cost < corners_[1].cost) {
      corners_[2] = reflected;
    } else {
      const Corner contracted = along(reflected.cost < corners_[2].cost ? -0.5 : 0.5);
      if (contracted.cost < std::min(reflected.cost, corners_[2].cost)) {
        corners_[2] = contracted;
      } else {
        shrink();
      }
    }
  }
  void shrink() {
    for (std::size_t c = 1; c < corners_.size(); ++c) {
      Place place;
      for (std::size_t d = 0; d < place.size(); ++d) {
        place[d] = 0.5 * (corners_[0].place[d] + corners_[c].place[d]);
      }
      corners_[c] = corner(place);
    }
  }
  [[nodiscard]] double size() const {
    double largest = 0;
    for (std::size_t c = 1; c < corners_.size(); ++c) {
      for (std::size_t d = 0; d < 2; ++d) {
        largest = std::max(largest, std::abs(corners_[c].place[d] - corners_[0].place[d]));
      }
    }
    return largest;
  }

  const Profile& profile_;
  std::size_t max_evaluations_;
  std::size_t evaluations_ = 0;
  std::array<Corner, 3> corners_ = {};
};

}  // namespace

void JohnsonSbFitOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "largest-upper-end", .help = "the upper end is not above this"},
               largest_upper_end,
               NumberRule{"a number or inf", {.has_least = true, .has_most = true}});
  visit.whole({.name = "max-evaluations", .help = "evaluations of the likelihood at most"},
              max_evaluations,
              {.least = 1});
}

JohnsonSbFit fit_johnson_sb(std::span<const double> values, const JohnsonSbFitOptions& options) {
  validate(options);
  require(values.size() >= 4, "fit_johnson_sb: there must be at least four values");
  for (const double value : values) {
    require_field(std::isfinite(value), "fit_johnson_sb: a value", value, "finite");
  }
  const double largest = *std::ranges::max_element(values);
  require(*std::ranges::min_element(values) < largest,
          "fit_johnson_sb: the values must not all be equal");
  require_field(options.largest_upper_end > largest,
                "largest_upper_end",
                options.largest_upper_end,
                "above the largest value");

  const Profile profile(values, options.largest_upper_end);
  Simplex simplex(profile, options.max_evaluations);
  bool small = simplex.search({0, 0});
  // A simplex may collapse on the way: begin again from where it ended until that gains nothing.
  constexpr int most_restarts = 5;
  constexpr double no_gain = 1e-9;
  for (int restart = 0; small && restart < most_restarts; ++restart) {
    const double before = simplex.cost();
    small = simplex.search(Place(simplex.best()));
    if (before - simplex.cost() <= no_gain * std::max(1.0, std::abs(before))) break;
  }
  const Profile::Value best = profile.at(simplex.best());
  return {.law = best.law,
          .log_likelihood = -best.cost,
          .evaluations = simplex.evaluations(),
          .converged = small};
}

}  // namespace maxmargin
