// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/structured/tasks/chain.hpp"

/// The scores of all outputs of one input as a lattice: docs/algorithms/chain.md.
namespace maxmargin::chain {

/// A state of the lattice with the loss so far, in units: a label (order 1, and the first position)
/// or a pair of labels (order 2).
struct Place {
  std::size_t state = 0;
  std::size_t layer = 0;
};

/// Where outputs may end, and the best score of those that do.
struct Ending {
  Place place = {};
  double score = 0;
};

/// The same, or InvalidArgument when its score is -infinity: there is no output.
[[nodiscard]] const Ending& possible(const Ending& found);

/// Bytes of the tables below for an input of that length; with a truth, for counted losses.
/// Requires a cost unit then.
[[nodiscard]] std::size_t lattice_bytes(const ChainTask& task,
                                        std::size_t length,
                                        const LabelSequence* truth);

/// Tables of one thread, filled anew for every input and never given back. Calls in this order:
/// set_up, add_costs or count_costs where wanted, forward, then all others. Needs an input of at
/// least one position. The first three throw InvalidArgument for tables beyond half of the
/// machine's memory.
class Lattice {
 public:
  void set_up(const ChainTask& task, const Sequence& x, std::span<const double> w);
  /// Margin rescaling: a label's cost is part of its score.
  void add_costs(const LabelSequence& truth);
  /// Slack rescaling: the loss is part of the state. Requires a cost unit.
  void count_costs(const LabelSequence& truth);
  /// F of all positions.
  void forward();

  [[nodiscard]] std::size_t length() const noexcept { return length_; }
  /// Numbers of loss at position t, from 0; 1 without counting.
  [[nodiscard]] std::size_t layers(std::size_t t) const { return layers_[t]; }
  /// Slots of states at t; some of them may be padding.
  [[nodiscard]] std::size_t slots(std::size_t t) const noexcept {
    return has_pairs(t) ? labels_ * padded_ : padded_;
  }
  /// All states of position t, ordered by label, then by the label before.
  void states(std::size_t t, std::vector<std::size_t>& out) const;
  [[nodiscard]] std::size_t label(std::size_t t, std::size_t state) const noexcept {
    return has_pairs(t) ? state % padded_ : state;
  }
  /// F
  [[nodiscard]] double best(std::size_t t, Place place) const {
    return best_[offsets_[t] + place.layer * slots(t) + place.state];
  }
  /// What ending in a state adds; -infinity where that is forbidden.
  [[nodiscard]] double ending(std::size_t state) const;
  /// The best end with that loss; of score -infinity when there is none.
  [[nodiscard]] Ending best_ending(std::size_t layer) const;

  // The way back: choices are numbered 0, 1, ... by the label they stand for.
  /// Scores of the steps into a state of position t >= 1, one a choice; the state's own score is
  /// not in them.
  void steps_into(std::size_t t, std::size_t state, std::vector<double>& out) const;
  /// Where a choice comes from.
  [[nodiscard]] Place before(std::size_t t, Place place, std::size_t choice) const;
  /// What being in a state adds.
  [[nodiscard]] double own_score(std::size_t t, std::size_t state) const;
  /// The labels of the best way to an end.
  [[nodiscard]] LabelSequence labels_to(Place last) const;

 private:
  [[nodiscard]] bool has_pairs(std::size_t t) const noexcept { return order_ == 2 && t > 0; }
  [[nodiscard]] std::size_t units(std::size_t t, std::size_t label) const {
    return units_.empty() ? 0 : units_[t * labels_ + label];
  }
  void set_up_order_2();
  /// Lays out F for the layers of all positions.
  void make_room();
  /// The table of the step into t, where it has observed features.
  void observe_step(std::size_t t);
  /// M of all states of t, from one layer of t - 1.
  void reach(std::size_t t, std::size_t layer);
  /// F of all states of t, from that.
  void arrive(std::size_t t, std::size_t layer);

  const ChainTask* task_ = nullptr;
  const Sequence* x_ = nullptr;
  std::span<const double> w_;
  std::size_t order_ = 1;
  std::size_t labels_ = 0;
  std::size_t padded_ = 0;
  std::size_t length_ = 0;

  std::vector<double> emissions_;  ///< length x padded
  /// Scores of begin and end, of the first two and last two labels (order 2), and of steps;
  /// -infinity where a rule forbids them.
  std::vector<double> first_;
  std::vector<double> last_;
  std::vector<double> last_pairs_;
  std::vector<double> pairs_;    ///< order 2: the step from the first position to the second
  std::vector<double> triples_;  ///< order 2: all other steps
  /// Of the present step: pairs_ (order 1) or a position's emissions (order 2), with what was
  /// observed.
  std::vector<double> observed_;
  bool has_observed_ = false;
  /// Costs in units, length x labels; empty: the loss is not counted.
  std::vector<std::size_t> units_;

  std::vector<std::size_t> layers_;
  std::vector<std::size_t> offsets_;
  std::vector<double> best_;
  std::vector<double> reached_;
};

/// The calling thread's own, for use until the next call of the same thread.
[[nodiscard]] Lattice& lattice_of_thread();

}  // namespace maxmargin::chain
