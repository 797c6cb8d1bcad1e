// SPDX-License-Identifier: Apache-2.0
//
// study_kernel_pca DATA GAMMA COMPONENTS THREADS: seconds, steps and eigenvalues of kernel PCA
// (rbf). Used by bench/studies/spectral.py.
#include <cstdlib>
#include <iostream>
#include <string>

#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/read_data.hpp"
#include "maxmargin/model/kernel_pca.hpp"

int main(int argc, char** argv) {
  namespace mm = maxmargin;
  if (argc != 5) {
    std::cerr << "usage: study_kernel_pca DATA GAMMA COMPONENTS THREADS\n";
    return 1;
  }
  const mm::Examples points = mm::read_data(argv[1]).examples.to_dense();
  const mm::Stopwatch watch;
  const mm::KernelPca found = mm::train_kernel_pca(points,
                                                   {.components = std::stoul(argv[3]),
                                                    .kernel = mm::Rbf{.gamma = std::stod(argv[2])},
                                                    .threads = std::stoul(argv[4])});
  std::cout.precision(12);
  std::cout << watch.seconds() << ' ' << found.report.iterations;
  for (const double mu : found.model.eigenvalues) std::cout << ' ' << mu;
  std::cout << '\n';
  return 0;
}
