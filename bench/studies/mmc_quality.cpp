// SPDX-License-Identifier: Apache-2.0
// Labels of maximum-margin clustering against other ways to labels, by their objective.
//   study_mmc_quality N [SEED [DATA]]
// DATA is the name of one of the five kinds, such as circles; else all are tried.
// Prints a table with tabs between its columns: data, m (the width is m / median of the squared
// distances), C, the objective found and its gap, those of the other ways, and the ratio of the
// first to the best of them. Ends with 1 when a ratio is above 1.01.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

#include "../../tests/support/mmc_rivals.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/kernel/gamma.hpp"

namespace {

using namespace maxmargin;

std::size_t whole_number(const std::string& text) {
  const auto value = parse_number(text);
  if (!value || *value < 0) throw InvalidArgument(text + " is not a number of points");
  return static_cast<std::size_t>(*value);
}

int run(int count, char** argument) {
  if (count < 2) throw InvalidArgument("see the head of bench/studies/mmc_quality.cpp");
  const std::uint64_t seed = count > 2 ? whole_number(argument[2]) : 1;
  std::cout
      << "data\tm\tC\tmmc\tits gap\teigenvector\tspectral, polished\ttruth, polished\tratio\n";
  const std::string wanted = count > 3 ? argument[3] : "";
  double worst = 0;
  for (const NamedData& set : two_class_data(whole_number(argument[1]), seed)) {
    if (!wanted.empty() && set.name != wanted) continue;
    const double median = resolve_gamma(GammaRule::median(), set.data.examples);
    for (const double m : {0.25, 1.0, 4.0, 16.0, 64.0}) {
      for (const double c : {1.0, 100.0}) {
        const Rbf kernel{.gamma = m * median};
        const MmcClustering found = cluster_mmc(set.data, kernel, {.c = c}).clustering;
        const MmcRivals rivals = mmc_rivals(set.data, kernel, c);
        const double ratio = found.objective / rivals.best();
        worst = std::max(worst, ratio);
        std::cout << set.name << '\t' << m << '\t' << c << '\t' << found.objective << '\t'
                  << relative_gap(found.objective, found.relaxation.lower_bound) << '\t'
                  << rivals.eigenvector << '\t' << rivals.spectral << '\t' << rivals.truth << '\t'
                  << ratio << std::endl;
      }
    }
  }
  return worst <= 1.01 ? 0 : 1;
}

}  // namespace

int main(int count, char** argument) {
  try {
    return run(count, argument);
  } catch (const std::exception& problem) {
    std::cerr << "study_mmc_quality: " << problem.what() << '\n';
    return 2;
  }
}
