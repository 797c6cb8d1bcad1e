// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/chain-crf.md, "Sums over all labellings"
#include "problem/structural/label_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/vector_clones.hpp"
#include "kernel/tiles/fast_exp.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr double forbidden = -std::numeric_limits<double>::infinity();
/// The range of transitions up to which scaled numbers lose nothing.
constexpr double largest_range = 300;

DenseMatrix transpose_of(DenseView matrix) {
  DenseMatrix result(matrix.cols, matrix.rows);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t j = 0; j < matrix.cols; ++j) result(j, i) = matrix(i, j);
  }
  return result;
}

/// log sum exp of values, which become exp(value - largest).
double log_sum_exp(std::span<double> values) {
  const double largest = *std::ranges::max_element(values);
  if (!std::isfinite(largest)) return largest;
  for (double& value : values) value -= largest;
  exp_in_place(values);
  double sum = 0;
  for (const double value : values) sum += value;
  return largest + std::log(sum);
}

/// out_j = log sum_i exp(table(j, i) + in_i).
void log_step(const DenseMatrix& table, std::span<const double> in, std::span<double> out) {
  std::vector<double> terms(in.size());
  for (std::size_t j = 0; j < out.size(); ++j) {
    const auto row = table.row(j);
    for (std::size_t i = 0; i < in.size(); ++i) terms[i] = row[i] + in[i];
    out[j] = log_sum_exp(terms);
  }
}

/// out = sum_i in_i table(i, .): along the rows, so that it runs on whole registers.
MAXMARGIN_VECTOR_CLONES void product_step(const double* table,
                                          const double* in,
                                          double* out,
                                          std::size_t k) {
  for (std::size_t j = 0; j < k; ++j) out[j] = 0;
  for (std::size_t i = 0; i < k; ++i) {
    const double factor = in[i];
    const double* row = table + i * k;
    for (std::size_t j = 0; j < k; ++j) out[j] += factor * row[j];
  }
}

/// counts += in out', k x k.
MAXMARGIN_VECTOR_CLONES void outer_step(const double* in,
                                        const double* out,
                                        double* counts,
                                        std::size_t k) {
  for (std::size_t i = 0; i < k; ++i) {
    const double factor = in[i];
    double* row = counts + i * k;
    for (std::size_t j = 0; j < k; ++j) row[j] += factor * out[j];
  }
}

/// Candidates of one predecessor: better ones replace the best so far, equal ones do not.
MAXMARGIN_VECTOR_CLONES void best_step(const double* row,
                                       double before,
                                       std::uint32_t label,
                                       double* best,
                                       std::uint32_t* from,
                                       std::size_t k) {
  for (std::size_t j = 0; j < k; ++j) {
    const double candidate = before + row[j];
    const bool better = candidate > best[j];
    best[j] = better ? candidate : best[j];
    from[j] = better ? label : from[j];
  }
}

}  // namespace

struct LabelChain::Sweep {
  DenseMatrix forward;
  DenseMatrix nodes;
  double end_scale = 1;
  double log_sum = 0;
};

LabelChain::LabelChain(DenseView transitions,
                       std::span<const double> begin,
                       std::span<const double> end)
    : transitions_(transitions.rows, transitions.cols), begin_(begin.begin(), begin.end()) {
  const std::size_t k = transitions.rows;
  require(k > 0 && transitions.cols == k, "LabelChain: transitions must be labels x labels");
  require(begin.empty() || begin.size() == k, "LabelChain: begin must have one score a label");
  require(end.empty() || end.size() == k, "LabelChain: end must have one score a label");
  end_.assign(end.begin(), end.end());
  begin_.resize(k);
  end_.resize(k);
  for (std::size_t i = 0; i < k; ++i)
    std::ranges::copy(transitions.row(i), transitions_.row(i).begin());
  transposed_ = transpose_of(transitions);

  const auto [least, largest] = std::ranges::minmax(transitions_.values());
  const auto [least_end, largest_end] = std::ranges::minmax(end_);
  is_scaled_ = largest - least <= largest_range && largest_end - least_end <= largest_range;
  if (!is_scaled_) return;
  largest_transition_ = largest;
  largest_end_ = largest_end;
  factors_ = transitions_;
  for (double& value : factors_.values()) value -= largest;
  exp_in_place(factors_.values());
  transposed_factors_ = transpose_of(factors_.view());
  end_factors_ = end_;
  for (double& value : end_factors_) value -= largest_end;
  exp_in_place(end_factors_);
}

