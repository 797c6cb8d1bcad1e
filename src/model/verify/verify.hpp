// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "maxmargin/core/context.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/problem/kernel_machines.hpp"

/// Certificates of trained kernel machines from nothing but the model and its training data. Every
/// kernel value is computed again in double by evaluate(); no code of a solver is used. O(n x
/// support vectors) kernel values.
namespace maxmargin {

/// What a model proves. Objectives are sums over its machines, as in a training's report.
struct Certificate {
  double primal = 0;
  double dual = 0;
  /// Of machines whose problem is not convex: what is proved of every function. Empty where nothing
  /// is, and where the dual objective is that bound.
  std::optional<double> lower_bound = std::nullopt;
  /// Is the dual objective that of a convex problem? Only then "solved" speaks of the gap to it.
  bool is_convex = true;
  /// How far rounding may have moved an objective: here, and as much again in the training.
  double rounding = 0;
  /// Empty when the model is what it says: coefficients within their bounds, sums kept, support
  /// vectors equal to rows of the data. Else the first thing that is not.
  std::string complaint = {};
};

/// What the machine was asked for.
struct MachineTerms {
  double c = 1;
  SlackPower slacks = SlackPower::one;
  bool bias = true;
  double nu = 0.5;
  double epsilon = 0.1;
  ClassWeights class_weights = {};
};

/// They throw InvalidArgument when the model is no kernel machine, has no training rows, or the
/// data has another number of rows than the model speaks of, and Stopped (core/stoppable.hpp) when
/// the context's callback says stop.
[[nodiscard]] Certificate verify_svc(const Classifier& model,
                                     const Dataset& data,
                                     const MachineTerms& terms,
                                     const Context& context = {});
/// A hard margin (terms.c infinite) that is kept as linear functions with their dual point, in
/// extended precision.
[[nodiscard]] Certificate verify_hard_margin(const Classifier& model,
                                             const DualPoint& dual,
                                             const Dataset& data,
                                             const MachineTerms& terms,
                                             const Context& context = {});
[[nodiscard]] Certificate verify_nu_svc(const Classifier& model,
                                        const Dataset& data,
                                        const MachineTerms& terms,
                                        const Context& context = {});
[[nodiscard]] Certificate verify_svr(const Regressor& model,
                                     const Dataset& data,
                                     const MachineTerms& terms,
                                     const Context& context = {});
/// terms.epsilon is the tube that was found.
[[nodiscard]] Certificate verify_nu_svr(const Regressor& model,
                                        const Dataset& data,
                                        const MachineTerms& terms,
                                        const Context& context = {});
[[nodiscard]] Certificate verify_one_class(const Regressor& model,
                                           const Dataset& data,
                                           const MachineTerms& terms,
                                           const Context& context = {});
[[nodiscard]] Certificate verify_svdd(const Regressor& model,
                                      const Dataset& data,
                                      const MachineTerms& terms,
                                      const Context& context = {});

}  // namespace maxmargin
