// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <variant>

#include "learner/structured/hmm_data.hpp"
#include "maxmargin/core/context.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/structured/gaussian_hmm.hpp"
#include "maxmargin/structured/hmm.hpp"
#include "structured/hmm_emissions.hpp"
#include "structured/hmm_expectation.hpp"

namespace maxmargin::learning {

/// A hidden Markov model, whatever its states emit.
class HmmMachine {
 public:
  explicit HmmMachine(Hmm model) : model_(std::move(model)) {}
  explicit HmmMachine(GaussianHmm model) : model_(std::move(model)) {}
  /// Throws ModelFormatError.
  [[nodiscard]] static HmmMachine in(const ModelDocument& document);
  void store(ModelDocument& document) const;

  [[nodiscard]] HmmKind kind() const;
  /// Symbols, or features of vectors.
  [[nodiscard]] std::size_t features() const;
  [[nodiscard]] HmmChain chain() const;
  /// Of the data, in units in which posteriors are those of the model. The data must outlive them.
  [[nodiscard]] std::unique_ptr<HmmEmissions> emissions(const HmmData& data) const;
  /// Numbers that were learned.
  [[nodiscard]] std::size_t parameters() const;

  /// What counting maximises.
  [[nodiscard]] double count_objective(const HmmData& data, double smoothing) const;
  /// log p of all sequences, and of the states that are known where `with_labels`, by sums that
  /// training does not take. Throws Stopped.
  [[nodiscard]] double log_likelihood(const HmmData& data,
                                      bool with_labels,
                                      const Context& context) const;
  /// What smoothing adds to the objective of Baum-Welch.
  [[nodiscard]] double log_prior(double smoothing) const;
  /// How far apart rounding may take two ways to an objective, which may be near 0 where what it
  /// consists of is not: docs/algorithms/hmm.md, "How far rounding goes".
  [[nodiscard]] double rounding(const HmmData& data, double smoothing, double variance_floor) const;

 private:
  [[nodiscard]] const Hmm* symbols() const { return std::get_if<Hmm>(&model_); }
  [[nodiscard]] const GaussianHmm& vectors() const { return std::get<GaussianHmm>(model_); }
  /// Log densities, positions x states.
  [[nodiscard]] DenseMatrix logs(const HmmData& data, std::size_t sequence) const;

  std::variant<Hmm, GaussianHmm> model_;
};

/// A model file's machine and names, which fit each other.
struct StoredHmm {
  HmmNames names;
  HmmMachine machine;
};
/// Throws ModelFormatError.
[[nodiscard]] StoredHmm stored_hmm(const ModelDocument& document);

}  // namespace maxmargin::learning
