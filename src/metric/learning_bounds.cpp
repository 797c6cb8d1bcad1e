// SPDX-License-Identifier: Apache-2.0
#include "metric/learning_bounds.hpp"

#include <cmath>

#include "maxmargin/core/require.hpp"
#include "metric/check.hpp"
#include "metric/ratio.hpp"

namespace maxmargin {

namespace {

void require_squares(const char* who, double squared_radius, double squared_norm) {
  require_field(squared_radius >= 0, std::string(who) + ": squared_radius", squared_radius, ">= 0");
  require_field(squared_norm >= 0, std::string(who) + ": squared_norm", squared_norm, ">= 0");
}

}  // namespace

double vc_confidence(double vc_dimension, double n, double delta) {
  require_field(vc_dimension > 0, "vc_confidence: vc_dimension", vc_dimension, "> 0");
  require_field(n > vc_dimension && std::isfinite(n), "vc_confidence: n", n, "above vc_dimension");
  require_field(delta > 0 && delta < 1, "vc_confidence: delta", delta, "in (0, 1)");
  return std::sqrt((vc_dimension * (std::log(2 * n / vc_dimension) + 1) - std::log(delta / 4)) / n);
}

double margin_vc_dimension(double squared_radius, double squared_norm) {
  require_squares("margin_vc_dimension", squared_radius, squared_norm);
  return squared_radius * squared_norm + 1;
}

double leave_one_out_bound(std::size_t support_vectors, std::size_t n) {
  require_field(support_vectors <= n,
                "leave_one_out_bound: support_vectors",
                static_cast<double>(support_vectors),
                "at most n");
  return n == 0 ? 0 : static_cast<double>(support_vectors) / static_cast<double>(n);
}

double radius_margin(double squared_radius, double squared_norm) {
  require_squares("radius_margin", squared_radius, squared_norm);
  return squared_radius * squared_norm;
}

double radius_margin_bound(double squared_radius, double squared_norm, std::size_t n) {
  require_field(n > 0, "radius_margin_bound: n", 0.0, "> 0");
  return 4 * radius_margin(squared_radius, squared_norm) / static_cast<double>(n);
}

double q3(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted) {
  check_same_length("q3", "predicted", predicted.size(), truth.size());
  if (truth.empty()) return undefined;
  std::size_t correct = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] == predicted[i]) ++correct;
  }
  return 100 * static_cast<double>(correct) / static_cast<double>(truth.size());
}

}  // namespace maxmargin
