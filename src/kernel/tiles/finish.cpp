// SPDX-License-Identifier: Apache-2.0
#include "kernel/tiles/finish.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernel/overloaded.hpp"
#include "kernel/tiles/decay.hpp"

namespace maxmargin {

namespace {

template <class T>
void affine(double gamma, double coef0, std::span<T> values) {
  const auto slope = static_cast<T>(gamma);
  const auto offset = static_cast<T>(coef0);
  for (T& value : values) value = slope * value + offset;
}

template <class T>
void raise(int exponent, std::span<T> values) {
  if (exponent > 16) {
    for (T& value : values) value = std::pow(value, static_cast<T>(exponent));
    return;
  }
  // Chunk by chunk, so that the bases stay in cache while the products run in vector code.
  std::array<T, 256> bases;
  for (std::size_t begin = 0; begin < values.size(); begin += bases.size()) {
    const auto chunk = values.subspan(begin, std::min(bases.size(), values.size() - begin));
    std::ranges::copy(chunk, bases.begin());
    for (int k = 1; k < exponent; ++k) {
      for (std::size_t i = 0; i < chunk.size(); ++i) chunk[i] *= bases[i];
    }
  }
}

template <class T>
void finish_values(const Kernel& kernel, std::span<T> sums) {
  std::visit(
      Overloaded{
          [](const Linear&) {},
          [](const HistogramIntersection&) {},
          [&](const Polynomial& k) {
            affine(k.gamma, k.coef0, sums);
            raise(k.degree, sums);
          },
          [&](const Sigmoid& k) {
            affine(k.gamma, k.coef0, sums);
            for (T& value : sums) value = std::tanh(value);
          },
          [&](const Absdiff& k) {
            for (T& value : sums) value = std::sqrt(value < 0 ? T{0} : value);
            decay_in_place(k.gamma, sums);
          },
          [&](const Rbf& k) { decay_in_place(k.gamma, sums); },
          [&](const Laplace& k) { decay_in_place(k.gamma, sums); },
          [&](const Sentropic& k) { decay_in_place(k.gamma, sums); },
          [&](const ChiSquare& k) { decay_in_place(k.gamma, sums); },
          [](const auto&) { throw InternalError("finish: this kernel is no function of a sum"); },
      },
      kernel);
}

}  // namespace

void finish(const Kernel& kernel, std::span<float> sums) { finish_values(kernel, sums); }
void finish(const Kernel& kernel, std::span<double> sums) { finish_values(kernel, sums); }

void raise_to_power(int exponent, std::span<float> values) { raise(exponent, values); }
void raise_to_power(int exponent, std::span<double> values) { raise(exponent, values); }

}  // namespace maxmargin
