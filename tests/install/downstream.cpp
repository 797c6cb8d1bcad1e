// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <maxmargin/maxmargin.hpp>

int main() {
  const auto data = maxmargin::read_data("builtin:iris");
  const auto fit = maxmargin::cluster_kmeans(data, {.k = 3, .context = {.seed = 1}});
  std::cout << "maxmargin " << MAXMARGIN_VERSION << ", inertia " << *fit.report.primal_objective
            << '\n';
  return std::abs(*fit.report.primal_objective - 78.851441) < 1e-5 ? EXIT_SUCCESS : EXIT_FAILURE;
}
