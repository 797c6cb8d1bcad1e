// SPDX-License-Identifier: Apache-2.0
#include "kernel/tiles/own_sums.hpp"

#include "core/vector_clones.hpp"

namespace maxmargin {

namespace {

template <class T>
MAXMARGIN_INLINE bool add_all(T own, const T* owns, T factor, T* values, std::size_t count) {
  int close = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const T total = own + owns[j];
    const T sum = total + factor * values[j];
    values[j] = sum;
    close |= sum >= closeness<T> * total ? 0 : 1;
  }
  return close != 0;
}

template <class T>
MAXMARGIN_INLINE bool any_below(T share, T own, const T* owns, const T* values, std::size_t count) {
  int below = 0;
  for (std::size_t j = 0; j < count; ++j) {
    below |= values[j] >= share * (own + owns[j]) ? 0 : 1;
  }
  return below != 0;
}

MAXMARGIN_VECTOR_CLONES bool add_float(
    float own, const float* owns, float factor, float* values, std::size_t count) {
  return add_all(own, owns, factor, values, count);
}
MAXMARGIN_VECTOR_CLONES bool add_double(
    double own, const double* owns, double factor, double* values, std::size_t count) {
  return add_all(own, owns, factor, values, count);
}
MAXMARGIN_VECTOR_CLONES bool below_float(
    float share, float own, const float* owns, const float* values, std::size_t count) {
  return any_below(share, own, owns, values, count);
}
MAXMARGIN_VECTOR_CLONES bool below_double(
    double share, double own, const double* owns, const double* values, std::size_t count) {
  return any_below(share, own, owns, values, count);
}

}  // namespace

bool add_own_parts(float own, const float* owns, float factor, float* values, std::size_t count) {
  return add_float(own, owns, factor, values, count);
}
bool add_own_parts(
    double own, const double* owns, double factor, double* values, std::size_t count) {
  return add_double(own, owns, factor, values, count);
}
bool any_below_share(
    float share, float own, const float* owns, const float* values, std::size_t count) {
  return below_float(share, own, owns, values, count);
}
bool any_below_share(
    double share, double own, const double* owns, const double* values, std::size_t count) {
  return below_double(share, own, owns, values, count);
}

}  // namespace maxmargin
