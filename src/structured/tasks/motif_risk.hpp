// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/motif.md, step 5
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/structured/latent_training.hpp"
#include "maxmargin/structured/tasks/motif.hpp"

namespace maxmargin {

/// Sequences with hidden places as the LatentRisk that the solver sees. With words, a run begins at
/// the places that are most like a word of the positives: of many that are drawn, the one that
/// tells positives from negatives best. Without, at places drawn evenly.
class MotifRisk final : public LatentRisk {
 public:
  /// All of it must outlive the risk; the truths' places are changed.
  MotifRisk(const MotifTask& task,
            std::span<const BaseString> inputs,
            std::span<MotifSite> truths,
            std::span<const double> weights,
            bool by_words,
            std::size_t threads);

  [[nodiscard]] const StructuralRisk& convex() const override { return hinge_.convex(); }
  [[nodiscard]] bool is_unique(std::size_t i) const override { return hinge_.is_unique(i); }
  [[nodiscard]] std::size_t parts() const override { return hinge_.parts(); }
  [[nodiscard]] bool has_random_start() const override { return true; }
  void begin(Rng* rng) override;
  void propose(std::size_t part,
               std::span<const double> w,
               std::vector<CompletionChange>& changes) override {
    hinge_.propose(part, w, changes);
  }
  void accept() override { hinge_.accept(); }

 private:
  [[nodiscard]] std::vector<double> draw_word(Rng& rng) const;
  [[nodiscard]] std::vector<std::size_t> draw_sequences(bool positive, Rng& rng) const;

  const MotifTask& task_;
  std::span<const BaseString> inputs_;
  std::span<MotifSite> truths_;
  std::span<const double> weights_;
  bool by_words_;
  std::size_t threads_;
  LatentHinge<MotifTask> hinge_;
};

}  // namespace maxmargin
