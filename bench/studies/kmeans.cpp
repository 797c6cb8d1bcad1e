// SPDX-License-Identifier: Apache-2.0
// Times k-means from given centres on raw doubles; bench/studies/kmeans.py calls it.
//   study_kmeans POINTS CENTRES ROWS COLUMNS K ITERATIONS THREADS REPEATS
// prints, one line a repeat: seconds, iterations, inertia.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/solver/kmeans/kmeans.hpp"

namespace {

using namespace maxmargin;

DenseMatrix read_raw(const std::string& path, std::size_t rows, std::size_t cols) {
  DenseMatrix matrix = DenseMatrix::uninitialized(rows, cols);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(matrix.data()),
            static_cast<std::streamsize>(rows * cols * sizeof(double)));
  if (!file) throw FileError(path, "cannot read rows x columns doubles");
  return matrix;
}

std::size_t count_of(const char* text) {
  const auto value = parse_integer(text);
  if (!value || *value < 1) throw InvalidArgument(std::string(text) + " is not a count");
  return static_cast<std::size_t>(*value);
}

int run(char** argument) {
  const std::size_t rows = count_of(argument[3]);
  const std::size_t cols = count_of(argument[4]);
  const std::size_t k = count_of(argument[5]);
  const DenseMatrix points = read_raw(argument[1], rows, cols);
  const KmeansOptions options{.k = k,
                              .start_centres = read_raw(argument[2], k, cols),
                              .max_iterations = count_of(argument[6]),
                              .context = {.threads = count_of(argument[7])},
                              .lower_bound_limit = 0};
  const std::size_t repeats = count_of(argument[8]);
  for (std::size_t r = 0; r < repeats; ++r) {
    const Stopwatch watch;
    const KmeansSolution solution = solve_kmeans(points.view(), options);
    const double seconds = watch.seconds();
    std::cout << format_number(seconds) << ' ' << solution.report.iterations << ' '
              << format_number(solution.inertia) << '\n';
  }
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  if (count != 9) {
    std::cerr << "usage: study_kmeans POINTS CENTRES ROWS COLUMNS K ITERATIONS THREADS REPEATS\n";
    return 1;
  }
  try {
    return run(argument);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
