// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/relabeler.md, steps 2 to 4
#include "cluster/relabeler/iterator.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "cluster/relabeler/machine.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/metric/cluster/clustering.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"

namespace maxmargin {

namespace {

void check_start(DenseView gram,
                 std::span<const std::int32_t> start,
                 const RelabelerOptions& options) {
  require(gram.rows == gram.cols, "the Gram matrix must be square");
  require(options.k >= 2, "there must be at least two clusters");
  require(options.k == 2 || !options.machine.indefinite,
          "more than two clusters need a positive semidefinite kernel");
  require(start.size() == gram.rows && !start.empty(),
          "there must be one label a row, and at least one row");
  for (std::size_t i = 0; i < start.size(); ++i) {
    const bool known = start[i] >= 0 && static_cast<std::size_t>(start[i]) < options.k;
    require_field(known,
                  "label " + std::to_string(i),
                  static_cast<double>(start[i]),
                  "from 0 to " + std::to_string(options.k - 1));
  }
  require(options.known_classes.empty() || options.known_classes.size() == gram.rows,
          "known classes: there must be one class a row, or none");
}

/// relabeler.md step 3: moves the worst of each class's misclassified points to where the machine
/// puts them; returns how many.
std::size_t move_worst(const relabel::Fit& fit,
                       std::size_t k,
                       double fraction,
                       std::span<std::int32_t> labels) {
  std::vector<std::vector<std::size_t>> wrong(k);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (fit.predicted[i] != labels[i]) wrong[static_cast<std::size_t>(labels[i])].push_back(i);
  }
  // The product of a decimal fraction and a count may lie a rounding above the whole number meant.
  constexpr double rounding = 1e-9;
  std::size_t moved = 0;
  for (std::vector<std::size_t>& members : wrong) {
    if (members.empty()) continue;
    const double share = std::ceil(fraction * static_cast<double>(members.size()) - rounding);
    const std::size_t count = std::max<std::size_t>(1, static_cast<std::size_t>(share));
    std::ranges::stable_sort(
        members, [&](std::size_t a, std::size_t b) { return fit.badness[a] > fit.badness[b]; });
    for (std::size_t m = 0; m < count; ++m) labels[members[m]] = fit.predicted[members[m]];
    moved += count;
  }
  return moved;
}

}  // namespace

struct RelabelerIterator::State {
  State(DenseView gram, std::vector<std::int32_t> start, const RelabelerOptions& options)
      : matrix(gram),
        k(options.k),
        fraction(options.relabel_fraction),
        known_classes(options.known_classes),
        labels(std::move(start)),
        machine(relabel::make_machine(matrix, options)),
        done(!machine->can_fit(labels)) {}

  BorrowedMatrix matrix;
  std::size_t k;
  double fraction;
  std::vector<std::int32_t> known_classes;
  std::vector<std::int32_t> labels;
  std::unique_ptr<relabel::Machine> machine;
  relabel::Fit fit = {};
  bool done;
  bool fixed = false;
  std::size_t fits = 0;
  std::size_t inexact = 0;
};

RelabelerIterator::RelabelerIterator(DenseView gram,
                                     std::vector<std::int32_t> start,
                                     const RelabelerOptions& options) {
  validate(options);
  check_start(gram, start, options);
  state_ = std::make_unique<State>(gram, std::move(start), options);
}

RelabelerIterator::~RelabelerIterator() = default;
RelabelerIterator::RelabelerIterator(RelabelerIterator&&) noexcept = default;
RelabelerIterator& RelabelerIterator::operator=(RelabelerIterator&&) noexcept = default;

bool RelabelerIterator::has_next() const noexcept { return !state_->done; }

RelabelStep RelabelerIterator::iterate() {
  State& run = *state_;
  require(!run.done, "the run has ended");
  run.machine->fit(run.labels, run.fit);
  ++run.fits;
  if (!run.fit.exact) ++run.inexact;

  RelabelStep step;
  step.kernel_sse = kernel_sum_of_squares(run.matrix.view(), run.labels).total;
  step.objective = run.fit.objective;
  for (std::size_t i = 0; i < run.labels.size(); ++i) {
    if (run.fit.predicted[i] != run.labels[i]) ++step.errors;
  }
  step.training_error = static_cast<double>(step.errors) / static_cast<double>(run.labels.size());
  if (!run.known_classes.empty()) {
    step.purity = purity(Contingency(run.known_classes, run.labels));
  }
  step.flipped = move_worst(run.fit, run.k, run.fraction, run.labels);
  run.fixed = step.errors == 0;
  run.done = run.fixed || !run.machine->can_fit(run.labels);
  return step;
}

std::span<const std::int32_t> RelabelerIterator::labels() const noexcept { return state_->labels; }
std::span<const std::int32_t> RelabelerIterator::predicted() const noexcept {
  return state_->fit.predicted;
}
std::span<const double> RelabelerIterator::badness() const noexcept { return state_->fit.badness; }
bool RelabelerIterator::is_fixed_point() const noexcept { return state_->fixed; }
std::size_t RelabelerIterator::fits() const noexcept { return state_->fits; }
std::size_t RelabelerIterator::inexact_fits() const noexcept { return state_->inexact; }
const DenseMatrix& RelabelerIterator::coefficients() const noexcept {
  return state_->machine->coefficients();
}
std::span<const double> RelabelerIterator::offsets() const noexcept {
  return state_->machine->offsets();
}

}  // namespace maxmargin
