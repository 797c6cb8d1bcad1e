// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "maxmargin/cluster/relabeler/relabeler.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// One run of the relabeler, a fit and a relabelling at a time, so that any measure can be taken in
/// between:
///
///   RelabelerIterator run(gram.view(), draw_labels(n, 2, rng), options);
///   while (run.has_next()) {
///     const RelabelStep step = run.iterate();
///     ...
///   }
///
/// Two clusters are fitted by the two-class machine of `options`, more (or two with
/// RelabelerMulticlass::direct) by the direct one. Of the options only k, machine, multiclass,
/// relabel_fraction, threads, known_classes and on_progress (by the solver, which it can end) are
/// read: the caller counts the iterations.
class RelabelerIterator {
 public:
  /// The matrix must be symmetric and finite, which is not looked at, and outlive the run. Throws
  /// InvalidArgument unless it is square and `start` has one label from 0 to k-1 a row, and for
  /// more than two clusters of an indefinite one.
  RelabelerIterator(DenseView gram,
                    std::vector<std::int32_t> start,
                    const RelabelerOptions& options = {});
  ~RelabelerIterator();
  RelabelerIterator(RelabelerIterator&&) noexcept;
  RelabelerIterator& operator=(RelabelerIterator&&) noexcept;

  /// False once the machine makes no error on the labels, once they leave one class alone, and
  /// (nu-SVM) once a class is too light for nu.
  [[nodiscard]] bool has_next() const noexcept;
  /// Fits the machine to the labels and moves the worst of the misclassified. Requires has_next().
  RelabelStep iterate();

  /// The labels now: after the last step's moves.
  [[nodiscard]] std::span<const std::int32_t> labels() const noexcept;
  /// What the last machine said of every point: labels() is this where nothing is misclassified.
  [[nodiscard]] std::span<const std::int32_t> predicted() const noexcept;
  /// How far beyond the border it put every misclassified point (the value |f|, or the difference
  /// to the largest one); 0 for the others.
  [[nodiscard]] std::span<const double> badness() const noexcept;
  /// True when the last machine made no error: the labels are a fixed point.
  [[nodiscard]] bool is_fixed_point() const noexcept;
  /// Fits so far, and how many of them did not reach their tolerance.
  [[nodiscard]] std::size_t fits() const noexcept;
  [[nodiscard]] std::size_t inexact_fits() const noexcept;

  /// The last machine: points x functions, and one offset a function (two clusters: one function,
  /// >= 0 is class 1).
  [[nodiscard]] const DenseMatrix& coefficients() const noexcept;
  [[nodiscard]] std::span<const double> offsets() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace maxmargin
