// SPDX-License-Identifier: Apache-2.0
#include "structured/hmm_decoder.hpp"

#include <algorithm>
#include <limits>

#include "structured/hmm_logs.hpp"

namespace maxmargin {

namespace {

constexpr double forbidden = -std::numeric_limits<double>::infinity();

}  // namespace

HmmDecoder::HmmDecoder(HmmEmissions& emissions, const HmmChain& chain, std::size_t threads)
    : emissions_(emissions),
      chain_(chain),
      logs_(log_chain(chain)),
      expectation_(emissions, {}, chain.start.size(), threads) {
  emissions.prepare(threads);
}

bool HmmDecoder::best(std::size_t sequence, LabelSequence& states) const {
  return logs_.best(emissions_.logs(sequence).view(), states) > forbidden;
}

bool HmmDecoder::posterior(std::size_t sequence, MutableDenseView states) const {
  if (expectation_.posterior(chain_, sequence, states) > forbidden) return true;
  for (std::size_t t = 0; t < states.rows; ++t) {
    std::ranges::fill(states.row(t), 1 / static_cast<double>(states.cols));
  }
  return false;
}

double HmmDecoder::log_likelihood(std::size_t sequence, const LabelSequence& known) const {
  DenseMatrix nodes = emissions_.logs(sequence);
  forbid_others(known, nodes);
  return logs_.log_sum(nodes.view());
}

}  // namespace maxmargin
