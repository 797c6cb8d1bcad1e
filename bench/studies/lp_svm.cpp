// SPDX-License-Identifier: Apache-2.0
// Times train_lp_svc on noisy checkers (10 % of the labels flipped) and on clean ones with the hard
// margin, for growing n; seconds of processor time. Arguments: [largest n = 2000]. Prints a
// markdown table, the one of docs/algorithms/lp-svm.md.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/model/kernel/lp_svc.hpp"

namespace {

using namespace maxmargin;

Dataset checkers(std::size_t n, double flipped) {
  Rng rng(0);
  DenseMatrix points(n, 2);
  std::vector<double> labels;
  for (std::size_t i = 0; i < n; ++i) {
    for (double& value : points.row(i)) value = rng.uniform(0, 4);
    const auto square = static_cast<int>(points(i, 0)) + static_cast<int>(points(i, 1));
    labels.push_back((square % 2 == 0) != rng.bernoulli(flipped) ? 1 : -1);
  }
  return {.examples = std::move(points), .labels = LabelColumn::from_numbers(std::move(labels))};
}

void run(std::size_t n, double c, LpSvmForm form, double flipped, double gamma) {
  const Dataset data = checkers(n, flipped);
  const std::clock_t start = std::clock();
  const TrainedClassifier trained =
      train_lp_svc(data, {.c = c, .kernel = Rbf{gamma}, .form = form});
  std::printf("| %zu | %g | %s | %g | %g | %llu | %zu | %.1e | %.2f |\n",
              n,
              c,
              form == LpSvmForm::slides ? "slides" : "l1_norm",
              flipped,
              gamma,
              static_cast<unsigned long long>(trained.report.iterations),
              trained.machines[0].support_vectors,
              trained.report.relative_gap().value_or(-1),
              static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
  constexpr double hard = std::numeric_limits<double>::infinity();
  std::puts("| n | C | form | flipped | gamma | pivots | vectors | relative gap | CPU seconds |");
  std::puts("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (std::size_t n = 500; n <= largest; n *= 2) {
    run(n, 1, LpSvmForm::slides, 0.1, 2);
    run(n, 100, LpSvmForm::slides, 0.1, 2);
    run(n, 100, LpSvmForm::l1_norm, 0.1, 2);
    run(n, hard, LpSvmForm::slides, 0, 20);
  }
}
