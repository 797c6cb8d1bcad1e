// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/problem/structural/feature_vector.hpp"
#include "maxmargin/problem/structural/risk.hpp"

/// The problem behind all latent structural machines: docs/algorithms/latent.md.
namespace maxmargin {

class Rng;

/// What a new completion changes in the convex problem.
struct CompletionChange {
  /// Of the convex problem.
  std::size_t example = 0;
  /// How much the example's loss falls at the w of the proposal; >= 0 where completions are exact.
  double gain = 0;
  /// Phi of the new truth less Phi of the old one, settled: every plane's slope moves by it.
  FeatureVector shift = {};
  /// The planes do not move, they are others: what is stored of the example is of no use.
  bool replaces = false;
};

/// Minimise over w
///
///   F(w) = 1/2 |w|^2 + C sum_i a_i ( max over outputs of a plane at w, at the completion that is
///                                    best for w ),
///
/// seen as a family of convex problems, one for all completions that can be chosen: F(w) is the
/// least of their objectives. It holds the present completions. Solvers see this alone.
class MAXMARGIN_EXPORT LatentRisk {
 public:
  LatentRisk() = default;
  LatentRisk(const LatentRisk&) = delete;
  LatentRisk& operator=(const LatentRisk&) = delete;
  virtual ~LatentRisk();

  /// The problem at the present completions. The reference holds until they change.
  [[nodiscard]] virtual const StructuralRisk& convex() const = 0;
  /// Whether the hidden part of the example's truth has no choice: its loss is convex in w.
  [[nodiscard]] virtual bool is_unique(std::size_t example) const = 0;
  /// Parts that are completed one by one: as a rule the examples.
  [[nodiscard]] virtual std::size_t parts() const = 0;
  /// Can a run begin with random completions?
  [[nodiscard]] virtual bool has_random_start() const = 0;

  /// The given completions, or random ones, become the present ones. Anything but `yes`: the
  /// callback ended the choice of them, and nothing is said of the present ones.
  [[nodiscard]] virtual Continue begin(Rng* rng) = 0;
  /// Finds the best completions of a part for w, keeps them beside the present ones and adds what
  /// they change. May be called for different parts from several threads at once.
  virtual void propose(std::size_t part,
                       std::span<const double> w,
                       std::vector<CompletionChange>& changes) = 0;
  /// What was proposed last, for all parts, becomes the present.
  virtual void accept() = 0;
};

}  // namespace maxmargin
