// SPDX-License-Identifier: Apache-2.0
#include "metric/significance/special_functions.hpp"

#include <cmath>
#include <limits>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// log_gamma(x) - [(x - 1/2) log x - x + log(2 pi)/2] by Stirling's series; x >= 10 leaves a first
/// neglected term below 1e-17.
double stirling_correction(double x) {
  const double y = 1 / (x * x);
  constexpr double c[] = {1.0 / 12,
                          -1.0 / 360,
                          1.0 / 1260,
                          -1.0 / 1680,
                          1.0 / 1188,
                          -691.0 / 360360,
                          1.0 / 156,
                          -3617.0 / 122400};
  double sum = 0;
  for (int k = 7; k >= 0; --k) sum = sum * y + c[k];
  return sum / x;
}

/// Where the series starts; smaller arguments climb there by gamma(x + 1) = x gamma(x).
constexpr double stirling_start = 10;

constexpr double log_sqrt_two_pi = 0.91893853320467274178;

/// log_gamma(a + b) - log_gamma(a) for a >= 10, without the cancellation of the two.
double log_gamma_step(double a, double b) {
  return (a - 0.5) * std::log1p(b / a) + b * std::log(a + b) - b + stirling_correction(a + b) -
         stirling_correction(a);
}

/// Logarithm of x from x and y = 1 - x, accurate near 1.
double log_of_share(double x, double y) { return y < 0.5 ? std::log1p(-y) : std::log(x); }

/// log of x^a y^b / B(a, b), y = 1 - x. For large a or b the parts are huge and nearly cancel, so
/// each case brings them together first.
double log_beta_kernel(double a, double b, double x, double y) {
  if (a < b) return log_beta_kernel(b, a, y, x);
  if (b >= stirling_start) {
    // Relative to the mode x0 = a/(a+b): x/x0 - 1 = (b x - a y)/a, y/y0 - 1 = (a y - b x)/b.
    const double sum = a + b;
    const double shift = b * x - a * y;
    return a * std::log1p(shift / a) + b * std::log1p(-shift / b) +
           0.5 * (std::log(b) + std::log(a / sum)) - log_sqrt_two_pi + stirling_correction(sum) -
           stirling_correction(a) - stirling_correction(b);
  }
  const double step = a >= stirling_start ? log_gamma_step(a, b) : log_gamma(a + b) - log_gamma(a);
  return a * log_of_share(x, y) + b * log_of_share(y, x) + step - log_gamma(b);
}

/// The continued fraction of I_x(a, b) by Lentz's method; converges fast for x < (a+1)/(a+b+2),
/// in O(sqrt(max(a, b))) steps.
double beta_continued_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  constexpr int max_steps = 100000;
  const auto away_from_zero = [](double v) { return std::abs(v) < tiny ? tiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double value = d;
  for (int m = 1; m <= max_steps; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    const double factor = d * c;
    value *= factor;
    if (std::abs(factor - 1) <= std::numeric_limits<double>::epsilon()) break;
  }
  return value;
}

/// I_x(a, b) with y = 1 - x given apart, so that neither loses digits near 0.
double incomplete_beta_xy(double a, double b, double x, double y) {
  if (x == 0) return 0;
  if (y == 0) return 1;
  const double front = std::exp(log_beta_kernel(a, b, x, y));
  if (x < (a + 1) / (a + b + 2)) return front * beta_continued_fraction(a, b, x) / a;
  return 1 - front * beta_continued_fraction(b, a, y) / b;
}

void check_confidence(double confidence) {
  require_field(confidence > 0 && confidence < 1, "confidence", confidence, "> 0 and < 1");
}

void check_degrees(double degrees) {
  require_field(
      degrees > 0 && std::isfinite(degrees), "degrees of freedom", degrees, "finite and > 0");
}

/// The t >= 0 where the decreasing function `tail` falls to `level`, by doubling and bisection.
template <class Tail>
double where_tail_is(double level, const Tail& tail) {
  double low = 0;
  double high = 1;
  while (tail(high) > level && high < 1e300) {
    low = high;
    high *= 2;
  }
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (tail(middle) > level ? low : high) = middle;
  }
}

}  // namespace

double log_gamma(double x) {
  require_field(x > 0 && std::isfinite(x), "log_gamma: x", x, "finite and > 0");
  if (x == 1 || x == 2) return 0;
  double climbed = 1;
  while (x < stirling_start) {
    climbed *= x;
    x += 1;
  }
  return (x - 0.5) * std::log(x) - x + log_sqrt_two_pi + stirling_correction(x) - std::log(climbed);
}

double incomplete_beta(double a, double b, double x) {
  require_field(a > 0 && std::isfinite(a), "incomplete_beta: a", a, "finite and > 0");
  require_field(b > 0 && std::isfinite(b), "incomplete_beta: b", b, "finite and > 0");
  require_field(x >= 0 && x <= 1, "incomplete_beta: x", x, "in [0, 1]");
  return incomplete_beta_xy(a, b, x, 1 - x);
}

double student_t_two_sided(double t, double degrees) {
  check_degrees(degrees);
  require_field(!std::isnan(t), "student_t_two_sided: t", t, "a number");
  if (std::isinf(t)) return 0;
  // x = degrees / (degrees + t^2), written so that t^2 cannot overflow.
  const double scaled = t / std::sqrt(degrees);
  const double square = scaled * scaled;
  if (std::isinf(square)) return 0;
  return incomplete_beta_xy(degrees / 2, 0.5, 1 / (1 + square), square / (1 + square));
}

double student_t_quantile(double confidence, double degrees) {
  check_confidence(confidence);
  check_degrees(degrees);
  return where_tail_is(1 - confidence,
                       [degrees](double t) { return student_t_two_sided(t, degrees); });
}

double normal_two_sided(double z) {
  require_field(!std::isnan(z), "normal_two_sided: z", z, "a number");
  return std::erfc(std::abs(z) / std::sqrt(2.0));
}

double normal_quantile(double confidence) {
  check_confidence(confidence);
  return normal_tail_quantile(1 - confidence);
}

double normal_tail_quantile(double tail) {
  require_field(tail > 0 && tail <= 1, "normal_tail_quantile: tail", tail, "in (0, 1]");
  return tail == 1 ? 0 : where_tail_is(tail, normal_two_sided);
}

double chi_square_1_tail(double x) {
  require_field(x >= 0, "chi_square_1_tail: x", x, ">= 0");
  return normal_two_sided(std::sqrt(x));
}

}  // namespace maxmargin
