// SPDX-License-Identifier: Apache-2.0
// Times the RBF Gram matrix of random dense points in float against the bare single-precision
// product of that size on the same OpenBLAS and the same number of threads, alternating, best of
// several rounds. Arguments: [n = 8000] [d = 200] [rounds = 5].
// Prints a markdown table; bench/studies/gram.sh writes docs/results/gram.md from it.
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

extern "C" void openblas_set_num_threads(int threads);

namespace {

using namespace maxmargin;

double seconds_of(const auto& work) {
  const Stopwatch watch;
  work();
  return watch.seconds();
}

/// Largest error of the float matrix over some entries, against the plain formula.
double sampled_error(const FloatMatrix& gram, const Kernel& kernel, const Examples& data) {
  Rng rng(1);
  double worst = 0;
  for (int k = 0; k < 20000; ++k) {
    const std::size_t i = rng.index(data.rows());
    const std::size_t j = rng.index(data.rows());
    const double exact = evaluate(kernel, data.row(i), data.row(j));
    worst = std::max(worst, std::abs(static_cast<double>(gram(i, j)) - exact));
  }
  return worst;
}

std::size_t argument(int argc, char** argv, int position, std::size_t standard) {
  return argc > position ? std::strtoull(argv[position], nullptr, 10) : standard;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t n = argument(argc, argv, 1, 8000);
  const std::size_t d = argument(argc, argv, 2, 200);
  const std::size_t rounds = argument(argc, argv, 3, 5);
  Rng rng(0);
  DenseMatrix points(n, d);
  FloatMatrix single(n, d);
  for (std::size_t k = 0; k < points.values().size(); ++k) {
    points.values()[k] = rng.normal();
    single.values()[k] = static_cast<float>(points.values()[k]);
  }
  const Examples data(std::move(points));
  const Kernel kernel = Rbf{.gamma = 1.0 / static_cast<double>(d)};
  // Its pages are touched before: bare sgemm pays for no memory.
  FloatMatrix product(n, n, 1.0f);
  const int rows = static_cast<int>(n);
  const int cols = static_cast<int>(d);
  std::printf("| threads | sgemm seconds | RBF Gram seconds | speed against sgemm | max error |\n");
  std::printf("| --- | --- | --- | --- | --- |\n");
  bool met = true;
  for (const int threads : {1, 2}) {
    double sgemm = std::numeric_limits<double>::infinity();
    double ours = sgemm;
    double error = 0;
    for (std::size_t round = 0; round < rounds; ++round) {
      openblas_set_num_threads(threads);
      sgemm = std::min(sgemm, seconds_of([&] {
                         cblas_sgemm(CblasRowMajor,
                                     CblasNoTrans,
                                     CblasTrans,
                                     rows,
                                     rows,
                                     cols,
                                     1.0f,
                                     single.data(),
                                     cols,
                                     single.data(),
                                     cols,
                                     0.0f,
                                     product.data(),
                                     rows);
                       }));
      openblas_set_num_threads(1);  // threads are the library's own
      FloatMatrix gram;
      ours =
          std::min(ours, seconds_of([&] {
                     gram = gram_float(
                         kernel, data, {.context = {.threads = static_cast<std::size_t>(threads)}});
                   }));
      if (round == 0) error = sampled_error(gram, kernel, data);
    }
    met = met && sgemm / ours >= 0.5;
    std::printf("| %d | %.3f | %.3f | %.2f | %.1e |\n", threads, sgemm, ours, sgemm / ours, error);
  }
  std::printf("\nBar: at least 0.50 of the speed of sgemm: %s.\n", met ? "met" : "NOT met");
  return met ? 0 : 1;
}
