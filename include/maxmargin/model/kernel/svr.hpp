// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/solver/convex_method.hpp"

/// Kernel machines with a real answer: regression, one class and the enclosing sphere.
namespace maxmargin {

/// What the kernel machines below share.
struct MAXMARGIN_EXPORT KernelMachineOptions {
  KernelChoice kernel = {};
  bool shrinking = true;
  /// Stop at this KKT violation (LIBSVM's eps) instead of the relative gap.
  std::optional<double> kkt_tolerance = std::nullopt;
  ConvexMethod solver = ConvexMethod::automatic;
  /// Accept kernels that are known not to be positive semidefinite.
  bool allow_indefinite = false;
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

struct MAXMARGIN_EXPORT SvrOptions {
  double c = 1;          ///< > 0
  double epsilon = 0.1;  ///< half the width of the tube, >= 0
  bool bias = true;
  KernelMachineOptions machine = {};
  void describe(OptionVisitor& visit);
};
[[nodiscard]] MAXMARGIN_EXPORT TrainedRegressor train_svr(const Dataset& data,
                                                          const SvrOptions& options = {});

struct MAXMARGIN_EXPORT NuSvrOptions {
  double c = 1;     ///< > 0
  double nu = 0.5;  ///< in (0, 1]
  KernelMachineOptions machine = {};
  void describe(OptionVisitor& visit);
};
/// The width of the tube that was found is `epsilon`.
struct TrainedNuSvr {
  TrainedRegressor fit = {};
  double epsilon = 0;
};
[[nodiscard]] MAXMARGIN_EXPORT TrainedNuSvr train_nu_svr(const Dataset& data,
                                                         const NuSvrOptions& options = {});

struct MAXMARGIN_EXPORT OneClassOptions {
  double nu = 0.5;  ///< in (0, 1]: at most this share outside
  KernelMachineOptions machine = {};
  void describe(OptionVisitor& visit);
};
/// Labels are ignored. The function is >= 0 inside.
[[nodiscard]] MAXMARGIN_EXPORT TrainedRegressor
train_one_class(const Dataset& data, const OneClassOptions& options = {});

struct MAXMARGIN_EXPORT SvddOptions {
  /// Share of outliers in [0, 1): the box is C = 1/(nu n); 0: none may lie outside.
  double nu = 0.5;
  KernelMachineOptions machine = {};
  void describe(OptionVisitor& visit);
};
/// The least sphere around the data: the function is radius^2 - |phi(x) - centre|^2.
struct TrainedSvdd {
  TrainedRegressor fit = {};
  double squared_radius = 0;
};
[[nodiscard]] MAXMARGIN_EXPORT TrainedSvdd train_svdd(const Dataset& data,
                                                      const SvddOptions& options = {});

}  // namespace maxmargin
