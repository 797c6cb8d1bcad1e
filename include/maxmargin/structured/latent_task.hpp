// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <span>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/structured/task.hpp"

/// What a task with hidden parts of the truth must offer: docs/algorithms/latent.md,
/// docs/guide/write-your-own-task.md.
namespace maxmargin {

/// An output has a seen and a hidden part, and == compares both. The truth of an example is given
/// with any hidden part; `complete` returns it with the hidden part that is best for w: argmax over
/// h of w.Phi(x, (seen, h)). Two laws, which check_task looks at: loss(truth, completion) is 0, and
/// losses depend on the seen part of the truth alone.
template <class T>
concept LatentTask = MarginRescalingTask<T> && requires(const T& task,
                                                        const typename T::Input& x,
                                                        const typename T::Output& truth,
                                                        std::span<const double> w) {
  { task.complete(x, truth, w) } -> std::same_as<typename T::Output>;
};

/// Can complete a truth at random, for random starts.
template <class T>
concept RandomlyCompletedTask = LatentTask<T> &&
    requires(const T& task, const typename T::Input& x, const typename T::Output& truth, Rng& rng) {
  { task.random_completion(x, truth, rng) } -> std::same_as<typename T::Output>;
};

/// Knows truths whose hidden part has no choice: their losses are convex, and bound the objective
/// from below. A task that says nothing has none.
template <class T>
concept PartlySeenTask = LatentTask<T> &&
    requires(const T& task, const typename T::Input& x, const typename T::Output& truth) {
  { task.has_one_completion(x, truth) } -> std::convertible_to<bool>;
};

}  // namespace maxmargin
