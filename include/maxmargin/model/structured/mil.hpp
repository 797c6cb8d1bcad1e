// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/solver/structural/latent.hpp"

/// Multiple-instance learning: one label for a bag of rows. docs/algorithms/mil.md.
namespace maxmargin {

/// Whose margin counts.
enum class MilMargin {
  bag,      ///< that of the best row of a bag: MI-SVM
  instance  ///< those of all rows, whose labels are hidden in positive bags: mi-SVM
};
template <>
inline constexpr auto names_of<MilMargin> =
    name_table<MilMargin>({{"bag", MilMargin::bag}, {"instance", MilMargin::instance}});

struct MAXMARGIN_EXPORT MilOptions {
  /// C multiplies the sum of losses of bags or rows.
  LatentOptions search = {.method = StructuralMethod::n_slack};
  MilMargin margin = MilMargin::bag;
  KernelChoice kernel = Linear{};
  /// The function has a constant: the weight of a feature of the value `bias_scale` in every row,
  /// penalised like others. The larger the value, the less the constant costs.
  bool bias = true;
  double bias_scale = 1;  ///< > 0 and finite

  void describe(OptionVisitor& visit);
};

/// Bags as runs of rows: those of bag b are begins[b] to begins[b + 1].
struct Bags {
  std::vector<std::size_t> begins = {0};
  /// One a bag; empty without labels.
  std::vector<Label> labels = {};
  /// One a bag, 1 without weights in the data.
  std::vector<double> weights = {};

  [[nodiscard]] std::size_t size() const { return begins.size() - 1; }
};

/// The bags of a data set: its groups. Throws InvalidArgument for rows without bags, for a bag that
/// comes back after another, and where rows of a bag differ in label or weight.
[[nodiscard]] MAXMARGIN_EXPORT Bags bags_of(const Dataset& data);

struct TrainedMil {
  /// Of rows: a bag is positive (the later class) where a row has a value above 0.
  Classifier model = {};
  LatentSolution search = {};
  /// Features of the machine, the constant one included: with a kernel, those that carry it.
  std::size_t weights = 0;
};

/// Trains on bags of two labels, the larger of which is the positive one: a bag has it when one of
/// its rows has. `start` as for solve_latent. Throws InvalidArgument as bags_of does, without
/// bags of both labels, and for wrong options.
[[nodiscard]] MAXMARGIN_EXPORT TrainedMil train_mil(const Dataset& data,
                                                    const MilOptions& options = {},
                                                    const StructuralState* start = nullptr);

/// The value of a bag: that of its best row.
struct BagValue {
  double value = 0;
  /// Number of the row in the data; the first among equals.
  std::size_t witness = 0;
};
[[nodiscard]] MAXMARGIN_EXPORT std::vector<BagValue> bag_values(
    std::span<const double> values_of_rows, std::span<const std::size_t> begins);

/// The objective at a model, from the values of its function alone: completions and losses by
/// formula. The rows must be scaled as those of the training.
[[nodiscard]] MAXMARGIN_EXPORT double mil_objective(const Classifier& model,
                                                    const Dataset& data,
                                                    const MilOptions& options);

}  // namespace maxmargin
