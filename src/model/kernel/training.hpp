// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/problem/symmetric_matrix.hpp"
#include "maxmargin/solver/convex_method.hpp"
#include "solver/smo/smo.hpp"

/// What the trainers of kernel machines share.
namespace maxmargin {

/// The kernel of a training on these rows, its width found.
[[nodiscard]] Kernel resolved_kernel(const KernelChoice& choice,
                                     const Dataset& data,
                                     const TrainingControl& control);
/// The same for a problem that stays what it is when all examples are moved, if `moves`
/// (kernel/near_origin.hpp).
[[nodiscard]] Kernel resolved_kernel(const KernelChoice& choice,
                                     const Dataset& data,
                                     const TrainingControl& control,
                                     bool moves);

/// Options of the solver of kernel machines: no-shrinking, kkt-tolerance and solver.
void describe_smo(OptionVisitor& visit,
                  const TrainingControl& control,
                  bool& shrinking,
                  std::optional<double>& kkt_tolerance,
                  ConvexMethod& method);

/// The kernel's matrix on the examples (which must outlive it): rows in double while there are at
/// most 8,000 and all of them fit in `bytes`, or where float cannot hold the values, else in float
/// behind a cache. Cache and the working sets of `solvers` that use it at a time keep within
/// `bytes` together. The interior point method reads all rows once and holds them itself: chosen,
/// it gets no cache.
[[nodiscard]] std::unique_ptr<SymmetricMatrix> kernel_matrix(
    const Kernel& kernel,
    const Examples& examples,
    std::size_t bytes,
    std::size_t threads,
    std::size_t solvers = 1,
    ConvexMethod method = ConvexMethod::first_order);

/// When the solver stops, from what the trainers were told.
struct SmoSettings {
  bool shrinking = true;
  std::optional<double> kkt_tolerance = std::nullopt;
};
[[nodiscard]] SmoOptions smo_options(const TrainingControl& control, const SmoSettings& settings);
/// The method that was chosen; an indefinite kernel leaves SMO alone.
[[nodiscard]] ConvexMethod method_for(ConvexMethod chosen, bool indefinite);

/// Counts support vectors and measures |w|^2; the report is moved in.
[[nodiscard]] MachineReport machine_report(const SvmDual& problem, SmoSolution& solution);

/// Sum of the coefficients of the variables on each row of the matrix.
[[nodiscard]] std::vector<double> row_coefficients(const SvmDual& problem,
                                                   std::span<const double> coefficients);

/// The expansion over the rows whose coefficient (in any function) is not zero. `coefficients`
/// holds one vector a function, each with one entry a row of `examples`.
[[nodiscard]] KernelExpansion make_expansion(const Kernel& kernel,
                                             const Examples& examples,
                                             const std::vector<std::vector<double>>& coefficients,
                                             std::vector<double> offsets);

}  // namespace maxmargin
