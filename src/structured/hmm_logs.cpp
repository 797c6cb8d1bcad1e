// SPDX-License-Identifier: Apache-2.0
#include "structured/hmm_logs.hpp"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace maxmargin {

namespace {

std::vector<double> logs_of(std::span<const double> numbers) {
  std::vector<double> logs;
  logs.reserve(numbers.size());
  for (const double x : numbers) logs.push_back(std::log(x));
  return logs;
}

}  // namespace

LabelChain log_chain(const HmmChain& chain) {
  DenseMatrix transitions = chain.transitions;
  for (double& value : transitions.values()) value = std::log(value);
  return LabelChain(transitions.view(), logs_of(chain.start), logs_of(chain.end));
}

void forbid_others(const LabelSequence& known, DenseMatrix& nodes) {
  for (std::size_t t = 0; t < known.size(); ++t) {
    if (known[t] == unknown_state) continue;
    for (std::size_t j = 0; j < nodes.cols(); ++j) {
      if (j != known[t]) nodes(t, j) = -std::numeric_limits<double>::infinity();
    }
  }
}

}  // namespace maxmargin
