// SPDX-License-Identifier: Apache-2.0
// One relaxation of maximum-margin clustering on generated points: time, gap and memory.
//   study_label_saddle gaussians|circles N center|none total|rows GAMMA [TOLERANCE [SECONDS]]
// GAMMA is a number or a multiple of the median rule, such as 4x. C = 100, balance 0.1, seed 1.
// Prints one line of "key value" pairs.
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/kernel/gamma.hpp"
#include "maxmargin/kernel/gram/centring.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "solver/saddle/label_saddle.hpp"

namespace {

using namespace maxmargin;

double number_of(const std::string& text) {
  const auto value = parse_number(text);
  if (!value) throw InvalidArgument(text + " is not a number");
  return *value;
}

double gamma_named(std::string text, const Examples& examples) {
  if (!text.ends_with('x')) return number_of(text);
  text.pop_back();
  return number_of(text) * resolve_gamma(GammaRule::median(), examples);
}

/// Largest resident size of this process in MiB; 0 where the system does not say.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    double kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib / 1024;
  }
  return 0;
}

int run(int count, char** argument) {
  if (count < 6) throw InvalidArgument("see the head of bench/studies/label_saddle.cpp");
  const auto n = static_cast<std::size_t>(number_of(argument[2]));
  const bool centred = std::string_view(argument[3]) == "center";
  const Dataset data = std::string_view(argument[1]) == "circles"
                           ? generate_circles({.n = n, .seed = 1})
                           : generate_gaussians({.n = n, .seed = 1});
  const double gamma = gamma_named(argument[5], data.examples);
  const double tolerance = count > 6 ? number_of(argument[6]) : 1e-3;
  const double limit = count > 7 ? number_of(argument[7]) : 1e9;
  DenseMatrix matrix = gram(Rbf{.gamma = gamma}, data.examples);
  if (centred) FeatureCentring::fit(matrix.view()).apply_to_training(matrix.view());
  const LabelSaddle problem{
      .matrix = matrix.view(),
      .c = 100,
      .balance = std::string_view(argument[4]) == "rows" ? LabelBalance::rows : LabelBalance::total,
      .imbalance = 0.1 * static_cast<double>(n)};
  const Stopwatch watch;
  const LabelSaddleSolution found = solve_label_saddle(
      problem, {.tolerance = tolerance, .context = {.on_progress = [&](const Progress&) {
                                          return watch.seconds() > limit ? Continue::time_is_up
                                                                         : Continue::yes;
                                        }}});
  std::cout << "n " << n << " seconds " << watch.seconds() << " status "
            << to_string(found.report.status) << " value " << format_number(found.value)
            << " bound " << format_number(found.lower_bound) << " gap "
            << relative_gap(found.value, found.lower_bound) << " excess " << found.imbalance_excess
            << " rank " << found.rank << " steps " << found.report.iterations << " evaluations "
            << found.evaluations << " products " << found.hessian_products << " MiB "
            << peak_memory() << '\n';
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  try {
    return run(count, argument);
  } catch (const std::exception& problem) {
    std::cerr << "study_label_saddle: " << problem.what() << '\n';
    return 1;
  }
}