void LabelChain::require_nodes(DenseView nodes) const {
  require(nodes.rows == 0 || nodes.cols == labels(),
          "LabelChain: nodes must have one column a label");
}

double LabelChain::score(DenseView nodes, std::span<const std::uint32_t> labelling) const {
  require_nodes(nodes);
  require(labelling.size() == nodes.rows, "LabelChain: there must be one label for every position");
  double sum = 0;
  for (std::size_t t = 0; t < labelling.size(); ++t) {
    require(labelling[t] < labels(), "LabelChain: a label is beyond the number of labels");
    sum += nodes(t, labelling[t]);
    sum += t == 0 ? begin_[labelling[0]] : transitions_(labelling[t - 1], labelling[t]);
  }
  if (!labelling.empty()) sum += end_[labelling.back()];
  return sum;
}

double LabelChain::best(DenseView nodes, LabelSequence& labelling) const {
  require_nodes(nodes);
  const std::size_t k = labels();
  labelling.assign(nodes.rows, 0);
  if (nodes.rows == 0) return 0;
  std::vector<std::uint32_t> from(nodes.rows * k, 0);
  std::vector<double> here(k);
  std::vector<double> next(k);
  for (std::size_t j = 0; j < k; ++j) here[j] = begin_[j] + nodes(0, j);
  for (std::size_t t = 1; t < nodes.rows; ++t) {
    std::ranges::fill(next, forbidden);
    for (std::size_t i = 0; i < k; ++i) {
      best_step(transitions_.row(i).data(),
                here[i],
                static_cast<std::uint32_t>(i),
                next.data(),
                from.data() + t * k,
                k);
    }
    for (std::size_t j = 0; j < k; ++j) here[j] = next[j] + nodes(t, j);
  }
  for (std::size_t j = 0; j < k; ++j) here[j] += end_[j];
  const auto last = std::ranges::max_element(here);  // the first of equals
  labelling.back() = static_cast<std::uint32_t>(last - here.begin());
  for (std::size_t t = nodes.rows - 1; t > 0; --t) {
    labelling[t - 1] = from[t * k + labelling[t]];
  }
  return *last;
}

double LabelChain::end_log_sum(std::span<const double> last) const {
  std::vector<double> terms(last.begin(), last.end());
  for (std::size_t j = 0; j < terms.size(); ++j) terms[j] += end_[j];
  return log_sum_exp(terms);
}

double LabelChain::log_sum(DenseView nodes) const {
  require_nodes(nodes);
  if (nodes.rows == 0) return 0;
  if (is_scaled_) return sweep_forward(nodes).log_sum;
  return end_log_sum(forward_logs(nodes).row(nodes.rows - 1));
}

DenseMatrix LabelChain::forward_logs(DenseView nodes) const {
  require_nodes(nodes);
  DenseMatrix logs(nodes.rows, labels());
  for (std::size_t t = 0; t < nodes.rows; ++t) {
    if (t == 0) {
      std::ranges::copy(begin_, logs.row(0).begin());
    } else {
      log_step(transposed_, logs.row(t - 1), logs.row(t));
    }
    for (std::size_t j = 0; j < labels(); ++j) logs(t, j) += nodes(t, j);
  }
  return logs;
}

DenseMatrix LabelChain::backward_logs(DenseView nodes) const {
  require_nodes(nodes);
  DenseMatrix logs(nodes.rows, labels());
  std::vector<double> next(labels());
  for (std::size_t t = nodes.rows; t-- > 0;) {
    if (t + 1 == nodes.rows) {
      std::ranges::copy(end_, logs.row(t).begin());
      continue;
    }
    for (std::size_t j = 0; j < labels(); ++j) next[j] = nodes(t + 1, j) + logs(t + 1, j);
    log_step(transitions_, next, logs.row(t));
  }
  return logs;
}

