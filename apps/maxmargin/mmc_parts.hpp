// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"
#include "registry.hpp"

/// What maximum-margin clustering into two and into several clusters share.
namespace maxmargin::tool {

/// A Gram matrix given as data: its rows become points that a precomputed kernel knows.
struct KernelData {
  Dataset data = {};
  Kernel kernel = Rbf{};
};
[[nodiscard]] KernelData kernel_data(const Dataset& data, const Arguments& arguments);

/// Puts the machine into the model. One of a precomputed kernel awaits the matrix of new points.
void add_machine(ModelDocument& model, KernelExpansion function, std::size_t points);

/// The machine and the examples it is asked about: rows of a matrix for a precomputed kernel.
struct MachineInput {
  KernelExpansion function = {};
  Examples examples = {};
};
[[nodiscard]] MachineInput machine_input(const ModelDocument& model, const Dataset& data);

/// The kernel matrix of a model's training data by the kernel's formula, pair by pair: shares
/// nothing with the methods.
[[nodiscard]] DenseMatrix plain_gram(const Kernel& kernel, const Examples& examples);
/// The same after what the model's field `bias` says, by plain loops.
void apply_plain_bias(const ModelDocument& model, DenseMatrix& gram);

/// Can machines of the model's field `bias` have these offsets? `values`, points x machines, are
/// those without offsets on the training data; `largest_square` is the largest K(x, x).
[[nodiscard]] bool have_fitting_offsets(const ModelDocument& model,
                                        const KernelExpansion& machines,
                                        DenseView values,
                                        double largest_square);

/// The largest K(x, x) of a kernel matrix.
[[nodiscard]] double largest_square_of(const DenseMatrix& gram);

/// Clustering into more than two; methods_mmc.cpp asks for it.
[[nodiscard]] ClusterAnswer run_multiclass_mmc(const Dataset& data,
                                               const Arguments& arguments,
                                               ProgressCallback progress);
[[nodiscard]] double multiclass_mmc_objective(const Dataset& data,
                                              std::span<const std::int32_t> labels,
                                              const ModelDocument& model);
[[nodiscard]] Prediction predict_multiclass_mmc(const ModelDocument& model,
                                                const Dataset& data,
                                                std::optional<std::size_t> threads);
/// The name of these models.
inline constexpr const char* multiclass_mmc_kind = "mmc-multiclass";

}  // namespace maxmargin::tool
