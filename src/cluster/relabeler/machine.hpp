// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/cluster/relabeler/relabeler.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "problem/borrowed_matrix.hpp"

/// The machines that the relabeler fits to labels: docs/algorithms/relabeler.md, step 2.
namespace maxmargin::relabel {

/// What a machine says of the points it was fitted to.
struct Fit {
  double objective = 0;
  /// The class of every point, and how far beyond the border a misclassified one lies (else 0).
  std::vector<std::int32_t> predicted = {};
  std::vector<double> badness = {};
  /// Was the tolerance reached?
  bool exact = true;
};

/// Fits one labelling after another; each fit starts from the one before.
class Machine {
 public:
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;

  /// Do the labels have the two classes, heavy enough, that a fit needs?
  [[nodiscard]] virtual bool can_fit(std::span<const std::int32_t> labels) const = 0;
  virtual void fit(std::span<const std::int32_t> labels, Fit& result) = 0;
  /// Of the last fit: points x functions, and one offset a function.
  [[nodiscard]] const DenseMatrix& coefficients() const noexcept { return coefficients_; }
  [[nodiscard]] std::span<const double> offsets() const noexcept { return offsets_; }

 protected:
  DenseMatrix coefficients_;
  std::vector<double> offsets_;
};

/// The machine that `options` ask for. The matrix must outlive it.
[[nodiscard]] std::unique_ptr<Machine> make_machine(const BorrowedMatrix& matrix,
                                                    const RelabelerOptions& options);
[[nodiscard]] std::unique_ptr<Machine> make_direct_machine(const BorrowedMatrix& matrix,
                                                           const RelabelerOptions& options);

/// A fit that is worse than the machine before it is solved again and again, each time this much
/// more exactly, down to the least tolerance.
inline constexpr double refinement = 1e-2;
inline constexpr double least_tolerance = 1e-9;

}  // namespace maxmargin::relabel
