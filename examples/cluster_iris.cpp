// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <maxmargin/maxmargin.hpp>

namespace mm = maxmargin;

int main() {
  const auto data = mm::read_data("builtin:iris");
  const auto fit = mm::cluster_kmeans(data, {.k = 3, .context = {.seed = 1}});
  std::cout << *fit.report.primal_objective << " >= " << *fit.report.lower_bound << '\n';
}
