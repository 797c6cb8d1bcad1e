// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/cluster/mmc/mmc.hpp"
#include "maxmargin/core/context.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// The machines that alternating maximum-margin clustering trains: docs/algorithms/
/// mmc-alternating.md. Two classes have one function, >= 0 on label 0; more have one a label. What
/// is exported is for the tests: the methods for many points are tried on few.
namespace maxmargin {

/// A labelling and a machine on it.
struct MmcFit {
  std::vector<std::int32_t> labels = {};
  /// 1/2 |w|^2 + C sum of losses of the machine on these labels.
  double objective = std::numeric_limits<double>::infinity();
  /// No machine on these labels and features has a smaller objective.
  double dual = -std::numeric_limits<double>::infinity();
  /// 1/2 |w|^2.
  double half_norm = 0;
  /// One row a point, one column a function.
  DenseMatrix values = {};
  /// The dual point, of the same shape.
  DenseMatrix coefficients = {};
  /// Machines on features: one row a function; and what is added to w.x for the points as given.
  DenseMatrix weights = {};
  std::vector<double> offsets = {};
  Status status = Status::solved;
};

struct MmcTraining {
  double c = 100;
  /// Relative gap.
  double tolerance = 1e-3;
  Context context = {};
};

/// Sum over points of the hinge (one function) or of the loss of Crammer and Singer.
[[nodiscard]] double label_loss(DenseView values, std::span<const std::int32_t> labels);

/// +1 for label 0, -1 for label 1; and back.
[[nodiscard]] std::vector<std::int8_t> signs_of(std::span<const std::int32_t> labels);
[[nodiscard]] std::vector<std::int32_t> labels_of(std::span<const std::int8_t> signs);

class MmcMachine {
 public:
  explicit MmcMachine(std::size_t classes) : classes_(classes) {}
  MmcMachine(const MmcMachine&) = delete;
  MmcMachine& operator=(const MmcMachine&) = delete;
  virtual ~MmcMachine() = default;

  [[nodiscard]] std::size_t classes() const { return classes_; }
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Trains on the labels; `start`, if any, is a machine on similar ones.
  [[nodiscard]] virtual MmcFit train(std::vector<std::int32_t> labels,
                                     const MmcTraining& training,
                                     const MmcFit* start) const = 0;

 private:
  std::size_t classes_;
};

/// On a Gram matrix that has its bias already; it must outlive the machine.
[[nodiscard]] std::unique_ptr<MmcMachine> gram_machine(const DenseMatrix& gram,
                                                       std::size_t classes);

/// Points as a linear machine sees them.
struct MmcPoints {
  /// Centred when dense and the bias is `center`.
  Examples examples = {};
  /// The mean of the points as given (bias `center`).
  std::vector<double> mean = {};
  MmcBias bias = MmcBias::center;
  /// The points are not centred though the bias says so: machines take the mean off.
  [[nodiscard]] bool shifts() const { return bias == MmcBias::center && !examples.is_dense(); }
};

/// Dense points are centred; sparse ones stay as they are for two classes and are filled for more.
/// Throws InvalidArgument when there is no memory for that.
[[nodiscard]] MmcPoints mmc_points(const Examples& examples,
                                   MmcBias bias,
                                   std::size_t classes,
                                   std::optional<std::size_t> threads);

/// Inner products of the points, with the bias: few points are trained on these.
[[nodiscard]] DenseMatrix points_gram(const MmcPoints& points, std::optional<std::size_t> threads);
/// The weights and offsets of a machine that was trained on points_gram.
void set_weights(const MmcPoints& points, MmcFit& fit);
/// Values and norm of a machine that is known by its weights and, where the bias is `constant`, by
/// its offsets; the offsets become those for the points as given.
void set_values(const MmcPoints& points, std::optional<std::size_t> threads, MmcFit& fit);

/// Of more points than this two classes are trained by cutting planes.
inline constexpr std::size_t most_points_without_cuts = 20000;

/// On the features themselves; the points must outlive the machine.
[[nodiscard]] std::unique_ptr<MmcMachine> feature_machine(
    const MmcPoints& points,
    std::size_t classes,
    std::size_t cut_points = most_points_without_cuts);

}  // namespace maxmargin
