// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/motif.md, step 5
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/structured/latent_training.hpp"
#include "maxmargin/structured/tasks/motif.hpp"

namespace maxmargin {

/// Sequences with hidden places as the LatentRisk that the solver sees. With words, a run begins at
/// the places that are most like a word of the positives: of many that are drawn, the one that
/// tells positives from negatives best. Without, at places drawn evenly.
class MotifRisk final : public LatentRisk {
 public:
  /// All of it must outlive the risk; the truths' places are changed. The context's callback is
  /// asked before each word.
  MotifRisk(const MotifTask& task,
            std::span<const BaseString> inputs,
            std::span<MotifSite> truths,
            std::span<const double> weights,
            bool by_words,
            const Context& context);

  [[nodiscard]] const StructuralRisk& convex() const override { return hinge_.convex(); }
  [[nodiscard]] bool is_unique(std::size_t i) const override { return hinge_.is_unique(i); }
  [[nodiscard]] std::size_t parts() const override { return hinge_.parts(); }
  [[nodiscard]] bool has_random_start() const override { return true; }
  [[nodiscard]] Continue begin(Rng* rng) override;
  void propose(std::size_t part,
               std::span<const double> w,
               std::vector<CompletionChange>& changes) override {
    hinge_.propose(part, w, changes);
  }
  void accept() override { hinge_.accept(); }

 private:
  /// Nothing when stopped.
  [[nodiscard]] std::optional<std::vector<double>> draw_word(Rng& rng,
                                                             SharedProgress& progress) const;
  [[nodiscard]] std::vector<std::size_t> draw_sequences(bool positive, Rng& rng) const;

  const MotifTask& task_;
  std::span<const BaseString> inputs_;
  std::span<MotifSite> truths_;
  std::span<const double> weights_;
  bool by_words_;
  const Context& context_;
  std::size_t threads_;
  LatentHinge<MotifTask> hinge_;
};

}  // namespace maxmargin
