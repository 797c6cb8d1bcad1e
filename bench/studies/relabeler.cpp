// SPDX-License-Identifier: Apache-2.0
// Merat's Iris experiment with the relabeler: Gaussian kernel of sigma 2, C = 1.5 unless said
// otherwise. Prints the tables of docs/results/relabeler.md; bench/studies/relabeler writes the
// page. Takes no arguments.
#include <cstdio>
#include <string>

#include "maxmargin/cluster/relabeler/relabeler.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

namespace {

using namespace maxmargin;

const DenseMatrix& iris_gram() {
  static const DenseMatrix matrix = gram(Rbf{.gamma = 0.125}, iris().examples);
  return matrix;
}

bool is_setosa_against_the_rest(const RelabelerClustering& found) {
  for (std::size_t i = 0; i < found.labels.size(); ++i) {
    if ((found.labels[i] == 1) != (i < 50)) return false;
  }
  return true;
}

RelabelerClustering run(const RelabelerOptions& options) {
  return cluster_relabeler(iris_gram().view(), options);
}

/// One run a seed.
struct Shares {
  std::size_t runs = 0;
  std::size_t successes = 0;
  std::size_t collapsed = 0;
  std::size_t fits = 0;
};

Shares single_runs(std::size_t count, const RelabelerMachineOptions& machine, double fraction) {
  Shares shares{.runs = count};
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    const RelabelerClustering found = run({.machine = machine,
                                           .relabel_fraction = fraction,
                                           .restarts = 1,
                                           .context = {.seed = seed},
                                           .labellings = 0});
    if (is_setosa_against_the_rest(found)) ++shares.successes;
    shares.collapsed += found.counts.collapsed;
    shares.fits += found.counts.fits;
  }
  return shares;
}

/// `prototype` is what the prototype of the specification found, with other random numbers.
void print(const std::string& name, const Shares& shares, const char* prototype) {
  const auto percent = [&](std::size_t part) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(shares.runs);
  };
  std::printf("| %s | %zu | %zu (%.1f %%) | %zu (%.1f %%) | %.1f | %s |\n",
              name.c_str(),
              shares.runs,
              shares.successes,
              percent(shares.successes),
              shares.collapsed,
              percent(shares.collapsed),
              static_cast<double>(shares.fits) / static_cast<double>(shares.runs),
              prototype);
}

void fractions_and_costs() {
  std::puts("## Single runs\n");
  std::puts("| alpha | runs | setosa and rest | collapsed | fits a run | prototype |");
  std::puts("| --- | --- | --- | --- | --- | --- |");
  print("0.5", single_runs(200, {.c = 1.5}, 0.5), "54, 39, 8.1 fits");
  print("0.15", single_runs(200, {.c = 1.5}, 0.15), "27 collapsed, 18.4 fits");
  std::puts("\n## The cost C, alpha = 0.5\n");
  std::puts("| C | runs | setosa and rest | collapsed | fits a run | prototype |");
  std::puts("| --- | --- | --- | --- | --- | --- |");
  struct Cost {
    const char* name;
    double c;
    const char* prototype;
  };
  for (const Cost& cost : {Cost{"0.1", 0.1, "18, 82"},
                           Cost{"0.5", 0.5, "32, 53"},
                           Cost{"1", 1, "28, 41"},
                           Cost{"1.5", 1.5, "27, 28"},
                           Cost{"3", 3, "12, 13"},
                           Cost{"10", 10, "3, 1"},
                           Cost{"100", 100, "0, 0"}}) {
    print(cost.name, single_runs(100, {.c = cost.c}, 0.5), cost.prototype);
    std::fflush(stdout);
  }
}

void nu_machines() {
  std::puts("\n## The nu-machine, alpha = 0.5\n");
  std::puts(
      "A cluster keeps at least nu/2 of the points, so runs that would leave less count as "
      "collapsed.\n");
  std::puts("| nu | runs | setosa and rest | collapsed | fits a run | prototype |");
  std::puts("| --- | --- | --- | --- | --- | --- |");
  for (const double nu : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}) {
    const Shares shares = single_runs(100, {.engine = RelabelerEngine::nu_svm, .nu = nu}, 0.5);
    char name[32];
    std::snprintf(name, sizeof name, "%g", nu);
    print(name, shares, "");
    std::fflush(stdout);
  }
}

