// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "learner/clustering/clustering.hpp"
#include "maxmargin/cluster/mmc/alternating.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/model/kernel/bias.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"
#include "maxmargin/problem/saddle/label_saddle.hpp"

/// What the methods of maximum-margin clustering share.
namespace maxmargin::learning {

/// The options of mmc, into two clusters or more, by the kernel matrix or on features.
struct MmcChoice {
  std::size_t k = 0;
  KernelChoice kernel = {};
  double c = 100;
  std::optional<double> balance = 0.1;
  /// Features in place of the kernel; two clusters alone.
  std::optional<std::size_t> landmarks = std::nullopt;
  /// Unset: total for two clusters, rows for more. Not with landmarks.
  std::optional<LabelBalance> balance_form = std::nullopt;
  /// Of three clusters or more.
  std::optional<std::size_t> anchors = std::nullopt;
  KernelBias bias = KernelBias::center;
  double tolerance = 1e-3;
  /// Unset: those of MmcOptions, with landmarks those of MmcAlternatingOptions.
  std::optional<std::size_t> restarts = std::nullopt;
  std::optional<std::size_t> max_iterations = std::nullopt;
  void describe(OptionVisitor& visit);
};

/// Into three clusters or more, and into two on features.
[[nodiscard]] Clustering run_multiclass_mmc(const Dataset& rows,
                                            const MmcChoice& choice,
                                            const Context& context);
[[nodiscard]] Clustering run_mmc_on_features(const Dataset& rows,
                                             const MmcChoice& choice,
                                             const Context& context);

/// The objectives of their models, 1/2 |w|^2 + C sum of losses, from model and data, pair by pair.
/// Not a number, so that nothing agrees with it, when a certificate does not prove the bound that
/// the model claims, a machine has an offset that it cannot have, or labels are none of those that
/// the bound is about. That of features is also the one of mmc-alternating and mmc-cutting-plane.
[[nodiscard]] double multiclass_mmc_objective(const Dataset& rows,
                                              std::span<const std::int32_t> labels,
                                              const ModelDocument& model,
                                              const Context& context);
[[nodiscard]] double mmc_machine_objective(const Dataset& rows,
                                           std::span<const std::int32_t> labels,
                                           const ModelDocument& model,
                                           const Context& context);

/// What a model of mmc holds, whatever its name in a file.
enum class MmcBody { two, several, features };
[[nodiscard]] MmcBody mmc_body(const ModelDocument& model);

/// A Gram matrix given as data: its rows become points that a precomputed kernel knows.
struct KernelData {
  Dataset rows = {};
  Kernel kernel = Rbf{};
};
[[nodiscard]] KernelData kernel_data(const Dataset& rows,
                                     const KernelChoice& choice,
                                     const Context& context);

/// What every model has of the training: features, C, bias and objective.
template <class Options>
[[nodiscard]] ModelDocument mmc_document(const Dataset& rows,
                                         const Options& options,
                                         double objective) {
  // The header has the learner's name.
  ModelDocument model("mmc");
  model.set_integer("features", static_cast<std::int64_t>(rows.features()));
  model.set_number("C", options.c);
  model.set_string("bias", std::string(to_string(options.bias)));
  model.set_number("objective", objective);
  return model;
}

/// Puts the machine into the model. One of a precomputed kernel awaits the matrix of new points.
void add_machine(ModelDocument& model, KernelExpansion functions, std::size_t points);

/// The functions that all models of the family share.
[[nodiscard]] std::size_t mmc_features(const ModelDocument& model);
[[nodiscard]] ClusterAnswer mmc_answer(const ModelDocument& model,
                                       const Dataset& rows,
                                       const Context& context);

/// How far a recomputed objective may be off: losses and coefficients are sums over all points.
[[nodiscard]] double rounding_of_sums(std::size_t points, double c, double objective);
/// The doubt, but no more than a thousandth of the objective: a model that says of itself that its
/// C is huge would agree with anything.
[[nodiscard]] double at_most_visible(double doubt, double objective);
/// The same of machines on features.
[[nodiscard]] double mmc_machine_doubt(const Dataset& rows,
                                       const ModelDocument& model,
                                       double objective);
/// The bound that the recomputed objective proved. Without a certificate that is 0, as no loss is
/// negative.
[[nodiscard]] std::optional<double> mmc_bound(const ModelDocument& model);

/// Could the machine have been trained on these rows with these labels? Anybody may ask whether a
/// model agrees with data that is not its own.
[[nodiscard]] bool could_be_training(const KernelExpansion& machine,
                                     const Dataset& rows,
                                     std::span<const std::int32_t> labels,
                                     std::size_t clusters);

/// The kernel matrix of a model's training data by the kernel's formula, pair by pair: shares
/// nothing with the methods.
[[nodiscard]] DenseMatrix plain_gram(const Kernel& kernel,
                                     const Examples& examples,
                                     const Context& context);
/// The same after what the model's field `bias` says, by plain loops.
void apply_plain_bias(const ModelDocument& model, DenseMatrix& gram);
/// The model's field `bias`.
[[nodiscard]] KernelBias bias_of(const ModelDocument& model);

/// Can machines of the model's field `bias` have these offsets? `values`, points x machines, are
/// those without offsets on the training data; `largest_square` is the largest K(x, x).
[[nodiscard]] bool have_fitting_offsets(const ModelDocument& model,
                                        const KernelExpansion& machines,
                                        DenseView values,
                                        double largest_square);
/// The largest K(x, x) of a kernel matrix.
[[nodiscard]] double largest_square_of(const DenseMatrix& gram);

/// What may separate a bound from its recomputation: kernel values differ by rounding.
inline constexpr double bound_rounding = 1e-6;

/// What the report says of a bound on the objective of an answer.
[[nodiscard]] inline std::string bound_word(double lower_bound, const SolveReport& report) {
  return std::string(to_string(*bound_kind(lower_bound, report.primal_objective, {})));
}

}  // namespace maxmargin::learning
