// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <span>

#include "maxmargin/problem/structural/feature_vector.hpp"

/// What a structured task must offer, as concepts: docs/guide/write-your-own-task.md. Task objects
/// are const and callable from several threads at once.
namespace maxmargin {

/// Inputs, outputs, joint features, a loss and the best output for given weights.
template <class T>
concept StructuredTask = requires {
  typename T::Input;
  typename T::Output;
}
&&std::copyable<typename T::Output>&& std::equality_comparable<typename T::Output>&& requires(
    const T& task,
    const typename T::Input& x,
    const typename T::Output& y,
    std::span<const double> w,
    FeatureVector& psi) {
  { task.dimension() } -> std::convertible_to<std::size_t>;
  // Adds Phi(x, y) to psi.
  { task.joint_features(x, y, psi) } -> std::same_as<void>;
  // Of predicting the second where the first is true: >= 0, and 0 for two equal ones.
  { task.loss(y, y) } -> std::convertible_to<double>;
  // argmax over y of w.Phi(x, y)
  { task.predict(x, w) } -> std::same_as<typename T::Output>;
};

/// Offers argmax over y' of loss(y, y') + w.Phi(x, y').
template <class T>
concept MarginRescalingTask = StructuredTask<T> && requires(const T& task,
                                                            const typename T::Input& x,
                                                            const typename T::Output& y,
                                                            std::span<const double> w) {
  { task.loss_augmented_argmax(x, y, w) } -> std::same_as<typename T::Output>;
};

/// Offers argmax over y' of loss(y, y') (1 + w.Phi(x, y') - w.Phi(x, y)).
template <class T>
concept SlackRescalingTask = StructuredTask<T> && requires(const T& task,
                                                           const typename T::Input& x,
                                                           const typename T::Output& y,
                                                           std::span<const double> w) {
  { task.loss_scaled_argmax(x, y, w) } -> std::same_as<typename T::Output>;
};

/// Can name all outputs of an input, for tests and tiny problems: visit(y) for each.
template <class T>
concept EnumerableTask = StructuredTask<T> &&
    requires(const T& task,
             const typename T::Input& x,
             const std::function<void(const typename T::Output&)>& visit) {
  { task.for_each_output(x, visit) } -> std::same_as<void>;
};

/// Adds Phi(x, y) - Phi(x, rival) to psi without writing down what both have: a refinement for
/// tasks whose outputs are mostly alike. It must equal the difference of joint_features.
template <class T>
concept FeatureDifferenceTask = StructuredTask<T> && requires(const T& task,
                                                              const typename T::Input& x,
                                                              const typename T::Output& y,
                                                              FeatureVector& psi) {
  { task.feature_difference(x, y, y, psi) } -> std::same_as<void>;
};

/// Says how much memory the argmaxes of an input take, for tasks whose tables can be large. A task
/// for slack rescaling says loss_scaled_argmax_bytes(x, y) as well if that is more.
template <class T>
concept MeasuredTask = StructuredTask<T> && requires(const T& task, const typename T::Input& x) {
  { task.argmax_bytes(x) } -> std::convertible_to<std::size_t>;
};

/// Whether the task's argmax is exact. A task says so by `static constexpr bool exact_oracle`; one
/// that says nothing is.
template <StructuredTask T>
[[nodiscard]] constexpr bool has_exact_oracle() {
  if constexpr (requires { T::exact_oracle; }) {
    return T::exact_oracle;
  } else {
    return true;
  }
}

}  // namespace maxmargin
