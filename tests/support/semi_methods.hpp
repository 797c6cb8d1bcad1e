// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/model/semi/semi_supervised.hpp"

/// The methods that tsvm and s3vm-cccp take to a machine: tests try them all.
namespace maxmargin::testing {

inline constexpr double exact = 1e-7;  // relative tolerance of solves in these tests

struct Method {
  const char* name;
  Kernel kernel;
  SemiSolver solver;
};

inline std::vector<Method> methods() {
  return {{"features", Linear{}, SemiSolver::features},
          {"linear kernel", Linear{}, SemiSolver::kernel},
          {"rbf", Rbf{.gamma = 0.5}, SemiSolver::automatic}};
}

/// Options that solve exactly and keep the dual point.
template <class Options>
Options method_options(const Method& method, double c) {
  return {.c = c,
          .kernel = method.kernel,
          .solver = method.solver,
          .control = {.tolerance = exact, .keep_dual = true}};
}

}  // namespace maxmargin::testing
