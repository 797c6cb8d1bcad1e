// SPDX-License-Identifier: Apache-2.0
#include "kernel/tiles/pairing.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/overloaded.hpp"

namespace maxmargin {

namespace {

double chi_square(double a, double b) { return a + b == 0 ? 0.0 : (a - b) / (a + b) * (a - b); }

}  // namespace

Pairing pairing_of(const Kernel& kernel) {
  return std::visit(
      Overloaded{
          [](const Linear&) { return Pairing::dot; },
          [](const Polynomial&) { return Pairing::dot; },
          [](const Sigmoid&) { return Pairing::dot; },
          [](const Rbf&) { return Pairing::squared_distance; },
          [](const Laplace&) { return Pairing::absolute; },
          [](const Absdiff&) { return Pairing::absolute; },
          [](const Sentropic&) { return Pairing::sentropic; },
          [](const ChiSquare&) { return Pairing::chi_square; },
          [](const HistogramIntersection&) { return Pairing::minimum; },
          [](const auto&) -> Pairing { throw InternalError("this kernel is no sum over columns"); },
      },
      kernel);
}

double exact_pair_sum(Pairing pairing, const Row& x, const Row& z) {
  double sum = 0;
  switch (pairing) {
    case Pairing::dot:
      return x.dot(z);
    case Pairing::squared_distance:
      return x.squared_distance(z);
    case Pairing::absolute:
      return x.l1_distance(z);
    case Pairing::chi_square:
      for_each_pair(x, z, [&](double a, double b) { sum += chi_square(a, b); });
      return sum;
    case Pairing::minimum:
      for_each_pair(x, z, [&](double a, double b) { sum += std::min(a, b); });
      return sum;
    case Pairing::sentropic:
      break;
  }
  throw InternalError("no such pairing");
}

}  // namespace maxmargin
