// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "structured/hmm_emissions.hpp"
#include "structured/hmm_kernels.hpp"
#include "structured/hmm_shares.hpp"

namespace maxmargin {

HmmSymbols::HmmSymbols(std::span<const SymbolSequence> symbols, DenseMatrix emissions)
    : symbols_(symbols), emissions_(std::move(emissions)), stride_(hmm_stride(emissions_.rows())) {}

std::vector<double> HmmSymbols::parameters() const {
  return {emissions_.values().begin(), emissions_.values().end()};
}

void HmmSymbols::set_parameters(std::vector<double> parameters) {
  std::ranges::copy(parameters, emissions_.values().begin());
}

void HmmSymbols::prepare(std::size_t /*threads*/) {
  const std::size_t k = emissions_.rows();
  const std::size_t v = emissions_.cols();
  factors_.assign((v + 1) * stride_, 0.0);
  logs_of_largest_.assign(v + 1, 0.0);
  for (std::size_t o = 0; o <= v; ++o) {
    double* const row = factors_.data() + o * stride_;
    for (std::size_t j = 0; j < k; ++j) row[j] = o < v ? emissions_(j, o) : 1.0;
    const double largest = *std::max_element(row, row + k);
    // A symbol that no state has forbids its position: the logs say so.
    if (!(largest > 0)) continue;
    logs_of_largest_[o] = std::log(largest);
    for (std::size_t j = 0; j < k; ++j) row[j] /= largest;
  }
}

double HmmSymbols::fill(std::size_t sequence,
                        std::size_t begin,
                        std::size_t end,
                        double* rows) const {
  const std::uint32_t* const symbols = symbols_[sequence].data();
  const std::size_t v = emissions_.cols();
  double log_scale = 0;
  for (std::size_t t = begin; t < end; ++t) {
    const std::size_t o = std::min<std::size_t>(symbols[t], v);
    std::copy_n(factors_.data() + o * stride_, stride_, rows + (t - begin) * stride_);
    log_scale += logs_of_largest_[o];
  }
  return log_scale;
}

DenseMatrix HmmSymbols::logs(std::size_t sequence) const {
  const SymbolSequence& symbols = symbols_[sequence];
  const std::size_t k = emissions_.rows();
  DenseMatrix nodes(symbols.size(), k, 0.0);
  for (std::size_t t = 0; t < symbols.size(); ++t) {
    if (symbols[t] >= emissions_.cols()) continue;
    for (std::size_t j = 0; j < k; ++j) nodes(t, j) = std::log(emissions_(j, symbols[t]));
  }
  return nodes;
}

std::size_t HmmSymbols::sums() const { return emissions_.cols() * stride_; }

void HmmSymbols::add(std::size_t sequence,
                     std::size_t begin,
                     std::size_t end,
                     const double* posteriors,
                     double* sums) const {
  const std::uint32_t* const symbols = symbols_[sequence].data();
  for (std::size_t t = begin; t < end; ++t) {
    if (symbols[t] >= emissions_.cols()) continue;
    double* const row = sums + symbols[t] * stride_;
    const double* const from = posteriors + (t - begin) * stride_;
    for (std::size_t j = 0; j < stride_; ++j) row[j] += from[j];
  }
}

void HmmSymbols::maximise(std::span<const double> sums, double smoothing) {
  std::vector<double> counts(emissions_.cols());
  for (std::size_t j = 0; j < emissions_.rows(); ++j) {
    for (std::size_t o = 0; o < counts.size(); ++o) counts[o] = sums[o * stride_ + j];
    to_shares(counts, nullptr, smoothing, emissions_.row(j), nullptr);
  }
}

double HmmSymbols::log_prior(double smoothing) const {
  double logs = 0;
  for (const double x : emissions_.values()) logs += std::log(x);
  return smoothing * logs;
}

}  // namespace maxmargin