/// Chains whose best labels are setosa and the rest, of `count`; all have 61 runs.
std::size_t chains(std::size_t count, const RelabelerSearchOptions& search) {
  std::size_t successes = 0;
  const bool plain = search.kind == RelabelerSearch::restarts;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    const RelabelerClustering found = run({.machine = {.c = 1.5},
                                           .search = search,
                                           .restarts = plain ? search.anneal_steps + 1 : 1,
                                           .context = {.seed = 1000 + seed},
                                           .labellings = 0});
    if (is_setosa_against_the_rest(found)) ++successes;
  }
  return successes;
}

const char* name_of(PerturbationLaw law) {
  return law == PerturbationLaw::stall ? "stall" : "constant 0.1";
}

void searches() {
  constexpr std::size_t count = 40;
  std::puts("\n## Chains against restarts, 61 runs each\n");
  std::puts("| search | T_0 | perturbation | found, of 40 | prototype |");
  std::puts("| --- | --- | --- | --- | --- |");
  struct Row {
    double temperature;
    PerturbationLaw law;
    const char* prototype;
  };
  for (const Row& row : {Row{10, PerturbationLaw::constant, "19"},
                         Row{10, PerturbationLaw::stall, "35"},
                         Row{6, PerturbationLaw::constant, "19"},
                         Row{6, PerturbationLaw::stall, "35"},
                         Row{1, PerturbationLaw::constant, "22"},
                         Row{1, PerturbationLaw::stall, "36"}}) {
    std::printf("| annealing | %g | %s | %zu | %s |\n",
                row.temperature,
                name_of(row.law),
                chains(count,
                       {.kind = RelabelerSearch::annealing,
                        .temperature = row.temperature,
                        .perturb_law = row.law}),
                row.prototype);
    std::fflush(stdout);
  }
  for (const PerturbationLaw law : {PerturbationLaw::constant, PerturbationLaw::stall}) {
    std::printf("| climbing | | %s | %zu | |\n",
                name_of(law),
                chains(count, {.kind = RelabelerSearch::climbing, .perturb_law = law}));
  }
  std::printf("| restarts | | | %zu | 40 |\n", chains(count, {}));
  std::fflush(stdout);
}

void seeds() {
  std::size_t good = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RelabelerClustering found =
        run({.machine = {.c = 1.5}, .restarts = 40, .context = {.seed = seed}, .labellings = 0});
    if (is_setosa_against_the_rest(found)) ++good;
  }
  std::printf("\nThe best of 40 restarts is setosa and the rest for %zu of the seeds 1 to 20.\n",
              good);
}

void chance() {
  const ChanceLaw law = chance_law(iris_gram().view(), {.context = {.seed = 1}});
  const JohnsonSb& sb = law.fit->law;
  std::puts("\n## Sums of squares of 5,000 random labellings\n");
  std::printf(
      "One cluster has %.6f; the draws lie between %.6f and %.6f. The fitted law has gamma = "
      "%.4f, delta = %.4f, lambda = %.4f, xi = %.4f (log-likelihood %.3f, %zu evaluations).\n\n",
      law.one_cluster,
      law.sums.front(),
      law.sums.back(),
      sb.gamma,
      sb.delta,
      sb.lambda,
      sb.xi,
      law.fit->log_likelihood,
      law.fit->evaluations);
  std::puts("| share | quantile of the draws | quantile of the law |");
  std::puts("| --- | --- | --- |");
  for (const double p : {0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99}) {
    const auto place = static_cast<std::size_t>(p * static_cast<double>(law.sums.size()));
    std::printf("| %g | %.4f | %.4f |\n", p, law.sums[place], sb.quantile(p));
  }
  std::printf("\nsetosa and the rest has 28.558999: p = %.2g.\n", law.p_value(28.558999));
}

void times() {
  std::puts("\n## Time\n");
  const Stopwatch gram_free;
  const RelabelerClustering found =
      run({.machine = {.c = 1.5}, .restarts = 100, .context = {.seed = 1}, .labellings = 0});
  const double seconds = gram_free.seconds();
  std::printf("100 restarts on Iris: %.3f s (%zu fits). ", seconds, found.counts.fits);
  const Stopwatch watch;
  const ChanceLaw law = chance_law(iris_gram().view());
  std::printf("5,000 random labellings and the fit: %.3f s.\n", watch.seconds());
}

}  // namespace

int main() {
  fractions_and_costs();
  nu_machines();
  searches();
  seeds();
  chance();
  times();
}
