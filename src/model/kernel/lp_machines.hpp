// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/problem/lp_svm.hpp"

/// Classifiers whose two-class machines are LpSvm programs: what lp-svc and loo-svc share.
namespace maxmargin {

/// Turns the kernel matrix of a two-class problem into the matrix of its program, in place, and
/// returns what each column was divided by: the function's coefficient of example j is that of
/// column j divided by entry j.
using ShapeProgram = std::function<std::vector<double>(DenseMatrix& gram)>;

/// What the machines are trained on. The references must outlive the call.
struct LpTraining {
  const Dataset& data;
  const Kernel& kernel;
  const TrainingControl& control;
  const ClassificationTask& task;
  OutputCode code = {};
  double c = 1;
  LpSvmForm form = LpSvmForm::slides;
  bool bias = true;
  /// The public function, for messages.
  std::string name = {};
  /// Empty: the program's matrix is the kernel matrix.
  ShapeProgram shape = {};
};

/// Trains one linear program a function of the code, one after the other. Rows of weight 0 are left
/// out. Throws InvalidArgument when the programs need more than the memory limit.
[[nodiscard]] TrainedClassifier train_lp_machines(LpTraining training);

}  // namespace maxmargin
