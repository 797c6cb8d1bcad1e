// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/structured/hmm.hpp"

namespace maxmargin {

/// What sequences show, and what states say of it: the part of a hidden Markov model that differs
/// between symbols and vectors. Holds the sequences and the present parameters. Const functions may
/// be called from several threads.
class HmmEmissions {
 public:
  HmmEmissions() = default;
  HmmEmissions(const HmmEmissions&) = delete;
  HmmEmissions& operator=(const HmmEmissions&) = delete;
  virtual ~HmmEmissions() = default;

  [[nodiscard]] virtual std::size_t sequences() const = 0;
  [[nodiscard]] virtual std::size_t length(std::size_t sequence) const = 0;

  /// All parameters, in an order of their own.
  [[nodiscard]] virtual std::vector<double> parameters() const = 0;
  virtual void set_parameters(std::vector<double> parameters) = 0;
  /// Makes ready for `fill` with the present parameters.
  virtual void prepare(std::size_t threads) = 0;

  /// Factors of positions begin to end, a row of hmm_stride numbers each: densities over the
  /// largest of the position, so that this is 1. Returns the sum of the logs of the largest.
  virtual double fill(std::size_t sequence,
                      std::size_t begin,
                      std::size_t end,
                      double* rows) const = 0;
  /// Logs of densities, positions x states.
  [[nodiscard]] virtual DenseMatrix logs(std::size_t sequence) const = 0;

  /// Numbers that `add` sums up.
  [[nodiscard]] virtual std::size_t sums() const = 0;
  /// Adds what positions begin to end say, whose states have the probabilities `posteriors` (rows
  /// as above).
  virtual void add(std::size_t sequence,
                   std::size_t begin,
                   std::size_t end,
                   const double* posteriors,
                   double* sums) const = 0;
  /// The parameters of largest expected likelihood. Those of states without counts stay.
  virtual void maximise(std::span<const double> sums, double smoothing) = 0;
  /// What smoothing adds to the objective.
  [[nodiscard]] virtual double log_prior(double smoothing) const = 0;
};

/// Symbols: a probability for each and every state.
class HmmSymbols final : public HmmEmissions {
 public:
  /// Symbols are below emissions.cols(), or say nothing. The sequences must outlive the object.
  HmmSymbols(std::span<const SymbolSequence> symbols, DenseMatrix emissions);

  [[nodiscard]] const DenseMatrix& emissions() const { return emissions_; }
  [[nodiscard]] std::size_t sequences() const override { return symbols_.size(); }
  [[nodiscard]] std::size_t length(std::size_t sequence) const override {
    return symbols_[sequence].size();
  }
  [[nodiscard]] std::vector<double> parameters() const override;
  void set_parameters(std::vector<double> parameters) override;
  void prepare(std::size_t threads) override;
  double fill(std::size_t sequence,
              std::size_t begin,
              std::size_t end,
              double* rows) const override;
  [[nodiscard]] DenseMatrix logs(std::size_t sequence) const override;
  [[nodiscard]] std::size_t sums() const override;
  void add(std::size_t sequence,
           std::size_t begin,
           std::size_t end,
           const double* posteriors,
           double* sums) const override;
  void maximise(std::span<const double> sums, double smoothing) override;
  [[nodiscard]] double log_prior(double smoothing) const override;

 private:
  std::span<const SymbolSequence> symbols_;
  DenseMatrix emissions_;
  std::size_t stride_;
  /// A row for each symbol and one for all others, and the logs of what they were divided by.
  std::vector<double> factors_;
  std::vector<double> logs_of_largest_;
};

}  // namespace maxmargin