LabelChain::Sweep LabelChain::sweep_forward(DenseView nodes) const {
  const std::size_t k = labels();
  Sweep sweep{.forward = DenseMatrix::uninitialized(nodes.rows, k),
              .nodes = DenseMatrix::uninitialized(nodes.rows, k)};
  // All exponentials at once: the vector routine likes long spans.
  for (std::size_t t = 0; t < nodes.rows; ++t) {
    const auto row = sweep.nodes.row(t);
    for (std::size_t j = 0; j < k; ++j) row[j] = nodes(t, j) + (t == 0 ? begin_[j] : 0.0);
    const double largest = *std::ranges::max_element(row);
    if (largest == forbidden) {
      sweep.log_sum = forbidden;
      return sweep;
    }
    sweep.log_sum += largest;
    for (double& value : row) value -= largest;
  }
  exp_in_place(sweep.nodes.values());
  sweep.log_sum += largest_transition_ * static_cast<double>(nodes.rows - 1) + largest_end_;
  for (std::size_t t = 0; t < nodes.rows; ++t) {
    const auto here = sweep.forward.row(t);
    const auto factors = sweep.nodes.row(t);
    if (t == 0) {
      std::ranges::copy(factors, here.begin());
    } else {
      product_step(factors_.row(0).data(), sweep.forward.row(t - 1).data(), here.data(), k);
      for (std::size_t j = 0; j < k; ++j) here[j] *= factors[j];
    }
    double sum = 0;
    for (const double value : here) sum += value;
    for (double& value : here) value /= sum;
    for (double& value : factors) value /= sum;
    sweep.log_sum += std::log(sum);
  }
  double sum = 0;
  const auto last = sweep.forward.row(nodes.rows - 1);
  for (std::size_t j = 0; j < k; ++j) sum += last[j] * end_factors_[j];
  sweep.end_scale = sum;
  sweep.log_sum += std::log(sum);
  return sweep;
}

void LabelChain::expect_scaled(DenseView nodes,
                               const Sweep& sweep,
                               MutableDenseView probabilities,
                               MutableDenseView transition_counts,
                               double weight) const {
  const std::size_t k = labels();
  std::vector<double> backward(k);
  std::vector<double> next(k);
  DenseMatrix counts(k, k, 0.0);  // without the factors of transitions
  for (std::size_t t = nodes.rows; t-- > 0;) {
    if (t + 1 == nodes.rows) {
      for (std::size_t j = 0; j < k; ++j) backward[j] = end_factors_[j] / sweep.end_scale;
    } else {
      const auto factors = sweep.nodes.row(t + 1);
      for (std::size_t j = 0; j < k; ++j) next[j] = factors[j] * backward[j];
      outer_step(sweep.forward.row(t).data(), next.data(), counts.row(0).data(), k);
      product_step(transposed_factors_.row(0).data(), next.data(), backward.data(), k);
    }
    for (std::size_t j = 0; j < k; ++j) probabilities(t, j) = sweep.forward(t, j) * backward[j];
  }
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      transition_counts(i, j) += weight * (counts(i, j) * factors_(i, j));
    }
  }
}

double LabelChain::expect_logs(DenseView nodes,
                               MutableDenseView probabilities,
                               MutableDenseView transition_counts,
                               double weight) const {
  const std::size_t k = labels();
  const DenseMatrix forward = forward_logs(nodes);
  const double log_sum = end_log_sum(forward.row(nodes.rows - 1));
  if (log_sum == forbidden) return log_sum;
  const DenseMatrix backward = backward_logs(nodes);
  std::vector<double> terms(k);
  for (std::size_t t = 0; t < nodes.rows; ++t) {
    for (std::size_t j = 0; j < k; ++j) {
      probabilities(t, j) = std::exp(forward(t, j) + backward(t, j) - log_sum);
    }
    if (t + 1 == nodes.rows) break;
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) {
        terms[j] =
            forward(t, i) + transitions_(i, j) + nodes(t + 1, j) + backward(t + 1, j) - log_sum;
      }
      exp_in_place(terms);
      for (std::size_t j = 0; j < k; ++j) transition_counts(i, j) += weight * terms[j];
    }
  }
  return log_sum;
}

double LabelChain::expectations(DenseView nodes,
                                MutableDenseView probabilities,
                                MutableDenseView transition_counts,
                                double weight) const {
  require_nodes(nodes);
  const std::size_t k = labels();
  require(probabilities.rows == nodes.rows && (nodes.rows == 0 || probabilities.cols == k),
          "LabelChain: probabilities must be positions x labels");
  require(transition_counts.rows == k && transition_counts.cols == k,
          "LabelChain: transition counts must be labels x labels");
  if (nodes.rows == 0) return 0;
  double log_sum = 0;
  if (is_scaled_) {
    const Sweep sweep = sweep_forward(nodes);
    log_sum = sweep.log_sum;
    if (log_sum != forbidden) expect_scaled(nodes, sweep, probabilities, transition_counts, weight);
  } else {
    log_sum = expect_logs(nodes, probabilities, transition_counts, weight);
  }
  require(log_sum != forbidden, "LabelChain: no labelling of the chain is allowed");
  return log_sum;
}

}  // namespace maxmargin
